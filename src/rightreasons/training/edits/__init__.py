"""Edits of training pairs, by name: frozen dataclasses whose fields are their options, applied in order.

augment          add HANS-like pairs, never those of evaluation sets
withhold         drop the pairs of named subcases, mostly of those that augment added
merge            merge three labels into two
distract         append a tautology to every pair
drop-rule        drop the pairs of SICK that a rule generated
hypothesis-only  replace the premises
swap             exchange premise and hypothesis
subsample        draw some of the pairs, stratified by label

An edit is a class with a method `edit(pairs)` in `resampling` (which pairs) or `rewriting` (what they say), and a line
in `EDITS`. On the command line it is written `augment:size=30000,seed=1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from rightreasons.core import options
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.lazy_table import LazyTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

__all__ = ["EDITS", "EditedPairs", "apply_edit", "apply_edits", "get_edit", "parse_edit"]

EDITS = LazyTable(
    "edit",
    {
        "augment": "rightreasons.training.edits.resampling:Augment",
        "withhold": "rightreasons.training.edits.resampling:Withhold",
        "merge": "rightreasons.training.edits.rewriting:Merge",
        "distract": "rightreasons.training.edits.rewriting:Distract",
        "drop-rule": "rightreasons.training.edits.resampling:DropRule",
        "hypothesis-only": "rightreasons.training.edits.rewriting:HypothesisOnly",
        "swap": "rightreasons.training.edits.rewriting:Swap",
        "subsample": "rightreasons.training.edits.resampling:Subsample",
    },
)


class EditedPairs(NamedTuple):
    """Pairs after an edit, and what it did to them, as JSON values."""

    pairs: pl.DataFrame
    facts: dict[str, Any]


class PairEdit(Protocol):
    """An edit: its options are fields."""

    edits_dev: ClassVar[bool]  # dev pairs are edited as well, since the edit changes the task
    edits_tests: ClassVar[bool]  # pairs that are predicted later should be edited as well: their texts change

    def edit(self, pairs: pl.DataFrame) -> EditedPairs:
        """Edit training pairs."""


def apply_edit(pairs: pl.DataFrame, text: str) -> pl.DataFrame:
    """Apply one edit with its options, written name:key=value,key=value."""
    return apply_edits(pairs, [text]).pairs


def apply_edits(pairs: pl.DataFrame, texts: Sequence[str], *, dev: bool = False) -> EditedPairs:
    """Apply several edits in order; the facts record what each did.

    With `dev`, only those are applied that change the task, since the dev pairs need them as well.
    """
    if isinstance(texts, str):
        raise InputError(f"The edits are a string, {texts!r}. Pass a list of strings.")
    applied: list[dict[str, Any]] = []
    for text, edit in [(text, build_edit(text)) for text in texts]:
        if dev and not edit.edits_dev:
            continue
        before, (pairs, facts) = pairs.height, edit.edit(pairs)
        if pairs.is_empty():
            raise InputError(f"The edit {text!r} removes all {before:,} pairs. Change its options.")
        applied.append({"edit": text, "before": before, "after": pairs.height, **facts})
    return EditedPairs(pairs, {"edits": applied})


def build_edit(text: str) -> PairEdit:
    """Build an edit from its text; unknown options and impossible values are refused."""
    name, given = parse_edit(text)
    edit: PairEdit = options.build_part(get_edit(name), given, title=f"the edit {name}")
    return edit


def get_edit(name: str) -> Any:
    """Return the class of an edit by its name."""
    return EDITS.load(name)


def parse_edit(text: str) -> tuple[str, dict[str, str]]:
    """Split an edit into its name and options; a word without = continues the value before it, as in a list."""
    name, _, rest = text.partition(":")
    if name not in EDITS:
        raise UnknownNameError("edit", name, EDITS)
    given: dict[str, str] = {}
    last = ""
    for word in rest.split(",") if rest else ():
        key, equals, value = word.partition("=")
        if equals and key.strip() in given:
            raise InputError(f"The edit {text!r} has the option {key.strip()!r} twice. Remove one.")
        if equals:
            last = key.strip()
            given[last] = value.strip()
        elif last:
            given[last] += f",{word.strip()}"
        else:
            raise InputError(f"{word!r} in the edit {text!r} is not key=value. Use {name}:key=value.")
    return name, given


def refuse_missing_column(pairs: pl.DataFrame, column: str, edit: str, advice: str) -> None:
    """Refuse pairs without a column that an edit depends on."""
    if column not in pairs.columns:
        raise InputError(f"The edit {edit} needs the tag {column!r}, which the pairs do not have. {advice}")
