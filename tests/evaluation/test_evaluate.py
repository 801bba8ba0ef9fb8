from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

import rightreasons
from rightreasons.core import registry
from rightreasons.core.errors import InputError, OutputError, UnknownNameError
from rightreasons.core.formatting import make_slugs
from rightreasons.core.labels import DIRECT, GOLD_MERGED_TOO, NO_PROBABILITIES, RULES
from rightreasons.core.pairs import compute_digest
from rightreasons.reports.build import build_report, write_markdown
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.accuracy import SCORE_COLUMNS

BASELINES = ["majority", "random", "rules:lexical-overlap", "rules:subsequence", "rules:constituent"]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


class Broken:
    """A model that fails on its way."""

    name = "broken"

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        raise InputError(f"no answer to {pairs.height} pairs")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rightreasons.evaluate("rules:subsequence", out=tmp_path / "run", sets="tiny", size=10, seed=2)
    return tmp_path / "run"


def test_a_run_folder_holds_what_it_was_made_of(folder: Path) -> None:
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    files_of = [name.replace(":", "-") for name in BASELINES]
    assert files == {
        "card.json",
        "scores.csv",
        "scores.json",
        "report.html",
        "report.md",
        "manifest.json",
        "sets/tiny.parquet",
        "sets/tiny.parquet.card.json",
        *(f"predictions/tiny/{slug}.parquet" for slug in files_of),
    }
    card = json.loads((folder / "card.json").read_text())
    pairs = pl.read_parquet(folder / "sets" / "tiny.parquet")
    assert card["sets"][0]["digest"] == compute_digest([pairs])
    assert card["sets"][0]["rows"] == pairs.height == 40
    assert card["sets"][0]["version"] == 1
    assert card["versions"]["rightreasons"] == rightreasons.__version__
    assert card["seed"] == 2
    assert card["command"].startswith("rightreasons evaluate rules:subsequence --out")
    assert [entry["name"] for entry in card["models"] if not entry["baseline"]] == ["rules:subsequence"]
    steps = {(entry["step"], entry.get("model")) for entry in card["timings"]}
    assert {("generate", None), ("predict", "random"), ("score", None)} <= steps


def test_scores_can_be_had_again_from_the_files_alone(folder: Path) -> None:
    made = rightreasons.read_pairs(folder / "sets" / "tiny.parquet")
    answers = pl.read_parquet(folder / "predictions" / "tiny" / "random.parquet")
    again = rightreasons.score(made, answers, by=["heuristic", "subcase"]).rows
    kept = runs.read_run(folder).scores.filter(
        (pl.col("model") == "random") & (pl.col("by") == "heuristic,subcase")
    )
    assert kept.select(again.columns).equals(again)
    table = pl.read_csv(folder / "scores.csv")
    assert table.height == runs.read_run(folder).scores.height
    assert table.columns == ["set", "model", "by", "heuristic", "subcase", *SCORE_COLUMNS]


def test_the_report_is_made_again_from_the_files_alone(folder: Path) -> None:
    before = (folder / "report.md").read_text()
    (folder / "report.md").unlink()
    write_markdown(build_report(load_runs([folder])), folder / "report.md")
    assert (folder / "report.md").read_text() == before


def test_the_same_call_gives_the_same_scores(folder: Path, tmp_path: Path) -> None:
    rightreasons.evaluate(["rules:subsequence"], out=tmp_path / "again", sets=["tiny"], size=10, seed=2)
    assert (tmp_path / "again" / "scores.csv").read_bytes() == (folder / "scores.csv").read_bytes()


def test_rules_score_as_they_must(folder: Path) -> None:
    scores = runs.read_run(folder).scores.filter(pl.col("by") == "heuristic")
    found = {
        (model, heuristic, gold): accuracy
        for model, heuristic, gold, accuracy in scores.select(
            "model", "heuristic", "gold", "accuracy"
        ).iter_rows()
    }
    for heuristic in ("lexical_overlap", "subsequence"):
        assert found["rules:lexical-overlap", heuristic, "entailment"] == 1.0
        assert found["rules:lexical-overlap", heuristic, "non-entailment"] == 0.0
    assert found["rules:subsequence", "subsequence", "non-entailment"] == 0.0


def test_baselines_can_be_left_out(tmp_path: Path) -> None:
    run = rightreasons.evaluate("constant", out=tmp_path / "run", sets="tiny", baselines=False)
    assert run.models == ["constant"]


def test_a_constant_model_is_warned_of_at_the_top(tmp_path: Path) -> None:
    run = rightreasons.evaluate("constant", out=tmp_path / "run", sets="tiny", baselines=False)
    assert run.warnings
    page = (tmp_path / "run" / "report.md").read_text()
    assert page.index("Warning") < page.index("## tiny")


def test_an_existing_run_is_kept_unless_forced(folder: Path) -> None:
    before = (folder / "card.json").read_bytes()
    with pytest.raises(OutputError, match="--force"):
        rightreasons.evaluate("constant", out=folder, sets="tiny")
    assert (folder / "card.json").read_bytes() == before
    rightreasons.evaluate("constant", out=folder, sets="tiny", force=True)
    assert (folder / "card.json").read_bytes() != before


def test_force_never_deletes_other_folders(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("cat")
    with pytest.raises(OutputError):
        rightreasons.evaluate("constant", out=tmp_path / "photos", sets="tiny", force=True)
    assert (tmp_path / "photos" / "cat.jpg").read_text() == "cat"


def test_a_failed_run_leaves_no_output(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\b80 pairs"):
        rightreasons.evaluate(["constant", Broken()], out=tmp_path / "run", sets="tiny")
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_part_they_name(tmp_path: Path) -> None:
    options = {"tiny.parses": "binary", "random.seed": "7"}
    run = rightreasons.evaluate("random", out=tmp_path / "run", sets="tiny", baselines=False, **options)
    assert run.card["sets"][0]["options"]["parses"] == "binary"
    assert run.card["models"][0]["options"] == {"seed": "7"}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"parsing": "none"}, "option of these sets.* called 'parsing'"),
        ({"tinny.parses": "none"}, "set or model of this run called 'tinny'"),
        ({"tiny.parsing": "none"}, "option of"),
        ({"random.sed": "1"}, "option of random called 'sed'"),
    ],
)
def test_options_that_nobody_takes_are_refused(tmp_path: Path, options: dict[str, str], match: str) -> None:
    with pytest.raises(UnknownNameError, match=match):
        rightreasons.evaluate("random", out=tmp_path / "run", sets="tiny", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_pairs_is_a_set_too(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny")
    rightreasons.write_pairs(made, tmp_path / "mine.jsonl")
    run = rightreasons.evaluate("constant", out=tmp_path / "run", sets=str(tmp_path / "mine.jsonl"))
    assert run.sets == ["mine"]
    assert "rules:constituent" not in run.scores["model"].unique().to_list()
    with pytest.raises(InputError, match=r"mine\.jsonl.*--limit"):
        rightreasons.evaluate("constant", out=tmp_path / "other", sets=str(tmp_path / "mine.jsonl"), size=3)


def test_the_card_has_the_digest_of_every_set(tmp_path: Path) -> None:
    rightreasons.write_pairs(rightreasons.generate("tiny", seed=1), tmp_path / "mine.jsonl")
    names = ["tiny", "hans", str(tmp_path / "mine.jsonl")]
    run = rightreasons.evaluate("constant", out=tmp_path / "run", sets=names, baselines=False)
    digests = {entry["name"]: entry["digest"] for entry in run.card["sets"]}
    assert list(digests) == ["tiny", "hans", "mine"]
    for name, found in digests.items():
        assert found == compute_digest([pl.read_parquet(tmp_path / "run" / "sets" / f"{name}.parquet")])


def test_models_of_the_same_name_are_told_apart_or_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'.*' .*twice"):
        rightreasons.evaluate(["constant", "constant"], out=tmp_path / "run", sets="tiny")


def test_files_are_named_shortly_where_that_tells_them_apart(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        rightreasons.predict("random", made).write_csv(tmp_path / folder / "answers.csv")
    one, other = (f"file:{tmp_path / folder / 'answers.csv'}" for folder in ("a", "b"))
    alone = rightreasons.evaluate(one, out=tmp_path / "alone", sets="tiny", baselines=False)
    assert alone.models == ["file:answers.csv"]
    both = rightreasons.evaluate([one, other], out=tmp_path / "both", sets="tiny", baselines=False)
    assert both.models == [one, other]


def test_the_card_has_the_hash_of_a_file_that_answers(tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    rightreasons.predict("random", rightreasons.generate("tiny")).write_csv(answers)
    rightreasons.evaluate([f"file:{answers}", "constant"], out=tmp_path / "run", sets="tiny", baselines=False)
    models = json.loads((tmp_path / "run" / "card.json").read_text())["models"]
    expected = {"answers.csv": hashlib.sha256(answers.read_bytes()).hexdigest()}
    assert [entry["sources"] for entry in models] == [expected, {}]


class Finer:
    """A model of three labels: it says contradiction where the others say non-entailment."""

    name = "finer"

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        label = (
            pl.when(pl.int_range(pl.len()) % 2 == 0)
            .then(pl.lit("neutral"))
            .otherwise(pl.lit("contradiction"))
        )
        return pairs.select("id", label=label)


@pytest.fixture
def three(tmp_path: Path) -> str:
    """Write a set of three labels, which come in another order than the usual one."""
    made = rightreasons.generate("tiny")
    finer = pl.Series(["contradiction", "neutral"] * made.pairs.height)[: made.pairs.height]
    label = pl.when(pl.col("label") == "entailment").then("label").otherwise(finer)
    path = tmp_path / "three.csv"
    made.pairs.with_columns(label=label).write_csv(path)
    return str(path)


def test_one_label_rule_holds_for_all_models_of_a_set(tmp_path: Path, three: str) -> None:
    run = rightreasons.evaluate(
        [Finer(), "constant", "random"], out=tmp_path / "run", sets=[three, "tiny"], baselines=False
    )
    golds = run.get_scores("three").group_by("model", "by", maintain_order=True).agg(pl.col("gold").unique())
    assert {tuple(sorted(gold)) for gold in golds["gold"]} == {("all", "entailment", "non-entailment")}
    for by in run.get_scores("three").partition_by("by"):
        assert by.group_by("heuristic", "subcase", "gold").agg(pl.col("n").n_unique())["n"].max() == 1
    assert {note.label_rule for note in run.notes if note.set == "three"} == {
        RULES["argmax"] + NO_PROBABILITIES + GOLD_MERGED_TOO
    }
    assert {note.label_rule for note in run.notes if note.set == "tiny"} == {
        RULES["argmax"] + NO_PROBABILITIES
    }
    entries = {entry["name"]: entry for entry in run.card["sets"]}
    assert " random: " in entries["three"]["remarks"][-1]
    assert entries["tiny"]["remarks"] == []
    captions = {one.set: one.caption for one in run.report.exhibits if one.key.startswith("accuracy-")}
    assert all(RULES["argmax"] in caption for caption in captions.values())
    assert {name for name, caption in captions.items() if GOLD_MERGED_TOO in caption} == {"three"}


def test_three_labels_stay_where_no_model_needs_them_merged(tmp_path: Path, three: str) -> None:
    run = rightreasons.evaluate([Finer(), "constant"], out=tmp_path / "run", sets=three, baselines=False)
    whole = run.scores.filter(by="", model="constant")
    assert whole["gold"].to_list() == ["entailment", "neutral", "contradiction", "all"]
    assert {note.label_rule for note in run.notes} == {DIRECT}
    assert run.card["sets"][0]["remarks"] == []


def test_no_model_and_no_set_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No model"):
        rightreasons.evaluate([], out=tmp_path / "run")
    with pytest.raises(InputError, match="No set"):
        rightreasons.evaluate("constant", out=tmp_path / "run", sets="")


def test_tags_that_clash_with_the_scores_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'set'"):
        rightreasons.evaluate("constant", out=tmp_path / "run", sets="tiny", by="set")


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        [float("nan"), 1.5],
        [float("inf"), 1.5],
        [2**60, 2**60 + 1],
        [Decimal("1.5"), Decimal(2)],
    ],
    ids=str,
)
def test_a_run_can_be_counted_by_tags_of_any_type(tmp_path: Path, values: list[object]) -> None:
    pairs = rightreasons.generate("hans", limit=12).pairs.with_columns(pl.Series("kind", values * 6))
    pairs.write_parquet(tmp_path / "set.parquet")
    rightreasons.evaluate(
        "random", sets=str(tmp_path / "set.parquet"), by="kind", out=tmp_path / "run", baselines=False
    )
    scores = runs.read_run(tmp_path / "run").scores.filter(by="kind", gold="all")
    assert scores["n"].to_list() == [6, 6]
    assert scores["kind"].n_unique() == 2


def test_a_seed_of_any_size_is_read_back(tmp_path: Path) -> None:
    rightreasons.evaluate("random", sets="hans", limit=12, seed=10**30, out=tmp_path / "run", html=False)
    assert runs.read_run(tmp_path / "run").card["seed"] == 10**30


def test_slugs_are_safe_and_different() -> None:
    names = ["file:/a/../b.csv", "Majority", "majority", "..", "a" * 300, "é/é"]
    made = make_slugs(names)
    assert len({slug.casefold() for slug in made}) == len(names)
    for slug in made:
        assert Path(slug).name == slug
        assert not slug.startswith(".")
        assert len(slug) <= 90


@pytest.mark.parametrize(("name", "text"), [("card.json", "{"), ("card.json", "[]"), ("scores.json", "{}")])
def test_a_damaged_run_is_an_input_error(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError):
        load_runs([folder])


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no card\.json"):
        load_runs([tmp_path])


THREE = """\
[set]
name = "three"
labels = ["entailment", "neutral", "contradiction"]
[words]
N = "cats dogs cows pigs"
[[subcase]]
name = "some"
templates = [
  { name = "a", label = "entailment", premise = "All {N1} slept.", hypothesis = "Some {N1} slept." },
  { name = "b", label = "neutral", premise = "Some {N1} slept.", hypothesis = "All {N1} slept." },
  { name = "c", label = "contradiction", premise = "No {N1} slept.", hypothesis = "Some {N1} slept." },
]
"""


def test_baselines_are_no_reason_to_merge_the_labels_of_a_set(tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    path.write_text(THREE, encoding="utf-8")
    apart = rightreasons.evaluate("constant", sets=[str(path)], out=tmp_path / "apart")
    assert set(apart.scores["gold"]) == {"entailment", "neutral", "contradiction", "all"}
    assert set(apart.scores["model"]) == {"constant", "majority"}
    predicted = {file.stem for file in (tmp_path / "apart").glob("predictions/*/*")}
    assert predicted == {"constant", "majority"}
    merged = rightreasons.evaluate("rules:subsequence", sets=[str(path)], out=tmp_path / "merged")
    assert set(merged.scores["gold"]) == {"entailment", "non-entailment", "all"}
    assert "rules:lexical-overlap" in set(merged.scores["model"])


def test_probabilities_are_summed_where_there_are_some(tmp_path: Path) -> None:
    pairs = rightreasons.generate("hans", size=2).pairs
    shares = {"p_entailment": 0.4, "p_neutral": 0.35, "p_contradiction": 0.25}
    pairs.select("id", **{name: pl.lit(share) for name, share in shares.items()}).write_csv(
        tmp_path / "p.csv"
    )
    run = rightreasons.evaluate(f"file:{tmp_path / 'p.csv'}", size=2, rule="sum", out=tmp_path / "run")
    rows = run.scores.filter(pl.col("by") == "", pl.col("model").str.starts_with("file"))
    assert dict(rows.select("gold", "accuracy").rows()) == {"entailment": 0, "non-entailment": 1, "all": 0.5}
