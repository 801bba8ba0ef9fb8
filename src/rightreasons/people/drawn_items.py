"""Draw the items of a study from pairs: by strata, at random, whatever the order of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError, format_count
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import NON_ENTAILMENT, THREE_LABELS, TWO_LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS
from rightreasons.people.judgements import ANSWER_COLUMNS, PARTICIPANT_COLUMNS
from rightreasons.people.study import FORM_COLUMNS, ITEM_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.people.protocol import Protocol
    from rightreasons.people.questions import Question

JOINED, LISTED = " / ", "; "  # between the values of a stratum, and the strata of a pair
# Tags that would clash with a column of a study, such as `kind` of the simple-pair set, get a new name.
_TAKEN = {*ITEM_COLUMNS, *FORM_COLUMNS, *ANSWER_COLUMNS, *PARTICIPANT_COLUMNS} - {*REQUIRED_COLUMNS, "group"}
_RENAMED = "pair_"
_KEY, _TWIN = "\0key", "\0twin"


def draw_items(pairs: pl.DataFrame, protocol: Protocol, seed: int) -> tuple[pl.DataFrame, list[str]]:
    """Draw the pairs that are judged, with their stratum, in the order of strata; and remarks on them.

    A column of strata may have lists: such a pair can be drawn for each of them, and is judged once.
    """
    _refuse_duplicate_ids(pairs)
    tagged = _add_stratum(_add_order(pairs, seed), protocol.strata)
    left_out = tagged["stratum"].null_count()
    tagged = tagged.drop_nulls("stratum")
    remarks = []
    if left_out:
        columns = " or ".join(protocol.strata)
        remarks.append(f"{format_count(left_out, 'pair')} without {columns} can't be drawn.")
    ordered = tagged.sort("stratum", _TWIN, _KEY, "id").drop(_TWIN, _KEY)
    if protocol.per_stratum:
        _refuse_small_strata(ordered, protocol.per_stratum)
        ordered = ordered.group_by("stratum", maintain_order=True).head(protocol.per_stratum)
    if ordered.is_empty():
        raise TooFewPairsError("The set has no pair that the study can ask about. Use another set.")
    labelled, more = _match_gold_labels(_join_lists(ordered, protocol.strata), protocol.questions)
    return _rename_tags(labelled), remarks + more


def _add_order(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Add the order in which pairs are drawn from a stratum: at random, the first of each group before its twins.

    Twins are drawn only if there is nothing else: each of them takes participants of its own.
    """
    key = pl.Series(_KEY, draw_numbers(pairs["id"], "study-items", seed), pl.UInt64)
    twin = pl.lit(0)
    if "group" in pairs.columns:
        place = pl.struct(_KEY, "id").rank("ordinal").over("group")
        twin = pl.when(pl.col("group").is_null()).then(1).otherwise(place)
    return pairs.with_columns(key).with_columns(twin.alias(_TWIN))


def _join_lists(pairs: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Join the rows of pairs that were drawn for several strata, and other lists of texts, into one text."""
    lists = [name for name, kind in pairs.schema.items() if kind == pl.List(pl.String)]
    joined = pairs.with_columns(pl.col(lists).list.join(LISTED))
    if not joined["id"].is_duplicated().any():
        return joined
    rest = [name for name in joined.columns if name not in {"id", *by}]
    return (
        joined.group_by("id", maintain_order=True)
        .agg(
            *(pl.col(name).unique(maintain_order=True).str.join(LISTED) for name in by), pl.col(rest).first()
        )
        .select(joined.columns)
    )


def _refuse_duplicate_ids(pairs: pl.DataFrame) -> None:
    repeated = pairs.filter(pl.col("id").is_duplicated())
    if repeated.height:
        raise InputError(
            f"The id {repeated['id'][0]!r} occurs {repeated['id'].eq(repeated['id'][0]).sum()} times, but the items "
            "of a study need distinct ids. Give each pair its own id."
        )


def _add_stratum(pairs: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    for column in by:
        if column not in pairs.columns:
            raise InputError(
                f"The protocol draws items by the column {column!r}, which the set doesn't have. {_advise_on(column)} "
                f"The set has: {', '.join(name for name in pairs.columns if name not in PARSE_COLUMNS)}."
            )
    if not by:
        return pairs.with_columns(stratum=pl.lit("all"))
    for column in by:
        if pairs[column].dtype == pl.List(pl.String):
            pairs = pairs.explode(column)
    cells = [pl.col(column).cast(pl.String) for column in by]
    return pairs.with_columns(stratum=pl.concat_str(cells, separator=JOINED))


def _advise_on(column: str) -> str:
    """Advise what to do if a set lacks a column that a built-in protocol needs."""
    return {
        "category": "Use the set hans-released, which has it,",
        "top": "Select pairs by a model's scores with --from RUN --top-by p_contradiction,",
    }.get(column, "Use a set that has it,") + " or change `by` under [strata] in a copy of the protocol."


def _refuse_small_strata(pairs: pl.DataFrame, wanted: int) -> None:
    small = pairs.group_by("stratum", maintain_order=True).len().filter(pl.col("len") < wanted)
    if small.height:
        name, count = small.row(0)
        raise TooFewPairsError(
            f"The stratum {name!r} has {format_count(count, 'pair')}, but the protocol draws {wanted} from each stratum"
            f" (strata with fewer: {small.height}). Use a larger set, or lower --each."
        )


def _match_gold_labels(pairs: pl.DataFrame, questions: Sequence[Question]) -> tuple[pl.DataFrame, list[str]]:
    """Make gold answers comparable with the choices: three labels are merged into two if two are asked for."""
    remarks: list[str] = []
    for question in questions:
        if not question.gold:
            continue
        if question.gold not in pairs.columns:
            raise UnknownNameError(
                f"column with the gold answers of the question {question.name!r}",
                question.gold,
                set(pairs.columns) - {"stratum", *PARSE_COLUMNS},
            )
        words = set(pairs[question.gold].cast(pl.String).drop_nulls().unique())
        if set(question.values) == set(TWO_LABELS) and words <= set(THREE_LABELS) and words - set(TWO_LABELS):
            merged = pl.col(question.gold).replace(dict.fromkeys(THREE_LABELS[1:], NON_ENTAILMENT))
            pairs = pairs.with_columns(merged)
            remarks.append("Neutral and contradiction were merged into non-entailment, as the protocol asks.")
        elif words - set(question.values):
            raise InputError(
                f"The gold answer {min(words - set(question.values))!r} in the column {question.gold!r} is not a "
                f"choice of the question {question.name!r} ({', '.join(question.values)}). Use a protocol that offers "
                "it, such as a copy with other choices, or another set."
            )
    return pairs, remarks


def _rename_tags(pairs: pl.DataFrame) -> pl.DataFrame:
    """Drop the parses, and rename tags whose name a study uses itself."""
    kept = pairs.drop(column for column in PARSE_COLUMNS if column in pairs.columns)
    clashing = [name for name in kept.columns if name in _TAKEN - {"stratum"}]
    return kept.rename({name: f"{_RENAMED}{name}" for name in clashing})


def number_values(values: pl.Series) -> np.ndarray:
    """Number the distinct values of a column from 0, in the order of their first rows; a null is a value of its own."""
    alone = pl.Series([f"\0{place}" for place in range(len(values))])
    texts = values.cast(pl.String).fill_null(alone) if values.null_count() else values.cast(pl.String)
    return texts.rank("dense").to_numpy().astype(np.int64) - 1
