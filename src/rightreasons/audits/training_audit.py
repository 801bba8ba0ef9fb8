"""What the training data of a model teaches, as a run keeps it next to the model's behaviour."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.run_audits import build_audits, run_possible_audits
from rightreasons.core.audit_result import AuditFigure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.audit_result import AuditResult
    from rightreasons.core.pairs import ChallengeSet

AUDITS = ("heuristics", "partial-input", "cues")
MOST_CUES = 100
MIN_LIFT = 0.25  # of the error of guessing the cue's label; cues that remove less of it explain few errors
CUE_KEYS = ("cue", "label", "n", "share", "share_low", "share_high")


@dataclass(frozen=True)
class TrainingAudit:
    """The figures of a training corpus, by address, and its strongest cues, a row each with the keys CUE_KEYS."""

    training: str
    rows: int
    figures: Mapping[str, AuditFigure]
    summaries: Mapping[str, str]
    cues: tuple[Mapping[str, Any], ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        figures = [{**asdict(figure), "name": address} for address, figure in self.figures.items()]
        return {
            "training": self.training,
            "rows": self.rows,
            "figures": figures,
            "summaries": dict(self.summaries),
            "cues": [dict(cue) for cue in self.cues],
            "skipped": dict(self.skipped),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainingAudit:
        """Read an audit from plain values."""
        return cls(
            values["training"],
            values["rows"],
            {
                each["name"]: AuditFigure(**{**each, "name": each["name"].partition(".")[2]})
                for each in values["figures"]
            },
            values["summaries"],
            tuple(values["cues"]),
            values["skipped"],
        )


def audit_training_data(training: ChallengeSet) -> TrainingAudit:
    """Audit training data for heuristics, cues, and labels that a part of the pair gives away."""
    corpus = AuditCorpus.from_challenge_set(training)
    audits = build_audits(AUDITS, {"heuristics.rule": "nested", "cues.top": 10 * MOST_CUES})
    (audited,) = run_possible_audits([corpus], audits)
    cues = _select_strong_cues(audited.results["cues"]) if "cues" in audited.results else ()
    summaries = {name: result.summary for name, result in audited.results.items() if result.summary}
    return TrainingAudit(
        corpus.name, len(corpus), audited.list_figures(), summaries, cues, dict(audited.skipped)
    )


def _select_strong_cues(result: AuditResult) -> tuple[Mapping[str, Any], ...]:
    """Select the cues with the largest z among those that say much about the label."""
    table = next(each.frame for each in result.exhibits if each.key == "cues")
    base = pl.col("corpus share")
    strong = table.filter((pl.col("share") - base) >= MIN_LIFT * (1 - base)).head(MOST_CUES)
    return tuple(strong.select(CUE_KEYS).cast({"label": str}).to_dicts())
