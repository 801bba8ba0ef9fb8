"""Judgements per second of `study serve`, with 200 participants at the same time; the size of HANS with --full.

The baseline is the same number of durable commits of one row, one after the other, to a SQLite file.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "people"))

from made_study import make_study
from postgres_server import find_programs, run_postgres
from study_load import Load, find_percentile
from study_server import StudyServer

from rightreasons.people.database import URL_VARIABLE

PARTICIPANTS = 200


def measure(
    folder: Path, url: str | None, servers: int, options: argparse.Namespace
) -> tuple[int, float, list[float]]:
    """Run a study; return how many judgements it had, the seconds, and the seconds of each acknowledgement."""
    people = options.participants
    count, per_form, controls = (2280, 57, 10) if options.full else (max(12, 6 * people // 5), 6, 1)
    study = make_study(folder, count=count, per_form=per_form, controls=controls, judgements=5)
    environment = {URL_VARIABLE: url} if url else {}
    running = [StudyServer(study.folder, environment=environment) for _ in range(servers)]
    for server in running:
        server.start()
    load = Load([server.port for server in running], running[0].study_link)
    seconds = load.run(people)
    for server in running:
        server.stop()
    if load.failures:
        raise SystemExit(load.failures[0])
    return len(load.acknowledged), seconds, load.seconds


def measure_commits(file: Path, count: int) -> float:
    """Commit `count` rows one after the other; return the seconds."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE answers (number INTEGER PRIMARY KEY, answer TEXT)")
    begun = time.perf_counter()
    for _ in range(count):
        connection.execute("INSERT INTO answers (answer) VALUES ('entailment')")
    seconds = time.perf_counter() - begun
    connection.close()
    return seconds


def report_rate(name: str, measured: tuple[int, float, list[float]], baseline: float) -> dict[str, Any]:
    """Print the figures of one database, and return them."""
    judgements, seconds, each = measured
    rate = judgements / seconds
    middle, slow = (1000 * find_percentile(each, share) for share in (0.5, 0.95))
    print(
        f"{name:<28} {judgements:>7,} judgements in {seconds:6.1f} s: {rate:6.1f} per second "
        f"(baseline / {baseline / rate:.1f}), acknowledged in p50 {middle:.0f} ms, p95 {slow:.0f} ms"
    )
    figures = {"judgements": judgements, "seconds": seconds, "per_second": rate, "ratio": rate / baseline}
    return {"what": name, **figures, "p50_ms": middle, "p95_ms": slow}


def main() -> None:
    """Measure SQLite, and PostgreSQL if its server is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="13,400 judgements, as the study of HANS")
    parser.add_argument("--participants", type=int, default=PARTICIPANTS, help="how many at the same time")
    parser.add_argument("--sqlite-only", action="store_true", help="leave out PostgreSQL")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commits = 1000
        baseline = commits / measure_commits(folder / "baseline.db", commits)
        print(f"{'baseline':<28} {baseline:.0f} commits per second")
        rows = [report_rate("SQLite", measure(folder / "sqlite", None, 1, options), baseline)]
        if find_programs() is None:
            print("PostgreSQL is not installed (make postgres).")
        elif not options.sqlite_only:
            with run_postgres() as server:
                for servers in (1, 2):
                    measured = measure(
                        folder / f"postgres{servers}", server.make_database(), servers, options
                    )
                    rows.append(report_rate(f"PostgreSQL, servers: {servers}", measured, baseline))
    if options.json:
        print(json.dumps({"benchmark": "study", "commits_per_second": baseline, "figures": rows}))


if __name__ == "__main__":
    main()
