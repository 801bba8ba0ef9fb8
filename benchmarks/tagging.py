"""Speed of tokenizing and tagging, in CPU time of one process without imports, against a textbook tagger.

The baseline, measured in the same run with the same weights, tags one word at a time as in textbooks: features as
strings, weights in a dict of dicts, a sum for every tag. Both give the same tags. The texts are those of
../shared/data/mnli/dev_matched.csv, or of a file with one text per line. --json prints one JSON object at the end.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.language import tagger, tagger_features, tagger_weights
from rightreasons.language import tokens as door
from rightreasons.language.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rightreasons.language.tagger_weights import Weights

    Row = dict[int, int]  # weights by tag

MNLI = Path(__file__).parents[2] / "shared" / "data" / "mnli" / "dev_matched.csv"
REPEATS = 3
BASELINE = 300  # texts that are tagged one word at a time


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="?", type=Path, default=MNLI, help="a file with one text a line")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object, last")
    options = parser.parse_args()
    texts = read(options.texts)
    figures = {**loading(), **rates(texts), **baseline(texts[:BASELINE])}
    figures["ratio_to_one_at_a_time"] = figures["tag_texts_per_s"] / figures["one_at_a_time_texts_per_s"]
    for name, value in figures.items():
        print(f"{name:40} {value:>14,.3f}" if isinstance(value, float) else f"{name:40} {value:>14,}")
    if options.json:
        print(json.dumps(figures))


def read(path: Path) -> list[str]:
    """Read the different texts."""
    if path.suffix != ".csv":
        return list(dict.fromkeys(path.read_text(encoding="utf-8").splitlines()))
    table = pl.read_csv(path, infer_schema=False)
    return pl.concat([table["sentence1"], table["sentence2"]]).unique(maintain_order=True).to_list()


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of one call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def loading() -> dict[str, float]:
    """Load the weights and make the tagger."""
    return {
        "load_s": min(
            cpu(lambda: tagger.Tagger(tagger_weights.load_weights.__wrapped__())) for _ in range(REPEATS)
        )
    }


def rates(texts: list[str]) -> dict[str, float]:
    """Cut into tokens alone, with tags for the first time, with tags that are remembered; the tagger is loaded."""
    column = pl.Series(texts)
    tagger.load_default_tagger()
    count = door.tokens(column, tagged=False).height
    cut = min(cpu(lambda: _afresh(column, tagged=False)) for _ in range(REPEATS))
    first = min(cpu(lambda: _afresh(column, tagged=True)) for _ in range(REPEATS))
    again = min(cpu(lambda: door.tokens(column)) for _ in range(REPEATS))
    words = [[text[start:end] for start, end in tokenize(text)] for text in texts]
    tagging = min(
        cpu(lambda: list(tagger.Tagger(tagger_weights.load_weights()).tag(words))) for _ in range(REPEATS)
    )
    return {
        "texts": len(texts),
        "tokens": count,
        "cut_texts_per_s": len(texts) / cut,
        "cut_and_tag_texts_per_s": len(texts) / first,
        "remembered_texts_per_s": len(texts) / again,
        "remembered_us_per_token": 1e6 * again / count,
        "tag_texts_per_s": len(texts) / tagging,
    }


def _afresh(column: pl.Series, *, tagged: bool) -> None:
    """Forget the texts, and the words that the tagger remembers."""
    door._get_token_cache.cache_clear()  # noqa: SLF001 - what is remembered must not count
    tagger.load_default_tagger()._forget_words()  # noqa: SLF001
    door.tokens(column, tagged=tagged)


def baseline(texts: list[str]) -> dict[str, float]:
    """Tag one word at a time, and check that the tags are the same."""
    words = [[text[start:end] for start, end in tokenize(text)] for text in texts]
    textbook = Textbook(tagger_weights.load_weights())
    found: list[list[str]] = []
    seconds = cpu(lambda: found.extend(textbook.tag(some) for some in words))
    if found != list(tagger.load_default_tagger().tag(words)):
        raise SystemExit("The baseline gives other tags: the comparison is void.")
    return {"one_at_a_time_texts_per_s": len(texts) / seconds}


class Textbook:
    """The same tagger with strings and dicts."""

    def __init__(self, learnt: Weights) -> None:
        """Spread the weights over a dict of dicts."""
        self.learnt = learnt
        self.rows: dict[tuple[str, str | int], Row] = {
            ("spelling", name): row_of(learnt.spelling[number]) for name, number in learnt.views.items()
        }
        for group in ("left_word", "word_right", "left_right", "two_tags", "tag_word", "tag_right"):
            lookup = getattr(learnt, group)
            for number, key in enumerate(lookup.keys.tolist(), start=1):
                self.rows[group, key] = row_of(lookup.table[number])

    def tag(self, words: Sequence[str]) -> list[str]:
        """Tag a text from left to right."""
        states = len(self.learnt.tags) + 1
        last = before = states - 1
        found = []
        marked = (
            *[tagger_features.START] * 2,
            *tagger_features.mark_leading_words(words),
            *[tagger_features.END] * 2,
        )
        kinds = [tagger_features.classify_word(word, self.learnt.kinds) for word in marked]
        views = [
            tagger_features.build_word_views(word, kind) for word, kind in zip(marked, kinds, strict=True)
        ]
        numbers = [self.learnt.kinds.get(kind, tagger_weights.UNKNOWN) for kind in kinds]
        for at in range(2, len(marked) - 2):
            keys = self._keys(views[at - 2 : at + 3], numbers[at - 1 : at + 2], last, before)
            last, before = self._best(keys, marked[at]), last
            found.append(self.learnt.tags[last])
        return found

    def _keys(
        self, views: list[tagger_features.Views], kinds: list[int], last: int, before: int
    ) -> Iterator[tuple[str, str | int]]:
        """List the features of a word in its place."""
        left, own, right = kinds
        size, states = len(self.learnt.kinds), len(self.learnt.tags) + 1
        for names in (views[2].own, views[1].left, views[0].left2, views[3].right, views[4].right2):
            yield from (("spelling", name) for name in names)
        yield "left_word", left * size + own
        yield "word_right", own * size + right
        yield "left_right", left * size + right
        yield "two_tags", last * states + before
        yield "tag_word", own * states + last
        yield "tag_right", right * states + last

    def _best(self, keys: Iterator[tuple[str, str | int]], word: str) -> int:
        """Add up the weights, and take the best tag that is allowed."""
        scores = dict.fromkeys(range(len(self.learnt.tags)), 0)
        for key in keys:
            for tag, weight in self.rows.get(key, {}).items():
                scores[tag] += weight
        tags = self.learnt.allowed.get(tagger_features.normalise_word(word)) or range(len(self.learnt.tags))
        return max(tags, key=lambda tag: (scores[tag], -tag))


def row_of(table_row: NDArray[np.int16]) -> Row:
    """Keep the weights that are not 0."""
    return {tag: weight for tag, weight in enumerate(table_row.tolist()) if weight}


if __name__ == "__main__":
    main()
