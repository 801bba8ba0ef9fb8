"""Comparing the models of runs: the command, its outputs, and runs without a shared set."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

import rightreasons
from rightreasons import compare
from rightreasons.commands.compare import compare as command
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.evaluation.compare import list_shared_pairs
from rightreasons.reports.exhibits import accuracy, comparison, seeds
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.families import CORRECTED
from rightreasons.scoring.paired import COMPARISON_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.runs.collection import RunCollection

E, X = "entailment", "non-entailment"


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


class Shy:
    """A model that says entailment where the premise begins with a given word."""

    def __init__(self, name: str, word: str) -> None:
        self.name = name
        self.word = word

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        yes = pl.col("premise").str.contains(self.word)
        return pairs.select("id", label=pl.when(yes).then(pl.lit(E)).otherwise(pl.lit(X)))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    models = [Shy("a|b", " and "), Shy("[i]yes", "The"), Shy("odd", "e")]
    rightreasons.evaluate(models, out=tmp_path / "run", sets="tiny", size=20)
    return tmp_path / "run"


def _run_command(*words: object) -> str:
    done = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_pair_of_models_on_every_part(run: Path) -> None:
    made = compare([run])
    assert made.rows.columns[:5] == ["set", "a", "b", "by", "heuristic"]
    assert made.rows.columns[5:] == [*COMPARISON_COLUMNS, "p_corrected", "family", "shown"]
    assert made.rows.height == 3 * (3 + 4)
    row = made.rows.filter((pl.col("by") == "") & (pl.col("gold") == X)).row(0, named=True)
    assert (row["a"], row["b"], row["n"]) == ("a|b", "[i]yes", 40)
    assert (row["only_a"], row["only_b"], row["both_right"], row["both_wrong"]) == (40, 0, 0, 0)
    assert row["shown"]
    difference = r"^a\|b .* 100\.0 .* \[i\]yes .*tiny non-entailment.* 82\.4 .* 100\.0\W.* p<0\.001"
    assert re.search(difference, made.sentences[1])
    assert re.search(r" a\|b .* \[i\]yes .*tiny entailment.* 0?\b0\.0 ", made.sentences[0].replace("(", " "))
    assert "p<" not in made.sentences[0]


def test_one_model_can_be_compared_with_a_baseline(run: Path) -> None:
    made = compare([run], models=["odd"], against="majority")
    assert set(made.rows.select("a", "b").rows()) == {("odd", "majority")}
    assert made.rows["p_corrected"].min() == 1


def test_other_tags_can_be_requested(run: Path) -> None:
    made = compare([run], models="a|b,odd", by="subcase")
    assert made.rows.filter(pl.col("by") == "subcase")["subcase"].n_unique() == 4
    with pytest.raises(UnknownNameError, match=r"tag .*'subcas'.* subcase\?"):
        compare([run], by="subcas")
    with pytest.raises(InputError, match=r"'n'.*--by"):
        compare([run], by="n")


def test_runs_are_compared_on_shared_sets(run: Path, tmp_path: Path) -> None:
    rightreasons.evaluate(Shy("odd", "x"), out=tmp_path / "other", sets=["tiny", "nps"], size=20)
    made = compare([run, tmp_path / "other"], models=["odd (run)", "odd (other)"])
    assert set(made.rows["set"]) == {"tiny"}
    (left_out,) = made.left_out
    assert left_out.startswith("nps: ")


def test_runs_without_a_shared_set_are_refused_with_the_sets_of_each(run: Path, tmp_path: Path) -> None:
    rightreasons.evaluate(Shy("new", "x"), out=tmp_path / "other", sets="tiny", size=10)
    with pytest.raises(InputError, match="odd, new") as caught:
        compare([run, tmp_path / "other"], models=["odd", "new"])
    message = str(caught.value)
    assert re.search(r"\brun has tiny \(.*other has tiny \(", message)
    assert len(set(re.findall(r"\b[0-9a-f]{8}\b", message))) == 2, "the digests differ"


def test_unknown_and_single_models_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"model .*'od'.* odd\?"):
        compare([run], models=["od", "a|b"])
    rightreasons.evaluate(Shy("odd", "x"), out=tmp_path / "one", sets="tiny", size=10)
    with pytest.raises(InputError, match=r"'odd'.*--against majority"):
        compare([tmp_path / "one"])


def test_the_command_shows_tables_and_sentences(run: Path) -> None:
    shown = _run_command(run)
    assert "tiny: pairwise comparisons" in shown
    assert "[i]yes" in shown
    assert all(sentence in shown for sentence in compare([run]).sentences[:2])
    assert "p, corrected" in shown


def test_the_command_writes_csv_json_and_pairs(run: Path, tmp_path: Path) -> None:
    table = pl.read_csv(_run_command(run, "--csv").encode())
    found = json.loads(_run_command(run, "--json"))
    assert table.height == len(found["rows"])
    assert {row["family"] for row in found["rows"]} == set(table["family"])
    assert [row["p"] for row in found["rows"]] == pytest.approx(table["p"].to_list())
    assert found["rows"][0]["sentence"]
    assert {"set", "a", "b", "gold", "prediction_a", "prediction_b", "n", "share"} == set(
        found["common_errors"][0]
    )
    for ending in ("parquet", "csv", "tsv"):
        _run_command(
            run,
            "--models",
            "a|b,odd",
            "--pairs",
            tmp_path / f"pairs.{ending}",
            "--out",
            tmp_path / f"{ending}.txt",
        )
        assert "tiny: pairwise comparisons" in (tmp_path / f"{ending}.txt").read_text()
    pairs = pl.read_parquet(tmp_path / "pairs.parquet")
    assert pairs.columns[:5] == ["set", "id", "premise", "hypothesis", "label"]
    assert pairs.columns[-3:] == ["prediction: a|b", "prediction: odd", "outcome"]
    assert "subcase" in pairs.columns
    assert set(pairs["outcome"]) == {"all right", "all wrong", "only a|b", "only odd"} & set(pairs["outcome"])
    right = pairs.filter(pl.col("prediction: a|b") == pl.col("label"))["outcome"].is_in(
        ["all right", "only a|b"]
    )
    assert right.all()
    assert pl.read_csv(tmp_path / "pairs.csv").height == pairs.height == 80


def test_pairs_and_counts_agree(run: Path) -> None:
    pairs = list_shared_pairs(load_runs([run]), ["a|b", "odd"])
    row = compare([run], models=["a|b", "odd"]).rows.filter((pl.col("by") == "") & (pl.col("gold") == "all"))
    counts = dict(pairs["outcome"].value_counts().rows())
    names = {"all right": "both_right", "all wrong": "both_wrong", "only a|b": "only_a", "only odd": "only_b"}
    assert {name: counts.get(text, 0) for text, name in names.items()} == row.select(names.values()).row(
        0, named=True
    )


@pytest.fixture
def gathered(run: Path) -> RunCollection:
    return load_runs([run])


def test_exhibits_have_their_columns(gathered: RunCollection) -> None:
    results = gathered.load_set_results("tiny")
    entries = seeds.group_runs_into_entries(gathered)
    compared = comparison.compare_runs_between_models(results, entries)
    assert compared is not None
    family = comparison.join_and_correct_comparisons([compared])
    tables = accuracy.make_accuracy_tables(accuracy.score_set(results), entries)
    for exhibit in (*tables, *compared.make_comparison_exhibits(family, wholes=True)):
        assert set(exhibit.formats) <= set(exhibit.frame.columns)
        assert set(exhibit.headings) & set(exhibit.formats)
        assert exhibit.set == "tiny"
    assert seeds.make_seed_tables(gathered, entries) == []
    assert (
        accuracy.make_overview_tables({"tiny": family}, list(entries)) == []
    )  # one set has a table of its own


def test_a_tag_that_is_missing_is_a_hyphen_in_words() -> None:
    row = {"by": "tag", "tag": None, "gold": "all", "a": "one", "b": "two", "n": 10, "only_a": 9, "only_b": 0}
    figures = {"difference": 0.9, "low": 0.5, "high": 1.0, "shown": True, "detectable": 0.5, CORRECTED: 0.004}
    sentence = comparison.describe_comparison(row | figures, "h")
    assert re.match(r"one .* 90\.0 .* two .*\bh - ", sentence.replace("(", " ").replace(",", " "))


def test_the_accuracy_exhibit_shows_what_score_counts(gathered: RunCollection) -> None:
    shown = accuracy.make_accuracy_tables(accuracy.score_set(gathered.load_set_results("tiny")))[0]
    column = {name: key for key, name in shown.headings.items()}["odd"]
    scores = gathered.runs[0].scores.filter((pl.col("model") == "odd") & (pl.col("by") == "heuristic"))
    cells = {(part, gold): figures for part, gold, *figures in
             scores.select("heuristic", "gold", "accuracy", "low", "high").iter_rows()}  # fmt: skip
    sides = [column, f"{column}_low", f"{column}_high"]
    for part, gold, *figures in shown.frame.select("part", "gold", *sides).iter_rows():
        if part != "all pairs":
            assert figures == pytest.approx(cells[part, gold])
    assert shown.frame["part"].to_list()[-3:] == ["all pairs"] * 3
    assert shown.frame["gold"].to_list()[-3:] == [E, X, "all"]


def test_runs_of_one_model_are_one_entry(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny", size=20)
    for number, word in enumerate((" and ", "The", "zzz")):
        answers = Shy("x", word).predict(made.pairs)
        (tmp_path / f"seed{number}").mkdir()
        answers.write_csv(tmp_path / f"seed{number}" / "preds.csv")
        rightreasons.evaluate(
            f"file:{tmp_path / f'seed{number}' / 'preds.csv'}",
            out=tmp_path / f"run{number}",
            sets="tiny",
            size=20,
        )
    found = load_runs([tmp_path / f"run{number}" for number in range(3)])
    entries = seeds.group_runs_into_entries(found)
    (shown,) = seeds.make_seed_tables(found, entries)
    row = shown.frame.filter((pl.col("value") == "lexical_overlap") & (pl.col("gold") == X))
    ours, published = row.to_dicts()
    assert (ours["model"], ours["runs"], ours["least"], ours["most"]) == (
        "file:preds.csv (3 runs)",
        3,
        0.0,
        1.0,
    )
    assert ours["mean"] == pytest.approx(2 / 3)
    assert ours["sd"] == pytest.approx(3**-0.5)
    assert published["runs"] == 100
    assert published["mean"] == pytest.approx(0.276572)
    assert (
        comparison.compare_runs_between_models(found.load_set_results("tiny"), entries) is None
    )  # runs of one model are no two models
    assert compare(found).rows.filter(pl.col("by") == "").height == 3 * 3


def test_the_published_spread_is_the_summary_of_the_published_runs(shared_data: Path) -> None:
    path = shared_data / "hans" / "berts_of_a_feather_accuracies_by_run.csv"
    runs = pl.read_csv(path.read_bytes(), infer_schema=False).filter(pl.col("Run").str.starts_with("Run "))
    known = seeds.read_published_runs()
    assert known.height == 37
    for column, where in {
        "Lexical (nonent)": ("heuristic", "lexical_overlap", X),
        "ce_adverb": ("subcase", "ce_adverb", E),
        "Overall accuracy": ("", "", "all"),
    }.items():
        row = known.filter(
            pl.struct("tag", "value", "gold") == dict(zip(("tag", "value", "gold"), where, strict=True))
        )
        values = runs[column].cast(pl.Float64)
        found = row.select("mean", "sd", "least", "median", "most").row(0)
        expected = (values.mean(), values.std(), values.min(), values.median(), values.max())
        assert found == pytest.approx(expected, abs=1e-5)
