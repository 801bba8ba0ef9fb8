"""`rightreasons study serve` in a process of its own, which tests kill and start again on the same port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def find_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class StudyServer:
    """A server of a study folder; `environment` has further variables, such as the URL of a database."""

    def __init__(
        self, folder: Path, port: int | None = None, environment: dict[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.port = port or find_free_port()
        self.environment = {**os.environ, **(environment or {})}
        secrets = json.loads((folder / "secrets.json").read_text(encoding="utf-8"))
        self.url = f"http://127.0.0.1:{self.port}"
        self.study_link = f"/s/{secrets['study']}"
        self.researcher_link = f"/r/{secrets['researcher']}"
        self.process: subprocess.Popen[str] | None = None

    def start(self, *words: str) -> None:
        """Start the server, and wait until it answers."""
        command = [sys.executable, "-m", "rightreasons", "study", "serve", str(self.folder)]
        with (self.folder.parent / f"{self.folder.name}.log").open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), *words],
                stdout=log,
                stderr=log,
                text=True,
                env=self.environment,
            )
        for _ in range(600):
            assert self.process.poll() is None, self.read_log()
            if self.is_ready():
                return
            time.sleep(0.05)
        raise TimeoutError(self.read_log())

    def is_ready(self) -> bool:
        """Return whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as response:  # noqa: S310 - loopback
                return bool(response.read() == b"ok")
        except OSError:
            return False

    def kill(self) -> None:
        """End the process without a chance to clean up."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the server as Ctrl-C does."""
        self._end(signal.SIGINT)

    def read_log(self) -> str:
        """Read what the server printed."""
        return (self.folder.parent / f"{self.folder.name}.log").read_text(encoding="utf-8")

    def _end(self, number: int) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=30)
            self.process = None
