"""Runs side by side: for each set its pairs and, row by row beside them, the answers of every model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import plain
from rightreasons.core.labels import LABELS, PROBABILITIES
from rightreasons.core.pairs import PARSES
from rightreasons.inference.status import unfinished
from rightreasons.io.leftovers import remove_dead
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.runs import folder as runs
from rightreasons.runs.schema import check_set, read_predictions
from rightreasons.scoring.accuracy import align_predictions, has_two_labels, must_merge
from rightreasons.scoring.label_rules import choose_set_rule, counts_for_rule, depends_on_rule
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.scoring.label_rules import SetRule


@dataclass(frozen=True)
class RunModel:
    """A model as it was asked in one run; names are told apart by the run where two runs have the same."""

    name: str
    baseline: bool
    folder: Path  # of the run
    card: Mapping[str, Any]  # its entry in the run's card


@dataclass(frozen=True)
class SetResults:
    """One set with the answers of all models that were asked about it.

    Each table of answers has a row per pair, in the order of the pairs: `gold` and `answer` as they were compared,
    `right`, and the probabilities that are known (p_entailment, ...).
    """

    name: str
    card: Mapping[str, Any]  # its entry in the run's card
    file: Path
    models: tuple[RunModel, ...]
    label_rule: str
    predictions: Mapping[str, pl.DataFrame]
    rules: Mapping[str, str] = field(default_factory=dict)  # by which the labels of each model became two
    remarks: tuple[str, ...] = ()  # on that rule

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Read the pairs with their tags; parses are left out, since they are large."""
        columns = [name for name in read_parquet_schema(self.file) if name not in PARSES]
        return read_parquet(self.file, columns=columns)

    @cached_property
    def clusters(self) -> pl.DataFrame | None:
        """Tell which pairs belong together: the number of each one's cluster, null if it is alone."""
        return find_sharing(self.pairs).clusters

    @property
    def requested(self) -> list[str]:
        """Name the models that were asked for, without added baselines."""
        return [model.name for model in self.models if not model.baseline]

    @property
    def golds(self) -> list[str]:
        """List the true labels of the set as they were compared, in the usual order."""
        found = set(next(iter(self.predictions.values()))["gold"].unique())
        return [label for label in LABELS if label in found]


@dataclass(frozen=True)
class RunCollection:
    """One or several runs."""

    folders: tuple[Path, ...]
    runs: tuple[runs.Run, ...]
    models: tuple[RunModel, ...]
    sets: tuple[_SetLocation, ...]

    @property
    def names(self) -> list[str]:
        """Name the sets."""
        return [place.name for place in self.sets]

    @property
    def requested(self) -> list[str]:
        """Name the models that were asked for, without added baselines."""
        return list(dict.fromkeys(model.name for model in self.models if not model.baseline))

    @cached_property
    def rules(self) -> list[str]:
        """List the rules by which the runs made two labels of three, one where models of one set were decided alike."""
        used = sorted({rule for place in self.sets for rule in _find_mixed_rules(place)})
        return used or [str(run.card["rule"]) for run in self.runs][:1]

    def results(self, name: str) -> SetResults:
        """Read one set and the answers to it; whoever goes through all has one in memory at a time."""
        return _read_results(self.place(name))

    def place(self, name: str) -> _SetLocation:
        """Say where one set lies, and which models were asked about it."""
        return next(place for place in self.sets if place.name == name)


@dataclass(frozen=True)
class _SetLocation:
    """Where one set lies, and the answers to it, in each run that has it."""

    name: str
    card: Mapping[str, Any]
    file: Path
    models: tuple[
        tuple[RunModel, str, Path], ...
    ]  # with the rule that its run was asked for, and its answers


def load_runs(
    folders: str | Path | Sequence[str | Path], names: Mapping[str, str] = MappingProxyType({})
) -> RunCollection:
    """Read the cards of some runs and put equal sets together; equal means made the same, by their digest.

    `names` has other names for some of the models, as they are to be shown.
    """
    places = [Path(folder) for folder in ([folders] if isinstance(folders, str | Path) else folders)]
    if len({place.resolve() for place in places}) < len(places):
        raise InputError("The same run is given twice. Give each once.")
    whole = [_read_whole_run(place) for place in places]
    known = {name for run in whole for name in run.models}
    for old in names:
        if old not in known:
            raise UnknownNameError("model", old, known)
    read = [_rename_models(run, names) for run in whole]
    labels = dict(zip(places, _label_folders(places), strict=True))
    models = _disambiguate_models(
        [_list_models(place, run) for place, run in zip(places, read, strict=True)], labels
    )
    found: dict[tuple[str, str], list[tuple[Path, runs.Run, list[RunModel], Mapping[str, Any]]]] = {}
    for place, run, asked in zip(places, read, models, strict=True):
        for entry in run.card["sets"]:
            found.setdefault((entry["name"], entry["digest"]), []).append((place, run, asked, entry))
    all_names = [name for name, _ in found]
    sets = [
        _locate_set(name if all_names.count(name) == 1 else f"{name} ({labels[parts[0][0]]})", parts)
        for (name, _), parts in found.items()
    ]
    return RunCollection(
        tuple(places), tuple(read), tuple(one for each in models for one in each), tuple(sets)
    )


def refuse_mixed_rules(gathered: RunCollection) -> None:
    """Refuse runs that made two labels of three by different rules: their models are not comparable."""
    if len(gathered.rules) > 1:
        raise InputError(
            f"The runs made two labels of three by different rules: {', '.join(gathered.rules)}. "
            "Evaluate them by the same --rule."
        )


def refuse_unfinished(place: Path) -> None:
    """Refuse a run that was begun and isn't there yet, and say what is missing."""
    found = None if (place / runs.CARD).exists() else unfinished(place)
    if found is not None:
        raise InputError(f"The run {str(place)!r} is unfinished: {plain(found.told())}")


def _read_whole_run(place: Path) -> runs.Run:
    """Read a run that is whole and as it was made."""
    refuse_unfinished(place)
    if not place.exists():
        remove_dead(place.resolve())  # a kill while it was replaced may have left it under a hidden name
    if not place.is_dir():
        what = f"{str(place)!r} is a file." if place.exists() else f"There is no folder {str(place)!r}."
        raise InputError(f"{what} Give a run folder, as evaluate writes it.")
    runs.verify_manifest(place)
    return runs.read_run(place)


def _rename_models(run: runs.Run, names: Mapping[str, str]) -> runs.Run:
    """Call some models by other names throughout a run."""
    if not names:
        return run
    models = [{**entry, "name": names.get(entry["name"], entry["name"])} for entry in run.card["models"]]
    _refuse_duplicates([entry["name"] for entry in models])
    scores = run.scores.with_columns(pl.col("model").replace(dict(names)))
    notes = tuple(replace(note, model=names.get(note.model, note.model)) for note in run.notes)
    return runs.Run({**run.card, "models": models}, scores, notes)


def _list_models(place: Path, run: runs.Run) -> list[RunModel]:
    return [RunModel(entry["name"], entry["baseline"], place, entry) for entry in run.card["models"]]


def _label_folders(places: Sequence[Path]) -> list[str]:
    """Name runs by the ends of their paths, as much of them as tells all apart."""
    parts = [place.resolve().parts for place in places]
    for length in range(1, max(map(len, parts), default=0) + 1):
        found = ["/".join(part[-length:]) for part in parts]
        if len(set(found)) == len(found):
            return found
    return [str(place) for place in places]


def _disambiguate_models(models: list[list[RunModel]], labels: Mapping[Path, str]) -> list[list[RunModel]]:
    """Add the run's name to models whose name another run has, too; a baseline of that name counts if it differs."""
    asked = [model for each in models for model in each if not model.baseline]
    names = [model.name for model in asked]
    others = [model for each in models for model in each if model.baseline]
    apart = [
        [
            replace(model, name=f"{model.name} ({labels[model.folder]})")
            if not model.baseline
            and (names.count(model.name) > 1 or any(_is_other_model(model, other) for other in others))
            else model
            for model in each
        ]
        for each in models
    ]
    _refuse_duplicates([model.name for each in apart for model in each if not model.baseline])
    return apart


def _is_other_model(model: RunModel, baseline: RunModel) -> bool:
    """Tell whether a baseline of another run has the name of a model and is another one."""
    same = model.name == baseline.name and model.folder != baseline.folder
    return same and model.card.get("options") != baseline.card.get("options")


def _refuse_duplicates(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Two models would be called {twice[0]!r}. Give them names of their own by --rename OLD=NEW."
        )


def _locate_set(
    name: str, parts: Sequence[tuple[Path, runs.Run, list[RunModel], Mapping[str, Any]]]
) -> _SetLocation:
    """Find the files of a set; a baseline that several runs have is taken from the first."""
    first = parts[0]
    asked: dict[str, tuple[RunModel, str, Path]] = {}
    for folder, run, models, entry in parts:
        rule = str(run.card["rule"])
        for model in models:
            path = runs.predictions_file(folder, entry["slug"], model.card["slug"])
            known = {note.model for note in run.notes if note.set == entry["name"]}
            if model.card["name"] in known and not (model.baseline and model.name in asked):
                asked[model.name] = (model, rule, path)
    order = sorted(asked.values(), key=lambda one: one[0].baseline)
    file = runs.set_file(first[0], first[3]["slug"])
    check_set(file, rows=first[3]["rows"])
    return _SetLocation(name, first[3], file, tuple(order))


def _read_results(place: _SetLocation) -> SetResults:
    found = _apply_rules(place)
    answers: dict[str, pl.DataFrame] = {}
    told: dict[str, str] = {}
    rules: dict[str, str] = {}
    for model, _, path in place.models:
        table = found.given[model.name]
        if not found.merge and must_merge(found.pairs, table):
            continue  # a baseline that knows two labels only
        rule = found.rules[model.name]
        rules[model.name] = rule.rule_for(table, baseline=model.baseline)
        compared, aligned = align_predictions(
            found.pairs, table, rule=rules[model.name], path=path, merge=found.merge
        )
        known = [name for name in PROBABILITIES.values() if name in aligned.columns]
        right = (pl.col("gold") == pl.col("prediction")).alias("right")
        answers[model.name] = compared.table.with_columns(right, *(aligned[name] for name in known))
        told[model.name] = rule.describe(compared.rule)
    models = tuple(model for model, _, _ in place.models if model.name in answers)
    remarks = tuple(dict.fromkeys(text for rule in found.rules.values() for text in rule.remarks))
    return SetResults(
        place.name, place.card, place.file, models, _describe_rule(models, told), answers, rules, remarks
    )


@dataclass(frozen=True)
class _LabelDecisions:
    """The labels of a set, all answers to it, and the rule that decides each model."""

    pairs: pl.DataFrame
    given: Mapping[str, pl.DataFrame]
    merge: bool
    rules: Mapping[str, SetRule]


def _apply_rules(place: _SetLocation) -> _LabelDecisions:
    """Read the answers to a set and choose the rule for each model.

    All models of runs by the rule `auto` are decided alike, whichever run they are from.
    """
    pairs = read_parquet(place.file, columns=["id", "label"])
    given = {model.name: read_predictions(path) for model, _, path in place.models}
    asked = {model.name for model, _, _ in place.models if not model.baseline} or set(given)
    merge = any(must_merge(pairs, answers) for name, answers in given.items() if name in asked)
    merged = merge or has_two_labels(pairs)
    rules: dict[str, SetRule] = {}
    for wanted in {rule for _, rule, _ in place.models}:
        of_rule = {model.name: model for model, rule, _ in place.models if rule == wanted}
        counted = [name for name, model in of_rule.items() if _counts_model(model)]
        found = choose_set_rule(wanted, {name: given[name] for name in counted}, merged=merged)
        rules |= dict.fromkeys(of_rule, found)
    return _LabelDecisions(pairs, given, merge, rules)


def _counts_model(model: RunModel) -> bool:
    return counts_for_rule(str(model.card["given"]), baseline=model.baseline)


def _find_mixed_rules(place: _SetLocation) -> set[str]:
    """List the rules that decide the models of one set if there are several; where none decides, none counts."""
    asked = [model for model, _, _ in place.models if not model.baseline]
    if len({rule for model, rule, _ in place.models if not model.baseline}) < 2:  # noqa: PLR2004 - auto is resolved together
        return set()
    found = _apply_rules(place)
    used = {
        found.rules[model.name].used
        for model in asked
        if _counts_model(model) and depends_on_rule(found.given[model.name])
    }
    named = {rule for rule in used if rule is not None}
    return named if len(named) > 1 else set()


def _describe_rule(models: Sequence[RunModel], rules: Mapping[str, str]) -> str:
    """Say how labels were compared: in one sentence, or model by model where runs did it differently."""
    shown = [model.name for model in models if not model.baseline] or list(rules)
    if len({rules[name] for name in shown}) == 1:
        return rules[shown[0]]
    return "; ".join(f"{name}: {rules[name]}" for name in shown)
