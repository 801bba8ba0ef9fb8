"""The cues of a corpus after the test: which are significant, strong, certain or redundant, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.cue_occurrences import CueOccurrences
    from rightreasons.audits.cue_statistics import CueStatistics

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CorpusCues:
    """The cues of a corpus, how far each depends on each label, and which of them are significant."""

    corpus: AuditCorpus
    occurrences: CueOccurrences
    statistics: CueStatistics
    rate: float

    @cached_property
    def significant(self) -> Flags:
        """Which cue is significant for which label."""
        return np.asarray(self.statistics.adjusted <= self.rate)

    @cached_property
    def ranking(self) -> Numbers:
        """The significant cues with their labels, the largest z first: cue x labels + label."""
        found = np.flatnonzero(self.significant)
        return found[np.argsort(-self.statistics.z.ravel()[found], kind="stable")]

    def find_strong(self, part: float) -> Flags:
        """Flag the cues that are significant for a label and remove this part of the error of guessing it."""
        least = self.statistics.baseline + part * (1 - self.statistics.baseline)
        return np.asarray(self.significant & (self.statistics.share >= least))

    def find_certain(self) -> Flags:
        """Flag the cues that are significant for a label and occur with no other one."""
        return np.asarray(self.significant & (self.statistics.hits == self.statistics.n[:, None]))

    def flag_pairs(self, chosen: Flags) -> Flags:
        """Flag the pairs that have a cue which is chosen for a label."""
        return self.occurrences.flag_rows(np.asarray(chosen.any(axis=1)), len(self.corpus))

    def rank_distinct(self) -> Numbers:
        """Rank as `ranking` does, without bigrams whose share is no higher than that of a significant word in them."""
        share = np.where(self.significant, self.statistics.share, 0.0)
        words = self.occurrences.words_of_bigrams
        best = np.where((words >= 0)[..., None], share[words], 0.0).max(axis=1)
        redundant = (best >= self.statistics.share) & ~self.occurrences.is_word[:, None]
        return np.asarray(self.ranking[~redundant.ravel()[self.ranking]])

    def draw_others(self, count: int) -> Numbers:
        """Take cues that are not significant at even distances, from frequent to rare."""
        labels = len(self.corpus.labels)
        others = np.flatnonzero(~self.significant)
        ordered = others[np.argsort(-self.statistics.n[others // labels], kind="stable")]
        return ordered[np.linspace(0, max(len(ordered) - 1, 0), min(count, len(ordered))).astype(np.int64)]

    def tabulate(self, chosen: Numbers) -> pl.DataFrame:
        """Make a table of cues with their labels: a row for each of cue x labels + label."""
        labels, statistics = self.corpus.labels, self.statistics
        cue, label = np.divmod(chosen, len(labels))
        low, high = statistics.interval
        columns: dict[str, Any] = {
            "cue": self.occurrences.name_cues(cue, self.corpus.words.vocabulary),
            "label": [labels[place] for place in label],
            "n": statistics.n[cue],
            "share": statistics.share.ravel()[chosen],
            "share_low": low.ravel()[chosen],
            "share_high": high.ravel()[chosen],
            "corpus share": statistics.baseline[label],
            "effective n": statistics.effective.ravel()[chosen],
            "z": statistics.z.ravel()[chosen],
            "PMI": statistics.pmi.ravel()[chosen],
            "p": statistics.adjusted.ravel()[chosen],
        }
        schema = dict.fromkeys(columns, pl.Float64) | {
            "cue": pl.String,
            "label": pl.String,
            "n": pl.Int64,
        }
        frame = pl.DataFrame(columns, schema=schema)
        return frame.with_columns(pl.when(pl.col("PMI").is_finite()).then("PMI").alias("PMI"))
