"""Simulated participants who use a study's pages at the same time, through HTTP, and note what was acknowledged."""

from __future__ import annotations

import http.client
import random
import re
import threading
import time
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Sequence

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
_ACTION = re.compile(r'<form method="post" action="([^"]+)"')
FORM_TYPE = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Load:
    """What the participants saw: judgements that were acknowledged, and how long each took."""

    ports: Sequence[int]
    link: str
    patient: bool = False  # send a request again until a server answers
    think_seconds: float = 0.0
    acknowledged: set[tuple[str, int]] = field(default_factory=set)  # token and number of the item
    seconds: list[float] = field(default_factory=list)
    completed: int = 0
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, people: int, workers: int | None = None) -> float:
        """Let so many people take part, at most `workers` at a time; return how many seconds it took."""
        waiting = iter(range(people))
        begun = time.perf_counter()
        threads = [
            threading.Thread(target=self._work, args=(waiting, number)) for number in range(workers or people)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - begun

    def _work(self, waiting: object, seed: int) -> None:
        while True:
            with self.lock:
                person = next(waiting, None)  # type: ignore[call-overload]
            if person is None:
                return
            try:
                _Person(self, random.Random(f"{seed} {person}")).take_part()  # noqa: S311
            except Exception as error:  # noqa: BLE001 - shown by the test
                self.failures.append(f"{type(error).__name__}: {error}")
                return


class _Person:
    """Someone with a connection and a cookie, who alternates between the servers."""

    def __init__(self, load: Load, chance: random.Random) -> None:
        self.load, self.chance = load, chance
        self.cookie = ""
        self.connection: http.client.HTTPConnection | None = None

    def take_part(self) -> None:
        _, page = self.request("GET", self.load.link)
        while (form := _ACTION.search(page)) is not None:
            action = form[1]
            fields = {name: unescape(value) for name, value in _HIDDEN.findall(page)}
            answer = self.chance.choice(["entailment", "non-entailment"])
            begun = time.perf_counter()
            place, text = self.request("POST", action, {**fields, "answer-label": answer})
            if action == "/study/judge":
                if place != "/study":
                    raise AssertionError(f"not stored: {place or text[:300]}")
                with self.load.lock:
                    self.load.seconds.append(time.perf_counter() - begun)
                    self.load.acknowledged.add((self.cookie.split("=")[1].split(".")[0], int(fields["turn"])))
                time.sleep(self.chance.random() * 2 * self.load.think_seconds)
            _, page = self.request("GET", place or "/study")
        if "completion code" not in page:
            raise AssertionError(page[:2000])
        with self.load.lock:
            self.load.completed += 1

    def request(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[str, str]:
        """Send a request; return where it leads and the page. A patient person tries again when the server is gone."""
        for _ in range(2000 if self.load.patient else 1):
            try:
                return self._send(method, path, fields)
            except (OSError, http.client.HTTPException):
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                if not self.load.patient:
                    raise
                time.sleep(0.05 + 0.05 * self.chance.random())
        raise TimeoutError(path)

    def _send(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[str, str]:
        if self.connection is None or len(self.load.ports) > 1:
            port = self.chance.choice(self.load.ports)
            self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        body = urlencode(fields) if fields is not None else None
        headers = {"Cookie": self.cookie, **(FORM_TYPE if body is not None else {})}
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        page = response.read().decode()
        cookie = response.headers.get("Set-Cookie", "").split(";")[0]
        self.cookie = cookie or self.cookie
        if response.status not in (200, 303):
            if response.status == 503 and self.load.patient:
                raise ConnectionError(page)
            raise AssertionError(f"{method} {path}: {response.status} {page[:1500]}")
        return response.headers.get("Location", ""), page


def find_percentile(seconds: Sequence[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
