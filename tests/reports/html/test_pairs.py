"""Which pairs a report shows: all that fit, else a fair sample that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.reports.html import pairs as examples
from rightreasons.reports.html.pairs import divide_page_bytes, measure_packed_size, select_example_pairs
from rightreasons.runs.set_results import RunModel, SetResults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., SetResults]
COUNT = 3_000


def table_of(count: int) -> pl.DataFrame:
    """Make pairs: nine of ten common, the others of a rare subcase."""
    row = pl.int_range(count, eager=True)
    return pl.DataFrame(
        {
            "id": [f"pair-{number}" for number in row],
            "premise": [f"The judge saw {number * 7919 % 1000} of the {number} students." for number in row],
            "hypothesis": [f"The students saw {number * 104729 % 1000} judges." for number in row],
            "label": ["entailment" if number % 2 else "neutral" for number in row],
            "subcase": ["rare" if number % 10 == 0 else "common" for number in row],
            "premise_parse": [f"(ROOT (S (NP judge {number}) (VP saw)))" for number in row],
            "premise_binary_parse": [f"( judge ( {number} saw ) )" for number in row],
        }
    )


def answered(table: pl.DataFrame, every: int) -> pl.DataFrame:
    """Answer as the label says, but for every so many-th pair; by id, whatever the order."""
    number = pl.col("id").str.strip_prefix("pair-").cast(pl.Int64)
    gold = pl.col("label").alias("gold")
    answer = pl.when(number % every == 0).then(pl.lit("contradiction")).otherwise("label").alias("prediction")
    made = table.select(gold, answer).with_columns(right=pl.col("gold") == pl.col("prediction"))
    return made.with_columns(p_entailment=pl.lit(0.5), p_neutral=pl.lit(0.3), p_contradiction=pl.lit(0.2))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make results of two models and a baseline, as gathering reads them."""

    def results(table: pl.DataFrame) -> SetResults:
        file = tmp_path / "set.parquet"
        table.write_parquet(file)
        names = {"one": 4, "two": 1_000, "majority": 2}
        models = tuple(
            RunModel(name, baseline=name == "majority", folder=tmp_path, card={}) for name in names
        )
        given = {name: answered(table, every) for name, every in names.items()}
        return SetResults("small", {}, file, models, "direct", given)

    return results


def test_all_pairs_are_shown_where_they_fit(make: Make) -> None:
    results = make(table_of(COUNT))
    shown = select_example_pairs(results)
    assert shown.total == shown.pairs.height == COUNT
    assert shown.pairs["id"].to_list() == results.pairs["id"].to_list()
    assert shown.pairs["premise_parse"].to_list() == table_of(COUNT)["premise_parse"].to_list()
    assert "premise_binary_parse" not in shown.pairs.columns
    assert shown.remark == ""


def test_added_baselines_are_left_out(make: Make) -> None:
    assert list(select_example_pairs(make(table_of(20))).predictions) == ["one", "two"]


def test_parses_are_left_out_before_pairs(make: Make) -> None:
    results = make(table_of(COUNT))
    shown = select_example_pairs(results, budget=measure_packed_size(select_example_pairs(results)) - 1)
    assert shown.pairs.height == COUNT
    assert "premise_parse" not in shown.pairs.columns
    assert shown.remark == examples.NO_PARSES


def test_a_sample_keeps_to_its_bytes_and_fills_them(make: Make) -> None:
    shown = select_example_pairs(make(table_of(COUNT)), budget=20_000)
    assert 100 < shown.pairs.height < COUNT
    assert shown.total == COUNT
    assert 14_000 < measure_packed_size(shown) <= 20_000
    assert shown.remark == examples.SAMPLED.format(tag="subcase")


def test_a_sample_has_rows_that_belong_together_in_the_order_of_the_set(make: Make) -> None:
    whole = table_of(COUNT)
    shown = select_example_pairs(make(whole), budget=20_000)
    places = [int(name.removeprefix("pair-")) for name in shown.pairs["id"]]
    assert places == sorted(places)
    assert shown.pairs["premise_parse"].to_list() == whole["premise_parse"][places].to_list()
    assert shown.predictions["one"]["right"].to_list() == [place % 4 != 0 for place in places]


def test_a_sample_misses_no_kind(make: Make) -> None:
    shown = select_example_pairs(make(table_of(COUNT)), budget=20_000)
    kinds = shown.pairs.select("subcase").with_columns(
        one=shown.predictions["one"]["right"], two=shown.predictions["two"]["right"]
    )
    counts = {row[:-1]: row[-1] for row in kinds.group_by("subcase", "one", "two").len().iter_rows()}
    # The rare are there as a whole: two is wrong on three of them. Of the common there are as many of each kind.
    rare = {kind[1:]: count for kind, count in counts.items() if kind[0] == "rare"}
    assert rare == {(False, False): 3, (False, True): 147, (True, True): 150}
    assert abs(counts["common", True, True] - counts["common", False, True]) <= 1


def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_the_file(make: Make) -> None:
    table = table_of(COUNT)
    first = set(select_example_pairs(make(table), budget=20_000).pairs["id"])
    turned = set(select_example_pairs(make(table.reverse()), budget=20_000).pairs["id"])
    other = set(select_example_pairs(make(table), budget=20_000, seed=1).pairs["id"])
    assert len(first & turned) >= 0.97 * min(len(first), len(turned))  # how many fit may differ by a few
    assert len(first & other) < 0.8 * len(first)


def test_a_budget_for_nothing_still_shows_a_pair(make: Make) -> None:
    assert select_example_pairs(make(table_of(50)), budget=10).pairs.height == 1


def test_several_sets_share_the_bytes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "BUDGET", 40_000)
    assert measure_packed_size(select_example_pairs(make(table_of(COUNT)), 2)) <= 20_000


def test_confidence_is_the_probability_of_the_answer(make: Make, tmp_path: Path) -> None:
    table = pl.DataFrame({"id": list("abcd"), "premise": "p", "hypothesis": "h", "label": "entailment"})
    table.write_parquet(tmp_path / "set.parquet")
    answers = pl.DataFrame(
        {
            "gold": ["entailment"] * 4,
            "prediction": ["entailment", "neutral", "non-entailment", "unreadable"],
            "right": [True, False, False, False],
            "p_entailment": [0.7, 0.1, 0.2, None],
            "p_neutral": [0.2, 0.6, 0.5, None],
            "p_contradiction": [0.1, 0.3, 0.3, None],
        }
    )
    two = answers.drop("p_neutral", "p_contradiction").with_columns(
        p_non_entailment=1 - pl.col("p_entailment")
    )
    made = make(table_of(4))
    models = tuple(RunModel(name, baseline=False, folder=tmp_path, card={}) for name in ("three", "two"))
    given_ = {"three": answers, "two": two}
    shown = select_example_pairs(SetResults("s", {}, made.file, models, "argmax", given_))
    assert shown.predictions["three"]["confidence"].to_list() == pytest.approx([0.7, 0.6, 0.8, None])
    assert shown.predictions["two"]["confidence"].to_list() == pytest.approx([0.7, None, 0.8, None])


@given(
    st.lists(st.integers(0, 10**7), min_size=1, max_size=20), st.integers(10**5, 10**7)
)  # sizes of files, and the bytes that there are
def test_bytes_are_divided_without_rest_for_the_small(sizes: list[int], whole: int) -> None:
    class File:
        def __init__(self, count: int) -> None:
            self.st_size = count

        def stat(self) -> File:
            return self

    given_ = divide_page_bytes({str(place): File(count) for place, count in enumerate(sizes)}, whole)  # type: ignore[misc]
    assert sum(given_.values()) <= whole
    even = whole // len(sizes)
    for place, count in enumerate(sizes):
        assert given_[str(place)] >= min(even, 2 * count + 20_000)
