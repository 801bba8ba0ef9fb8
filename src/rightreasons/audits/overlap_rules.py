"""When a pair fits a heuristic: by nested rules over words, and by the literal rules of the HANS paper.

By the nested rules, every pair that fits the constituent heuristic fits the subsequence heuristic, and every one of
those fits lexical overlap. The published rules, as the released counting scripts apply them, are not nested: they keep
the punctuation at the ends of words, look for the hypothesis as a substring of characters, and compare constituents of
the parse without that punctuation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.trees import list_constituents, parse_tree
from rightreasons.language.word_codes import split_into_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus

LEXICAL_OVERLAP, SUBSEQUENCE, CONSTITUENT = "lexical_overlap", "subsequence", "constituent"
SUBSEQUENCE_OF_WORDS = "subsequence of words"
NESTED, PUBLISHED, BOTH = "nested", "published", "both"
# The parses of a premise that the nested rule reads, the best first.
_PREMISE_PARSES = ("premise_parse", "premise_binary_parse")
_BRACKETS = {"-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"}  # how parses spell brackets
_FULL_STOPS = (".", "?", "!")

Fits = pl.Series  # Boolean, a value for each pair; null where it is unknown for lack of a parse


def apply_nested_rules(corpus: AuditCorpus) -> dict[str, Fits]:
    """Say which pairs fit each heuristic, by nested rules over words without case and punctuation."""
    overlap = corpus.words.overlap == 1  # not so without any word in the hypothesis
    some = corpus.pairs.select("premise", "hypothesis").filter(overlap)
    padded = [(" " + split_into_words(text).list.join(" ") + " ").alias(text.name) for text in some]
    run = np.zeros(len(corpus), dtype=bool)
    run[overlap] = (
        pl.DataFrame(padded)
        .select(pl.col("premise").str.contains(pl.col("hypothesis"), literal=True))
        .to_series()
        .to_numpy()
    )
    fits = {LEXICAL_OVERLAP: pl.Series(overlap), SUBSEQUENCE: pl.Series(run)}
    parse = next((name for name in _PREMISE_PARSES if corpus.has_values(name)), None)
    if parse is not None:
        fits[CONSTITUENT] = _match_any_constituent(corpus.pairs[parse], corpus.pairs["hypothesis"], run)
    return fits


def apply_published_rules(corpus: AuditCorpus) -> dict[str, Fits]:
    """Say which pairs fit each heuristic by the literal rules of the released scripts.

    `subsequence of words` is the paper's definition of a subsequence on the same tokens, for comparison.
    """
    tokens = corpus.pairs.select(
        _split_published_tokens(pl.col(side)).alias(side) for side in ("premise", "hypothesis")
    )
    premise, hypothesis = tokens["premise"], tokens["hypothesis"]
    run = tokens.select(
        (" " + pl.col("premise") + " ").str.contains(" " + pl.col("hypothesis") + " ", literal=True)
    ).to_series()
    fits = {
        LEXICAL_OVERLAP: _has_only_known_tokens(corpus, premise, hypothesis),
        SUBSEQUENCE: tokens.select(
            pl.col("premise").str.contains(pl.col("hypothesis"), literal=True)
        ).to_series(),
        SUBSEQUENCE_OF_WORDS: run & (hypothesis != ""),
    }
    if corpus.has_values("premise_binary_parse"):
        fits[CONSTITUENT] = _match_published_constituent(corpus.pairs["premise_binary_parse"], hypothesis)
    return fits


RULES: Mapping[str, Callable[[AuditCorpus], dict[str, Fits]]] = {
    NESTED: apply_nested_rules,
    PUBLISHED: apply_published_rules,
}


def _spread_over_rows(rows: npt.NDArray[np.int64], values: pl.Series, count: int) -> Fits:
    """Put the values of some rows in their places; all others are false."""
    spread = np.zeros(count, dtype=bool)
    spread[rows] = values.to_numpy()
    return pl.Series(spread)


def _match_any_constituent(parses: pl.Series, hypothesis: pl.Series, likely: npt.NDArray[np.bool_]) -> Fits:
    """Say which hypotheses are a node of their premise's parse, among those that are a run of its words."""
    rows = (pl.Series(likely) & parses.is_not_null()).arg_true()
    matches = np.zeros(len(parses), dtype=bool)
    for row, parse, text in zip(rows, parses[rows], hypothesis[rows], strict=True):
        matches[row] = _join_letters(text.split()) in _list_constituent_letters(parse)
    return pl.Series(matches).set(parses.is_null(), None)


def _list_constituent_letters(parse: str) -> set[str]:
    """List the letters and digits of every node: parses split words that texts don't, such as don't."""
    return {_join_letters(words) for words in list_constituents(parse_tree(parse))}


def _join_letters(words: Iterable[str]) -> str:
    lower = (word.lower() for word in words)
    return "".join(letter for word in lower if word not in _BRACKETS for letter in word if letter.isalnum())


def _split_published_tokens(text: pl.Expr) -> pl.Expr:
    """Join the tokens of a text with single spaces: lower case, split at spaces, without the tokens . ? and !"""
    return _drop_full_stops(text.str.to_lowercase())


def _drop_full_stops(text: pl.Expr) -> pl.Expr:
    spaced = " " + text.str.replace_all(r"\s+", " ").str.strip_chars() + " "
    return spaced.str.replace_all(r"(?: [.?!])+ ", " ").str.strip_chars()


def _has_only_known_tokens(corpus: AuditCorpus, premise: pl.Series, hypothesis: pl.Series) -> Fits:
    """Say which hypotheses have no token that their premise lacks; an empty hypothesis has none."""
    covered = corpus.words.overlap
    likely = np.flatnonzero((covered == 1) | np.isnan(covered))
    some = pl.DataFrame({"premise": premise[likely], "hypothesis": hypothesis[likely]})
    lists = some.with_columns(pl.all().str.split(" "))
    strange = lists.select(pl.col("hypothesis").list.set_difference("premise").list.len()).to_series()
    return _spread_over_rows(likely, (strange == 0) | (some["hypothesis"] == ""), len(corpus))


def _match_published_constituent(parses: pl.Series, hypothesis: pl.Series) -> Fits:
    """Say which hypotheses equal a bracketed phrase of the binary parse, in lower case and without . ? !"""
    table = pl.DataFrame({"parse": parses.str.to_lowercase(), "phrase": hypothesis}).select(
        "parse",
        pl.col("phrase").str.replace_all(r"[.?!]", ""),
        words=_drop_full_stops(pl.col("parse").str.replace_all(r"[()]", " ")),
    )
    likely = table.select(pl.col("words").str.contains(pl.col("phrase"), literal=True)).to_series()
    rows = likely.fill_null(value=False).arg_true()
    some = table[rows]
    matches = np.zeros(len(parses), dtype=bool)
    for row, parse, phrase in zip(rows, some["parse"], some["phrase"], strict=True):
        matches[row] = phrase in _list_published_phrases(parse)
    return pl.Series(matches).set(parses.is_null(), None)


def _list_published_phrases(parse: str) -> set[str]:
    """List the words of every bracketed node, joined with spaces, without the tokens . ? and !"""
    return {
        " ".join(word for word in words if word not in _FULL_STOPS)
        for words in list_constituents(parse_tree(parse))
    }
