"""Edits that change which pairs are trained on: more pairs, or fewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.keyed_random import draw_numbers, join_columns
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.core.options import option
from rightreasons.core.pairs import PARSE_COLUMNS, TEXTS
from rightreasons.training.edits import EditedPairs, refuse_missing_column

RELEASED = 30_000  # pairs of the released training set of HANS, half of them entailed
TAGS = ("set", "heuristic", "subcase", "template", "subvariant", "trigger")
UNRELATED = "unrel"  # a type of pairs in SICK, which the paper counts among the rules
_ADVICE = "Use the annotated SICK (rightreasons fetch sick, then sick/annotated)."


@dataclass(frozen=True, kw_only=True)
class Augment:
    """Add pairs of the train split of HANS, spread evenly over its thirty subcases.

    No pair of an evaluation set is among them.
    """

    edits_dev: ClassVar[bool] = False
    edits_tests: ClassVar[bool] = False

    size: int = option(30_000, help="Number of pairs to add. The paper added 30,000.")
    seed: int = option(0, help="Seed of the sample; the released training set has only one.")
    non_entailment: Literal["neutral", "contradiction", "non-entailment"] = option(
        "neutral",
        help="Label of the added pairs that are not entailed. Their hypotheses are neutral; the paper does not state "
        "its choice. With non-entailment, the model has two labels.",
    )
    only: Literal["all", "entailment", "non-entailment"] = option(
        "all", help="Add pairs of both labels, or of one label only."
    )
    set: Literal["hans", "hans-released"] = option(
        "hans", help="Generate pairs from the templates, or take the released training set."
    )

    def __post_init__(self) -> None:
        """Refuse more pairs than there are."""
        if self.size < 0:
            raise InputError(f"The option size is {self.size}. Give 0 or more.")
        available = RELEASED if self.only == "all" else RELEASED // 2
        if self.set == "hans-released" and self.size > available:
            raise InputError(
                f"The released training set has {available:,} such pairs, not {self.size:,}. Give a smaller size, or "
                "set=hans."
            )

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Append the pairs."""
        if not self.size:
            return EditedPairs(pairs, {"added": 0})
        added = self._generate_hans_pairs(parses=_choose_parse_kind(pairs))
        label = pl.col("label").replace({NON_ENTAILMENT: self.non_entailment})
        columns = [name for name in added.columns if name not in PARSE_COLUMNS or name in pairs.columns]
        new = added.with_columns(label).select(columns)
        whole = pl.concat([_cast_to_shared_types(pairs, new), new], how="diagonal_relaxed")
        counts = dict(sorted(new["label"].value_counts().iter_rows()))
        facts = {
            "added": new.height,
            "set": self.set,
            "split": "train",
            "seed": self.seed,
            "labels": counts,
        }
        tags = (tag for tag in TAGS if tag not in pairs.columns)
        return EditedPairs(whole.select(*pairs.columns, *tags), facts)

    def _generate_hans_pairs(self, *, parses: str) -> pl.DataFrame:
        """Generate pairs; for one label alone twice as many are needed, since half of them have it."""
        limit = self.size if self.only == "all" else 2 * self.size
        part = registry.make_set(self.set, {"parses": parses})
        plan = part.plan(size=None, limit=limit, seed=self.seed, split="train")
        generated = plan.rows(0, len(plan))
        chosen = generated if self.only == "all" else generated.filter(pl.col("label") == self.only)
        if chosen.height < self.size:  # an odd number that the subcases can't share evenly
            plan = part.plan(size=None, limit=limit + 60, seed=self.seed, split="train")
            chosen = plan.rows(0, len(plan)).filter(pl.col("label") == self.only).head(self.size)
        return chosen.head(self.size).with_columns(pl.concat_str(pl.lit("augment-"), "id").alias("id"))


@dataclass(frozen=True, kw_only=True)
class Withhold:
    """Drop the pairs of named subcases, such as those that a model is tested on."""

    edits_dev: ClassVar[bool] = False
    edits_tests: ClassVar[bool] = False

    subcases: tuple[str, ...] = option(help="Subcases such as ln_passive, separated by commas.")

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Drop the pairs whose tag `subcase` is one of these; pairs without a subcase stay."""
        refuse_missing_column(pairs, "subcase", "withhold", "Put this edit after augment.")
        known = set(pairs["subcase"].drop_nulls().unique())
        for name in self.subcases:
            if name not in known:
                raise UnknownNameError("subcase among the pairs", name, known)
        kept = pairs.filter(~pl.col("subcase").is_in(list(self.subcases)).fill_null(value=False))
        facts = {"withheld": pairs.height - kept.height, "subcases": list(self.subcases)}
        return EditedPairs(kept, facts)


@dataclass(frozen=True, kw_only=True)
class DropRule:
    """Drop the pairs of SICK that some expansion rules generated, or all others."""

    edits_dev: ClassVar[bool] = False
    edits_tests: ClassVar[bool] = False

    rules: tuple[str, ...] = option(
        help="Codes such as aa, det, inv, lex, od, so or ws, separated by commas; unrel for unrelated sentences."
    )
    others: bool = option(False, help="Keep only the pairs of these rules, instead of dropping them.")

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Drop pairs with any of these codes in their tag `rule`; pairs without a rule stay."""
        refuse_missing_column(pairs, "rule", "drop-rule", _ADVICE)
        refuse_missing_column(pairs, "pair_type", "drop-rule", _ADVICE)
        codes = pl.col("rule").str.split(",").fill_null([])
        known = {*pairs.select(codes.explode().drop_nulls()).to_series().unique(), UNRELATED}
        for name in self.rules:
            if name not in known:
                raise UnknownNameError("rule of SICK among the pairs", name, known)
        generated = codes.list.set_intersection(list(self.rules)).list.len() > 0
        unrelated = (pl.col("pair_type") == UNRELATED) & pl.lit(UNRELATED in self.rules)
        matches = generated | unrelated.fill_null(value=False)
        kept = pairs.filter(matches if self.others else ~matches)
        facts = {"dropped": pairs.height - kept.height, "rules": list(self.rules), "others": self.others}
        return EditedPairs(kept, facts)


@dataclass(frozen=True, kw_only=True)
class Subsample:
    """Draw some of the pairs, or keep all if there are fewer. The draw depends on a pair's texts, not on its row."""

    edits_dev: ClassVar[bool] = False
    edits_tests: ClassVar[bool] = False

    size: int = option(help="Number of pairs to draw.")
    seed: int = option(0, help="Seed of the sample.")
    by: tuple[str, ...] = option(
        ("label",),
        help="Columns to stratify by, separated by commas: the proportions of their values are kept.",
    )
    even: bool = option(
        False, help="Draw the same number of pairs of each value instead, limited by the rarest."
    )

    def __post_init__(self) -> None:
        """Refuse an empty sample."""
        if self.size < 1:
            raise InputError(f"The option size is {self.size}. Give at least 1.")

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Draw the pairs."""
        if self.size >= pairs.height and not self.even:
            return EditedPairs(pairs, {"seed": self.seed})
        for name in self.by:
            refuse_missing_column(pairs, name, "subsample", "Remove it from the option by.")
        values = pl.col(self.by).cast(pl.String).fill_null("")
        stratum = pl.concat_str(values, separator=", ").alias("stratum")
        texts = pairs.select(join_columns([*TEXTS, "label"])).to_series()
        order = pairs.select(stratum).with_columns(
            drawn=pl.Series(draw_numbers(texts, "subsample", self.seed))
        )
        ranked = order.with_row_index("row").sort("drawn", "row")
        counts = dict(order["stratum"].value_counts().iter_rows())
        sizes = _divide_evenly(counts, self.size) if self.even else _divide_in_proportion(counts, self.size)
        turn = pl.int_range(pl.len()).over("stratum")
        chosen = ranked.filter(turn < pl.col("stratum").replace_strict(sizes, return_dtype=pl.Int64))
        return EditedPairs(pairs[np.sort(chosen["row"].to_numpy())], {"seed": self.seed, "drawn": sizes})


def _choose_parse_kind(pairs: pl.DataFrame) -> str:
    """Choose the parses to generate: those that the training pairs have."""
    if not set(PARSE_COLUMNS) & set(pairs.columns):
        return "none"
    return "binary" if set(PARSE_COLUMNS[2:]) & set(pairs.columns) else "labelled"


def _cast_to_shared_types(pairs: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Cast the tags that both tables have to the types of the new one; a column of nulls has another type."""
    both = [name for name in new.columns if name in pairs.columns and pairs[name].dtype != new[name].dtype]
    return pairs.with_columns(pl.col(name).cast(new[name].dtype) for name in both)


def _divide_evenly(counts: dict[str, int], size: int) -> dict[str, int]:
    """Divide a size evenly, limited by the rarest value."""
    return dict.fromkeys(sorted(counts), min(size // len(counts), *counts.values()))


def _divide_in_proportion(counts: dict[str, int], size: int) -> dict[str, int]:
    """Divide a size in proportion to the counts; what is left goes to the largest remainders."""
    total = sum(counts.values())
    sizes = {label: size * counts[label] // total for label in sorted(counts)}
    left = size - sum(sizes.values())
    by_remainder = sorted(sizes, key=lambda label: (-(size * counts[label] % total), label))
    return {label: share + (label in by_remainder[:left]) for label, share in sizes.items()}
