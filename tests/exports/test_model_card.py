"""The model-index: the hub's own library reads it, and its figures are those of the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.exports import export
from rightreasons.exports.accuracies import list_accuracies
from rightreasons.exports.model_card import render_model_index, render_readme_section
from rightreasons.runs.folder import Run, ScoringNote, read_run

if TYPE_CHECKING:
    from pathlib import Path

yaml = pytest.importorskip("yaml")
hub = pytest.importorskip("huggingface_hub")


@pytest.fixture(scope="module")
def exported(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards") / "cards"
    export(run_folder, to="model-card", out=folder)
    return folder


def test_the_hub_reads_the_results(exported: Path, run_folder: Path) -> None:
    text = f"---\n{(exported / 'rules-subsequence.yaml').read_text(encoding='utf-8')}---\n"
    card = hub.ModelCard(text).data
    assert card.model_name == "rules:subsequence"
    run = read_run(run_folder)
    by_set = {entry["name"]: entry for entry in run.card["sets"]}
    found = {(one.dataset_name, one.metric_name.split(" (")[0]): one for one in card.eval_results}
    whole = found["hans", "Accuracy on all pairs"]
    assert (whole.dataset_revision, whole.metric_type) == (by_set["hans"]["digest"], "accuracy")
    part = found["hans", "Accuracy on lexical_overlap, non-entailment"]
    row = run.get_scores("hans").row(
        by_predicate=(pl.col("model") == "rules:subsequence")
        & (pl.col("by") == "heuristic")
        & (pl.col("heuristic") == "lexical_overlap")
        & (pl.col("gold") == "non-entailment"),
        named=True,
    )
    assert part.metric_value == round(row["correct"] / row["n"], 4)
    assert part.metric_name.endswith(
        f"(95% confidence interval {row['low']:.4f} to {row['high']:.4f}, n = {row['n']})"
    )


def test_there_is_a_card_for_each_model_and_a_table_for_people(exported: Path) -> None:
    assert {path.name for path in exported.glob("*.md")} == {"rules-subsequence.md", "constant.md"}
    text = (exported / "rules-subsequence.md").read_text(encoding="utf-8")
    assert "| hans | lexical\\_overlap, non-entailment | 1.00 " in text
    assert "rightreasons evaluate" in text


def test_every_figure_is_there_once(run_folder: Path) -> None:
    found = [(one.set, one.pairs_covered) for one in list_accuracies(read_run(run_folder), "constant")]
    assert len(found) == len(set(found))
    assert found[:3] == [("hans", "all pairs"), ("hans", "entailment"), ("hans", "non-entailment")]
    assert next(of for name, of in found if name == "nps") == "all pairs"


def test_names_from_outside_are_no_markup() -> None:

    bad = 'm"\n---\n<script>|x'
    counts = {
        "gold": "all",
        "n": 4,
        "correct": 2,
        "accuracy": 0.5,
        "low": 0.1,
        "high": 0.9,
        "interval": "wilson",
    }
    scores = pl.DataFrame([{"set": bad, "model": bad, "by": "", **counts}])
    entry = {"name": bad, "slug": "m", "given": bad, "options": {}, "digest": "d", "rows": 4}
    card = {
        "versions": {"rightreasons": "1"},
        "command": "c",
        "sets": [entry],
        "models": [{"name": bad, "baseline": False}],
    }
    run = Run(card, scores, (ScoringNote(bad, bad, "argmax", ()),))
    read = yaml.safe_load(render_model_index(run, bad))["model-index"][0]
    assert read["name"].startswith('m"')
    assert "\n" not in read["name"]
    assert "<script>" not in render_readme_section(run, bad)
    assert "\n---\n" not in render_model_index(run, bad)
