from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_pairs_maker import SENSE, draw_pairs, make_pairs, make_protocol

import rightreasons as rr
from rightreasons.core.errors import InputError
from rightreasons.people.planning import PlannedItems, plan_items
from rightreasons.people.protocol import load_protocol

if TYPE_CHECKING:
    from pathlib import Path


def place_items(planned: PlannedItems) -> pl.DataFrame:
    return planned.forms.join(planned.items, on="item", how="left", maintain_order="left")


@given(draw_pairs(), st.integers(1, 4), st.integers(1, 12), st.integers(0, 2), st.integers(0, 2))
def test_every_plan_keeps_what_a_study_relies_on(
    pairs: pl.DataFrame, judgements: int, most: int, identity: int, negation: int
) -> None:
    protocol = make_protocol(
        judgements=judgements,
        items_per_participant=most,
        identity_controls=identity,
        negation_controls=negation,
    )
    planned = plan_items(pairs, protocol, 0)
    placed = place_items(planned)
    assert planned.items["item"].n_unique() == planned.items.height
    assert placed.select("form", "item").is_unique().all()
    assert set(placed["item"]) <= set(planned.items["item"])
    items = placed.filter(pl.col("kind") == "item")
    assert items["item"].value_counts()["count"].to_list() == [judgements] * pairs.height
    twins = items.drop_nulls("group")
    assert twins.select("form", "group").is_unique().all()
    sizes = items["form"].value_counts()["count"]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= most
    for form in placed.partition_by("form"):
        assert form["position"].to_list() == list(range(1, form.height + 1))
        assert form["stratum"].str.count_matches("^identity$").sum() == identity
        assert form["stratum"].str.count_matches("^negation$").sum() == negation
    assert planned.count(protocol)["participants"] == sizes.len()


def test_hans_gives_the_numbers_of_the_paper() -> None:
    protocol, _ = load_protocol("hans")
    planned = plan_items(rr.generate("hans-released").pairs, protocol, 0)
    assert planned.count(protocol) == {
        "items": 2280,
        "controls": 40,
        "strata": 114,
        "judgements": 11_400,
        "participants": 200,
    }
    assert planned.remarks == ()
    sizes = place_items(planned).group_by("form", "kind").len().group_by("kind").agg(pl.col("len").unique())
    assert dict(sizes.iter_rows()) == {"item": [57], "control": [10]}
    of_category = planned.items.filter(pl.col("kind") == "item")["category"].value_counts()
    assert of_category["count"].to_list() == [20] * 114


def test_the_generated_set_has_a_category_less() -> None:
    """The mode corrected has no `before` under `since`."""
    protocol, _ = load_protocol("hans")
    planned = plan_items(rr.generate("hans").pairs, protocol, 0)
    assert planned.count(protocol)["items"] == 2260
    assert len(planned.remarks) == 1


def test_identifiers_reveal_neither_labels_nor_controls() -> None:
    protocol = make_protocol(identity_controls=5, negation_controls=5, items_per_participant=20)
    items = plan_items(make_pairs(40), protocol, 0).items
    assert items["item"].to_list() == [f"i{number:04d}" for number in range(1, items.height + 1)]
    controls = items.with_row_index().filter(pl.col("kind") == "control")["index"]
    assert controls.min() < 20  # type: ignore[operator]
    assert controls.max() > 50  # type: ignore[operator]
    assert set(items.filter(pl.col("kind") == "control")["id"].str.slice(0, 1)) == {"i"}


def test_forms_have_different_controls_in_different_places() -> None:
    protocol = make_protocol(identity_controls=2, items_per_participant=10, judgements=4)
    placed = place_items(plan_items(make_pairs(40), protocol, 0)).filter(pl.col("kind") == "control")
    assert placed["item"].n_unique() == 8
    assert placed.group_by("form").agg(pl.col("position")).get_column("position").n_unique() > 8


def test_a_single_form_needs_no_further_controls() -> None:
    planned = plan_items(make_pairs(3), make_protocol(identity_controls=2, judgements=1), 0)
    assert planned.items.filter(pl.col("kind") == "control").height == 2


def test_controls_need_a_question_for_the_label() -> None:
    with pytest.raises(InputError, match="gold answer is the label"):
        plan_items(make_pairs(3), make_protocol(questions=(SENSE,), identity_controls=1), 0)


def test_twins_make_forms_shorter_with_a_remark() -> None:
    planned = plan_items(make_pairs(4, groups=[0, 0, None, None]), make_protocol(items_per_participant=4), 0)
    assert planned.count(make_protocol())["participants"] == 4
    assert planned.remarks == (
        "Participants judge 2 items instead of 4, so that no participant judges two items of one group.",
    )


SCRIPT = """
import json, sys
from study_pairs_maker import make_pairs, make_protocol
from rightreasons.people.planning import plan_items
planned = plan_items(make_pairs(50, [n // 2 for n in range(50)]), make_protocol(identity_controls=2), 7)
print(json.dumps([planned.items.to_dicts(), planned.forms.to_dicts()]))
"""


def test_a_plan_is_the_same_in_every_process(request: pytest.FixtureRequest) -> None:
    folder: Path = request.path.parent
    outputs = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, check=True
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]
