"""A sheet of wrong answers that a person sorts by their kind: a sample, with what the rules suggest beside each."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.audits.cues import Error, cues
from rightreasons.core.errors import InputError
from rightreasons.core.labels import LABELS
from rightreasons.io.csv_injection import inert, restored

if TYPE_CHECKING:
    from pathlib import Path

# The nine of Naik et al. (2018), in their order; the rules suggest the first six.
CATEGORIES = (
    *("word overlap", "negation", "antonymy", "numerical reasoning", "length mismatch", "grammaticality"),
    *("real world knowledge", "ambiguity", "unknown"),
)
_ALIASES = {
    "overlap": "word overlap",
    "antonym": "antonymy",
    "antonyms": "antonymy",
    "numbers": "numerical reasoning",
    "numerical": "numerical reasoning",
    "length": "length mismatch",
    "spelling": "grammaticality",
    "grammar": "grammaticality",
    "world knowledge": "real world knowledge",
    "ambiguous": "ambiguity",
}
_OF_ERRORS = ("set", "model", "id", "premise", "hypothesis", "gold", "prediction", "confidence")
COLUMNS = (*_OF_ERRORS, "suggested", "evidence", "antonym_type", "category")
_GAPS = re.compile(r"[\s_-]+")
_SEPARATORS = {".tsv": "\t"}
_BOM = "utf-8-sig"  # without its mark some spreadsheets take UTF-8 for another encoding


class SheetRow(NamedTuple):
    """One line of a sheet that was read: its number in the file, and its cells by column."""

    number: int
    cells: dict[str, str]


def error_sheet(errors: pl.DataFrame, *, sample: int, seed: int = 0) -> pl.DataFrame:
    """Draw a sample of wrong answers and suggest a kind for each; the category is left for the person.

    `errors` has a row per wrong answer: set, model, id, premise, hypothesis, gold, answer, confidence. The sample does
    not depend on their order; answers without a label are of no kind, and left out.
    """
    labelled = errors.select(_OF_ERRORS).filter(pl.col("prediction").is_in(LABELS)).sort("set", "model", "id")
    if labelled.is_empty():
        raise InputError("There are no wrong answers to sample. Name another model or set.")
    drawn = np.random.default_rng([abs(seed), int(seed < 0)]).permutation(labelled.height)[:sample]
    chosen = labelled[np.sort(drawn)]
    texts = chosen.select("premise", "hypothesis", "gold", "prediction").iter_rows()
    found = [cues(Error(*row)) for row in texts]
    first = [one[0] if one else None for one in found]
    return chosen.with_columns(
        pl.Series("suggested", [cue.category if cue else "" for cue in first], dtype=pl.String),
        pl.Series(
            "evidence",
            ["; ".join(f"{cue.category}: {cue.evidence}" for cue in one) for one in found],
            dtype=pl.String,
        ),
        pl.Series(
            "antonym_type",
            [next((cue.antonym_type for cue in one if cue.antonym_type), "") for one in found],
            dtype=pl.String,
        ),
        pl.lit("").alias("category"),
    ).select(COLUMNS)


def to_text(sheet: pl.DataFrame, ending: str = ".csv") -> str:
    """Write a sheet as CSV, or as TSV for that ending; no cell is taken for a formula."""
    page = io.StringIO()
    writer = csv.writer(page, delimiter=_SEPARATORS.get(ending, ","), lineterminator="\r\n")
    writer.writerow(sheet.columns)
    for row in sheet.iter_rows():
        writer.writerow([_cell(value) for value in row])
    return page.getvalue()


def write_sheet(sheet: pl.DataFrame, path: Path, ending: str) -> None:
    """Write a sheet to a file that spreadsheets read as UTF-8."""
    path.write_text(to_text(sheet, ending), encoding=_BOM, newline="")


def read_sheet(path: Path) -> list[SheetRow]:
    """Read a sheet back, as a person or a spreadsheet saved it: with commas, semicolons or tabs."""
    try:
        with path.open(encoding=_BOM, newline="") as file:
            text = file.read()
        lines = _lines(text)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason}. Save the sheet as CSV in UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{path} is no CSV: {error}. Give a sheet that `errors` wrote.") from error
    names = [restored(name).strip() for name in lines[0][1]] if lines else []
    missing = [name for name in ("id", "suggested", "category") if name not in names]
    if missing:
        raise InputError(
            f"{path}, line 1: there is no column {missing[0]!r}. Give a sheet that `errors` wrote."
        )
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise InputError(
                f"{path}, line {number}: there are {len(cells)} cells where the header has {len(names)}. "
                "Restore the line, or make the sheet again."
            )
    return [
        SheetRow(number, {name: restored(cell) for name, cell in zip(names, cells, strict=True)})
        for number, cells in lines[1:]
    ]


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """Cut a sheet into cells, with the number of the line that each record begins in; empty ones are left out."""
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    lines, start = [], 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            lines.append((start, cells))
        start = reader.line_num + 1
    return lines


def category_of(word: str) -> str | None:
    """Return the category that a word stands for; None if there is none."""
    plain = _GAPS.sub(" ", word).strip().casefold()
    plain = _ALIASES.get(plain, plain)
    return plain if plain in CATEGORIES else None


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else inert(str(value))
