"""The run folder: the files of one evaluation, from which it can be scored and reported again.

card.json                          how the run was made
sets/SET.parquet                   the pairs, next to their card
predictions/SET/MODEL.parquet      the predictions
scores.csv, scores.json            every count, by set, model and tags
report.md, report.html             the page to read, here and in a browser
leaks.json                         what a training file shares with the sets, where one was named
training.json                      what that training file teaches
manifest.json                      checksums of all files except the reports
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.json_shapes import read_json
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS
from rightreasons.io.csv_injection import write_csv
from rightreasons.runs import schema
from rightreasons.scoring.accuracy import SCORE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

CARD = "card.json"
SCORES = "scores.json"
SCORES_TABLE = "scores.csv"
REPORT = "report.md"
PAGE = "report.html"
LEAKS = "leaks.json"
TRAINING = "training.json"
PREDICTIONS = "predictions"
MANIFEST = "manifest.json"
FORMAT = 2  # of the run folder; format 1 called predictions answers
_REPORTS = (".md", ".html")  # rendered from the other files, and rewritten at will
# The coarse tags that every run is counted by, where a set has them.
_STANDARD = (("heuristic",), ("heuristic", "subcase"), ("subcase",))


@dataclass(frozen=True)
class ScoringNote:
    """How the predictions of one model on one set were scored, and warnings."""

    set: str
    model: str
    label_rule: str
    warnings: tuple[str, ...]
    predicted: Mapping[str, int] = field(default_factory=dict)  # how often each label was predicted


@dataclass(frozen=True)
class Run:
    """One evaluation: its card, its scores, and notes on them."""

    card: dict[str, Any]
    scores: pl.DataFrame
    notes: tuple[ScoringNote, ...]

    @property
    def sets(self) -> list[str]:
        """List the names of the sets."""
        return [entry["name"] for entry in self.card["sets"]]

    @property
    def models(self) -> list[str]:
        """List the names of all models, baselines last."""
        return [entry["name"] for entry in self.card["models"]]

    @property
    def requested_models(self) -> list[str]:
        """List the names of the requested models, without added baselines."""
        return [entry["name"] for entry in self.card["models"] if not entry["baseline"]]

    def label_rule(self, name: str) -> str:
        """Describe how the labels of one set were compared, the same for all models."""
        return next((note.label_rule for note in self.notes if note.set == name), "-")

    def get_scores(self, name: str) -> pl.DataFrame:
        """Select the scores of one set."""
        return self.scores.filter(pl.col("set") == name)

    @property
    def warnings(self) -> list[str]:
        """List the warnings on the requested models, in general and on each set; baselines may be suspicious."""
        asked = [note for note in self.notes if note.model in self.requested_models]
        of_models = [(entry["name"], entry.get("warnings", ())) for entry in self.card["models"]]
        general = [f"{name}: {text}" for name, texts in of_models for text in texts]
        general += [f"{note.model} on {note.set}: {text}" for note in asked for text in note.warnings]
        return general + [str(text) for text in self.card.get("warnings", ())]


def get_set_path(folder: Path, slug: str) -> Path:
    """Return the path of a set in a run folder."""
    return folder / "sets" / f"{slug}.parquet"


def get_predictions_path(folder: Path, set_slug: str, model_slug: str) -> Path:
    """Return the path of a model's predictions on a set in a run folder."""
    return folder / PREDICTIONS / set_slug / f"{model_slug}.parquet"


def write_card_and_scores(folder: Path, run: Run) -> None:
    """Write card and scores of a run into its folder."""
    scores = {
        "rows": run.scores.to_dicts(),
        "notes": [{**vars(note), "warnings": list(note.warnings)} for note in run.notes],
    }
    (folder / CARD).write_text(_format_json(run.card), encoding="utf-8")
    (folder / SCORES).write_text(_format_json(scores), encoding="utf-8")
    write_csv(run.scores, folder / SCORES_TABLE)


def write_leaks(folder: Path, leaks: list[dict[str, Any]]) -> None:
    """Write what a training file shares with the sets of a run."""
    (folder / LEAKS).write_text(_format_json({"leaks": leaks}), encoding="utf-8")


def read_leaks(folder: Path) -> list[dict[str, Any]]:
    """Read what a training file shares with the sets of a run; nothing where none was named."""
    if not (folder / LEAKS).exists():
        return []
    content = read_json(folder / LEAKS, schema.LEAKS, schema.ADVICE, schema.check_leak_tables)
    leaks: list[dict[str, Any]] = content["leaks"]
    return leaks


def write_training(folder: Path, training: Mapping[str, Any]) -> None:
    """Write what the training file of a run teaches."""
    (folder / TRAINING).write_text(_format_json(training), encoding="utf-8")


def read_training(folder: Path) -> dict[str, Any] | None:
    """Read what the training file of a run teaches; None where none was named."""
    if not (folder / TRAINING).exists():
        return None
    training: dict[str, Any] = read_json(folder / TRAINING, schema.TRAINING, schema.ADVICE)
    return training


def read_run(folder: str | Path) -> Run:
    """Read card and scores of a run folder."""
    folder = Path(folder)
    refuse_older_format(folder)
    card = read_json(folder / CARD, schema.CARD, schema.ADVICE, schema.check_unique_names)
    if card["format"] != FORMAT:
        raise InputError(
            f"The run {str(folder)!r} has format {card['format']}; this version reads format {FORMAT}. "
            "Read it with the version that wrote it, or evaluate again."
        )
    scores = read_json(
        folder / SCORES, schema.SCORES, schema.ADVICE, lambda value: schema.check_scores(card, value)
    )
    try:
        rows = pl.DataFrame(scores["rows"], infer_schema_length=None)
        rows = rows.select("set", "model", "by", *list_score_tag_columns(rows), *SCORE_COLUMNS)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"In the file {str(folder / SCORES)!r}, {error}. {schema.ADVICE}") from error
    return Run(card, rows, tuple(_build_scoring_note(note) for note in scores["notes"]))


def _build_scoring_note(note: Mapping[str, Any]) -> ScoringNote:
    warnings, predicted = tuple(note["warnings"]), note.get("predicted", {})
    return ScoringNote(note["set"], note["model"], note["label_rule"], warnings, predicted)


def check_run_tags(by: Sequence[str], columns: Iterable[Collection[str]]) -> None:
    """Refuse tags that none of the sets has, given their columns, or whose name the scores use themselves."""
    taken = [tag for tag in by if tag in ("set", "model", "by", *SCORE_COLUMNS)]
    if taken:
        raise InputError(
            f"Scores can't be broken down by {taken[0]!r}, because they have a column with this name. Omit this tag."
        )
    known = set().union(*columns)
    for tag in by:
        if tag not in known:
            raise UnknownNameError("tag", tag, known - {*REQUIRED_COLUMNS, *PARSE_COLUMNS, "set"})


def list_tag_groupings(pairs: pl.DataFrame, by: tuple[str, ...]) -> list[tuple[str, ...]]:
    """List the groupings of a set: no tag, the standard tags, and the requested ones that it has."""
    has = {
        tag
        for tag in ("heuristic", "subcase")
        if tag in pairs.columns and pairs[tag].drop_nulls().n_unique() > (tag == "subcase")
    }
    standard = [
        tags for tags in _STANDARD if set(tags) <= has and (tags != ("subcase",) or "heuristic" not in has)
    ]
    return list(dict.fromkeys([(), *standard, tuple(tag for tag in by if tag in pairs.columns)]))


def join_score_tables(scores: list[pl.DataFrame]) -> pl.DataFrame:
    """Put the scores of all sets and models into one table."""
    table = pl.concat([_cast_tags_for_json(part) for part in scores], how="diagonal_relaxed")
    return table.select("set", "model", "by", *list_score_tag_columns(table), *SCORE_COLUMNS)


def _cast_tags_for_json(scores: pl.DataFrame) -> pl.DataFrame:
    """Convert tags to text if JSON has no value for them, or a reader would confuse their values, as true and 1."""
    return scores.with_columns(
        pl.col(name).cast(pl.String)
        for name in list_score_tag_columns(scores)
        if not _is_json_safe(scores[name])
    )


def _is_json_safe(tag: pl.Series) -> bool:
    if tag.dtype.is_float():
        return bool(tag.drop_nulls().is_finite().all())
    return tag.dtype in (pl.String, pl.Null) or tag.dtype.is_integer()


def list_score_tag_columns(scores: pl.DataFrame) -> list[str]:
    """List the tag columns of a table of scores."""
    return [name for name in scores.columns if name not in ("set", "model", "by", *SCORE_COLUMNS)]


def _format_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def write_manifest(folder: Path) -> None:
    """Write the checksums of all files of a run except its reports."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in _REPORTS)
    digests = {
        path.relative_to(folder).as_posix(): _hash_file(path) for path in files if path.name != MANIFEST
    }
    (folder / MANIFEST).write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def verify_manifest(folder: Path) -> None:
    """Refuse a run with a missing or changed file."""
    refuse_older_format(folder)
    if not (folder / CARD).exists():
        raise _make_missing_file_error(folder, CARD)
    if not (folder / MANIFEST).exists():
        raise _make_missing_file_error(folder, MANIFEST)
    digests = read_json(folder / MANIFEST, schema.MANIFEST, "Evaluate again.")
    for name, digest in digests.items():
        path = folder / name
        if not path.is_file():
            raise _make_missing_file_error(folder, name)
        if _hash_file(path) != digest:
            raise InputError(
                f"The file {name} of the run {str(folder)!r} was changed after the run was written, so its scores "
                "can't be trusted. Restore the file, or evaluate again."
            )


def _make_missing_file_error(folder: Path, missing: str) -> InputError:
    return InputError(f"The run folder {str(folder)!r} has no {missing}. {schema.ADVICE}")


def refuse_older_format(folder: Path) -> None:
    """Refuse a run of format 1, which has a folder answers/ and no manifest."""
    if (folder / "answers").is_dir() and not (folder / MANIFEST).exists():
        raise InputError(
            f"The run {str(folder)!r} has the format of rightreasons 0.5 and earlier, which this version can't read. "
            "Evaluate again."
        )


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
