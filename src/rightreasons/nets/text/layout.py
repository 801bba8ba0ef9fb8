"""Sentences laid end to end: which of their words are read, and where marks go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rightreasons.nets.text.vocabulary import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def kept_words(rows: Numbers, counts: Numbers, longest: int | None, *, delete: bool) -> NDArray[np.bool_]:
    """Tell which words are read: only known ones with `delete`, and no more than the longest sentence may have."""
    kept = rows != UNKNOWN if delete else np.ones(len(rows), dtype=np.bool_)
    if longest is None:
        return kept
    before = np.cumsum(kept) - kept
    first = np.append(before, kept.sum())[np.cumsum(counts) - counts]
    fits: NDArray[np.bool_] = before - np.repeat(first, counts) < longest
    return kept & fits


def counts_of(kept: NDArray[np.bool_], counts: Numbers) -> Numbers:
    """Count the words of each sentence that are kept."""
    total = np.concatenate(([0], np.cumsum(kept)))
    ends = np.cumsum(counts)
    return np.asarray(total[ends] - total[ends - counts], dtype=np.int64)


def with_marks(
    forms: NDArray[np.int32],
    counts: Numbers,
    *,
    has_words: NDArray[np.bool_],
    words: int,
    before: int,
    after: int,
) -> tuple[Numbers, Numbers]:
    """Put marks around each sentence; give the numbers of all words and marks, and how many each sentence has.

    Args:
        forms: the words of all sentences, by number.
        counts: words of each sentence.
        has_words: which sentences had words at first; those that had none get no marks.
        words: how many words there are: the next numbers are the marks before, those after, then the unknown word,
            which stands in for a sentence that has lost all its words.
        before: marks before each sentence.
        after: marks after each.
    """
    lost = counts + before + after == 0
    whole = np.where(has_words, counts + before + after + lost, 0)
    made = np.full(int(whole.sum()), words + before + after, dtype=np.int64)
    stops = np.cumsum(whole)[has_words]
    starts = stops - whole[has_words]
    for place in range(before):
        made[starts + place] = words + place
    for place in range(after):
        made[stops - after + place] = words + before + place
    # Sentences without words have none to move, so those that have some lie end to end.
    some = counts[has_words]
    made[np.arange(len(forms)) + np.repeat(starts + before - (np.cumsum(some) - some), some)] = forms
    return made, whole
