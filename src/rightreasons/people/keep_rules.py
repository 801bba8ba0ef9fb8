"""Rules that choose the items of a validated set, such as `2 of 3 label and 2 of 3 sense`.

A term, K of N QUESTION, holds for an item if at least K of its N planned judgements give the gold answer. A question
without gold answers counts the answer yes. Another answer is named, as in `2 of 3 label = neutral`. Terms are combined
by `and`, which binds tighter, and `or`; parentheses group them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from rightreasons.people.question_labels import QuestionLabels

    Bools = npt.NDArray[np.bool_]

YES = "yes"
AND, OR = "and", "or"
_TOKEN = re.compile(r"[()=]|[^\s()=]+")
_FORM = "K of N QUESTION, or K of N QUESTION = ANSWER, combined by and and or"


@dataclass(frozen=True)
class KeepTerm:
    """At least k of n judgements give an answer to a question; without a value, the gold answer."""

    k: int
    n: int
    question: str
    value: str = ""

    def select(self, questions: Mapping[str, QuestionLabels], planned: int) -> Bools:
        """Say for which items the term holds; `planned` is the number of judgements of each item in the plan."""
        if self.question not in questions:
            raise UnknownNameError("question with choices", self.question, questions)
        labels = questions[self.question]
        if planned != self.n:
            rule = f"{self.k} of {self.n} {self.question}"
            raise InputError(
                f"The rule says {rule}, but the study was planned with {planned} judgements of each item. Write a rule "
                f"of {planned}."
            )
        return np.asarray(self._count(labels) >= self.k)

    def _count(self, labels: QuestionLabels) -> npt.NDArray[np.int64]:
        """Count the judgements of each item that give the answer."""
        values = labels.question.values
        if self.value or not labels.question.gold:
            value = self.value or YES
            if value not in values:
                what = f"The question {self.question!r} has no answer {value!r}"
                why = "" if self.value else ", and no gold answers"
                example = f"{self.k} of {self.n} {self.question} = {values[0]}"
                raise InputError(f"{what}{why}. Write the answer to count, as in: {example}.")
            return np.asarray(labels.counts[:, values.index(value)])
        gold = labels.gold.replace_strict(
            list(values), list(range(len(values))), default=-1, return_dtype=pl.Int64
        ).to_numpy()
        given = labels.counts[np.arange(len(gold)), gold]
        return np.where(gold >= 0, given, 0)


@dataclass(frozen=True)
class KeepCombination:
    """Rules of which all hold, or any."""

    word: str
    parts: tuple[KeepTerm | KeepCombination, ...]

    def select(self, questions: Mapping[str, QuestionLabels], planned: int) -> Bools:
        """Say for which items the rule holds."""
        chosen = np.stack([part.select(questions, planned) for part in self.parts])
        return np.asarray(chosen.all(axis=0) if self.word == AND else chosen.any(axis=0))


def parse_keep_rule(text: str) -> KeepTerm | KeepCombination:
    """Parse a rule; an error names the word that doesn't fit."""
    words = _TOKEN.findall(text)
    parser = _RuleParser(text, words)
    rule = parser.parse_any()
    if parser.words:
        raise parser.build_error(f"{parser.words[0]!r} is not expected here")
    return rule


class _RuleParser:
    """Takes words from the front of a rule."""

    def __init__(self, text: str, words: list[str]) -> None:
        self.text, self.words = text, words

    def parse_any(self) -> KeepTerm | KeepCombination:
        """Parse rules with `or` between them."""
        return self._parse_combination(OR)

    def _parse_combination(self, word: str) -> KeepTerm | KeepCombination:
        part = self._parse_part if word == AND else lambda: self._parse_combination(AND)
        parts = [part()]
        while self.words and self.words[0].casefold() == word:
            self.words.pop(0)
            parts.append(part())
        return parts[0] if len(parts) == 1 else KeepCombination(word, tuple(parts))

    def _parse_part(self) -> KeepTerm | KeepCombination:
        if self.words and self.words[0] == "(":
            self.words.pop(0)
            rule = self.parse_any()
            if not self.words or self.words.pop(0) != ")":
                raise self.build_error("a parenthesis is not closed")
            return rule
        return self._parse_term()

    def _parse_term(self) -> KeepTerm:
        k = self._take_number()
        if self._take().casefold() != "of":
            raise self.build_error("the word `of` is missing after a number")
        n, question = self._take_number(), self._take()
        if question in ("(", ")", "=", AND, OR):
            raise self.build_error("the name of a question is missing")
        value = ""
        if self.words and self.words[0] == "=":
            self.words.pop(0)
            value = self._take()
        if not 1 <= k <= n:
            raise self.build_error(f"{k} of {n} is not possible")
        return KeepTerm(k, n, question, value)

    def _take(self) -> str:
        if not self.words:
            raise self.build_error("it ends too early")
        return self.words.pop(0)

    def _take_number(self) -> int:
        word = self._take()
        if not (word.isascii() and word.isdigit()):
            raise self.build_error(f"{word!r} is not a number")
        return int(word)

    def build_error(self, what: str) -> InputError:
        """Build the error for a rule that is not of the right form."""
        return InputError(f"The rule {self.text!r} can't be read: {what}. Use the form {_FORM}.")


def count_kept_items(labels: Mapping[str, QuestionLabels], chosen: Bools) -> tuple[int, int]:
    """Count the items that a rule keeps, and those that were judged at all."""
    judged = np.zeros(len(chosen), dtype=bool)
    for each in labels.values():
        judged |= each.judgements > 0
    return int(chosen.sum()), int(judged.sum())
