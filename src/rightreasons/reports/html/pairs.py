"""The pairs viewer of a page: which pairs of a set it has, and their packed columns.

All pairs are shown if they fit into a number of bytes, if need be without their parses; else a sample, stratified by
subcase and by the patterns of correct and wrong predictions, so that rare kinds are included.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.labels import (
    CONTRADICTION,
    ENTAILMENT,
    LABELS,
    NEUTRAL,
    NO_LABEL,
    NON_ENTAILMENT,
    PROBABILITIES,
)
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet
from rightreasons.reports.renderers.cells import shorten_name
from rightreasons.reports.report_data import Examples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rightreasons.runs.set_results import SetResults

BUDGET = 7_500_000  # bytes of a page for the pairs of all sets, which leaves room for the rest below 10 MB
_TRIAL_PAIRS = 2_000  # pairs that are packed to estimate the bytes per pair
_MAX_ROUNDS = 5
_FULL_ENOUGH = 0.85  # a sample that fills this share of its bytes is large enough
_KINDS = ("subcase", "heuristic")  # the tag to spread a sample over: the first that the set has

NO_PARSES = "Parses are omitted to keep the file small."
SAMPLED = (
    "Stratified sample over the values of {tag} and the patterns of correct and wrong predictions, so that rare cases "
    "are included: proportions in the sample differ from those in the whole set."
)


def divide_page_bytes(files: Mapping[str, Path], whole: int = BUDGET) -> dict[str, int]:
    """Divide the bytes of a page among sets: a set that needs less than an even share leaves the rest to others.

    What a set needs is taken from the size of its file, which is compressed too.
    """
    needs = {name: 2 * path.stat().st_size + 20_000 for name, path in files.items()}
    given: dict[str, int] = {}
    left = whole
    for name in sorted(needs, key=lambda each: (needs[each], each)):
        given[name] = min(needs[name], left // (len(needs) - len(given)))
        left -= given[name]
    return {name: given[name] + left // len(needs) for name in files}


def select_example_pairs(
    results: SetResults, sets: int = 1, *, budget: int | None = None, seed: int = 0
) -> Examples:
    """Select the pairs of one set to show, with the predictions of the requested models.

    The budget is in bytes; without one, the bytes of a page are divided evenly among a number of sets.
    """
    budget = BUDGET // sets if budget is None else budget
    names = results.requested_models or list(results.predictions)
    predictions = {name: _add_confidence(results.predictions[name]) for name in names}
    whole = Examples(
        results.name, _select_compared_pairs(results, names[0]), predictions, results.pairs.height
    )
    parses = [name for name in PARSE_COLUMNS if name in read_parquet_schema(results.file)]
    parses = [name for name in parses if "binary" not in name] or parses  # those can be read off the others
    order = _order_by_strata(whole, seed)
    if _fits_budget(whole, order, results.file, parses, budget):
        return _add_parses(whole, results.file, parses)
    if parses and _fits_budget(whole, order, results.file, (), budget):
        return _replace_remark(whole, NO_PARSES)
    return _sample_to_fit(whole, order, results.file, parses, budget)


def measure_packed_size(shown: Examples) -> int:
    """Count the bytes that these pairs take in a page."""
    return len(pack_json(encode_examples(shown)))


def _select_compared_pairs(results: SetResults, model: str) -> pl.DataFrame:
    """Return the pairs with their label as compared."""
    gold = results.predictions[model]["gold"].alias("label")
    return results.pairs.drop(name for name in PARSE_COLUMNS if name in results.pairs.columns).with_columns(
        gold
    )


def _add_confidence(predictions: pl.DataFrame) -> pl.DataFrame:
    """Return prediction, right, and the probability of the prediction if it is known."""
    missing = [name for name in PROBABILITIES.values() if name not in predictions.columns]
    nulls = [pl.lit(None, dtype=pl.Float64).alias(name) for name in missing]
    known = {label: pl.col(name) for label, name in PROBABILITIES.items()}
    # The probability of a merged label is the sum over its parts.
    known[NON_ENTAILMENT] = pl.coalesce(known[NEUTRAL] + known[CONTRADICTION], known[NON_ENTAILMENT])
    confidence = pl.coalesce(
        pl.when(pl.col("prediction") == label).then(known[label])
        for label in (ENTAILMENT, NEUTRAL, CONTRADICTION, NON_ENTAILMENT)
    )
    return predictions.with_columns(nulls).select(
        "prediction", "right", confidence=confidence.cast(pl.Float64)
    )


def _order_by_strata(whole: Examples, seed: int) -> pl.Series:
    """Order the rows so that every prefix is a stratified sample: the first of each kind, then the second."""
    place = np.empty(whole.total, dtype=np.int64)
    # By id, so that the sample doesn't depend on the order of the pairs in the file.
    place[whole.pairs["id"].arg_sort().to_numpy()] = np.random.default_rng(seed).permutation(whole.total)
    kinds = [table["right"].alias(f"right {name}") for name, table in enumerate(whole.predictions.values())]
    table = pl.DataFrame([pl.Series("place", place), *_choose_sampling_tag(whole), *kinds])
    groups = [name for name in table.columns if name != "place"]
    turn = pl.col("place").rank("ordinal").over(groups).alias("turn")
    return table.select(turn, "place").select(pl.arg_sort_by("turn", "place")).to_series()


def _choose_sampling_tag(whole: Examples) -> list[pl.Series]:
    """Return the tag to stratify a sample by, or the gold labels if the set has none."""
    tag = next((name for name in _KINDS if name in whole.pairs.columns), "label")
    return [whole.pairs[tag].alias("kind")]


def _fits_budget(whole: Examples, order: pl.Series, file: Path, parses: Sequence[str], budget: int) -> bool:
    """Whether all pairs fit: estimated from some, and packed if the estimate allows it."""
    if _estimate_pair_bytes(whole, order, file, parses) * whole.total > 2 * budget:
        return False
    return measure_packed_size(_add_parses(whole, file, parses)) <= budget


def _estimate_pair_bytes(whole: Examples, order: pl.Series, file: Path, parses: Sequence[str]) -> float:
    """Pack some pairs and count the bytes of one; many together take less."""
    some = _select_example_rows(whole, order.head(_TRIAL_PAIRS), file, parses)
    return measure_packed_size(some) / max(1, some.pairs.height)


def _sample_to_fit(
    whole: Examples, order: pl.Series, file: Path, parses: Sequence[str], budget: int
) -> Examples:
    """Take as many pairs from the start of the order as fit; at least one."""
    count = int(budget / _estimate_pair_bytes(whole, order, file, parses))
    best = _select_example_rows(whole, order.head(1), file, parses)
    for _ in range(_MAX_ROUNDS):
        count = max(1, min(count, whole.total))
        tried = _select_example_rows(whole, order.head(count), file, parses)
        takes = measure_packed_size(tried)
        if takes <= budget and count > best.pairs.height:
            best = tried
        if takes <= budget and (takes >= _FULL_ENOUGH * budget or count == whole.total):
            break
        count = int(count * 0.95 * budget / takes)
    tag = next((name for name in _KINDS if name in whole.pairs.columns), "gold label")
    return _replace_remark(best, SAMPLED.format(tag=tag))


def _select_example_rows(whole: Examples, rows: pl.Series, file: Path, parses: Sequence[str]) -> Examples:
    """Take some rows of pairs and predictions, in the order of the set."""
    chosen = rows.sort()
    pairs = whole.pairs[chosen]
    if parses:
        lazy = scan_parquet(file).select(parses).with_row_index("_row")
        wanted = lazy.filter(pl.col("_row").is_in(chosen.cast(pl.get_index_type()).implode()))
        pairs = pairs.hstack(wanted.collect(engine="streaming").sort("_row").drop("_row"))
    predictions = {name: table[chosen] for name, table in whole.predictions.items()}
    return Examples(whole.set, pairs, predictions, whole.total, whole.remark)


def _add_parses(whole: Examples, file: Path, parses: Sequence[str]) -> Examples:
    if not parses:
        return whole
    pairs = whole.pairs.hstack(read_parquet(file, columns=parses))
    return Examples(whole.set, pairs, whole.predictions, whole.total, whole.remark)


def _replace_remark(shown: Examples, remark: str) -> Examples:
    return Examples(shown.set, shown.pairs, shown.predictions, shown.total, remark)


# Characters that go into a page: of a premise or hypothesis, of a parse, of a tag's value.
MAX_TEXT, MAX_PARSE, MAX_TAG = 10_000, 20_000, 1_000
_USUAL = (*LABELS, *NO_LABEL)


def encode_examples(examples: Examples) -> dict[str, Any]:
    """Return the pairs of one set as plain lists, one per column."""
    pairs = examples.pairs
    tags = [name for name in pairs.columns if name not in (*REQUIRED_COLUMNS, *PARSE_COLUMNS)]
    parses = [name for name in PARSE_COLUMNS if name in pairs.columns]
    return {
        "set": shorten_name(examples.set),
        "total": examples.total,
        "count": pairs.height,
        "remark": examples.remark,
        "id": _cut_texts(pairs["id"], MAX_TAG).to_list(),
        "gold": _encode_values(pairs["label"], usual=_USUAL),
        **{side: _cut_texts(pairs[side], MAX_TEXT).to_list() for side in TEXTS},
        "lengths": {side: _list_full_lengths(pairs[side]) for side in TEXTS},
        "tags": [{"name": shorten_name(name), **_encode_tag(pairs[name])} for name in tags],
        "parses": [{"name": name, "plain": _cut_texts(pairs[name], MAX_PARSE).to_list()} for name in parses],
        "models": [_encode_predictions(name, table) for name, table in examples.predictions.items()],
    }


def _encode_predictions(name: str, table: pl.DataFrame) -> dict[str, Any]:
    """Encode the predictions of a model; confidence in thousandths, if any is known."""
    known = table["confidence"].null_count() < table.height
    thousandths = (table["confidence"].cast(pl.Float64).fill_nan(None) * 1000).round().cast(pl.Int32)
    return {
        "name": shorten_name(name),
        "answer": _encode_values(table["prediction"], usual=_USUAL),
        "right": "".join("1" if right else "0" for right in table["right"]),
        "confidence": thousandths.to_list() if known else None,
    }


def _cut_texts(texts: pl.Series, most: int) -> pl.Series:
    return texts.cast(pl.String).str.slice(0, most)


def _list_full_lengths(texts: pl.Series) -> dict[str, int]:
    """Return the full length of each text that was cut, by row."""
    lengths = texts.cast(pl.String).str.len_chars()
    return {str(row): lengths[row] for row in (lengths > MAX_TEXT).arg_true()}


def _encode_tag(column: pl.Series) -> dict[str, Any]:
    """Encode a tag as codes of its values, or keep it if nearly every pair has its own."""
    texts = _cut_texts(column, MAX_TAG)
    if texts.n_unique() > max(2, column.len() // 2):
        return {"plain": texts.to_list()}
    order = column if column.dtype.is_numeric() else texts
    values = _cut_texts(order.unique().drop_nulls().sort(), MAX_TAG).unique(maintain_order=True)
    return _encode_values(texts, values.to_list())


def _encode_values(
    texts: pl.Series, values: Sequence[str] | None = None, usual: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the distinct values and the index of each row's value; -1 if it has none."""
    if values is None:
        found = texts.unique().drop_nulls().sort().to_list()
        values = [word for word in usual if word in found] + [word for word in found if word not in usual]
    codes = {value: place for place, value in enumerate(values)}
    coded = texts.replace_strict(codes, default=-1, return_dtype=pl.Int32) if codes else None
    places = [-1] * texts.len() if coded is None else coded.fill_null(-1).to_list()
    return {"values": list(values), "codes": places}


# The next level takes twice the time and saves 1%.
GZIP_LEVEL = 6
# Characters that could end a script element, start a comment, or break a line in a script.
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def dump_script_json(value: Any) -> str:
    """Dump a value as JSON that is safe inside a script element."""
    return _dump_json(value).translate(_ESCAPES)


def pack_json(value: Any) -> str:
    """Dump a value as compressed JSON in base64."""
    return pack_text(_dump_json(value))


def pack_text(text: str) -> str:
    """Compress a text to base64; the same text always gives the same output."""
    # A lone surrogate has no encoding.
    compressed = gzip.compress(text.encode("utf-8", "replace"), GZIP_LEVEL, mtime=0)
    return base64.b64encode(compressed).decode("ascii")


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
