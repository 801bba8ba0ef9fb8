"""A value of a TOML file that knows where it stands, so that every complaint about it names file and line."""

from __future__ import annotations

import reprlib
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rightreasons.templates.toml_lines import Path, Places


class TomlValue:
    """A value, the path that leads to it, and the file."""

    __slots__ = ("path", "places", "value")

    def __init__(self, value: Any, path: Path, places: Places) -> None:
        """Take a value as the TOML parser gives it."""
        self.value = value
        self.path = path
        self.places = places

    @property
    def line(self) -> int:
        """Return the line in which the value begins."""
        return self.places.line(self.path) or 1

    @property
    def key(self) -> str:
        """Name the key that the value stands under, or the row of a list."""
        last = self.path[-1]
        return last if isinstance(last, str) else f"row {last + 1} of {self.path[-2]}"

    def error(self, what: object) -> InputError:
        """Make an error that puts file and line before what is wrong."""
        return InputError(f"{self.places.shown(self.path)}: {what}")

    def wrong(self, need: str) -> InputError:
        """Make an error for a value of the wrong kind."""
        return self.error(f"{self.key} is {reprlib.repr(self.value)}, and has to be {need}. Change it.")

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Put file and line before what goes wrong inside, where neither is known."""
        try:
            yield
        except InputError as error:
            raise self.error(error) from error

    def table(self, need: str = "a table") -> dict[str, TomlValue]:
        """Return the values of a table."""
        if not isinstance(self.value, dict):
            raise self.wrong(need)
        return {key: TomlValue(value, (*self.path, key), self.places) for key, value in self.value.items()}

    def part(self, key: str) -> TomlValue:
        """Return a value of a table; one that is left out is an empty table."""
        return self.table().get(key) or TomlValue({}, (*self.path, key), self.places)

    def need(self, key: str, where: str) -> TomlValue:
        """Return a value of a table that has to be there."""
        found = self.table().get(key)
        if found is None:
            raise self.error(f"{where} lacks {key!r}. Add it.")
        return found

    def rows(self, need: str) -> list[TomlValue]:
        """Return the values of a list that is not empty."""
        if not isinstance(self.value, list) or not self.value:
            raise self.wrong(need)
        return [TomlValue(value, (*self.path, row), self.places) for row, value in enumerate(self.value)]

    def only(self, names: Collection[str], kind: str) -> dict[str, TomlValue]:
        """Return the values of a table that has no keys but these."""
        found = self.table()
        for key, entry in found.items():
            if key not in names:
                raise entry.error(UnknownNameError(kind, key, names))
        return found

    def one_of(self, names: Collection[str], kind: str) -> str:
        """Return a string that is one of the names."""
        if not isinstance(self.value, str) or self.value not in names:
            raise self.error(UnknownNameError(kind, str(self.value), names))
        return self.value

    def string(self) -> str:
        """Return a string that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong("a string that is not blank")
        return self.value

    def whole(self) -> int:
        """Return a whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong("a whole number")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def weight(self) -> Fraction:
        """Return a weight: a number, or a fraction written as a string."""
        try:
            weight = Fraction(str(self.value))
        except (ValueError, ZeroDivisionError) as error:
            what = f"{self.value!r} is no weight. Write a number, or a fraction such as '1/6'."
            raise self.error(what) from error
        if weight < 0:
            raise self.error(f"The weight {self.value} is negative. Use 0 to leave something out.")
        return weight
