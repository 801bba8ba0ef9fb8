"""The three heuristics as predicates over columns: lexical overlap, subsequence, constituent.

Words are compared in lower case without the punctuation . , ? ! at their ends, so that tokenised text
("the judge .") and natural text ("the judge.") count alike. An empty hypothesis is never covered.
"""

from __future__ import annotations

import polars as pl

from rightreasons.core.tree_columns import subtrees

CLAUSE = "S"


def plain_words(texts: pl.Expr) -> pl.Expr:
    """Show texts as lower-case words with single spaces, without . , ? ! at the ends of words."""
    return (
        texts.str.to_lowercase()
        .str.replace_all(r"[.,?!]+(?:\s|$)", " ")
        .str.replace_all(r"(?:^|\s)[.,?!]+", " ")
        .str.replace_all(r"\s+", " ")
        .str.strip_chars()
    )


def lexical_overlap(premise: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses use only words of their premise, however often and in any order."""
    words = _plain(premise, hypothesis).with_columns(pl.all().str.split(" "))
    strange = pl.col("hypothesis").list.set_difference("premise").list.len()
    return words.select(lexical_overlap=(strange == 0) & _some_words(pl.col("hypothesis").list.join(" ")))[
        "lexical_overlap"
    ]


def subsequence(premise: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses are an unbroken run of the premise's words."""
    inside = _padded("premise").str.contains(_padded("hypothesis"), literal=True)
    words = _plain(premise, hypothesis)
    return words.select(subsequence=inside & _some_words(pl.col("hypothesis")))["subsequence"]


def constituent(premise_parse: pl.Series, hypothesis: pl.Series) -> pl.Series:
    """Say which hypotheses are, word for word, a clause (a node labelled S) of the premise's parse.

    Other nodes don't count: some hypotheses of HANS are noun phrases of their premise and yet belong to the
    subsequence heuristic. A row without a parse has no answer: null.
    """
    clauses = subtrees(premise_parse.cast(pl.String), CLAUSE)
    rows = pl.col("row")
    spoken = plain_words(pl.col("tree").str.replace_all(r"\([^\s()]*|\)", " "))
    wanted = hypothesis.to_frame("hypothesis").select(plain_words(pl.col("hypothesis")))["hypothesis"]
    same = clauses.select(rows, same=spoken == wanted.gather(clauses["row"])).filter("same")
    applies = pl.int_range(wanted.len(), eager=True, dtype=pl.UInt32).is_in(same["row"].implode())
    table = pl.DataFrame({"applies": applies, "words": wanted, "known": premise_parse.is_not_null()})
    covered = pl.col("applies") & _some_words(pl.col("words"))
    return table.select(constituent=pl.when("known").then(covered))["constituent"]


def _plain(premise: pl.Series, hypothesis: pl.Series) -> pl.DataFrame:
    """Put the plain words of both texts side by side."""
    return pl.DataFrame({"premise": premise, "hypothesis": hypothesis}).select(plain_words(pl.all()))


def _padded(name: str) -> pl.Expr:
    """Surround the words with spaces, so that only whole words match."""
    return " " + pl.col(name) + " "


def _some_words(words: pl.Expr) -> pl.Expr:
    """Say which texts have any word at all."""
    return words != ""
