"""Values of a TOML file that know their file and line, so that every error names both.

The parser of the standard library reports no lines. A path leads to a value: `("words", "V")`, `("subcase", 0,
"templates", 2, "premise")`. The text is scanned when the first line is requested, that is, when something is wrong; a
valid file never pays for it.
"""

from __future__ import annotations

import re
import reprlib
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

TomlPath = tuple[str | int, ...]
_TOKEN = re.compile(
    r"""
    (?P<string> \"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*' )
  | (?P<mark>   [\[\]{}=,.\n] )
  | (?P<bare>   [^\s\[\]{}=,.\#"']+ )
  | (?P<skip>   \#[^\n]* | [^\S\n]+ )
    """,
    re.VERBOSE | re.DOTALL,
)


class TomlLines:
    """The lines of one file."""

    def __init__(self, text: str, file: str) -> None:
        """Set the text, which must be valid TOML; it is scanned when a line is requested."""
        self.text = text
        self.file = file

    @cached_property
    def lines(self) -> Mapping[TomlPath, int]:
        """Return the line of every path, counted from 1."""
        return _TomlScanner(self.text).lines

    def find_line(self, path: TomlPath) -> int | None:
        """Return the line of a value, or of the nearest table around it that is written down."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def describe_location(self, path: TomlPath) -> str:
        """Name the file, and the line where there is one."""
        line = self.find_line(path)
        return self.file if line is None else f"{self.file}, line {line}"


class _TomlScanner:
    """Scans the tokens of a TOML text and records the line of every path."""

    def __init__(self, text: str) -> None:
        self.lines: dict[TomlPath, int] = {}
        self.rows: dict[TomlPath, int] = {}  # how many [[...]] headers an array has had
        self.tokens: list[tuple[str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            if match.lastgroup != "skip":
                self.tokens.append((match[0], line))
            line += match[0].count("\n")
        self.position = 0
        self.scan_document()

    def peek_token(self) -> str:
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def take_token(self) -> tuple[str, int]:
        self.position += 1
        return self.tokens[self.position - 1]

    def skip_marks(self, marks: str) -> None:
        while self.peek_token() and self.peek_token() in marks:
            self.position += 1

    def scan_document(self) -> None:
        table: TomlPath = ()
        while self.position < len(self.tokens):
            if self.peek_token() == "\n":
                self.position += 1
            elif self.peek_token() == "[":
                table = self.scan_header()
            else:
                self.scan_key_value(table)

    def scan_header(self) -> TomlPath:
        _, line = self.take_token()
        many = self.peek_token() == "["
        self.skip_marks("[")
        *outer, last = self.scan_dotted_key("]")
        self.skip_marks("]")
        path: TomlPath = ()
        for part in outer:
            path = self.find_newest_row((*path, part))
        path = (*path, last)
        if many:
            self.rows[path] = self.rows.get(path, 0) + 1
        path = self.find_newest_row(path)
        self.record_line(path, line)
        return path

    def find_newest_row(self, path: TomlPath) -> TomlPath:
        """Return the path of the newest row of an array of tables."""
        return (*path, self.rows[path] - 1) if path in self.rows else path

    def scan_dotted_key(self, end: str) -> list[str]:
        parts = []
        while (token := self.take_token()[0]) != end:
            if token != ".":
                parts.append(token[1:-1] if token[0] in "\"'" else token)
        return parts

    def scan_key_value(self, table: TomlPath) -> None:
        line = self.tokens[self.position][1]
        path = (*table, *self.scan_dotted_key("="))
        self.record_line(path, line)
        self.scan_value(path)

    def scan_value(self, path: TomlPath) -> None:
        if self.peek_token() == "{":
            self.scan_container(path, "}")
        elif self.peek_token() == "[":
            self.scan_container(path, "]")
        else:
            while self.peek_token() and self.peek_token() not in ",]}\n":
                self.position += 1

    def scan_container(self, path: TomlPath, end: str) -> None:
        """Scan an inline table or an array."""
        self.position += 1
        row = 0
        self.skip_marks("\n,")
        while self.peek_token() != end:
            if end == "}":
                self.scan_key_value(path)
            else:
                self.record_line((*path, row), self.tokens[self.position][1])
                self.scan_value((*path, row))
            row += 1
            self.skip_marks("\n,")
        self.position += 1

    def record_line(self, path: TomlPath, line: int) -> None:
        """Record the line of a path, and of the tables around it that have none yet."""
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)


class TomlValue:
    """A value, the path that leads to it, and the file."""

    __slots__ = ("lines", "path", "value")

    def __init__(self, value: Any, path: TomlPath, lines: TomlLines) -> None:
        """Set a value as the TOML parser returns it."""
        self.value = value
        self.path = path
        self.lines = lines

    @property
    def line(self) -> int:
        """Return the line in which the value begins."""
        return self.lines.find_line(self.path) or 1

    @property
    def key(self) -> str:
        """Name the key that the value stands under, or the row of a list."""
        last = self.path[-1]
        return last if isinstance(last, str) else f"row {last + 1} of {self.path[-2]}"

    def make_error(self, what: object) -> InputError:
        """Return an error that names file and line."""
        return InputError(f"{self.lines.describe_location(self.path)}: {what}")

    def make_invalid_error(self, need: str) -> InputError:
        """Return an error for an invalid value."""
        return self.make_error(f"{self.key} is {reprlib.repr(self.value)}, but must be {need}.")

    @contextmanager
    def locate_errors(self) -> Iterator[None]:
        """Prefix errors raised inside the block with file and line."""
        try:
            yield
        except InputError as error:
            raise self.make_error(error) from error

    def get_table(self, need: str = "a table") -> dict[str, TomlValue]:
        """Return the table as values by key."""
        if not isinstance(self.value, dict):
            raise self.make_invalid_error(need)
        return {key: TomlValue(value, (*self.path, key), self.lines) for key, value in self.value.items()}

    def get_optional(self, key: str) -> TomlValue:
        """Return a value of the table, or an empty table if the key is missing."""
        return self.get_table().get(key) or TomlValue({}, (*self.path, key), self.lines)

    def get_required(self, key: str, where: str) -> TomlValue:
        """Return a value of the table; a missing key is an error."""
        entry = self.get_table().get(key)
        if entry is None:
            raise self.make_error(f"{where} has no {key!r}. Add the key.")
        return entry

    def get_list_values(self, need: str) -> list[TomlValue]:
        """Return the values of a list, which must not be empty."""
        if not isinstance(self.value, list) or not self.value:
            raise self.make_invalid_error(need)
        return [TomlValue(value, (*self.path, row), self.lines) for row, value in enumerate(self.value)]

    def check_keys(self, names: Collection[str], kind: str) -> dict[str, TomlValue]:
        """Return the table; a key that is not among the names is an error."""
        table = self.get_table()
        for key, entry in table.items():
            if key not in names:
                raise entry.make_error(UnknownNameError(kind, key, names))
        return table

    def get_choice(self, names: Collection[str], kind: str) -> str:
        """Return a string that is one of the names."""
        if not isinstance(self.value, str) or self.value not in names:
            raise self.make_error(UnknownNameError(kind, str(self.value), names))
        return self.value

    def get_string(self) -> str:
        """Return a string that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.make_invalid_error("a string that is not blank")
        return self.value

    def get_integer(self) -> int:
        """Return a whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.make_invalid_error("a whole number")
        return self.value

    def get_boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.make_invalid_error("true or false")
        return self.value

    def get_weight(self) -> Fraction:
        """Return a weight: a number, or a fraction written as a string."""
        try:
            weight = Fraction(str(self.value))
        except (ValueError, ZeroDivisionError) as error:
            what = f"{self.value!r} is not a weight. Use a number, or a fraction such as '1/6'."
            raise self.make_error(what) from error
        if weight < 0:
            raise self.make_error(
                f"The weight {self.value} is negative. Use 0 to exclude the template or alternative."
            )
        return weight
