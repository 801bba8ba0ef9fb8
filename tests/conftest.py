"""Where the real data is, for the tests that use it, and how property tests run."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Helper modules lie in the folder of the tests that use them, and their names are unique.
_HELPERS = [
    path for path in Path(__file__).parent.rglob("*.py") if not path.name.startswith(("test_", "conftest"))
]
sys.path += sorted({str(path.parent) for path in _HELPERS})

# Tests check that commands write nothing but their outputs; Python's caches of modules in the folder are none of these.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True

# Read when the hub's library is imported, so it is said before any test can do that: tests never ask the network.
os.environ["HF_HUB_OFFLINE"] = "1"

# Read when torch is imported, and inherited by child processes: the networks of the tests are too small for several
# threads, which only wait for each other where tests run side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Time limits would fail on a busy machine; where a failure blocks others, the cases are the same every time.
settings.register_profile("steady", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("steady")

# Under nohup and in background jobs signals are ignored, and child processes inherit that. Tests send them.
for _ignored in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_ignored) is signal.SIG_IGN:
        signal.signal(_ignored, signal.default_int_handler)


FIRST_CASES = 2  # of a parametrized test, that `make test` runs


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but the first cases of a parametrized test as slow, unless its module wants every case."""
    seen: dict[str, int] = {}
    for item in items:
        test = item.nodeid.partition("[")[0]
        seen[test] = seen.get(test, 0) + 1
        if seen[test] > FIRST_CASES and not item.get_closest_marker("every_case"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Find the folder of real data beside the repository, or skip the test visibly."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real data (../shared/data beside the repository) is not here")
    return folder


@pytest.fixture(scope="session")
def hans_data(shared_data: Path) -> Path:
    """Find the folder of the released HANS files."""
    return shared_data / "hans"
