"""The run folder: the files of one evaluation, from which it can be scored and reported again.

card.json                          how the run was made
sets/SET.parquet                   the pairs, with their card beside
answers/SET/MODEL.parquet          the answers
scores.csv, scores.json            every count, by set, model and tags
report.md, report.html             the page to read, here and in a browser
leaks.json                         what a training file shares with the sets, where one was named
seal.json                          digests of all but the pages
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import PARSES, REQUIRED
from rightreasons.core.shapes import read_json
from rightreasons.io.csv_injection import write_csv
from rightreasons.runs import run_shapes
from rightreasons.scoring.accuracy import FIGURES
from rightreasons.scoring.sharing import WILSON

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

CARD = "card.json"
SCORES = "scores.json"
SCORES_TABLE = "scores.csv"
REPORT = "report.md"
PAGE = "report.html"
LEAKS = "leaks.json"
_ADVICE = "Give a whole run folder, or evaluate again."
# The coarse tags that every run is counted by, where a set has them.
_STANDARD = (("heuristic",), ("heuristic", "subcase"), ("subcase",))


@dataclass(frozen=True)
class Note:
    """How one model's answers to one set were scored, and what to beware of."""

    set: str
    model: str
    label_rule: str
    warnings: tuple[str, ...]
    said: Mapping[str, int] = field(default_factory=dict)  # how often each answer was given


@dataclass(frozen=True)
class Run:
    """One evaluation: its card, its scores, and notes on them."""

    card: dict[str, Any]
    scores: pl.DataFrame
    notes: tuple[Note, ...]
    choice: tuple[
        str, ...
    ] = ()  # which of several models to choose; from the answers, not from the files here

    @property
    def sets(self) -> list[str]:
        """List the names of the sets."""
        return [entry["name"] for entry in self.card["sets"]]

    @property
    def models(self) -> list[str]:
        """List the names of all models, baselines last."""
        return [entry["name"] for entry in self.card["models"]]

    @property
    def asked_models(self) -> list[str]:
        """List the names of the models that were asked for, without added baselines."""
        return [entry["name"] for entry in self.card["models"] if not entry["baseline"]]

    def label_rule(self, name: str) -> str:
        """Say how the labels of one set were compared, which is the same for all models."""
        return next((note.label_rule for note in self.notes if note.set == name), "-")

    def scores_of(self, name: str) -> pl.DataFrame:
        """Choose the scores of one set."""
        return self.scores.filter(pl.col("set") == name)

    @property
    def warnings(self) -> list[str]:
        """List the warnings, of models and of models on sets; added baselines are as odd as they are meant to be."""
        asked = [note for note in self.notes if note.model in self.asked_models]
        of_models = [(entry["name"], entry.get("warnings", ())) for entry in self.card["models"]]
        general = [f"{name}: {text}" for name, texts in of_models for text in texts]
        general += [f"{note.model} on {note.set}: {text}" for note in asked for text in note.warnings]
        return general + [str(text) for text in self.card.get("warnings", ())]


def set_file(folder: Path, slug: str) -> Path:
    """Say where a set lies in a run folder."""
    return folder / "sets" / f"{slug}.parquet"


def answers_file(folder: Path, set_slug: str, model_slug: str) -> Path:
    """Say where a model's answers to a set lie in a run folder."""
    return folder / "answers" / set_slug / f"{model_slug}.parquet"


def write_run(folder: Path, run: Run, page: str) -> None:
    """Write card, scores and report of a run into its folder."""
    scores = {
        "rows": run.scores.to_dicts(),
        "notes": [{**vars(note), "warnings": list(note.warnings)} for note in run.notes],
    }
    (folder / CARD).write_text(_shown(run.card), encoding="utf-8")
    (folder / SCORES).write_text(_shown(scores), encoding="utf-8")
    write_csv(run.scores, folder / SCORES_TABLE)
    (folder / REPORT).write_text(page, encoding="utf-8")


def write_leaks(folder: Path, found: list[dict[str, Any]]) -> None:
    """Write what a training file shares with the sets of a run."""
    (folder / LEAKS).write_text(_shown({"leaks": found}), encoding="utf-8")


def read_leaks(folder: Path) -> list[dict[str, Any]]:
    """Read what a training file shares with the sets of a run; nothing where none was named."""
    if not (folder / LEAKS).exists():
        return []
    found: list[dict[str, Any]] = read_json(
        folder / LEAKS, run_shapes.LEAKS, _ADVICE, run_shapes.check_leaks
    )["leaks"]
    return found


def write_report(folder: Path, page: str) -> None:
    """Replace the report of a run that lies in its folder already."""
    from rightreasons.io.outputs import replacing

    with replacing(folder / REPORT, force=True) as part:
        part.write_text(page, encoding="utf-8")


def read_run(folder: str | Path) -> Run:
    """Read card and scores of a run folder."""
    folder = Path(folder)
    card = read_json(folder / CARD, run_shapes.CARD, _ADVICE, run_shapes.check_names)
    scores = read_json(
        folder / SCORES, run_shapes.SCORES, _ADVICE, lambda found: run_shapes.check_scores(card, found)
    )
    try:
        rows = pl.DataFrame(scores["rows"], infer_schema_length=None)
        if "interval" not in rows.columns:  # runs of older versions have Wilson's everywhere
            rows = rows.with_columns(interval=pl.lit(WILSON))
        rows = rows.with_columns(pl.col("interval").fill_null(WILSON))
        rows = rows.select("set", "model", "by", *tags_of(rows), *FIGURES)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"In the file {str(folder / SCORES)!r}, {error}. {_ADVICE}") from error
    return Run(card, rows, tuple(_note(note) for note in scores["notes"]))


def _note(note: Mapping[str, Any]) -> Note:
    warnings, said = tuple(note["warnings"]), note.get("said", {})
    return Note(note["set"], note["model"], note["label_rule"], warnings, said)


def check_tags(by: Sequence[str], columns: Iterable[Collection[str]]) -> None:
    """Refuse tags to count by that none of the sets has, given their columns, or that the scores have no room for."""
    taken = [tag for tag in by if tag in ("set", "model", "by", *FIGURES)]
    if taken:
        raise InputError(
            f"A run can't be counted by {taken[0]!r}: its scores have a column of that name. Leave it out."
        )
    known = set().union(*columns)
    for tag in by:
        if tag not in known:
            raise UnknownNameError("tag", tag, known - {*REQUIRED, *PARSES, "set"})


def groupings(pairs: pl.DataFrame, by: tuple[str, ...]) -> list[tuple[str, ...]]:
    """List the tags to count by: none, the standard ones, and those asked for, as far as the set has them."""
    has = {
        tag
        for tag in ("heuristic", "subcase")
        if tag in pairs.columns and pairs[tag].drop_nulls().n_unique() > (tag == "subcase")
    }
    standard = [
        tags for tags in _STANDARD if set(tags) <= has and (tags != ("subcase",) or "heuristic" not in has)
    ]
    return list(dict.fromkeys([(), *standard, tuple(tag for tag in by if tag in pairs.columns)]))


def joined(scores: list[pl.DataFrame]) -> pl.DataFrame:
    """Put the scores of all sets and models into one table."""
    table = pl.concat([_with_plain_tags(part) for part in scores], how="diagonal_relaxed")
    return table.select("set", "model", "by", *tags_of(table), *FIGURES)


def _with_plain_tags(scores: pl.DataFrame) -> pl.DataFrame:
    """Make texts of tags that JSON has no value for, or that a reader of it would confuse with others: true and 1."""
    return scores.with_columns(
        pl.col(name).cast(pl.String) for name in tags_of(scores) if not _is_plain(scores[name])
    )


def _is_plain(tag: pl.Series) -> bool:
    if tag.dtype.is_float():
        return bool(tag.drop_nulls().is_finite().all())
    return tag.dtype in (pl.String, pl.Null) or tag.dtype.is_integer()


def tags_of(scores: pl.DataFrame) -> list[str]:
    """List the tag columns of a table of scores."""
    return [name for name in scores.columns if name not in ("set", "model", "by", *FIGURES)]


def _shown(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"
