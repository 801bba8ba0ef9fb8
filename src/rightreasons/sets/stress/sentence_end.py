"""Where a clause is attached to a text: before the marks that end its last sentence, and nothing is lost.

The end of a text is its last run of sentence-final marks with the closing quotes and brackets after them: `.`, `?!`,
`..."`, `.)`. Closing quotes and brackets before this run belong to the sentence, with the marks inside them: the end of
`"Go!".` is the last dot. Commas, colons and dashes end no sentence, so a clause goes after them, as it does in a text
without any mark. The dot of an abbreviation (`U.S.`, `Ph.D.`, `etc.`) stays with it; where it also ended the sentence,
the clause brings its own.
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
_TITLES = "Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Gen|Maj|Brig|Sen|Rep|Gov|Capt|Cmdr|Adm|Sgt|Cpl|Lt|Col|Jr|Sr|Esq"
_OTHERS = "St|Mt|Rd|Ave|Blvd|Inc|Ltd|Corp|Co|Bros|Dept|Univ|Assn|et al|etc|vs|viz|approx|ft|oz|lbs?"
_MONTHS = "Jan|Feb|Apr|Aug|Sep|Sept|Oct|Nov|Dec"
_KNOWN = f"{_TITLES}|{_OTHERS}|{_MONTHS}"
# Of degrees; they stand for nothing by themselves.
_DEGREES = "Ph|Phil|Sc|Ed|Eng|Tech|Th|Litt|Psy|Pharm|LL"
_PIECE = rf"(?:\p{{L}}|{_KNOWN}|{_DEGREES})"
_ABBREVIATION = rf"(?:^|[^\p{{L}}.])(?:(?:{_PIECE}\.)+{_PIECE}|{_KNOWN})$"


def heads(texts: pl.Series) -> pl.Series:
    """Give the part of each text that a clause is attached to; what comes after it closes the sentence."""
    text, open_, head, dotted = (pl.col(name) for name in ("text", "open", "head", "dotted"))
    bare = open_.str.strip_chars_end(MARKS + SPACES)
    # A text of nothing but marks has no sentence for them to end.
    unended = (bare == open_) | (bare.str.strip_chars_end(MARKS + CLOSERS + SPACES) == "")
    whole = text.str.strip_chars_end(SPACES)
    # Step by step: written as one, each step would be worked out anew wherever a later one uses it.
    steps = texts.alias("text").to_frame()
    steps = steps.with_columns(text.str.strip_chars_end(CLOSERS + SPACES).alias("open"))
    steps = steps.with_columns(pl.when(unended).then(whole).otherwise(bare).alias("head"))
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
