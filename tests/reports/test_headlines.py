"""Headlines follow from the figures: the overlap rule, chance and an oracle get different, correct ones."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from rich.console import Console

import rightreasons as rr
from rightreasons.reports.build import build_report
from rightreasons.reports.headlines import RULE, make_headline
from rightreasons.reports.renderers import render_terminal_report
from rightreasons.reports.renderers.markdown import escape_markdown
from rightreasons.reports.verdicts import FEWEST_PAIRS
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.interval_notes import FEW_CLUSTERS_NOTE

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.reports.report_data import Headline


@pytest.fixture(scope="module")
def headlines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Headline]:
    folder = tmp_path_factory.mktemp("runs")
    made = rr.generate("hans", size=100)
    made.pairs.select("id", "label").write_csv(folder / "oracle.csv")
    models = ["rules:lexical-overlap", "random", f"file:{folder / 'oracle.csv'}"]
    rr.evaluate(models, sets="hans", size=100, out=folder / "run", html=False)
    return {each.model: each for each in build_report(load_runs([folder / "run"])).headlines}


def test_the_rule_follows_lexical_overlap(headlines: dict[str, Headline]) -> None:
    assert headlines["rules:lexical-overlap"].tone == "bad"
    assert re.fullmatch(
        r"[^.]* entailment [^.]*\. Fails on lexical overlap \(HANS\): .* entailment .*100\.0%.*\.",
        headlines["rules:lexical-overlap"].sentence,
    )


def test_random_predictions_are_at_chance(headlines: dict[str, Headline]) -> None:
    assert headlines["random"].tone == "bad"
    assert re.fullmatch(r"Fails on lexical overlap \(HANS\): at chance[^.%]*\.", headlines["random"].sentence)


def test_an_oracle_is_reliable(headlines: dict[str, Headline]) -> None:
    assert headlines["file:oracle.csv"].tone == "good"
    assert re.fullmatch(
        r"Reliable on lexical overlap \(HANS\): [^%]*100\.0% [^%]*100\.0% [^%]*",
        headlines["file:oracle.csv"].sentence,
    )


def scores(**right: tuple[int, int]) -> pl.DataFrame:
    """Make scores of one model over all pairs: by true label, how many are right of how many."""
    from rightreasons.scoring.intervals import wilson_interval

    whole = tuple(map(sum, zip(*right.values(), strict=True)))
    rows = [*((name.replace("_", "-"), *counts) for name, counts in right.items()), ("all", *whole)]
    table = pl.DataFrame(rows, schema=["gold", "correct", "n"], orient="row")
    low, high = wilson_interval(table["correct"].to_numpy(), table["n"].to_numpy())
    return table.with_columns(model=pl.lit("m"), by=pl.lit(""), low=pl.Series(low), high=pl.Series(high))


@pytest.mark.parametrize(
    ("name", "right", "tone", "pattern"),
    [
        (
            "stress/numerical",
            {"entailment": (330, 1000), "neutral": (385, 1000)},
            "bad",
            r"numerical .*: 35\.8% .*below .*majority.*\(50\.0%\)\.",
        ),
        (
            "stress/numerical",
            {"entailment": (290, 1000), "neutral": (300, 1000)},
            "bad",
            r"numerical .*: 29\.5% [^(]*chance .*33%\.",
        ),
        (
            "stress/numerical",
            {"entailment": (330, 1000), "neutral": (340, 1000), "contradiction": (330, 1000)},
            "bad",
            r"numerical .*: 33\.3% .*at chance \(33%\)\.",
        ),
        (
            "stress/numerical",
            {"entailment": (500, 1000), "neutral": (505, 1000)},
            "bad",
            r"numerical .*: 50\.3% .*not above .*majority.*\(50\.0%\)\.",
        ),
        (
            "stress/numerical",
            {"entailment": (700, 1000), "neutral": (705, 1000)},
            "open",
            r"numerical .*: 70\.3% correct\.",
        ),
        (
            "stress/numerical",
            {"entailment": (990, 1000), "neutral": (985, 1000)},
            "good",
            r"numerical .*: 98\.8% correct\.",
        ),
        (
            "random-pair",
            {"neutral": (400, 1000)},
            "open",
            r"\(Random Pair\): 40\.0% correct\.",
        ),
        ("nps", {"non_entailment": (400, 1000)}, "bad", r"\(NPS\): 40\.0% .*chance .*50%\."),
        ("my <set>", {"neutral": (1000, 1000)}, "good", r"my <set>: 100\.0% correct\."),
    ],
)
def test_tones_of_sets_without_heuristics(
    name: str, right: dict[str, tuple[int, int]], tone: str, pattern: str
) -> None:
    found = make_headline("m", [(name, scores(**right), {"neutral": 5, "entailment": 5})])
    assert (found.tone, found.model) == (tone, "m")
    assert re.search(pattern, found.sentence)
    assert [each.set for each in found.findings] == [name]


def test_a_set_on_which_a_model_has_no_scores_is_left_out() -> None:
    found = make_headline("other", [("hans", scores(neutral=(1, 1)), {})])
    assert (found.tone, found.findings) == ("open", ())
    assert "%" not in found.sentence


def test_predictions_without_a_label_come_first() -> None:
    predicted = {"neutral": 900, "refused": 100}
    found = make_headline("m", [("random-pair", scores(neutral=(900, 1000)), predicted)])
    assert found.tone == "bad"
    assert re.search(r": 10\.0% .* no label", found.sentence)


def test_more_topics_than_a_headline_holds_are_counted() -> None:
    sets = [
        (f"set {number}", scores(neutral=(999, 1000)), {"neutral": 1, "entailment": 1}) for number in range(6)
    ]
    assert make_headline("m", sets).sentence.endswith("; 2 more topics.")


def test_a_constant_prediction_is_reported() -> None:
    sets = [(name, scores(neutral=(0, 9)), {"entailment": 9}) for name in ("a", "b")]
    assert make_headline("m", sets).sentence.startswith("Predicts entailment ")
    sets[1] = ("b", scores(neutral=(0, 9)), {"entailment": 8, "neutral": 1})
    assert not make_headline("m", sets).sentence.startswith("Predicts ")


def test_a_heuristic_with_one_label_is_not_passed_over(tmp_path: Path) -> None:
    overlap = [("lexical_overlap", label) for label in ("entailment", "non-entailment")] * 200
    kinds = [*overlap, *[("constituent", "non-entailment")] * 400]
    rows = [(f"p{n}", f"Cat {n} sat.", f"It {n} sat.", label, kind) for n, (kind, label) in enumerate(kinds)]
    pairs = pl.DataFrame(rows, schema=["id", "premise", "hypothesis", "label", "heuristic"], orient="row")
    pairs.write_csv(tmp_path / "one.csv")
    wrong = pl.when(pl.col("heuristic") == "constituent").then(pl.lit("entailment")).otherwise("label")
    pairs.select("id", label=wrong).write_csv(tmp_path / "predictions.csv")
    model, out = f"file:{tmp_path / 'predictions.csv'}", tmp_path / "run"
    rr.evaluate(model, sets=str(tmp_path / "one.csv"), out=out, html=False, baselines=False)
    (found,) = build_report(load_runs([out])).headlines
    assert found.tone == "bad"
    assert re.search(r" 0\.0% of 400 constituent pairs \(.*non-entailment\)", found.findings[0].sentence)


def test_refusals_are_not_a_constant_prediction() -> None:
    found = make_headline("m", [("nps", scores(non_entailment=(0, 100)), {"refused": 100})])
    assert not found.sentence.startswith("Predicts ")
    assert re.search(r"100\.0% .* no label", found.sentence)


def test_a_constant_prediction_is_reliable_nowhere() -> None:
    sets = [("stress/antonymy", scores(contradiction=(100, 100)), {"contradiction": 100})]
    sets += [("nps", scores(non_entailment=(100, 100)), {"non-entailment": 100})]
    found = make_headline("m", sets)
    assert found.tone == "bad"
    assert re.fullmatch(r"Predicts contradiction [^.%]*\.", found.sentence)


@pytest.mark.parametrize("right", [0, 5, 9])
def test_few_pairs_get_no_verdict(right: int) -> None:
    predicted = {"non-entailment": 5, "entailment": 4}
    few = ("nps", scores(non_entailment=(right, 9)), predicted)
    found = make_headline("m", [few])
    assert (found.tone, found.badge, found.findings[0].tone) == ("few", "Too few pairs", "few")
    assert re.search(r"\(NPS\): 9 pairs, ", found.sentence)
    # Other sets have a verdict.
    more = make_headline(
        "m", [few, ("random-pair", scores(neutral=(999, 1000)), {"neutral": 999, "entailment": 1})]
    )
    assert (more.tone, more.badge) == ("good", "Reliable on 1 of 2 sets")


def test_a_constant_prediction_for_few_pairs_gets_no_verdict() -> None:
    found = make_headline("m", [("a", scores(neutral=(5, 5)), {"neutral": 5})])
    assert found.tone == "few"


def judged(folder: Path, pairs: pl.DataFrame, wrong: pl.Expr | None = None) -> tuple[Headline, str]:
    """Evaluate a file of predictions, correct on all pairs but some; return the verdict and the page."""
    folder.mkdir()
    rows = pairs.with_row_index("n").with_columns(
        id=pl.format("p{}", "n"), hypothesis=pl.format("It {} sat.", "n")
    )
    if "premise" not in rows.columns:
        rows = rows.with_columns(premise=pl.format("Cat {} sat.", "n"))
    rows.drop("n").write_parquet(folder / "set.parquet")
    other = (
        pl.when(pl.col("label") == "entailment")
        .then(pl.lit("non-entailment"))
        .otherwise(pl.lit("entailment"))
    )
    label = pl.col("label") if wrong is None else pl.when(wrong).then(other).otherwise("label")
    rows.select("id", label=label).write_csv(folder / "m.csv")
    model, out = f"file:{folder / 'm.csv'}", folder / "run"
    rr.evaluate(model, sets=str(folder / "set.parquet"), out=out, html=False, baselines=False)
    (found,) = build_report(load_runs([out])).headlines
    return found, (out / "report.md").read_text()


def of_heuristics(**sizes: int) -> pl.DataFrame:
    names = [name for name, size in sizes.items() for _ in range(size)]
    return pl.DataFrame({"heuristic": names, "label": ["entailment", "non-entailment"] * (len(names) // 2)})


@pytest.mark.parametrize(("size", "tone"), [(46, "open"), (200, "good")])
def test_a_heuristic_of_few_pairs_is_left_out_of_the_verdict(tmp_path: Path, size: int, tone: str) -> None:
    found, page = judged(tmp_path / "a", of_heuristics(a=size, b=4))
    assert found.tone == tone
    assert "chance" not in found.sentence
    assert re.search(r"\(too few b pairs\b", found.sentence)
    assert re.search(r"100\.0% of 4 b pairs, too few\b", found.findings[0].sentence)
    assert escape_markdown(RULE) in page
    assert f"fewer than {FEWEST_PAIRS} pairs, unless" in RULE


def test_a_heuristic_of_few_pairs_with_one_label_is_left_out(tmp_path: Path) -> None:
    few = pl.DataFrame({"heuristic": ["b"] * 4, "label": ["entailment"] * 4})
    found, _ = judged(tmp_path / "a", pl.concat([of_heuristics(a=200), few]))
    assert found.tone == "good"


def test_few_pairs_with_a_bad_pattern_count(tmp_path: Path) -> None:
    pairs = of_heuristics(a=600, lexical_overlap=30)
    follows = (pl.col("heuristic") == "lexical_overlap") & (pl.col("label") == "non-entailment")
    found, _ = judged(tmp_path / "a", pairs, follows)
    assert found.tone == "bad"
    assert re.search(r" 0\.0% of the non-entailed lexical overlap pairs\b", found.sentence)
    assert re.search(r"; .*lexical overlap pairs.*\brelies on\b", "; " + found.findings[0].sentence)


@pytest.mark.parametrize("column", ["premise", "group", "source_id"])
@pytest.mark.parametrize("values", [1, 2, 9])
def test_pairs_that_share_fewer_than_ten_values_have_no_verdict(
    tmp_path: Path, column: str, values: int
) -> None:
    shared = pl.Series(column, [f"{place % values} runs." for place in range(50)])
    pairs = of_heuristics(a=50).drop("heuristic").with_columns(shared)
    found, page = judged(tmp_path / "a", pairs)
    assert (found.tone, found.badge) == ("few", "Too few pairs")
    assert re.search(r": 50 pairs .*fewer than 10 ", found.sentence)
    assert f"- {FEW_CLUSTERS_NOTE}" in page
    # Beside premises that are shared, too, the column is left out of the clusters, and the verdict still knows.
    if column != "premise":
        more = pairs.with_columns(premise=pl.Series([f"Cat {place % 12} sat." for place in range(50)]))
        found, page = judged(tmp_path / "b", more)
        assert found.tone == "few"
        assert f"ignore that pairs share {column}" in page.replace("\\", "")


def test_tags_with_few_values_and_enough_premises_get_a_verdict(tmp_path: Path) -> None:
    pairs = of_heuristics(a=600).drop("heuristic").with_columns(genre=pl.lit("fiction"))
    assert judged(tmp_path / "a", pairs)[0].tone == "good"
    ten = pl.Series("premise", [f"{place % 100} runs." for place in range(600)])
    assert judged(tmp_path / "b", pairs.with_columns(ten))[0].tone == "good"


def test_a_heuristic_whose_pairs_share_few_premises_is_left_out(tmp_path: Path) -> None:
    pairs = of_heuristics(a=600, b=60)
    premise = (
        pl.when(pl.col("heuristic") == "b")
        .then(pl.lit("One runs."))
        .otherwise(pl.format("Cat {} ran.", pl.int_range(pl.len())))
    )
    found, _ = judged(tmp_path / "a", pairs.with_columns(premise=premise))
    assert "too few b pairs" in found.sentence


def test_the_terminal_warns_of_few_clusters(tmp_path: Path) -> None:
    shared = of_heuristics(a=50).with_columns(premise=pl.lit("One runs."))
    judged(tmp_path / "a", shared)
    text = io.StringIO()
    Console(file=text, width=400).print(
        render_terminal_report(build_report(load_runs([tmp_path / "a" / "run"])), 400)
    )
    assert FEW_CLUSTERS_NOTE in text.getvalue()
