"""A set as it is written down: word lists, phrases, and templates with their labels and tags."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.templates.notation import Branch, FixedWord, Hole, Item, Slot, read_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from rightreasons.templates.toml_values import TomlValue


@dataclass(frozen=True)
class WordList:
    """A list of words, or of small trees, each with a tag and a key that two slots may not share."""

    name: str
    texts: tuple[str, ...]
    tags: tuple[str | None, ...]
    keys: tuple[str, ...]
    trees: tuple[tuple[Item, ...] | None, ...]

    def __len__(self) -> int:
        """Count the entries."""
        return len(self.texts)

    @cached_property
    def shapes_tree(self) -> bool:
        """Return whether entries are more than one leaf, so that the tree around them depends on the draw."""
        return any(tree is not None for tree in self.trees)

    @cached_property
    def is_untagged(self) -> bool:
        """Return whether no entry says its own tag."""
        return not self.shapes_tree and all(tag is None for tag in self.tags)

    @cached_property
    def is_wrapper(self) -> bool:
        """Return whether entries are wrapped around something."""
        return any(tree is not None and has_hole(tree) for tree in self.trees)


class Lexicon(dict[str, WordList]):
    """Word lists by name; under `V:BASE` the words of V stand in the forms that BASE has for them."""

    def __init__(self, lists: Mapping[str, WordList]) -> None:
        """Set the lists as they are written; forms are built on demand."""
        super().__init__(lists)
        self.formed: dict[str, WordList] = {}

    def __missing__(self, name: str) -> WordList:
        """Make a list in the forms of another."""
        base, colon, form = name.partition(":")
        if not colon:
            raise KeyError(name)
        if name not in self.formed:
            self.formed[name] = inflect_word_list(name, self[base], self[form])
        return self.formed[name]


def inflect_word_list(name: str, words: WordList, forms: WordList) -> WordList:
    """Replace each word of a list by the word of another list that has the same lemma."""
    if words.shapes_tree or forms.shapes_tree:
        raise InputError(
            f"{{{name}}} requests another form of a tree. Use a list of words, since trees have no forms."
        )
    chosen = []
    numbers: dict[str, list[int]] = {}
    for number, key in enumerate(forms.keys):
        numbers.setdefault(key, []).append(number)
    for key, text in zip(words.keys, words.texts, strict=True):
        entries = numbers.get(key, [])
        if len(entries) != 1:
            many = f"{len(entries)} words" if entries else "no word"
            raise InputError(
                f"The word list {forms.name} has {many} for {text!r} of {words.name}. "
                f"Use exactly one word with the lemma {key!r}."
            )
        if forms.texts[entries[0]].count(" ") != text.count(" "):
            raise InputError(
                f"{forms.texts[entries[0]]!r} of {forms.name} is a form of {text!r}, but has another word count. "
                "Use forms with the same number of words."
            )
        chosen.append(entries[0])
    texts, tags = (tuple(values[entry] for entry in chosen) for values in (forms.texts, forms.tags))
    return WordList(name, tuple(map(str, texts)), tags, words.keys, (None,) * len(chosen))


def build_word_list(
    name: str, words: Sequence[str], tag: str | None, lemmas: Sequence[str] | None
) -> WordList:
    """Make a list from its entries; a tree of one leaf is a tagged word, a larger one stays a tree."""
    if not words:
        raise InputError(f"The word list {name} is empty. Add at least one word.")
    if lemmas is not None and len(lemmas) != len(words):
        raise InputError(
            f"The word list {name} has {len(words)} words but {len(lemmas)} lemmas. Add one lemma per word."
        )
    entries = [_read_word_list_entry(name, " ".join(word.split()), tag) for word in words]
    texts = tuple(text for text, _, _ in entries)
    repeated = _list_repeated_texts(texts)
    if repeated:
        raise InputError(
            f"The word list {name} contains {repeated[0]!r} more than once. Remove the repetitions; only "
            "templates and the alternatives of a phrase can have a weight."
        )
    keys = tuple(lemmas) if lemmas is not None else texts
    tags, trees = tuple(tag for _, tag, _ in entries), tuple(tree for _, _, tree in entries)
    return _refuse_mixed_wrappers(WordList(name, texts, tags, keys, trees))


def join_word_lists(name: str, parts: Sequence[WordList]) -> WordList:
    """Make one list of several, in order."""
    texts = tuple(text for part in parts for text in part.texts)
    repeated = _list_repeated_texts(texts)
    if repeated:
        raise InputError(
            f"The word list {name} joins lists that both contain {repeated[0]!r}. Keep the word in one list only."
        )
    tags = tuple(tag for part in parts for tag in part.tags)
    keys = tuple(key for part in parts for key in part.keys)
    trees = tuple(tree for part in parts for tree in part.trees)
    return _refuse_mixed_wrappers(WordList(name, texts, tags, keys, trees))


def _list_repeated_texts(texts: Sequence[str]) -> list[str]:
    """List the texts that occur more than once."""
    return sorted(text for text, times in Counter(texts).items() if times > 1)


def _refuse_mixed_wrappers(words: WordList) -> WordList:
    """Refuse a list in which only some entries wrap a tree: the other entries would drop the tree."""
    if words.is_wrapper and not all(tree is not None and has_hole(tree) for tree in words.trees):
        raise InputError(
            f"The word list {words.name} mixes entries with * and entries without. Split it into two lists."
        )
    return words


def _read_word_list_entry(
    name: str, word: str, tag: str | None
) -> tuple[str, str | None, tuple[Item, ...] | None]:
    if not word:
        raise InputError(f"The word list {name} has a blank word. Remove the word.")
    if not word.startswith("("):
        return word, tag, None
    tree = read_items(word)
    if len(tree) == 1 and isinstance(tree[0], FixedWord):
        return tree[0].text, tree[0].tag, None
    return " ".join(_collect_leaf_words(tree, name, word)), None, tree


def _collect_leaf_words(tree: Sequence[Item], name: str, word: str) -> list[str]:
    words: list[str] = []
    holes = 0
    pending = list(reversed(tree))
    while pending:
        item = pending.pop()
        if isinstance(item, Branch):
            pending.extend(reversed(item.children))
        elif isinstance(item, Hole):
            holes += 1
        elif isinstance(item, FixedWord) and not holes:
            words.append(item.text)
        elif isinstance(item, Slot):
            raise InputError(
                f"The entry {word!r} of the word list {name} contains a slot. Move the entry to [phrases]."
            )
        else:
            raise InputError(
                f"The entry {word!r} of the word list {name} has words after the *. Move the words before the *."
            )
    if holes > 1:
        raise InputError(f"The entry {word!r} of the word list {name} has {holes} *. Use only one *.")
    return words


def has_hole(tree: Sequence[Item]) -> bool:
    """Return whether a tree has a place to be wrapped around something."""
    return any(
        isinstance(item, Hole) or (isinstance(item, Branch) and has_hole(item.children)) for item in tree
    )


@dataclass(frozen=True)
class Phrase:
    """A named piece of tree: its parameters and its weighted alternatives."""

    name: str
    parameters: tuple[str, ...]
    alternatives: Mapping[str, tuple[Fraction, str]]


@dataclass(frozen=True)
class Template:
    """A premise and a hypothesis with slots in common, their label and their tags."""

    name: str
    subcase: str
    label: str
    tags: Mapping[str, str]
    weight: Fraction
    premise: str
    hypothesis: str
    entry: TomlValue = field(repr=False, compare=False)
    parts: Mapping[str, TomlValue] = field(repr=False, compare=False)
    # Lists and phrases that names of this template stand for, and the template that several hypotheses belong to.
    using: tuple[tuple[str, str], ...] = ()
    bundle: str | None = None

    @property
    def line(self) -> int:
        """Return the line of the file that the template begins in."""
        return self.entry.line

    def get_sentence_or_tag(self, key: str) -> str:
        """Return a sentence or a tag as it is written."""
        return self.tags[key] if key in self.tags else str(self.parts[key].value)

    def get_toml_value(self, key: str) -> TomlValue:
        """Return where a sentence or a tag is written: in the template, its subcase or the mode."""
        return self.parts.get(key, self.entry)


@dataclass(frozen=True)
class Document:
    """A set as it is written down, in one mode."""

    place: str
    words: Lexicon
    phrases: Mapping[str, Phrase]
    templates: tuple[Template, ...]
    sizes: Mapping[str, int]
    name: str
    labels: tuple[str, ...]
    version: int = 1
    text: str = "natural"
    twins: bool = True
    draw: str = "in-proportion"
    distinct: bool = True
    description: str = ""
