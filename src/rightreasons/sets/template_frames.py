"""The frames that templates use their verbs in, read off the templates' own parses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.core.trees import Tree
from rightreasons.language.frame_names import INTRANSITIVE, OBJECT, OBJECT_COMPLEMENT, OTHER, PP
from rightreasons.language.parse_nodes import link_word_nodes
from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_frames import classify_frame
from rightreasons.templates.notation import Branch, FixedWord, Hole, Slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.language.parse_nodes import ParseNode
    from rightreasons.templates.document import WordList
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.notation import Item

# A template relies on the whole frame: a verb that takes no object need not have a prepositional phrase.
_WHOLE = {PP: INTRANSITIVE, OBJECT_COMPLEMENT: OBJECT}
_VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_MASK = "*"  # before a verb that is not to be found
_AUXILIARIES = ("be", "have", "do")


@dataclass(frozen=True)
class VerbUse:
    """A verb in a frame, by its base form: the slot that it fills and its number in the slot's list; None if fixed."""

    slot: str | None
    entry: int | None
    verb: str
    frame: str


@lru_cache(maxsize=16)
def list_verb_uses(grammar: Grammar) -> tuple[tuple[VerbUse, ...], ...]:
    """List the verbs of each sub-variant with their frames, in the premise and in the hypothesis."""
    words = grammar.document.words
    return tuple(
        tuple(
            dict.fromkeys(
                use
                for items in (variant.source.premise, variant.source.hypothesis)
                for use in _list_sentence_uses(items, words)
            )
        )
        for variant in grammar.variants
    )


def list_relied_frames(
    grammar: Grammar, verbs: Sequence[str] | None = None
) -> dict[tuple[str, str], list[str]]:
    """List the verbs and frames that a set relies on, each with the subcases that do; or those of some verbs only."""
    relied: dict[tuple[str, str], list[str]] = {}
    for variant, uses in zip(grammar.variants, list_verb_uses(grammar), strict=True):
        for use in uses if variant.source.weight > 0 else ():
            subcases = relied.setdefault((use.verb, use.frame), [])
            if variant.subcase not in subcases:
                subcases.append(variant.subcase)
    return {key: subcases for key, subcases in relied.items() if verbs is None or key[0] in verbs}


def _list_sentence_uses(items: Sequence[Item], words: Mapping[str, WordList]) -> Iterator[VerbUse]:
    """Read the frames of all verbs of a sentence off its tree; a slot counts once for each word of its list."""
    slots: dict[str, Slot] = {}
    for tree in _build_trees(items, words, slots):
        for node in link_word_nodes(tree):
            if node.label in _VERB_TAGS:
                yield from _list_uses_at(node, slots, words)


def _list_uses_at(
    node: ParseNode, slots: Mapping[str, Slot], words: Mapping[str, WordList]
) -> Iterator[VerbUse]:
    slot = slots.get(node.word or "")
    texts = (node.word or "",) if slot is None else words[slot.list_name].texts
    for entry, text in enumerate(texts):
        verb = find_verb_lemma(text)
        if verb is not None and verb not in _AUXILIARIES:
            node.word = text.lower()
            frame = classify_frame(node, verb)
            if frame != OTHER:
                whole = _WHOLE.get(frame, frame)
                yield (
                    VerbUse(None, None, verb, whole)
                    if slot is None
                    else VerbUse(slot.name, entry, verb, whole)
                )


def _build_trees(
    items: Sequence[Item],
    words: Mapping[str, WordList],
    slots: dict[str, Slot],
    inner: Sequence[Item] = (),
    *,
    listed: bool = False,
) -> list[Tree]:
    """Build trees with the names of slots in place of words, and note the slots by name.

    If the words of a slot's list are trees, the first one stands there, and the template relies on none of its verbs.
    """
    trees: list[Tree] = []
    for item in items:
        if isinstance(item, Branch):
            children = _build_trees(item.children, words, slots, inner, listed=listed)
            trees += [Tree(item.label, tuple(children))] if children else []
        elif isinstance(item, FixedWord) and item.tag is not None:
            masked = listed and item.tag in _VERB_TAGS
            trees.append(Tree(item.tag, (_MASK + item.text if masked else item.text,)))
        elif isinstance(item, Hole):
            trees += _build_trees(inner, words, slots)
        elif isinstance(item, Slot):
            choices = words[item.list_name]
            first = choices.trees[0]
            if first is not None:
                trees += _build_trees(first, words, slots, item.inner, listed=True)
                continue
            slots[item.name] = item
            tag = item.tag or choices.tags[0] or "NN"
            trees.append(Tree(tag, (item.name,)))
    return trees
