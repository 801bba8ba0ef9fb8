"""Published figures of people beside a study: each is measured on the items that it is about."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from rightreasons.people.results import StudyResults
from rightreasons.people.study import write_study
from rightreasons.reports.exhibits.published_people import make_published_people_exhibit

sys.path.append(str(Path(__file__).parents[2] / "people"))
from hand_judgements import write_judgements
from made_study import LABEL_QUESTION, make_forms, make_items, make_protocol_content

LABELS = {"E": "entailment", "N": "neutral", "C": "contradiction"}
QUESTION = {**LABEL_QUESTION, "choices": [{"value": value, "text": value} for value in LABELS.values()]}


def read_random_pair_figures(folder: Path, tops: list[str] | None) -> dict[tuple[str, str], float | None]:
    """Return our figures of a study of four random pairs: two are neutral to people, two entailed."""
    items = make_items(4, 0, set="random-pair", label="neutral").with_columns(group=pl.lit(None, pl.String))
    study = write_study(
        folder,
        protocol_name="tests",
        protocol_content=make_protocol_content(questions=[QUESTION], judgements=1, practice=[], exclude=[]),
        items=items if tops is None else items.with_columns(top=pl.Series(tops)),
        forms=make_forms(4, 4, 1, 0),
        card={"name": "small", "version": "1"},
    )
    given = write_judgements(study, {"anna": {"items": "NNEE"}})
    judgements = given.__class__(
        study, given.participants, given.answers.with_columns(pl.col("answer").replace(LABELS))
    )
    exhibit = make_published_people_exhibit(StudyResults.from_judgements(judgements))
    assert exhibit is not None
    return {
        (who, figure): ours for who, figure, ours in exhibit.frame.select("people", "figure", "ours").rows()
    }


@pytest.mark.parametrize(
    ("tops", "contradiction", "entailment"),
    [
        (["bert p_contradiction"] * 2 + ["bert p_entailment"] * 2, 1.0, 0.0),
        (["bert p_contradiction"] * 4, 0.5, None),
        (None, None, None),  # items that no model's scores selected
    ],
)
def test_pairs_selected_by_a_score_are_compared_with_such_pairs(
    tmp_path: Path, tops: list[str] | None, contradiction: float | None, entailment: float | None
) -> None:
    figures = read_random_pair_figures(tmp_path / "study", tops)
    neutral = {who: ours for (who, figure), ours in figures.items() if figure == "majority: label=neutral"}
    assert len(neutral) == 4
    for who, ours in neutral.items():
        assert ours == (contradiction if "high contradiction" in who else entailment), who
