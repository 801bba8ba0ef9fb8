"""Digests of several texts: different texts, different digests; ordinary texts keep the digests they had."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rightreasons.core.keyed_random import draw_numbers, join_columns, join_fields
from rightreasons.core.pairs import compute_digest
from rightreasons.inference.batches import _open_job_record
from rightreasons.inference.executor import Clock
from rightreasons.templates.permutation import Permutation

# The signs that the encoding itself uses, and what they are escaped to, are likelier than anywhere else.
TEXTS = st.text(alphabet="ab013\x00\x1d\x1e\x1f", max_size=4)
CELLS = st.none() | TEXTS
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=3)


def table(rows: list[tuple[str | None, str | None]], names: tuple[str, str] = ("p", "h")) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


@given(ROWS, ROWS)
@example([("a\x1fb", "c")], [("a", "b\x1fc")])
@example([(None, "a")], [("\x00", "a")])
@example([("a", "b\x1ec\x1fd")], [("a", "b"), ("c", "d")])
@example([("\x1d1", "")], [("\x1f", "")])
def test_different_rows_have_different_digests(
    one: list[tuple[str | None, str | None]], other: list[tuple[str | None, str | None]]
) -> None:
    assert (compute_digest([table(one)]) == compute_digest([table(other)])) == (one == other)
    if len(one) == len(other) == 1:
        joined = [table(rows).select(join_columns(["p", "h"])).item() for rows in (one, other)]
        assert (joined[0] == joined[1]) == (one == other)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
@example(["a\x1fb"], ["a", "b"])
def test_different_fields_are_joined_differently(one: list[str], other: list[str]) -> None:
    assert (join_fields(one) == join_fields(other)) == (one == other)


def test_names_of_columns_count_as_fields() -> None:
    assert compute_digest([table([("x", "y")], ("a\x1fb", "c"))]) != compute_digest(
        [table([("x", "y")], ("a", "b\x1fc"))]
    )


@given(st.lists(st.text(alphabet="ab \t\n", max_size=4), min_size=1, max_size=3))
def test_ordinary_texts_keep_their_digest(texts: list[str]) -> None:
    """As it was before there were escapes: cards that were written then hold such digests."""
    assert join_fields(texts) == "\x1f".join(texts)
    frame = pl.DataFrame({"p": [*texts, None], "n": range(len(texts) + 1)})
    rows = "".join(f"{text}\x1f{number}\x1e" for number, text in enumerate([*texts, "\x00"]))
    assert compute_digest([frame]) == hashlib.sha256(f"p\x1fn\x1e{rows}".encode()).hexdigest()


def test_keys_of_draws_and_permutations_do_not_collide() -> None:
    one, other = ("set\x1f1", 2), ("set", "1\x1f2")
    assert draw_numbers(["id"], *one)[0] != draw_numbers(["id"], *other)[0]
    assert draw_numbers(["b"], "set\x1ea")[0] != draw_numbers(["a\x1eb"], "set")[0]
    orders = [Permutation(200, *key)(np.arange(200)).tolist() for key in (one, other)]
    assert orders[0] != orders[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a\x1fb", "c"), ("a", "b\x1fc")), ((None, "x"), ("\x00", "x"))],
    ids=["field", "null"],
)
def test_predictions_of_other_pairs_are_never_taken(
    tmp_path_factory: pytest.TempPathFactory, one: tuple[str | None, str], other: tuple[str, str]
) -> None:
    """The folder of a journal is a digest of the pairs."""
    place = tmp_path_factory.mktemp("journals")
    folders = []
    for row in (one, other):
        with _open_job_record(Fixed(), table([row], ("premise", "hypothesis")), place, Clock()) as record:
            folders.append(record.folder)
    assert folders[0] != folders[1]


class Fixed:
    """A model of which nothing but its fingerprint is wanted."""

    def fingerprint(self) -> dict[str, str]:
        return {"name": "fixed"}

    def prepare(self, pairs: pl.DataFrame) -> None:  # type: ignore[override]
        raise NotImplementedError
