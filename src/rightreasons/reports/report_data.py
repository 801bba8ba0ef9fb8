"""The report as data, before it is rendered: verdicts, exhibits, examples, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rightreasons.core.exhibit import Exhibit

# The verdict on a model: reliable, failing, neither, or too few pairs for a verdict; plain is no verdict.
Tone: TypeAlias = Literal["good", "bad", "open", "few", "plain"]


# Worst first, as a model has the worst tone of its sets; too few pairs comes last.
TONES: Mapping[Tone, str] = MappingProxyType(
    {"bad": "Fails", "open": "Mixed", "good": "Reliable", "few": "Too few pairs"}
)


@dataclass(frozen=True)
class Finding:
    """One sentence on one model and one set, and its verdict."""

    set: str
    sentence: str
    tone: Tone


@dataclass(frozen=True)
class Headline:
    """The verdict on one model: one sentence, and the findings behind it."""

    model: str
    sentence: str
    tone: Tone
    findings: tuple[Finding, ...] = ()

    @property
    def badge(self) -> str:
        """The tone in a word, and on how many of several sets the model has it: the tone of a model is its worst.

        A plain headline has none.
        """
        if self.tone == "plain":
            return ""
        count = sum(finding.tone == self.tone for finding in self.findings)
        if len(self.findings) < 2 or not count:  # noqa: PLR2004 - one set needs no count
            return TONES[self.tone]
        many = f"all {count}" if count == len(self.findings) else f"{count} of {len(self.findings)}"
        return f"{TONES[self.tone]} on {many} sets"


@dataclass(frozen=True)
class Examples:
    """Pairs of one set with the predictions of the requested models: all pairs, or a sample, as the remark says.

    `pairs` has id, premise, hypothesis, label (as compared), the tags, and parses if there are any. Each table of
    predictions has a row per pair: prediction, right, confidence (the probability of the prediction; null if unknown).
    """

    set: str
    pairs: pl.DataFrame
    predictions: Mapping[str, pl.DataFrame]
    total: int  # pairs of the set, of which these are all or a sample
    remark: str = ""  # how the sample was chosen, and what else was left out


@dataclass(frozen=True)
class ReportHeadings:
    """The headings of a report's sections; those of a report on models are the default."""

    headlines: str = "Verdicts"
    rule: str = "How the verdicts are derived"
    finding: str = "set"  # what a finding, and a section of exhibits, is about
    overview: str = "Across sets and models"
    notes: str = "How the models were run"


@dataclass(frozen=True, repr=False)
class Report:
    """A report on runs, which every renderer shows in this order."""

    title: str
    created: str  # when the runs were made
    headlines: tuple[Headline, ...]
    rule: str  # by which the verdicts are derived
    warnings: tuple[str, ...]
    exhibits: tuple[Exhibit, ...]
    examples: tuple[Examples, ...]
    model_notes: tuple[tuple[str, str], ...]  # how each model was run
    provenance: tuple[tuple[str, str], ...]  # what it takes to reproduce the runs
    remarks: tuple[str, ...] = field(default=())
    choice: tuple[str, ...] = field(default=())  # which of several models to choose, a sentence each
    headings: ReportHeadings = ReportHeadings()
    fold: bool = True  # whether a page folds the sections of many sets

    def __repr__(self) -> str:
        """Show the title and the size; the tables themselves would fill pages."""
        counts = ((self.headlines, "model"), (self.examples, "set"), (self.exhibits, "table"))
        sizes = ", ".join(f"{len(many)} {word}{'' if len(many) == 1 else 's'}" for many, word in counts)
        return f"<Report {self.title!r}: {sizes}>"
