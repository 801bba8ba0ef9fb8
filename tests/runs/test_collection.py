"""Several runs: equal sets are joined, models get distinct names, missing or changed files are refused."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import labels, registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import UNPRINTABLE
from rightreasons.inference.journal import BatchPlan, Journal
from rightreasons.inference.journal_folders import write_run_plan
from rightreasons.io.temporary_folders import OLD_ENDING, make_hidden_path
from rightreasons.reports.build import build_report, write_tables
from rightreasons.runs.collection import MIXED_RULES, load_runs
from rightreasons.runs.folder import FORMAT, MANIFEST, read_run, write_manifest
from rightreasons.scoring.rule_choice import SOME_MODELS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


def run(folder: Path, *models: str, **options: object) -> Path:
    folder.parent.mkdir(exist_ok=True)
    rr.evaluate(list(models), out=folder, sets="tiny", html=False, **{"size": 10, "seed": 2, **options})
    return folder


def test_predictions_are_aligned_with_their_pairs(tmp_path: Path) -> None:
    results = load_runs([run(tmp_path / "a", "random")]).load_set_results("tiny")
    stored = pl.read_parquet(tmp_path / "a" / "predictions" / "tiny" / "random.parquet")
    found = results.predictions["random"]
    assert found["prediction"].to_list() == stored["label"].to_list()
    assert found["gold"].to_list() == results.pairs["label"].to_list()
    assert found["right"].to_list() == (found["gold"] == found["prediction"]).to_list()
    assert results.requested_models == ["random"]
    assert "majority" in results.predictions


def test_equal_sets_of_two_runs_are_joined(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "rules:subsequence")]
    gathered = load_runs(folders)
    assert gathered.set_names == ["tiny"]
    assert gathered.load_set_results("tiny").requested_models == ["random", "rules:subsequence"]


def test_sets_of_one_name_that_were_made_otherwise_stay_apart(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "rules:subsequence", seed=3)]
    gathered = load_runs(folders)
    assert gathered.set_names == ["tiny (a)", "tiny (b)"]
    assert gathered.load_set_results("tiny (a)").requested_models == ["random"]
    assert gathered.load_set_results("tiny (b)").requested_models == ["rules:subsequence"]


def test_models_of_one_name_are_labelled_by_their_run(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random"), run(tmp_path / "b", "random", **{"random.seed": 9})]
    results = load_runs(folders).load_set_results("tiny")
    assert results.requested_models == ["random (a)", "random (b)"]
    assert not results.predictions["random (a)"].equals(results.predictions["random (b)"])


def test_models_may_be_shown_by_other_names(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random", "rules:subsequence")
    assert load_runs([folder], {"random": "chance"}).load_set_results("tiny").requested_models == [
        "chance",
        "rules:subsequence",
    ]
    with pytest.raises(UnknownNameError, match="randon"):
        load_runs([folder], {"randon": "chance"})
    with pytest.raises(InputError, match=r"'rules:subsequence'.*--rename"):
        load_runs([folder], {"random": "rules:subsequence"})


def test_a_run_is_given_once(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    again = folder / ".." / "a"
    with pytest.raises(InputError) as caught:
        load_runs([folder, again])
    assert repr(str(again)) in str(caught.value)


def begin_journal(place: Path) -> None:
    """Write the plan of a job, of which nothing is predicted, as a kill leaves it."""
    place.mkdir(parents=True)
    Journal(place / "0123456789abcdef", {}).set_plan(BatchPlan([[0, 1], [2]], {}))


def test_the_missing_part_of_an_unfinished_run_is_named(tmp_path: Path) -> None:
    begin_journal(tmp_path / "a.unfinished" / "tiny" / "slow")
    with pytest.raises(InputError) as caught:
        load_runs([tmp_path / "a"])
    message = str(caught.value)
    assert repr(str(tmp_path / "a")) in message
    assert re.search(r"\bslow on tiny .*0 of 3 .*\bagain\b", message)


def test_models_and_sets_without_predictions_are_named(tmp_path: Path) -> None:
    models = [("m1", "file:\x1b[2J", False), ("m2", "other", False), ("random", "random", True)]
    plan = {
        "command": "rightreasons evaluate x",
        "sets": [{"name": name, "slug": name.replace("/", "-")} for name in ("stress/a", "b")],
        "models": [{"name": name, "slug": slug, "baseline": added} for slug, name, added in models],
    }
    write_run_plan(tmp_path / "a.unfinished", plan)
    with pytest.raises(InputError) as caught:
        load_runs([tmp_path / "a"])
    message = str(caught.value)
    assert repr(str(tmp_path / "a")) in message
    assert f"file:{UNPRINTABLE}[2J, other on stress/a, b." in message
    assert message.endswith("rightreasons evaluate x")
    assert "random" not in message
    begin_journal(tmp_path / "a.unfinished" / "stress-a" / "m2")
    with pytest.raises(InputError, match=r"other on stress/a .*0 of 3 .*; .* on stress/a; .* on b\. "):
        load_runs([tmp_path / "a"])


@pytest.mark.parametrize("text", ["", "[]", '{"sets": 3}', '{"sets": [], "models": [{}], "command": ""}'])
def test_an_invalid_plan_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.unfinished").mkdir()
    (tmp_path / "a.unfinished" / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"[Nn]o folder.*rightreasons evaluate"):
        load_runs([tmp_path / "a"])


def test_a_run_that_fails_before_any_prediction_leaves_no_plan(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        run(tmp_path / "a", "random", by="nonsense")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["card.json", "scores.json", "predictions/tiny/random.parquet", "sets/tiny.parquet"]
)
def test_a_file_that_was_changed_or_is_missing_is_named(tmp_path: Path, name: str) -> None:
    folder = run(tmp_path / "a", "random")
    file = folder / name
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"random", b"oracle", 1) if name == "card.json" else whole + b" ")
    with pytest.raises(InputError, match=f"{re.escape(name)} .*{re.escape(repr(str(folder)))} .*changed"):
        load_runs([folder])
    file.unlink()
    with pytest.raises(InputError, match=f"{re.escape(repr(str(folder)))} has no {re.escape(name)}"):
        load_runs([folder])


def test_a_path_that_is_not_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("")
    with pytest.raises(InputError, match=r"page\.html.* a file.*rightreasons evaluate"):
        load_runs([tmp_path / "page.html"])
    with pytest.raises(InputError, match=r"[Nn]o folder.*rightreasons evaluate"):
        load_runs([tmp_path / "nowhere"])


def test_pages_may_be_changed(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / "report.md").write_text("mine")
    assert load_runs([folder]).set_names == ["tiny"]


def test_a_run_without_a_manifest_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / MANIFEST).unlink()
    with pytest.raises(InputError, match=r"has no manifest\.json"):
        load_runs([folder])
    shutil.rmtree(folder / "predictions")
    write_manifest(folder)
    with pytest.raises(InputError, match=r"random\.parquet.*missing.*evaluate again"):
        load_runs([folder]).load_set_results("tiny")


def test_a_run_of_the_older_format_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / "predictions").rename(folder / "answers")
    (folder / MANIFEST).rename(folder / "seal.json")
    for read in (read_run, lambda place: load_runs([place])):
        with pytest.raises(InputError, match=r"0\.5.*Evaluate again") as error:
            read(folder)
        assert str(folder) in str(error.value)


def test_a_run_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "random")
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps(card | {"format": FORMAT + 1}))
    write_manifest(folder)
    with pytest.raises(InputError, match=f"format {FORMAT + 1}.*format {FORMAT}"):
        load_runs([folder])


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1}'])
def test_a_malformed_manifest_is_refused(tmp_path: Path, text: str) -> None:
    folder = run(tmp_path / "a", "random")
    (folder / MANIFEST).write_text(text)
    with pytest.raises(InputError, match=r"manifest|lacks a"):
        load_runs([folder])


def test_runs_of_one_name_are_labelled_by_more_of_their_paths(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a" / "run", "random"), run(tmp_path / "b" / "run", "random", seed=3)]
    gathered = load_runs(folders)
    assert gathered.set_names == ["tiny (a/run)", "tiny (b/run)"]
    assert gathered.requested_models == ["random (a/run)", "random (b/run)"]
    assert [gathered.load_set_results(name).requested_models for name in gathered.set_names] == [
        ["random (a/run)"],
        ["random (b/run)"],
    ]


def test_a_baseline_of_another_run_is_not_the_model_of_its_name(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", "random", **{"random.seed": 7}), run(tmp_path / "b", "rules:subsequence")]
    assert load_runs(folders).requested_models == ["random (a)", "rules:subsequence"]


def test_runs_with_different_rules_are_refused(tmp_path: Path) -> None:
    made = rr.generate("tiny", size=10, seed=2).pairs
    sure = {"p_entailment": 0.4, "p_neutral": 0.35, "p_contradiction": 0.25}
    predictions = made.select(
        "id", pl.lit("entailment").alias("label"), **{k: pl.lit(v) for k, v in sure.items()}
    )
    predictions.write_csv(tmp_path / "m.csv")
    model = f"file:{tmp_path / 'm.csv'}"
    folders = [run(tmp_path / rule, model, rule=rule) for rule in ("argmax", "sum")]
    gathered = load_runs(folders)
    rule = gathered.load_set_results("tiny").label_rule
    assert "(argmax): argmax" in rule
    assert "(sum): sum" in rule
    assert MIXED_RULES.format("argmax, sum") in build_report(gathered).warnings
    with pytest.raises(InputError, match=r"argmax, sum.*--rule"):
        rr.compare(folders)


def test_headlines_of_several_runs_use_the_compared_labels(tmp_path: Path) -> None:
    """A model with two labels has the labels of a set merged, for the others' verdicts, too."""
    rows = [
        (f"p{n}", f"A {n} ran.", f"B {n} ran.", label)
        for n, label in enumerate(["neutral", "entailment"] * 100)
    ]
    pairs = pl.DataFrame(rows, schema=["id", "premise", "hypothesis", "label"], orient="row")
    pairs.write_csv(tmp_path / "set.csv")
    finer = pairs.select("id", label=pl.col("label").replace({"neutral": "contradiction"}))
    coarse = pairs.select("id", label=pl.col("label").replace({"neutral": "non-entailment"}))
    for name, predictions in (("finer", finer), ("coarse", coarse)):
        predictions.write_csv(tmp_path / f"{name}.csv")
        rr.evaluate(
            f"file:{tmp_path / name}.csv",
            sets=str(tmp_path / "set.csv"),
            out=tmp_path / name,
            html=False,
            baselines=False,
        )
    alone = build_report(load_runs([tmp_path / "finer"])).headlines[0].sentence
    both = build_report(load_runs([tmp_path / "finer", tmp_path / "coarse"])).headlines[0].sentence
    assert "50.0% correct" in alone
    assert "100.0% correct" in both


def test_tables_of_sets_with_alike_names_have_files_of_their_own(tmp_path: Path) -> None:
    pairs = rr.generate("tiny", size=10, seed=2).pairs
    for name in ("\u65e5\u672c", "\u4e2d\u56fd"):
        pairs.with_columns(pl.col("id") + name).write_csv(tmp_path / f"{name}.csv")
    sets = [str(path) for path in sorted(tmp_path.glob("*.csv"))]
    rr.evaluate("random", sets=sets, out=tmp_path / "run", html=False, baselines=False)
    made = build_report(load_runs([tmp_path / "run"]))
    write_tables(made, tmp_path / "tables", "csv")
    assert len(list((tmp_path / "tables").glob("*.csv"))) == len(made.exhibits) + 1
    write_tables(made, tmp_path / "tables", "csv", force=True)


def test_the_same_probabilities_are_compared_alike_as_two_numbers_and_as_three(tmp_path: Path) -> None:
    made = rr.generate("tiny", size=10, seed=2).pairs
    yes = pl.Series("p_entailment", [0.4 if place % 3 else 0.7 for place in range(made.height)])
    three = made.select("id").with_columns(yes, p_neutral=(1 - yes) * 0.6, p_contradiction=(1 - yes) * 0.4)
    two = made.select("id").with_columns(yes, p_non_entailment=1 - yes)
    three.write_csv(tmp_path / "three.csv")
    two.write_csv(tmp_path / "two.csv")
    models = [f"file:{tmp_path / name}.csv" for name in ("three", "two")]
    folders = [run(tmp_path / f"run {place}", model) for place, model in enumerate(models)]
    gathered = load_runs(folders)
    found = rr.compare(gathered)
    assert found.rows["only_a"].to_list() == found.rows["only_b"].to_list() == [0] * found.rows.height
    assert {
        note.label_rule for one in gathered.runs for note in one.notes if note.model in one.requested_models
    } == {labels.RULES["sum"]}
    # By the most probable of three, 0.4 would be entailment for the one and non-entailment for the other.
    unlike = [run(tmp_path / f"most {place}", model, rule="argmax") for place, model in enumerate(models)]
    assert rr.compare(unlike).rows["only_b"].sum() > 0


def test_runs_by_different_rules_may_be_compared_where_the_rules_decide_alike(tmp_path: Path) -> None:
    folders = [run(tmp_path / rule, "random", rule=rule) for rule in ("argmax", "auto")]
    assert load_runs(folders).label_rules == ["argmax"]


def in_three_forms(folder: Path) -> dict[str, str]:
    """Write the same probabilities three times: as three numbers, as two, and as the most probable of three labels."""
    made = rr.generate("tiny", size=10, seed=2).pairs
    yes = pl.Series("p_entailment", [0.4 if place % 3 else 0.7 for place in range(made.height)])
    three = made.select("id").with_columns(yes, p_neutral=(1 - yes) * 0.6, p_contradiction=(1 - yes) * 0.4)
    tables = {
        "three": three,
        "two": made.select("id").with_columns(yes, p_non_entailment=1 - yes),
        "labels": made.select("id", label=pl.Series(["entailment"] * made.height)).with_columns(
            # 0.4 beside 0.36 and 0.24 is the largest; a neutral prediction shows that it knows three labels.
            label=pl.when(pl.int_range(pl.len()) == 1).then(pl.lit("neutral")).otherwise("label")
        ),
    }
    tables["three"] = three.with_columns(
        pl.when(pl.int_range(pl.len()) == 1).then(value).otherwise(pl.col(name)).alias(name)
        for name, value in (("p_entailment", 0.2), ("p_neutral", 0.5), ("p_contradiction", 0.3))
    )
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")
    return {name: f"file:{folder / name}.csv" for name in tables}


def test_labels_and_the_probabilities_that_they_come_from_are_decided_alike(tmp_path: Path) -> None:
    models = in_three_forms(tmp_path)
    folder = run(tmp_path / "both", models["three"], models["labels"])
    gathered = load_runs(folder)
    found = rr.compare(gathered)
    assert found.rows["only_a"].to_list() == found.rows["only_b"].to_list() == [0] * found.rows.height
    (whole,) = gathered.runs
    assert len({note.label_rule for note in whole.notes}) == 1  # of baselines too
    assert whole.label_rule("tiny") == labels.RULES["argmax"] + SOME_MODELS
    remark = whole.card["sets"][0]["remarks"][-1]
    assert re.search(r"argmax.*\bfile:labels\.csv\b", remark)
    assert remark in found.exhibits[0].notes
    # What the run counted is what its files give again.
    results = gathered.load_set_results("tiny")
    right = {name: int(results.predictions[name]["right"].sum()) for name in results.predictions}
    counted = whole.scores.filter((pl.col("by") == "") & (pl.col("gold") == "all"))
    assert dict(counted.select("model", "correct").iter_rows()) == right
    page = (folder / "report.md").read_text()
    assert f"Labels: {labels.RULES['argmax']}{SOME_MODELS}." in page
    assert "predictions/SET/MODEL.parquet --rule argmax`" in page
    stored = pl.read_parquet(folder / "predictions" / "tiny" / "file-three.csv.parquet")
    again = rr.score(results.pairs, stored, rule="argmax").rows
    assert again.filter(pl.col("gold") == "all")["correct"].item() == right["file:three.csv"]


def test_by_auto_the_models_of_several_runs_are_decided_alike(tmp_path: Path) -> None:
    models = in_three_forms(tmp_path)
    folders = [run(tmp_path / name, models[name]) for name in ("three", "labels")]
    gathered = load_runs(folders)
    rules = [one.label_rule("tiny").partition(":")[0] for one in gathered.runs]
    assert rules == ["sum", "argmax"]
    assert gathered.load_set_results("tiny").label_rule == labels.RULES["argmax"] + SOME_MODELS
    found = rr.compare(gathered)
    assert found.rows["only_a"].to_list() == found.rows["only_b"].to_list() == [0] * found.rows.height
    made = rr.leaderboard(folders, out=tmp_path / "board")
    assert any(note.startswith("Labels of tiny: argmax") for note in made.exhibits[0].notes)


def test_baselines_and_two_labels_leave_the_sum_to_the_others(tmp_path: Path) -> None:
    models = in_three_forms(tmp_path)
    made = rr.generate("tiny", size=10, seed=2).pairs
    made.select("id", "label").write_csv(tmp_path / "gold.csv")
    gold = f"file:{tmp_path / 'gold.csv'}"
    whole = load_runs(run(tmp_path / "a", models["three"], gold, "rules:lexical-overlap", "constant")).runs[0]
    assert {note.label_rule for note in whole.notes} == {labels.RULES["sum"]}
    assert whole.card["sets"][0]["remarks"] == []


def test_a_rule_that_was_asked_for_is_not_mixed_with_another_that_auto_came_to(tmp_path: Path) -> None:
    models = in_three_forms(tmp_path)
    by_argmax = run(tmp_path / "argmax", models["three"], rule="argmax")
    for name in ("two", "labels"):
        run(tmp_path / name, models[name])
    with pytest.raises(InputError, match=r"argmax, sum.*--rule"):
        rr.compare([by_argmax, tmp_path / "two"])
    # Labels only are decided by argmax, too.
    assert rr.compare([by_argmax, tmp_path / "labels"]).rows["only_a"].sum() == 0


def test_rules_on_sets_that_no_two_runs_share_are_not_mixed(tmp_path: Path) -> None:
    models = in_three_forms(tmp_path)
    pairs = rr.generate("tiny", size=10, seed=2).pairs
    pairs.write_csv(tmp_path / "own.csv")
    folders = [run(tmp_path / "a", models["three"], rule="argmax"), tmp_path / "b"]
    rr.evaluate(models["three"], sets=str(tmp_path / "own.csv"), out=folders[1], html=False)
    assert len(load_runs(folders).label_rules) == 1


def test_a_run_that_a_kill_left_under_a_hidden_name_is_restored(tmp_path: Path) -> None:
    """As SIGKILL between the two renames of --force leaves it."""
    folder = run(tmp_path / "run", "random")
    folder.rename(make_hidden_path(folder, OLD_ENDING))
    assert load_runs([folder]).load_set_results("tiny").predictions.keys() >= {"random"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
