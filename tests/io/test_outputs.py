"""Outputs appear whole or not at all."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from rightreasons.core.errors import OutputError
from rightreasons.io.outputs import (
    check_output_path,
    check_writable,
    write_atomically,
    write_folder_atomically,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_halfway(path: Path, error: BaseException) -> None:
    path.write_text("half")
    raise error


def test_a_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with write_atomically(target) as part:
        part.write_text("whole")
        assert part.parent.parent == tmp_path
        assert part.parent.name.startswith(".")
        assert not target.exists()
    assert target.read_text() == "whole"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), write_atomically(tmp_path / "a.txt") as part:
        fail_halfway(part, error())
    with pytest.raises(error), write_folder_atomically(tmp_path / "run") as part:
        fail_halfway(part / "a.txt", error())
    assert names(tmp_path) == []


def test_a_failure_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(ValueError, match="mine"), write_atomically(target, force=True) as part:
        fail_halfway(part, ValueError("mine"))
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_existing_file_is_refused_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(OutputError, match=r"a\.txt exists already.*--force"), write_atomically(target):
        pytest.fail("the block must not run")
    with write_atomically(target, force=True) as part:
        part.write_text("new")
    assert target.read_text() == "new"


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with pytest.raises(OutputError, match="exists already"), write_atomically(target) as part:
        (part.write_text("mine"), target.write_text("another's"))
    assert target.read_text() == "another's"
    assert names(tmp_path) == ["a.txt"]


def test_unwritable_places_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    cases = {
        tmp_path / "none" / "a.txt": "There is no folder",
        tmp_path / "folder": "a folder",
        tmp_path / "file" / "a.txt": "There is no folder",
        tmp_path / ("x" * 300): "its name is too long",
    }
    for path, message in cases.items():
        with pytest.raises(OutputError, match=message):
            check_output_path(path, force=True)
    with pytest.raises(OutputError, match=r"file .*: a file"):
        check_output_path(tmp_path / "file", folder=True, force=True)
    assert names(tmp_path) == ["file", "folder"]


def test_a_place_is_tried_before_long_work(tmp_path: Path) -> None:
    check_writable(tmp_path / "model")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"/file: Not a directory"):
        check_writable(tmp_path / "file" / "model")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="permission is denied"), write_atomically(tmp_path / "a.txt"):
        pytest.fail("the block must not run")


def test_errors_of_other_files_are_left_alone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), write_atomically(tmp_path / "a.txt"):
        (tmp_path / "input").read_text()
    with pytest.raises(PermissionError), write_atomically(tmp_path / "a.txt"):
        raise PermissionError(13, "denied", "/elsewhere")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with write_atomically(tmp_path / "link", force=True) as part:
        part.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_folder_appears_whole_and_replaces_the_old_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with write_folder_atomically(run) as part:
        (part / "sub").mkdir()
        (part / "sub" / "a.txt").write_text("one")
        assert not run.exists()
    with pytest.raises(OutputError, match="exists already"), write_folder_atomically(run):
        pytest.fail("the block must not run")
    with write_folder_atomically(run, force=True) as part:
        (part / "b.txt").write_text("two")
        assert (run / "sub" / "a.txt").exists()
    assert names(run) == ["b.txt"]
    assert names(tmp_path) == ["run"]


def test_a_folder_that_is_not_ours_is_never_replaced(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"no card\.json"):
        check_output_path(home, force=True, folder=True, marker="card.json")
    (home / "card.json").write_text("{}")
    check_output_path(home, force=True, folder=True, marker="card.json")


KILLED = """
    import sys, time
    from pathlib import Path
    from rightreasons.io.outputs import write_atomically, write_folder_atomically
    home = Path(sys.argv[1])
    with write_atomically(home / "a.txt") as part, write_folder_atomically(home / "run") as folder:
        part.write_text("half")
        (folder / "b.txt").write_text("half")
        print("ready", flush=True)
        for _ in range(600):
            time.sleep(0.1)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_kill_leaves_no_named_output(tmp_path: Path, how: signal.Signals) -> None:
    code = textwrap.dedent(KILLED)
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(how)
        child.wait(timeout=20)
    left = names(tmp_path)
    assert all(name.startswith(".") for name in left)
    assert left == [] or how != signal.SIGINT


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let no file grow beyond 100 kB, which needs no rights and fails as a full disk does."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, old)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_a_file_size_limit_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match=r"a\.txt .*: the file grew larger"),
        write_atomically(tmp_path / "a.txt") as part,
    ):
        part.write_bytes(b"x" * 200_000)
    assert names(tmp_path) == []


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of one megabyte, where that is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small disk can't be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_reported_and_left_clean(full_disk: Path) -> None:
    with (
        pytest.raises(OutputError, match=r": .*no space left"),
        write_atomically(full_disk / "a.txt") as part,
    ):
        part.write_bytes(b"x" * 3_000_000)
    with (
        pytest.raises(OutputError, match=r": .*no space left"),
        write_folder_atomically(full_disk / "run") as part,
    ):
        (part / "b").write_bytes(b"x" * 3_000_000)
    assert names(full_disk) == []


@pytest.mark.parametrize("name", ["", ".", "..", "/", "here/..", "link"])
def test_a_folder_is_never_put_in_place_of_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "below").mkdir(parents=True)
    (tmp_path / "here" / "link").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here" / "below" if name == ".." else tmp_path / "here")
    with pytest.raises(OutputError, match="working folder"), write_folder_atomically(name, force=True):
        pass
    assert names(tmp_path / "here") == ["below", "link"]


@pytest.mark.parametrize("name", ["x\udcff", "null\0", 3, None, b"bytes"])
def test_a_name_that_is_no_text_is_refused(name: object, tmp_path: Path) -> None:
    place = tmp_path / name if isinstance(name, str) else name
    for folder in (False, True):
        with pytest.raises(OutputError):
            check_output_path(place, folder=folder)  # type: ignore[arg-type]


def test_a_device_or_a_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe"), write_atomically(tmp_path / "pipe", force=True):
        pass
    assert names(tmp_path) == ["pipe"]
    assert not (tmp_path / "pipe").is_file()


def test_a_folder_that_takes_no_files_is_named_with_the_output() -> None:
    with pytest.raises(OutputError, match="/proc/x"), write_atomically("/proc/x"):
        pass


def test_a_working_folder_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(OutputError), write_folder_atomically("run"):
        pass
    with write_folder_atomically(tmp_path / "run"):
        pass
    assert names(tmp_path) == ["run"]
