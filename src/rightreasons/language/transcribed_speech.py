"""Texts that are transcripts of speech, whose parses are unreliable: no capitals, no punctuation, fillers, repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_MOST_WORDS = 12  # of a caption or a headline without capitals and punctuation
_FILLERS = r"(^|\s)(i|i'm|i've|i'd|i'll|uh|um|uh-huh|huh-uh|um-hum|huh|yeah)(\s|$)"
_OPENERS = r"^(and|but|so|or|well|oh|okay|no|yes|right|because|you know)\s"
_MARKERS = r"\s(you know|i mean|all right)(\s|$)"
_ENDS = r"[.!?]['\")\]]*\s*$"


def is_transcribed_speech(text: pl.Expr) -> pl.Expr:
    """Return whether a text is a transcript of speech; an ordinary sentence in lower case is not."""
    plain = text.str.contains(r"^\s*[a-z]") & ~text.str.contains(_ENDS)
    long = text.str.count_matches(r"\S+") > _MOST_WORDS
    spoken = text.str.contains(_OPENERS) | text.str.contains(_MARKERS) | long
    return text.str.contains(_FILLERS) | (plain & spoken)
