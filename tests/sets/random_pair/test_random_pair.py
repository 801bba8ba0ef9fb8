"""Random pairs: each premise with hypotheses of others, as many as published, none related to it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.corpora import read_corpus
from rightreasons.sets.random_pair.content_words import Overlap, encode_content_words
from rightreasons.sets.random_pair.pairing import find_source_groups, shorten_corpus_names
from rightreasons.sets.random_pair.random_pair import RandomPair

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.sets.corpus_set import TablePlan

SIDES = ["premise", "hypothesis"]


def planned(chosen: RandomPair, **sizes: Any) -> TablePlan:
    return chosen.plan(**{"size": None, "limit": None, "seed": 0, "split": "eval", **sizes})


def written(folder: Path, name: str, rows: list[tuple[str, str, str, str]]) -> str:
    path = folder / f"{name}.jsonl"
    keys = ("id", "premise", "hypothesis", "label")
    path.write_text("\n".join(json.dumps(dict(zip(keys, row, strict=True))) for row in rows))
    return str(path)


def farm(number: int) -> list[tuple[str, str, str, str]]:
    """Make three pairs about things that no other pairs are about."""
    words = [f"{letter}{chr(97 + number % 26)}{chr(97 + number // 26)}zqx" for letter in "bcdfgh"]
    premise = f"The {words[0]} was {words[1]}."
    texts = [f"The {words[k]} was there." for k in (3, 4, 5)]
    labels = ("entailment", "neutral", "contradiction")
    return [(f"{number}{label[0]}", premise, text, label) for text, label in zip(texts, labels, strict=True)]


def is_related(table: pl.DataFrame, corpus: pl.DataFrame) -> int:
    own = corpus.select(*SIDES)
    return table.join(own, on=SIDES, how="semi").height


def test_default_is_the_pocket_corpus() -> None:
    made = planned(RandomPair())
    table = made.table
    corpus = read_corpus("pocket").pairs
    assert tuple(table.columns) == ("id", *SIDES, "label", *RandomPair.tags)
    assert set(table["label"]) == {"neutral"}
    assert table["id"].n_unique() == table.select(SIDES).n_unique() == table.height
    assert table["group"].value_counts()["count"].unique().to_list() == [18]
    assert table["premise"].n_unique() == corpus["premise"].n_unique()
    assert is_related(table, corpus) == 0
    both = table.join(corpus, left_on="hypothesis_source_id", right_on="id", suffix="_there")
    assert (both["hypothesis"] == both["hypothesis_there"]).all()
    assert (both["hypothesis_label"] == both["label_there"]).all()


@pytest.mark.parametrize("overlap", [0.0, 0.25])
def test_no_pair_shares_more_than_allowed(overlap: float) -> None:
    table = planned(RandomPair(overlap=overlap)).table
    words = Overlap(*encode_content_words(table["premise"], table["hypothesis"]))
    rows = pl.int_range(table.height, eager=True).to_numpy()
    assert words.compute_shares(rows, rows).max() <= overlap


def test_order_of_the_rows_is_of_no_matter(tmp_path: Path) -> None:
    rows = [row for number in range(40) for row in farm(number)]
    tables = []
    for order in (rows, rows[::-1]):
        folder = tmp_path / str(len(tables))
        folder.mkdir()
        name = written(folder, "farm", order)
        tables.append(planned(RandomPair(corpus=(name,), premises=20, per_source=7), seed=3).table)
    assert tables[0].height == 140
    assert tables[0].equals(tables[1])


def test_more_premises_keep_those_drawn_before() -> None:
    few, more = (planned(RandomPair(premises=count)).table for count in (10, 30))
    assert more.head(few.height).equals(few)


def test_same_photograph_prompt_and_premise_are_kept_apart(tmp_path: Path) -> None:
    rows = [
        ("1.jpg#0r1e", "A cat sleeps.", "The zebras gallop.", "entailment"),
        ("1.jpg#1r1e", "One feline naps.", "The yaks graze.", "entailment"),
        ("22e", "The ships sail.", "The owls hoot.", "entailment"),
        ("22n", "Boats float.", "The crows caw.", "neutral"),
        ("x", "The ships sail.", "The bees hum.", "neutral"),
        ("y", "Rivers flow.", "The ships sail.", "neutral"),
    ]
    made = planned(RandomPair(corpus=(written(tmp_path, "few", rows),)))
    met = made.table.group_by("premise").agg(pl.col("hypothesis").sort()).sort("premise")
    everything = sorted(row[2] for row in rows)
    own = {
        "A cat sleeps.": {"The zebras gallop.", "The yaks graze."},
        "One feline naps.": {"The zebras gallop.", "The yaks graze."},
        "The ships sail.": {"The owls hoot.", "The crows caw.", "The bees hum.", "The ships sail."},
        "Boats float.": {"The owls hoot.", "The crows caw."},
        "Rivers flow.": {"The ships sail."},
    }
    assert dict(met.rows()) == {
        premise: [text for text in everything if text not in known] for premise, known in own.items()
    }
    assert any("pairs, and" in remark for remark in made.card.remarks)


def test_a_text_of_two_sources_comes_once(tmp_path: Path) -> None:
    one = written(tmp_path, "one", [("a", "The ships sail.", "The owls hoot.", "neutral")])
    two = written(
        tmp_path,
        "two",
        [
            ("a", "Rivers flow.", "The owls hoot.", "neutral"),
            ("b", "The bees hum.", "The crows caw.", "neutral"),
        ],
    )
    table = planned(RandomPair(corpus=(two,), hypotheses=(one, two))).table
    assert table.select("premise", "hypothesis", "subcase").rows() == [
        ("Rivers flow.", "The crows caw.", "two"),
        ("The bees hum.", "The owls hoot.", "one"),
    ] or table.select("premise", "hypothesis", "subcase").rows() == [
        ("The bees hum.", "The owls hoot.", "one"),
        ("Rivers flow.", "The crows caw.", "two"),
    ]


def test_sources_can_be_genres() -> None:
    table = planned(RandomPair(sources="genre", per_source=2, premises=5)).table
    corpus = read_corpus("pocket").pairs
    assert table["subcase"].value_counts().sort("subcase").rows() == [
        (genre, 10) for genre in corpus["genre"].unique().sort()
    ]


def test_too_large_requests_are_refused_or_reported() -> None:
    with pytest.raises(TooFewPairsError, match=r"\b170 .* 5,000 .*short=allow"):
        planned(RandomPair(premises=5000))
    with pytest.raises(TooFewPairsError, match=r"pocket .* 85,000 "):
        planned(RandomPair(per_source=500))
    made = planned(RandomPair(premises=5000, per_source=500, short="allow"))
    assert made.table.height > 20_000
    assert any(remark.startswith("5,000 premises ") for remark in made.card.remarks)


@pytest.mark.parametrize("wrong", [{"premises": 0}, {"per_source": -1}, {"overlap": 1.5}])
def test_wrong_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        RandomPair(**wrong)


def test_a_corpus_of_one_premise_gives_nothing(tmp_path: Path) -> None:
    with pytest.raises(TooFewPairsError, match=r"random-pair.*--corpus"):
        planned(RandomPair(corpus=(written(tmp_path, "one", farm(0)),)))


def test_odd_texts_pass_through(tmp_path: Path) -> None:
    texts = ["😀 🎈", "مرحبا بالعالم", "a\tb\nc", "x" * 10_000, "...", "١٢٣"]
    rows = [(str(n), text, f"{text} {text}", "neutral") for n, text in enumerate(texts)]
    table = planned(RandomPair(corpus=(written(tmp_path, "odd", rows),), generic="keep")).table
    assert table.height == 30
    assert set(table["premise"]) == set(texts)


@pytest.mark.parametrize("sizes", [{"limit": 1}, {"size": 2}, {}])
def test_the_card_gives_the_labels_of_the_sampled_hypotheses(sizes: dict[str, int]) -> None:
    made = planned(RandomPair(premises=9), **sizes)
    counts = made.table["hypothesis_label"].value_counts().sort("hypothesis_label").rows()
    shares = ", ".join(f"{label} {count / made.table.height:.1%}" for label, count in counts)
    assert re.search(rf"\bpocket .*: {shares}\.$", made.card.remarks[-1])


def test_the_card_uses_singular_and_plural(tmp_path: Path) -> None:
    hypotheses = written(
        tmp_path, "many", [*farm(1), ("x", "A cat sleeps.", "People are outside.", "neutral")]
    )
    made = planned(RandomPair(corpus=(written(tmp_path, "one", farm(0)),), hypotheses=(hypotheses,)))
    counts = [re.findall(r"\b\d+ (?:premise|hypothes[ie]s)\b", remark) for remark in made.card.remarks]
    assert ["1 premise", "4 hypotheses"] in counts
    assert ["1 hypothesis"] in counts
    with pytest.raises(TooFewPairsError, match=r"\b1 \w* ?premise\b.* 2 "):
        planned(RandomPair(corpus=(written(tmp_path, "one", farm(0)),), hypotheses=(hypotheses,), premises=2))


def test_names_of_sources() -> None:
    assert shorten_corpus_names(["a/dev.csv", "b/dev.csv", "pocket", "hf:snli"]) == [
        "a/dev",
        "b/dev",
        "pocket",
        "hf:snli",
    ]
    assert shorten_corpus_names(["/x/a/dev.csv", "/y/a/dev.csv"]) == ["/x/a/dev.csv", "/y/a/dev.csv"]


def test_groups_come_from_columns_ids_or_premises() -> None:
    pairs = pl.DataFrame(
        {
            "id": ["12e", "9.jpg#0r1n", "12e#2", "own"],
            "premise": ["p", "q", "r", "s"],
            "promptID": [None, None, None, "77"],
        }
    )
    assert find_source_groups(pairs).to_list() == ["12", "9.jpg", "12", "77"]


def test_texts_of_one_prompt_never_meet(tmp_path: Path) -> None:
    rows = [
        {
            "pairID": f"p{number}",
            "promptID": f"q{number // 2}",
            "genre": "g",
            "sentence1": f"The {word} slept at home.",
            "sentence2": f"Nobody met any {word} yesterday evening.",
            "gold_label": "neutral",
        }
        for number, word in enumerate("lion bear wolf swan goat seal crow hare".split())  # noqa: SIM905
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    table = planned(RandomPair(corpus=(str(path),))).table
    ids = table.select(pl.col("source_id", "hypothesis_source_id").str.slice(1).cast(pl.Int64) // 2)
    assert table.height == 8 * 6
    assert (ids["source_id"] != ids["hypothesis_source_id"]).all()


@pytest.mark.parametrize("premises", ["mnli", "snli"])
def test_published_sizes_from_the_dev_files(premises: str, shared_data: Path) -> None:
    names = tuple(
        str(shared_data / name)
        for name in ("mnli/dev_matched.csv", "mnli/dev_mismatched.csv", "snli/dev.csv")
    )
    corpus = names[:2] if premises == "mnli" else names[2:]
    table = planned(RandomPair(corpus=corpus, hypotheses=names)).table
    assert table.height == 54_000
    assert table["premise"].n_unique() == 1000
    counts = table.group_by("group", "subcase").len()
    assert counts["len"].unique().to_list() == [18]
    assert counts.height == 3000
    assert table.select(SIDES).n_unique() == table["id"].n_unique() == 54_000
    for name in names:
        assert is_related(table, read_corpus(name).pairs) == 0
