"""Which words have which antonyms: a list judged by hand, checked against WordNet's senses, or all of WordNet's."""

from __future__ import annotations

import csv
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from rightreasons.core.resources import DATA
from rightreasons.language.senses import Candidate, best, candidates

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from rightreasons.language.wordnet import Synset, WordNet

Which = Literal["curated", "all"]
FILE = DATA / "language" / "antonyms.tsv"
TAGS = {"NN": "n", "NNS": "n", "JJ": "a", "JJR": "a", "JJS": "a"}


class Antonym(NamedTuple):
    """An antonym of a lemma: its type, the frames it is good in, and the words it may or may not stand by."""

    lemma: str
    antonym: str
    kind: str | None
    frames: frozenset[str]
    only_before: frozenset[str] = frozenset()
    not_before: frozenset[str] = frozenset()
    not_with: frozenset[str] = frozenset()

    def fits(self, frame: str, after: str) -> bool:
        """Tell whether the antonym may stand in a frame before a word."""
        placed = not self.frames.isdisjoint(("all", frame, "predicate" if frame == "bare" else frame))
        return placed and after not in self.not_before and (not self.only_before or after in self.only_before)


class LexiconWord(NamedTuple):
    """What a token may turn into: for one lemma its entries, and the senses to choose from."""

    entries: tuple[Antonym, ...]
    senses: tuple[Candidate, ...]


@lru_cache(maxsize=1)
def curated() -> dict[tuple[str, str], tuple[Antonym, ...]]:
    """Read the list: part of speech and lemma, with what may stand in its place."""
    found: dict[tuple[str, str], tuple[Antonym, ...]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            limits = [
                frozenset(row[name].split()) for name in ("frames", "only_before", "not_before", "not_with")
            ]
            entry = Antonym(row["word"], row["antonym"], row["type"], *limits)
            found[row["pos"], entry.lemma] = (*found.get((row["pos"], entry.lemma), ()), entry)
    return found


@lru_cache(maxsize=1 << 16)
def word(lower: str, tag: str, which: Which, wordnet: WordNet) -> LexiconWord | None:
    """Look a noun or adjective up: its entries and senses, or None where it has no antonym."""
    pos = TAGS[tag]
    for lemma in _lemmas(lower, tag, wordnet):
        entries = curated().get((pos, lemma), ()) if which == "curated" else _direct(lemma, pos, wordnet)
        if entries:
            senses = candidates(lemma, pos, "ours", wordnet)
            return LexiconWord(
                entries, _with_reaching_first(senses, entries, wordnet) if which == "curated" else senses
            )
    return None


def chosen_sense(
    found: LexiconWord, context: AbstractSet[str], wordnet: WordNet
) -> tuple[Synset, list[Antonym]]:
    """Choose the sense of a word among the words around it, and the entries that this sense has."""
    synset = best(context, found.senses)
    return synset, [entry for entry in found.entries if entry.antonym in reached(synset, wordnet)]


def reached(synset: Synset, wordnet: WordNet) -> frozenset[str]:
    """List the words of the opposite sense: of a satellite, that of its head, with the satellites there."""
    return _reached(synset.row, wordnet)


@lru_cache(maxsize=1 << 14)
def _reached(row: int, wordnet: WordNet) -> frozenset[str]:
    synset = wordnet.synset(row)
    near = (synset, *wordnet.heads(synset))
    opposite = {wordnet.synset(row) for one in near for _, _, row in one.antonyms}
    around = {wordnet.synset(row) for one in opposite for row in one.similar} | opposite
    return frozenset(lemma.lower() for one in around for lemma in one.lemmas)


def _lemmas(lower: str, tag: str, wordnet: WordNet) -> list[str]:
    """List the lemmas of a token: of a singular noun or a plain adjective the word itself, of others all."""
    if tag in ("NN", "JJ"):
        return [lower] if wordnet.has(lower, TAGS[tag]) else []
    forms = wordnet.base_forms(lower, TAGS[tag])
    return [form for form in forms if form != lower] if tag == "NNS" else forms


def _with_reaching_first(
    senses: tuple[Candidate, ...], entries: tuple[Antonym, ...], wordnet: WordNet
) -> tuple[Candidate, ...]:
    """Let the senses that have an antonym win where several fit equally well: the list vouches for the word."""
    wanted = {entry.antonym for entry in entries}
    return tuple(sorted(senses, key=lambda candidate: wanted.isdisjoint(reached(candidate[0], wordnet))))


def _direct(lemma: str, pos: str, wordnet: WordNet) -> tuple[Antonym, ...]:
    """List the antonyms that WordNet gives to the lemma itself; any frame will do."""
    senses = wordnet.synsets(lemma, pos)
    names = dict.fromkeys(antonym.lower() for synset in senses for antonym in synset.antonyms_of(lemma))
    known = {entry.antonym: entry.kind for entry in curated().get((pos, lemma), ())}
    anywhere = frozenset(["all"])
    return tuple(
        Antonym(lemma, name, known.get(name), anywhere) for name in names if "_" not in name and name != lemma
    )
