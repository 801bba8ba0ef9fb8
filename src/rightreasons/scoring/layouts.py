"""Scores in the layout of the original HANS evaluator, for those who compare with its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.scoring.accuracy import align_predictions

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = (
    ("Heuristic entailed results:", "heuristic", (labels.ENTAILMENT,)),
    ("Heuristic non-entailed results:", "heuristic", (labels.NON_ENTAILMENT,)),
    ("Subcase results:", "subcase", labels.TWO),
    ("Template results:", "template", labels.TWO),
)


def render_hans_layout(
    pairs: pl.DataFrame, answers: pl.DataFrame, *, rule: str = labels.AUTO, path: str | Path | None = None
) -> str:
    """Show the four blocks of the original evaluator: unrounded shares of right answers, in the set's order.

    A heuristic without pairs of a label has no line in that label's block; the original stopped there.
    """
    _check_hans_tags(pairs)
    compared = align_predictions(pairs, answers, rule=rule, path=path)[0].table.select(labels.merge(pl.all()))
    tags = pairs.select(name for _, name, _ in BLOCKS[1:])
    table = tags.with_columns(gold=compared["gold"], right=compared["gold"] == compared["prediction"])
    return "\n".join(_render_block(table, *block) for block in BLOCKS)


def _check_hans_tags(pairs: pl.DataFrame) -> None:
    """Refuse a set whose pairs lack a tag that the layout shows."""
    for _, tag, _ in BLOCKS:
        if tag not in pairs.columns or pairs[tag].null_count():
            raise InputError(
                f"The layout of HANS needs the tag {tag!r} on every pair. Use the table layout instead."
            )


def _render_block(table: pl.DataFrame, title: str, tag: str, golds: tuple[str, ...]) -> str:
    """Show one block: its title and a line per value of the tag."""
    wanted = pl.col("gold").is_in(golds)
    cells = table.group_by(tag, maintain_order=True)
    counts = cells.agg(correct=(pl.col("right") & wanted).sum(), n=wanted.sum()).filter(pl.col("n") > 0)
    lines = [f"{name}: {correct / n!r}" for name, correct, n in counts.iter_rows()]
    return "\n".join([title, *lines, ""])
