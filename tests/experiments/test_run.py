"""Every experiment of the table, tiny: it trains, predicts, and writes a run with the paper's figures beside ours."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.experiments import EXPERIMENTS, run
from rightreasons.reports.exhibits.published_comparison import HERE, WEAK
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

POCKET = {"mnli-train": ["pocket"], "mnli-dev-matched": ["pocket"]}


@pytest.fixture(scope="session")
def models_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep trained models for all experiments, as they are meant to be."""
    return tmp_path_factory.mktemp("models")


# These train and test the most; the others take the same steps.
SLOW = {"pairs-refine", "pairs-sick-rules", "pairs-simple", "stress-main", "stress-distraction"}
SLOW |= {"hans-merged", "hans-withheld"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in EXPERIMENTS],
)
def test_an_experiment_runs(
    name: str, tmp_path: Path, models_in: Path, tiny_corpora: dict[str, list[str]]
) -> None:
    out = tmp_path / "out"
    found = run(
        name,
        out=out,
        scale="tiny",
        models=["cbow"],
        corpora=tiny_corpora,
        workers=0,
        models_in=models_in,
        allow_overlap=True,  # the pocket corpus plays every role
    )
    text = (out / "table.md").read_text(encoding="utf-8")
    rows = pl.read_csv(out / "table.csv")
    card = json.loads((out / "card.json").read_text(encoding="utf-8"))["experiment"]
    assert text.startswith(f"# {name}: ")
    assert "CBOW" in text
    assert set(rows["source"]) > {HERE}, "the paper's figures stand beside ours"
    assert rows.filter(pl.col("source") == HERE)["n"].null_count() == 0
    assert all(sentence in card["caption"] for sentence in list_notes(name))
    assert {part["name"] for part in card["parts"]} == set(load_runs([out]).requested_models)
    assert len(list((out / "parts").iterdir())) == len(card["parts"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    assert (f"({WEAK})" in text) == any(found.is_weak(row) for row in found.rows)
    report = rr.report([out], out=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<h1>The experiment {name}</h1>" in page
    weak = card["too_weak"]
    assert bool(weak) == any(found.is_weak(row) for row in found.rows)
    warned = [warning for warning in report.warnings if "chance" in warning]
    assert len(warned) == bool(weak)
    assert all(", ".join(weak) in warning and warning in html.unescape(page) for warning in warned)


def list_notes(name: str) -> tuple[str, ...]:
    from rightreasons.experiments.declaration import find_experiment

    return find_experiment(name).notes


def test_models_are_shared_and_results_kept(
    tmp_path: Path, models_in: Path, tiny_corpora: dict[str, list[str]]
) -> None:
    given = {"scale": "tiny", "models": ["cbow"], "corpora": tiny_corpora, "workers": 0}
    for name in ("hans-main", "hans-dose"):
        run(name, out=tmp_path / name, models_in=models_in, allow_overlap=True, **given)
    keys = [
        {part["name"]: part["key"] for part in runs.read_run(tmp_path / name).card["experiment"]["parts"]}
        for name in ("hans-main", "hans-dose")
    ]
    assert keys[0]["CBOW, seed 0"] == keys[1]["CBOW, seed 0"]
    place = models_in / keys[0]["CBOW, seed 0"]
    before = (place / "trained.json").stat().st_mtime_ns
    table = (tmp_path / "hans-main" / "table.csv").read_text(encoding="utf-8")
    for file in (place / "predictions").iterdir():
        file.unlink()
    run("hans-main", out=tmp_path / "hans-main", models_in=models_in, allow_overlap=True, force=True, **given)
    assert (place / "trained.json").stat().st_mtime_ns == before
    assert (tmp_path / "hans-main" / "table.csv").read_text(encoding="utf-8") == table
    (place / "trained.json").unlink()  # as a kill leaves it between the model and this note
    run("hans-main", out=tmp_path / "hans-main", models_in=models_in, allow_overlap=True, force=True, **given)
    (part,) = runs.read_run(tmp_path / "hans-main").card["experiment"]["parts"]
    assert {"seconds", "best", "best_step", "steps"} <= set(part["trained"])


def test_seeds_are_one_row_with_their_range(
    tmp_path: Path, models_in: Path, tiny_corpora: dict[str, list[str]]
) -> None:
    found = run(
        "hans-main",
        out=tmp_path / "out",
        scale="tiny",
        models=["cbow"],
        seeds=2,
        corpora=tiny_corpora,
        workers=0,
        models_in=models_in,
        allow_overlap=True,
    )
    assert found.rows == ["CBOW"]
    ours = pl.read_csv(tmp_path / "out" / "table.csv").filter(pl.col("source") == HERE)
    assert set(ours["seeds"]) == {2}
    assert set(ours["brackets"]) == {"range"}
    assert (ours["low"] <= ours["mean"]).all()
    assert load_runs([tmp_path / "out"]).requested_models == ["CBOW, seed 0", "CBOW, seed 1"]
    assert "2 seeds" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "hans-mian"}, "Did you mean hans-main"),
        ({"models": ["esmi"]}, "Did you mean esim"),
        ({"models": ["pretrain"]}, "pretrain .*jiant"),
        ({"scale": "quik"}, "Did you mean quick"),
        ({"seeds": 0}, "--seeds is 0"),
        ({"workers": -1}, "--workers is -1"),
        ({"vectors": "nowhere.txt"}, "nowhere.txt.*--vectors"),
        (
            {"vectors": __file__, "models": ["cbow"], "corpora": POCKET, "allow_overlap": True},
            "test_run.py .*word vectors",
        ),
        ({"corpora": {"mnli": ["pocket"]}}, "corpus role .*'mnli'"),
    ],
)
def test_wrong_arguments_are_refused_before_training(
    given: dict[str, object], message: str, tmp_path: Path
) -> None:
    name = str(given.get("name", "hans-main"))
    rest = {key: value for key, value in given.items() if key != "name"}
    with pytest.raises(rr.InputError, match=message):
        run(name, out=tmp_path / "out", **rest)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_pairs_of_the_tests_are_not_trained_on(tmp_path: Path, tiny_corpora: dict[str, list[str]]) -> None:
    with pytest.raises(rr.InputError, match="allow-overlap"):
        run(
            "hans-main",
            out=tmp_path / "out",
            scale="tiny",
            models=["cbow"],
            corpora=tiny_corpora,
            workers=0,
        )
    assert not (tmp_path / "out").exists()
