"""The words of a text that may be misspelt: whole words in letters, of the tags of a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

Variant = Literal["swap", "keyboard", "content", "function"]
VARIANTS: tuple[Variant, ...] = ("swap", "keyboard", "content", "function")
CONTENT = ("NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS")
FUNCTION = ("IN", "TO", "CC", "DT", "PRP", "PRP$", "WP", "WP$")
_TAGS = {"content": CONTENT, "function": FUNCTION}
# Longer ones are no words; a misspelling for each of their letters would fill the memory.
_LONGEST = 40
_WORD = r"^\p{Lu}*[\p{L}--\p{Lu}]\p{L}*$"  # letters, and not capitals alone
_GOES_ON = r"^[\p{L}\p{M}\p{N}_]"
_WENT_ON = r"[\p{L}\p{M}\p{N}_]$"


def candidates(tokens: pl.DataFrame, variant: Variant) -> pl.DataFrame:
    """Keep the tokens that may be misspelt: whole words of at least two letters, of the tags of the variant.

    Words in capitals are left alone: an acronym with another letter is another acronym. So are parts of a word,
    such as the two of "can't".
    """
    fit = (tokens["end"] - tokens["start"]).is_between(2, _LONGEST)
    if variant in _TAGS:
        fit &= tokens["tag"].is_in(_TAGS[variant]).fill_null(value=False)
    places = fit.arg_true()
    places = places.filter(tokens["token"].gather(places).str.contains(_WORD))
    return tokens[_whole(tokens, places.to_numpy().astype(np.int64))]


def _whole(tokens: pl.DataFrame, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out tokens that go on, without a space, in letters or digits of the token after or before them."""
    rows, starts, ends = (tokens[name].to_numpy() for name in ("row", "start", "end"))
    part = np.zeros(len(places), dtype=bool)
    for step, pattern in ((1, _GOES_ON), (-1, _WENT_ON)):
        near = np.clip(places + step, 0, len(rows) - 1)
        touches = starts[near] == ends[places] if step > 0 else ends[near] == starts[places]
        joined = np.flatnonzero((rows[near] == rows[places]) & touches)
        inside = tokens["token"].gather(near[joined]).str.contains(pattern)
        part[joined[inside.to_numpy()]] = True
    return places[~part]
