"""A part-of-speech tagger: an averaged perceptron that tags greedily from left to right.

All that doesn't depend on tags is added up for every word of every text at once; then all texts take their first
step together, their second step, and so on. Texts don't touch each other, so the batch makes no difference.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.language import tagger_features, tagger_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rightreasons.language.tagger_weights import Weights

_BATCH = 512  # texts that are tagged together: their scores stay in the processor's cache
_MOST = 1 << 16  # words to remember
_NEVER = -(1 << 24)
_SIDES = ((0, 0), (1, -1), (2, -2), (3, 1), (4, 2))  # a view of a word, and where that word stands


class Tagger:
    """Gives words their Penn tags."""

    def __init__(self, learnt: Weights) -> None:
        """Set the weights."""
        self._learnt = learnt
        self._states = len(learnt.tags) + 1  # the last state stands before the first word
        kinds = len(learnt.kinds) * self._states
        self._two_tags = learnt.two_tags.rows(np.arange(self._states**2)).astype(np.int32)
        self._tag_word = learnt.tag_word.index(kinds)
        self._tag_right = learnt.tag_right.index(kinds)
        self._forget_words()

    def tag(self, texts: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Tag the words of each text."""
        names = np.array(self._learnt.tags, dtype=object)
        todo = iter(texts)
        while batch := list(islice(todo, _BATCH)):
            lengths = np.array([len(words) for words in batch], dtype=np.int64)
            tags = names[self._tag_batch(batch, lengths)].tolist()
            ends = np.cumsum(lengths).tolist()
            yield from (tags[end - len(words) : end] for words, end in zip(batch, ends, strict=True))

    def _tag_batch(self, batch: list[Sequence[str]], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tag numbers of all words of a batch, one text after the other."""
        if not lengths.sum():
            return np.zeros(0, dtype=np.int64)
        padded = self._number_padded_words(batch)
        at = np.arange(lengths.sum()) + np.repeat(4 * np.arange(lengths.size) + 2, lengths)
        kinds = self._kinds[padded]
        scores = self._sum_fixed_scores(padded, kinds, at)
        return self._choose_tags(scores, kinds[at], kinds[at + 1], lengths)

    def _number_padded_words(self, batch: list[Sequence[str]]) -> NDArray[np.int64]:
        """Number the words of a batch, with two marks before and after each text."""
        if len(self._words) > _MOST:
            self._forget_words()
        before, after = [tagger_features.START] * 2, [tagger_features.END] * 2
        words = list(
            chain.from_iterable(
                (*before, *tagger_features.mark_leading_words(text), *after) for text in batch
            )
        )
        if new := [word for word in dict.fromkeys(words) if word not in self._words]:
            self._remember_words(new)
        return np.array([self._words[word] for word in words], dtype=np.int64)

    def _sum_fixed_scores(
        self, padded: NDArray[np.int64], kinds: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Add up for each word and tag all that doesn't depend on the tags before."""
        scores = np.zeros((at.size, self._states - 1), dtype=np.int32)
        for view, side in _SIDES:
            scores += self._views[view][padded[at + side]]
        size, learnt = len(self._learnt.kinds), self._learnt
        scores += learnt.left_word.rows(kinds[at - 1] * size + kinds[at])
        scores += learnt.word_right.rows(kinds[at] * size + kinds[at + 1])
        scores += learnt.left_right.rows(kinds[at - 1] * size + kinds[at + 1])
        return scores

    def _choose_tags(
        self,
        scores: NDArray[np.int32],
        kinds: NDArray[np.int64],
        right: NDArray[np.int64],
        lengths: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Choose the best tag word by word, all texts in step.

        The longest come first, so that those still under way stand together.
        """
        order = np.argsort(-lengths, kind="stable")
        starts = (np.cumsum(lengths) - lengths)[order]
        under_way = np.searchsorted(-lengths[order], -np.arange(lengths.max()), side="left")
        chosen = np.zeros(len(scores), dtype=np.int64)
        last = np.full(lengths.size, self._states - 1)
        before = last
        for step, count in enumerate(under_way.tolist()):
            at, last, before = starts[:count] + step, last[:count], before[:count]
            total = scores[at] + self._two_tags[last * self._states + before]
            total += self._learnt.tag_word.table[self._tag_word[kinds[at] * self._states + last]]
            total += self._learnt.tag_right.table[self._tag_right[right[at] * self._states + last]]
            before, last = last, total.argmax(axis=1)
            chosen[at] = last
        return chosen

    def _forget_words(self) -> None:
        """Start with no words remembered."""
        self._words: dict[str, int] = {}
        self._kinds = np.zeros(0, dtype=np.int64)
        self._views = np.zeros((5, 0, self._states - 1), dtype=np.int32)

    def _remember_words(self, words: list[str]) -> None:
        """Work out the kinds and the views of words that were not seen before, and remember them."""
        known = self._learnt.kinds
        kinds = [tagger_features.classify_word(word, known) for word in words]
        seen = [tagger_features.build_word_views(word, kind) for word, kind in zip(words, kinds, strict=True)]
        views = np.stack([self._sum_weights([view[number] for view in seen]) for number in range(5)])
        self._forbid_unseen_tags(views[0], words)
        start = len(self._words)
        self._words |= {word: start + number for number, word in enumerate(words)}
        numbers = [known.get(kind, tagger_weights.UNKNOWN) for kind in kinds]
        self._kinds = np.concatenate([self._kinds, np.array(numbers, dtype=np.int64)])
        self._views = np.concatenate([self._views, views], axis=1)

    def _sum_weights(self, names: list[list[str]]) -> NDArray[np.int32]:
        """Add up the weights of the features in each list."""
        number = self._learnt.views.get
        rows = [[0, *(number(name, 0) for name in some)] for some in names]
        starts = np.cumsum([0, *(len(some) for some in rows[:-1])])
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        return np.add.reduceat(self._learnt.spelling[flat], starts, axis=0, dtype=np.int32)

    def _forbid_unseen_tags(self, own: NDArray[np.int32], words: list[str]) -> None:
        """Restrict well-known words to the tags that they were seen with."""
        for row, word in enumerate(words):
            if tags := self._learnt.allowed.get(tagger_features.normalise_word(word)):
                allowed = own[row, tags].copy()
                own[row] = _NEVER
                own[row, tags] = allowed


@lru_cache(maxsize=1)
def load_default_tagger() -> Tagger:
    """Return the tagger that comes with the package, loaded once."""
    return Tagger(tagger_weights.load_weights())
