"""What stress tests cost and kinds of error, from answers that are made for the purpose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.labels import ENTAILMENT, NEUTRAL, THREE_LABELS, merge_labels
from rightreasons.reports.exhibits import accuracy_drops
from rightreasons.reports.exhibits.errors import make_error_tables
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.accuracy import make_score_rows
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = ("stress/word-overlap", "stress/spelling")
SOURCE = pl.DataFrame(
    {
        "id": [f"s{n}" for n in range(60)],
        "premise": [f"Man {n} saw a dog." for n in range(60)],
        "hypothesis": [f"Dog {n} slept." for n in range(60)],
        "label": THREE_LABELS * 20,
    }
)


def changed(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.with_columns(id="c" + pl.col("id"), source_id="id", source_label="label")


def predict_label(place: pl.Expr) -> pl.Expr:
    neutral, entailed = pl.lit(NEUTRAL), pl.lit(ENTAILMENT)
    return pl.when(place % 5 == 0).then(neutral).when(place % 7 == 0).then(entailed).otherwise("label")


def write_predictions(folder: Path, name: str, pairs: pl.DataFrame, *, two: bool = False) -> str:
    """Write answers: to each fifth pair neutral, to each seventh entailment, to the others what is true."""
    place = pl.int_range(pl.len())
    label = predict_label(place)
    answers = pairs.select("id", label=merge_labels(label) if two else label)
    answers.write_csv(folder / f"{name}.csv")
    return f"file:{folder / name}.csv"


def run(folder: Path, name: str, model: str, rule: str = "argmax", **sets: pl.DataFrame) -> Path:
    """Ask a file about sets of these names, and return the run's folder."""
    (folder / f"{name}-sets").mkdir()
    files = {one: folder / f"{name}-sets" / f"{one}.parquet" for one in sets}
    for one, pairs in sets.items():
        pairs.write_parquet(files[one])
    names = [str(file) for file in files.values()]
    rr.evaluate([model], sets=names, out=folder / name, baselines=False, others="leave", rule=rule)
    return folder / name


def test_a_source_of_the_same_id_and_another_text_is_no_source(tmp_path: Path) -> None:
    ids, names = [f"s{n}" for n in range(60)], [*CHANGED, "stress/source"]
    sets = {name: rr.generate(name, limit=60).pairs for name in names}
    known = dict(zip(sets["stress/source"]["id"], ids, strict=True))
    renamed = {
        name.rpartition("/")[2]: pairs.with_columns(pl.col("source_id").replace_strict(known))
        for name, pairs in sets.items()
    }
    source = renamed.pop("source").with_columns(id="source_id")
    texts = source["hypothesis"].to_list()
    wrong = source.with_columns(hypothesis=pl.Series([*texts[20:], *texts[:20]]))
    half = pl.concat([source.head(25), wrong.tail(35)])
    everything = pl.concat([*renamed.values(), source], how="diagonal_relaxed")
    model = write_predictions(tmp_path, "model", everything)
    for name, before, n in (("right", source, 60), ("half", half, 25)):
        found = accuracy_drops.make_accuracy_drop_tables(
            load_runs([run(tmp_path, name, model, source=before, **renamed)])
        )[0]
        assert found.frame["n"].to_list() == [n, n]
        assert [note for note in found.notes if re.search(r" 35 .*source_id", note)] == list(found.notes)
        assert len(found.notes) == (0 if n == 60 else 2)
    (exhibit,) = accuracy_drops.make_accuracy_drop_tables(
        load_runs([run(tmp_path, "wrong", model, source=wrong, **renamed)])
    )
    assert re.search(r"fewer than 10 .*stress/source", exhibit.caption)
    assert len(exhibit.notes) == 2
    assert re.search(r" 60 .*source_id", exhibit.notes[0])


@pytest.mark.parametrize("rule", ["argmax", "sum"])
def test_costs_are_by_the_rule_of_the_run(tmp_path: Path, rule: str) -> None:
    """Answers to the changed pairs have two labels, so that their labels are merged and those of the source aren't."""
    after = changed(SOURCE)
    odds = pl.DataFrame({"p_entailment": [0.4], "p_neutral": [0.35], "p_contradiction": [0.25]})
    before = SOURCE.select("id", label=pl.lit(ENTAILMENT)).join(odds, how="cross")
    later = after.select("id", label=merge_labels(pl.col("label"))).with_columns(
        p_entailment=pl.when(pl.col("label") == ENTAILMENT).then(1.0).otherwise(0.0)
    )
    later = later.with_columns(p_non_entailment=1 - pl.col("p_entailment"))
    pl.concat([before, later], how="diagonal").write_csv(tmp_path / "answers.csv")
    model = f"file:{tmp_path / 'answers.csv'}"
    folder = run(tmp_path, "one", model, rule=rule, src=SOURCE, chg=after)
    (found,) = accuracy_drops.make_accuracy_drop_tables(load_runs([folder]))
    # By the most probable label all are called entailed, as a third is; by the sum none is.
    assert found.frame["before"].to_list() == pytest.approx([1 / 3 if rule == "argmax" else 2 / 3])
    assert found.frame["after"].to_list() == [1]
    assert any(f"by the rule {rule}" in note for note in found.notes)


def test_confusions_and_kinds_of_error_have_the_interval_that_clusters_call_for(tmp_path: Path) -> None:
    copies = pl.concat(SOURCE.with_columns(pl.col("id") + f"-{n}", group="id") for n in range(5))
    base = SOURCE.with_columns(answer=predict_label(pl.int_range(pl.len())))
    answers = copies.join(base.select(group="id", answer="answer"), on="group")
    answers.select("id", label="answer").write_csv(tmp_path / "m.csv")
    results = load_runs([run(tmp_path, "one", f"file:{tmp_path / 'm.csv'}", mine=copies)]).load_set_results(
        "mine"
    )
    confusion, errors = make_error_tables(results)
    counted = make_score_rows(results.pairs, results.predictions[results.requested_models[0]])
    expected = counted.filter(pl.col("gold") != "all").select("gold", right_low="low", right_high="high")
    assert confusion.frame.select("gold", "right_low", "right_high").equals(expected)
    row = errors.frame.row(0, named=True)
    low, high = wilson_interval(row["k0"] * row["errors"], row["errors"])
    assert row["k0_high"] - row["k0_low"] > 1.7 * float(high - low)
    for table in (confusion, errors):
        assert "cluster-robust" in table.caption


def test_a_model_of_two_labels_takes_no_pairs_from_the_costs_of_another(tmp_path: Path) -> None:
    after = changed(SOURCE)
    three = write_predictions(tmp_path, "three", pl.concat([SOURCE, after], how="diagonal"))
    one = run(tmp_path, "one", three, src=SOURCE, chg=after)
    other = run(tmp_path, "other", write_predictions(tmp_path, "two", after, two=True), chg=after)
    alone, beside = (
        accuracy_drops.make_accuracy_drop_tables(load_runs([one])),
        accuracy_drops.make_accuracy_drop_tables(load_runs([one, other])),
    )
    assert [exhibit.key for exhibit in alone] == ["costs", "costs-kinds"]
    assert [exhibit.key for exhibit in beside] == ["costs"]
    assert alone[0].frame["n"].to_list() == beside[0].frame["n"].to_list() == [60]
    by_id = "by id alone"
    assert [by_id in note for note in alone[0].notes] == [True]
    assert [by_id in note for note in beside[0].notes] == [False, True]
    right = load_runs([one, other]).load_set_results("chg").predictions[beside[0].frame["model"][0]]["right"]
    assert beside[0].frame["after"].to_list() == [right.mean()]


def test_costs_are_taken_from_a_source_that_the_model_answered(tmp_path: Path) -> None:
    some = SOURCE.head(30)
    small = write_predictions(tmp_path, "small", pl.concat([some, changed(some)], how="diagonal"))
    large = write_predictions(tmp_path, "large", pl.concat([SOURCE, changed(SOURCE)], how="diagonal"))
    one = run(tmp_path, "one", large, src=SOURCE, chg=changed(SOURCE))
    other = run(tmp_path, "other", small, src=some, chg=changed(some))
    frames = [
        accuracy_drops.make_accuracy_drop_tables(load_runs(runs))[0].frame
        for runs in ([one], [other], [one, other])
    ]
    expected = pl.concat(frames[:2]).drop("set")
    assert frames[2].drop("set").equals(expected)
    assert expected["n"].to_list() == [60, 30]


def test_merged_predictions_on_entailed_pairs_have_no_error_types(tmp_path: Path) -> None:
    entailed = SOURCE.with_columns(label=pl.lit(ENTAILMENT))
    model = write_predictions(tmp_path, "model", pl.concat([entailed, changed(entailed)], how="diagonal"))
    gathered = load_runs([run(tmp_path, "one", model, src=entailed, chg=changed(entailed))])
    assert make_error_tables(gathered.load_set_results("src")) == []
    assert [exhibit.key for exhibit in accuracy_drops.make_accuracy_drop_tables(gathered)] == ["costs"]
