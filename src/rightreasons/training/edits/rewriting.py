"""Edits that change what training pairs say: their labels, or their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from rightreasons.core import labels
from rightreasons.core.options import option
from rightreasons.core.pairs import PARSE_COLUMNS, TEXTS
from rightreasons.sets.stress.distraction import (
    Attachment,
    LengthMismatch,
    Negation,
    WordOverlap,
    distract_pairs,
)
from rightreasons.training.edits import EditedPairs

STRESS_TESTS = {"negation": Negation, "word-overlap": WordOverlap, "length-mismatch": LengthMismatch}
# A text must have a word for a model to read, and this one carries no information.
EMPTY = "."
_EMPTY_PREMISE = {
    "premise": EMPTY,
    "premise_parse": f"(ROOT (. {EMPTY}))",
    "premise_binary_parse": EMPTY,
}
_OTHER_SIDE = {"premise": "hypothesis", "hypothesis": "premise"}


@dataclass(frozen=True, kw_only=True)
class Merge:
    """Merge neutral and contradiction into non-entailment, so that the model has two labels."""

    edits_dev: ClassVar[bool] = True
    edits_tests: ClassVar[bool] = False

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Merge the labels of all pairs."""
        merged = labels.merge_labels(pairs["label"])
        return EditedPairs(pairs.with_columns(merged), {"merged": int((merged != pairs["label"]).sum())})


@dataclass(frozen=True, kw_only=True)
class Distract:
    """Append a tautology to every pair, as the stress tests do; labels are unchanged."""

    edits_dev: ClassVar[bool] = False
    edits_tests: ClassVar[bool] = False

    test: Literal["negation", "word-overlap", "length-mismatch"] = option(
        "negation", help="Stress test whose tautology is appended: negation, word-overlap or length-mismatch."
    )
    tautology: str | None = option(None, help="Clause to append. Default: that of the stress test.")
    keep: bool = option(
        False, help="Keep the original pairs as well, which doubles the training set as in the paper."
    )

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Append the tautology; the new texts have no parses, since nobody parsed them."""
        usual = STRESS_TESTS[self.test]().attachment
        clause = Attachment(self.tautology or usual.tautology, usual.repetitions, usual.side)
        needed = pairs.select(
            pl.Series("id", [str(row) for row in range(pairs.height)]),
            "premise",
            "hypothesis",
            "label",
            pl.lit(None, dtype=pl.String).alias("genre"),
        )
        texts = distract_pairs(STRESS_TESTS[self.test].name, needed, clause).select("premise", "hypothesis")
        parses = [name for name in PARSE_COLUMNS if name in pairs.columns]
        new = pairs.with_columns(*texts, *(pl.lit(None, dtype=pl.String).alias(name) for name in parses))
        facts = {"tautology": clause.clause.strip(), "side": clause.side, "kept": self.keep}
        if not self.keep:
            return EditedPairs(new.drop(parses), facts)
        if "id" in new.columns:
            new = new.with_columns(pl.concat_str(pl.lit("distract-"), "id").alias("id"))
        return EditedPairs(pl.concat([pairs, new]).drop(parses), facts)


@dataclass(frozen=True, kw_only=True)
class HypothesisOnly:
    """Replace every premise by a full stop, so that a model learns from the hypotheses alone."""

    edits_dev: ClassVar[bool] = True
    edits_tests: ClassVar[bool] = True

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Replace the premises and their parses."""
        replaced = {name: text for name, text in _EMPTY_PREMISE.items() if name in pairs.columns}
        emptied = pairs.with_columns(pl.lit(text).alias(name) for name, text in replaced.items())
        return EditedPairs(emptied, {"premise": EMPTY})


@dataclass(frozen=True, kw_only=True)
class Swap:
    """Exchange premise and hypothesis; labels are unchanged, and so no longer hold for all pairs."""

    edits_dev: ClassVar[bool] = True
    edits_tests: ClassVar[bool] = True

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Exchange the two texts of every pair, and their parses if there are any."""
        names = {name: _swap_side_in_name(name) for name in (*TEXTS, *PARSE_COLUMNS) if name in pairs.columns}
        swapped = pairs.rename(names)
        order = [name if name in swapped.columns else _swap_side_in_name(name) for name in pairs.columns]
        return EditedPairs(swapped.select(order), {"swapped": pairs.height})


def _swap_side_in_name(name: str) -> str:
    side, line, rest = name.partition("_")
    return f"{_OTHER_SIDE[side]}{line}{rest}"
