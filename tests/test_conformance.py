"""Every set and model in the registry keeps the promises that all of them make."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from rightreasons import registry
from rightreasons.labels import LABELS
from rightreasons.pairs import PARSES, REQUIRED, digest

GOLDEN = Path(__file__).parent / "golden" / "sets.json"
CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"
SETS = registry.set_names()
MODELS = [name for name in registry.model_names() if not name.endswith("PATH")]
TAGS = ("set", "subcase", "template", "subvariant", "group", "rank")


@cache
def made(name: str) -> rr.ChallengeSet:
    return rr.generate(name)


@pytest.mark.parametrize("name", SETS)
def test_default_rows_are_those_of_the_version(name: str) -> None:
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    part = registry.make_set(name, {})
    found = digest([made(name).pairs])
    assert known[name] == {"version": part.version, "rows": len(made(name)), "digest": found}, (
        f"The default rows of {name} have changed: give it a new version, say so in CHANGELOG.md, "
        f"and write the digest {found} to {GOLDEN.name}."
    )


@pytest.mark.parametrize("name", SETS)
def test_changelog_names_the_version(name: str) -> None:
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    said = f"`{name}` version {known['version']}, default rows `{known['digest'][:12]}`"
    assert said in CHANGELOG.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SETS)
def test_ids_and_pairs_are_unique(name: str) -> None:
    pairs = made(name).pairs
    assert pairs["id"].n_unique() == pairs.height
    assert pairs.select("premise", "hypothesis").n_unique() == pairs.height
    assert pairs.filter(pl.col("premise") == pl.col("hypothesis")).is_empty()


@pytest.mark.parametrize("name", SETS)
def test_columns_labels_and_card(name: str) -> None:
    pairs, card = made(name).pairs, made(name).card
    assert tuple(pairs.columns[:4]) == REQUIRED
    assert set(TAGS) <= set(pairs.columns)
    assert pairs.select(*REQUIRED).null_count().sum_horizontal().item() == 0
    assert set(pairs["label"].unique()) == set(card.labels) <= set(LABELS)
    assert (card.set, card.rows) == (name, pairs.height)
    assert card.made_with == f"rightreasons {rr.__version__}"
    assert dict(pairs.schema) == dict(rr.plan(name).schema)


@pytest.mark.parametrize("name", SETS)
def test_the_card_makes_the_set_again(name: str) -> None:
    card = made(name).card
    again = rr.generate(name, **card.options)
    assert again.pairs.equals(made(name).pairs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("split", ["eval", "train"])
def test_ranges_limits_and_parses(name: str, split: str) -> None:
    plan = rr.plan(name, limit=97, split=split, parses="binary")
    whole = plan.rows(0, len(plan))
    assert whole.height == 97
    assert whole[31:64].equals(plan.rows(31, 64))
    assert set(PARSES) <= set(whole.columns)
    counts = whole["subcase"].value_counts()["count"]
    assert counts.max() - counts.min() <= 1
    by_label = whole["label"].value_counts()["count"]
    assert by_label.max() - by_label.min() <= 1


@pytest.mark.parametrize("name", MODELS)
def test_models_answer_every_pair_whatever_the_batch(name: str) -> None:
    pairs = rr.generate("hans", limit=120).pairs
    whole = rr.predict(name, pairs)
    assert whole["id"].to_list() == pairs["id"].to_list()
    assert set(whole["label"].unique()) <= set(LABELS)
    parts = pl.concat([rr.predict(name, pairs[start : start + 7]) for start in range(0, pairs.height, 7)])
    assert parts.equals(whole)
    assert rr.predict(name, pairs.reverse()).sort("id").equals(whole.sort("id"))
