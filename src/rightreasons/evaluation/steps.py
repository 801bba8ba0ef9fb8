"""The steps on one set and one model: plan, generate, recognise, predict, score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rightreasons import inference
from rightreasons.core import registry
from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.pairs import ChallengeSet
from rightreasons.core.parts import complete_model
from rightreasons.core.plugin_guard import RECOGNISED
from rightreasons.core.progress import show_progress

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rightreasons.core.parts import Model, PairRecogniser, Plan, Predictor
    from rightreasons.inference import PredictionResult


def plan_set(
    name: str,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> Plan:
    """Plan a set, so that any range of its rows can be generated alone."""
    try:
        return registry.make_set(name, options).plan(size=size, limit=limit, seed=seed, split=split)
    except TooFewPairsError as error:
        if name in str(error):
            raise
        raise type(error)(f"{name}: {error}") from error  # a run has many sets


def generate_set(name: str, **options: Any) -> ChallengeSet:
    """Generate a set by name, or from a template file.

    The card has no digest yet: hashing takes longer than generating, so it is left to writing.
    """
    planned = plan_set(name, **options)
    with show_progress(label=f"generating {name}"):
        pairs = planned.rows(0, len(planned))
    return ChallengeSet(pairs, replace(planned.card, rows=pairs.height))


def recognise_with_notes(pairs: pl.DataFrame, name: str | None = None) -> tuple[pl.DataFrame, list[str]]:
    """Find the template of each pair, and list the sets of broken plugins that were skipped."""
    from rightreasons.templates.recognise import recognise_pairs

    notes: list[str] = []
    recognisers = _get_recognisers_of_set(name) if name else _collect_all_recognisers(notes)
    with show_progress(label="recognising"):
        return recognise_pairs(pairs, recognisers), notes


def _get_recognisers_of_set(name: str) -> list[PairRecogniser]:
    recognisers = list(registry.make_set(name, {}).recognisers())
    if not recognisers:
        raise InputError(
            f"The set {name!r} is not generated from templates, so its pairs can't be recognised. Use another --set."
        )
    return recognisers


def _collect_all_recognisers(notes: list[str]) -> list[Any]:
    """Collect the recognisers of every set; a broken plugin becomes a note."""
    recognisers: list[Any] = []
    for name in registry.list_set_names():
        if name in registry.SETS:
            recognisers += registry.make_set(name, {}).recognisers()
            continue
        try:
            of_plugin = registry.make_set(name, {}).recognisers()
        except InputError as error:
            notes.append(describe_skipped_set(name, error))
        else:
            recognisers += [_PluginRecogniser(name, each, notes) for each in of_plugin]
    return recognisers


class _PluginRecogniser:
    """A recogniser of a plugin; if it fails, it recognises nothing and adds a note."""

    def __init__(self, name: str, recogniser: PairRecogniser, notes: list[str]) -> None:
        self.name, self.recogniser, self.notes = name, recogniser, notes

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Find pairs of the set, if the plugin works."""
        import polars as pl

        try:
            return self.recogniser.matches(pairs)
        except InputError as error:
            self.notes.append(describe_skipped_set(self.name, error))
            return pl.DataFrame(schema={name: getattr(pl, kind) for name, kind in RECOGNISED.items()})


def describe_skipped_set(name: str, reason: object) -> str:
    """Describe a set that was skipped because its plugin is broken."""
    return f"The set {name!r} of a plugin was skipped. {reason}"


def build_model(model: str | Predictor, options: dict[str, object]) -> Model:
    """Build a model by name, or complete an object with `predict`, which can't have options."""
    if isinstance(model, str):
        return registry.make_model(model, options)
    if options:
        raise InputError(
            f"Options {sorted(options)} were given for a model that was passed as an object. "
            "Set the options on the object itself."
        )
    return complete_model(model)


def run_model(
    model: Model, pairs: pl.DataFrame | ChallengeSet, journal: Path | None = None
) -> PredictionResult:
    """Run a model on all pairs; return its predictions and facts on the run."""
    model.precheck()
    visible = inference.select_columns(model, get_pairs_table(pairs))
    with show_progress(label="reading predictions"):
        model.refuse_others(visible["id"])
    return inference.predict_pairs(model, visible, journal)


def get_pairs_table(pairs: pl.DataFrame | ChallengeSet) -> pl.DataFrame:
    """Return the table of pairs of a set."""
    return pairs.pairs if isinstance(pairs, ChallengeSet) else pairs
