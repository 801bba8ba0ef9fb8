"""Sentences with a tag for each word: supertags of CCGbank, or parts of speech off the parses of a corpus.

Two forms of CCGbank are read. Its own derivations (AUTO, files that end in .auto, or the folder of them) have a line
`ID=...` before each, and leaves `<L category tag tag word category>`: the first category is the supertag. The tools of
Clark and Curran have a sentence a line, each word as `word|tag|supertag`. The files of dependencies (PARG) hold no tags
of their own and are not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus import read_corpus
from rightreasons.corpora.corpus_source import list_corpus_names

if TYPE_CHECKING:
    from rightreasons.corpora.corpus_source import Names

SUPERTAGS, PARTS = "CCG supertags", "POS tags of Penn parses"
_DERIVATION = r"<L (\S+) \S+ \S+ (\S+) \S+>"
_BARS = r"^(.+)\|[^|]+\|([^|]+)$"
_LEAF = r"\(([^\s()]+)\s+([^\s()]+)\s*\)"
_PARSES = ("premise_parse", "hypothesis_parse")
_SPELLINGS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


@dataclass(frozen=True)
class TaggedSentences:
    """A table of sentences (words and tags, lists of the same length), and what the tags are."""

    table: pl.DataFrame
    kind: str


def read_tagged_sentences(names: Names) -> TaggedSentences:
    """Read tagged sentences by name, each different one once: files or a folder of CCGbank, or pairs with parses."""
    files = [file for name in list_corpus_names(names) for file in _list_derivation_files(name)]
    parts = [_read_tagged_file(file) for file in files]
    kinds = {part.kind for part in parts}
    if len(kinds) > 1:
        raise InputError(
            f"{files[0]} and other files have different types of tags. Pass files with tags of one type."
        )
    table = pl.concat([part.table for part in parts]).unique(maintain_order=True)
    return TaggedSentences(table.with_columns(_replace_bracket_codes(pl.col("words"))), kinds.pop())


def _list_derivation_files(name: str) -> list[str]:
    """List the derivations in a folder; any other name stands for itself."""
    if not Path(name).is_dir():
        return [name]
    files = sorted(str(path) for path in Path(name).rglob("*.auto"))
    if not files:
        raise InputError(f"The folder {name} has no .auto files. Pass the AUTO folder of CCGbank, or a file.")
    return files


def _read_tagged_file(name: str) -> TaggedSentences:
    first = _read_first_line(Path(name)) if Path(name).is_file() else ""
    if first.startswith("ID="):
        return TaggedSentences(_read_derivations(Path(name)), SUPERTAGS)
    if first and all(word.count("|") >= 2 for word in first.split()):  # noqa: PLR2004 - word|tag|supertag
        return TaggedSentences(_read_bar_separated_words(Path(name)), SUPERTAGS)
    return TaggedSentences(_read_tags_from_parses(name), PARTS)


def _read_first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return next((line.strip() for line in file if line.strip()), "")


def _read_derivations(path: Path) -> pl.DataFrame:
    lines = _read_numbered_lines(path).filter(~pl.col("text").str.starts_with("ID="))
    leaves = pl.col("text").str.extract_all(_DERIVATION)
    derivations = lines.with_columns(
        leaves=leaves, there=pl.col("text").str.count_matches("<L ", literal=True)
    )
    text = pl.col("text")
    closed = text.str.count_matches("(", literal=True) == text.str.count_matches(")", literal=True)
    _refuse_wrong_line(
        path,
        derivations.filter(
            (pl.col("leaves").list.len() != pl.col("there")) | (pl.col("there") == 0) | ~closed
        ),
        "is not a complete derivation of CCGbank",
    )
    return _extract_words_and_tags(derivations, _DERIVATION, word=2, tag=1)


def _read_bar_separated_words(path: Path) -> pl.DataFrame:
    table = _read_numbered_lines(path).with_columns(leaves=pl.col("text").str.split(" "))
    fits = pl.col("leaves").list.eval(pl.element().str.contains(_BARS)).list.all()
    _refuse_wrong_line(path, table.filter(~fits), "has a word that is not word|tag|supertag")
    return _extract_words_and_tags(table, _BARS, word=1, tag=2)


def _read_tags_from_parses(name: str) -> pl.DataFrame:
    pairs = read_corpus(name).pairs
    there = [column for column in _PARSES if column in pairs.columns]
    parses = pl.concat([pairs[column].alias("text") for column in there]) if there else pl.Series()
    if not len(parses.drop_nulls()):
        raise InputError(
            f"{name} is neither in a CCGbank format nor has parses, so its words have no tags. "
            "Use .auto files, lines of word|tag|supertag, or pairs with parses."
        )
    table = parses.drop_nulls().unique(maintain_order=True).to_frame("text")
    return _extract_words_and_tags(
        table.with_columns(leaves=pl.col("text").str.extract_all(_LEAF)), _LEAF, word=2, tag=1
    )


def _read_numbered_lines(path: Path) -> pl.DataFrame:
    """Read the lines of a text with their numbers, without blank ones."""
    texts = path.read_text(encoding="utf-8").splitlines()
    table = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_row_index("line", 1)
    return table.with_columns(pl.col("text").str.strip_chars()).filter(pl.col("text") != "")


def _refuse_wrong_line(path: Path, wrong: pl.DataFrame, what: str) -> None:
    if wrong.height:
        raise InputError(f"Line {wrong['line'][0]} of {path} {what}. Use the published file without changes.")


def _extract_words_and_tags(table: pl.DataFrame, pattern: str, *, word: int, tag: int) -> pl.DataFrame:
    leaves = pl.col("leaves")
    return table.select(
        words=leaves.list.eval(pl.element().str.extract(pattern, word)),
        tags=leaves.list.eval(pl.element().str.extract(pattern, tag)),
    ).filter(pl.col("words").list.len() > 0)


def _replace_bracket_codes(words: pl.Expr) -> pl.Expr:
    """Write brackets and slashes as texts do."""
    return words.list.eval(pl.element().replace(_SPELLINGS).str.replace_all(r"\/", "/", literal=True))
