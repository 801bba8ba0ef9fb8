"""The progress of a running study: its figures are those of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from made_study import LABEL_QUESTION, NOTE_QUESTION, make_study

from rightreasons.people.monitoring import measure_agreement_so_far
from rightreasons.people.results import StudyResults
from rightreasons.people.simulation import simulate_judgements
from rightreasons.scoring.annotator_agreement import compute_krippendorff_alpha

if TYPE_CHECKING:
    from pathlib import Path


def test_agreement_so_far_has_the_intervals_of_the_results(tmp_path: Path) -> None:
    study = make_study(
        tmp_path / "study", count=48, per_form=8, questions=[LABEL_QUESTION, NOTE_QUESTION], exclude=[]
    )
    judgements = simulate_judgements(study, seed=4)
    (label,) = measure_agreement_so_far(judgements)
    (results,) = StudyResults.from_judgements(judgements).questions
    assert label.question == "label"
    assert (label.pairwise, label.fleiss_kappa, label.krippendorff_alpha) == (
        results.agreement.pairwise,
        results.agreement.fleiss,
        results.agreement.alpha,
    )
    # Twelve participants are enough for intervals that hold for others; those over items alone differ.
    assert results.agreement.over_participants
    alone = compute_krippendorff_alpha(results.counts)
    assert (alone.value, alone.low) != (label.krippendorff_alpha.value, label.krippendorff_alpha.low)
