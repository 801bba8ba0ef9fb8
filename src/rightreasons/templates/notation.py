"""The text form of a tree with slots: `(NP (DT the) {N1})`, `{PREP <the N2>}`, `<VP1>`.

(LABEL ...)   a node; `(TAG word)` is a leaf
{N1}          a word drawn from list N, tagged by the list; if the list has no tags, `(VBD {T1})` tags it here
{N1/NN}       the same with another tag than the list's
{V1:BASE}     the same draw, shown as the word of list BASE with the same lemma
{PREP ...}    a drawn tree that is wrapped around what follows the name
<VP1>         an instance of phrase VP; `<the N1>` hands a slot on to the phrase
word          next to nodes: a word of the sentence that is not in the parse
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from rightreasons.core.errors import InputError

_TOKEN = re.compile(r"[(){}<>]|[^\s(){}<>]+")
_PLAIN = re.compile(r"\{[^{}]*\}|<[^<>]*>|[{}<>]|[^\s{}<>]+|\s+")
LINE = 60  # characters of a sentence that an error quotes
_BRACKETS = ("{", "}", "<", ">")
MOST_LEVELS = 100
_SHOWN = 500  # characters of a sentence that an error quotes
_CLOSERS = {"(": ")", "{": "}", "<": ">"}


@dataclass(frozen=True)
class Branch:
    """A labelled node over others."""

    label: str
    children: tuple[Item, ...]


@dataclass(frozen=True)
class FixedWord:
    """A fixed word; without a tag it stands in the sentence but not in the parse."""

    text: str
    tag: str | None
    glued: bool = False


@dataclass(frozen=True)
class Slot:
    """A word to be drawn; `inner` is what a drawn tree is wrapped around, `form` the list that it is shown by."""

    name: str
    tag: str | None = None
    inner: tuple[Item, ...] = ()
    glued: bool = False
    form: str | None = None
    capital: bool = False

    @property
    def list_name(self) -> str:
        """Name the list whose words are shown: its own, or that in another form."""
        return get_base_name(self.name) if self.form is None else f"{get_base_name(self.name)}:{self.form}"


@dataclass(frozen=True)
class Call:
    """An instance of a phrase, with the slots that are handed on to it."""

    name: str
    arguments: tuple[str, ...] = ()
    glued: bool = False


@dataclass(frozen=True)
class Hole:
    """Where a drawn tree is wrapped around its inner items."""


Item = Branch | FixedWord | Slot | Call | Hole


@lru_cache(maxsize=4096)
def get_base_name(name: str) -> str:
    """Return the list or phrase that a slot or an instance belongs to: `VP1.N2` -> `N`."""
    return name.rpartition(".")[2].rstrip("0123456789")


@lru_cache(maxsize=4096)
def read_items(text: str) -> tuple[Item, ...]:
    """Read a row of trees in bracket notation."""
    reader = _NotationParser(text)
    try:
        return tuple(reader.read_items(closer=None))
    except RecursionError:
        raise InputError(f"{text[:LINE]!r}... has too many nested brackets. Use fewer.") from None


@lru_cache(maxsize=4096)
def read_sentence(text: str) -> tuple[Item, ...]:
    """Read a tree in brackets, or plain text with slots, spaced as it is written."""
    stripped = text.lstrip()
    if stripped.startswith(("(", "<")):
        return read_items(text)
    return read_plain_text(text)


@lru_cache(maxsize=4096)
def read_plain_text(text: str) -> tuple[Item, ...]:
    """Read plain text with slots; no space before a part glues it to the one before."""
    items: list[Item] = []
    spaced = True
    for part in _PLAIN.findall(text):
        if not part.isspace():
            items.append(_read_plain_item(part, text, glued=not spaced))
        spaced = part.isspace()
    return tuple(items)


def _read_plain_item(part: str, text: str, *, glued: bool) -> Item:
    if part in _BRACKETS:
        raise InputError(f"{text!r} has an unmatched bracket {part!r}. Close it or remove it.")
    if part[0] not in _BRACKETS:
        return FixedWord(part, None, glued)
    (item,) = _NotationParser(part, text).read_items(closer=None)
    return replace(item, glued=glued) if isinstance(item, Slot | Call) else item


class _NotationParser:
    """Reads items one token at a time; errors quote the whole sentence."""

    def __init__(self, text: str, whole: str | None = None) -> None:
        self.whole = whole or text
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        self.check_bracket_depth()

    def make_error(self, what: str) -> InputError:
        quoted = self.whole if len(self.whole) <= _SHOWN else f"{self.whole[:_SHOWN]}..."
        return InputError(f"{quoted!r} {what}. Check the brackets.")

    def check_bracket_depth(self) -> None:
        """Refuse brackets that are nested deeper than any sentence needs, since they are read by recursion."""
        depth = 0
        for token in self.tokens:
            depth += (token in _CLOSERS) - (token in _CLOSERS.values())
            if depth > MOST_LEVELS:
                raise self.make_error(f"has more than {MOST_LEVELS} nested brackets")

    def read_token(self) -> str:
        if self.at >= len(self.tokens):
            raise self.make_error("ends inside a bracket")
        self.at += 1
        return str(self.tokens[self.at - 1])

    def read_items(self, closer: str | None) -> list[Item]:
        items: list[Item] = []
        while self.at < len(self.tokens):
            token = self.read_token()
            if token == closer:
                return items
            if token in ")}>":
                raise self.make_error(f"has an unmatched {token!r}")
            items.append(self.read_item(token))
        if closer is not None:
            raise self.make_error(f"has no closing {closer!r}")
        return items

    def read_item(self, token: str) -> Item:
        if token == "(":
            return self.read_node()
        if token == "{":
            whole, _, tag = self.read_name("a slot").partition("/")
            name, colon, form = whole.partition(":")
            if colon and not (name and form):
                raise self.make_error(
                    f"has the slot {whole!r}, where a list is missing before or after the colon"
                )
            return Slot(name, tag or None, tuple(self.read_items("}")), form=form or None)
        if token == "<":
            name = self.read_name("a phrase")
            return Call(name, tuple(self.read_arguments(name)))
        return Hole() if token == "*" else FixedWord(token, None)

    def read_node(self) -> Item:
        label = self.read_name("a node's label")
        children = self.read_items(")")
        if children and all(isinstance(child, FixedWord) and child.tag is None for child in children):
            return FixedWord(
                " ".join(child.text for child in children if isinstance(child, FixedWord)), label
            )
        if not children:
            raise self.make_error(f"has an empty node {label}")
        return Branch(label, tuple(children))

    def read_name(self, what: str) -> str:
        token = self.read_token()
        if token in _CLOSERS or token in _CLOSERS.values():
            raise self.make_error(f"has {token!r} where {what} should be")
        return token

    def read_arguments(self, name: str) -> list[str]:
        arguments = []
        while (token := self.read_token()) != ">":
            if token in _CLOSERS or token in _CLOSERS.values():
                raise self.make_error(
                    f"passes {token!r} to the phrase {name}, which accepts names of slots and phrases only"
                )
            arguments.append(token)
        return arguments
