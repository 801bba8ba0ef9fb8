"""The verbs on one set and one model: plan, generate, recognise, predict, score."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import inference as asking
from rightreasons.core import arguments, registry
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.labels import AUTO
from rightreasons.core.pairs import ChallengeSet
from rightreasons.core.parts import complete_model
from rightreasons.core.plugin_guard import RECOGNISED
from rightreasons.core.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from rightreasons.core.parts import Model, PairRecogniser, Plan, Predictor
    from rightreasons.inference import Answered
    from rightreasons.scoring.accuracy import Scores

__all__ = [
    "ask",
    "generate",
    "plan",
    "predict",
    "recognise",
    "recognise_with_notes",
    "score",
    "table",
    "tags",
]


_SIZES = {
    "name": arguments.set_name,
    "size": arguments.optional(arguments.whole(1)),
    "limit": arguments.optional(arguments.whole(1)),
    "seed": arguments.whole(),
    "split": arguments.text,
}


@checked_arguments(**_SIZES)
def plan(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> Plan:
    """Say what a set will be, so that any range of its rows can be made alone."""
    try:
        return registry.make_set(name, options).plan(size=size, limit=limit, seed=seed, split=split)
    except TooFewPairsError as error:
        if name in str(error):
            raise
        raise type(error)(f"{name}: {error}") from error  # a run has many sets


@checked_arguments(**_SIZES)
def generate(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> ChallengeSet:
    """Make a set by name, or from a template file: size is pairs per subcase, limit a total.

    The card has no digest yet: hashing costs more than making the pairs, so it is left to writing them.
    """
    made = plan(name, size=size, limit=limit, seed=seed, split=split, **options)
    with progress(label=f"making {name}"):
        pairs = made.rows(0, len(made))
    return ChallengeSet(pairs, replace(made.card, rows=pairs.height))


@checked_arguments(pairs=arguments.texts_of_pairs, name=arguments.optional(arguments.set_name))
def recognise(pairs: pl.DataFrame | ChallengeSet, name: str | None = None) -> pl.DataFrame:
    """Find set, mode, subcase, template, sub-variant, trigger and rank of each pair; null where none fits.

    A name, of a set or a template file, narrows the search to that set. Without one, the sets of broken plugins are
    left out with a warning.
    """
    found, notes = recognise_with_notes(table(pairs), name)
    for note in notes:
        warnings.warn(note, stacklevel=3)
    return found


def recognise_with_notes(pairs: pl.DataFrame, name: str | None = None) -> tuple[pl.DataFrame, list[str]]:
    """Recognise pairs, and say which sets of plugins were left out because they are broken."""
    from rightreasons.templates.recognise import recognise_pairs as recognise_table

    notes: list[str] = []
    found = _named_recognisers(name) if name else _all_recognisers(notes)
    with progress(label="recognising"):
        return recognise_table(pairs, found), notes


def _named_recognisers(name: str) -> list[PairRecogniser]:
    part = registry.make_set(name, {})
    recognisers = list(part.recognisers())
    if not recognisers:
        raise InputError(f"The set {name!r} is not made from templates, so it can't recognise pairs.")
    return recognisers


def _all_recognisers(notes: list[str]) -> list[Any]:
    """Make the recognisers of every set; what is wrong with a plugin becomes a note."""
    found: list[Any] = []
    for name in registry.set_names():
        if name in registry.SETS:
            found += registry.make_set(name, {}).recognisers()
            continue
        try:
            of_plugin = registry.make_set(name, {}).recognisers()
        except InputError as error:
            notes.append(_left_out(name, error))
        else:
            found += [_Optional(name, one, notes) for one in of_plugin]
    return found


class _Optional:
    """A recogniser of a plugin; where it fails, nothing is recognised by it, and there is a note."""

    def __init__(self, name: str, recogniser: PairRecogniser, notes: list[str]) -> None:
        self.name, self.recogniser, self.notes = name, recogniser, notes

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Find pairs of the set, if the plugin can."""
        import polars as pl

        try:
            return self.recogniser.matches(pairs)
        except InputError as error:
            self.notes.append(_left_out(self.name, error))
            return pl.DataFrame(schema={name: getattr(pl, kind) for name, kind in RECOGNISED.items()})


def _left_out(name: str, error: InputError) -> str:
    return f"The set {name!r} of a plugin was left out. {error}"


@checked_arguments(model=arguments.model, pairs=arguments.pairs, journal=arguments.optional(arguments.path))
def predict(
    model: str | Predictor,
    pairs: pl.DataFrame | ChallengeSet,
    /,
    *,
    journal: str | Path | None = None,
    **options: object,
) -> pl.DataFrame:
    """Ask a model, by name or any object with predict, for its answers; it never sees the labels.

    The journal is a folder that keeps the answers as they come: who asks again with the same one goes on from there.
    """
    if not isinstance(model, str) and options:
        raise InputError(
            f"Options {sorted(options)} were given for a ready-made model. Set them on the model."
        )
    part = registry.make_model(model, options) if isinstance(model, str) else complete_model(model)
    return ask(part, pairs, None if journal is None else Path(journal)).answers


def ask(model: Model, pairs: pl.DataFrame | ChallengeSet, journal: Path | None = None) -> Answered:
    """Ask a model about all the pairs of a job, and tell how that went."""
    model.precheck()
    asked = asking.seen(model, table(pairs))
    with progress(label="reading answers"):
        model.refuse_others(asked["id"])
    return asking.ask(model, asked, journal)


@checked_arguments(
    pairs=arguments.pairs,
    answers=arguments.pairs,
    by=arguments.texts,
    rule=arguments.text,
    path=arguments.optional(arguments.path),
    merge=arguments.flag,
)
def score(
    pairs: pl.DataFrame | ChallengeSet,
    answers: pl.DataFrame,
    by: str | Sequence[str] = (),
    rule: str = AUTO,
    path: str | Path | None = None,
    *,
    merge: bool = False,
) -> Scores:
    """Count right answers by tags and true label, with 95% intervals.

    With `merge`, three labels are merged into two even where they could be compared as they are.
    The path, where given, is the file that the answers were read from, and is named in errors.
    """
    from rightreasons.scoring.accuracy import score_predictions as score_table

    with progress(label="scoring"):
        return score_table(table(pairs), answers, by=tags(by), rule=rule, path=path, merge=merge)


def table(pairs: pl.DataFrame | ChallengeSet) -> pl.DataFrame:
    """Take the table of pairs out of a set."""
    return pairs.pairs if isinstance(pairs, ChallengeSet) else pairs


def tags(by: str | Sequence[str]) -> tuple[str, ...]:
    """Read tags from a sequence, or from one text with commas."""
    return tuple(tag.strip() for tag in by.split(",") if tag.strip()) if isinstance(by, str) else tuple(by)
