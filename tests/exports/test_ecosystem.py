"""The other tools themselves take what we export: lm-eval, Inspect, MLflow, W&B, in an environment of their own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import polars as pl
import pytest

import rightreasons
from rightreasons.exports import export
from rightreasons.runs.folder import read_run

SOURCES = Path(rightreasons.__file__).parents[1]
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "PYTHONPATH": str(SOURCES),
    "WANDB_SILENT": "true",
}
pytestmark = pytest.mark.slow

INSPECT = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def always_a(*_):
    output = ModelOutput.from_content(model="mockllm", content="ANSWER: A")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

model = get_model("mockllm/model", custom_outputs=always_a)
logs = eval(sys.argv[1:], model=model, display="none", log_format="json", log_dir="logs")
for log in logs:
    assert log.status == "success", log.error
    metrics = {name: one.value for score in log.results.scores for name, one in score.metrics.items()}
    print(json.dumps({"task": log.eval.task, "n": log.results.completed_samples, "metrics": metrics}))
"""
EXPORT = "import sys; from rightreasons.exports import export; export(sys.argv[1], to=sys.argv[2], out=sys.argv[3])"


def run_there(python: Path, *words: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(python), *map(str, words)],
        cwd=cwd,
        env=os.environ | OFFLINE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture
def moved(run_folder: Path, tmp_path: Path) -> Path:
    """Export for two tools into one place, and move it: the folder has to hold wherever it is."""
    for target in ("lm-eval", "inspect"):
        export(run_folder, to=target, out=tmp_path / target)
        shutil.move(tmp_path / target, tmp_path / f"moved {target}")
    return tmp_path


def test_lm_eval_runs_the_tasks_as_they_are(ecosystem: Path, moved: Path, run_folder: Path) -> None:
    words = ("-m", "lm_eval", "--model", "dummy", "--tasks", "rightreasons", "--log_samples")
    run_there(ecosystem, *words, "--include_path", moved / "moved lm-eval", "--output_path", "out", cwd=moved)
    (file,) = (moved / "out").glob("*/results_*.json")
    results = json.loads(file.read_text(encoding="utf-8"))
    hans = pl.read_parquet(run_folder / "sets" / "hans.parquet")
    parts = results["group_subtasks"]["rightreasons_hans"]
    assert len(parts) == 6
    assert sum(results["n-samples"][part]["original"] for part in parts) == hans.height
    for name in ("rightreasons_hans", "rightreasons_stress_numerical", "rightreasons_nps"):
        assert 0 <= results["results"][name]["acc,none"] <= 1
    (samples,) = (moved / "out").glob("*/samples_rightreasons_hans_lexical_overlap_non_entailment_*.jsonl")
    first = json.loads(samples.read_text(encoding="utf-8").splitlines()[0])
    pair = hans.row(by_predicate=pl.col("id") == first["doc"]["id"], named=True)
    assert first["arguments"]["gen_args_1"] == {
        "arg_0": f"{pair['premise']}\nQuestion: {pair['hypothesis']} True or False?\nAnswer:",
        "arg_1": " False",
    }
    assert (first["target"], pair["label"], pair["heuristic"]) == ("1", "non-entailment", "lexical_overlap")


def test_inspect_runs_the_tasks_as_they_are(ecosystem: Path, moved: Path, run_folder: Path) -> None:
    (moved / "ask.py").write_text(INSPECT, encoding="utf-8")
    files = sorted(path.relative_to(moved) for path in (moved / "moved inspect").glob("*.py"))
    lines = [json.loads(line) for line in run_there(ecosystem, "ask.py", *files, cwd=moved).splitlines()]
    by_task = {one["task"]: one for one in lines}
    assert len(by_task) == 3
    for slug in ("hans", "stress-numerical", "nps"):
        pairs = pl.read_parquet(run_folder / "sets" / f"{slug}.parquet")
        one = by_task[f"rightreasons_{slug.replace('-', '_')}"]
        # A stands for the first choice, which is entailment in every set.
        assert one["metrics"]["accuracy"] == pytest.approx((pairs["label"] == "entailment").mean())
        assert one["n"] == pairs.height
    metrics = by_task["rightreasons_hans"]["metrics"]
    assert metrics["part: lexical_overlap, entailment"] == 1
    assert metrics["part: lexical_overlap, non-entailment"] == 0
    assert "stderr" in metrics


def test_mlflow_has_every_model_with_its_figures(ecosystem: Path, run_folder: Path, tmp_path: Path) -> None:
    run_there(ecosystem, "-c", EXPORT, run_folder, "mlflow", tmp_path / "store", cwd=tmp_path)
    run = read_run(run_folder)
    with sqlite3.connect(tmp_path / "store" / "mlflow.db") as store:
        names = dict(store.execute("select name, run_uuid from runs where status = 'FINISHED'").fetchall())
        query = "select key, value from latest_metrics where run_uuid = ?"
        metrics = dict(store.execute(query, (names["constant"],)).fetchall())
        query = "select key, value from params where run_uuid = ?"
        params = dict(store.execute(query, (names["constant"],)).fetchall())
    store.close()
    assert set(names) == {"rules:subsequence", "constant"}
    whole = (
        (pl.col("set") == "hans")
        & (pl.col("model") == "constant")
        & (pl.col("by") == "")
        & (pl.col("gold") == "all")
    )
    row = run.scores.row(by_predicate=whole, named=True)
    for key in ("accuracy", "low", "high", "n"):
        assert metrics[f"hans/all/{key}"] == pytest.approx(row[key])
    assert params["set.hans.digest"] == run.card["sets"][0]["digest"]
    assert params["version.rightreasons"] == rightreasons.__version__
    kept = {path.name for path in (tmp_path / "store" / "files").rglob("*") if path.is_file()}
    assert {"report.md", "scores.csv", "card.json"} <= kept


def test_wandb_has_every_model_with_its_figures(ecosystem: Path, run_folder: Path, tmp_path: Path) -> None:
    run_there(ecosystem, "-c", EXPORT, run_folder, "wandb", tmp_path / "store", cwd=tmp_path)
    logged = sorted((tmp_path / "store").glob("wandb/offline-run-*/*.wandb"))
    assert len(logged) == 2
    texts = [path.read_bytes() for path in logged]
    digest = read_run(run_folder).card["sets"][0]["digest"].encode()
    assert all(digest in text and b"hans/lexical_overlap/non-entailment" in text for text in texts)
    assert all(
        any(f'"{name}"'.encode() in text for text in texts) for name in ("constant", "rules:subsequence")
    )


@pytest.mark.parametrize(("target", "library"), [("mlflow", "MLflow"), ("wandb", "W&B")])
def test_without_the_library_the_extra_is_named(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, target: str, library: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, target, None)  # which is how Python is told that there is none
    with pytest.raises(
        rightreasons.InputError, match=rf"{library} can't be loaded.*rightreasons\[{target}\]"
    ):
        export(run_folder, to=target)
