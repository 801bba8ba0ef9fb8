"""The leaderboard: whose figures it shows, what it leaves out of the mean, and the files it writes."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons
from command_line import inside, refused
from rightreasons.reports.exhibits import ranking
from rightreasons.reports.leaderboard import build_leaderboard, write_leaderboard
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import read_run

if TYPE_CHECKING:
    from pathlib import Path

HANS = 120


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make three runs: of the same set, of it and another, and of the same set in another size."""
    home = tmp_path_factory.mktemp("runs")
    plain = {"baselines": False, "html": False}
    rightreasons.evaluate(["rules:subsequence"], sets="hans", limit=HANS, out=home / "a", **plain)
    models = ["rules:lexical-overlap", "constant"]
    rightreasons.evaluate(models, sets="hans,nps", limit=HANS, out=home / "b", **plain)
    rightreasons.evaluate(["rules:constituent"], sets="hans", limit=60, out=home / "c", **plain)
    return home


def rows_of(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


def test_figures_are_those_of_the_runs(folders: Path, tmp_path: Path) -> None:
    write_leaderboard([folders / "a", folders / "b"], out=tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert list(rows) == ["rules:subsequence", "rules:lexical-overlap", "constant"]
    for folder, model in (("a", "rules:subsequence"), ("b", "constant")):
        whole = (pl.col("set") == "hans") & (pl.col("by") == "") & (pl.col("gold") == "all")
        score = read_run(folders / folder).scores.row(
            by_predicate=whole & (pl.col("model") == model), named=True
        )
        shown = [float(rows[model][key]) for key in ("hans", "hans low", "hans high", "hans n")]
        assert shown == [score["accuracy"], score["low"], score["high"], score["n"]]


def test_a_set_that_some_lack_is_missing_and_not_in_the_mean(folders: Path, tmp_path: Path) -> None:
    made = write_leaderboard([folders / "a", folders / "b"], out=tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert (rows["rules:subsequence"]["nps"], rows["rules:subsequence"]["nps n"]) == ("", "")
    assert rows["constant"]["mean"] == rows["constant"]["hans"]
    assert {row["sets in the mean"] for row in rows.values()} == {"1"}
    assert re.match(r"nps .*mean.*: .*\brules:subsequence\.$", made.exhibits[0].notes[0])
    assert " over hans." in (tmp_path / "out" / "leaderboard.md").read_text(encoding="utf-8")


def test_models_with_equal_predictions_share_their_ranks(folders: Path) -> None:
    found = build_leaderboard(load_runs([folders / "a", folders / "b"]))
    # On these pairs constant and lexical overlap both always predict entailment.
    assert "rules:lexical-overlap" in found.ties["constant"]
    assert ranking.format_rank_range(found.means["constant"]) == ranking.format_rank_range(
        found.means["rules:lexical-overlap"]
    )


def test_sets_that_were_made_otherwise_are_kept_apart(folders: Path, tmp_path: Path) -> None:
    made = write_leaderboard([folders / "a", folders / "c"], out=tmp_path / "out")
    assert any(note.startswith("No set ") for note in made.exhibits[0].notes)
    rows = rows_of(tmp_path / "out")
    assert {"hans (a)", "hans (c)"} <= set(rows["rules:subsequence"])
    assert [rows[name]["best rank"] for name in rows] == ["", ""]
    assert "| mean over" not in (tmp_path / "out" / "leaderboard.md").read_text(encoding="utf-8")


def test_a_model_that_others_have_as_a_baseline_is_ranked(folders: Path, tmp_path: Path) -> None:
    rightreasons.evaluate(["random"], sets="hans", limit=HANS, out=tmp_path / "d", html=False)
    found = build_leaderboard(load_runs([folders / "b", tmp_path / "d"]))
    assert set(found.models) == {"random", "rules:lexical-overlap", "constant"}
    assert set(found.baselines) == {"majority", "rules:subsequence", "rules:constituent"}
    assert found.means["rules:subsequence"].best is None
    assert found.means["rules:subsequence"].low < found.means["rules:subsequence"].accuracy


def test_the_command_writes_a_page_and_replaces_only_its_own(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "<script>alert(1)</script>"
    words = ("leaderboard", folders / "a", folders / "b", "--out", "board", "--rename", f"constant={name}")
    code, out, err = inside(*words)
    assert code == 0, err
    assert "mean over 1 set" in out.partition("\n")[0]
    assert " board." in err
    page = (tmp_path / "board" / "leaderboard.html").read_text(encoding="utf-8")
    assert "rules:subsequence" in page
    assert name not in page
    assert "Verdicts" not in page  # a leaderboard has none, so it must not have their heading
    assert "exists already" in refused(inside, *words)
    assert inside(*words, "--force")[0] == 0
    assert "no card.json" in refused(inside, "leaderboard", tmp_path, "--out", "x")
    assert "Missing argument" in refused(inside, "leaderboard", "--out", "x")
