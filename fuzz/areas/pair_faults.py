"""Damage to the rows of a file of pairs: cells, columns, types, ids, trees and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz.mutations import odd_text
from fuzz.tables import write_parquet

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from fuzz.oracle import Row

    Spoil = Callable[[random.Random, list[Row], Row, str], None]

NAMES = ["__row__", "_row", "label", "id", "premise", "set", "rank", "index"]
# fmt: off
TAGS = [
    "__row__", "_row", "rank", "edit_at", "edit_from", "edit_to", "edited", "group", "genre", "answer", "source_id",
    "n", "index",
]
TREES = (
    "(", ")", "()", "(X", "(X a))", "(X (Y))", "( " * 2000 + "a" + " )" * 2000, "(X " * 20000, "(X\ta)",
    "(\u200b a)",
)
# fmt: on


def spoil_rows(chance: random.Random, rows: list[Row]) -> str:
    """Damage some cells, rows or columns, and say how."""
    row = chance.choice(rows)
    name = chance.choice(list(row))
    spoil = chance.choice(SPOILS)
    spoil(chance, rows, row, name)
    return f"{spoil.__name__.strip('_')} {name!r}"[:80]


def _cell(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del rows
    row[name] = chance.choice((odd_text(chance), None, "-", "hidden", "LABEL_1", "0"))


def _column(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del row
    for one in rows:
        one[name] = chance.choice((odd_text(chance), None, one[name]))


def _type(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    value = chance.choice((1, 1.5, True, [1], ["a"], {"a": 1}, None, [], [[None]]))
    for one in rows if chance.random() < 0.7 else [row]:
        one[name] = value


def _drop_row(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del chance, name
    rows.remove(row)


def _repeat_row(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del chance, name
    rows.append(dict(row))


def _repeat_id(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del name
    first = next(iter(row))
    row[first] = chance.choice(rows)[first]


def _drop_column(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del chance, row
    for one in rows:
        one.pop(name, None)


def _rename(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del row
    other = chance.choice((odd_text(chance) or "x", *NAMES))
    for one in rows:
        one[other] = one.pop(name, None)


def _tree(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del rows
    names = [one for one in row if "parse" in one] or [name]
    row[chance.choice(names)] = chance.choice(TREES)


def _tag(chance: random.Random, rows: list[Row], row: Row, name: str) -> None:
    del row, name
    tag = chance.choice(TAGS)
    for one in rows:
        one[tag] = chance.choice((odd_text(chance), 1, None, "2", [1], "true"))


SPOILS: tuple[Spoil, ...] = (
    _cell,
    _cell,
    _column,
    _type,
    _drop_row,
    _repeat_row,
    _repeat_id,
    _drop_column,
    _rename,
    _tree,
    _tag,
)


def write_odd_parquet(chance: random.Random, pairs: list[Row]) -> tuple[bytes, str]:
    """Write one column of plain pairs in a type of its own."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: [pair[name] for pair in pairs] for name in pairs[0]}
    name, count = chance.choice((*columns, "__row__", "group", "rank")), len(pairs)
    ways: dict[str, Callable[[], Any]] = {
        "duration": lambda: pa.array(range(count), pa.duration("ns")),
        "binary": lambda: pa.array([b"\xff"] * count, pa.binary()),
        "list": lambda: pa.array([["a"]] * count),
        "struct": lambda: pa.array([{"a": 1}] * count),
        "date": lambda: pa.array(range(count), pa.date32()),
        "time": lambda: pa.array(range(count), pa.time64("us")),
        "decimal": lambda: pa.array([str(number) for number in range(count)]).cast(pa.decimal128(12, 3)),
        "boolean": lambda: pa.array([True] * count),
        "nulls": lambda: pa.nulls(count),
        "dictionary": lambda: pa.array(["entailment"] * count).dictionary_encode(),
        "integers": lambda: pa.array(range(count), pa.int8()),
        "unsigned": lambda: pa.array([2**64 - 1] * count, pa.uint64()),
        "map": lambda: pa.array([[("k", 1)]] * count, pa.map_(pa.string(), pa.int64())),
    }
    way = chance.choice(list(ways))
    columns[name] = ways[way]()
    return write_parquet(columns), f"parquet: {name} as {way}"
