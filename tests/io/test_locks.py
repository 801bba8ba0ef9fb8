"""A lock belongs to one holder at a time, until it is released or its process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rightreasons.core.errors import OutputError
from rightreasons.io.locks import BusyError, hold_lock, try_lock

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import sys, time
from pathlib import Path
from rightreasons.io.locks import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_lock_holds_inside_one_process_too(tmp_path: Path) -> None:
    with hold_lock(tmp_path / "x.lock"), pytest.raises(BusyError), hold_lock(tmp_path / "x.lock"):
        pass
    with hold_lock(tmp_path / "x.lock"):
        pass


def test_a_kill_releases_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(BusyError, match=r"x\.lock"), hold_lock(path):
            pass
        with pytest.raises(BusyError, match=r"x\.lock"):
            try_lock(path)
        os.kill(process.pid, signal.SIGKILL)
    with hold_lock(path):
        pass


def test_the_file_of_a_lock_is_removed_if_wanted(tmp_path: Path) -> None:
    for remove in (False, True):
        with hold_lock(tmp_path / "x.lock", remove=remove):
            assert (tmp_path / "x.lock").exists()
        assert (tmp_path / "x.lock").exists() != remove


def test_folders_can_be_locked(tmp_path: Path) -> None:
    handle = try_lock(tmp_path)
    assert handle is not None
    with pytest.raises(BusyError):
        try_lock(tmp_path)
    os.close(handle)
    with pytest.raises(BusyError, match="gone"):
        try_lock(tmp_path / "gone")


def test_a_lock_makes_no_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), hold_lock(tmp_path / "absent" / "x.lock"):
        pass
    assert not (tmp_path / "absent").exists()


def test_a_lock_that_can_not_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "x.lock").mkdir()
    with (
        pytest.raises(OutputError, match=r"x\.lock: Is a directory"),
        hold_lock(tmp_path / "x.lock"),
    ):
        pass
