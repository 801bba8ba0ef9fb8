"""Every set and model in the registry keeps the promises that all of them make."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rightreasons as rr
from rightreasons.commands.listing import DEFAULTS
from rightreasons.core import options, registry
from rightreasons.core.edits import EDIT_TAGS, has_consistent_edit, select_other_text, undo_edits
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, compute_digest
from rightreasons.corpora import read_corpus

pytestmark = pytest.mark.every_case  # each part, each package

CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"
SETS = registry.list_set_names()
# Kinds that need a folder, an address or a function have tests of their own, with a real one.
MODELS = [name for name in registry.list_model_names() if not name.partition(":")[2].isupper()]
TAGS = ("set", "subcase", "group")


@cache
def made(name: str) -> rr.ChallengeSet:
    return rr.generate(name)


@cache
def known() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    return read


def has(name: str, option: str) -> bool:
    return option in options.get_schema(registry.get_set_class(name))


WITH_CORPUS = [name for name in SETS if has(name, "corpus")]
WITH_MODES = [name for name in SETS if has(name, "mode")]


@pytest.mark.parametrize("name", SETS)
def test_default_rows_are_those_of_the_version(name: str) -> None:
    part = registry.make_set(name, {})
    found = compute_digest([made(name).pairs])
    labels = dict(made(name).pairs["label"].value_counts().sort("label").rows())
    assert known()[name] == {"version": part.version, "labels": labels, "digest": found}, (
        f"The default rows of {name} have changed: give it a new version, say so in CHANGELOG.md, "
        "and run scripts/golden.py."
    )


def test_no_set_is_noted_that_is_gone() -> None:
    assert list(known()) == SETS


@pytest.mark.parametrize("name", SETS)
def test_changelog_names_the_version(name: str) -> None:
    said = f"`{name}` version {known()[name]['version']}, default rows `{known()[name]['digest'][:12]}`"
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
    part = registry.make_set(name, {})
    assert part.name == name
    assert len(part.paper) > 5
    tags = tuple(column for column in pairs.columns if column not in (*REQUIRED_COLUMNS, *PARSE_COLUMNS))
    assert part.tags == tags
    assert pairs.columns == [
        *REQUIRED_COLUMNS,
        *tags,
        *(column for column in PARSE_COLUMNS if column in pairs.columns),
    ]
    assert set(TAGS) <= set(tags)
    assert pairs.select(*REQUIRED_COLUMNS, "set", "subcase").null_count().sum_horizontal().item() == 0
    assert set(pairs["label"].unique()) == set(card.labels) <= set(LABELS)
    assert (card.set, card.rows) == (name, pairs.height)
    assert pairs["set"].unique().to_list() == [name]
    assert card.made_with == f"rightreasons {rr.__version__}"
    assert dict(pairs.schema) == dict(rr.plan(name).schema)


@pytest.mark.parametrize("name", SETS)
def test_the_card_makes_the_set_again(name: str) -> None:
    card = made(name).card
    again = rr.generate(name, **json.loads(card.to_json())["options"])
    assert again.pairs.equals(made(name).pairs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("split", ["eval", "train"])
def test_ranges_limits_and_parses(name: str, split: str) -> None:
    parses = {"parses": "binary"} if has(name, "parses") else {}
    if split == "train" and name in WITH_CORPUS and made(name).card.sources:
        with pytest.raises(rr.InputError, match="--corpus"):
            rr.plan(name, limit=97, split=split)
        return
    plan = rr.plan(name, limit=97, split=split, **parses)
    whole = plan.rows(0, len(plan))
    assert whole.height == 97
    assert whole[31:64].equals(plan.rows(31, 64))
    assert not parses or set(PARSE_COLUMNS) <= set(whole.columns)
    counts = whole["subcase"].value_counts()["count"]
    assert counts.max() - counts.min() <= 1
    by_label = whole["label"].value_counts()["count"]
    assert by_label.max() - by_label.min() <= 1


@pytest.mark.parametrize("name", [name for name in SETS if name != "hans-released"])
def test_a_seed_changes_the_choice_and_nothing_else(name: str) -> None:
    first, again, other = (rr.generate(name, limit=60, seed=seed).pairs for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    assert first.schema == other.schema


@pytest.mark.parametrize("name", WITH_MODES)
def test_the_faithful_mode_keeps_the_columns(name: str) -> None:
    faithful = rr.generate(name, mode="faithful")
    assert faithful.pairs.columns == made(name).pairs.columns
    assert faithful.pairs["id"].n_unique() == faithful.pairs.height
    assert faithful.card.options["mode"] == "faithful"


def edited(name: str, **more: Any) -> pl.DataFrame:
    pairs = rr.generate(name, **more).pairs if more else made(name).pairs
    return pairs if set(EDIT_TAGS) <= set(pairs.columns) else pairs.clear()


EDITED = [name for name in SETS if set(EDIT_TAGS) <= set(registry.make_set(name, {}).tags)]


@pytest.mark.parametrize("mode", ["corrected", "faithful"])
@pytest.mark.parametrize("name", EDITED)
def test_undoing_the_edit_gives_back_the_original(name: str, mode: str) -> None:
    pairs = edited(name, mode=mode)
    assert pairs.height > 50
    assert has_consistent_edit(pairs).all()
    if name in ("stress/antonymy", "stress/numerical"):
        other = pairs.select(select_other_text().alias("original")).to_series()
        assert undo_edits(pairs).equals(other, check_names=False)
        return
    source = read_corpus("pocket").pairs.select("id", "premise", "hypothesis", "label")
    both = pairs.with_columns(undo_edits(pairs)).join(
        source, left_on="source_id", right_on="id", suffix="_source"
    )
    assert both.height == pairs.height
    side = pl.when(pl.col("side") == "premise").then("premise_source").otherwise("hypothesis_source")
    rest = pl.when(pl.col("side") == "premise").then("hypothesis_source").otherwise("premise_source")
    assert both.select((pl.col("original") == side).all()).item()
    assert both.select((select_other_text() == rest).all()).item()
    assert both.select((pl.col("label") == pl.col("label_source")).all()).item()


@pytest.mark.parametrize("name", MODELS)
def test_models_answer_every_pair_whatever_the_batch(name: str) -> None:
    pairs = rr.generate("hans", limit=60).pairs
    whole = rr.predict(name, pairs)
    assert whole["id"].to_list() == pairs["id"].to_list()
    assert set(whole["label"].unique()) <= set(LABELS)
    parts = pl.concat([rr.predict(name, pairs[start : start + 13]) for start in range(0, pairs.height, 13)])
    backwards = rr.predict(name, pairs.reverse())
    for other in (parts, backwards):
        # A network's last digits depend on the shape of a batch; its answers must not.
        assert_frame_equal(other.sort("id"), whole.sort("id"), check_exact=False, abs_tol=1e-5)
