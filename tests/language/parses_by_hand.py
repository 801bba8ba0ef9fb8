"""Short parses for the tests of verbs and their frames."""

from __future__ import annotations

from rightreasons.core.trees import parse_tree
from rightreasons.language.parse_nodes import ParseNode, link_word_nodes
from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_frames import classify_frame


def find_node(parse: str, word: str) -> ParseNode:
    """Return the node right above a word."""
    return next(node for node in link_word_nodes(parse_tree(parse)) if node.word == word)


def frame_of(parse: str, word: str) -> str:
    """Return the frame of a verb."""
    lemma = find_verb_lemma(word)
    assert lemma is not None
    return classify_frame(find_node(parse, word), lemma)


def clause(rest: str, subject: str = "(NP (PRP They))") -> str:
    """Write a main clause with a verb phrase."""
    return f"(ROOT (S {subject} {rest} (. .)))"
