"""A person at a browser, as far as HTTP goes: cookies, forms as they are on the page, and what the page shows."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

_FORM = re.compile(r'<form method="post" action="([^"]+)".*?</form>', re.DOTALL)
_INPUT = re.compile(r"<input [^>]*>")


def read_attributes(tag: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}


def read_forms(page: str) -> dict[str, dict[str, str]]:
    """Read the forms of a page: the hidden fields by action."""
    forms = {}
    for match in _FORM.finditer(page):
        tags = [read_attributes(tag) for tag in _INPUT.findall(match[0])]
        forms[unescape(match[1])] = {tag["name"]: tag["value"] for tag in tags if tag.get("type") == "hidden"}
    return forms


class StudyVisitor:
    """Someone who takes part; `client` is a client of httpx, or one that looks like it."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.response: Any = None

    @property
    def page(self) -> str:
        return str(self.response.text)

    @property
    def title(self) -> str:
        return unescape(re.search(r"<title>(.*?)</title>", self.page)[1])  # type: ignore[index]

    def open(self, path: str = "/study") -> str:
        self.response = self.client.get(path, follow_redirects=True)
        return self.page

    def send(self, action: str, **fields: str) -> str:
        """Send a form of the page with further fields."""
        known = read_forms(self.page)
        data = {**next(iter(known.values())), **known.get(action, {}), **fields}
        self.response = self.client.post(action, data=data, follow_redirects=True)
        return self.page

    def begin(self, link: str) -> None:
        """Consent, read the instructions and do the practice."""
        self.open(link)
        self.send("/study/consent")
        self.prepare()

    def prepare(self) -> None:
        self.send("/study/instructions")
        while "/study/practice" in read_forms(self.page):
            self.send("/study/practice", **{"answer-label": "entailment", "answer-sense": "yes"})
            self.send("/study/practiced")

    def judge(self, answer: str = "entailment", **fields: str) -> str:
        return self.send("/study/judge", **{"answer-label": answer, **fields})

    def finish(self) -> int:
        """Judge all items; return how many."""
        judged = 0
        while "/study/judge" in read_forms(self.page):
            self.judge()
            judged += 1
        return judged
