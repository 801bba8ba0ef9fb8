"""Export sets, a run or a trained network to another tool: what an export gets, and the verb."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.core.options import get_schema
from rightreasons.core.pairs import ChallengeSet, compute_digest
from rightreasons.core.plugins import convert_plugin_errors
from rightreasons.evaluation.sets import make_set_entries, refuse_unknown_options
from rightreasons.evaluation.specification import Specification
from rightreasons.io.outputs import check_output_path, write_folder_atomically
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs, refuse_unfinished_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from rightreasons.core.pairs import Card

MARKER = "rightreasons-export.json"
NETWORK = "net:"
# What our splits are called where people look for test and train.
SPLITS = {"eval": "test"}
_DEFAULTS = {"size": None, "limit": None, "seed": 0, "split": "eval"}


@dataclass(frozen=True)
class ExportSet:
    """One set: its name, how the user gave it, and how to load its pairs; one set is in memory at a time."""

    name: str
    given: str
    slug: str
    load: Callable[[], ChallengeSet]


@dataclass(frozen=True)
class ExportSource:
    """What to export: sets, the run that they are from if there is one, or a trained network."""

    sets: tuple[ExportSet, ...] = ()
    run: runs.Run | None = None
    folder: Path | None = None
    network: Path | None = None
    remarks: tuple[str, ...] = ()

    def render_marker(self, target: str) -> str:
        """Write the note that marks an exported folder and says where it came from."""
        note: dict[str, Any] = {"target": target, "made_with": f"rightreasons {__version__}"}
        if self.network is not None:
            note["model"] = f"{NETWORK}{self.network}"
        else:
            note["sets"] = [{"name": item.name, "given": item.given} for item in self.sets]
        if self.run is not None:
            note["run"] = self.run.card["command"]
        return json.dumps(note, indent=2, ensure_ascii=False) + "\n"


def export(
    what: str | Path,
    *,
    to: str,
    out: str | Path | None = None,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    force: bool = False,
    **options: object,
) -> list[str]:
    """Export a run folder, a set (a name, a template file or a file of pairs) or a network; return remarks.

    Options that the export declares are for it, all others for the set. A folder appears whole or not at all. MLflow
    and W&B add to a store: the one in `out`, or without it the one that they are configured for.
    """
    declared = get_schema(registry.get_export_class(to))
    own = {key: value for key, value in options.items() if key.replace("-", "_") in declared}
    part = registry.make_export(to, own)
    if not part.appends:
        if out is None:
            raise InputError(f"The export {to!r} writes a folder. Name the folder with --out.")
        check_output_path(
            out, force=force, folder=True, marker=MARKER
        )  # before a set is generated for nothing
    given = {key: value for key, value in options.items() if key not in own}
    given |= {"size": size, "limit": limit, "seed": seed, "split": split}
    source = _load_export_source(what, to, part.takes, given)
    if part.appends or out is None:
        with _name_plugin_in_errors(to):
            return [*source.remarks, *part.log(source, None if out is None else Path(out))]
    with write_folder_atomically(out, force=force, marker=MARKER) as folder:
        with _name_plugin_in_errors(to):
            remarks = part.write(source, folder)
        (folder / MARKER).write_text(source.render_marker(to), encoding="utf-8")
    return [*source.remarks, *remarks]


def _name_plugin_in_errors(name: str) -> AbstractContextManager[None]:
    """Have errors of a plugin name it; those of built-in exports are shown as they are."""
    return nullcontext() if name in registry.EXPORTS else convert_plugin_errors(f"The export {name!r} fails")


def translate_split(card: Card) -> str:
    """Return what the split of a set is called in other tools; a file of pairs is for testing."""
    split = str(card.options.get("split", "eval"))
    return SPLITS.get(split, split)


def _load_export_source(what: str | Path, to: str, takes: str, given: Mapping[str, Any]) -> ExportSource:
    """Read the run or the network, or generate the set. A name that is both set and folder is the set, if it may be."""
    changed = [key for key, value in given.items() if key not in _DEFAULTS or value != _DEFAULTS[key]]
    if takes == "network":
        _refuse_set_options(what, "network", changed)
        return ExportSource(network=_parse_network_folder(str(what), to))
    is_set = isinstance(what, str) and registry.is_set_name(what)
    if Path(what).is_dir() and not (is_set and takes == "sets"):
        _refuse_set_options(what, "run", changed)
        return _read_run_source(Path(what))
    refuse_unfinished_run(Path(what))
    if takes == "run":
        raise InputError(
            f"The export {to!r} needs a run folder, but {str(what)!r} is not one. Evaluate a model first."
        )
    remarks = []
    if is_set and Path(what).is_dir():
        remarks = [f"Exported the set {what}. To export the folder of that name, write ./{what}."]
    return _generate_set_source(str(what), given, remarks)


def _refuse_set_options(what: str | Path, kind: str, changed: Sequence[str]) -> None:
    if changed:
        raise InputError(
            f"{str(what)!r} is a {kind}, which is exported unchanged. Omit the option {changed[0]!r}."
        )


def _parse_network_folder(what: str, to: str) -> Path:
    if not what.startswith(NETWORK):
        raise InputError(
            f"The export {to!r} needs a network trained with `rightreasons train`, but {what!r} is not one. "
            f"Use {NETWORK}FOLDER."
        )
    return Path(what.removeprefix(NETWORK))


def _read_run_source(folder: Path) -> ExportSource:
    (run,) = load_runs([folder]).runs  # which also refuses a run that is unfinished or was changed
    sets = [
        ExportSet(entry["name"], str(entry["given"]), entry["slug"], _make_set_loader(folder, entry))
        for entry in run.card["sets"]
    ]
    return ExportSource(tuple(sets), run, folder)


def _make_set_loader(folder: Path, entry: Mapping[str, Any]) -> Callable[[], ChallengeSet]:
    def load() -> ChallengeSet:
        from rightreasons.corpora import read_pairs

        challenge_set = read_pairs(runs.get_set_path(folder, entry["slug"]))
        if challenge_set.card.digest != entry["digest"]:
            raise InputError(
                f"The set {entry['name']!r} of the run {str(folder)!r} does not match the digest on the run's card. "
                "Evaluate again."
            )
        return challenge_set

    return load


def _generate_set_source(name: str, given: Mapping[str, Any], remarks: Sequence[str]) -> ExportSource:
    options = {key: value for key, value in given.items() if key not in _DEFAULTS}
    (entry,) = make_set_entries(Specification((), sets=(name,), options=options), [])
    refuse_unknown_options(options, [entry], [])
    generated = entry.generate(**{key: given[key] for key in _DEFAULTS})
    # The digest of the rows, as writing the set would give it.
    card = replace(generated.card, rows=len(generated), digest=compute_digest([generated.pairs]))
    whole = ChallengeSet(generated.pairs, card)
    export_set = ExportSet(entry.name, entry.given, entry.slug, lambda: whole)
    return ExportSource((export_set,), remarks=(*remarks, *card.remarks))
