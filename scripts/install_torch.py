"""Installs torch with hashes: the CPU build where pip finds it, and the registry's build otherwise.

Both are builds of one version. With both in one lock file, pip prefers the file whose hash its index publishes, which
on Linux is the registry's build, with gigabytes of CUDA packages that a machine without a GPU never uses.

Run it with the Python to install into: .venv/bin/python scripts/install_torch.py
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

CPU_LOCK = "requirements-torch-cpu.lock"
REGISTRY_LOCK = "requirements-torch.lock"
# What pip says when no index and no folder has such a file. A hash that differs says something else, and is fatal.
NOT_OFFERED = re.compile(r"No matching distribution found for torch==")


def install(lock: Path) -> subprocess.CompletedProcess[str]:
    """Install what a lock file pins, with pip's complaints kept."""
    options = [
        "--disable-pip-version-check",
        "install",
        "-qq",
        "--require-hashes",
        "--no-deps",
        "--requirement",
        str(lock),
    ]
    return subprocess.run(  # noqa: S603, pip of this Python
        [sys.executable, "-m", "pip", *options], stderr=subprocess.PIPE, text=True, check=False
    )


def is_installed(release: str) -> bool:
    """Say whether torch is there in any build of this release."""
    importlib.invalidate_caches()  # pip has just installed it, in another process
    try:
        return version("torch").partition("+")[0] == release
    except PackageNotFoundError:
        return False


def locked_release(lock: Path) -> str:
    """Read the release of torch that a lock file pins."""
    pin = re.search(r"^torch==([0-9.]+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if pin is None:
        raise SystemExit(f"{lock} pins no torch. Write it anew: make lock")
    return pin[1]


def main(folder: Path) -> int:
    """Install one build of torch from the lock files in a folder; returns the exit code."""
    release = locked_release(folder / REGISTRY_LOCK)
    if is_installed(release):
        return 0
    done = install(folder / CPU_LOCK)
    if done.returncode and not NOT_OFFERED.search(done.stderr):
        sys.stderr.write(done.stderr)
        return 1
    # Where the CPU lock holds for another system, its markers let pip succeed without torch.
    if done.returncode or not is_installed(release):
        done = install(folder / REGISTRY_LOCK)
        sys.stderr.write(done.stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
