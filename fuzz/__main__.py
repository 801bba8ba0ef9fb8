"""`python -m fuzz`: make cases, run them in worker processes, and say what came of them."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.areas import AREAS
from fuzz.cases import HANG
from fuzz.pool import Job, Pool
from fuzz.summary import describe, keep_files, summarise
from fuzz.worker import BUILD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fuzz.cases import Area, Result

SEED = 20_240
SECONDS = 600.0
RESERVE_SECONDS = 30.0  # for the cases under way when the time is over, and for the summary
KEPT = "fuzz-failures"


def main(words: Sequence[str] | None = None) -> int:
    """Run the suite and return the exit code: 1 if a case failed."""
    asked = _arguments(words)
    areas = [AREAS[name] for name in asked.area or AREAS]
    jobs = [(areas[0].name, asked.case)] if asked.case is not None else plan_jobs(areas, asked.cases)
    until = time.monotonic() + asked.seconds - min(RESERVE_SECONDS, asked.seconds / 4)
    shared = Path(tempfile.mkdtemp(prefix="fuzz-"))
    pool = Pool(shared, workers=asked.workers, seed=asked.seed)
    record = _Record(shared, asked)
    try:
        pool.run([(area.name, BUILD) for area in areas if area.build], record.take, until)
        broken = {result.area for result in record.results}  # whose cases lack what they share
        left = pool.run([job for job in jobs if job[0] not in broken], record.take, until)
        again = [(result.area, result.number) for result in record.slow]
        pool.run(again, record.confirm, max(until, time.monotonic() + RESERVE_SECONDS))
    finally:
        pool.close()
        shutil.rmtree(shared, ignore_errors=True)
    print(summarise(record.results, [area.name for area in areas], left))
    return record.close()


class _Record:
    """What came of the cases so far; failures are shown at once, and their files kept."""

    def __init__(self, shared: Path, asked: argparse.Namespace) -> None:
        self.shared, self.asked = shared, asked
        self.results: list[Result] = []
        self.slow: list[Result] = []

    def take(self, result: Result) -> None:
        """Take a result; on a busy machine a case may just be slow, and what hangs, hangs twice."""
        if result.kind == HANG:
            self.slow.append(result)
        else:
            self.confirm(result)

    def confirm(self, result: Result) -> None:
        """Take a result as it is."""
        self.results.append(result)
        if result.failed:
            keep_files(result, self.shared, Path(self.asked.keep), self.asked.seed)
        if result.failed or self.asked.case is not None:
            print(describe(result, self.asked.seed), flush=True)

    def close(self) -> int:
        """Say where files were kept, and return the exit code."""
        failed = any(result.failed for result in self.results)
        if failed:
            print(f"The files of failed cases are in {self.asked.keep}.", file=sys.stderr)
        return int(failed)


def plan_jobs(areas: Sequence[Area], cases: int | None) -> list[Job]:
    """Choose the cases: of every area its share, mixed, so that a run that is cut short has met them all."""
    whole = sum(area.share for area in areas)
    scale = 1.0 if cases is None else cases / whole
    counts = {area.name: max(1, round(area.share * scale)) for area in areas}
    jobs = [
        ((number + 0.5) / count, name, number) for name, count in counts.items() for number in range(count)
    ]
    return [(name, number) for _, name, number in sorted(jobs)]


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument(
        "--area", action="append", choices=list(AREAS), help="only this area; may be repeated"
    )
    parser.add_argument("--case", type=int, help="only the case with this number, of one area")
    parser.add_argument("--cases", type=int, help="how many cases in all; each area gets its share")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed, other cases (%(default)s)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="stop after this time (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (%(default)s)")
    parser.add_argument("--keep", default=KEPT, help="folder for the files of failed cases (%(default)s)")
    asked = parser.parse_args(words)
    if asked.case is not None and len(asked.area or ()) != 1:
        parser.error("--case needs one --area.")
    return asked


if __name__ == "__main__":
    sys.exit(main())
