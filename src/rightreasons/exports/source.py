"""What is exported: the sets of a run with its scores, or one set that is made or read for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import ChallengeSet, digest
from rightreasons.evaluation import run_spec as recipes
from rightreasons.runs import folder as runs
from rightreasons.runs.results import load_runs, refuse_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.core.pairs import Card

# What our splits are called where people look for test and train.
SPLITS = {"eval": "test"}
_FOLDER_TOO = (
    "The set {what} was exported. There is a folder of that name, too: write ./{what} to export that."
)
_DEFAULTS = {"size": None, "limit": None, "seed": 0, "split": "eval"}


@dataclass(frozen=True)
class ExportSet:
    """One set: its name, how it was given, and how to get its pairs, one set in memory at a time."""

    name: str
    given: str
    slug: str
    load: Callable[[], ChallengeSet]


@dataclass(frozen=True)
class ExportSource:
    """The sets to export, and the run that they are from, if there is one."""

    sets: tuple[ExportSet, ...]
    run: runs.Run | None = None
    folder: Path | None = None
    remarks: tuple[str, ...] = ()

    def note(self, target: str) -> str:
        """Say in the exported folder what it is and where it came from."""
        known = {"target": target, "made_with": f"rightreasons {__version__}"}
        sets = [{"name": one.name, "given": one.given} for one in self.sets]
        command = {"run": self.run.card["command"]} if self.run else {}
        return json.dumps({**known, "sets": sets, **command}, indent=2, ensure_ascii=False) + "\n"


def read(what: str | Path, given: Mapping[str, Any], *, of_run: bool = False) -> ExportSource:
    """Read a run folder, or make the set of that name; sizes and options are for sets alone.

    A name that is both is that of the set, unless a run is needed.
    """
    if not of_run and (isinstance(what, str) and registry.is_set_name(what)):
        there = [_FOLDER_TOO.format(what=what)] if Path(what).is_dir() else []
        return _one_set(what, given, there)
    if not Path(what).is_dir():
        refuse_unfinished(Path(what))
        return _one_set(str(what), given)
    changed = [key for key, value in given.items() if key not in _DEFAULTS or value != _DEFAULTS[key]]
    if changed:
        raise InputError(f"{str(what)!r} is a run, exported as it is. Leave out {changed[0]!r}.")
    return _whole_run(Path(what))


def split_of(card: Card) -> str:
    """Say what the split of a set is called in other tools; a file of pairs is for testing."""
    split = str(card.options.get("split", "eval"))
    return SPLITS.get(split, split)


def _whole_run(folder: Path) -> ExportSource:
    (run,) = load_runs([folder]).runs  # which also refuses a run that is unfinished or was changed
    sets = [
        ExportSet(entry["name"], str(entry["given"]), entry["slug"], _reader(folder, entry))
        for entry in run.card["sets"]
    ]
    return ExportSource(tuple(sets), run, folder)


def _reader(folder: Path, entry: Mapping[str, Any]) -> Callable[[], ChallengeSet]:
    def load() -> ChallengeSet:
        from rightreasons.corpora import read_pairs

        made = read_pairs(runs.set_file(folder, entry["slug"]))
        if made.card.digest != entry["digest"]:
            raise InputError(
                f"The set {entry['name']!r} of the run {str(folder)!r} is not the one that its card names. "
                "Evaluate again."
            )
        return made

    return load


def _one_set(name: str, given: Mapping[str, Any], remarks: Sequence[str] = ()) -> ExportSource:
    options = {key: value for key, value in given.items() if key not in _DEFAULTS}
    (entry,) = recipes.set_entries([name], options, [])
    recipes.check_options(options, [entry], [])
    made = entry.generate(**{key: given[key] for key in _DEFAULTS})
    whole = ChallengeSet(made.pairs, _sealed(made))
    one = ExportSet(entry.name, entry.given, entry.slug, lambda: whole)
    return ExportSource((one,), remarks=(*remarks, *whole.card.remarks))


def _sealed(made: ChallengeSet) -> Card:
    """Give the card the digest of the rows, as writing the set would."""
    return replace(made.card, rows=len(made), digest=digest([made.pairs]))
