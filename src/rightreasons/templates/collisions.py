"""Templates that can yield the same pair twice, or one pair with two labels: found without making the pairs.

Two templates collide where some choice of words makes both say the same. Their sentences are laid side by side,
token by token: what both allow at a place, and which places must hold the same word, is a small search problem.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.errors import InputError
from rightreasons.templates.filling import Filler
from rightreasons.templates.notation import base_name
from rightreasons.templates.recognise import Recogniser, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.recognise import Pattern

_MOST_STEPS = 50_000
_MOST_SHOWN = 5
Place = tuple[int, int]


@dataclass(frozen=True)
class Collision:
    """A pair that two sub-variants, or two ranks of one, both yield."""

    first: Variant
    second: Variant
    premise: str
    hypothesis: str

    def __str__(self) -> str:
        """Say which templates collide, and on which pair."""
        a, b = self.first.source.template, self.second.source.template
        twice = "twice" if a.label == b.label else f"with two labels, {a.label} and {b.label}"
        who = f"the templates {self.first.name} (line {a.line}) and {self.second.name} (line {b.line}) both yield"
        return f"{who} {self.premise!r} / {self.hypothesis!r}: the pair would come {twice}"


def check(grammar: Grammar) -> None:
    """Refuse a grammar whose templates collide."""
    found = list(itertools.islice(collisions(grammar), _MOST_SHOWN))
    if found:
        line = found[0].first.source.template.line
        told = "; ".join(str(collision) for collision in found)
        raise InputError(
            f"{grammar.document.place}, line {line}: {told}. Change the templates so that they differ."
        )


def collisions(grammar: Grammar) -> Iterator[Collision]:
    """Find a pair for every two sub-variants that can say the same, and for one that can say it twice."""
    recogniser = Recogniser(grammar)
    search = _Search(grammar, Filler(grammar, grammar.document.text, "none"))
    seen: set[tuple[str, str]] = set()
    for patterns in recogniser.by_lengths.values():
        for first, second in itertools.combinations_with_replacement(patterns, 2):
            names = (first.variant.name, second.variant.name)
            if names not in seen and (found := search.collision(first, second)):
                seen.add(names)
                yield found


class _Search:
    """Looks for words that make two patterns say the same."""

    def __init__(self, grammar: Grammar, filler: Filler) -> None:
        self.grammar = grammar
        self.filler = filler
        self.allowed: dict[tuple[str, int, int, bool], frozenset[str]] = {}

    def collision(self, first: Pattern, second: Pattern) -> Collision | None:
        links = _Links()
        domains: dict[Place, frozenset[str]] = {}
        for pattern in (first, second):
            for place, tokens in self.places(pattern, links):
                domains[place] = domains.get(place, tokens) & tokens
                if not domains[place]:
                    return None
        classes: dict[Place, frozenset[str]] = {}
        for place, tokens in domains.items():
            root = links.root(place)
            classes[root] = classes.get(root, tokens) & tokens
        for pattern in (first, second):
            self.keep_distinct(pattern, links, classes)
        if not all(classes.values()) or (first is second and self.single(first)):
            return None
        return self.witness(first, second, links, classes)

    def keep_distinct(self, pattern: Pattern, links: _Links, classes: dict[Place, frozenset[str]]) -> None:
        """Take from a place the words that two slots of a pattern would share there, against its rule."""
        if not self.grammar.document.distinct:
            return
        lists = self.grammar.lists(pattern.variant)
        slots: dict[Place, int] = {}
        for side, runs in enumerate(pattern.runs):
            for run in runs:
                if run.slot is None or run.length > 1:
                    continue
                root = links.root((side, run.start))
                other = slots.setdefault(root, run.slot)
                if other != run.slot:
                    keys = [
                        dict(zip(lists[slot].texts, lists[slot].keys, strict=True))
                        for slot in (other, run.slot)
                    ]
                    classes[root] = frozenset(
                        w for w in classes[root] if keys[0].get(w, w) != keys[1].get(w, w)
                    )

    def single(self, pattern: Pattern) -> bool:
        """Tell whether all entries of the pattern's slots differ as tokens, so that no two ranks say the same."""
        for words in self.grammar.lists(pattern.variant):
            shown = [tuple(tokens_of(text, first=True)) for text in words.texts]
            if len(set(shown)) < len(shown):
                return False
        return True

    def places(self, pattern: Pattern, links: _Links) -> Iterator[tuple[Place, frozenset[str]]]:
        first_place: dict[tuple[int, int], Place] = {}
        for side, runs in enumerate(pattern.runs):
            for run in runs:
                for offset in range(run.length):
                    place = (side, run.start + offset)
                    if run.slot is None:
                        yield place, frozenset([(run.tokens or ())[offset]])
                        continue
                    links.join(first_place.setdefault((run.slot, offset), place), place)
                    name = base_name(pattern.variant.slots[run.slot])
                    yield place, self.tokens(name, run.length, offset, first=place[1] == 0)

    def tokens(self, name: str, length: int, offset: int, *, first: bool) -> frozenset[str]:
        key = (name, length, offset, first)
        if key not in self.allowed:
            texts = [tokens_of(text, first=first) for text in self.grammar.document.words[name].texts]
            self.allowed[key] = frozenset(tokens[offset] for tokens in texts if len(tokens) == length)
        return self.allowed[key]

    def witness(
        self, first: Pattern, second: Pattern, links: _Links, classes: Mapping[Place, frozenset[str]]
    ) -> Collision | None:
        """Try words, the places with the fewest first, until both patterns take them."""
        order = sorted(classes, key=lambda root: (len(classes[root]), root))
        steps = 0
        stack: list[tuple[str, ...]] = [()]
        while stack and steps < _MOST_STEPS:
            steps += 1
            chosen = stack.pop()
            words = dict(zip(order, chosen, strict=False))
            legal = [self.entries(pattern, links, words) for pattern in (first, second)]
            if None in legal:
                continue
            if len(chosen) == len(order):
                found = self.same_text(first, second, legal)
                if found:
                    return found
                continue
            stack.extend((*chosen, token) for token in sorted(classes[order[len(chosen)]], reverse=True))
        return None

    def entries(
        self, pattern: Pattern, links: _Links, words: Mapping[Place, str]
    ) -> dict[int, list[int]] | None:
        """Return the entries that fit the words so far, by slot; None where the pattern forbids them."""
        fitting: dict[int, list[int]] = {}
        for side, runs in enumerate(pattern.runs):
            for run in runs:
                if run.slot is None:
                    continue
                roots = [links.root((side, run.start + offset)) for offset in range(run.length)]
                if any(root not in words for root in roots):
                    continue
                tokens = [words[root] for root in roots]
                texts = self.grammar.lists(pattern.variant)[run.slot].texts
                fits = [n for n, text in enumerate(texts) if tokens_of(text, first=run.start == 0) == tokens]
                earlier = fitting.get(run.slot, fits)
                fitting[run.slot] = [n for n in fits if n in earlier]
                if not fitting[run.slot]:
                    return None
        return fitting if self.distinct(pattern, fitting) else None

    def distinct(self, pattern: Pattern, fitting: Mapping[int, Sequence[int]]) -> bool:
        if not self.grammar.document.distinct:
            return True
        lists = self.grammar.lists(pattern.variant)
        keys = [lists[slot].keys[entries[0]] for slot, entries in fitting.items() if len(entries) == 1]
        return len(set(keys)) == len(keys)

    def same_text(
        self, first: Pattern, second: Pattern, legal: Sequence[dict[int, list[int]] | None]
    ) -> Collision | None:
        """Write the candidates out in full: only the same letters, from two different ranks, collide."""
        said: dict[tuple[str, str], tuple[str, int]] = {}
        for pattern, fitting in zip((first, second), legal, strict=True):
            variant = pattern.variant
            for draw in itertools.product(*((fitting or {})[slot] for slot in range(len(variant.slots)))):
                rank = int(variant.space.rank([np.array([entry]) for entry in draw])[0])
                if rank < 0:
                    continue
                row = self.filler.rows(np.array([variant.number], dtype=np.int16), np.array([rank]))
                text = (str(row["premise"][0]), str(row["hypothesis"][0]))
                if said.setdefault(text, (variant.name, rank)) != (variant.name, rank):
                    return Collision(first.variant, second.variant, *text)
        return None


class _Links:
    """Places that must hold the same word."""

    def __init__(self) -> None:
        self.parent: dict[Place, Place] = {}

    def root(self, place: Place) -> Place:
        while (above := self.parent.get(place, place)) != place:
            place = above
        return place

    def join(self, one: Place, other: Place) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        if low != high:
            self.parent[high] = low
