"""Parsers for sentences without a parse: two trivial ones, and two that need other software.

right-branching  each word with everything after it
balanced         halves, recursively
link-grammar     constituents of the program `link-parser`
spacy            dependencies of a spaCy pipeline: `spacy:NAME`, or `spacy` for its small English one

Each returns a binary parse for every text, and "" for a text without words. Sentences for which a parser finds no tree
get a right-branching one.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.trees import Tree, binarise_tree, parse_tree
from rightreasons.core.trees import list_spans as tree_spans
from rightreasons.core.trees import list_tree_words as tree_words
from rightreasons.language.spacy_adapter import analyse_texts, find_pipeline_folder
from rightreasons.language.tokenizer import tokenize as token_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rightreasons.language.spacy_adapter import SpacyToken

    Spans = Iterable[tuple[int, int]]  # constituents as ranges of words

PARSERS = ("right-branching", "balanced", "link-grammar", "spacy")
PARSER_CHOICES = "|".join(PARSERS)
PARSERS_PHRASE = f"{', '.join(PARSERS[:-1])} or {PARSERS[-1]}"
BRACKET_SPELLINGS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET_NAMES = {mark: name for name, mark in BRACKET_SPELLINGS.items()}
_SMALL_ENGLISH = "en_core_web_sm"
_PROGRAM = "link-parser"
_CURLY = str.maketrans("([)]", "{{}}")  # how the program writes brackets
_OPTIONS = ("en", "-constituents=3", "-graphics=0", "-verbosity=1", "-echo=1", "-limit=100", "-timeout=30")
_MAX_LINE_BYTES = 1_000  # bytes of a line that the program takes whole


def make_binary_parses(texts: Sequence[str], parser: str) -> list[str]:
    """Return the binary parse of each text; the parser is one of PARSERS or spacy:PIPELINE."""
    name, _, pipeline = parser.partition(":")
    if name not in PARSERS or (pipeline and name != "spacy"):
        raise UnknownNameError("parser", parser, PARSERS)
    if name == "spacy":
        return [
            _make_parse_from_dependencies(text, words)
            for text, words in zip(texts, analyse_texts(texts, pipeline or _SMALL_ENGLISH), strict=True)
        ]
    sentences = [tokenize_for_parse(text) for text in texts]
    if name == "link-grammar":
        return [
            make_parse_from_constituents(words, spans)
            for words, spans in zip(sentences, _find_link_constituents(sentences), strict=True)
        ]
    return [
        make_right_branching_parse(words) if name == "right-branching" else make_balanced_parse(words)
        for words in sentences
    ]


def find_spacy_parser_folder(parser: str) -> Path | None:
    """Return the folder of a spaCy pipeline; None for other parsers."""
    name, _, pipeline = parser.partition(":")
    return find_pipeline_folder(pipeline or _SMALL_ENGLISH) if name == "spacy" else None


def tokenize_for_parse(text: str) -> list[str]:
    """Tokenize a text as in parses, with brackets spelled out."""
    return [_spell_out_bracket(text[start:end]) for start, end in token_spans(text)]


def _spell_out_bracket(word: str) -> str:
    return _BRACKET_NAMES.get(word, word)


def make_right_branching_parse(words: Sequence[str]) -> str:
    """Join each word with everything after it."""
    return make_parse_from_constituents(words, ())


def make_balanced_parse(words: Sequence[str]) -> str:
    """Split the words into halves, recursively; the left half of an odd number is the larger."""
    if len(words) <= 1:
        return "".join(words)
    middle = (len(words) + 1) // 2
    return f"( {make_balanced_parse(words[:middle])} {make_balanced_parse(words[middle:])} )"


def make_parse_from_constituents(words: Sequence[str], constituents: Spans) -> str:
    """Join the words of each constituent; more than two parts branch to the right, crossing ones are dropped."""
    if not words:
        return ""
    by_start = sorted({(0, len(words)), *constituents}, key=lambda span: (span[0], -span[1]))
    open_nodes: list[tuple[int, list[Tree | str]]] = []  # where each ends, and its parts so far
    root: list[Tree | str] = []
    ranges = iter([*by_start, (len(words), len(words))])
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
    return binarise_tree(Tree("", tuple(root)))


def _make_parse_from_dependencies(text: str, words: Sequence[SpacyToken]) -> str:
    """Join each word with its dependents: first those after it, nearest first, then those before it."""
    heads = [word.head for word in words]
    if None in heads:
        raise InputError(
            "The spaCy pipeline has no dependency parser. Choose another pipeline, or another parser."
        )
    words_in_parse = [_spell_out_bracket(text[word.start : word.end]) for word in words]
    return make_parse_from_constituents(
        words_in_parse, list(_iterate_dependency_spans([head or 0 for head in heads]))
    )


def _iterate_dependency_spans(heads: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that grow around each head as its dependents join it, nearest on the right first."""
    first, last = list(range(len(heads))), list(range(len(heads)))  # descendant of each word
    for word, above in enumerate(heads):
        seen, head = {word}, above
        while head not in seen:
            first[head], last[head] = min(first[head], word), max(last[head], word)
            seen.add(head)
            head = heads[head]
    for head in range(len(heads)):
        dependents = [word for word, above in enumerate(heads) if above == head != word]
        start, stop = head, head + 1
        for word in (
            *(word for word in dependents if word > head),
            *(word for word in reversed(dependents) if word < head),
        ):
            start, stop = min(start, first[word]), max(stop, last[word] + 1)
            yield start, stop


def _find_link_constituents(sentences: Sequence[Sequence[str]]) -> Iterator[Spans]:
    """Yield the constituents that Link Grammar finds in each sentence."""
    lines = [" ".join(BRACKET_SPELLINGS.get(word, word) for word in words) for words in sentences]
    trees = _run_link_parser([line for line in lines if _is_acceptable_line(line)])
    for line in lines:
        tree = trees.get(line)
        yield _align_tree_to_words(line.split(" "), tree) if tree else ()


def _is_acceptable_line(line: str) -> bool:
    """Return whether the program reads a line as a sentence: not if it is too long, or looks like a command."""
    return bool(line) and line[0] not in "!%" and len(line.encode()) <= _MAX_LINE_BYTES


def _run_link_parser(lines: Sequence[str]) -> dict[str, str]:
    """Run the program; it echoes each line, then prints the tree."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise InputError(
            f"The parser 'link-grammar' needs the program {_PROGRAM}, which is not installed. "
            "Install Link Grammar with its English dictionary, or choose right-branching or balanced."
        )
    different = list(dict.fromkeys(lines))
    done = subprocess.run(  # noqa: S603 - the program is found by name, and the lines are its input
        [program, *_OPTIONS],
        input="\n".join(different) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InputError(
            f"The program {_PROGRAM} failed: {reason}. Install its English dictionary, or choose another parser."
        )
    return _match_trees_to_sentences(different, done.stdout.splitlines())


def _match_trees_to_sentences(sentences: Sequence[str], output: Sequence[str]) -> dict[str, str]:
    """Find the tree of each sentence in the output of the program."""
    trees: dict[str, str] = {}
    waiting = iter([*sentences, None])
    line, following = None, next(waiting)
    for printed in output:
        if printed == following:
            line, following = printed, next(waiting)
        elif line is not None and printed.startswith("(S"):
            trees.setdefault(line, printed)
    return trees


def _align_tree_to_words(words: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the constituents of a tree as ranges of our words; the program may split a word into several."""
    tree = parse_tree(text)
    owners: list[int] = []
    place, done = 0, 0
    for leaf in tree_words(tree):
        if place < len(words) and done == len(words[place]):
            place, done = place + 1, 0
        if place == len(words) or not (shared := _count_shared_letters(leaf, words[place][done:])):
            return []
        owners.append(place)
        done += shared
    return [(owners[span.start], owners[span.stop - 1] + 1) for span in tree_spans(tree)]


def _count_shared_letters(leaf: str, word: str) -> int:
    """Count the letters of a word that a leaf starts with; the program adds marks and writes brackets as curly ones."""
    leaf = leaf if leaf in ("{", "}") else leaf.removeprefix("{")
    word = word.translate(_CURLY)
    same = (a.lower() == b.lower() for a, b in zip(leaf, word, strict=False))
    return next((count for count, equal in enumerate(same) if not equal), min(len(leaf), len(word)))
