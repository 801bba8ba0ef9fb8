"""What corrected HANS promises, over its default set and random pairs of every sub-variant."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import heuristics, trees
from rightreasons.sets.hans.hans import load_hans_grammar
from rightreasons.sets.template_set import get_filler

DRAWN = 200
SINGULAR = (
    "professor student president judge senator secretary doctor lawyer "
    "scientist banker tourist manager artist author actor athlete"
)
PLURAL = "|".join(f"{noun}s".replace("ys", "ies") for noun in SINGULAR.split())
CLAUSE_TAKING = "recommended|believed|advised|saw|mentioned|recognized"
TEXTS = ("premise", "hypothesis")
PARSES = ("premise_parse", "hypothesis_parse")


@pytest.fixture(scope="module")
def default() -> pl.DataFrame:
    return rr.generate("hans").pairs


@pytest.fixture(scope="module")
def pairs(default: pl.DataFrame) -> pl.DataFrame:
    """Take the default set, and random ranks of every sub-variant with both ends of its space."""
    draw = np.random.default_rng(3)
    used = [variant for variant in load_hans_grammar("corrected").variants if variant.source.weight > 0]
    drawn = [
        np.unique(np.append(draw.integers(0, v.space.count, DRAWN), [0, v.space.count - 1])) for v in used
    ]
    numbers = np.repeat(np.array([v.number for v in used], dtype=np.int16), [len(part) for part in drawn])
    filler = get_filler(load_hans_grammar("corrected"), "natural", "labelled")
    rows = pl.concat([default, filler.fill_pairs(numbers, np.concatenate(drawn))])
    assert set(rows["subvariant"]) == {variant.name for variant in used}
    return rows.unique("id", maintain_order=True)


def of(pairs: pl.DataFrame, heuristic: str) -> pl.DataFrame:
    return pairs.filter(heuristic=heuristic)


def plain(text: str) -> tuple[str, ...]:
    """List the words in lower case, without signs."""
    return tuple(re.findall(r"\w+", text.lower()))


def runs(whole: tuple[str, ...], length: int) -> set[tuple[str, ...]]:
    return {whole[start : start + length] for start in range(len(whole) - length + 1)}


def clauses(parse: str) -> set[tuple[str, ...]]:
    """List the clauses of a parse by our reader of trees, as plain words."""
    return {plain(" ".join(node)) for node in trees.list_constituents(trees.parse_tree(parse), "S")}


def test_it_is_the_default_and_natural(default: pl.DataFrame) -> None:
    options = rr.plan("hans").card.options
    assert (options["mode"], options["text"], options["split"]) == ("corrected", "natural", "eval")
    counts = default["subcase"].value_counts()["count"]
    assert (default.height, counts.to_list()) == (30_000, [1_000] * 30)
    assert (default["label"] == "entailment").sum() == 15_000


def test_lexical_overlap_uses_premise_words_and_no_run_of_them(pairs: pl.DataFrame) -> None:
    rows = of(pairs, "lexical_overlap")
    assert heuristics.has_lexical_overlap(rows["premise"], rows["hypothesis"]).all()
    assert not heuristics.is_subsequence(rows["premise"], rows["hypothesis"]).any()


def test_subsequence_hypotheses_are_runs_and_no_clause(pairs: pl.DataFrame) -> None:
    rows = of(pairs, "subsequence")
    assert heuristics.is_subsequence(rows["premise"], rows["hypothesis"]).all()
    assert not heuristics.is_constituent(rows["premise_parse"], rows["hypothesis"]).any()


def test_constituent_hypotheses_are_clauses(pairs: pl.DataFrame) -> None:
    rows = of(pairs, "constituent")
    assert heuristics.is_constituent(rows["premise_parse"], rows["hypothesis"]).all()


def test_the_three_properties_again_pair_by_pair_without_the_predicates(pairs: pl.DataFrame) -> None:
    for row in pairs.gather_every(7).iter_rows(named=True):
        premise, hypothesis = plain(row["premise"]), plain(row["hypothesis"])
        assert not Counter(hypothesis) - Counter(premise), row["id"]
        run = hypothesis in runs(premise, len(hypothesis))
        clause = hypothesis in clauses(row["premise_parse"])
        wanted = {
            "lexical_overlap": (False, False),
            "subsequence": (True, False),
            "constituent": (True, True),
        }
        assert (run, clause) == wanted[row["heuristic"]], row["id"]


@pytest.mark.parametrize(
    ("rule", "where"),
    [
        ("lexical-overlap", ["lexical_overlap", "subsequence", "constituent"]),
        ("subsequence", ["subsequence", "constituent"]),
        ("constituent", ["constituent"]),
    ],
)
def test_rules_are_right_on_all_entailed_and_on_no_other_pair(
    rule: str, where: list[str], pairs: pl.DataFrame
) -> None:
    rows = pairs.filter(pl.col("heuristic").is_in(where))
    answers = rr.predict(f"rules:{rule}", rows)
    scores = rr.score(rows, answers, by="subcase").rows.filter(pl.col("gold") != "all")
    accuracy = dict(scores.group_by("gold").agg(pl.col("accuracy").unique()).iter_rows())
    assert accuracy == {"entailment": [1.0], "non-entailment": [0.0]}
    assert scores["subcase"].n_unique() == 10 * len(where)


def test_the_words_of_a_sentence_are_the_leaves_of_its_parse(pairs: pl.DataFrame) -> None:
    for text, parse in zip(TEXTS, PARSES, strict=True):
        leaves = pairs[parse].str.replace_all(r"\([^\s()]+ ?|\)", "")
        assert leaves.str.replace_all(r" ([.,])", "${1}").equals(pairs[text].alias(parse))


def test_exactly_the_plural_nouns_are_tagged_as_plurals(pairs: pl.DataFrame) -> None:
    for text, parse in zip(TEXTS, PARSES, strict=True):
        plurals = pairs[text].str.count_matches(rf"(?i)\b({PLURAL})\b")
        assert plurals.equals(pairs[parse].str.count_matches(r"\(NNS "))
        assert plurals.equals(pairs[parse].str.count_matches(rf"(?i)\(NNS ({PLURAL})\)"))
        assert plurals.sum() > 1_000


def test_no_article_is_doubled(pairs: pl.DataFrame) -> None:
    assert pairs.filter(template="temp15").height > DRAWN
    assert not pairs.select(pl.any_horizontal(pl.col(TEXTS).str.contains(r"(?i)\bthe the\b").any())).item()


def test_no_clause_taking_verb_comes_before_a_reduced_relative(pairs: pl.DataFrame) -> None:
    rows = pairs.filter(template="temp41")
    verbs = rows["premise"].str.extract(r"^The \w+ (\w+) the")
    assert verbs.n_unique() == 10
    assert not verbs.str.contains(rf"^({CLAUSE_TAKING})$").any()


def test_called_is_a_passive_like_the_others(default: pl.DataFrame) -> None:
    for subcase in ("ln_passive", "le_passive"):
        verbs = default.filter(subcase=subcase)["premise"].str.extract(r" (\w+) by ").value_counts()
        assert verbs.height == 15
        assert 50 <= dict(verbs.iter_rows())["called"] <= 85  # about one in fifteen of a thousand


def test_before_entails_what_comes_after_it_only(pairs: pl.DataFrame) -> None:
    before = pairs.filter(pl.col("premise").str.starts_with("Before "))
    assert set(before["subcase"]) == {"ce_after_since_clause", "sn_NP/Z"}


def test_ice_cream_is_two_leaves(pairs: pl.DataFrame) -> None:
    rows = pairs.filter(pl.col("premise").str.contains("ice cream", literal=True))
    assert rows.height > 5
    assert rows["premise_parse"].str.contains("(NN ice) (NN cream)", literal=True).all()


def test_town_is_as_frequent_as_any_other_place() -> None:
    # Of a small sample: where most of the space is used up, weights hardly matter.
    for mode, share in (("corrected", 1 / 10), ("faithful", 2 / 11)):
        rows = rr.generate("hans", size=300, mode=mode, text="natural", parses="none").pairs
        places = rows.filter(pl.col("trigger").is_in(["explored", "left"]))["premise"]
        assert places.str.ends_with(" town.").mean() == pytest.approx(share, abs=0.02)


def test_natural_text_has_no_space_before_a_sign(pairs: pl.DataFrame) -> None:
    texts = pl.concat([pairs[side].alias("text") for side in TEXTS])
    assert texts.str.contains(r"^[A-Z][a-z]+( [a-z]+)+(, [a-z]+( [a-z]+)+)?\.$").all()


def test_triggers_stand_in_the_premise_and_divide_the_categories(pairs: pl.DataFrame) -> None:
    marked = pairs.filter(pl.col("trigger").is_not_null())
    spaced = " " + pl.col("premise").str.to_lowercase() + " "
    inside = spaced.str.contains(" " + pl.col("trigger") + " ", literal=True)
    last = spaced.str.contains(" " + pl.col("trigger") + ".", literal=True)
    assert marked.select((inside | last).all()).item()
    assert pairs["category"].null_count() == 0
    assert pairs["category"].n_unique() == 113
    by_category = pairs.group_by("category").agg(pl.col("subcase", "trigger", "label").n_unique())
    assert set(by_category.select(pl.max_horizontal(pl.exclude("category"))).to_series()) == {1}


def test_a_group_is_one_premise_and_twins_are_many(default: pl.DataFrame) -> None:
    groups = (
        default.filter(pl.col("group").is_not_null())
        .group_by("group")
        .agg(pl.col("premise", "label").n_unique())
    )
    assert set(groups["premise"]) == {1}
    assert (groups["label"] == 2).sum() > 4_000


def test_pairs_of_one_premise_and_both_labels_are_one_group() -> None:
    many = rr.plan("hans", size=3_000, short="allow", parses="none")
    premises = (
        many.rows(0, len(many))
        .group_by("premise")
        .agg(
            pl.col("label").n_unique(), groups=pl.col("group").n_unique(), alone=pl.col("group").null_count()
        )
    )
    twins = premises.filter(pl.col("label") == 2)
    assert twins.height > 10_000
    assert twins.select(pl.max("groups"), pl.max("alone")).row(0) == (1, 0)
