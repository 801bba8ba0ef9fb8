"""Sub-variants as rows of chunks: what stands between two spaces of a sentence, fixed or drawn.

Slots that touch other text make one chunk with it ("{N1}s", "{N1}."); an entry with a space makes several. For
every slot the number of spaces of its entry is fixed in a pattern, so that its sentences have a fixed length.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.templates.notation import Branch, FixedWord, Slot, get_base_name
from rightreasons.templates.rendering import ATTACHED, capitalise, list_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rightreasons.templates.document import WordList
    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.notation import Item

Chunks = tuple[str, ...]
# An entry's number of spaces, and whether it is attached to what stands before it.
Kind = tuple[int, bool]
STYLES = ("natural", "tokenised")
_MOST_GLUED = 200_000
_MOST_READINGS = 64


@dataclass(frozen=True)
class ChunkRun:
    """Some chunks in a row, by the entries of the slots in them; without slots they are fixed."""

    start: int
    length: int
    slots: tuple[int, ...]
    chunks: Mapping[tuple[int, ...], Chunks]


@dataclass(frozen=True)
class _PatternPiece:
    """Fixed text, or a slot by its number and the list that it is shown by; `big` begins a sentence."""

    text: str
    slot: int | None = None
    big: bool = False


@dataclass(frozen=True)
class Pattern:
    """A sub-variant as two rows of chunks of fixed length, the premise's and the hypothesis'."""

    variant: Variant
    runs: tuple[tuple[ChunkRun, ...], tuple[ChunkRun, ...]]
    lengths: tuple[int, int]


def split_ambiguous_pattern(pattern: Pattern) -> Iterator[Pattern]:
    """Split a pattern whose runs can show the same by different entries, so that in each part they tell them apart."""
    layers = [[_split_ambiguous_run(run) for run in side] for side in pattern.runs]
    choices = itertools.product(*layers[0], *layers[1])
    for chosen in itertools.islice(choices, _MOST_READINGS):
        first = len(layers[0])
        yield Pattern(pattern.variant, (chosen[:first], chosen[first:]), pattern.lengths)


def _split_ambiguous_run(run: ChunkRun) -> list[ChunkRun]:
    """Split a run: its first entries for each of its chunks, the second ones, and so on."""
    layers: list[dict[tuple[int, ...], Chunks]] = []
    counts: dict[Chunks, int] = defaultdict(int)
    for draw, chunks in run.chunks.items():
        if counts[chunks] == len(layers):
            layers.append({})
        layers[counts[chunks]][draw] = chunks
        counts[chunks] += 1
    return (
        [run] if len(layers) == 1 else [ChunkRun(run.start, run.length, run.slots, layer) for layer in layers]
    )


class PatternBuilder:
    """Makes the patterns of a grammar's sub-variants in one style of text."""

    def __init__(self, grammar: Grammar, style: str) -> None:
        """Set the grammar and the style of text, natural or tokenised."""
        self.grammar = grammar
        self.natural = style == "natural"
        self.entries: dict[tuple[str, bool], dict[Kind, dict[int, str]]] = {}
        self.clusters: dict[tuple[object, ...], Mapping[tuple[int, ...], Chunks]] = {}

    def build_patterns(self, variant: Variant) -> Iterator[Pattern]:
        """Return the patterns of a sub-variant, one for each choice of its entries' kinds."""
        kinds = [
            sorted(self.group_entries_by_spacing(words)) for words in self.grammar.get_slot_lists(variant)
        ]
        for choice in itertools.product(*kinds):
            sides = [
                self.cut_at_spaces(items, variant, choice)
                for items in (variant.source.premise, variant.source.hypothesis)
            ]
            ends = [runs[-1].start + runs[-1].length for runs in sides]
            yield Pattern(variant, (sides[0], sides[1]), (ends[0], ends[1]))

    def group_entries_by_spacing(self, words: WordList, *, first: bool = False) -> dict[Kind, dict[int, str]]:
        """Return the entries of a list, as they are written, by their kind."""
        key = (words.name, first)
        if key not in self.entries:
            kinds: dict[Kind, dict[int, str]] = defaultdict(dict)
            for entry in range(len(words)):
                text, attached = self.write_entry(words, entry)
                kinds[text.count(" "), attached][entry] = capitalise(text) if first else text
            self.entries[key] = dict(kinds)
        return self.entries[key]

    def write_entry(self, words: WordList, entry: int) -> tuple[str, bool]:
        """Write an entry as it stands in a sentence; only the leaves of lists that shape the tree attach themselves."""
        if not words.shapes_tree:
            return words.texts[entry], False
        tokens = _list_tree_words(words.trees[entry] or ()) or [words.texts[entry]]
        text = tokens[0]
        for token in tokens[1:]:
            text += token if self.natural and token in ATTACHED else f" {token}"
        return text, self.natural and tokens[0] in ATTACHED

    def cut_at_spaces(
        self, items: Sequence[Item], variant: Variant, choice: Sequence[Kind]
    ) -> tuple[ChunkRun, ...]:
        """Cut a sentence where it has spaces."""
        clusters: list[list[_PatternPiece]] = []
        for leaf in list_leaves(items):
            if isinstance(leaf, Slot):
                slot = variant.slots.index(leaf.name)
                part = _PatternPiece(leaf.list_name, slot, leaf.capital or not clusters)
                attached = leaf.glued or choice[slot][1]
            else:
                part = _PatternPiece(leaf.text, None, not clusters)
                attached = leaf.glued or (self.natural and leaf.text in ATTACHED)
            if attached and clusters:
                clusters[-1].append(part)
            else:
                clusters.append([part])
        runs: list[ChunkRun] = []
        start = 0
        for parts in clusters:
            slots = tuple(dict.fromkeys(part.slot for part in parts if part.slot is not None))
            chunks = self.write_chunks(parts, slots, variant, choice)
            length = len(next(iter(chunks.values())))
            runs.append(ChunkRun(start, length, slots, chunks))
            start += length
        return tuple(runs)

    def write_chunks(
        self, parts: Sequence[_PatternPiece], slots: tuple[int, ...], variant: Variant, choice: Sequence[Kind]
    ) -> Mapping[tuple[int, ...], Chunks]:
        """Return what a run of touching parts can be, by the entries of its slots."""
        # Slots are numbered within the run, so that runs of many sub-variants are one.
        shape = [part if part.slot is None else replace(part, slot=slots.index(part.slot)) for part in parts]
        lists = [self.grammar.document.words[get_base_name(variant.slots[slot])] for slot in slots]
        kinds = [choice[slot] for slot in slots]
        key = (*shape, *((words.name, kind) for words, kind in zip(lists, kinds, strict=True)))
        if key not in self.clusters:
            entries = [
                self.group_entries_by_spacing(words)[kind] for words, kind in zip(lists, kinds, strict=True)
            ]
            if math.prod(map(len, entries)) > _MOST_GLUED:
                raise InputError(
                    f"{variant.name} has too many adjacent slots without a space. Add spaces between the slots."
                )
            writers = [self.make_part_writer(part, kinds) for part in shape]
            self.clusters[key] = {
                draw: tuple("".join(text(draw) for text in writers).split(" "))
                for draw in itertools.product(*entries)
            }
        return self.clusters[key]

    def make_part_writer(self, part: _PatternPiece, kinds: Sequence[Kind]) -> Callable[[Sequence[int]], str]:
        """Return what writes a part for the entries of a run's slots."""
        if part.slot is None:
            text = capitalise(part.text) if part.big else part.text
            return lambda _: text
        slot = part.slot
        entries = self.group_entries_by_spacing(self.grammar.document.words[part.text], first=part.big)[
            kinds[slot]
        ]
        return lambda draw: entries[draw[slot]]


def _list_tree_words(tree: Sequence[Item]) -> list[str]:
    """List the words of a drawn tree, without what it is wrapped around."""
    words: list[str] = []
    for item in tree:
        if isinstance(item, Branch):
            words += _list_tree_words(item.children)
        elif isinstance(item, FixedWord):
            words.append(item.text)
    return words
