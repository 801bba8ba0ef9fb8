"""A real HTTP server on loopback that does as its script says: answers, fails, breaks off, is silent or slow."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as the script sees it; `time` counts how often this very request has come, from 1."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    time: int


@dataclass(frozen=True)
class Says:
    """A response; `claimed` is the length it promises, if not the true one."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    claimed: int | None = None


SILENT = "silent"  # closes without a word
SLOW = "slow"  # says nothing until the server stops
DRIPS = "drips"  # sends a byte now and then, without an end
Script = Callable[[Asked], "Says | str"]
Mood = Callable[[Asked], "Says | str | None"]  # None: as usual

GARBAGE = Says(b"<html>oops</html>")
HALF = Says(b'{"choices": [{"message": {"con', claimed=500)
BUSY = Says({"error": {"message": "slow down"}}, 429, {"Retry-After": "0"})
BROKEN = Says(b"boom", 500)


class Server:
    """The server, with all that it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.times: Counter[bytes] = Counter()
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"script_of": self}))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"

    @property
    def posts(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.method == "POST"]

    def note(self, method: str, path: str, headers: dict[str, str], content: bytes) -> Asked:
        with self.lock:
            self.times[content] += 1
            body = json.loads(content) if content else None
            asked = Asked(method, path, headers, body, self.times[content])
            self.asked.append(asked)
        return asked


class Handler(BaseHTTPRequestHandler):
    """Does as the script of its server says."""

    script_of: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.respond("GET")

    def do_POST(self) -> None:
        self.respond("POST")

    def respond(self, method: str) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {key.lower(): value for key, value in self.headers.items()}
        said = self.script_of.script(self.script_of.note(method, self.path, headers, content))
        if isinstance(said, Says):
            self.send(said)
        else:
            self.close_connection = True
            self.dawdle(said)

    def send(self, said: Says) -> None:
        content = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        self.send_response(said.status)
        for key, value in said.headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(said.claimed or len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.close_connection or said.claimed is not None

    def dawdle(self, how: str) -> None:
        if how == SLOW:
            self.script_of.stopping.wait(20)
        elif how == DRIPS:
            self.send_response(200)
            self.end_headers()
            while not self.script_of.stopping.wait(0.05):
                self.wfile.write(b" ")

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """Run a server for the length of a test."""
    server = Server(script)
    server.http.handle_error = lambda *_: None  # type: ignore[method-assign] # clients may go away
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.http.shutdown()
        thread.join()
        server.http.server_close()


def pick(text: str, words: tuple[str, ...]) -> str:
    """Choose a word by the text alone, so that the same pair gets the same answer whenever it is asked."""
    return words[hashlib.sha256(text.encode()).digest()[0] % len(words)]


def user_text(body: Any) -> str:
    """Take the question out of a request for a chat or a completion."""
    return str(body["messages"][-1]["content"] if "messages" in body else body["prompt"])


def chat(text: str | None, logprobs: Any = None, usage: dict[str, int] | None = None) -> Says:
    """Answer as an endpoint for chats does."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "logprobs": logprobs}
    return Says({"choices": [choice], **({"usage": usage} if usage else {})})


def chat_script(words: tuple[str, ...], failing: Mood | None = None) -> Script:
    """Answer each question with one of the words, unless another script has something else in mind."""

    def script(asked: Asked) -> Says | str:
        said = failing(asked) if failing and asked.method == "POST" else None
        if said is not None:
            return said
        if asked.method == "GET":
            return Says({"data": []})
        return chat(pick(user_text(asked.body), words))

    return script
