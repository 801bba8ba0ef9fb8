"""A set in one mode: its sub-variants, each with the space of what it can say.

A bundle is one premise with several hypotheses, whose words are drawn together.
"""

from __future__ import annotations

import itertools
from codecs import BOM_UTF8
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.core.text_errors import find_utf8_fault
from rightreasons.templates.expansion import SubVariant, expand_templates
from rightreasons.templates.notation import FixedWord, Slot, get_base_name
from rightreasons.templates.rendering import ATTACHED, list_leaves
from rightreasons.templates.slot_space import SlotSpace
from rightreasons.templates.toml_document import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from rightreasons.templates.document import Document, WordList
    from rightreasons.templates.notation import Item


@dataclass(frozen=True)
class Bundle:
    """What the hypotheses of one premise have in common: all slots of all of them, drawn from one space.

    A sample has at most one bundle of each premise. So its pairs all differ, even where hypotheses leave out some of
    the slots and therefore could not tell two bundles apart.
    """

    name: str
    slots: tuple[str, ...]
    space: SlotSpace
    size: int

    def compute_hypothesis_ranks(
        self, slots: Sequence[str], space: SlotSpace, premises: NDArray[np.int64], drawn: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the ranks of one hypothesis' pairs in its own space, for premises and the words drawn with them."""
        if space.hypotheses == 1:
            return premises
        entries = self.space.unrank(premises * self.space.hypotheses + drawn)
        return space.rank([entries[self.slots.index(slot)] for slot in slots])


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
    space: SlotSpace
    bundle: Bundle | None = None

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
        """Weigh by the choices and, but for bundles, by how often a free draw is legal."""
        if self.bundle:
            return self.source.weight
        return self.source.weight * self.space.count / self.space.proposals


class Grammar:
    """All sub-variants of a set in one mode."""

    def __init__(self, document: Document) -> None:
        """Expand the document and count the space of every sub-variant."""
        self.document = document
        self._spaces: dict[tuple[str, ...], SlotSpace] = {}
        sources = expand_templates(document)
        bundles = self._build_bundles(sources)
        self.variants = [
            self._build_variant(number, source, bundles) for number, source in enumerate(sources)
        ]
        self.subcases = tuple(dict.fromkeys(variant.subcase for variant in self.variants))
        self.by_name = self._index_variants_by_name()
        own = ("template", "heuristic", "subcase", "trigger", "category")
        tags = dict.fromkeys(tag for variant in self.variants for tag in variant.source.tags)
        self.tags = tuple(sorted(tags, key=lambda tag: own.index(tag) if tag in own else len(own)))

    def _build_variant(self, number: int, source: SubVariant, bundles: Mapping[str, Bundle]) -> Variant:
        slots = _merge_slot_names([source])
        _check_tag_slots(source, slots)
        bundle = None if source.bundle is None else bundles[source.bundle]
        return Variant(
            number,
            source.name,
            source,
            slots,
            _describe_frame(source.premise),
            self._get_slot_space(source, slots),
            bundle,
        )

    def _build_bundles(self, sources: Sequence[SubVariant]) -> dict[str, Bundle]:
        """Return the bundles by name, each with the slots of all its hypotheses."""
        together: dict[str, list[SubVariant]] = {}
        for source in sources:
            if source.bundle is not None:
                together.setdefault(source.bundle, []).append(source)
        bundles = {}
        for name, members in together.items():
            slots = _merge_slot_names(members)
            bundles[name] = Bundle(name, slots, self._get_slot_space(members[0], slots), len(members))
        return bundles

    def _get_slot_space(self, source: SubVariant, slots: Sequence[str]) -> SlotSpace:
        """Return the space of some slots, those of the premise first."""
        inside = len(list_slot_names(source.premise))
        lists = [self.document.words[get_base_name(slot)] for slot in slots]
        key = (str(inside), *(entry.name for entry in lists))
        if key not in self._spaces:
            with source.template.entry.locate_errors():
                self._spaces[key] = SlotSpace(lists, inside, distinct=self.document.distinct)
        if not self._spaces[key].count:
            raise source.template.entry.make_error(
                f"the template {source.name} can't be filled with distinct words: its word lists are too short. "
                "Add words."
            )
        return self._spaces[key]

    def _index_variants_by_name(self) -> dict[str, Variant]:
        """Return the sub-variants by name, and refuse repeated names."""
        named: dict[str, Variant] = {}
        for variant in self.variants:
            other = named.setdefault(variant.name, variant)
            if other is not variant:
                raise variant.source.template.entry.make_error(
                    f"two sub-variants are called {variant.name!r}; the other is in the template "
                    f"{other.source.template.name} in line {other.source.template.line}. Rename a template or a choice."
                )
        return named

    def get_slot_lists(self, variant: Variant) -> list[WordList]:
        """Return the word list of each slot."""
        return [self.document.words[get_base_name(slot)] for slot in variant.slots]

    def get_variants(self, subcase: str) -> list[Variant]:
        """Return the sub-variants of a subcase that this mode uses."""
        return self._variants_by_subcase[subcase]

    def get_variants_by_bundle(self, subcase: str) -> list[tuple[Variant, ...]]:
        """Return the sub-variants of a subcase that this mode uses, those of one bundle together."""
        return self._bundled_variants_by_subcase[subcase]

    @cached_property
    def _bundled_variants_by_subcase(self) -> Mapping[str, list[tuple[Variant, ...]]]:
        def get_bundle_key(variant: Variant) -> str | int:
            return variant.number if variant.bundle is None else variant.bundle.name

        return {
            subcase: [tuple(group) for _, group in itertools.groupby(used, get_bundle_key)]
            for subcase, used in self._variants_by_subcase.items()
        }

    @cached_property
    def _variants_by_subcase(self) -> Mapping[str, list[Variant]]:
        used: dict[str, list[Variant]] = {subcase: [] for subcase in self.subcases}
        for variant in self.variants:
            if variant.source.weight > 0:
                used[variant.subcase].append(variant)
        return used

    @cached_property
    def frames(self) -> Mapping[str, Sequence[Variant]]:
        """Return the sub-variants by the frame of their premise, also those that this mode leaves out."""
        frames: dict[str, list[Variant]] = {}
        for variant in self.variants:
            frames.setdefault(variant.frame, []).append(variant)
        return frames


def list_slot_names(items: Sequence[Item]) -> tuple[str, ...]:
    """Name the slots of a tree in the order of the words."""
    if all(isinstance(item, FixedWord) for item in items):
        return ()
    return tuple(dict.fromkeys(leaf.name for leaf in list_leaves(items) if isinstance(leaf, Slot)))


def _merge_slot_names(sources: Sequence[SubVariant]) -> tuple[str, ...]:
    """Name the slots of a premise and of its hypotheses, the premise's first."""
    names = [*list_slot_names(sources[0].premise)]
    for source in sources:
        names += list_slot_names(source.hypothesis)
    return tuple(dict.fromkeys(names))


def _check_tag_slots(source: SubVariant, slots: Sequence[str]) -> None:
    """Refuse a tag with a slot that neither sentence has, and so nothing fills."""
    for tag, items in source.tags.items():
        for name in list_slot_names(items):
            if name not in slots:
                raise source.template.get_toml_value(tag).make_error(
                    f"The tag {tag} refers to the slot {{{name}}}, which neither sentence has. Use another slot."
                )


def _describe_frame(premise: Sequence[Item]) -> str:
    """Render the premise with list names instead of words: equal for all that share a frame."""
    order = {name: number for number, name in enumerate(list_slot_names(premise))}
    parts = []
    for leaf in list_leaves(premise):
        token = f"{{{leaf.list_name}:{order[leaf.name]}}}" if isinstance(leaf, Slot) else leaf.text
        parts.append(token if leaf.glued or token in ATTACHED else f" {token}")
    text = "".join(parts).strip()
    # A tree begins with "the" and plain text with "The", but their sentences are the same.
    return text[:1].lower() + text[1:]


class _GrammarLoader:
    """Loads sets from files; identical texts are parsed once."""

    def __call__(self, path: Path, mode: str | None = None) -> Grammar:
        """Read a set's TOML file, in one of its modes."""
        return _parse_grammar(_read_grammar_file(path), str(path), mode)

    def cache_clear(self) -> None:
        """Clear the cache."""
        _parse_grammar.cache_clear()


load_grammar = _GrammarLoader()


@lru_cache(maxsize=16)
def _parse_grammar(text: str, place: str, mode: str | None) -> Grammar:
    return Grammar(read_document(text, place, mode))


def _read_grammar_file(path: Path) -> str:
    try:
        data = path.read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}. Check the path.") from error
    fault = find_utf8_fault(data)
    if fault is not None:
        raise InputError(f"{path}, line {fault.line}: {fault.what}. {fault.advice}")
    return data.decode()
