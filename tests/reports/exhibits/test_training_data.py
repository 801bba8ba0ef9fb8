"""The training data next to the behaviour of models: heuristics and reliance, cues and errors."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside
from rightreasons.reports.build import build_report
from rightreasons.reports.exhibits.training_data import ANY_CUE, TRAINING_DATA, read_training_audits
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import MANIFEST, TRAINING, read_training, write_manifest
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.report_data import Report

E, N, C, NON = "entailment", "neutral", "contradiction", "non-entailment"
COLUMNS = ["premise", "hypothesis", "label"]


def make_training(support: int, contradict: int, never: int) -> pl.DataFrame:
    """Make pairs that support and contradict lexical overlap, contradictions with 'never', and others."""
    rows = [(f"The a{n} and the b{n} slept .", f"The a{n} slept .", E) for n in range(support)]
    rows += [(f"The c{n} saw the d{n} .", f"The d{n} saw the c{n} .", N) for n in range(contradict)]
    rows += [(f"The e{n} slept .", f"Someone never saw f{n} .", C) for n in range(never)]
    rows += [(f"The g{n} slept .", f"Nobody knows h{n} .", (E, N, C)[n % 3]) for n in range(30)]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def make_set() -> pl.DataFrame:
    """Make 20 pairs on which lexical overlap misleads, 20 on which it helps, 20 without it, and 10 with 'never'."""
    rows = [(f"The a{n} saw the b{n} .", f"The b{n} saw the a{n} .", NON) for n in range(20)]
    rows += [(f"The c{n} and the d{n} ran .", f"The c{n} ran .", E) for n in range(20)]
    rows += [(f"The e{n} ran .", f"The f{n} ate .", NON) for n in range(20)]
    rows += [(f"The g{n} did not run .", f"The g{n} never ran home .", E) for n in range(10)]
    table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return table.with_columns(id=pl.concat_str(pl.lit("p"), pl.int_range(pl.len())))


def predict(pairs: pl.DataFrame, misled: int, errors: int) -> pl.DataFrame:
    """Predict entailment for so many misleading pairs, and non-entailment for so many entailed pairs with 'never'."""
    row = pl.int_range(pl.len())
    wrong = (row < misled) | ((row >= 60) & (row < 60 + errors))
    other = pl.col("label").replace({E: NON, NON: E})
    return pairs.select("id", label=pl.when(wrong).then(other).otherwise("label"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Evaluate three models: two with training files of one name, and one without."""
    folder = tmp_path_factory.mktemp("runs")
    pairs = make_set()
    pairs.write_csv(folder / "eval.csv")
    found = {}
    for name, training, misled, errors in (
        ("one", make_training(15, 3, 20), 12, 6),
        ("two", make_training(30, 0, 0), 20, 0),
        ("bare", None, 5, 1),
    ):
        (folder / name).mkdir()
        predict(pairs, misled, errors).write_csv(folder / f"{name}.csv")
        options = {}
        if training is not None:
            training.write_csv(folder / name / "train.csv")
            options = {"trained_on": folder / name / "train.csv"}
        rr.evaluate(
            f"file:{folder / name}.csv",
            sets=str(folder / "eval.csv"),
            out=folder / name / "run",
            html=False,
            **options,
        )
        found[name] = folder / name / "run"
    return found


@pytest.fixture(scope="module")
def report(runs: dict[str, Path]) -> Report:
    return build_report(load_runs(list(runs.values())))


def find_exhibit(report: Report, key: str) -> Exhibit:
    return next(exhibit for exhibit in report.exhibits if exhibit.key == key)


def test_support_and_contradiction_stand_next_to_reliance(report: Report) -> None:
    exhibit = find_exhibit(report, "training-reliance-eval")
    rows = exhibit.frame.filter(heuristic="lexical overlap").select(
        "model", "support", "contradict", "support share", "reliance"
    )
    # Of the 20 misleading pairs, the first model predicts 12 as entailed, and none without overlap.
    assert rows.rows() == [
        ("file:one.csv", 15, 3, 15 / 18, pytest.approx(0.6)),
        ("file:two.csv", 30, 0, 1.0, pytest.approx(1.0)),
    ]
    low, high = wilson_interval(15, 18)
    first = exhibit.frame.row(0, named=True)
    assert (first["support share_low"], first["support share_high"]) == (
        pytest.approx(low),
        pytest.approx(high),
    )
    assert first["reliance_low"] < 0.6 < first["reliance_high"]
    reliance = find_exhibit(report, "reliance-eval").frame
    for model, heuristic, figure in exhibit.frame.select("model", "heuristic", "reliance").iter_rows():
        assert reliance.filter(model=model, heuristic=heuristic)["reliance"].to_list() == [figure]


def test_cues_stand_next_to_the_errors_that_they_explain(report: Report) -> None:
    exhibit = find_exhibit(report, "training-cues-eval")
    # The third model has no training file.
    assert exhibit.frame["model"].unique(maintain_order=True).to_list() == ["file:one.csv", "file:two.csv"]
    cue = exhibit.frame.filter(cue="never").row(0, named=True)
    # The ten entailed pairs with 'never', of which six are predicted non-entailed; none of the other 20 entailed pairs.
    assert (cue["label"], cue["n"], cue["predicted"], cue["without"]) == (C, 10, 0.6, 0.0)
    assert (cue["in training"], cue["in training_high"]) == (1.0, 1.0)
    low, high = wilson_interval(6, 10)
    assert (cue["predicted_low"], cue["predicted_high"]) == (pytest.approx(low), pytest.approx(high))
    # 'the' is in all 40 hypotheses that are not entailed, of which the second model predicts 20 as entailed.
    cue = exhibit.frame.filter(cue="the", model="file:two.csv").row(0, named=True)
    assert (cue["label"], cue["n"], cue["predicted"], cue["without"]) == (E, 40, 0.5, None)


def test_cues_come_by_the_number_of_errors_after_all_of_them(report: Report) -> None:
    frame = find_exhibit(report, "training-cues-eval").frame
    for model in ("file:one.csv", "file:two.csv"):
        whole, *others = frame.filter(model=model).select("cue", "n", "predicted").rows()
        errors = [round(n * share) for _, n, share in others]
        assert whole[0] == ANY_CUE
        assert errors == sorted(errors, reverse=True)
        assert max(errors) <= round(whole[1] * whole[2])
        assert max(n for _, n, _ in others) <= whole[1]


def test_different_training_files_of_one_name_are_told_apart(report: Report, runs: dict[str, Path]) -> None:
    trained = read_training_audits(list(runs.values()))
    assert list(trained) == [runs["one"], runs["two"]]
    names = [each.training for each in trained.values()]
    assert len(set(names)) == 2
    overview = find_exhibit(report, "training").frame
    values = overview.filter(figure="heuristics.lexical_overlap").select(TRAINING_DATA, "value", "n")
    assert values.rows() == [(names[0], 15 / 18, 18), (names[1], 1.0, 30)]
    exhibit = find_exhibit(report, "training-reliance-eval")
    assert TRAINING_DATA in exhibit.formats
    assert exhibit.frame.filter(heuristic="lexical overlap")[TRAINING_DATA].to_list() == names


def test_the_same_training_file_is_shown_once(runs: dict[str, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(runs["one"], tmp_path / "copy")
    report = build_report(load_runs([runs["one"], copy]))
    overview = find_exhibit(report, "training").frame
    assert overview["figure"].is_unique().all()
    exhibit = find_exhibit(report, "training-reliance-eval")
    assert TRAINING_DATA not in exhibit.formats
    assert exhibit.frame["model"].n_unique() == 2


def test_a_run_without_training_data_has_no_section(runs: dict[str, Path]) -> None:
    report = build_report(load_runs([runs["bare"]]))
    assert not [exhibit.key for exhibit in report.exhibits if exhibit.key.startswith("training")]
    assert read_training(runs["bare"]) is None
    assert read_training_audits([runs["bare"]]) == {}


def test_an_older_run_folder_is_read_without_its_training_audit(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    """Runs of earlier versions have leaks of their training data, and no audit of it."""
    older = shutil.copytree(runs["one"], tmp_path / "older")
    (older / TRAINING).unlink()
    write_manifest(older)
    code, out, said = inside("report", older)
    assert code == 0, said
    assert "What the training data teaches" not in out
    code, _, said = inside(
        "report", older, runs["two"], "--markdown", tmp_path / "both.md", "--out", tmp_path / "both.html"
    )
    assert code == 0, said
    text = (tmp_path / "both.md").read_text(encoding="utf-8")
    assert "What the training data teaches" in text
    code, _, said = inside("compare", older, runs["one"])
    assert code == 0, said


def test_the_manifest_covers_the_training_audit(runs: dict[str, Path], tmp_path: Path) -> None:
    assert TRAINING in json.loads((runs["one"] / MANIFEST).read_text(encoding="utf-8"))
    changed = shutil.copytree(runs["one"], tmp_path / "changed")
    text = (changed / TRAINING).read_text(encoding="utf-8")
    (changed / TRAINING).write_text(text.replace("0.8333", "0.9333"), encoding="utf-8")
    code, out, said = inside("report", changed)
    assert (code, out) == (2, "")
    assert TRAINING in said
    (changed / TRAINING).unlink()
    code, out, said = inside("report", changed)
    assert (code, out) == (2, "")
    assert TRAINING in said


def test_the_report_of_the_run_is_that_of_its_folder(runs: dict[str, Path], tmp_path: Path) -> None:
    """The report is written from results in memory, and built again from files."""
    code, _, said = inside(
        "report", runs["one"], "--markdown", tmp_path / "again.md", "--out", tmp_path / "again.html"
    )
    assert code == 0, said
    there = (runs["one"] / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "again.md").read_text(encoding="utf-8") == there
    assert "cues of the training data and errors" in there
