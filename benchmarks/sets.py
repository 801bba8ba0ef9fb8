"""Speed of the other sets, in CPU time of one process, against plain Python one row at a time.

The unit is a row of the corpus (a sentence for the numerical test, with or without a number; a generated pair for
Random Pair and Simple Pair). Tags are computed and resources loaded beforehand. The baseline of each set, in the same
run, does the bare job one row at a time in plain Python like the studies' own scripts, without checks and tags: a
regular expression and slices per row, a sense lookup for every word, the first integer replaced, a hash set of pairs.
The corpus is MultiNLI dev and GSM8K from ../shared/data; without them it is the pocket corpus, which is too small for a
fair figure. --json prints one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rightreasons as rr
from rightreasons.language.senses import lesk
from rightreasons.language.tokens import tokens
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.random_pair.random_pair import RandomPair
from rightreasons.sets.stress import antonymy, distraction, numerical_pairs, numerical_quantities, spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

DATA = Path(__file__).parents[2] / "shared" / "data"
REPEATS = [7]  # the best of so many runs counts; --repeats sets another number
ONE_BY_ONE = 2000  # rows for the baselines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object, last")
    parser.add_argument("--repeats", type=int, default=REPEATS[0], help="the best of so many runs counts")
    options = parser.parse_args()
    REPEATS[0] = options.repeats
    pairs = corpus()
    figures: dict[str, Any] = {"rows": pairs.height}
    for name, rate, plain in measured(pairs):
        figures |= {f"{name}_per_s": rate, f"{name}_one_by_one_per_s": plain, f"{name}_ratio": rate / plain}
        print(
            f"{name:28} {rate:>12,.0f} per CPU second {rate / plain:>10,.1f} times one by one ({plain:,.0f})"
        )
    if options.json:
        print(json.dumps(figures))


def corpus() -> pl.DataFrame:
    """Read the corpus of pairs, or the pocket corpus if it is missing."""
    path = DATA / "mnli" / "dev_matched.csv"
    return rr.read_corpus(str(path) if path.exists() else "pocket").pairs


def texts() -> pl.DataFrame:
    """Read the word problems, or the pocket sentences, as a table of sentences."""
    path = DATA / "wordproblems" / "gsm8k_train.jsonl"
    return numerical_quantities.split_into_sentences(
        rr.read_texts(str(path) if path.exists() else "pocket").table
    )


def measured(pairs: pl.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Measure set after set: its name, its rate, and the rate one by one."""
    overlap, length = distraction.WordOverlap().attachment, distraction.LengthMismatch().attachment
    plain = rate(ONE_BY_ONE, lambda: attached(pairs[:ONE_BY_ONE]))
    made = rate(pairs.height, lambda: distraction.distract_pairs("stress/word-overlap", pairs, overlap))
    yield "distraction", made, plain
    made = rate(pairs.height, lambda: distraction.distract_pairs("stress/length-mismatch", pairs, length))
    yield "length_mismatch", made, plain
    yield from misspelt(pairs)
    yield opposed(pairs)
    yield counted()
    yield from drawn(pairs)
    size = len(rr.plan("simple-pair", parses="none"))
    made = rate(size, lambda: rr.generate("simple-pair", parses="none"))
    yield "simple_pair", made, rate(ONE_BY_ONE, lambda: simple(ONE_BY_ONE))
    yield tagged(pairs)


def rate(rows: int, work: Callable[[], Any]) -> float:
    """The rows per CPU second of the best of several calls."""
    return rows / min(cpu(work) for _ in range(REPEATS[0]))


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of one call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def attached(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """Attach the tautology row by row."""
    mark = re.compile(r"[.!?]")
    rows = pairs.to_dicts()
    for row in rows:
        found = mark.search(row["hypothesis"])
        at = found.start() if found else len(row["hypothesis"])
        row["hypothesis"] = row["hypothesis"][:at] + " and true is true" + row["hypothesis"][at:]
    return rows


def misspelt(pairs: pl.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Misspell content words, and any word, with the tokens at hand."""
    found = tokens(pairs["hypothesis"])
    some = pairs[:ONE_BY_ONE]
    plain = rate(ONE_BY_ONE, lambda: swapped(some))
    for variant in ("content", "function", "swap", "keyboard"):
        spelling.misspell_pairs(pairs, found, variant=variant)  # loads the words
        made = rate(pairs.height, lambda v=variant: spelling.misspell_pairs(pairs, found, variant=v))  # type: ignore[misc]
        yield f"spelling_{variant}", made, plain


def swapped(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """Swap two letters of a random word row by row, with the words given by white space."""
    rng = random.Random(0)  # noqa: S311 - a baseline, not a secret
    rows = pairs.to_dicts()
    for row in rows:
        words = [word for word in row["hypothesis"].split() if len(set(word)) > 2]  # noqa: PLR2004
        for _ in range(5 if words else 0):
            word = rng.choice(words)
            at = rng.randrange(len(word) - 1)
            new = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            if new != word:
                row["hypothesis"] = row["hypothesis"].replace(word, new, 1)
                break
    return rows


def opposed(pairs: pl.DataFrame) -> tuple[str, float, float]:
    """Contrast sentences with themselves; a row of the corpus has two."""
    known = wordnet(None)
    sentences = antonymy.list_distinct_sentences(pairs)
    found = tokens(sentences["text"], sentences["parse"])
    antonymy.build_antonym_pairs(sentences, found, known=known)
    made = rate(pairs.height, lambda: antonymy.build_antonym_pairs(sentences, found, known=known))
    some = pairs[: ONE_BY_ONE // 10]
    return "antonymy", made, rate(some.height, lambda: looked_up(some, known))


def looked_up(pairs: pl.DataFrame, known: Any) -> int:
    """Find the sense of every word of every sentence, one after the other."""
    found = 0
    for text in (*pairs["premise"], *pairs["hypothesis"]):
        words = text.lower().split()
        found += sum(lesk(words, word, wordnet=known) is not None for word in words)
    return found


def counted() -> tuple[str, float, float]:
    """Make numerical triples of sentences, those without a number counted too."""
    whole = texts()
    at_hand = tokens(numerical_quantities.filter_sentences_with_quantities(whole)["text"])

    def work() -> None:
        numerical_quantities.list_free_quantities.cache_clear()  # what the run before remembered must not count
        numerical_pairs.build_numerical_pairs(
            numerical_quantities.filter_sentences_with_quantities(whole), at_hand, seed=0, less="less"
        )

    work()
    some = whole["text"][:ONE_BY_ONE].to_list()
    return "numerical", rate(whole.height, work), rate(len(some), lambda: replaced(some))


def replaced(sentences: list[str]) -> list[tuple[str, str]]:
    """Replace the first integer of each sentence, as the released script does."""
    rng = random.Random(0)  # noqa: S311 - a baseline, not a secret
    made = []
    for sentence in sentences:
        words = sentence.split(" ")
        for number, word in enumerate(words):
            if word.isdigit():
                new = str(rng.randrange(1, 9)) + word[1:]
                for text in (f"less than {new}", new, f"more than {word}"):
                    made.append((sentence, " ".join([*words[:number], text, *words[number + 1 :]])))  # noqa: PERF401
                break
    return made


def drawn(pairs: pl.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Draw and fill random pairs."""
    part = RandomPair(corpus=("it",))
    sampler, _ = part.prepare_sampler({"it": pairs}, 0)
    size = len(sampler.build_random_pairs(part.name, *sampler.draw_pairs(54, part.name, part.version)))

    def work() -> None:
        sampler.build_random_pairs(part.name, *sampler.draw_pairs(54, part.name, part.version))

    some = pairs[:ONE_BY_ONE]
    yield "random_pair", rate(size, work), rate(ONE_BY_ONE, lambda: paired(some, ONE_BY_ONE))


def paired(pairs: pl.DataFrame, size: int) -> set[tuple[str, str]]:
    """Draw pairs one by one and reject those that exist or share too many words."""
    rng = random.Random(0)  # noqa: S311 - a baseline, not a secret
    rows = pairs.select("premise", "hypothesis").rows()
    originals, found = set(rows), set()
    while len(found) < size:
        pair = (rng.choice(rows)[0], rng.choice(rows)[1])
        first, second = (set(text.lower().split()) for text in pair)
        if pair not in originals and len(first & second) <= len(second) / 4:
            found.add(pair)
    return found


def simple(size: int) -> set[tuple[str, str]]:
    """Write simple pairs one by one."""
    rng = random.Random(0)  # noqa: S311 - a baseline, not a secret
    nouns = [f"noun{number}" for number in range(100)]
    adjectives = [f"adjective{number}" for number in range(55)]
    found: set[tuple[str, str]] = set()
    while len(found) < size:
        (one, two), (first, second) = rng.sample(nouns, 2), rng.sample(adjectives, 2)
        premise = f"The {one} is {first}."
        found |= {(premise, f"The {two} is {first}."), (premise, f"The {one} is not {second}.")}
    return found


def tagged(pairs: pl.DataFrame) -> tuple[str, float, float]:
    """Look up the tokens of texts that were tagged before; tagging.py measures tagging itself."""
    tokens(pairs["hypothesis"])
    cut = re.compile(r"\w+|[^\w\s]")
    some = pairs["hypothesis"][:ONE_BY_ONE].to_list()
    plain = rate(
        len(some), lambda: [[(m.start(), m.end(), m[0]) for m in cut.finditer(text)] for text in some]
    )
    return "remembered_tags", rate(pairs.height, lambda: tokens(pairs["hypothesis"])), plain


if __name__ == "__main__":
    main()
