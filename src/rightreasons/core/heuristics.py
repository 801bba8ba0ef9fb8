"""The three heuristics as predicates over columns: lexical overlap, subsequence, constituent.

Words are compared in lower case without the punctuation . , ? ! at their ends, so that tokenised text
("the judge .") and natural text ("the judge.") count alike. An empty hypothesis is never covered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rightreasons.core import trees
from rightreasons.core.errors import InputError

CLAUSE_LABEL = "S"


def normalise_words(texts: pl.Expr) -> pl.Expr:
    """Show texts as lower-case words with single spaces, without . , ? ! at the ends of words."""
    return (
        texts.str.to_lowercase()
        .str.replace_all(r"[.,?!]+(?:\s|$)", " ")
        .str.replace_all(r"(?:^|\s)[.,?!]+", " ")
        .str.replace_all(r"\s+", " ")
        .str.strip_chars()
    )


def has_lexical_overlap(premise: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses use only words of their premise, however often and in any order."""
    words = _normalise_both_texts(premise, hypothesis).with_columns(pl.all().str.split(" "))
    strange = pl.col("hypothesis").list.set_difference("premise").list.len()
    return words.select(lexical_overlap=(strange == 0) & _has_words(pl.col("hypothesis").list.join(" ")))[
        "lexical_overlap"
    ]


def is_subsequence(premise: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses are an unbroken run of the premise's words."""
    inside = _surround_with_spaces("premise").str.contains(_surround_with_spaces("hypothesis"), literal=True)
    words = _normalise_both_texts(premise, hypothesis)
    return words.select(subsequence=inside & _has_words(pl.col("hypothesis")))["subsequence"]


def is_constituent(premise_parse: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses are, word for word, a clause (a node labelled S) of the premise's parse.

    Other nodes don't count: some hypotheses of HANS are noun phrases of their premise and yet belong to the
    subsequence heuristic. A row without a parse has no answer: null.
    """
    clauses = find_subtrees(premise_parse.cast(pl.String), CLAUSE_LABEL)
    rows = pl.col("row")
    spoken = normalise_words(pl.col("tree").str.replace_all(r"\([^\s()]*|\)", " "))
    wanted = hypothesis.to_frame("hypothesis").select(normalise_words(pl.col("hypothesis")))["hypothesis"]
    same = clauses.select(rows, same=spoken == wanted.gather(clauses["row"])).filter("same")
    applies = pl.int_range(wanted.len(), eager=True, dtype=pl.UInt32).is_in(same["row"].implode())
    table = pl.DataFrame({"applies": applies, "words": wanted, "known": premise_parse.is_not_null()})
    covered = pl.col("applies") & _has_words(pl.col("words"))
    return table.select(constituent=pl.when("known").then(covered))["constituent"]


def _normalise_both_texts(premise: pl.Series, hypothesis: pl.Series) -> pl.DataFrame:
    """Put the plain words of both texts side by side."""
    return pl.DataFrame({"premise": premise, "hypothesis": hypothesis}).select(normalise_words(pl.all()))


def _surround_with_spaces(name: str) -> pl.Expr:
    """Surround the words with spaces, so that only whole words match."""
    return " " + pl.col(name) + " "


def _has_words(words: pl.Expr) -> pl.Expr:
    """Say which texts have any word at all."""
    return words != ""


Positions = npt.NDArray[np.int64]

EMPTY_NODE_PATTERN = r"\([^\s()]*\s*\)"


class _Brackets(NamedTuple):
    """All brackets of a column: the bytes, where each is, how deep, and where the rows start among them."""

    data: bytes
    places: Positions
    depths: Positions
    rows: Positions
    starts: Positions


def find_subtrees(parses: pl.Series, label: str) -> pl.DataFrame:
    """Find all nodes with a label: `row` (from 0) and `tree`, the node's spelling; rows in order."""
    brackets = _find_brackets(parses)
    _check_suspect_trees(parses, brackets)
    _check_nesting_depth(parses, brackets)
    by_depth = np.argsort(brackets.depths, kind="stable")
    first, last = brackets.places[by_depth[0::2]], brackets.places[by_depth[1::2]]
    wanted = np.flatnonzero(_is_followed_by_label(brackets.data, first, label))
    wanted = wanted[np.argsort(first[wanted])]
    first, last = first[wanted], last[wanted]
    slices = zip(first.tolist(), last.tolist(), strict=True)
    nodes = [brackets.data[start : stop + 1].decode() for start, stop in slices]
    rows = np.searchsorted(brackets.starts, first, side="right") - 1
    return pl.DataFrame({"row": rows, "tree": nodes}, schema={"row": pl.UInt32, "tree": pl.String})


def _find_brackets(parses: pl.Series) -> _Brackets:
    """Lay the trees end to end and find their brackets; null counts as no tree."""
    texts = parses.fill_null("")
    data = "\n".join(texts).encode()
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64) + 1
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))[:-1]
    letters = np.frombuffer(data, dtype=np.uint8)
    places = np.flatnonzero((letters == ord("(")) | (letters == ord(")")))
    opens = letters[places] == ord("(")
    # A node's depth is that of its parent plus one, for its opening and its closing bracket alike.
    depths = np.cumsum(np.where(opens, 1, -1)) + np.where(opens, 0, 1)
    return _Brackets(data, places, depths, np.searchsorted(places, starts), starts)


def _is_followed_by_label(data: bytes, first: Positions, label: str) -> npt.NDArray[np.bool_]:
    """Say which opening brackets are followed by the label and then by a space or a bracket."""
    letters = np.frombuffer(data + b"\n" * (len(label.encode()) + 2), dtype=np.uint8)
    matches = np.ones(len(first), dtype=np.bool_)
    for offset, letter in enumerate(label.encode(), start=1):
        matches &= letters[first + offset] == letter
    after = letters[first + len(label.encode()) + 1]
    return matches & np.isin(after, np.frombuffer(b" \t\n(", dtype=np.uint8))


def _check_suspect_trees(parses: pl.Series, brackets: _Brackets) -> None:
    """Read every tree that may be malformed, one by one, so that the error names its row."""
    for text in parses.filter(_find_suspect_rows(parses, brackets)).drop_nulls():
        trees.parse_column_tree(parses, text)


def _check_nesting_depth(parses: pl.Series, brackets: _Brackets) -> None:
    """Refuse trees that are nested so deep that the spellings of their nodes would not fit in memory."""
    deep = np.flatnonzero(brackets.depths > trees.MAX_DEPTH)
    if len(deep):
        row = int(np.searchsorted(brackets.rows, deep[0], side="right"))
        what = f"Column {parses.name!r}, row {row}: the tree has more than {trees.MAX_DEPTH:,} levels"
        raise InputError(f"{what}. Correct the parse, or remove it.")


def _find_suspect_rows(parses: pl.Series, brackets: _Brackets) -> pl.Series:
    """Say which rows may be malformed: all, if the brackets don't balance row by row."""
    opens_root = brackets.depths == 1
    roots = np.concatenate(([0], np.cumsum(opens_root)))
    ends = np.append(brackets.rows[1:], len(brackets.places))
    count = roots[ends] - roots[brackets.rows]
    closed = _is_balanced(brackets, ends)
    if not closed:
        return pl.repeat(value=True, n=parses.len(), eager=True)
    stripped = parses.str.strip_chars()
    whole = (
        stripped.str.starts_with("(")
        & stripped.str.ends_with(")")
        & ~stripped.str.contains(EMPTY_NODE_PATTERN)
    )
    return ~whole | pl.Series(count != 2)  # noqa: PLR2004 (one root: one bracket opens it, one closes it)


def _is_balanced(brackets: _Brackets, ends: Positions) -> bool:
    """Say whether no bracket closes too early and every row closes all that it opened."""
    if len(brackets.depths) == 0:
        return True
    occupied = ends > brackets.rows
    last = ends[occupied] - 1
    closes = np.frombuffer(brackets.data, dtype=np.uint8)[brackets.places[last]] == ord(")")
    return bool((brackets.depths >= 1).all() and (closes & (brackets.depths[last] == 1)).all())
