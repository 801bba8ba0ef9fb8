"""Binary parses as words and trees: whole columns at once, each distinct parse once.

A parse is a line of words and brackets with spaces between, such as `( ( the judge ) ( slept . ) )`. A closing bracket
joins the last two items before it; a sentence of n words has n - 1 of them, and any other is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.trees import binarise_column
from rightreasons.nets.forests import Trees, build_trees_from_transitions, compute_stack_depths
from rightreasons.nets.text.parsers import (
    BRACKET_SPELLINGS,
    PARSER_CHOICES,
    PARSERS_PHRASE,
    make_binary_parses,
)
from rightreasons.nets.text.tokenization import TokenizedTexts, deduplicate_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

SLICE_SIZE = 16_384  # parses that are read together, since each symbol takes memory several times


class _Symbols(NamedTuple):
    """The words and closing brackets of some parses, concatenated, and their counts."""

    symbols: pl.Series
    closes: NDArray[np.bool_]
    counts: Numbers
    opens: Numbers  # opening brackets right before each symbol
    opened: Numbers  # all opening brackets of each parse


def collect_binary_parses(pairs: pl.DataFrame, parser: str | None = None) -> tuple[pl.Series, pl.Series]:
    """Return a binary parse of every premise and every hypothesis; texts without one are parsed.

    A malformed binary parse is replaced by one made from the labelled parse, if there is one: the released MultiNLI
    has words with a space in them, which make a node of three.
    """
    premises, hypotheses = (_collect_parses_of_side(pairs, side, parser) for side in TEXTS)
    return premises, hypotheses


def has_unparsed_texts(pairs: pl.DataFrame) -> bool:
    """Return whether any text of the pairs has no parse of either kind."""
    kinds = ("binary_parse", "parse")
    return any(
        (
            _get_parse_column(pairs, f"{side}_{kinds[0]}").is_null()
            & _get_parse_column(pairs, f"{side}_{kinds[1]}").is_null()
        ).any()
        for side in TEXTS
    )


def _collect_parses_of_side(pairs: pl.DataFrame, side: str, parser: str | None) -> pl.Series:
    binary, labelled = (_get_parse_column(pairs, f"{side}_{kind}") for kind in ("binary_parse", "parse"))
    wrong = pl.Series(~mark_well_formed_parses(binary)) & binary.is_not_null()
    if (unusable := wrong & labelled.is_null()).any():
        row = unusable.arg_true()[0]
        raise _make_malformed_parse_error(f"the {side} of the pair {pairs['id'][row]!r}", binary[row])
    binary = binary.set(wrong, None)
    derived = binarise_column(labelled.set(binary.is_not_null(), None))
    parses = binary.fill_null(derived)
    lacking = parses.is_null()
    if lacking.any():
        texts = pairs[side].fill_null("").filter(lacking)
        parses = parses.scatter(
            lacking.arg_true(), _parse_texts_without_parse(texts, parser, side, pairs.filter(lacking)["id"])
        )
    return parses.alias(f"{side}_binary_parse")


def _get_parse_column(pairs: pl.DataFrame, name: str) -> pl.Series:
    """Return a column of parses, with null for blanks and for a missing column."""
    if name not in pairs.columns:
        return pl.Series(name, [None] * pairs.height, dtype=pl.String)
    parses = pairs[name].str.strip_chars()
    return parses.set(parses == "", None)


def _parse_texts_without_parse(texts: pl.Series, parser: str | None, side: str, ids: pl.Series) -> pl.Series:
    if parser is None:
        raise InputError(
            f"The {side} of {len(ids):,} pairs has no parse (first: {ids[0]!r}), but the network reads trees. "
            f"Use pairs with parses, or choose a parser: --parser {PARSER_CHOICES}; "
            "for a trained network, -o parser=NAME."
        )
    different, rows = deduplicate_texts(texts)
    parses = pl.Series(make_binary_parses(different, parser), dtype=pl.String)[rows]
    if (blank := parses == "").any():
        raise InputError(f"The {side} of the pair {ids.filter(blank)[0]!r} has no words. Remove the pair.")
    return parses


def _make_malformed_parse_error(place: str, text: str) -> InputError:
    symbols = text.split()
    words, nodes = sum(symbol not in ("(", ")") for symbol in symbols), symbols.count(")")
    fault = (
        f"{words:,} words and {nodes:,} closing brackets instead of {max(words - 1, 0):,}"
        if nodes != words - 1
        else "brackets that don't enclose exactly two parts"
    )
    return InputError(
        f"The binary parse of {place} has {fault}. "
        f"Correct the parse, or clear the field and use a parser: {PARSERS_PHRASE}."
    )


def mark_well_formed_parses(parses: pl.Series) -> NDArray[np.bool_]:
    """Mark the well-formed binary parses; null is not well-formed."""
    texts = parses.fill_null("")
    parts = [
        _mark_well_formed_slice(_split_symbols(texts[start : start + SLICE_SIZE]))
        for start in range(0, len(texts), SLICE_SIZE)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)


def tokenize_parses(parses: pl.Series) -> TokenizedTexts:
    """Read binary parses: their words, with brackets as in texts, and their trees."""
    different, rows = deduplicate_texts(parses)
    words: dict[str, int] = {}
    forms: list[Numbers] = []
    trees: list[Trees] = []
    for start in range(0, len(different), SLICE_SIZE):
        symbols = _split_symbols(pl.Series(different[start : start + SLICE_SIZE], dtype=pl.String))
        wrong = np.flatnonzero(~_mark_well_formed_slice(symbols))
        if len(wrong):
            row = int(np.flatnonzero(rows == start + wrong[0])[0])
            raise _make_malformed_parse_error(f"{parses.name!r} in row {row + 1}", parses[row] or "")
        trees.append(build_trees_from_transitions(symbols.closes, symbols.counts))
        forms.append(_number_words(symbols, words))
    whole = _concatenate_trees(trees)
    return TokenizedTexts([*words], np.concatenate(forms).astype(np.int32), whole.lengths, rows, whole)


def _split_symbols(texts: pl.Series) -> _Symbols:
    """Split parses at spaces."""
    lists = texts.str.strip_chars().str.split(" ")
    table = pl.DataFrame({"row": np.arange(len(texts)), "symbol": lists}).explode("symbol")
    table = table.filter(pl.col("symbol") != "").with_columns(opens=pl.col("symbol") == "(")
    kept, opens = table.filter(~pl.col("opens")), table["opens"].to_numpy()
    counts, opened = (
        np.bincount(part["row"], minlength=len(texts)) for part in (kept, table.filter("opens"))
    )
    before = np.cumsum(opens)[~opens]
    since = np.diff(before, prepend=0)
    firsts = (np.cumsum(counts) - counts)[counts > 0]  # brackets that other parses left open do not count
    since[firsts] = before[firsts] - (np.cumsum(opened) - opened)[counts > 0]
    return _Symbols(kept["symbol"], (kept["symbol"] == ")").to_numpy(), counts, since, opened)


def _mark_well_formed_slice(symbols: _Symbols) -> NDArray[np.bool_]:
    """Mark parses that end with one tree, join only what exists, and open what they close."""
    depths = compute_stack_depths(symbols.closes, symbols.counts)
    rows = np.repeat(np.arange(len(symbols.counts)), symbols.counts)
    wrong = np.zeros(len(symbols.counts), dtype=np.bool_)
    wrong[rows[depths < 1]] = True
    ends = np.cumsum(symbols.counts) - 1
    nonempty = symbols.counts > 0
    wrong |= ~nonempty
    wrong |= symbols.opened != symbols.counts // 2  # as many as closing ones
    wrong[nonempty] |= depths[ends[nonempty]] != 1
    wrong[rows[_count_expected_opening_brackets(symbols, depths, rows) != symbols.opens]] = True
    return ~wrong


def _count_expected_opening_brackets(symbols: _Symbols, depths: Numbers, rows: Numbers) -> Numbers:
    """Count the opening brackets expected before each symbol: one for each node whose first word it is."""
    order = np.lexsort((depths, rows))
    # A node starts with the last word that was put on the stack as high as the node is.
    places = np.arange(len(order))
    firsts = np.maximum.accumulate(np.where(symbols.closes[order], 0, places))
    starts, nodes = order[firsts[symbols.closes[order]]], order[symbols.closes[order]]
    return np.bincount(starts[rows[starts] == rows[nodes]], minlength=len(order))


def _number_words(symbols: _Symbols, words: dict[str, int]) -> Numbers:
    """Number words, adding new ones to the known ones; brackets are spelled as in texts."""
    tokens = symbols.symbols.filter(~pl.Series(symbols.closes))
    different = tokens.unique(maintain_order=True)
    numbers = [words.setdefault(BRACKET_SPELLINGS.get(word, word), len(words)) for word in different]
    return tokens.replace_strict(different, numbers, return_dtype=pl.Int64).to_numpy()


def _concatenate_trees(trees: list[Trees]) -> Trees:
    """Concatenate the trees of several slices."""
    if not trees:
        nothing = np.zeros(0, dtype=np.int64)
        return Trees(nothing, nothing, nothing, nothing, nothing)
    lengths, _, left, right, heights = (np.concatenate(column) for column in zip(*trees, strict=True))
    nodes = lengths - 1
    return Trees(lengths, np.cumsum(nodes) - nodes, left, right, heights)
