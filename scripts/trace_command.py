"""Run a command of rightreasons, and print how many functions, files and packages it passes through.

Run `python scripts/trace_command.py evaluate default --sets hans --limit 50 --out run`. Only the process itself is
traced, and code that runs on import does not count. Set PYTHONPATH to the `src` folder of another commit to trace that
one.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rightreasons
from rightreasons.cli import main as run_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT = f"{Path(rightreasons.__file__).parent}/"
INNER = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Trace:
    """The functions of the package that were called, and the calls from one of its packages to another."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.functions: set[tuple[str, str]] = set()
        self.crossings: Counter[tuple[str, str]] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call; this is the function that Python calls for every event."""
        path = locate(frame)
        if event != "call" or path is None or frame.f_code.co_name in INNER:
            return
        callers = [(caller, source) for caller in walk_callers(frame) if (source := locate(caller))]
        if any(is_module_or_class(caller) for caller, _ in [(frame, path), *callers]):
            return
        self.functions.add((path, frame.f_code.co_qualname))
        source = package_of(callers[0][1]) if callers else None
        if source and source != package_of(path):
            self.crossings[source, package_of(path)] += 1

    def print_summary(self) -> None:
        """Print the counts, then the calls between packages, from package to package."""
        files = {path for path, _ in self.functions}
        packages = sorted({package_of(path) for path in files})
        print(
            f"{len(self.functions)} functions, {len(files)} files, {len(packages)} packages: {' '.join(packages)}"
        )
        for (source, target), calls in sorted(self.crossings.items()):
            print(f"{source} -> {target}: {calls}")


def locate(frame: FrameType) -> str | None:
    """Return the path of a frame's file inside the package, or None for code elsewhere."""
    file = frame.f_code.co_filename
    return file.removeprefix(ROOT) if file.startswith(ROOT) else None


def walk_callers(frame: FrameType) -> Iterator[FrameType]:
    """Go through the callers of a frame, innermost first."""
    caller = frame.f_back
    while caller is not None:
        yield caller
        caller = caller.f_back


def is_module_or_class(frame: FrameType) -> bool:
    """Return whether a frame runs the body of a module or class, as on import."""
    return not frame.f_code.co_flags & CO_OPTIMIZED


def package_of(path: str) -> str:
    """Return the package of a file, or its own name if it lies in the root."""
    return path.partition("/")[0].removesuffix(".py")


def main() -> None:
    """Trace the command in the arguments."""
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        run_command(sys.argv[1:])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        trace.print_summary()


if __name__ == "__main__":
    main()
