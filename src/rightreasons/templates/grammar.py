"""A set in one mode: its sub-variants, each with the space of what it can say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rightreasons.errors import InputError
from rightreasons.templates.document import Document, read_document
from rightreasons.templates.expansion import SubVariant, sub_variants
from rightreasons.templates.notation import Slot, base_name
from rightreasons.templates.rendering import leaves
from rightreasons.templates.space import Space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from pathlib import Path

    from rightreasons.templates.lexicon import WordList
    from rightreasons.templates.notation import Item


@dataclass(frozen=True)
class Variant:
    """A sub-variant with its slots, its frame and its space.

    Sub-variants with the same premise text and the same lists in it share a frame, and so their premises' ranks.
    """

    number: int
    name: str
    source: SubVariant
    slots: tuple[str, ...]
    frame: str
    space: Space

    @property
    def label(self) -> str:
        """Name the label of all pairs of this sub-variant."""
        return self.source.template.label

    @property
    def subcase(self) -> str:
        """Name the subcase."""
        return self.source.template.subcase

    @cached_property
    def weight(self) -> Fraction:
        """Weigh by the choices and by how often a free draw is legal."""
        return self.source.weight * self.space.count / self.space.proposals


class Grammar:
    """All sub-variants of a set in one mode."""

    def __init__(self, document: Document) -> None:
        """Expand the document and count the space of every sub-variant."""
        self.document = document
        spaces: dict[tuple[str, ...], Space] = {}
        self.variants = [
            self._variant(number, source, spaces) for number, source in enumerate(sub_variants(document))
        ]
        self.subcases = tuple(dict.fromkeys(variant.subcase for variant in self.variants))
        self.by_name = {variant.name: variant for variant in self.variants}
        own = ("template", "heuristic", "subcase", "trigger", "category")
        tags = dict.fromkeys(tag for variant in self.variants for tag in variant.source.tags)
        self.tags = tuple(sorted(tags, key=lambda tag: own.index(tag) if tag in own else len(own)))

    def _variant(self, number: int, source: SubVariant, spaces: dict[tuple[str, ...], Space]) -> Variant:
        words = self.document.words
        with self.document.at(source.template.line):
            premise = slot_names(source.premise)
            both = tuple(dict.fromkeys([*premise, *slot_names(source.hypothesis)]))
            for tag, items in source.tags.items():
                for name in slot_names(items):
                    if name not in both:
                        raise InputError(
                            f"The tag {tag} names the slot {{{name}}}, which neither sentence has."
                        )
            frame = _frame(source.premise)
            lists = [words[base_name(slot)] for slot in both]
            key = (str(len(premise)), *(entry.name for entry in lists))
            if key not in spaces:
                spaces[key] = Space(lists, len(premise), distinct=self.document.distinct)
        if not spaces[key].count:
            raise InputError(
                f"{self.document.place}, line {source.template.line}: the template {source.name} can't be filled: "
                "its word lists are too short for words that all differ. Add words."
            )
        return Variant(number, source.name, source, both, frame, spaces[key])

    def lists(self, variant: Variant) -> list[WordList]:
        """Return the word list of each slot."""
        return [self.document.words[base_name(slot)] for slot in variant.slots]

    def of_subcase(self, subcase: str) -> list[Variant]:
        """Return the sub-variants of a subcase that this mode uses."""
        return [v for v in self.variants if v.subcase == subcase and v.source.weight > 0]

    @cached_property
    def frames(self) -> Mapping[str, Sequence[Variant]]:
        """Return the sub-variants by the frame of their premise, also those that this mode leaves out."""
        found: dict[str, list[Variant]] = {}
        for variant in self.variants:
            found.setdefault(variant.frame, []).append(variant)
        return found


def slot_names(items: Sequence[Item]) -> tuple[str, ...]:
    """Name the slots of a tree in the order of the words."""
    return tuple(dict.fromkeys(leaf.name for leaf in leaves(items) if isinstance(leaf, Slot)))


def _frame(premise: Sequence[Item]) -> str:
    """Show the premise with its lists for words: what is the same for all that share a frame."""
    order = {name: number for number, name in enumerate(slot_names(premise))}
    parts = []
    for leaf in leaves(premise):
        token = f"{{{base_name(leaf.name)}:{order[leaf.name]}}}" if isinstance(leaf, Slot) else leaf.text
        parts.append(token if leaf.glued else f" {token}")
    return "".join(parts).strip()


@lru_cache(maxsize=16)
def load_grammar(path: Path, mode: str | None = None, *, stamp: int = 0) -> Grammar:  # noqa: ARG001 - stamp keys the cache
    """Read a set's TOML file; `stamp`, its time of change, makes a changed file be read again."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}. Check the path.") from error
    return Grammar(read_document(text, str(path), mode))
