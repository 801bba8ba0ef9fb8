"""Where every key and every row of a TOML text stands: the parser of the standard library does not tell.

A path leads to a value: `("words", "V")`, `("subcase", 0, "templates", 2, "premise")`. The text is scanned when the
first line is asked for, that is, when something is wrong; a sound file never pays for it.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]
_TOKEN = re.compile(
    r"""
    (?P<string> \"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' )
  | (?P<mark>   [\[\]{}=,.\n] )
  | (?P<bare>   [^\s\[\]{}=,.\#"']+ )
  | (?P<skip>   \#[^\n]* | [^\S\n]+ )
    """,
    re.VERBOSE | re.DOTALL,
)


class Places:
    """The lines of one file."""

    def __init__(self, text: str, file: str) -> None:
        """Keep the text, which has to be sound TOML, for when a line is asked for."""
        self.text = text
        self.file = file

    @cached_property
    def lines(self) -> Mapping[Path, int]:
        """Return the line of every path, counted from 1."""
        return _Scanner(self.text).lines

    def line(self, path: Path) -> int | None:
        """Return the line of a value, or of the nearest table around it that is written down."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def shown(self, path: Path) -> str:
        """Name the file, and the line where there is one."""
        line = self.line(path)
        return self.file if line is None else f"{self.file}, line {line}"


class _Scanner:
    """Walks over the tokens of a TOML text and notes the line of every path."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.rows: dict[Path, int] = {}  # how many [[...]] headers an array has had
        self.tokens: list[tuple[str, int]] = []
        line = 1
        for found in _TOKEN.finditer(text):
            if found.lastgroup != "skip":
                self.tokens.append((found[0], line))
            line += found[0].count("\n")
        self.at = 0
        self.document()

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, int]:
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, marks: str) -> None:
        while self.peek() and self.peek() in marks:
            self.at += 1

    def document(self) -> None:
        table: Path = ()
        while self.at < len(self.tokens):
            if self.peek() == "\n":
                self.at += 1
            elif self.peek() == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> Path:
        _, line = self.take()
        many = self.peek() == "["
        self.skip("[")
        *outer, last = self.key("]")
        self.skip("]")
        path: Path = ()
        for part in outer:
            path = self.newest((*path, part))
        path = (*path, last)
        if many:
            self.rows[path] = self.rows.get(path, 0) + 1
        path = self.newest(path)
        self.note(path, line)
        return path

    def newest(self, path: Path) -> Path:
        """Go on into the row of an array of tables that was begun last."""
        return (*path, self.rows[path] - 1) if path in self.rows else path

    def key(self, end: str) -> list[str]:
        parts = []
        while (token := self.take()[0]) != end:
            if token != ".":
                parts.append(token[1:-1] if token[0] in "\"'" else token)
        return parts

    def pair(self, table: Path) -> None:
        line = self.tokens[self.at][1]
        path = (*table, *self.key("="))
        self.note(path, line)
        self.value(path)

    def value(self, path: Path) -> None:
        if self.peek() == "{":
            self.inside(path, "}")
        elif self.peek() == "[":
            self.inside(path, "]")
        else:
            while self.peek() and self.peek() not in ",]}\n":
                self.at += 1

    def inside(self, path: Path, end: str) -> None:
        """Walk through an inline table or an array."""
        self.at += 1
        row = 0
        self.skip("\n,")
        while self.peek() != end:
            if end == "}":
                self.pair(path)
            else:
                self.note((*path, row), self.tokens[self.at][1])
                self.value((*path, row))
            row += 1
            self.skip("\n,")
        self.at += 1

    def note(self, path: Path, line: int) -> None:
        """Note the line of a path, and of the tables around it where they have none yet."""
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)
