"""Reading a label out of what a language model wrote: the first unmistakable answer word, or none.

A reply that can be read in two ways is not read at all: it is counted apart, and never taken for a label.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rightreasons.models.prompts import Prompt

# What names the answer, in words or as a key of JSON.
NAMES = (
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
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
# Some servers leave out the tag that opens the thinking.
_THOUGHT_BEFORE = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)
_MARKS = re.compile(r"[*_`\"\u201c\u201d\u2018'#>\[\](){}]+")
_EDGES = " .,:;!-"
_ENDED = r"(?=\s*(?:$|[.,;:!\u2013\u2014]|\s-\s))"  # a question mark is no end of an answer
_SENTENCE = re.compile(r"[.!?;\n]+")
_NEGATION = re.compile(
    r"\b(?:not|never|no|non|nor|neither|cannot|without|hardly|unlikely|wrong|incorrect|unclear|unsure"
    r"|(?:is|are|was|were|do|does|did|ca|could|wo|would|should|must|has|have|had|ai)nt)\b"
)
# What an answer may be said of, in a sentence that says nothing else.
_SAID = r"(?:its|thats|(?:it|this|that|(?:(?:the|this|that)\s+)?(?:statement|hypothesis|claim))\s+is)"
_SOURCE = r"(?:\s+by\s+the\s+(?:premise|text))?"
_DETERMINER = "no"  # before a noun it is no answer: no information, no one
# Stands where a reply was cut off: neither a sign that ends an answer nor the end of the text.
_CUT = "\ufffc"


def read_reply(text: str, prompt: Prompt, *, cut: bool = False) -> str | None:
    """Return the label that a reply says beyond doubt, or None.

    Of a reply that was cut off, only an answer that was whole before that is taken.
    """
    plain = without_thoughts(text)
    said = _answer_in_json(plain)
    whole = (plain if said is None else said) + (_CUT if cut and said is None else "")
    first = next((line for line in whole.splitlines() if _tidy(line)), "")
    found = _whole(first, prompt) or _announced(whole, prompt) or _begun(whole, prompt)
    return found or (None if cut else _stated(whole, prompt))


def without_thoughts(text: str) -> str:
    """Drop what a model thinks before it answers."""
    return _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", text)).lstrip()


def starts_as_answer(text: str, prompt: Prompt) -> bool:
    """Tell whether a reply starts with an answer word, or is the first part of one; "no information" is no "no"."""
    tidy = _lines(text).strip(_EDGES + "\n")
    found = re.match(_pattern(prompt), tidy)
    if found is None:
        return bool(tidy) and any(
            word.startswith(tidy) for words in tidy_words(prompt).values() for word in words
        )
    return found[0] != _DETERMINER or re.compile(_ENDED, re.MULTILINE).match(tidy, found.end()) is not None


def meaning(word: str, prompt: Prompt) -> str | None:
    """Return the label that a word by itself stands for, whatever its case and the signs around it."""
    tidy = _tidy(word).strip(_EDGES)
    return next((label for label, words in tidy_words(prompt).items() if tidy in words), None)


def tidy_words(prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """List the answer words of each label, as they are compared."""
    return {label: tuple(_tidy(word) for word in words) for label, words in prompt.words.items()}


def tidy_token(token: str) -> str:
    """Bring a token to the form in which answer words are compared."""
    return _tidy(token.replace("Ġ", " ").replace("▁", " ")).strip(f"{_EDGES}?")


def _tidy(text: str) -> str:
    """Drop case, quotes and other marks; apostrophes go without a gap, so that isn't becomes isnt."""
    same = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    joined = re.sub(r"(?<=\w)'(?=\w)", "", same)
    return " ".join(_MARKS.sub(" ", joined).split())


def _answer_in_json(text: str) -> str | None:
    """Take the answer out of an object with one key that names it, bare or in a fence; None where there is none."""
    fence = _FENCE.search(text)
    try:
        document: Any = json.loads(fence[1] if fence else text)
    except (ValueError, RecursionError):
        return None
    items = document.items() if isinstance(document, dict) else ()
    given = [value for key, value in items if key.casefold() in NAMES]
    return str(given[0]) if len(given) == 1 else None


def _whole(line: str, prompt: Prompt) -> str | None:
    """Read a line that is an answer word and nothing else, but for a name before it."""
    name, colon, rest = line.partition(":")
    tidy = _tidy(name).split()
    named = bool(colon) and bool(tidy) and tidy[-1] in NAMES
    return meaning(rest if named else line, prompt)


def _announced(text: str, prompt: Prompt) -> str | None:
    """Read "Answer: X" and "the answer is X", if all that is announced is one label."""
    said = _announcement(_pattern(prompt)).findall(_lines(text))
    found = {meaning(word, prompt) for word in said}
    return found.pop() if len(found) == 1 else None


def _begun(text: str, prompt: Prompt) -> str | None:
    """Read a text whose first word is an answer word, with a sign after it that ends it."""
    # A bracket ends a word as a comma does.
    lines = _lines(text.replace("(", ", ")).lstrip(f"{_EDGES}\n")
    found = re.match(_pattern(prompt) + _ENDED, lines, re.MULTILINE)
    label = meaning(found[0], prompt) if found else None
    return None if label is None or _taken_back(label, lines, prompt) else label


def _stated(text: str, prompt: Prompt) -> str | None:
    """Read a text in which a whole sentence says "the statement is X", of one X only."""
    lines = _lines(text)
    pattern = rf"(?:^|[.!?;]\s*){_SAID}\s+({_pattern(prompt)}){_SOURCE}\s*(?=[.!;]|$)"
    labels = {meaning(word, prompt) for word in re.findall(pattern, lines, re.MULTILINE)}
    label = labels.pop() if len(labels) == 1 else None
    return None if label is None or _taken_back(label, lines, prompt) else label


def _taken_back(label: str, lines: str, prompt: Prompt) -> bool:
    """Tell whether a text also denies its answer, or gives another one."""
    for sentence in _SENTENCE.split(lines):
        start = 0
        for match in re.finditer(_pattern(prompt), sentence):
            if match[0] == _DETERMINER and not re.match(_ENDED, sentence[match.end() :]):
                continue
            before = _NEGATION.search(sentence, start, match.start())
            denied = bool(before) or _denied_after(sentence[match.end() :])
            if denied == (meaning(match[0], prompt) == label):
                return True
            start = match.end()
    return False


def _denied_after(rest: str) -> bool:
    """Tell whether a word is taken back, as in "true is not what I would say"."""
    return re.match(r"\s*(?:is|would be|seems|was)?\s*(?:not|isnt|wrong|incorrect)\b", rest) is not None


def _lines(text: str) -> str:
    """Tidy a text, and keep its lines apart."""
    return "\n".join(_tidy(line) for line in text.splitlines())


def _pattern(prompt: Prompt) -> str:
    """Match any answer word as a whole word; long ones first, since one may begin or end another."""
    words = sorted((word for some in tidy_words(prompt).values() for word in some), key=len, reverse=True)
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])"


@lru_cache(maxsize=64)
def _announcement(pattern: str) -> re.Pattern[str]:
    names = "|".join(NAMES)
    # A comma ends the answer unless the next one of a list follows it.
    ending = rf"(?=\s*(?:$|[.;!]|,(?!\s*(?:(?:or|and)\s+)?{pattern})))"
    # In words it must begin a clause: "whether the answer is true" announces nothing.
    clause = r"(?:^|[.,;:!?]\s*)(?:(?:and|so|thus|hence|therefore),?\s+)?"
    spoken = rf"{clause}(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)?(?:{names})\s+(?:is|would\s+be)"
    written = rf"\b(?:{names})\s*[:=]"
    return re.compile(rf"(?:{written}|{spoken})\s*:?\s*({pattern}){ending}", re.MULTILINE)
