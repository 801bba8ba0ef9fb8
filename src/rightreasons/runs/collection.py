"""Several runs as one collection: models with distinct names, and equal sets put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import replace_unprintable
from rightreasons.inference.unfinished_runs import read_unfinished_run
from rightreasons.io.polars_io import read_parquet
from rightreasons.io.temporary_folders import remove_leftovers
from rightreasons.runs import folder as runs
from rightreasons.runs.schema import check_set_file, read_run_predictions
from rightreasons.runs.set_results import (
    ModelPredictions,
    RunModel,
    align_set_predictions,
    decide_label_merging,
)
from rightreasons.scoring.rule_choice import counts_for_rule_choice, depends_on_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.runs.set_results import SetResults

MIXED_RULES = (
    "The runs reduce three labels to two by different rules ({}), so their models are not comparable. Evaluate all "
    "runs with the same --rule."
)


@dataclass(frozen=True)
class RunCollection:
    """One or several runs; the results on a set are read from its files unless they are in memory."""

    folders: tuple[Path, ...]
    runs: tuple[runs.Run, ...]
    models: tuple[RunModel, ...]
    sets: tuple[_SetLocation, ...]
    in_memory: Mapping[str, SetResults] = field(default_factory=dict)

    @property
    def set_names(self) -> list[str]:
        """Name the sets."""
        return [place.name for place in self.sets]

    @property
    def requested_models(self) -> list[str]:
        """Name the requested models, without added baselines."""
        return list(dict.fromkeys(model.name for model in self.models if not model.baseline))

    @cached_property
    def label_rules(self) -> list[str]:
        """List the rules by which the runs reduce three labels to two; one if the models of each set have the same."""
        used = sorted({rule for place in self.sets for rule in _find_mixed_rules(place)})
        return used or [str(run.card["rule"]) for run in self.runs][:1]

    def load_set_results(self, name: str) -> SetResults:
        """Return the results on one set; a caller that goes through all sets holds the pairs of one at a time."""
        if name in self.in_memory:
            return self.in_memory[name]
        return _read_set_results(self.locate_set(name))

    def locate_set(self, name: str) -> _SetLocation:
        """Return where one set is, and which models were run on it."""
        return next(place for place in self.sets if place.name == name)


@dataclass(frozen=True)
class _SetLocation:
    """Where the pairs of one set are, and the predictions on it in each run that has it."""

    name: str
    card: Mapping[str, Any]
    file: Path
    models: tuple[tuple[RunModel, str, Path], ...]  # with the label rule of the run, and the predictions


def load_runs(
    folders: str | Path | Sequence[str | Path], names: Mapping[str, str] = MappingProxyType({})
) -> RunCollection:
    """Read the cards of some runs and put sets of the same digest together.

    `names` maps some model names to the names to show.
    """
    places = [Path(folder) for folder in ([folders] if isinstance(folders, str | Path) else folders)]
    for number, place in enumerate(places):
        if place.resolve() in {earlier.resolve() for earlier in places[:number]}:
            raise InputError(f"The run {str(place)!r} is given more than once. Pass each run once.")
    complete = [_read_complete_run(place) for place in places]
    known = {name for run in complete for name in run.models}
    for old in names:
        if old not in known:
            raise UnknownNameError("model", old, known)
    renamed = [_rename_models(run, names) for run in complete]
    labels = dict(zip(places, _make_folder_labels(places), strict=True))
    models = _disambiguate_model_names(
        [_list_run_models(place, run) for place, run in zip(places, renamed, strict=True)], labels
    )
    parts: dict[tuple[str, str], list[_RunSet]] = {}
    for place, run, asked in zip(places, renamed, models, strict=True):
        for entry in run.card["sets"]:
            parts.setdefault((entry["name"], entry["digest"]), []).append(_RunSet(place, run, asked, entry))
    all_names = [name for name, _ in parts]
    sets = [
        _locate_set(name if all_names.count(name) == 1 else f"{name} ({labels[of_set[0].folder]})", of_set)
        for (name, _), of_set in parts.items()
    ]
    for location in sets:
        check_set_file(location.file, rows=location.card["rows"])
    return RunCollection(tuple(places), tuple(renamed), tuple(chain.from_iterable(models)), tuple(sets))


def collect_single_run(folder: Path, run: runs.Run, results: Sequence[SetResults]) -> RunCollection:
    """Make a collection of one run whose results are in memory."""
    models = _list_run_models(folder, run)
    sets = [_locate_set(entry["name"], [_RunSet(folder, run, models, entry)]) for entry in run.card["sets"]]
    in_memory = {of_set.name: of_set for of_set in results}
    return RunCollection((folder,), (run,), tuple(models), tuple(sets), in_memory)


def refuse_mixed_rules(collection: RunCollection) -> None:
    """Refuse runs that reduce three labels to two by different rules: their models are not comparable."""
    if len(collection.label_rules) > 1:
        raise InputError(MIXED_RULES.format(", ".join(collection.label_rules)))


def refuse_unfinished_run(place: Path) -> None:
    """Refuse a run that was started but not finished; the error states what is missing."""
    status = None if (place / runs.CARD).exists() else read_unfinished_run(place)
    if status is not None:
        raise InputError(f"The run {str(place)!r} is unfinished: {replace_unprintable(status.describe())}")


def _read_complete_run(place: Path) -> runs.Run:
    """Read a run that is complete and unchanged."""
    refuse_unfinished_run(place)
    if not place.exists():
        remove_leftovers(place.resolve())  # if killed while replacing the run, it may have a hidden name
    if not place.is_dir():
        what = (
            f"{str(place)!r} is a file, not a folder."
            if place.exists()
            else f"There is no folder {str(place)!r}."
        )
        raise InputError(f"{what} Pass a run folder written by `rightreasons evaluate`.")
    runs.verify_manifest(place)
    return runs.read_run(place)


def _rename_models(run: runs.Run, names: Mapping[str, str]) -> runs.Run:
    """Rename some models throughout a run."""
    if not names:
        return run
    models = [{**entry, "name": names.get(entry["name"], entry["name"])} for entry in run.card["models"]]
    _refuse_duplicate_names([entry["name"] for entry in models])
    scores = run.scores.with_columns(pl.col("model").replace(dict(names)))
    notes = tuple(replace(note, model=names.get(note.model, note.model)) for note in run.notes)
    return runs.Run({**run.card, "models": models}, scores, notes)


def _list_run_models(place: Path, run: runs.Run) -> list[RunModel]:
    return [RunModel(entry["name"], entry["baseline"], place, entry) for entry in run.card["models"]]


def _make_folder_labels(places: Sequence[Path]) -> list[str]:
    """Label runs by the shortest ends of their paths that distinguish all runs."""
    parts = [place.resolve().parts for place in places]
    for length in range(1, max(map(len, parts), default=0) + 1):
        labels = ["/".join(part[-length:]) for part in parts]
        if len(set(labels)) == len(labels):
            return labels
    return [str(place) for place in places]


def _disambiguate_model_names(
    models: list[list[RunModel]], labels: Mapping[Path, str]
) -> list[list[RunModel]]:
    """Add the name of the run to models with the same name as a model, or as a different baseline, of another run."""
    names = [model.name for of_run in models for model in of_run if not model.baseline]
    baselines = [model for of_run in models for model in of_run if model.baseline]
    distinct = [
        [
            replace(model, name=f"{model.name} ({labels[model.folder]})")
            if not model.baseline
            and (
                names.count(model.name) > 1
                or any(_differs_from_baseline(model, baseline) for baseline in baselines)
            )
            else model
            for model in of_run
        ]
        for of_run in models
    ]
    _refuse_duplicate_names([model.name for of_run in distinct for model in of_run if not model.baseline])
    return distinct


def _differs_from_baseline(model: RunModel, baseline: RunModel) -> bool:
    """Whether a baseline of another run has the same name as a model but other options."""
    same = model.name == baseline.name and model.folder != baseline.folder
    return same and model.card.get("options") != baseline.card.get("options")


def _refuse_duplicate_names(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Two models would have the name {twice[0]!r}. Rename one of the two with --rename OLD=NEW."
        )


class _RunSet(NamedTuple):
    """One set of one run: the run's folder and models, and the entry of the set in the card."""

    folder: Path
    run: runs.Run
    models: list[RunModel]
    entry: Mapping[str, Any]


def _locate_set(name: str, parts: Sequence[_RunSet]) -> _SetLocation:
    """Find the files of a set; a baseline that several runs have is taken from the first."""
    located: dict[str, tuple[RunModel, str, Path]] = {}
    for folder, run, models, entry in parts:
        rule = str(run.card["rule"])
        scored = {note.model for note in run.notes if note.set == entry["name"]}
        for model in models:
            path = runs.get_predictions_path(folder, entry["slug"], model.card["slug"])
            if model.card["name"] in scored and not (model.baseline and model.name in located):
                located[model.name] = (model, rule, path)
    first = parts[0]
    order = sorted(located.values(), key=lambda entry: entry[0].baseline)
    return _SetLocation(name, first.entry, runs.get_set_path(first.folder, first.entry["slug"]), tuple(order))


def _read_set_results(place: _SetLocation) -> SetResults:
    pairs = read_parquet(place.file, columns=["id", "label"])
    return align_set_predictions(pairs, _read_model_predictions(place)).to_results(
        place.name, place.card, place.file
    )


def _read_model_predictions(place: _SetLocation) -> list[ModelPredictions]:
    return [
        ModelPredictions(model, rule, read_run_predictions(path), path) for model, rule, path in place.models
    ]


def _find_mixed_rules(place: _SetLocation) -> set[str]:
    """List the rules that are applied to the models of one set, if there are several."""
    if len({rule for model, rule, _ in place.models if not model.baseline}) <= 1:  # auto is resolved for all
        return set()
    given = _read_model_predictions(place)
    decisions = decide_label_merging(read_parquet(place.file, columns=["id", "label"]), given)
    used = {
        decisions.rules[model.name].used
        for model, _, table, _ in given
        if counts_for_rule_choice(str(model.card["given"]), baseline=model.baseline)
        and depends_on_rule(table)
    }
    named = {rule for rule in used if rule is not None}
    return named if len(named) > 1 else set()
