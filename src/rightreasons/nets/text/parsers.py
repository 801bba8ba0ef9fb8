"""Parsers for sentences without a parse: two that need nothing, and two that use what the user has installed.

right-branching  each word with all that follows it
balanced         halves, halves of halves, and so on
link-grammar     constituents found by the program `link-parser`
spacy            dependencies of a spaCy pipeline: `spacy:NAME`, or `spacy` for its small English one

Each gives a binary parse for every text, and "" for a text without words. What a parser finds no tree for branches to
the right.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.trees import Tree, binarise, read
from rightreasons.core.trees import spans as tree_spans
from rightreasons.core.trees import words as tree_words
from rightreasons.language.spacy_adapter import analyse_texts, find_pipeline_folder
from rightreasons.language.tokenizer import tokenize as token_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rightreasons.language.spacy_adapter import SpacyToken

    Spans = Iterable[tuple[int, int]]  # constituents as ranges of words

PARSERS = ("right-branching", "balanced", "link-grammar", "spacy")
CHOICE = "|".join(PARSERS)
PARSERS_SAID = f"{', '.join(PARSERS[:-1])} or {PARSERS[-1]}"
SPELLINGS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_IN_PARSES = {mark: name for name, mark in SPELLINGS.items()}
_SMALL_ENGLISH = "en_core_web_sm"
_PROGRAM = "link-parser"
_CURLY = str.maketrans("([)]", "{{}}")  # how the program writes brackets
_OPTIONS = ("en", "-constituents=3", "-graphics=0", "-verbosity=1", "-echo=1", "-limit=100", "-timeout=30")
_LONGEST = 1_000  # bytes of a line that the program takes whole


def parse(texts: Sequence[str], parser: str) -> list[str]:
    """Give the binary parse of each text by a parser, whose name is one of PARSERS or spacy:PIPELINE."""
    name, _, pipeline = parser.partition(":")
    if name not in PARSERS or (pipeline and name != "spacy"):
        raise UnknownNameError("parser", parser, PARSERS)
    if name == "spacy":
        return [
            _by_heads(text, words)
            for text, words in zip(texts, analyse_texts(texts, pipeline or _SMALL_ENGLISH), strict=True)
        ]
    sentences = [tokens(text) for text in texts]
    if name == "link-grammar":
        return [
            nested(words, found) for words, found in zip(sentences, _link_grammar(sentences), strict=True)
        ]
    return [right_branching(words) if name == "right-branching" else balanced(words) for words in sentences]


def parser_folder(parser: str) -> Path | None:
    """Find the folder of the files that a parser reads, if it is a spaCy pipeline."""
    name, _, pipeline = parser.partition(":")
    return find_pipeline_folder(pipeline or _SMALL_ENGLISH) if name == "spacy" else None


def tokens(text: str) -> list[str]:
    """Cut a text into words as parses have them: brackets are spelled out."""
    return [_spelled(text[start:end]) for start, end in token_spans(text)]


def _spelled(word: str) -> str:
    return _IN_PARSES.get(word, word)


def right_branching(words: Sequence[str]) -> str:
    """Join each word with all that follows it."""
    return nested(words, ())


def balanced(words: Sequence[str]) -> str:
    """Cut the words into halves, and those again; the left one of an odd number is the larger."""
    if len(words) <= 1:
        return "".join(words)
    middle = (len(words) + 1) // 2
    return f"( {balanced(words[:middle])} {balanced(words[middle:])} )"


def nested(words: Sequence[str], constituents: Spans) -> str:
    """Join the words of each constituent; parts of more than two branch to the right, crossing ones are left out."""
    if not words:
        return ""
    wide = sorted({(0, len(words)), *constituents}, key=lambda span: (span[0], -span[1]))
    open_nodes: list[tuple[int, list[Tree | str]]] = []  # where each ends, and its parts so far
    root: list[Tree | str] = []
    ranges = iter([*wide, (len(words), len(words))])
    start, stop = next(ranges)
    for place, word in enumerate([*words, ""]):
        while open_nodes and open_nodes[-1][0] <= place:
            _, parts = open_nodes.pop()
            (open_nodes[-1][1] if open_nodes else root).append(Tree("", tuple(parts)))
        while start == place < stop:
            if not open_nodes or stop <= open_nodes[-1][0]:
                open_nodes.append((stop, []))
            start, stop = next(ranges)
        if open_nodes:
            open_nodes[-1][1].append(word)
    return binarise(Tree("", tuple(root)))


def _by_heads(text: str, words: Sequence[SpacyToken]) -> str:
    """Join each word of a pipeline with what depends on it: what follows, the nearest first, then what precedes."""
    heads = [word.head for word in words]
    if None in heads:
        raise InputError(
            "The spaCy pipeline finds no dependencies. Choose one with a parser, or one of the other parsers."
        )
    spelled = [_spelled(text[word.start : word.end]) for word in words]
    return nested(spelled, list(_head_spans([head or 0 for head in heads])))


def _head_spans(heads: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Give the ranges that grow around each head as its dependents join it, nearest on the right first."""
    first, last = list(range(len(heads))), list(range(len(heads)))  # of the words below each, directly or not
    for word, above in enumerate(heads):
        seen, head = {word}, above
        while head not in seen:
            first[head], last[head] = min(first[head], word), max(last[head], word)
            seen.add(head)
            head = heads[head]
    for head in range(len(heads)):
        mine = [word for word, above in enumerate(heads) if above == head != word]
        start, stop = head, head + 1
        for word in (
            *(word for word in mine if word > head),
            *(word for word in reversed(mine) if word < head),
        ):
            start, stop = min(start, first[word]), max(stop, last[word] + 1)
            yield start, stop


def _link_grammar(sentences: Sequence[Sequence[str]]) -> Iterator[Spans]:
    """Give the constituents that Link Grammar finds in each sentence."""
    lines = [" ".join(SPELLINGS.get(word, word) for word in words) for words in sentences]
    found = _asked([line for line in lines if _takes(line)])
    for line in lines:
        tree = found.get(line)
        yield _aligned(line.split(" "), tree) if tree else ()


def _takes(line: str) -> bool:
    """Tell whether the program reads a line as a sentence: not if it is too long, or looks like a command."""
    return bool(line) and line[0] not in "!%" and len(line.encode()) <= _LONGEST


def _asked(lines: Sequence[str]) -> dict[str, str]:
    """Put lines to the program; it says each line again, then the tree."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise InputError(
            f"The parser 'link-grammar' needs the program {_PROGRAM}, which is not installed. "
            "Install Link Grammar with its English dictionary, or choose right-branching or balanced."
        )
    different = list(dict.fromkeys(lines))
    said = subprocess.run(  # noqa: S603 (the program is asked for by name, and the lines are its input)
        [program, *_OPTIONS],
        input="\n".join(different) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if said.returncode:
        reason = (said.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise InputError(
            f"The program {_PROGRAM} failed: {reason}. Install its English dictionary, or choose another parser."
        )
    return _heard(different, said.stdout.splitlines())


def _heard(asked: Sequence[str], said: Sequence[str]) -> dict[str, str]:
    """Find the tree of each line in what the program said."""
    found: dict[str, str] = {}
    waiting = iter([*asked, None])
    line, following = None, next(waiting)
    for heard in said:
        if heard == following:
            line, following = heard, next(waiting)
        elif line is not None and heard.startswith("(S"):
            found.setdefault(line, heard)
    return found


def _aligned(words: Sequence[str], tree: str) -> list[tuple[int, int]]:
    """Give the constituents of a tree as ranges of our words, of which the program may cut one into several."""
    found = read(tree)
    owners: list[int] = []
    place, done = 0, 0
    for leaf in tree_words(found):
        if place < len(words) and done == len(words[place]):
            place, done = place + 1, 0
        if place == len(words) or not (shared := _shared(leaf, words[place][done:])):
            return []
        owners.append(place)
        done += shared
    return [(owners[span.start], owners[span.stop - 1] + 1) for span in tree_spans(found)]


def _shared(leaf: str, word: str) -> int:
    """Count the letters of a word that a leaf starts with; the program adds marks, and writes brackets its own way."""
    leaf = leaf if leaf in ("{", "}") else leaf.removeprefix("{")
    word = word.translate(_CURLY)
    same = (a.lower() == b.lower() for a, b in zip(leaf, word, strict=False))
    return next((count for count, equal in enumerate(same) if not equal), min(len(leaf), len(word)))
