"""Published figures: all are shares with a source, and each subset is in one of our sets."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.reports import published
from rightreasons.reports.published import (
    FILES,
    PublishedSubset,
    has_hans_tags,
    name_figure_column,
    parse_released_file_name,
    parse_subset_name,
    read_published_figures,
    read_rows,
)

PLACES = {
    **published.TESTS,
    **published.VARIANTS,
    **published.RANDOM,
    **published.SENTENCES,
    **published.JOINED,
    **published.JOINED_LATER,
    **published.BY_PREMISE,
}


@cache
def made(name: str) -> pl.DataFrame:
    options = {"variant": "each"} if name == "stress/spelling" else {}
    sizes = {"limit": 300} if name == "simple-pair" else {}
    return rr.generate(name, **sizes, **options).pairs


@pytest.mark.parametrize("name", FILES)
def test_every_figure_is_a_share_with_its_source(name: str) -> None:
    table = read_published_figures(name)
    assert table.height > 10
    assert table["value"].is_between(0, 1).all()
    assert (table["source"] != "").all()
    whose = ["source", "table", "model", "trained_on", "split", "subset", "gold", "figure"]
    assert table.select(whose).n_unique() == table.height


@pytest.mark.parametrize("their_name", PLACES)
def test_each_published_subset_is_in_our_set(their_name: str) -> None:
    place = PLACES[their_name]
    pairs = made(place.set)
    assert pairs.select(place.make_filter().any()).item()


def test_each_subset_in_the_files_is_known() -> None:
    pairs = made("hans-released")
    assert set(
        read_published_figures("hans").filter(pl.col("table").is_in(["3", "4", "11"]))["subset"]
    ) == set(pairs["heuristic"])
    assert set(read_published_figures("hans").filter(pl.col("table").is_in(["9", "10"]))["subset"]) == set(
        pairs["subcase"]
    )
    assert set(read_published_figures("hans_others")["subset"]) == set(pairs["heuristic"])
    assert set(read_published_figures("stress")["subset"]) == {
        *published.TESTS,
        *published.VARIANTS,
        published.DEV,
    }
    rest = {**published.RANDOM, **published.SENTENCES, **published.JOINED}
    later = {**published.SENTENCES, **published.JOINED_LATER, **published.BY_PREMISE}
    assert set(read_published_figures("pairs").filter(pl.col("table") != "5")["subset"]) == set(rest)
    assert set(read_published_figures("pairs").filter(pl.col("table") == "5")["subset"]) == set(later)


def test_each_subcase_is_printed_with_its_true_label() -> None:
    ours = made("hans-released").select("subcase", "label").unique()
    printed = (
        read_published_figures("hans")
        .filter(pl.col("table").is_in(["9", "10"]))
        .select("subset", "gold")
        .unique()
    )
    assert set(ours.rows()) == set(printed.rows())


def test_table_5_is_the_corrected_one() -> None:
    """With the exchange undone, what models had before agrees with Table 1, as BERT on MNLI does: 61.5."""
    after = read_published_figures("pairs").filter((pl.col("table") == "5") & (pl.col("model") == "BERT"))
    found = {
        (trained[:4], subset): value
        for trained, subset, value in after.select("trained_on", "subset", "value").rows()
    }
    assert found["MNLI", "random_SNLI"] == 0.634
    assert found["SNLI", "random_MNLI"] == 0.834
    assert after.filter(pl.col("note") != "").height == 2


def test_known_misprints_are_noted() -> None:
    notes = {(row.model, column) for row in read_rows("hans", ["9", "10"]) for column in row.notes}
    assert notes == {("SPINN", "sn_NP/Z/non-entailment"), ("BERT", "ce_embedded_under_since/entailment")}


def test_subcases_agree_with_the_heuristics_except_for_noted_misprints() -> None:
    """The mean of five subcases is the heuristic's figure, within what rounding allows."""
    table_3 = {row.model: row.values for row in read_rows("hans", ["3"])}
    belongs = dict(made("hans-released").select("subcase", "heuristic").unique().rows())
    parts: dict[tuple[str, str], list[float]] = {}
    for row in read_rows("hans", ["9", "10"]):
        for column, value in row.values.items():
            gold = column.rpartition("/")[2]
            parts.setdefault(
                (row.model, name_figure_column(belongs[parse_subset_name(column)], gold)), []
            ).append(value)
    wrong = {
        key for key, values in parts.items() if abs(sum(values) / 5 - table_3[key[0]][key[1]]) > 0.01 + 1e-9
    }
    assert wrong == {("BERT", "constituent/entailment")}


def test_rows_keep_the_order_of_print() -> None:
    assert [row.model for row in read_rows("hans", ["3"])] == ["DA", "ESIM", "SPINN", "BERT"]
    assert read_rows("hans", ["3"])[0].citation == "McCoy, Pavlick & Linzen 2019, Table 3"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("multinli_0.9_antonym_matched", ("antonymy", "matched")),
        ("multinli_0.9_quant_hard", ("numerical", "")),
        ("multinli_0.9_taut2_mismatched", ("word_overlap", "mismatched")),
        ("multinli_0.9_length_mismatch_mismatched", ("length_mismatch", "mismatched")),
        ("multinli_0.9_dev_gram_contentword_swap_perturbed_matched", ("spelling", "matched")),
        ("multinli_0.9_dev_gram_swap_mismatched", ("adj_swap", "mismatched")),
        ("dev_matched", ("dev", "matched")),
        ("multinli_1.0_dev_mismatched", ("dev", "mismatched")),
        ("dev", None),
        ("my-negation", None),
        ("train_pool", None),
    ],
)
def test_released_files_are_known_by_name(name: str, wanted: tuple[str, str] | None) -> None:
    assert parse_released_file_name(name) == wanted


def test_hans_is_recognised_by_its_tags() -> None:
    pairs = made("hans-released")
    assert has_hans_tags(pairs)
    assert not has_hans_tags(pairs.with_columns(subcase=pl.lit("my_subcase")))
    assert not has_hans_tags(pairs.drop("heuristic"))
    assert not has_hans_tags(made("stress/antonymy"))


def test_a_place_without_a_tag_is_the_whole_set() -> None:
    assert (
        made("stress/antonymy").filter(PublishedSubset("stress/antonymy").make_filter()).height
        == made("stress/antonymy").height
    )
