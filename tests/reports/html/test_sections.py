"""The parts of a page: tables, groups, names, and packed data."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made_report import accuracies
from rightreasons.core.exhibit import Exhibit
from rightreasons.reports.html.pairs import dump_script_json, pack_json
from rightreasons.reports.html.sections import (
    MOST_ROWS,
    collect_csv_and_chart,
    group_exhibits_by_set,
    make_html_table,
)
from rightreasons.reports.renderers import cells as text

if TYPE_CHECKING:
    from rightreasons.core.exhibit import Format

VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(VALUES)
def test_json_in_a_page_is_read_back_and_breaks_out_of_nothing(value: object) -> None:
    text = dump_script_json(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


@given(VALUES)
def test_what_is_packed_is_unpack(value: object) -> None:
    assert json.loads(gzip.decompress(base64.b64decode(pack_json(value)))) == value


def test_half_characters_are_replaced_and_no_error() -> None:
    assert json.loads(gzip.decompress(base64.b64decode(pack_json(["a\ud800b"])))) == ["a?b"]


def test_a_figure_has_its_interval_apart_and_a_number_to_sort_by() -> None:
    made = make_html_table(accuracies(("a", "b")))
    cell = made.rows[0][2]
    assert (cell.text, cell.interval) == ("0.33", "(0.31-0.36)")
    assert cell.sort == cell.bar == pytest.approx(1 / 3)
    assert made.rows[1][1].text == "2,000"
    assert made.rows[1][1].bar is None
    assert made.rows[0][0].sort is None
    assert [head.is_figure for head in made.heads] == [False, True, True]


def test_what_is_not_known_has_nothing_to_sort_by() -> None:
    frame = pl.DataFrame({"model": ["a", "b"], "n": [1, None], "accuracy": [float("nan"), None]})
    made = make_html_table(accuracies((), frame=frame))
    assert [cell.text for cell in made.rows[1]] == ["b", "-", "-"]
    assert made.rows[0][2].sort is None


def test_of_a_very_long_table_the_first_rows_are_shown() -> None:
    count = MOST_ROWS + 7
    made = make_html_table(accuracies(tuple(f"m{number}" for number in range(count))))
    assert (len(made.rows), made.total) == (MOST_ROWS, count)


def test_a_passage_is_not_cut_like_a_name() -> None:
    frame = pl.DataFrame({"name": ["word " * 60], "premise": ["word " * 60]})
    formats: dict[str, Format] = {"name": "text", "premise": "passage"}
    name, premise = make_html_table(Exhibit("k", "t", "c", frame, formats)).rows[0]
    assert (len(name.text), len(premise.text)) == (text.MAX_NAME + 1, 300)
    long = Exhibit("k", "t", "c", frame.with_columns(premise=pl.lit("x" * 9_000)), formats)
    assert len(make_html_table(long).rows[0][1].text) == text.MAX_SENTENCE + 1


def test_wide_texts_get_wide_columns() -> None:
    widths = [make_html_table(accuracies((name,))).heads[0].width for name in ("a", "a" * 30, "a" * 90)]
    assert widths == ["short", "middle", "long"]


def test_the_overview_leads_and_sets_stay_together() -> None:
    keys = {"b-1": "b", "a-1": "a", "b-2": "b", "all": "", "overview": ""}
    made = group_exhibits_by_set([accuracies(("m",), key=key, set=name) for key, name in keys.items()])
    assert [(group.set, [one.address for one in group.exhibits]) for group in made] == [
        ("", ["overview", "all"]),
        ("b", ["b-1", "b-2"]),
        ("a", ["a-1"]),
    ]
    assert not any(group.folded for group in made)


def test_of_many_sets_each_is_folded() -> None:
    made = group_exhibits_by_set(
        [accuracies(("m",), key=f"k{name}", set=name) for name in ("", "a", "b", "c")]
    )
    assert [group.folded for group in made] == [False, True, True, True]


@pytest.mark.parametrize("key", ["", "a b", "pairs", "pairs-0", "rr-main", "x" * 500, "<b>", "1a"])
def test_a_key_that_is_no_address_gets_a_number(key: str) -> None:
    made = group_exhibits_by_set([accuracies(("m",), key="fine"), accuracies(("m",), key=key)])
    assert [one.address for group in made for one in group.exhibits] == ["fine", "rr-exhibit-1"]


def test_equal_keys_get_distinct_addresses() -> None:
    made = group_exhibits_by_set([accuracies(("m",), key="same"), accuracies(("m",), key="same")])
    assert [one.address for one in made[0].exhibits] == ["same", "rr-exhibit-1"]


def test_long_names_keep_both_ends() -> None:
    name = text.shorten_name("start" + "x" * 50_000 + "end")
    assert name.startswith("start")
    assert name.endswith("end")
    assert len(name) == text.MAX_NAME + 1


def test_a_name_is_broken_after_its_punctuation_and_escaped() -> None:
    assert str(text.make_breakable_name("a/b_c<d>.e")) == "a/<wbr>b_<wbr>c&lt;d&gt;.<wbr>e"


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("2026-01-02T03:04:05+00:00", "2026-01-02 03:04 UTC"),
        ("2026-01-02T03:04:05, 2026-02-03T04:05:06", "2026-01-02 03:04, 2026-02-03 04:05"),
        ("yesterday", "yesterday"),
    ],
)
def test_times_are_shown_as_people_write_them(given_: str, wanted: str) -> None:
    assert text.format_times(given_) == wanted


def test_what_is_no_number_in_json_is_not_known_to_a_chart() -> None:
    frame = pl.DataFrame({"model": ["a", "b"], "n": [1, 2], "accuracy": [float("inf"), 0.5]})
    assert collect_csv_and_chart(accuracies((), frame=frame))["columns"]["accuracy"] == [None, 0.5]
    assert set(collect_csv_and_chart(accuracies(("a",), chart=None))) == {"csv"}
