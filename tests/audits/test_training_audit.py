"""What the training data of a model teaches: figures, strong cues, and the values that a run keeps."""

from __future__ import annotations

import json

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.audits.training_audit import AUDITS, MOST_CUES, TrainingAudit, audit_training_data
from rightreasons.core.json_shapes import parse_json
from rightreasons.runs.schema import TRAINING

E, N, C = "entailment", "neutral", "contradiction"


def make_training(rows: list[tuple[str, str, str]]) -> rr.ChallengeSet:
    pairs = pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row")
    return rr.ChallengeSet(pairs.with_row_index("id").cast({"id": pl.String}), rr.Card("train"))


def make_rows(never: int = 20) -> list[tuple[str, str, str]]:
    """Make 15 pairs that support lexical overlap and 3 that contradict it, and some with 'never'."""
    rows = [(f"The a{n} and the b{n} slept .", f"The a{n} slept .", E) for n in range(15)]
    rows += [(f"The c{n} saw the d{n} .", f"The d{n} saw the c{n} .", N) for n in range(3)]
    rows += [(f"The e{n} slept .", f"Someone never saw f{n} .", C) for n in range(never)]
    return rows + [(f"The g{n} slept .", f"Nobody knows h{n} .", (E, N, C)[n % 3]) for n in range(22)]


@pytest.fixture(scope="module")
def audited() -> TrainingAudit:
    return audit_training_data(make_training(make_rows()))


def test_heuristics_cues_and_partial_input_are_audited(audited: TrainingAudit) -> None:
    assert (audited.training, audited.rows, audited.skipped) == ("train", 60, {})
    assert {address.partition(".")[0] for address in audited.figures} == set(AUDITS) == set(audited.summaries)
    support = audited.figures["heuristics.lexical_overlap"]
    assert (support.value, support.n) == (15 / 18, 18)
    assert audited.figures["heuristics.lexical_overlap.contradicting"].value == 3 / 60
    assert audited.figures["cues.certain"].value == (20 + 15) / 60  # 'never' and 'slept'


def test_cues_have_their_label_and_interval(audited: TrainingAudit) -> None:
    cue = next(each for each in audited.cues if each["cue"] == "never")
    assert (cue["label"], cue["n"], cue["share"], cue["share_high"]) == (C, 20, 1.0, 1.0)
    assert 0.8 < cue["share_low"] < 0.9
    assert all(each["share"] >= 0.25 for each in audited.cues)


def test_weak_cues_are_left_out() -> None:
    """Of the pairs with 'weak', 45% are contradictions, and of all pairs 30%: 'weak' removes a fifth of the error."""
    rows = [(f"p{n}", f"weak x{n}", C if n % 20 < 9 else E) for n in range(1000)]
    rows += [(f"q{n}", f"y{n}", C if n % 20 < 3 else E) for n in range(1000)]
    rows += [(f"r{n}", f"strong z{n}", C) for n in range(20)]
    cues = audit_training_data(make_training(rows)).cues
    assert [(each["cue"], each["label"]) for each in cues] == [("strong", C)]


def test_the_number_of_cues_is_limited() -> None:
    rows = [(f"p{n}", f"word{n // 12} x{n}", C if n < 1_440 else E) for n in range(2_880)]
    assert len(audit_training_data(make_training(rows)).cues) == MOST_CUES


def test_an_audit_is_read_back_as_it_was_written(audited: TrainingAudit) -> None:
    text = json.dumps(audited.to_dict(), allow_nan=False)
    assert TrainingAudit.from_dict(parse_json(text, TRAINING)) == audited


@pytest.mark.parametrize("rows", [[("a b", "a", N), ("c", "d", N)], [("a b", "a", N)]])
def test_training_data_with_one_label_has_no_figures(rows: list[tuple[str, str, str]]) -> None:
    audited = audit_training_data(make_training(rows))
    assert (audited.figures, audited.cues, set(audited.skipped)) == ({}, (), set(AUDITS))
    assert TrainingAudit.from_dict(parse_json(json.dumps(audited.to_dict()), TRAINING)) == audited
