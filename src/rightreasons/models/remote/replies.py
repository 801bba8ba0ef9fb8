"""Reading a label out of what a language model wrote: the first unmistakable answer word, or none.

A reply that can be read in two ways is not read at all: it is counted apart, and never taken for a label.

A reply comes from outside and may be long: each function here takes time in proportion to its length. In a pattern
no two repetitions that match the same characters may follow each other, and nothing is copied once for each match.
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
_FENCE = "```"
_MARKS = re.compile(r"[*_`\"\u201c\u201d\u2018'#>\[\](){}]+")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
# To normalise a run of combining marks takes the square of its length. No writing stacks more of them on a letter.
MOST_MARKS = 30
_HIDDEN_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"  # they are no combining marks but turn into some
_EDGES = " .,:;!-"
_END = r"(?=\s*(?:$|[.,;:!\u2013\u2014]|\s-\s))"  # a question mark is no end of an answer
_ENDED, _LINE_ENDED = re.compile(_END), re.compile(_END, re.MULTILINE)
_SENTENCE = re.compile(r"[.!?;\n]+")
_NEGATION = re.compile(
    r"\b(?:not|never|no|non|nor|neither|cannot|without|hardly|unlikely|wrong|incorrect|unclear|unsure"
    r"|(?:is|are|was|were|do|does|did|ca|could|wo|would|should|must|has|have|had|ai)nt)\b"
)
# Takes a word back, as in "true is not what I would say".
_DENIED = re.compile(r"\s*(?:(?:is|would be|seems|was)\s*)?(?:not|isnt|wrong|incorrect)\b")
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
    first = next((line for line in whole.splitlines() if line and _tidy(line)), "")
    lines = _lines(whole)
    announced = _announced(lines, prompt)
    stated_first = _whole(first, prompt)
    if len(announced | ({stated_first} - {None})) > 1:
        return None
    found = stated_first or next(iter(announced), None) or _begun(whole, prompt)
    return found or (None if cut else _stated(lines, prompt))


def without_thoughts(text: str) -> str:
    """Drop what a model thinks before it answers."""
    return _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", text)).lstrip()


def starts_as_answer(text: str, prompt: Prompt) -> bool:
    """Tell whether a reply starts with an answer word, or is the first part of one; "no information" is no "no"."""
    tidy = _lines(text).strip(_EDGES + "\n")
    spellings = _spellings(prompt)
    found = spellings.word.match(tidy)
    if found is None:
        return bool(tidy) and any(word.startswith(tidy) for word in spellings.meanings)
    return found[0] != _DETERMINER or _LINE_ENDED.match(tidy, found.end()) is not None


def meaning(word: str, prompt: Prompt) -> str | None:
    """Return the label that a word by itself stands for, whatever its case and the signs around it."""
    return _meaning(word, tidy_words(prompt))


def tidy_words(prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """List the answer words of each label, as they are compared."""
    return _spellings(prompt).words


def tidy_token(token: str) -> str:
    """Bring a token to the form in which answer words are compared."""
    return _tidy(token.replace("Ġ", " ").replace("▁", " ")).strip(f"{_EDGES}?")


def _tidy(text: str) -> str:
    """Drop case, quotes and other marks; apostrophes go without a gap, so that isn't becomes isnt."""
    same = _normalize(text).casefold().replace("\u2019", "'")
    return " ".join(_MARKS.sub(" ", _APOSTROPHE.sub("", same)).split())


def _normalize(text: str) -> str:
    """Bring compatible characters to one form; of a long run of combining marks only the first ones are kept."""
    if text.isascii():
        return text
    kept, run = [], 0
    for sign in text:
        run = run + 1 if unicodedata.combining(sign) or sign in _HIDDEN_MARKS else 0
        if run <= MOST_MARKS:
            kept.append(sign)
    return unicodedata.normalize("NFKC", "".join(kept))


def _answer_in_json(text: str) -> str | None:
    """Take the answer out of an object with one key that names it, bare or in a fence; None where there is none.

    An object with a key twice says two things: nothing is read out of it, neither as JSON nor as text.
    """
    try:
        document: Any = json.loads(_fenced(text), object_pairs_hook=refuse_repeated_keys)
        items = document.items() if isinstance(document, dict) else ()
        given = [value for key, value in items if key.casefold() in NAMES]
        return str(given[0]) if len(given) == 1 else None
    except RepeatedKeyError:
        return ""
    except (ValueError, RecursionError):
        return None


def _fenced(text: str) -> str:
    """Take out what stands in the first fence, or all of a text without one."""
    start = text.find(_FENCE)
    end = -1 if start < 0 else text.find(_FENCE, start + len(_FENCE))
    return text if end < 0 else text[start + len(_FENCE) : end].removeprefix("json").strip()


def _whole(line: str, prompt: Prompt) -> str | None:
    """Read a line that is an answer word and nothing else, but for a name before it."""
    name, colon, rest = line.partition(":")
    tidy = _tidy(name).split()
    named = bool(colon) and bool(tidy) and tidy[-1] in NAMES
    return meaning(rest if named else line, prompt)


def _announced(lines: str, prompt: Prompt) -> set[str | None]:
    """Read the labels X of all "Answer: X" and "the answer is X"."""
    spellings = _spellings(prompt)
    return {spellings.meanings[word] for word in spellings.announced.findall(lines)}


def _begun(text: str, prompt: Prompt) -> str | None:
    """Read a text whose first word is an answer word, with a sign after it that ends it."""
    # A bracket ends a word as a comma does.
    lines = _lines(text.replace("(", ", ")).lstrip(f"{_EDGES}\n")
    spellings = _spellings(prompt)
    found = spellings.begun.match(lines)
    label = spellings.meanings[found[0]] if found else None
    return None if label is None or _taken_back(label, lines, spellings) else label


def _stated(lines: str, prompt: Prompt) -> str | None:
    """Read a text in which a whole sentence says "the statement is X", of one X only."""
    spellings = _spellings(prompt)
    labels = {spellings.meanings[word] for word in spellings.stated.findall(lines)}
    label = labels.pop() if len(labels) == 1 else None
    return None if label is None or _taken_back(label, lines, spellings) else label


def _taken_back(label: str, lines: str, spellings: _Spellings) -> bool:
    """Tell whether a text also denies its answer, or gives another one."""
    for sentence in _SENTENCE.split(lines):
        start = 0
        for match in spellings.word.finditer(sentence):
            if match[0] == _DETERMINER and not _ENDED.match(sentence, match.end()):
                continue
            before = _NEGATION.search(sentence, start, match.start())
            denied = before is not None or _DENIED.match(sentence, match.end()) is not None
            if denied == (spellings.meanings[match[0]] == label):
                return True
            start = match.end()
    return False


def _lines(text: str) -> str:
    """Tidy a text, and keep its lines apart."""
    return "\n".join(_tidy(line) if line else "" for line in text.splitlines())


@dataclass(frozen=True)
class _Spellings:
    """The answer words of a prompt: what each means, and the patterns that find them."""

    words: dict[str, tuple[str, ...]]
    meanings: dict[str, str | None]
    word: re.Pattern[str]
    begun: re.Pattern[str]
    announced: re.Pattern[str]
    stated: re.Pattern[str]


def _spellings(prompt: Prompt) -> _Spellings:
    return _compiled(tuple((label, tuple(words)) for label, words in prompt.words.items()))


@lru_cache(maxsize=64)
def _compiled(answers: tuple[tuple[str, tuple[str, ...]], ...]) -> _Spellings:
    """Compile the patterns of a prompt, which are used for each of its replies."""
    words = {label: tuple(_tidy(word) for word in some) for label, some in answers}
    every = [word for some in words.values() for word in some]
    word = _word(every)
    stated = rf"(?:^|[.!?;]\s*){_SAID}\s+({word}){_SOURCE}\s*(?=[.!;]|$)"
    return _Spellings(
        words=words,
        meanings={one: _meaning(one, words) for one in every},
        word=re.compile(word),
        begun=re.compile(word + _END, re.MULTILINE),
        announced=re.compile(_announcement(word), re.MULTILINE),
        stated=re.compile(stated, re.MULTILINE),
    )


def _meaning(word: str, words: dict[str, tuple[str, ...]]) -> str | None:
    tidy = _tidy(word).strip(_EDGES)
    return next((label for label, some in words.items() if tidy in some), None)


def _word(words: list[str]) -> str:
    """Match any answer word as a whole word; long ones first, since one may begin or end another."""
    longest_first = sorted(words, key=len, reverse=True)
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])"


def _announcement(word: str) -> str:
    names = "|".join(NAMES)
    # A comma ends the answer unless the next one of a list follows it.
    ending = rf"(?=\s*(?:$|[.;!]|,(?!\s*(?:(?:or|and)\s+)?{word})))"
    # In words it must begin a clause: "whether the answer is true" announces nothing.
    clause = r"(?:^|[.,;:!?]\s*)(?:(?:and|so|thus|hence|therefore),?\s+)?"
    spoken = rf"{clause}(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)?(?:{names})\s+(?:is|would\s+be)"
    written = rf"\b(?:{names})\s*[:=]"
    return rf"(?:{written}|{spoken})\s*(?::\s*)?({word}){ending}"
