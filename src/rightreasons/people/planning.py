"""Plan a study: draw the items, make controls, assign items to forms, and write the study folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import LABELS
from rightreasons.people.controls import IDENTITY, NEGATION, make_controls
from rightreasons.people.drawn_items import draw_items, number_values
from rightreasons.people.forms import assign_items, order_items
from rightreasons.people.study import CONTROL, ITEM, ITEM_COLUMNS, write_study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.people.protocol import Protocol
    from rightreasons.people.study import Study

_VERSIONS = 4  # of each control: participants can't share them, and a faulty one doesn't exclude everyone


@dataclass(frozen=True)
class PlannedItems:
    """The items and the forms of a study, before they are written."""

    items: pl.DataFrame
    forms: pl.DataFrame
    remarks: tuple[str, ...]

    def count(self, protocol: Protocol) -> dict[str, int]:
        """Count what the study consists of."""
        judged = self.items.filter(pl.col("kind") == ITEM).height
        return {
            "items": judged,
            "controls": self.items.height - judged,
            "strata": self.items.filter(pl.col("kind") == ITEM)["stratum"].n_unique(),
            "judgements": judged * protocol.judgements,
            "participants": self.forms["form"].n_unique(),
        }


def plan_items(pairs: pl.DataFrame, protocol: Protocol, seed: int) -> PlannedItems:
    """Draw the items and controls of a study, and assign them to forms."""
    drawn, remarks = draw_items(pairs, protocol, seed)
    strata = number_values(drawn["stratum"])
    groups = number_values(_get_groups(drawn))
    assigned = assign_items(groups, strata, protocol.judgements, protocol.items_per_participant, seed)
    sizes = np.bincount(assigned.forms)
    if sizes.min() < min(protocol.items_per_participant, drawn.height):
        remarks.append(_describe_sizes(sizes, protocol, int(np.bincount(groups).max())))
    versions = min(_VERSIONS, assigned.count)
    controls = make_controls(
        pairs,
        identity=protocol.identity_controls * versions,
        negation=protocol.negation_controls * versions,
        labels=_find_label_choices(protocol),
        seed=seed,
    )
    added = _deal_controls(controls, protocol, assigned.count)
    forms = np.concatenate([assigned.forms, added[0]])
    rows = np.concatenate([assigned.items, drawn.height + added[1]])
    entry_strata = np.concatenate([strata[assigned.items], np.full(len(added[0]), strata.max() + 1)])
    order = order_items(forms, entry_strata, seed)
    items = _make_items_table(drawn, controls, seed)
    numbered = _number_forms(forms[order], items["item"].gather(rows[order]))
    return PlannedItems(items.sort("item"), numbered, tuple(remarks))


def plan_study(
    pairs: pl.DataFrame,
    protocol: Protocol,
    content: Mapping[str, Any],
    *,
    out: str | Path,
    name: str,
    seed: int = 0,
    sets: object = None,
    remarks: Sequence[str] = (),
    command: str = "",
    force: bool = False,
) -> Study:
    """Plan a study on some pairs and write its folder, whole or not at all.

    `content` is the content of the protocol's file, `sets` describes where the pairs come from.
    """
    planned = plan_items(pairs, protocol, seed)
    card: dict[str, Any] = {
        "name": name,
        "version": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "set": sets,
        "counts": planned.count(protocol),
        "remarks": [*remarks, *planned.remarks],
    }
    return write_study(
        out,
        protocol_name=protocol.name,
        protocol_content=content,
        items=planned.items,
        forms=planned.forms,
        card=card | ({"command": command} if command else {}),
        force=force,
    )


def _get_groups(items: pl.DataFrame) -> pl.Series:
    return (
        items["group"] if "group" in items.columns else pl.Series("group", [None] * items.height, pl.String)
    )


def _find_label_choices(protocol: Protocol) -> tuple[str, ...]:
    """Find the labels that participants choose from, which controls need."""
    for question in protocol.questions:
        if question.gold == "label" and set(question.values) <= set(LABELS):
            return question.values
    if protocol.identity_controls or protocol.negation_controls:
        raise InputError(
            f"The protocol {protocol.name!r} has controls, but no question whose gold answer is the label. Add such a "
            'question (gold = "label"), or remove [controls].'
        )
    return ()


def _describe_sizes(sizes: NDArray[np.int64], protocol: Protocol, largest_group: int) -> str:
    """Explain why participants judge fewer items than the protocol allows."""
    low, high = int(sizes.min()), int(sizes.max())
    shown = f"{low}" if low == high else f"{low} or {high}"
    reason = "each item gets the same number of judgements"
    if len(sizes) == protocol.judgements * largest_group and largest_group > 1:
        reason = "no participant judges two items of one group"
    return f"Participants judge {shown} items instead of {protocol.items_per_participant}, so that {reason}."


def _deal_controls(
    controls: pl.DataFrame, protocol: Protocol, forms: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Deal the controls to the forms: the forms and the rows of the controls, an entry for each."""
    dealt_forms, dealt_rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for kind, count in ((IDENTITY, protocol.identity_controls), (NEGATION, protocol.negation_controls)):
        rows = np.flatnonzero((controls["stratum"] == kind).to_numpy())
        if count:
            dealt_forms.append(np.repeat(np.arange(forms), count))
            dealt_rows.append(rows[np.arange(forms * count) % len(rows)])
    return np.concatenate(dealt_forms), np.concatenate(dealt_rows)


def _make_items_table(drawn: pl.DataFrame, controls: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Put items and controls into one table; their identifiers reveal neither labels nor controls."""
    count = drawn.height + controls.height
    keys = draw_numbers([str(number) for number in range(count)], "study-identifiers", seed)
    numbers = np.argsort(np.argsort(keys, kind="stable"), kind="stable") + 1
    width = max(len(str(count)), 4)
    table = pl.concat(
        [
            drawn.with_columns(kind=pl.lit(ITEM), group=_get_groups(drawn).cast(pl.String)),
            controls.with_columns(kind=pl.lit(CONTROL)),
        ],
        how="diagonal",
    )
    identifiers = pl.Series("item", [f"i{number:0{width}d}" for number in numbers.tolist()])
    table = table.with_columns(identifiers)
    tags = [name for name in table.columns if name not in ITEM_COLUMNS]
    filled = table.with_columns(pl.coalesce("id", "item").alias("id"))
    return filled.select(*ITEM_COLUMNS, *tags)


def _number_forms(forms: NDArray[np.int64], items: pl.Series) -> pl.DataFrame:
    """Number the forms and the positions on each from 1."""
    table = pl.DataFrame({"form": forms + 1, "item": items})
    return table.with_columns(position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("form")).select(
        "form", "position", "item"
    )
