"""Which exhibits stand where: those over all sets first, then a group for each set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.reports.html.tables import HtmlTable, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.exhibits.exhibit import Exhibit

OVERVIEW = "overview"
MOST_OPEN = 2  # sets whose exhibits are all shown; of more, each is opened when it is wanted
_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,119}")
_OWN = re.compile(r"(pairs|rr)(-.*)?")  # addresses of the page's own parts


@dataclass(frozen=True)
class Placed:
    """An exhibit with its address in the page, and its table ready to show."""

    address: str
    exhibit: Exhibit
    table: HtmlTable


@dataclass(frozen=True)
class Group:
    """The exhibits about one set, or about all where the set has no name."""

    address: str
    set: str
    exhibits: tuple[Placed, ...]
    folded: bool = False


def groups(exhibits: Sequence[Exhibit]) -> list[Group]:
    """Put exhibits of one set together, in the order in which the sets first come; the overview leads."""
    placed = [
        Placed(address, one, table(one)) for address, one in zip(_addresses(exhibits), exhibits, strict=True)
    ]
    placed.sort(key=lambda one: one.exhibit.key != OVERVIEW)
    sets = list(dict.fromkeys(["", *(one.exhibit.set for one in placed)]))
    many = len(sets) - 1 > MOST_OPEN
    made = [
        Group(
            f"rr-set-{number}",
            name,
            tuple(one for one in placed if one.exhibit.set == name),
            folded=many and bool(name),
        )
        for number, name in enumerate(sets)
    ]
    return [group for group in made if group.exhibits]


def _addresses(exhibits: Sequence[Exhibit]) -> list[str]:
    """Give each exhibit its key as address; a key that can't be one, or is taken, gets a number."""
    found: list[str] = []
    for number, exhibit in enumerate(exhibits):
        key = exhibit.key
        usable = _SLUG.fullmatch(key) and not _OWN.fullmatch(key) and key not in found
        found.append(key if usable else f"rr-exhibit-{number}")
    return found
