"""Binary parses of sentences as words and trees: whole columns at once, each different parse once.

A parse is a line of words and brackets with spaces between, such as `( ( the judge ) ( slept . ) )`. A closing bracket
joins the last two of what stands before it; a sentence of n words has n - 1 of them, and any other is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.trees import binarise_column
from rightreasons.nets.forests import Trees, read_transitions, stack_depths
from rightreasons.nets.text.parsers import CHOICE, PARSERS_SAID, SPELLINGS, parse
from rightreasons.nets.text.splitting import Split, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

SLICE = 16_384  # parses that are read together: their symbols are held several times over


class _Symbols(NamedTuple):
    """The words and closing brackets of some parses, end to end, and how many each has."""

    symbols: pl.Series
    closes: NDArray[np.bool_]
    counts: Numbers
    opens: Numbers  # opening brackets right before each symbol
    opened: Numbers  # all opening brackets of each parse


def parses_of(pairs: pl.DataFrame, parser: str | None = None) -> tuple[pl.Series, pl.Series]:
    """Give a binary parse of every premise and every hypothesis; texts without any are put to the parser.

    A binary parse that is not well-formed is made anew from the labelled parse, if there is one: the released MultiNLI
    has words with a space in them, which make a node of three.
    """
    premises, hypotheses = (_parses(pairs, side, parser) for side in TEXTS)
    return premises, hypotheses


def lack_parses(pairs: pl.DataFrame) -> bool:
    """Tell whether any text of the pairs is without a parse of either kind."""
    kinds = ("binary_parse", "parse")
    return any(
        (
            _column(pairs, f"{side}_{kinds[0]}").is_null() & _column(pairs, f"{side}_{kinds[1]}").is_null()
        ).any()
        for side in TEXTS
    )


def _parses(pairs: pl.DataFrame, side: str, parser: str | None) -> pl.Series:
    binary, labelled = (_column(pairs, f"{side}_{kind}") for kind in ("binary_parse", "parse"))
    wrong = pl.Series(~well_formed(binary)) & binary.is_not_null()
    if (stuck := wrong & labelled.is_null()).any():
        row = stuck.arg_true()[0]
        raise _malformed(f"the {side} of the pair {pairs['id'][row]!r}", binary[row])
    binary = binary.set(wrong, None)
    derived = binarise_column(labelled.set(binary.is_not_null(), None))
    parses = binary.fill_null(derived)
    lacking = parses.is_null()
    if lacking.any():
        texts = pairs[side].fill_null("").filter(lacking)
        parses = parses.scatter(lacking.arg_true(), _parsed(texts, parser, side, pairs.filter(lacking)["id"]))
    return parses.alias(f"{side}_binary_parse")


def _column(pairs: pl.DataFrame, name: str) -> pl.Series:
    """Give a column of parses, with null for blanks and where the column is missing."""
    if name not in pairs.columns:
        return pl.Series(name, [None] * pairs.height, dtype=pl.String)
    parses = pairs[name].str.strip_chars()
    return parses.set(parses == "", None)


def _parsed(texts: pl.Series, parser: str | None, side: str, ids: pl.Series) -> pl.Series:
    if parser is None:
        raise InputError(
            f"The {side} of {len(ids):,} pairs has no parse (the first is {ids[0]!r}), and the network reads trees. "
            f"Use pairs with parses, or choose a parser: --parser {CHOICE}; "
            "for a network that is trained already, -o parser=NAME."
        )
    different, rows = numbered(texts)
    parses = pl.Series(parse(different, parser), dtype=pl.String)[rows]
    if (blank := parses == "").any():
        raise InputError(f"The {side} of the pair {ids.filter(blank)[0]!r} has no words. Leave it out.")
    return parses


def _malformed(place: str, text: str) -> InputError:
    symbols = text.split()
    words, nodes = sum(symbol not in ("(", ")") for symbol in symbols), symbols.count(")")
    fault = (
        f"{words:,} words and {nodes:,} closing brackets, where {max(words - 1, 0):,} belong"
        if nodes != words - 1
        else "brackets that don't join two parts each"
    )
    return InputError(
        f"The binary parse of {place} has {fault}. "
        f"Correct it, or empty the field and choose a parser: {PARSERS_SAID}."
    )


def well_formed(parses: pl.Series) -> NDArray[np.bool_]:
    """Tell which binary parses are well-formed; null is not."""
    texts = parses.fill_null("")
    parts = [_sound(_symbols(texts[start : start + SLICE])) for start in range(0, len(texts), SLICE)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)


def split_parses(parses: pl.Series) -> Split:
    """Read binary parses: their words, with brackets as texts have them, and their trees."""
    different, rows = numbered(parses)
    words: dict[str, int] = {}
    forms: list[Numbers] = []
    trees: list[Trees] = []
    for start in range(0, len(different), SLICE):
        some = _symbols(pl.Series(different[start : start + SLICE], dtype=pl.String))
        wrong = np.flatnonzero(~_sound(some))
        if len(wrong):
            row = int(np.flatnonzero(rows == start + wrong[0])[0])
            raise _malformed(f"{parses.name!r} in row {row + 1}", parses[row] or "")
        trees.append(read_transitions(some.closes, some.counts))
        forms.append(_forms(some, words))
    whole = _joined(trees)
    return Split([*words], np.concatenate(forms).astype(np.int32), whole.lengths, rows, whole)


def _symbols(texts: pl.Series) -> _Symbols:
    """Take parses apart at their spaces."""
    lists = texts.str.strip_chars().str.split(" ")
    table = pl.DataFrame({"row": np.arange(len(texts)), "symbol": lists}).explode("symbol")
    table = table.filter(pl.col("symbol") != "").with_columns(opens=pl.col("symbol") == "(")
    kept, opens = table.filter(~pl.col("opens")), table["opens"].to_numpy()
    counts, opened = (
        np.bincount(part["row"], minlength=len(texts)) for part in (kept, table.filter("opens"))
    )
    before = np.cumsum(opens)[~opens]
    since = np.diff(before, prepend=0)
    firsts = (np.cumsum(counts) - counts)[counts > 0]  # what other parses left open doesn't count
    since[firsts] = before[firsts] - (np.cumsum(opened) - opened)[counts > 0]
    return _Symbols(kept["symbol"], (kept["symbol"] == ")").to_numpy(), counts, since, opened)


def _sound(some: _Symbols) -> NDArray[np.bool_]:
    """Tell which parses end with one tree, never join what isn't there, and open what they close."""
    depths = stack_depths(some.closes, some.counts)
    rows = np.repeat(np.arange(len(some.counts)), some.counts)
    wrong = np.zeros(len(some.counts), dtype=np.bool_)
    wrong[rows[depths < 1]] = True
    ends = np.cumsum(some.counts) - 1
    there = some.counts > 0
    wrong |= ~there
    wrong |= some.opened != some.counts // 2  # as many as closing ones
    wrong[there] |= depths[ends[there]] != 1
    wrong[rows[_opened(some, depths, rows) != some.opens]] = True
    return ~wrong


def _opened(some: _Symbols, depths: Numbers, rows: Numbers) -> Numbers:
    """Count the brackets that belong before each symbol: one for each node whose first word it is."""
    order = np.lexsort((depths, rows))
    # A node starts with the last word that was put on the stack as high as the node is.
    places = np.arange(len(order))
    firsts = np.maximum.accumulate(np.where(some.closes[order], 0, places))
    starts, nodes = order[firsts[some.closes[order]]], order[some.closes[order]]
    return np.bincount(starts[rows[starts] == rows[nodes]], minlength=len(order))


def _forms(some: _Symbols, words: dict[str, int]) -> Numbers:
    """Number words, adding new ones to those that are known; brackets are spelled as in texts."""
    tokens = some.symbols.filter(~pl.Series(some.closes))
    different = tokens.unique(maintain_order=True)
    numbers = [words.setdefault(SPELLINGS.get(word, word), len(words)) for word in different]
    return tokens.replace_strict(different, numbers, return_dtype=pl.Int64).to_numpy()


def _joined(trees: list[Trees]) -> Trees:
    """Lay the trees of several slices end to end."""
    if not trees:
        nothing = np.zeros(0, dtype=np.int64)
        return Trees(nothing, nothing, nothing, nothing, nothing)
    lengths, _, left, right, heights = (np.concatenate(column) for column in zip(*trees, strict=True))
    nodes = lengths - 1
    return Trees(lengths, np.cumsum(nodes) - nodes, left, right, heights)
