"""Bracketed trees: parsing, formatting, words, binary parses, spans and constituents.

Two spellings are read. `(NN judge)` has the label NN; `( the judge )`, with a space after the bracket, has
none: that is how binary parses are written. Nothing here recurses, so no tree is too deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from rightreasons.core.errors import InputError

MAX_DEPTH = 1_000  # of a labelled tree in a column: parses of real sentences have far fewer levels
MAX_QUOTED = 60  # characters of a tree that an error quotes
TOKEN = re.compile(r"\([^\s()]*|\)|[^\s()]+")


@dataclass(slots=True, eq=False, repr=False)
class Tree:
    """A node: its label ("" for none) and its children, which are nodes or words."""

    label: str
    children: tuple[Tree | str, ...]

    def __eq__(self, other: object) -> bool:
        """Compare by spelling, which distinguishes any two trees and doesn't recurse."""
        return isinstance(other, Tree) and format_tree(self) == format_tree(other)

    def __hash__(self) -> int:
        """Hash the spelling."""
        return hash(format_tree(self))

    def __repr__(self) -> str:
        """Show the tree on one line."""
        return format_tree(self)


class Span(NamedTuple):
    """A node as a range of words: from start up to, not including, stop."""

    label: str
    start: int
    stop: int


def parse_tree(text: str) -> Tree:
    """Read one bracketed tree; a single bare word is a tree of one leaf."""
    root: list[Tree | str] = []
    labels, open_nodes = [""], [root]
    for index, piece in enumerate(TOKEN.findall(text)):
        if len(open_nodes) == 1 and root:
            raise _build_tree_error(text, index, "continues after its last closing bracket")
        if piece[0] == "(":
            labels.append(piece[1:])
            open_nodes.append([])
        elif piece != ")":
            open_nodes[-1].append(piece)
        elif len(open_nodes) == 1:
            raise _build_tree_error(text, index, "closes a bracket that was never opened")
        elif not (children := open_nodes.pop()):
            raise _build_tree_error(text, index, "has a node without words")
        else:
            open_nodes[-1].append(Tree(labels.pop(), tuple(children)))
    if len(open_nodes) > 1:
        raise _build_tree_error(text, None, f"ends with {len(open_nodes) - 1} open bracket(s)")
    return _get_root(text, root)


def _get_root(text: str, root: list[Tree | str]) -> Tree:
    """Return the root, or raise InputError if the text is empty."""
    if not root:
        raise _build_tree_error(text, None, "is empty")
    return root[0] if isinstance(root[0], Tree) else Tree("", (root[0],))


def _build_tree_error(text: str, index: int | None, what: str) -> InputError:
    """Build the error for a malformed tree, with the position of the character (from 1)."""
    starts = [match.start() for match in TOKEN.finditer(text)]
    place = (len(text) if index is None else starts[index]) + 1
    piece = text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "..."
    return InputError(
        f"The tree {piece!r} {what}, at character {place}. "
        "Put matching brackets around every node, such as (NP (DT the) (NN judge))."
    )


def format_tree(tree: Tree) -> str:
    """Format the tree on one line, so that parse_tree(format_tree(tree)) == tree."""
    parts: list[str] = []
    stack: list[Tree | str] = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            parts.append(top)
            continue
        stack.append(")" if top.label else " )")
        for child in reversed(top.children):
            stack += (child, " ")
        parts.append("(" + top.label)
    return "".join(parts)


def list_tree_words(tree: Tree) -> list[str]:
    """List the words of the tree from left to right."""
    leaves: list[str] = []
    stack: list[Tree | str] = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            leaves.append(top)
        else:
            stack.extend(reversed(top.children))
    return leaves


def binarise_tree(tree: Tree) -> str:
    """Show the binary parse: no labels, no unary nodes, right-branching where there are more than two."""
    parts: list[str] = []
    stack: list[Tree | str] = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            parts.append(top)
            continue
        *heads, last = top.children
        stack += [")"] * len(heads)
        stack.append(last)
        for child in reversed(heads):
            stack += (child, "(")
    return " ".join(parts)


def list_spans(tree: Tree) -> list[Span]:
    """List all nodes as ranges of words, a parent before its children."""
    spans: list[Span] = []
    count = 0
    stack: list[Tree | str | int] = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            count += 1
        elif isinstance(top, int):  # the mark after a node's last child: its place in the list
            spans[top] = spans[top]._replace(stop=count)
        else:
            stack.append(len(spans))
            stack.extend(reversed(top.children))
            spans.append(Span(top.label, count, count))
    return spans


def list_constituents(tree: Tree, label: str | None = None) -> list[tuple[str, ...]]:
    """List the word sequences of all nodes, or of those with the given label, a parent first."""
    leaves = list_tree_words(tree)
    return [tuple(leaves[s.start : s.stop]) for s in list_spans(tree) if label in (None, s.label)]


def binarise_column(parses: pl.Series) -> pl.Series:
    """Binarise a column of trees, each different tree once; null stays null."""
    different = parses.unique(maintain_order=True).drop_nulls()
    results = pl.Series(
        [binarise_tree(parse_column_tree(parses, text)) for text in different], dtype=pl.String
    )
    if different.len() == parses.len():
        return results.rename(parses.name)
    return parses.replace_strict(different, results, default=None, return_dtype=pl.String)


def parse_column_tree(parses: pl.Series, text: str) -> Tree:
    """Read a tree of a column; the error of a malformed one names the column and the row (from 1)."""
    try:
        return parse_tree(text)
    except InputError as error:
        row = (parses == text).arg_true()[0] + 1
        raise InputError(f"Column {parses.name!r}, row {row}: {error}") from error
