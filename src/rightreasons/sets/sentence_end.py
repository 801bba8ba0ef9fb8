"""Where a clause is attached to a text: before the marks that end its last sentence, and nothing is lost.

The end of a text is its last run of sentence-final marks with the closing quotes and brackets after them: `.`, `?!`,
`..."`, `.)`. Closing quotes and brackets before the first of these marks belong to the sentence. Commas, colons and
dashes end no sentence, so a clause goes after them, as it does in a text without any mark. The dot of an abbreviation
(`U.S.`, `etc.`) stays with it; where it also ended the sentence, the clause brings its own.
"""

from __future__ import annotations

import polars as pl

MARKS = ".!?…‼⁇⁈⁉‽。．｡！？؟۔।॥։።"  # noqa: RUF001 - marks of other scripts
CLOSERS = "\"'’”»›“‘)]}）］｝」』】〉》"  # noqa: RUF001 - marks of other scripts
# White space, and the marks without a width that set the direction of writing.
SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
SPACES += (
    "\u200a\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2066\u2067\u2068\u2069"
)
SPACES += "\u3000\ufeff"
_TITLES = "Mr|Mrs|Ms|Dr|Prof|Gen|Sen|Rep|Gov|Capt|Sgt|Lt|Col|St|Ave|Blvd|Jr|Sr|Inc|Ltd|Corp|Co|Bros"
_OTHERS = "etc|vs|approx|Jan|Feb|Aug|Sept|Oct|Nov|Dec"
_ABBREVIATION = rf"(?:^|[^\p{{L}}.])(?:(?:\p{{L}}\.)+\p{{L}}|{_TITLES}|{_OTHERS})$"


def heads(texts: pl.Series) -> pl.Series:
    """Give the part of each text that a clause is attached to; what comes after it closes the sentence."""
    text, body, head, dotted = (pl.col(name) for name in ("text", "body", "head", "dotted"))
    ending = text.str.strip_prefix(body).str.strip_chars_start(CLOSERS + SPACES)
    # A text of nothing but marks has no sentence for them to end.
    ending = pl.when(body == "").then(pl.lit("")).otherwise(ending)
    # Step by step: written as one, each step would be worked out anew wherever a later one uses it.
    steps = texts.alias("text").to_frame()
    steps = steps.with_columns(text.str.strip_chars_end(MARKS + CLOSERS + SPACES).alias("body"))
    steps = steps.with_columns(text.str.strip_suffix(ending).str.strip_chars_end(SPACES).alias("head"))
    steps = steps.with_columns(pl.concat_str(head, pl.lit(".")).alias("dotted"))
    return steps.select(
        pl.when(_is_abbreviation(text, head, dotted)).then(dotted).otherwise(head).alias("head")
    ).to_series()


def lacks_stop(head: pl.Expr, rest: pl.Expr) -> pl.Expr:
    """Tell where the dot of an abbreviation was the only mark that ended the sentence."""
    ended = head.str.ends_with(".") & (rest.str.strip_chars(CLOSERS + SPACES) == "")
    return ended & head.str.strip_suffix(".").str.contains(_ABBREVIATION)


def _is_abbreviation(text: pl.Expr, head: pl.Expr, dotted: pl.Expr) -> pl.Expr:
    """Tell where a head lost the dot of an abbreviation; the dots of an ellipsis are none."""
    ellipsis = text.str.starts_with(pl.concat_str(dotted, pl.lit(".")))
    return text.str.starts_with(dotted) & ~ellipsis & head.str.contains(_ABBREVIATION)
