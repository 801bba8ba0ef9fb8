"""A phrase structure tree whose nodes know their parents and sisters."""

from __future__ import annotations

from dataclasses import dataclass, field

from rightreasons.core.trees import Tree

CLAUSES = ("S", "SINV", "SQ")
SUBORDINATE = ("SBAR", "SBARQ")
NOUN_PHRASES = ("NP", "NX", "NML", "WHNP")
PUNCTUATION = (",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH")
# What may stand anywhere in a phrase without changing what it is.
_LIGHT = ("ADVP", "RB", "RBR", "RBS", "INTJ", "UH", "PRN", "CC", "CONJP")
_VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD")
_FINITE_TAGS = ("VBD", "VBP", "VBZ", "MD")
_HEADS = ("NN", "NNS", "NNP", "NNPS", "PRP", "CD", "EX", "WP", "WDT")
TO = "TO"


@dataclass(slots=True, eq=False)
class ParseNode:
    """A node with its parent; one right above a word has the word, its number, and the words beside it."""

    label: str
    parent: ParseNode | None
    word: str | None = None
    number: int = -1
    place: int = 0  # among its sisters
    children: list[ParseNode] = field(default_factory=list)
    next_word: str = ""
    previous_word: str = ""
    previous_label: str = ""

    def list_after(self) -> list[ParseNode]:
        """Return the sisters behind this node."""
        return [] if self.parent is None else self.parent.children[self.place + 1 :]

    def list_before(self) -> list[ParseNode]:
        """Return the sisters before this node."""
        return [] if self.parent is None else self.parent.children[: self.place]

    @property
    def parent_label(self) -> str:
        """The label of the parent, empty for the root."""
        return "" if self.parent is None else self.parent.label

    @property
    def is_verb(self) -> bool:
        """Whether this is a single verb."""
        return self.word is not None and self.label in _VERB_TAGS

    @property
    def main_children(self) -> list[ParseNode]:
        """The children but for punctuation, adverbs, conjunctions and interjections."""
        return [child for child in self.children if child.label not in (*PUNCTUATION, *_LIGHT)]

    def find_subject(self) -> ParseNode | None:
        """Return the noun phrase before the verb phrase of a clause; in a question, the one behind the auxiliary."""
        for child in self.children:
            if child.label in NOUN_PHRASES or (
                child.label == "SBAR" and child.place == 0 and self._has_no_noun()
            ):
                return child
            if child.label == "VP":
                return None
        return None

    def _has_no_noun(self) -> bool:
        return all(child.label not in NOUN_PHRASES for child in self.children)

    def find_verb_phrase(self) -> ParseNode | None:
        """Return the verb phrase of a clause."""
        return next((child for child in self.children if child.label == "VP"), None)

    def get_first_verb(self) -> ParseNode | None:
        """Return the first verb or `to` of a verb phrase: its tag tells a finite one from an infinitive."""
        node: ParseNode | None = self
        while node is not None and node.word is None:
            node = next(
                (child for child in node.children if child.label in (*_VERB_TAGS, TO, "VP")),
                None,
            )
        return node

    def is_finite(self) -> bool:
        """Return whether a verb phrase is finite."""
        first = self.get_first_verb()
        return first is not None and first.label in _FINITE_TAGS

    def get_head_noun(self) -> ParseNode | None:
        """Return the head word of a noun phrase: the last noun, pronoun or number of its first part."""
        node: ParseNode = self
        while True:
            inner = next((child for child in node.children if child.label in (*NOUN_PHRASES, "QP")), None)
            possessive = inner is not None and inner.children and inner.children[-1].label == "POS"
            if inner is None or possessive:
                break
            node = inner
        words = [
            child for child in node.children if child.word is not None and child.label not in PUNCTUATION
        ]
        nouns = [child for child in words if child.label in _HEADS]
        return nouns[-1] if nouns else words[-1] if words else None

    def list_leaves(self) -> list[ParseNode]:
        """List the nodes right above the words below this node."""
        leaves, stack = [], [self]
        while stack:
            node = stack.pop()
            if node.word is not None:
                leaves.append(node)
            stack.extend(reversed(node.children))
        return leaves

    def list_words(self) -> list[str]:
        """List the words below this node in lower case."""
        return [(leaf.word or "").lower() for leaf in self.list_leaves()]


def find_first_conjunct(node: ParseNode, labels: tuple[str, ...]) -> ParseNode:
    """Return the first of several coordinated clauses, or the clause itself."""
    while True:
        main = node.main_children
        if len(main) <= 1 or any(child.label not in labels for child in main):
            return node
        node = main[0]


def link_word_nodes(tree: Tree) -> list[ParseNode]:
    """Return the nodes right above the words of a tree, from left to right, linked with all others."""
    root = ParseNode(tree.label, None)
    words: list[ParseNode] = []
    stack: list[tuple[Tree | str, ParseNode]] = [(child, root) for child in reversed(tree.children)]
    while stack:
        item, parent = stack.pop()
        if isinstance(item, Tree):
            node = ParseNode(item.label, parent, place=len(parent.children))
            parent.children.append(node)
            stack.extend((child, node) for child in reversed(item.children))
            continue
        node = parent
        if parent.word is not None or parent.children:  # a word beside others
            node = ParseNode("", parent, place=len(parent.children))
            parent.children.append(node)
        node.word, node.number = item, len(words)
        if words:
            words[-1].next_word = item
            node.previous_word, node.previous_label = words[-1].word or "", words[-1].label
        words.append(node)
    return words
