"""The lexicon of NP/S: premises that say more than their beginning, controls that do not."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.sets.nps.nps import FILE, Nps, list_lexicon_verbs, load_nps_grammar
from rightreasons.sets.nps.phrases import NEGATION
from rightreasons.sets.nps.verbs import PAPER
from rightreasons.templates.collisions import check_collisions, check_shared_premises
from rightreasons.templates.grammar import load_grammar
from rightreasons.templates.recognise import recognise_pairs


def rows(chosen: Nps, **sizes: Any) -> pl.DataFrame:
    plan = chosen.plan(**{"size": None, "limit": None, "seed": 0, "split": "eval", **sizes})
    return plan.rows(0, len(plan))


def test_default_is_the_four_verbs_of_the_paper() -> None:
    pairs = rows(Nps())
    assert pairs["subcase"].value_counts().sort("subcase").rows() == [(verb, 1000) for verb in sorted(PAPER)]
    assert set(pairs["label"]) == {"non-entailment"}
    assert tuple(pairs.columns[4:11]) == Nps().tags


def test_hypotheses_begin_premises_and_no_clause_is_negated() -> None:
    pairs = rows(Nps(verbs=("all",), controls=True), size=300)
    begun = pl.col("premise").str.starts_with(pl.col("hypothesis").str.strip_suffix("."))
    assert pairs.select(begun.all()).item()
    words = pairs["premise"].str.to_lowercase().str.extract_all(r"[a-z']+").list.explode()
    assert not NEGATION.intersection(words)
    assert pairs.group_by("subcase").len()["len"].unique().to_list() == [300]
    labels = pairs.select(pl.col("subcase").str.ends_with("-control") == (pl.col("label") == "entailment"))
    assert labels.to_series().all()


def test_templates_never_say_the_same() -> None:
    check_collisions(load_grammar(FILE), None)
    check_shared_premises(load_grammar(FILE), None)


def test_every_verb_has_room_for_both_splits() -> None:
    for split in ("eval", "train"):
        pairs = rows(Nps(verbs=("all",)), split=split)
        assert pairs.height == 1000 * len(list_lexicon_verbs())
    both = [set(rows(Nps(), split=split)["premise"]) for split in ("eval", "train")]
    assert not both[0] & both[1]


def test_a_verb_is_the_same_whatever_the_others() -> None:
    alone, among = rows(Nps(verbs=("felt",))), rows(Nps(verbs=("all",), controls=True))
    assert alone.equals(among.filter(pl.col("subcase") == "felt"))


def test_the_card_makes_the_set_again() -> None:
    plan = Nps(verbs=("knew", "read"), controls=True, parses="none").plan(
        size=5, limit=None, seed=4, split="train"
    )
    chosen = dict(plan.card.options)
    sizes = {key: chosen.pop(key) for key in ("size", "limit", "seed", "split")}
    again = Nps(**chosen).plan(**sizes)
    assert again.rows(0, 20).equals(plan.rows(0, 20))
    assert plan.card.labels == ("entailment", "non-entailment")


def test_pairs_are_recognised() -> None:
    pairs = rows(Nps(verbs=("all",), controls=True), limit=64)
    found = recognise_pairs(pairs, Nps().recognisers())
    assert found["rank"].to_list() == pairs["rank"].to_list()


@pytest.mark.parametrize(
    ("wrong", "pattern"),
    [
        ({"match": "head"}, "match"),
        ({"negation": "any"}, "negation"),
        ({"parser": "spacy:x"}, "parser"),
        ({"plausible": False}, "plausible"),
        ({"per_noun": 5}, "per_noun .* corpus"),
        ({"per_noun": 0}, "per_noun"),
        ({"corpus": ("pocket",), "controls": True}, "controls .* lexicon"),
        ({"corpus": ("pocket",), "text": "tokenised"}, "text .* lexicon"),
    ],
)
def test_incompatible_options_are_refused(wrong: dict[str, Any], pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        Nps(**wrong)


def test_unknown_verbs_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'herd'.*heard"):
        rows(Nps(verbs=("herd",)))


def test_labels_follow_the_controls() -> None:
    assert load_nps_grammar(PAPER, controls=False).document.labels == ("non-entailment",)
