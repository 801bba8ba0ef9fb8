"""Judgements per second of `study serve`, with 200 participants at the same time; the size of HANS with --full.

The baseline is the same number of durable commits of one row, one after the other, to a SQLite file.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "people"))

from made_study import make_study
from postgres_server import find_programs, run_postgres
from study_load import Load, find_percentile
from study_server import StudyServer

from rightreasons.people.database import URL_VARIABLE

PARTICIPANTS = 200


def measure(folder: Path, url: str | None, servers: int, *, full: bool) -> tuple[int, float, list[float]]:
    """Run a study; return how many judgements it had, the seconds, and the seconds of each acknowledgement."""
    count, per_form, controls = (2280, 57, 10) if full else (240, 6, 1)
    study = make_study(folder, count=count, per_form=per_form, controls=controls, judgements=5)
    environment = {URL_VARIABLE: url} if url else {}
    running = [StudyServer(study.folder, environment=environment) for _ in range(servers)]
    for server in running:
        server.start()
    load = Load([server.port for server in running], running[0].study_link)
    seconds = load.run(PARTICIPANTS)
    for server in running:
        server.stop()
    if load.failures:
        raise SystemExit(load.failures[0])
    return len(load.acknowledged), seconds, load.seconds


def measure_commits(file: Path, count: int) -> float:
    """Commit so many rows one after the other; return the seconds."""
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


def print_row(name: str, measured: tuple[int, float, list[float]], baseline: float) -> None:
    """Print the figures of one database."""
    judgements, seconds, each = measured
    rate = judgements / seconds
    print(
        f"{name:<28} {judgements:>7,} judgements in {seconds:6.1f} s: {rate:6.1f} per second "
        f"(baseline / {baseline / rate:.1f}), acknowledged in p50 {1000 * find_percentile(each, 0.5):.0f} ms, "
        f"p95 {1000 * find_percentile(each, 0.95):.0f} ms"
    )


def main() -> None:
    """Measure SQLite, and PostgreSQL if its server is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="13,400 judgements, as the study of HANS")
    full = parser.parse_args().full
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commits = 1000
        baseline = commits / measure_commits(folder / "baseline.db", commits)
        print(f"{'baseline':<28} {baseline:.0f} commits per second")
        print_row("SQLite", measure(folder / "sqlite", None, 1, full=full), baseline)
        if find_programs() is None:
            print("PostgreSQL is not installed (make postgres).")
            return
        with run_postgres() as server:
            for servers in (1, 2):
                measured = measure(folder / f"postgres{servers}", server.make_database(), servers, full=full)
                print_row(f"PostgreSQL, servers: {servers}", measured, baseline)


if __name__ == "__main__":
    main()
