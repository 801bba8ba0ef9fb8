"""What a report says, before it has a form: headlines, exhibits, examples, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rightreasons.reports.exhibits.exhibit import Exhibit

# What a finding means for whoever must choose a model: trust it there, don't, nothing is shown, or no verdict.
Tone: TypeAlias = Literal["good", "bad", "open", "few"]


# One word for each, wherever it is said; the first that a model has on any of its sets is its own.
TONES: Mapping[Tone, str] = MappingProxyType(
    {"bad": "Fails", "open": "Mixed", "good": "Reliable", "few": "Too few pairs"}
)


@dataclass(frozen=True)
class Finding:
    """One sentence on one model and one set, and what it means."""

    set: str
    sentence: str
    tone: Tone


@dataclass(frozen=True)
class Headline:
    """What a practitioner takes away of one model: one sentence, and what it rests on."""

    model: str
    sentence: str
    tone: Tone
    findings: tuple[Finding, ...] = ()

    @property
    def badge(self) -> str:
        """The tone in a word, and on how many of several sets the model has it: the tone of a model is its worst."""
        count = sum(finding.tone == self.tone for finding in self.findings)
        if len(self.findings) < 2 or not count:  # noqa: PLR2004 - one set needs no count
            return TONES[self.tone]
        many = f"all {count}" if count == len(self.findings) else f"{count} of {len(self.findings)}"
        return f"{TONES[self.tone]} on {many} sets"


@dataclass(frozen=True)
class Examples:
    """Pairs of one set with the answers of the models that were asked for; all of them, or a sample that says so.

    `pairs` has id, premise, hypothesis, label (as compared), the tags, and parses where there are any. Each table of
    answers has a row per pair: answer, right, confidence (the probability of the answer; null where unknown).
    """

    set: str
    pairs: pl.DataFrame
    answers: Mapping[str, pl.DataFrame]
    total: int  # pairs of the set, of which these are all or a sample
    remark: str = ""  # how the sample was chosen, and what else was left out


@dataclass(frozen=True, repr=False)
class Report:
    """All that any form of the report shows, in its order."""

    title: str
    made: str  # when the run was made
    headlines: tuple[Headline, ...]
    rule: str  # by which the sentences are made
    warnings: tuple[str, ...]
    exhibits: tuple[Exhibit, ...]
    examples: tuple[Examples, ...]
    asked: tuple[tuple[str, str], ...]  # how each model was asked
    recipe: tuple[tuple[str, str], ...]  # what, and how to make it again
    remarks: tuple[str, ...] = field(default=())
    choice: tuple[str, ...] = field(default=())  # which of several models to choose, a sentence each

    def __repr__(self) -> str:
        """Say what it is in one line; the tables themselves would fill pages."""
        counts = ((self.headlines, "model"), (self.examples, "set"), (self.exhibits, "table"))
        told = ", ".join(f"{len(many)} {word}{'' if len(many) == 1 else 's'}" for many, word in counts)
        return f"<Report {self.title!r}: {told}>"
