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
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import draw_numbers
from rightreasons.language import tagger_features, tagger_weights
from rightreasons.language.parse_alignment import align_parse
from rightreasons.language.tagger import Tagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Text = tuple[list[str], list[str]]  # words and tags
    Case = tuple[list[list[int]], list[int], list[list[int] | None], list[int]]
    Key = tuple[str, str | int]  # a group of weights, and the name or number of a feature in it

TRAIN = ("parsed/mnli_train_parsed.tsv", "parsed/snli_train_parsed.tsv")
TEST = ("snli/test_hard.jsonl", "parsed/mnli_dev_matched_1000.tsv", "parsed/mnli_dev_mismatched_1000.tsv")
OUT = Path(__file__).parents[1] / "src" / "rightreasons" / "data" / "language" / tagger_weights.NAME
PASSES = 5
A_KIND = 15  # times a word is seen that is a kind of its own
KNOWN_WELL = 30  # times a word is seen that takes no other tags
ALLOWED = 0.001  # share of a word's tokens below which a tag is taken for a slip
OFTEN = 2  # times a feature is seen that gets weights; a pair of words once more
VARIED = (0.12, 0.20, 0.25)  # where the shares of texts end that are learnt once more, in three ways
UNITS = 16  # a weight of one is written as this number
SMALL = 8  # weights below this number are dropped


def main() -> None:
    """Train, write and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder of real data")
    parser.add_argument("--out", type=Path, default=OUT, help="the file to write")
    options = parser.parse_args()
    texts = list(chain.from_iterable(tagged_texts(options.data / name) for name in TRAIN))
    file = saved(*learnt(texts + list(varied(texts))))
    packed = json.dumps(file, ensure_ascii=False, separators=(",", ":")).encode()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(gzip.compress(packed, mtime=0))
    print(f"{options.out.stat().st_size:,} bytes, {len(packed):,} unpacked")
    tagger = Tagger(tagger_weights.build_weight_tables(file))
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
        if found := align_parse(text, parse):
            yield [text[start:end] for start, end in found[0]], found[1]


def varied(texts: Sequence[Text]) -> Iterator[Text]:
    """Give some texts once more: without the final stop, in small letters, or with a capital."""
    no_stop, small, capital = VARIED
    chances = draw_numbers((" ".join(words) for words, _ in texts), "tagger", "varied") / 2.0**64
    for (words, tags), chance in zip(texts, chances.tolist(), strict=True):
        if chance < no_stop and words[-1] in {".", "?", "!"}:
            yield words[:-1], tags[:-1]
        elif chance < small:
            yield [word.lower() for word in words], tags
        elif chance < capital and words[0][0].islower():
            yield [words[0].capitalize(), *words[1:]], tags


def agreement(tagger: Tagger, texts: Sequence[Text]) -> float:
    """Give the share of tokens that get the parser's tag."""
    tagged = tagger.tag([words for words, _ in texts])
    pairs = [
        (ours, tag)
        for found, (_, tags) in zip(tagged, texts, strict=True)
        for ours, tag in zip(found, tags, strict=True)
    ]
    return sum(ours == tag for ours, tag in pairs) / len(pairs)


@dataclass(frozen=True)
class Names:
    """All that has a number: tags, kinds of words, and the tags of words that are known well."""

    tags: list[str]
    kinds: dict[str, int]
    allowed: dict[str, list[int]]
    seen: dict[str, tuple[tagger_features.Views, int]] = field(
        default_factory=dict
    )  # views and kind of a word

    @property
    def states(self) -> int:
        """Count the tags, and the state before the first word."""
        return len(self.tags) + 1

    def view(self, word: str) -> tuple[tagger_features.Views, int]:
        """Give the views of a word and its kind's number."""
        if word not in self.seen:
            kind = tagger_features.classify_word(word, self.kinds)
            self.seen[word] = (
                tagger_features.build_word_views(word, kind),
                self.kinds.get(kind, tagger_weights.UNKNOWN),
            )
        return self.seen[word]


def named(texts: Sequence[Text]) -> Names:
    """Number what there is in the texts."""
    tags = sorted({tag for _, found in texts for tag in found})
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for words, found in texts:
        for word, tag in zip(words, found, strict=True):
            seen[tagger_features.normalise_word(word)][tags.index(tag)] += 1
    return Names(tags, numbered_kinds([words for words, _ in texts], seen), allowed_tags(seen))


def allowed_tags(seen: Mapping[str, Counter[int]]) -> dict[str, list[int]]:
    """List the tags of the words that are known well; what is most rare is taken for a slip."""
    well = {word: seen[word] for word in sorted(seen) if seen[word].total() >= KNOWN_WELL}
    return {
        word: sorted(tag for tag, times in tags.items() if times >= max(2, ALLOWED * tags.total()))
        for word, tags in well.items()
    }


def numbered_kinds(texts: Iterable[Sequence[str]], seen: Mapping[str, Counter[int]]) -> dict[str, int]:
    """Number the kinds: the unknown, then words that are seen often, then groups of other words."""
    often = sorted(word for word, tags in seen.items() if tags.total() >= A_KIND)
    first = ["", tagger_features.START, tagger_features.END, *often]
    known = set(first)
    groups = Counter(
        tagger_features.classify_word(word, known)
        for text in texts
        for word in tagger_features.mark_leading_words(text)
    )
    others = sorted(kind for kind, times in groups.items() if times >= A_KIND and kind not in known)
    return {kind: number for number, kind in enumerate(first + others)}


def fixed_keys(names: Names, words: list[str]) -> Iterator[list[Key]]:
    """List for each word of a text the features that don't depend on tags."""
    views = [
        names.view(word)
        for word in (
            tagger_features.START,
            tagger_features.START,
            *words,
            tagger_features.END,
            tagger_features.END,
        )
    ]
    size = len(names.kinds)
    for (left2, _), (before, left), (word, own), (after, right), (right2, _) in zip(
        *(views[n:] for n in range(5)), strict=False
    ):
        yield [
            *(
                ("spelling", name)
                for name in chain(word.own, before.left, left2.left2, after.right, right2.right2)
            ),
            ("left_word", left * size + own),
            ("word_right", own * size + right),
            ("left_right", left * size + right),
        ]


def learnt(texts: Sequence[Text]) -> tuple[Names, dict[Key, NDArray[np.int64]]]:
    """Learn the weights of all features, in units, averaged over all steps."""
    names = named(texts)
    marked = [tagger_features.mark_leading_words(words) for words, _ in texts]
    times = Counter(key for text in marked for keys in fixed_keys(names, text) for key in keys)
    often = (key for key, seen in times.items() if seen >= OFTEN + (key[0] != "spelling"))
    rows: dict[Key, int] = {key: row for row, key in enumerate(often)}
    cases = [case(names, rows, words, text) for words, text in zip(marked, texts, strict=True)]
    numbers = [str(number) for number in range(len(cases))]
    perceptron = Perceptron(names, rows)
    for number in range(PASSES):
        order = np.argsort(draw_numbers(numbers, "tagger", "order", number), kind="stable")
        right = sum(perceptron.learn(*cases[one]) for one in order.tolist())
        print(f"pass {number + 1}: {right / sum(len(tags) for _, tags in texts):.4%} right", flush=True)
    return names, perceptron.averages()


def case(names: Names, rows: Mapping[Key, int], words: list[str], text: Text) -> Case:
    """Make of a text what the perceptron learns from: rows, kinds, allowed tags and true tags of its words."""
    fixed = [[rows[key] for key in keys if key in rows] for keys in fixed_keys(names, words)]
    kinds = [names.view(word)[1] for word in (*words, tagger_features.END)]
    allowed = [names.allowed.get(tagger_features.normalise_word(word)) for word in words]
    return fixed, kinds, allowed, [names.tags.index(tag) for tag in text[1]]


class Perceptron:
    """Weights that move by one whenever a tag is wrong, with the sum of all their moves by time."""

    def __init__(self, names: Names, rows: dict[Key, int]) -> None:
        """Start with no weights; rows for pairs of tags and kinds are added as they are met."""
        self.names, self.rows, self.steps = names, rows, 0
        shape = (len(rows) + 300_000, len(names.tags))
        self.now = np.zeros(shape, dtype=np.int32)
        self.moves = np.zeros(shape, dtype=np.int64)

    def learn(
        self, fixed: list[list[int]], kinds: list[int], allowed: list[list[int] | None], tags: list[int]
    ) -> int:
        """Tag a text, and learn from every wrong tag; gives the number that were right."""
        last = before = self.names.states - 1
        right = 0
        for at, true in enumerate(tags):
            rows = fixed[at] + self._tag_rows(last, before, kinds[at], kinds[at + 1])
            guess = self._best(rows, allowed[at])
            self.steps += 1
            if guess == true:
                right += 1
            else:
                self._move(rows, true, 1)
                self._move(rows, guess, -1)
            last, before = guess, last
        return right

    def _tag_rows(self, last: int, before: int, kind: int, right: int) -> list[int]:
        states, rows = self.names.states, self.rows
        keys: tuple[Key, ...] = (
            ("tag", last),
            ("two_tags", last * states + before),
            ("tag_word", kind * states + last),
            ("tag_right", right * states + last),
        )
        return [rows.setdefault(key, len(rows)) for key in keys]

    def _best(self, rows: list[int], allowed: list[int] | None) -> int:
        scores = self.now[rows].sum(axis=0)
        return allowed[int(scores[allowed].argmax())] if allowed else int(scores.argmax())

    def _move(self, rows: list[int], tag: int, step: int) -> None:
        self.now[rows, tag] += step
        self.moves[rows, tag] += step * self.steps

    def averages(self) -> dict[Key, NDArray[np.int64]]:
        """Give the mean weights over all steps, in units; small ones are dropped."""
        means = np.rint((self.now - self.moves / self.steps) * UNITS).astype(np.int64)
        means = np.clip(means, -tagger_weights.MOST, tagger_weights.MOST)
        means[np.abs(means) < SMALL] = 0
        return {key: means[row] for key, row in self.rows.items() if means[row].any()}


def saved(names: Names, averages: Mapping[Key, NDArray[np.int64]]) -> dict[str, Any]:
    """Lay the weights out as the file has them."""
    groups: dict[str, dict[str | int, NDArray[np.int64]]] = defaultdict(dict)
    for (group, key), row in averages.items():
        groups[group][key] = row
    nothing = np.zeros(len(names.tags), dtype=np.int64)
    last = groups.pop("tag", {})
    for key in range(names.states**2):  # the weights of a tag alone go into those of two tags
        groups["two_tags"][key] = groups["two_tags"].get(key, nothing) + last.get(
            key // names.states, nothing
        )
    spelling = group_saved(groups.pop("spelling"))
    spelling["keys"] = "\n".join(spelling["keys"])
    others = {name: group_saved(groups[name]) for name in sorted(groups)}
    for numbered in others.values():
        numbered["keys"] = np.diff(numbered["keys"], prepend=0).tolist()
    return {
        "tags": names.tags,
        "kinds": list(names.kinds),
        "allowed": names.allowed,
        "groups": {"spelling": spelling, **others},
    }


def group_saved(rows: Mapping[Any, NDArray[np.int64]]) -> dict[str, Any]:
    """Write the weights of a group, key by key in order."""
    keys = sorted(rows)
    table = np.stack([rows[key] for key in keys])
    tags = np.nonzero(table)[1]
    return {
        "keys": keys,
        "sizes": tagger_weights.pack_numbers(np.count_nonzero(table, axis=1)),
        "tags": tagger_weights.pack_numbers(tags),
        "weights": tagger_weights.pack_numbers(table[table != 0]),
    }


if __name__ == "__main__":
    main()
