"""Extracting a label from the reply of a language model: the first unmistakable answer word, or none.

An ambiguous reply gets no label: it is counted separately as unreadable.

A reply comes from outside and may be long: each function here runs in time linear in its length. In a pattern, no two
repetitions that match the same characters may follow each other, and nothing is copied once for each match.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rightreasons.core.text_errors import RepeatedKeyError, refuse_repeated_keys

if TYPE_CHECKING:
    from rightreasons.models.remote.prompts import Prompt

# What names the answer, in words or as a key of JSON.
ANSWER_NAMES = (
    "answer",
    "label",
    "reply",
    "response",
    "verdict",
    "judgement",
    "judgment",
    "conclusion",
    "result",
    "prediction",
)
_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
# Some servers leave out the opening tag.
_UNOPENED_REASONING = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL)
_FENCE = "```"
_MARKS = re.compile(r"[*_`\"\u201c\u201d\u2018'#>\[\](){}]+")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
# Normalising a run of combining marks takes quadratic time. No script stacks more of them on a letter.
MOST_COMBINING_MARKS = 30
_HIDDEN_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"  # they are not combining marks but turn into some
_EDGES = " .,:;!-"
_END = r"(?=\s*(?:$|[.,;:!\u2013\u2014]|\s-\s))"  # a question mark does not end an answer
_ENDED, _LINE_ENDED = re.compile(_END), re.compile(_END, re.MULTILINE)
_SENTENCE = re.compile(r"[.!?;\n]+")
_NEGATION = re.compile(
    r"\b(?:not|never|no|non|nor|neither|cannot|without|hardly|unlikely|wrong|incorrect|unclear|unsure"
    r"|(?:is|are|was|were|do|does|did|ca|could|wo|would|should|must|has|have|had|ai)nt)\b"
)
# Retracts a word, as in "true is not what I would say".
_DENIED = re.compile(r"\s*(?:(?:is|would be|seems|was)\s*)?(?:not|isnt|wrong|incorrect)\b")
# The subject of a sentence that states the answer and nothing else.
_SUBJECT = r"(?:its|thats|(?:it|this|that|(?:(?:the|this|that)\s+)?(?:statement|hypothesis|claim))\s+is)"
_SOURCE = r"(?:\s+by\s+the\s+(?:premise|text))?"
_DETERMINER = "no"  # before a noun it is not an answer: no information, no one
# Marks where a reply was truncated: neither punctuation that ends an answer nor the end of the text.
_TRUNCATION_MARK = "\ufffc"


def extract_label(text: str, prompt: Prompt, *, truncated: bool = False) -> str | None:
    """Return the label that a reply states unambiguously, or None.

    In a truncated reply, only an answer that is complete counts.
    """
    plain = remove_reasoning(text)
    json_answer = _find_json_answer(plain)
    mark = _TRUNCATION_MARK if truncated and json_answer is None else ""
    whole = (plain if json_answer is None else json_answer) + mark
    first = next((line for line in whole.splitlines() if line and _normalize_text(line)), "")
    lines = _normalize_lines(whole)
    announced = _find_announced_labels(lines, prompt)
    stated_first = _find_whole_line_label(first, prompt)
    if len(announced | ({stated_first} - {None})) > 1:
        return None
    label = stated_first or next(iter(announced), None) or _find_leading_label(whole, prompt)
    return label or (None if truncated else _find_stated_label(lines, prompt))


def remove_reasoning(text: str) -> str:
    """Drop the reasoning before the answer."""
    return _UNOPENED_REASONING.sub("", _REASONING.sub(" ", text)).lstrip()


def starts_with_answer(text: str, prompt: Prompt) -> bool:
    """Return whether a reply starts with an answer word or is a prefix of one; "no information" doesn't."""
    normalized = _normalize_lines(text).strip(_EDGES + "\n")
    patterns = _get_answer_patterns(prompt)
    match = patterns.word.match(normalized)
    if match is None:
        return bool(normalized) and any(word.startswith(normalized) for word in patterns.labels)
    return match[0] != _DETERMINER or _LINE_ENDED.match(normalized, match.end()) is not None


def find_word_label(word: str, prompt: Prompt) -> str | None:
    """Return the label that a word by itself stands for, ignoring case and punctuation around it."""
    return _look_up_label(word, list_answer_words(prompt))


def list_answer_words(prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """List the normalized answer words of each label."""
    return _get_answer_patterns(prompt).words


def normalize_token(token: str) -> str:
    """Normalize a token in the same way as answer words."""
    return _normalize_text(token.replace("Ġ", " ").replace("▁", " ")).strip(f"{_EDGES}?")


def _normalize_text(text: str) -> str:
    """Drop case, quotes and other marks; apostrophes leave no gap, so that isn't becomes isnt."""
    lowered = _normalize_characters(text).casefold().replace("\u2019", "'")
    return " ".join(_MARKS.sub(" ", _APOSTROPHE.sub("", lowered)).split())


def _normalize_characters(text: str) -> str:
    """Apply Unicode normalization (NFKC); of a long run of combining marks only the first ones are kept."""
    if text.isascii():
        return text
    kept, run = [], 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) or character in _HIDDEN_MARKS else 0
        if run <= MOST_COMBINING_MARKS:
            kept.append(character)
    return unicodedata.normalize("NFKC", "".join(kept))


def _find_json_answer(text: str) -> str | None:
    """Find the answer in a JSON object with one key that names it, bare or in a code fence; None if there is none.

    An object that repeats a key is ambiguous: it is read neither as JSON nor as text.
    """
    try:
        document: Any = json.loads(_extract_fenced_content(text), object_pairs_hook=refuse_repeated_keys)
        items = document.items() if isinstance(document, dict) else ()
        answers = [value for key, value in items if key.casefold() in ANSWER_NAMES]
        return str(answers[0]) if len(answers) == 1 else None
    except RepeatedKeyError:
        return ""
    except (ValueError, RecursionError):
        return None


def _extract_fenced_content(text: str) -> str:
    """Extract the content of the first code fence, or return a text without one."""
    start = text.find(_FENCE)
    end = -1 if start < 0 else text.find(_FENCE, start + len(_FENCE))
    return text if end < 0 else text[start + len(_FENCE) : end].removeprefix("json").strip()


def _find_whole_line_label(line: str, prompt: Prompt) -> str | None:
    """Return the label of a line that is just an answer word, possibly with a name and a colon before it."""
    name, colon, rest = line.partition(":")
    words = _normalize_text(name).split()
    named = bool(colon) and bool(words) and words[-1] in ANSWER_NAMES
    return find_word_label(rest if named else line, prompt)


def _find_announced_labels(lines: str, prompt: Prompt) -> set[str | None]:
    """Find the labels X of all "Answer: X" and "the answer is X"."""
    patterns = _get_answer_patterns(prompt)
    return {patterns.labels[word] for word in patterns.announced.findall(lines)}


def _find_leading_label(text: str, prompt: Prompt) -> str | None:
    """Find the label of a text whose first word is an answer word, followed by punctuation that ends it."""
    # A bracket ends a word as a comma does.
    lines = _normalize_lines(text.replace("(", ", ")).lstrip(f"{_EDGES}\n")
    patterns = _get_answer_patterns(prompt)
    match = patterns.leading.match(lines)
    label = patterns.labels[match[0]] if match else None
    return None if label is None or _is_label_retracted(label, lines, patterns) else label


def _find_stated_label(lines: str, prompt: Prompt) -> str | None:
    """Find the label of a text in which a whole sentence is "the statement is X", with one X only."""
    patterns = _get_answer_patterns(prompt)
    labels = {patterns.labels[word] for word in patterns.stated.findall(lines)}
    label = labels.pop() if len(labels) == 1 else None
    return None if label is None or _is_label_retracted(label, lines, patterns) else label


def _is_label_retracted(label: str, lines: str, patterns: _AnswerPatterns) -> bool:
    """Return whether a text also denies its answer, or states another one."""
    for sentence in _SENTENCE.split(lines):
        start = 0
        for match in patterns.word.finditer(sentence):
            if match[0] == _DETERMINER and not _ENDED.match(sentence, match.end()):
                continue
            before = _NEGATION.search(sentence, start, match.start())
            denied = before is not None or _DENIED.match(sentence, match.end()) is not None
            if denied == (patterns.labels[match[0]] == label):
                return True
            start = match.end()
    return False


def _normalize_lines(text: str) -> str:
    """Normalize every line of a text."""
    return "\n".join(_normalize_text(line) if line else "" for line in text.splitlines())


@dataclass(frozen=True)
class _AnswerPatterns:
    """The answer words of a prompt, their labels, and the patterns that find them."""

    words: dict[str, tuple[str, ...]]
    labels: dict[str, str | None]
    word: re.Pattern[str]
    leading: re.Pattern[str]
    announced: re.Pattern[str]
    stated: re.Pattern[str]


def _get_answer_patterns(prompt: Prompt) -> _AnswerPatterns:
    return _compile_answer_patterns(tuple((label, tuple(words)) for label, words in prompt.words.items()))


@lru_cache(maxsize=64)
def _compile_answer_patterns(answers: tuple[tuple[str, tuple[str, ...]], ...]) -> _AnswerPatterns:
    """Compile the patterns of a prompt, once for all of its replies."""
    words = {label: tuple(_normalize_text(word) for word in spellings) for label, spellings in answers}
    all_words = [word for spellings in words.values() for word in spellings]
    word = _build_word_pattern(all_words)
    stated = rf"(?:^|[.!?;]\s*){_SUBJECT}\s+({word}){_SOURCE}\s*(?=[.!;]|$)"
    return _AnswerPatterns(
        words=words,
        labels={spelling: _look_up_label(spelling, words) for spelling in all_words},
        word=re.compile(word),
        leading=re.compile(word + _END, re.MULTILINE),
        announced=re.compile(_build_announcement_pattern(word), re.MULTILINE),
        stated=re.compile(stated, re.MULTILINE),
    )


def _look_up_label(word: str, words: dict[str, tuple[str, ...]]) -> str | None:
    normalized = _normalize_text(word).strip(_EDGES)
    return next((label for label, spellings in words.items() if normalized in spellings), None)


def _build_word_pattern(words: list[str]) -> str:
    """Build a pattern that matches any answer word as a whole word; long ones first, since one may begin another."""
    longest_first = sorted(words, key=len, reverse=True)
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])"


def _build_announcement_pattern(word: str) -> str:
    names = "|".join(ANSWER_NAMES)
    # A comma ends the answer unless the next one of a list follows it.
    ending = rf"(?=\s*(?:$|[.;!]|,(?!\s*(?:(?:or|and)\s+)?{word})))"
    # In words it must begin a clause: "whether the answer is true" announces nothing.
    clause = r"(?:^|[.,;:!?]\s*)(?:(?:and|so|thus|hence|therefore),?\s+)?"
    spoken = rf"{clause}(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)?(?:{names})\s+(?:is|would\s+be)"
    written = rf"\b(?:{names})\s*[:=]"
    return rf"(?:{written}|{spoken})\s*(?::\s*)?({word}){ending}"
