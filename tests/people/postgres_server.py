"""A PostgreSQL server for tests: its own cluster in a temporary folder, on a Unix socket, stopped by its id."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

USER = "tester"
PORT = 54_329  # part of the name of the socket; nothing listens on the network


class PostgresServer:
    """A cluster; it can be stopped and started again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.data = folder / "data"
        self.databases = 0
        self._run("initdb", "-D", str(self.data), "-U", USER, "--auth=trust", "--encoding=UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        options = f"-k {self.folder} -p {PORT} -c listen_addresses= -c max_connections=60"
        self._run(
            "pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "-o", options, "start"
        )

    def stop(self) -> None:
        """End the server by its id: connections are cut, and it has to recover when it is started again."""
        number = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(number, signal.SIGQUIT)
        for _ in range(300):
            if not is_running(number):
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                return
            time.sleep(0.1)
        raise TimeoutError(f"the server {number} does not end")

    def make_database(self) -> str:
        """Create an empty database; return its URL."""
        self.databases += 1
        name = f"study{self.databases}"
        import psycopg

        address = {"host": str(self.folder), "port": PORT, "user": USER, "dbname": "postgres"}
        with psycopg.connect(**address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql+psycopg://{USER}@/{name}?host={self.folder}&port={PORT}"

    def _run(self, program: str, *words: str) -> None:
        # The programs refuse to run as root.
        user = "postgres" if os.geteuid() == 0 else None
        command = [str(self.programs / program), *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, user=user, cwd="/")
        assert done.returncode == 0, done.stderr


def is_running(number: int) -> bool:
    """Return whether a process runs; one that has ended may wait for a parent that never asks."""
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return state != "Z"


def find_programs() -> Path | None:
    """Find the folder of initdb and pg_ctl: Debian has it outside of the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    if debian:
        return debian[-1]
    return Path(found).resolve().parent if found else None


def refuse_or_skip(what: str) -> None:
    """Skip where the server is missing, but never where all must be tested."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and these tests must run here (make postgres)")
    pytest.skip(f"{what} is not here (make postgres installs it)")


@contextmanager
def run_postgres() -> Iterator[PostgresServer]:
    """Run a server in a folder with a short name: the path of a socket may have 107 letters."""
    programs = find_programs()
    if programs is None:
        refuse_or_skip("PostgreSQL")
    assert programs is not None
    pytest.importorskip("psycopg")
    folder = Path(tempfile.mkdtemp(prefix="rrpg"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = PostgresServer(programs, folder)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
