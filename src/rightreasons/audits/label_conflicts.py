"""Equal pairs with different gold labels: at least one of the labels is wrong, or the pair is ambiguous."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.audits.audit_corpus import NO_LABEL_CODE
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.pairs import TEXTS
from rightreasons.scoring.proportion import compute_proportion

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.repeated_pairs import RepeatedValues
    from rightreasons.core.exhibit import Format
    from rightreasons.scoring.proportion import Proportion

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_CONFLICT_CAPTION = (
    "Gold labels of pairs that occur more than once (with the same letters and digits): one label, or several. 95% "
    "confidence intervals (Wilson)."
)


@dataclass(frozen=True, eq=False)
class LabelConflicts:
    """The gold labels of equal pairs: `counts` has a row for each distinct pair and a column for each label."""

    labels: tuple[str, ...]
    number: Numbers  # of the distinct pair, for each pair of the corpus
    counts: Numbers
    labelled: Flags

    @classmethod
    def from_corpus(cls, corpus: AuditCorpus, equal: RepeatedValues) -> LabelConflicts:
        """Count the labels of each distinct pair."""
        codes, width = corpus.label_codes, len(corpus.labels)
        labelled = np.asarray(codes != NO_LABEL_CODE)
        places = equal.number[labelled] * width + codes[labelled]
        counts = np.bincount(places, minlength=len(equal.times) * width).reshape(len(equal.times), width)
        return cls(corpus.labels, equal.number, counts.astype(np.int64), labelled)

    @cached_property
    def is_repeated(self) -> Flags:
        """Whether a distinct pair occurs at least twice with a gold label."""
        return np.asarray(self.counts.sum(axis=1) > 1)

    @cached_property
    def is_conflicting(self) -> Flags:
        """Whether a distinct pair has more than one gold label."""
        return np.asarray((self.counts > 0).sum(axis=1) > 1)

    @cached_property
    def conflicting_rows(self) -> Flags:
        """Whether a pair of the corpus has a gold label and occurs with another one."""
        return np.asarray(self.is_conflicting[self.number] & self.labelled)

    @property
    def share_of_repeated(self) -> Proportion:
        """The share of the repeated distinct pairs that have more than one gold label."""
        return compute_proportion(int(self.is_conflicting.sum()), int(self.is_repeated.sum()))

    def count_label_sets(self) -> dict[tuple[str, ...], int]:
        """Count the repeated distinct pairs by the labels that they have; a single label comes first."""
        bits = (self.counts[self.is_repeated] > 0) @ (1 << np.arange(len(self.labels)))
        kinds, times = np.unique(bits, return_counts=True)
        named = [(self._name_labels(int(kind)), int(n)) for kind, n in zip(kinds, times, strict=True)]
        return dict(
            sorted(named, key=lambda item: (len(item[0]), [self.labels.index(name) for name in item[0]]))
        )

    def _name_labels(self, bits: int) -> tuple[str, ...]:
        return tuple(label for place, label in enumerate(self.labels) if bits >> place & 1)

    def describe_labels(self, numbers: Sequence[int]) -> list[str]:
        """Describe the labels of some distinct pairs, such as 2 entailment, 1 neutral."""
        return [
            ", ".join(f"{n} {label}" for n, label in zip(counts, self.labels, strict=True) if n)
            for counts in self.counts[list(numbers)].tolist()
        ]


def make_conflict_exhibit(conflicts: LabelConflicts) -> Exhibit:
    """Count the repeated pairs by the gold labels that they have."""
    found, n = conflicts.count_label_sets(), int(conflicts.is_repeated.sum())
    rows = [
        {
            "labels": " and ".join(names),
            "repeated pairs": times,
            **compute_proportion(times, n).to_columns("share"),
        }
        for names, times in found.items()
    ]
    formats: dict[str, Format] = {"labels": "text", "repeated pairs": "count", "share": "percent"}
    schema: dict[str, Any] = {"labels": pl.String, "repeated pairs": pl.Int64}
    schema |= dict.fromkeys(("share", "share_low", "share_high"), pl.Float64)
    frame = pl.DataFrame(rows, schema=schema)
    return Exhibit("duplicates-labels", "Gold labels of repeated pairs", _CONFLICT_CAPTION, frame, formats)


def make_conflict_example_exhibit(corpus: AuditCorpus, conflicts: LabelConflicts, count: int) -> Exhibit:
    """Show pairs with two labels: those that occur most often."""
    numbers = np.flatnonzero(conflicts.is_conflicting)
    often = conflicts.counts[numbers].sum(axis=1)
    chosen = numbers[np.lexsort((numbers, -often))[:count]]
    first = np.full(len(conflicts.counts), len(corpus))
    np.minimum.at(first, conflicts.number, np.arange(len(corpus)))
    frame = corpus.pairs[first[chosen]].select(
        pl.Series("labels", conflicts.describe_labels(chosen.tolist()), dtype=pl.String), *TEXTS
    )
    formats: dict[str, Format] = {"labels": "text", **dict.fromkeys(TEXTS, "passage")}
    caption = "Pairs that occur with more than one gold label, the most frequent first."
    return Exhibit("duplicates-conflicts", "Conflicting labels to read", caption, frame, formats)
