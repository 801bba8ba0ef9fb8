"""The tokens of texts with their places and Penn tags, as one table.

A parse is used where there is one that fits its text, else a tagger: the one that comes with the package, or
`spacy:NAME` for a spaCy pipeline that the user has. What was found for a text is remembered, so the next set that
asks for the same corpus has it at once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.errors import UnknownNameError
from rightreasons.language.parse_alignment import align_parse
from rightreasons.language.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Key = tuple[str, str | None]  # a text and its parse

DEFAULT, SPACY = "default", "spacy:"
_MOST = 1 << 17  # texts to remember: about 100 MB at the lengths of MultiNLI


class TextTokens(NamedTuple):
    """The tokens of one text."""

    starts: list[int]
    ends: list[int]
    tags: list[str] | list[str | None] | list[None]


def tokens(
    texts: pl.Series, parses: pl.Series | None = None, *, tagged: bool = True, tagger: str = DEFAULT
) -> pl.DataFrame:
    """List the tokens of texts, with row, number, start, end, token and tag, sorted by row and start.

    Args:
        texts: The texts; null has no tokens.
        parses: A Penn tree for each text, or null; one that doesn't fit its text is left aside.
        tagged: Whether to tag; if not, the tags are null and much time is saved.
        tagger: `default`, or `spacy:NAME` for an installed spaCy pipeline or the folder of one.
    """
    strings = ["" if text is None else text for text in texts]
    trees: Iterable[str | None] = [None] * len(strings) if parses is None else parses
    keys = list(zip(strings, trees, strict=True))
    memory = _get_token_cache(tagger, tagged)
    if new := [key for key in dict.fromkeys(keys) if key not in memory]:
        memory.update(zip(new, _tokenize_texts(new, tagger, tagged=tagged), strict=True))
    table = _assemble_tokens(strings, [memory[key] for key in keys])
    if len(memory) > _MOST:
        memory.clear()
    return table


@lru_cache(maxsize=8)
def _get_token_cache(tagger: str, tagged: bool) -> dict[Key, TextTokens]:  # noqa: ARG001 - each has a separate cache
    """Return the token cache of a tagger, with tags or without; it grows with use."""
    if tagger != DEFAULT and not tagger.startswith(SPACY):
        raise UnknownNameError("tagger", tagger, [DEFAULT, "spacy:NAME"])
    return {}


def _tokenize_texts(keys: Sequence[Key], tagger: str, *, tagged: bool) -> list[TextTokens]:
    """Find the tokens of texts by their parses, and of all that have none in one go."""
    by_parse = [_tokenize_by_parse(text, parse, tagged=tagged) for text, parse in keys]
    others = [text for (text, _), parsed in zip(keys, by_parse, strict=True) if parsed is None]
    rest = (
        _tokenize_by_spacy(others, tagger)
        if tagger != DEFAULT
        else _tokenize_by_default(others, tagged=tagged)
    )
    return [parsed or next(rest) for parsed in by_parse]


def _tokenize_by_parse(text: str, parse: str | None, *, tagged: bool) -> TextTokens | None:
    aligned = align_parse(text, parse) if parse else None
    return aligned and _make_text_tokens(aligned[0], aligned[1] if tagged else None)


def _tokenize_by_default(texts: Sequence[str], *, tagged: bool) -> Iterator[TextTokens]:
    """Find the tokens of texts by the package's own tokenizer and tagger."""
    places = [tokenize(text) for text in texts]
    if not tagged:
        return (_make_text_tokens(some, None) for some in places)
    from rightreasons.language.tagger import load_default_tagger

    words = ([text[start:end] for start, end in some] for text, some in zip(texts, places, strict=True))
    return map(_make_text_tokens, places, load_default_tagger().tag(words))


def _tokenize_by_spacy(texts: Sequence[str], tagger: str) -> Iterator[TextTokens]:
    """Find the tokens of texts by a spaCy pipeline."""
    from rightreasons.language.spacy_adapter import analyse_texts

    for words in analyse_texts(texts, tagger.removeprefix(SPACY)):
        yield _make_text_tokens([(word.start, word.end) for word in words], [word.tag for word in words])


def _make_text_tokens(
    places: Sequence[tuple[int, int]], tags: list[str] | list[str | None] | None
) -> TextTokens:
    starts, ends = [start for start, _ in places], [end for _, end in places]
    return TextTokens(starts, ends, [None] * len(starts) if tags is None else tags)


def _assemble_tokens(texts: Sequence[str], token_lists: Sequence[TextTokens]) -> pl.DataFrame:
    """Lay the tokens of all texts out as columns."""
    counts = np.array([len(one.starts) for one in token_lists], dtype=np.int64)
    size = int(counts.sum())
    words = [
        text[start:end]
        for text, one in zip(texts, token_lists, strict=True)
        for start, end in zip(one.starts, one.ends, strict=True)
    ]
    tags = list(chain.from_iterable(one.tags for one in token_lists))
    return pl.DataFrame(
        {
            "row": np.repeat(np.arange(counts.size, dtype=np.uint32), counts),
            "number": np.arange(size) - np.repeat(np.cumsum(counts) - counts, counts),
            "start": np.fromiter(chain.from_iterable(one.starts for one in token_lists), np.int64, size),
            "end": np.fromiter(chain.from_iterable(one.ends for one in token_lists), np.int64, size),
            "token": pl.Series(words, dtype=pl.String),
            "tag": pl.Series(tags, dtype=pl.String),
        }
    )
