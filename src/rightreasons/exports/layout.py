"""How pairs are laid out for other tools: order of labels, wording of the question, names of tasks, YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl
import yaml

from rightreasons.core.errors import InputError
from rightreasons.core.formatting import replace_unprintable
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.core.pairs import ChallengeSet

# The question that follows premise and hypothesis, and the choices that stand for the labels, in their order.
QUESTIONS = {
    TWO_LABELS: ("True or False?", ("True", "False")),
    THREE_LABELS: ("True, False, or Neither?", ("True", "Neither", "False")),
}
HEURISTIC = "heuristic"
NO_VALUE = "none"
_OTHERS = re.compile(r"[^a-z0-9]+")
_BARE = re.compile(
    r"[A-Za-z_][A-Za-z0-9_-]+"
)  # at least two characters: some readers take y and n for booleans


def choose_label_order(name: str, challenge_set: ChallengeSet) -> tuple[str, ...]:
    """Choose the labels that 0, 1 and 2 stand for: two or three of them, depending on what the set may have."""
    labels = set(challenge_set.card.labels) | set(challenge_set.pairs["label"].unique())
    for names in (TWO_LABELS, THREE_LABELS):
        if labels <= set(names):
            return names
    raise InputError(
        f"The set {name!r} mixes the labels {', '.join(sorted(labels))}, which can't be numbered together. "
        f"Use a set with the labels {', '.join(TWO_LABELS)}, or {', '.join(THREE_LABELS)}."
    )


def lay_out_rows(challenge_set: ChallengeSet, names: Sequence[str]) -> pl.DataFrame:
    """Lay out pairs for JSONL: the label as a number, the part of the set, and the tags together."""
    pairs = challenge_set.pairs
    tags = [name for name in pairs.columns if name not in (*REQUIRED_COLUMNS, *PARSE_COLUMNS)]
    number = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    tag_column = [pl.struct(tags).alias("tags")] if tags else []
    return pairs.select(
        "id", "premise", "hypothesis", number, _make_part_column(pairs).alias("part"), *tag_column
    )


def _make_part_column(pairs: pl.DataFrame) -> pl.Expr:
    """Name the part of the set that a pair is in: its heuristic, if it has one, and its label."""
    if HEURISTIC not in pairs.columns or pairs[HEURISTIC].null_count() == pairs.height:
        return pl.col("label")
    return pl.concat_str(pl.col(HEURISTIC).fill_null(NO_VALUE), "label", separator=", ")


def make_identifiers(names: Sequence[str]) -> list[str]:
    """Make names for tasks and functions: lower-case letters, digits and underscores, all different."""
    identifiers: list[str] = []
    for name in names:
        base = _OTHERS.sub("_", name.lower()).strip("_") or "unnamed"
        identifier, count = base, 1
        while identifier in identifiers:
            count += 1
            identifier = f"{base}_{count}"
        identifiers.append(identifier)
    return identifiers


class FunctionTag(str):
    """The name of a function, written as lm-evaluation-harness expects it: `!function module.name`."""

    __slots__ = ()


class Verbatim(str):
    """A text of ours that may have line breaks; those from outside are made printable."""

    __slots__ = ()


def dump_yaml(value: object) -> str:
    """Write a value as YAML; characters from outside that are not printable are replaced."""
    return str(
        yaml.dump(value, Dumper=_QuotingDumper, sort_keys=False, allow_unicode=True, width=float("inf"))
    )


class _QuotingDumper(yaml.SafeDumper):  # type: ignore[misc] # has no types
    """Quotes every text but plain words: readers of YAML 1.1 and 1.2 disagree on what is a number or a boolean."""

    def ignore_aliases(self, data: object) -> bool:
        """Repeat what occurs twice; people and other tools read these files."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        """Indent lists below their key."""
        del indentless
        return super().increase_indent(flow, False)

    def represent_text(self, text: str) -> Any:
        """Write a text, quoted unless it is a plain word."""
        tag = yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG
        cleaned = str(text) if isinstance(text, Verbatim) else replace_unprintable(text)
        is_word = _BARE.fullmatch(cleaned) and self.resolve(yaml.ScalarNode, cleaned, (True, False)) == tag
        return self.represent_scalar(tag, cleaned, style=None if is_word else '"')

    def represent_function(self, name: FunctionTag) -> Any:
        """Write the name of a function with its tag."""
        return self.represent_scalar("!function", str(name))


_QuotingDumper.add_representer(str, _QuotingDumper.represent_text)
_QuotingDumper.add_representer(Verbatim, _QuotingDumper.represent_text)
_QuotingDumper.add_representer(FunctionTag, _QuotingDumper.represent_function)
