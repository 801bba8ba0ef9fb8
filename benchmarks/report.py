"""How long the report of a run of a million pairs takes, and how much memory.

    python benchmarks/report.py [--pairs N] [--json]

The run is made first and not measured: HANS, answered by a rule and by chance, with all baselines beside them. Then
`rightreasons report` makes its page in a process of its own, with the start of Python and all imports. Seconds are
on the clock, CPU seconds those of the process; memory is its largest resident set. The last line with --json is one
JSON object.
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


def make_run(pairs: int, run: Path) -> None:
    """Evaluate two models that answer at once; in a process of its own, so that this one stays small."""
    options = f"size={max(1000, pairs // 25)}, limit={pairs}, short='allow'"
    code = f"import rightreasons as r; r.evaluate({MODELS!r}, out={str(run)!r}, sets=('hans',), {options})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # noqa: S603 - our own code


def measure(run: Path, page: Path) -> dict[str, Any]:
    """Make the page in a child process and say what it took."""
    words = [sys.executable, "-m", "rightreasons", "report", str(run), "--out", str(page)]
    start = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("The report was not made.")
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "gib": used.ru_maxrss / 2**20,
        "page_mb": page.stat().st_size / 1e6,
    }


def main() -> None:
    """Make a run, report on it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        make_run(asked.pairs, run)
        figures = measure(run, Path(folder) / "report.html")
    print(
        f"report of {asked.pairs:,} pairs: {figures['seconds']:.1f} s ({figures['cpu_seconds']:.1f} s of CPU), "
        f"{figures['gib']:.2f} GiB, a page of {figures['page_mb']:.1f} MB"
    )
    if asked.json:
        print(json.dumps({"benchmark": "report", "pairs": asked.pairs, "limits": LIMITS, "figures": figures}))


if __name__ == "__main__":
    main()
