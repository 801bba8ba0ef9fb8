"""Manual error analysis: sample wrong predictions into a sheet with suggested categories, count a completed sheet."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.audits.error_cues import WrongPrediction, find_cues
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import LABELS, PROBABILITIES, add_missing_probability_columns
from rightreasons.io.csv_injection import escape_formula, unescape_formula
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.runs.collection import RunCollection

# The nine categories of Naik et al. (2018), in their order; rules suggest the first six.
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
SUGGESTED = CATEGORIES[:6]
_ERROR_COLUMNS = ("set", "model", "id", "premise", "hypothesis", "gold", "prediction", "confidence")
COLUMNS = (*_ERROR_COLUMNS, "suggested", "evidence", "antonym_type", "category")
_GAPS = re.compile(r"[\s_-]+")
_SEPARATORS = {".tsv": "\t"}
_BOM = "utf-8-sig"  # without the mark some spreadsheets assume another encoding
_NAMED_LINES = 5  # at most, in a message


class SheetRow(NamedTuple):
    """One line of a sheet: its number in the file, and its cells by column."""

    number: int
    cells: dict[str, str]


def collect_errors(runs: RunCollection, set_name: str | None, model: str | None) -> pl.DataFrame:
    """Collect the wrong predictions of one model on one set, or on all sets of the runs."""
    models = [entry.name for entry in runs.models]
    if model is None and len(runs.requested_models) != 1:
        raise InputError(
            f"The run has several models: {', '.join(runs.requested_models)}. Choose one with --model."
        )
    chosen = model or runs.requested_models[0]
    if chosen not in models:
        raise UnknownNameError("model of this run", chosen, models)
    if set_name is not None and set_name not in runs.set_names:
        raise UnknownNameError("set of this run", set_name, runs.set_names)
    tables = [
        _collect_set_errors(runs, name, chosen) for name in ([set_name] if set_name else runs.set_names)
    ]
    return pl.concat([table for table in tables if table is not None])


def _collect_set_errors(runs: RunCollection, name: str, model: str) -> pl.DataFrame | None:
    """Join the wrong predictions on one set with its pairs; None if the model was not run on it."""
    results = runs.load_set_results(name)
    if model not in results.predictions:
        return None
    predictions = add_missing_probability_columns(results.predictions[model])
    confidence = pl.lit(None, dtype=pl.Float64)
    for label, column in PROBABILITIES.items():
        confidence = pl.when(pl.col("prediction") == label).then(column).otherwise(confidence)
    errors = predictions.select(
        "gold", "prediction", "right", confidence.cast(pl.Float64).alias("confidence")
    )
    origin = (pl.lit(name).alias("set"), pl.lit(model).alias("model"))
    texts = results.pairs.select(*origin, "id", "premise", "hypothesis")
    return pl.concat([texts, errors], how="horizontal").filter(~pl.col("right")).drop("right")


def sample_errors(errors: pl.DataFrame, *, sample: int, seed: int = 0) -> pl.DataFrame:
    """Sample wrong predictions and suggest a category for each; the column category is left blank for the annotator.

    `errors` has a row per wrong prediction: set, model, id, premise, hypothesis, gold, prediction, confidence. The
    sample does not depend on their order; predictions without a label are left out.
    """
    labelled = (
        errors.select(_ERROR_COLUMNS).filter(pl.col("prediction").is_in(LABELS)).sort("set", "model", "id")
    )
    if labelled.is_empty():
        raise InputError("There are no wrong predictions to sample. Choose another model or set.")
    drawn = np.random.default_rng([abs(seed), int(seed < 0)]).permutation(labelled.height)[:sample]
    chosen = labelled[np.sort(drawn)]
    texts = chosen.select("premise", "hypothesis", "gold", "prediction").iter_rows()
    cues = [find_cues(WrongPrediction(*row)) for row in texts]
    columns = {
        "suggested": [row[0].category if row else "" for row in cues],
        "evidence": ["; ".join(f"{cue.category}: {cue.evidence}" for cue in row) for row in cues],
        "antonym_type": [next((cue.antonym_type for cue in row if cue.antonym_type), "") for row in cues],
        "category": [""] * len(cues),
    }
    added = [pl.Series(name, values, dtype=pl.String) for name, values in columns.items()]
    return chosen.with_columns(added).select(COLUMNS)


def render_sheet(sheet: pl.DataFrame, ending: str = ".csv") -> str:
    """Render a sheet as CSV, or as TSV for that extension; no cell is read as a formula."""
    page = io.StringIO()
    writer = csv.writer(page, delimiter=_SEPARATORS.get(ending, ","), lineterminator="\r\n")
    writer.writerow(sheet.columns)
    for row in sheet.iter_rows():
        writer.writerow([_format_cell(value) for value in row])
    return page.getvalue()


def write_sheet(sheet: pl.DataFrame, path: Path, ending: str) -> None:
    """Write a sheet to a file that spreadsheets read as UTF-8."""
    path.write_text(render_sheet(sheet, ending), encoding=_BOM, newline="")


def read_sheet(path: Path) -> list[SheetRow]:
    """Read a sheet as an editor or a spreadsheet saved it: with commas, semicolons or tabs."""
    try:
        with path.open(encoding=_BOM, newline="") as file:
            text = file.read()
        lines = _read_csv_records(text)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason}. Save the sheet as CSV in UTF-8.") from error
    except csv.Error as error:
        raise InputError(
            f"{path} is not valid CSV: {error}. Use a sheet written by `rightreasons errors`."
        ) from error
    names = [unescape_formula(name).strip() for name in lines[0][1]] if lines else []
    missing = [name for name in ("id", "suggested", "category") if name not in names]
    if missing:
        raise InputError(
            f"{path}, line 1: the column {missing[0]!r} is missing. Use a sheet written by `rightreasons errors`."
        )
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise InputError(
                f"{path}, line {number}: {len(cells)} cells, but the header has {len(names)}. "
                "Fix the line, or create the sheet again."
            )
    return [
        SheetRow(number, {name: unescape_formula(cell) for name, cell in zip(names, cells, strict=True)})
        for number, cells in lines[1:]
    ]


def _read_csv_records(text: str) -> list[tuple[int, list[str]]]:
    """Split a sheet into records of cells, each with the number of its first line; empty ones are skipped."""
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    lines, start = [], 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            lines.append((start, cells))
        start = reader.line_num + 1
    return lines


def parse_category(word: str) -> str | None:
    """Return the category that a word stands for, or None."""
    plain = _GAPS.sub(" ", word).strip().casefold()
    plain = _ALIASES.get(plain, plain)
    return plain if plain in CATEGORIES else None


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else escape_formula(str(value))


@dataclass(frozen=True)
class ErrorTally:
    """The counts of one sheet.

    `table`: category, n, share of the annotated lines with its confidence interval. `agreement`: for each suggested
    category, how often the annotator chose the same. `antonyms`: antonym types among the lines annotated as antonymy.
    `sorted` and `blank` count the lines with and without a category.
    """

    table: pl.DataFrame
    agreement: pl.DataFrame
    antonyms: dict[str, int]
    sorted: int
    blank: int


def tally_sheet(path: Path) -> ErrorTally:
    """Count the categories of a sheet; an unknown category is an error that names its lines, blank ones are counted."""
    lines = read_sheet(path)
    chosen = [
        parse_category(line.cells["category"]) if line.cells["category"].strip() else "" for line in lines
    ]
    _refuse_unknown_categories(lines, chosen, path)
    done = [(line, category) for line, category in zip(lines, chosen, strict=True) if category]
    if not done:
        raise InputError(f"{path}: no line has a category yet. Fill in the last column first.")
    counts = Counter(category for _, category in done)
    types = Counter(line.cells.get("antonym_type", "") for line, category in done if category == "antonymy")
    rows = [(category, counts[category]) for category in CATEGORIES]
    return ErrorTally(
        make_share_table(rows, [len(done)] * len(rows), ("category", "n")),
        _count_agreement([(parse_category(line.cells["suggested"]), category) for line, category in done]),
        {name or "unknown": n for name, n in sorted(types.items())},
        len(done),
        len(lines) - len(done),
    )


def _refuse_unknown_categories(lines: Sequence[SheetRow], chosen: Sequence[str | None], path: Path) -> None:
    wrong = [line for line, category in zip(lines, chosen, strict=True) if category is None]
    if wrong:
        places = ", ".join(
            f"{line.number} ({line.cells['category'].strip()!r})" for line in wrong[:_NAMED_LINES]
        )
        more = f" and {len(wrong) - _NAMED_LINES:,} more" if len(wrong) > _NAMED_LINES else ""
        which = "line" if len(wrong) == 1 else "lines"
        raise InputError(
            f"{path}, {which} {places}{more}: unknown category. Use one of: {', '.join(CATEGORIES)}."
        )


def _count_agreement(both: Sequence[tuple[str | None, str]]) -> pl.DataFrame:
    """Count for each suggested category how often it was chosen, and for all together."""
    same = Counter(suggested for suggested, category in both if suggested == category)
    total = Counter(suggested for suggested, _ in both if suggested)
    rows = [(category, same[category]) for category in SUGGESTED if total[category]]
    sizes = [total[category] for category, _ in rows]
    if rows:
        rows.append(("all", sum(n for _, n in rows)))
        sizes.append(sum(sizes))
    return make_share_table(rows, sizes, ("suggested", "chosen")).with_columns(
        pl.Series("of", sizes, dtype=pl.Int64)
    )


def make_share_table(
    rows: Sequence[tuple[str, int]], of: Sequence[int], names: tuple[str, str]
) -> pl.DataFrame:
    """Make a table of counts with their shares of totals, and Wilson's intervals."""
    table = pl.DataFrame(rows, schema={names[0]: pl.String, names[1]: pl.Int64}, orient="row")
    low, high = wilson_interval(table[names[1]].to_numpy(), of)
    share = pl.Series("share", [n / total for (_, n), total in zip(rows, of, strict=True)], dtype=pl.Float64)
    return table.with_columns(share, pl.Series("share_low", low), pl.Series("share_high", high))
