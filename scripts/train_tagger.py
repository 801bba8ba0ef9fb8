"""Train the part-of-speech tagger on the parsed train pairs of MultiNLI and SNLI, and write its weights.

    python scripts/train_tagger.py ../shared/data

Some texts are learnt once more without their final stop, in small letters, or with a capital at the start, since
challenge sets have such texts. The order is drawn from a fixed key and all sums are of whole numbers: the same data
give the same file. Prints the agreement with the tags of files that were not trained on.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.draws import draws
from rightreasons.language import features, weights
from rightreasons.language.parses import aligned
from rightreasons.language.tagger import Tagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Text = tuple[list[str], list[str]]  # words and tags
    Key = tuple[str, str | int]  # a group of weights, and the name or number of a feature in it

TRAIN = ("parsed/mnli_train_parsed.tsv", "parsed/snli_train_parsed.tsv")
TEST = ("snli/test_hard.jsonl", "parsed/mnli_dev_matched_1000.tsv", "parsed/mnli_dev_mismatched_1000.tsv")
OUT = Path(__file__).parents[1] / "src" / "rightreasons" / "data" / "language" / weights.NAME
PASSES = 5
A_KIND = 15  # times a word is seen that is a kind of its own
KNOWN_WELL = 30  # times a word is seen that takes no other tags
ALLOWED = 0.001  # share of a word's tokens below which a tag is taken for a slip
OFTEN = 2  # times a feature is seen that gets weights; a pair of words once more
UNITS = 32  # a weight of one is written as this number
SMALL = 24  # weights below this number are dropped
MOST = 32_000  # what a cell of a table holds


def main() -> None:
    """Train, write and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of real data")
    parser.add_argument("--out", type=Path, default=OUT, help="the file to write")
    options = parser.parse_args()
    texts = list(chain.from_iterable(tagged_texts(options.data / name) for name in TRAIN))
    saved = Training(texts + list(varied(texts))).saved()
    packed = json.dumps(saved, ensure_ascii=False, separators=(",", ":")).encode()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(gzip.compress(packed, mtime=0))
    print(f"{options.out.stat().st_size:,} bytes, {len(packed):,} unpacked")
    tagger = Tagger(weights.laid_out(saved))
    for name in TEST:
        tested = list(tagged_texts(options.data / name))
        small = [([word.lower() for word in words], tags) for words, tags in tested]
        open_end = [(words[:-1], tags[:-1]) for words, tags in tested if words[-1] == "."]
        figures = [agreement(tagger, some) for some in (tested, small, open_end)]
        print(f"{name}: {figures[0]:.4%}, small letters {figures[1]:.4%}, no final stop {figures[2]:.4%}")


def tagged_texts(path: Path) -> Iterator[Text]:
    """Read the different texts of a parsed corpus, as words with the parser's tags."""
    if path.suffix == ".jsonl":
        table = pl.read_ndjson(path)
    else:
        table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    sides = [table.select(f"sentence{side}", f"sentence{side}_parse").rows() for side in (1, 2)]
    for text, parse in dict.fromkeys(chain(*sides)):
        if found := aligned(text, parse):
            yield [text[start:end] for start, end in found[0]], found[1]


def varied(texts: Sequence[Text]) -> Iterator[Text]:
    """Give some texts once more: without the final stop, in small letters, or with a capital."""
    chances = draws((" ".join(words) for words, _ in texts), "tagger", "varied") / 2.0**64
    for (words, tags), chance in zip(texts, chances.tolist(), strict=True):
        if chance < 0.12 and words[-1] in {".", "?", "!"}:
            yield words[:-1], tags[:-1]
        elif chance < 0.20:
            yield [word.lower() for word in words], tags
        elif chance < 0.25 and words[0][0].islower():
            yield [words[0].capitalize(), *words[1:]], tags


def agreement(tagger: Tagger, texts: Sequence[Text]) -> float:
    """Give the share of tokens that get the parser's tag."""
    tagged = tagger.tag([words for words, _ in texts])
    pairs = [(ours, tag) for found, (_, tags) in zip(tagged, texts, strict=True) for ours, tag in zip(found, tags, strict=True)]
    return sum(ours == tag for ours, tag in pairs) / len(pairs)


class Training:
    """An averaged perceptron in the making."""

    def __init__(self, texts: Sequence[Text]) -> None:
        """Number all that was seen often enough, and learn."""
        self.tags = sorted({tag for _, tags in texts for tag in tags})
        self.states = len(self.tags) + 1
        self.allowed = self._allowed(texts)
        words = [features.marked(words) for words, _ in texts]
        self.kinds = self._kinds(words)
        seen = Counter(key for text in words for keys in self._fixed(text) for key in keys)
        often = (key for key, times in seen.items() if times >= OFTEN + (key[0] != "spelling"))
        self.rows: dict[Key, int] = {key: row for row, key in enumerate(often)}
        fixed = [[[self.rows[key] for key in keys if key in self.rows] for keys in self._fixed(t)] for t in words]
        self._learn(fixed, words, [tags for _, tags in texts])

    def _allowed(self, texts: Sequence[Text]) -> dict[str, list[int]]:
        """List the tags of the words that are known well."""
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        for words, tags in texts:
            for word, tag in zip(words, tags, strict=True):
                seen[features.plain(word)][tag] += 1
        well = {word: tags for word, tags in seen.items() if tags.total() >= KNOWN_WELL}
        return {
            word: sorted(self.tags.index(t) for t, times in well[word].items() if times >= max(2, ALLOWED * well[word].total()))
            for word in sorted(well)
        }

    def _kinds(self, texts: Iterable[Sequence[str]]) -> dict[str, int]:
        """Number the kinds: first the unknown, then words that are seen often, then groups of others."""
        seen = Counter(chain.from_iterable(texts))
        words: Counter[str] = Counter()
        for word, times in seen.items():
            words[features.plain(word)] += times
        often = sorted(word for word, times in words.items() if times >= A_KIND)
        known = {features.START, features.END, *often}
        groups: Counter[str] = Counter()
        for word, times in seen.items():
            groups[features.kind(word, known)] += times
        others = sorted(kind for kind, times in groups.items() if times >= A_KIND and kind not in known)
        return {kind: number for number, kind in enumerate(["", features.START, features.END, *often, *others])}

    def _kind(self, word: str) -> int:
        return self.kinds.get(features.kind(word, self.kinds), weights.UNKNOWN)

    def _fixed(self, words: list[str]) -> Iterator[list[Key]]:
        """List for each word of a text the features that don't depend on tags."""
        padded = [features.START] * 2 + words + [features.END] * 2
        views = [self._views(word) for word in padded]
        size = len(self.kinds)
        for at in range(2, len(padded) - 2):
            names = (views[at][0].own, views[at - 1][0].left, views[at - 2][0].left2, views[at + 1][0].right, views[at + 2][0].right2)
            left, own, right = (views[at + side][1] for side in (-1, 0, 1))
            yield [
                *(("spelling", name) for name in chain(*names)),
                ("left_word", left * size + own),
                ("word_right", own * size + right),
                ("left_right", left * size + right),
            ]

    def _views(self, word: str) -> tuple[features.Views, int]:
        if word not in (cache := self.__dict__.setdefault("_seen", {})):
            cache[word] = features.views(word, features.kind(word, self.kinds)), self._kind(word)
        return cache[word]
