"""Text from outside takes time in proportion to its length, however it was made to take more."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import time
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rightreasons
from pattern_timer import SIZES, is_superlinear, slow_text
from rightreasons.audits import error_cues
from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.language import inflection, names, numbers, parse_alignment, sentences, tagger, tokenizer
from rightreasons.language.wordnet import wordnet
from rightreasons.models.remote import prompts, replies
from rightreasons.templates import notation

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(rightreasons.__file__).parent
# Patterns that are made of other texts while the program runs, and so are not found by the timer.
MADE_LATER = {
    ("models/remote/replies.py", "_compile_answer_patterns"),  # of the words of a prompt; timed below
    ("language/parse_alignment.py", "_compile_loose_leaf_pattern"),  # of a leaf of a parse; timed below
    ("core/options.py", "_documented"),  # of the name of an option, for docstrings
}
PROMPT = prompts.load_prompt("true-neither-false")


def calls_of_re(path: Path) -> list[tuple[str, str | None, int]]:
    """List the calls of re in a file: the function that is called, the function that it is called in, the line."""
    found = []

    def walk(node: ast.AST, inside: str | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                owner = child.func.value
                if isinstance(owner, ast.Name) and owner.id == "re":
                    found.append((child.func.attr, inside, child.lineno))
            walk(child, child.name if isinstance(child, ast.FunctionDef) else inside)

    walk(ast.parse(path.read_text(encoding="utf-8")), None)
    return found


def test_every_pattern_is_compiled_at_module_level_where_the_timer_finds_it() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} re.{called}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for called, inside, line in calls_of_re(path)
        if called != "escape"
        and (inside is not None or called != "compile")
        and (str(path.relative_to(PACKAGE)), inside) not in MADE_LATER
    ]
    assert wrong == []


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time() -> None:
    """In a process of its own, since a pattern with a flaw can't be stopped."""
    timer = Path(__file__).with_name("pattern_timer.py")
    try:
        done = subprocess.run(
            [sys.executable, timer], capture_output=True, text=True, timeout=300, check=True, cwd=timer.parent
        )
    except subprocess.TimeoutExpired as error:
        last = (error.stdout or b"").decode().splitlines()[-1]
        pytest.fail(f"this pattern took too long: {last}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    finished = {line["name"]: line["slow"] for line in lines if line["done"]}
    assert len(finished) > 70
    assert {name: text for name, text in finished.items() if text is not None} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "uses"),
    [
        (r"answer\s*:?\s*x", "match"),
        (r"[a-z]+@", "search"),
        (r" \((.+)\)$", "search"),
    ],
)
def test_the_timer_finds_patterns_that_take_longer(pattern: str, uses: str) -> None:
    assert slow_text(re.compile(pattern), {uses}) is not None


def seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    with suppress(InputError):
        work(text)
    return time.process_time() - start


def entities(text: str) -> object:
    spans = tokenizer.tokenize(text)
    tags = next(tagger.load_default_tagger().tag([[text[start:end] for start, end in spans]]))
    return names.find_entities(text, [(*span, tag) for span, tag in zip(spans, tags, strict=True)])


MARKS = "\u0300\u0316"
# What reads a text, and what it might stumble over when that comes again and again.
READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "reply": (
        lambda text: replies.extract_label(text, PROMPT),
        (
            "\n",
            " ",
            "`",
            "``` ",
            "answer:",
            "answer: true\n",
            "true ",
            "not true ",
            "no ",
            "<think>",
            ". \n",
            "a'",
        ),
    ),
    "reply after a fence": (
        lambda text: replies.extract_label(f"```json{text}", PROMPT),
        ("\n", " \n", "{", "["),
    ),
    "reply after a name": (
        lambda text: replies.extract_label(f"answer:{text}x", PROMPT),
        ("\n", "is\n", ":", ", "),
    ),
    "reply after a word": (
        lambda text: replies.extract_label(f"True, {text}", PROMPT),
        ("true ", "true not ", "no "),
    ),
    "reply with marks": (
        lambda text: replies.extract_label(f"a{text}", PROMPT),
        (MARKS, "\u0f73", "\uff9e", "é"),
    ),
    "first word of a reply": (
        lambda text: replies.starts_with_answer(text, PROMPT),
        ("\n", "no", MARKS, "tr"),
    ),
    "sentences": (sentences.split_sentences, ("''", ".'", ". '", ".'' ", "A. ", "\n ", "...")),
    "tokens": (tokenizer.tokenize, ("'", "7", "www.", "A.'", "1,0", "n't", "-a", MARKS)),
    "entities": (entities, ("U.S. ", "Mr. ", "Zorp ", "Bank ", "Bank of ", "St. ")),
    "numbers": (numbers.find_numbers, ("1,000", ",000", "one hundred ", "twenty-", "$", "7.")),
    "parses": (
        lambda text: parse_alignment.align_parse("a. " * (len(text) // 3), text),
        ("(. .)", "(NN a.)(. .)", "( ", "(A"),
    ),
    "a leaf": (
        lambda text: parse_alignment.align_parse(f"{text}y", f"(NN {text}x)"),
        ("\u00ad", "a\u00ad", "-"),
    ),
    "trees": (trees.parse_tree, ("(A ", "(", ")", "(A a)")),
    "notation": (notation.read_items, (" ", "(A ", "{", "<x> ", "a ")),
    "misspellings": (error_cues.is_misspelt, ("a", "qz")),
    "base forms": (lambda text: wordnet().base_forms(text, "n"), ("s", "es", "men", "ies")),
    "degrees": (lambda text: inflection.inflect_degree(text, "JJR"), ("a", "b", "y", " ", "e")),
}
CASES = [(name, unit) for name, (_, units) in READERS.items() for unit in units]


@pytest.mark.parametrize(("name", "unit"), CASES)
def test_texts_are_read_in_linear_time(name: str, unit: str) -> None:
    read = READERS[name][0]
    for end in ("", "!"):
        variants = [unit * (size // len(unit)) + end for size in SIZES]
        assert not is_superlinear(lambda text: seconds(read, text), variants)


def test_a_reply_of_a_million_line_breaks_is_read() -> None:
    assert replies.extract_label("```json" + "\n" * 1_000_000, PROMPT) is None
    assert replies.extract_label("answer: true" + "\n" * 1_000_000, PROMPT) == "entailment"


def test_marks_beyond_those_of_any_writing_are_dropped_and_no_others() -> None:
    letters = "e" + "\u0301" * replies.MOST_COMBINING_MARKS
    assert replies.normalize_token(letters) == unicodedata.normalize("NFKC", letters)
    assert replies.normalize_token(letters + "\u0316" * 1_000_000) == unicodedata.normalize("NFKC", letters)


def test_all_characters_that_turn_into_marks_are_known() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    hidden = [
        one
        for one in every
        if not unicodedata.combining(one) and unicodedata.combining(unicodedata.normalize("NFKD", one)[0])
    ]
    assert set(hidden) <= set(replies._HIDDEN_MARKS)


def test_a_number_of_ten_thousand_digits_is_no_number() -> None:
    assert numbers.find_numbers("1" + ",000" * 3_000) == []
    assert [found.digits for found in numbers.find_numbers("1,000,000 of 7")] == [1_000_000, 7]
