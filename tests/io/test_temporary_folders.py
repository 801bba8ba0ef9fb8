"""What killed processes leave is cleared by the next one that writes the same output; what is in use is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from rightreasons.io import temporary_folders
from rightreasons.io.outputs import write_atomically, write_folder_atomically
from rightreasons.io.temporary_folders import (
    OLD_ENDING,
    PART_ENDING,
    create_temporary_folder,
    make_hidden_path,
    remove_leftovers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAYS = 3 * 24 * 3600

WRITER = """
    import os, signal, sys, time
    from pathlib import Path
    from rightreasons.io.outputs import write_atomically, write_folder_atomically
    home = Path(sys.argv[1])
    folder_writer = write_folder_atomically(home / "run", force=True)
    with write_atomically(home / "a.txt", force=True) as part, folder_writer as folder:
        part.write_text("half")
        (folder / "b.txt").write_text("half")
        print("ready", flush=True)
        time.sleep(600)
"""
SWAPPER = """
    import os, signal, sys
    from pathlib import Path
    from rightreasons.io.outputs import write_folder_atomically
    home, after = Path(sys.argv[1]), int(sys.argv[2])
    renames, rename = 0, Path.rename

    def counting(self, target):
        global renames
        if renames == after:
            os.kill(os.getpid(), signal.SIGKILL)
        renames += 1
        return rename(self, target)

    with write_folder_atomically(home / "run", force=True) as folder:
        (folder / "b.txt").write_text("new")
        Path.rename = counting
        if after == 2:  # both renames are done, and the old folder is about to be removed
            import shutil
            shutil.rmtree = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(home: Path) -> None:
    """Write a file and a folder."""
    with write_atomically(home / "a.txt", force=True) as part:
        part.write_text("whole")
    with write_folder_atomically(home / "run", force=True) as folder:
        (folder / "b.txt").write_text("whole")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that writes and never ends."""
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_what_a_kill_leaves_is_cleared_by_the_next_writer(
    tmp_path: Path, writer: subprocess.Popen[str]
) -> None:
    writer.kill()
    writer.wait()
    assert len(names(tmp_path)) == 2
    write(tmp_path)
    assert names(tmp_path) == ["a.txt", "run"]


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    before = [name for name in names(tmp_path) if name.startswith(".")]
    assert len(before) == 2
    for path in tmp_path.iterdir():  # however old it looks
        os.utime(path, (time.time() - DAYS, time.time() - DAYS))
    write(tmp_path)
    assert names(tmp_path) == [*before, "a.txt", "run"]
    assert writer.poll() is None


@pytest.mark.parametrize(("after", "content"), [(0, "old"), (1, "old"), (2, "new")])
def test_a_kill_while_a_folder_is_replaced_loses_nothing(tmp_path: Path, after: int, content: str) -> None:
    """Before the first rename, between the two, and after them."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "b.txt").write_text("old")
    command = [sys.executable, "-c", textwrap.dedent(SWAPPER), str(tmp_path), str(after)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "run").exists() == (after != 1)
    remove_leftovers(tmp_path / "run")
    assert names(tmp_path) == ["run"]
    assert (tmp_path / "run" / "b.txt").read_text() == content


def test_leftovers_of_other_machines_and_older_versions_go_by_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "run"
    here = make_hidden_path(target, PART_ENDING)
    monkeypatch.setattr(temporary_folders.socket, "gethostname", lambda: "another machine")
    there = make_hidden_path(target, PART_ENDING)
    monkeypatch.undo()
    older = [tmp_path / ".run.0123abcd.part", tmp_path / ".run.0123abcd.old"]
    for path in (here, there, older[0]):
        path.mkdir()
    older[1].write_text("")
    with write_folder_atomically(target):
        pass
    assert names(tmp_path) == sorted([there.name, *(path.name for path in older), "run"])
    for path in (there, *older):
        os.utime(path, (time.time() - DAYS, time.time() - DAYS))
    with write_folder_atomically(target, force=True):
        pass
    assert names(tmp_path) == ["run"]


def test_leftovers_of_targets_with_like_names_are_not_confused(tmp_path: Path) -> None:
    long = "x" * 60
    other = make_hidden_path(tmp_path / f"{long}-b", OLD_ENDING)
    other.mkdir()
    for name in (".xx.part", f".{long[:40]}.part", f".{long[:40]}.0123.part", ".mine.part"):
        (tmp_path / name).write_text("mine")
    before = names(tmp_path)
    with write_folder_atomically(tmp_path / f"{long}-a"):
        pass
    assert names(tmp_path) == sorted([*before, f"{long}-a"])
    remove_leftovers(tmp_path / f"{long}-b")
    assert not other.exists()
    assert (tmp_path / f"{long}-b").is_dir()


def test_a_link_in_the_place_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years of work")
    make_hidden_path(tmp_path / "run", PART_ENDING).symlink_to(precious)
    os.mkfifo(make_hidden_path(tmp_path / "run", PART_ENDING))
    with write_folder_atomically(tmp_path / "run"):
        pass
    assert (precious / "thesis.tex").read_text() == "years of work"


def test_temporary_folders_are_private_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make_hidden_path(tmp_path / "rightreasons", PART_ENDING).mkdir()  # as a kill leaves it
    with create_temporary_folder() as folder:
        assert names(tmp_path) == [folder.name]
        assert folder.stat().st_mode & 0o077 == 0
    assert names(tmp_path) == []
