"""Time and memory of the report of a run of a million pairs, against reading and counting the same files.

    python benchmarks/report.py [--pairs N] [--json]

The run is written first and not measured: HANS, predicted by a rule and at random, with all baselines. Then
`rightreasons report` writes its page in a process of its own, including the start of Python and all imports. The
named baseline is a script, also in a process of its own, that only reads the pairs and all predictions with polars and
counts the correct ones by subcase. Seconds are wall time, CPU seconds those of the process; memory is its largest
resident set. --json prints one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODELS = ("random", "rules:subsequence")
LIMITS = {"seconds": 60.0, "gib": 2.0, "page_mb": 10.0}
BASELINE = "reading all files with polars and counting by subcase"
READ_AND_COUNT = """
import sys
from pathlib import Path
import polars as pl
run = Path(sys.argv[1])
(pairs,) = (pl.read_parquet(path) for path in (run / "sets").glob("*.parquet"))
for path in (run / "predictions").rglob("*.parquet"):
    both = pairs.join(pl.read_parquet(path).select("id", prediction="label"), on="id")
    both.group_by("subcase", "label").agg(pl.len(), (pl.col("prediction") == pl.col("label")).sum())
"""


def write_run(pairs: int, run: Path) -> None:
    """Evaluate two models that predict instantly; in a process of its own, so that this one stays small."""
    options = f"size={max(1000, pairs // 25)}, limit={pairs}, short='allow'"
    code = f"import rightreasons as r; r.evaluate({MODELS!r}, out={str(run)!r}, sets=('hans',), {options})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # noqa: S603 - our own code


def measure_process(words: list[str]) -> dict[str, float]:
    """Run Python with some arguments, and measure the process."""
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own command
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"python {' '.join(words)[:60]} ended with status {status}.")
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "gib": used.ru_maxrss / 2**20,
    }


def measure_report(run: Path, page: Path) -> dict[str, Any]:
    """Measure the report and the baseline."""
    figures = measure_process(["-m", "rightreasons", "report", str(run), "--out", str(page)])
    baseline = measure_process(["-c", READ_AND_COUNT, str(run)])
    return figures | {
        "page_mb": page.stat().st_size / 1e6,
        "baseline_cpu_seconds": baseline["cpu_seconds"],
        "ratio": baseline["cpu_seconds"] / figures["cpu_seconds"],
    }


def main() -> None:
    """Write a run, report on it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        write_run(options.pairs, run)
        figures = measure_report(run, Path(folder) / "report.html")
    print(
        f"report of {options.pairs:,} pairs: {figures['seconds']:.1f} s ({figures['cpu_seconds']:.1f} s of CPU), "
        f"{figures['gib']:.2f} GiB, a page of {figures['page_mb']:.1f} MB; "
        f"{BASELINE}: {figures['baseline_cpu_seconds']:.1f} s of CPU; ratio {figures['ratio']:.2f}"
    )
    if options.json:
        facts = {"benchmark": "report", "baseline": BASELINE, "pairs": options.pairs, "limits": LIMITS}
        print(json.dumps(facts | {"figures": figures}))


if __name__ == "__main__":
    main()
