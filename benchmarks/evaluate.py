"""CPU seconds that `evaluate` needs outside the model, as a ratio to another commit.

    python benchmarks/evaluate.py [--baseline PYTHON] [--repeats N] [--json]

PYTHON is the interpreter of a virtual environment in which the other commit is installed. Both run
`evaluate("default", sets="hans", limit=600)` in processes of their own, alternately. The time inside the model (loading
it, checking it and predicting) is subtracted. `warm`: the second run in a process, when all modules are imported.
`cold`: the whole process with the start of Python and all imports. Times are CPU seconds, the best of the repeats; the
last line with --json is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WARM = 0.75  # the ratio to the commit before evaluate was straightened
ONE_THREAD = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
# Runs under either commit, so it finds the model by what both have: `ask`, and the method `precheck` of the model.
CHILD = """
import json, sys, time
from importlib import import_module
from rightreasons import evaluate

inside = 0.0

def timed(function):
    def run(*words, **options):
        global inside
        start = time.process_time()
        try:
            return function(*words, **options)
        finally:
            inside += time.process_time() - start
    return run

for name in ("inference", "asking"):
    try:
        package = import_module(f"rightreasons.{name}")
    except ImportError:
        continue
    for step in ("ask", "predict_pairs", "precheck"):
        if hasattr(package, step):
            setattr(package, step, timed(getattr(package, step)))
    if not hasattr(package, "precheck"):
        model = import_module("rightreasons.models.onnx").Onnx
        model.precheck = timed(model.precheck)

def outside():
    global inside
    start, inside = time.process_time(), 0.0
    evaluate("default", sets="hans", limit=600, out=sys.argv[1], force=True)
    return time.process_time() - start - inside

before = time.process_time()
cold = before + outside()
print(json.dumps({"cold": cold, "warm": outside()}))
"""


def compile_package(python: str) -> None:
    """Compile the package to bytecode, which an editable install may not be."""
    code = "import compileall, rightreasons; compileall.compile_dir(rightreasons.__path__[0], quiet=2)"
    subprocess.run([python, "-c", code], check=True)  # noqa: S603 - the user named the interpreter


def measure(python: str, out: Path) -> dict[str, float]:
    """Run the evaluation twice in a new process."""
    done = subprocess.run(  # noqa: S603 - the user named the interpreter
        [python, "-c", CHILD, str(out)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | ONE_THREAD,
    )
    seconds: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return seconds


def main() -> None:
    """Measure both commits alternately and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--baseline", metavar="PYTHON", help="interpreter with the other commit installed")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    options = parser.parse_args()
    pythons = {"this commit": sys.executable} | ({"baseline": options.baseline} if options.baseline else {})
    seconds: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    for python in pythons.values():
        compile_package(python)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeats):
            for name, python in pythons.items():
                seconds[name].append(measure(python, Path(folder) / "run"))
    best = {
        name: {kind: min(run[kind] for run in runs) for kind in ("cold", "warm")}
        for name, runs in seconds.items()
    }
    for name, figures in best.items():
        print(f"{name:12} cold {figures['cold']:.3f} s  warm {figures['warm']:.3f} s")
    ratios = {}
    if options.baseline:
        ratios = {kind: best["this commit"][kind] / best["baseline"][kind] for kind in ("cold", "warm")}
        print(f"{'ratio':12} cold {ratios['cold']:.2f}    warm {ratios['warm']:.2f}  (target {WARM} or less)")
    if options.json:
        print(json.dumps({"seconds": best, "ratios": ratios}))


if __name__ == "__main__":
    main()
