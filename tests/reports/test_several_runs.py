"""Several runs of one model are one entry everywhere: mean, spread, range, and verdicts that hold for all runs."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError
from rightreasons.reports.build import build_report
from rightreasons.reports.exhibits import accuracy
from rightreasons.reports.exhibits.seeds import PUBLISHED, group_runs_into_entries
from rightreasons.reports.headlines import make_headline
from rightreasons.reports.html.page import render_html
from rightreasons.reports.renderers import render_markdown_report
from rightreasons.reports.renderers.cells import format_exhibit_rows as rows_of
from rightreasons.reports.renderers.terminal import open_console, render_terminal_report
from rightreasons.reports.score_cells import collect_total_cells
from rightreasons.reports.verdicts import Verdict, judge_heuristic
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.seeds import pool_run_scores
from tiny_set import Tiny

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.formatting import Cell
    from rightreasons.reports.report_data import Report

RIGHT = (40, 44, 60)  # of 80 pairs, for each run
MEAN, SD = 0.6, 0.1322876  # of 0.5, 0.55 and 0.75


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Evaluate three runs of one model, right on so many pairs, and another, on a set with tags and one without."""
    folder = tmp_path_factory.mktemp("runs")
    pairs = Tiny().plan(size=20, limit=None, seed=0, split="eval").rows(0, 80)
    pairs = pairs.sample(fraction=1, shuffle=True, seed=1)
    pairs.write_csv(folder / "tiny.csv")
    pairs.select("id", "premise", "hypothesis", "label").write_csv(folder / "copy.csv")
    turned = pl.col("label").replace({"entailment": "non-entailment", "non-entailment": "entailment"})
    for place, right in enumerate((*RIGHT, 79)):
        predicted = pl.when(pl.int_range(pl.len()) < right).then("label").otherwise(turned)
        name = f"m-{place}" if place < len(RIGHT) else "other"
        pairs.select("id", label=predicted).write_csv(folder / f"{name}.csv")
        sets = [str(folder / "tiny.csv"), str(folder / "copy.csv")]
        rr.evaluate(f"file:{folder / name}.csv", out=folder / name, sets=sets, html=False)
    return [*(folder / f"m-{place}" for place in range(len(RIGHT))), folder / "other"]


@pytest.fixture(scope="module")
def report(runs: list[Path]) -> Report:
    return build_report(load_runs(runs), {"m": "file:m-*"})


def render(report: Report, width: int = 150) -> str:
    stream = io.StringIO()
    open_console(stream).print(render_terminal_report(report, width))
    return stream.getvalue()


def test_there_is_one_card_with_mean_and_spread(report: Report) -> None:
    assert [each.model for each in report.headlines] == ["m (3 runs)", "file:other.csv"]
    sentence = report.headlines[0].sentence
    assert re.search(r"60\.0% .* 3 runs.* tiny, .*50\.0% .*75\.0% .*\(.*13\.2 ", sentence)
    finding = next(each for each in report.headlines[0].findings if each.set == "copy")
    assert re.search(r" 3 runs.*50\.0% .*75\.0% on all pairs", finding.sentence)


def test_the_tables_have_one_column_for_it(report: Report) -> None:
    found = {exhibit.key: exhibit for exhibit in report.exhibits}
    for key in ("accuracy", "accuracy-tiny", "accuracy-copy"):
        exhibit = found[key]
        names = {name: column for column, name in exhibit.headings.items()}
        assert not any("m-0" in name for name in names)
        column = names["m (3 runs)"]
        last = exhibit.frame.select(column, f"{column}_low", f"{column}_high", names["sd, m (3 runs)"]).row(
            -1
        )
        assert last == pytest.approx((MEAN, 0.5, 0.75, SD))
    assert "m (3 runs)" in str(found["accuracy"].chart)  # the heat map
    each = found["runs-tiny"]
    shares = [each.frame[column][-1] for column, name in each.headings.items() if name.startswith("file:m-")]
    assert shares[:3] == [right / 80 for right in RIGHT]


def test_on_the_heuristics_of_hans_the_published_runs_are_shown(report: Report) -> None:
    found = {exhibit.key: exhibit for exhibit in report.exhibits}
    assert found["accuracy-tiny"].headings["p"] == PUBLISHED
    row = found["accuracy-tiny"].frame.filter(
        (pl.col("part") == "lexical_overlap") & (pl.col("gold") == "non-entailment")
    )
    assert row["p"][0] == pytest.approx(0.276572)
    assert PUBLISHED not in found["accuracy-copy"].headings.values()


def test_models_with_one_run_have_their_interval(report: Report) -> None:
    (exhibit,) = [one for one in report.exhibits if one.key == "accuracy"]
    column = next(column for column, name in exhibit.headings.items() if name == "file:other.csv")
    assert exhibit.frame[f"{column}_low"][0] < 79 / 80 < exhibit.frame[f"{column}_high"][0]
    assert f"{column}_sd" not in exhibit.formats


def test_the_terminal_has_one_result(report: Report) -> None:
    text = render(report)
    assert text.count("\nAll sets\n") == text.count("\nIn short\n") == 1
    assert re.match(r"Which model to choose\n- file:other\.csv .* m \(3 runs\) on ", text)
    assert "0.60 (0.50-0.75)" in text
    for word in ("m (3 runs): ", "file:other.csv: "):
        assert text[text.index("\nIn short\n") :].count(word) == 1
    assert "file:m-0.csv" not in text


def test_all_forms_show_the_same_choice(report: Report) -> None:
    forms = (render(report, 10_000), render_markdown_report(report), render_html(report))
    for line in report.choice:
        for text in forms:
            # A terminal breaks long lines.
            assert line.replace("=", "").split("(")[0].strip() in " ".join(text.replace("=", "").split())
    assert render_markdown_report(report).index("Which model to choose") < render_markdown_report(
        report
    ).index("**m (3 runs)**")


def test_pooling_of_models_with_one_name_is_reported(runs: list[Path], tmp_path: Path) -> None:
    renamed = {f"file:m-{place}.csv": "m" for place in range(2)}
    pooled = build_report(load_runs(runs[:2], renamed))
    assert [each.model for each in pooled.headlines] == ["m (2 runs)"]
    (line,) = pooled.choice
    assert line.startswith("m (m-0), m (m-1) ")
    assert "--seeds NAME='m (m-0)'" in line
    apart = rr.report(runs[:2], out=tmp_path / "x.html", names=renamed, patterns={"before": "m (m-0)"})
    assert [each.model for each in apart.headlines] == ["before", "m (m-1)"]
    assert repr(apart).startswith("<Report 'Is it right for the right reasons?': 2 models, 2 sets, ")
    assert len(repr(apart)) < 100


def test_a_name_that_another_model_has_is_refused(runs: list[Path]) -> None:
    with pytest.raises(InputError, match=r"'majority'.*--seeds"):
        group_runs_into_entries(load_runs(runs[:1]), {"majority": "file:m-0.csv"})
    renamed = load_runs(runs, {"file:other.csv": "m (3 runs)"})
    with pytest.raises(InputError, match=r"'m \(3 runs\)'.*--seeds"):
        group_runs_into_entries(renamed, {"m": "file:m-*"})


def test_the_heat_map_shows_what_the_table_shows() -> None:
    """Rounded half up from the decimals: in binary 0.285 and 0.545 are a little less, and a browser would show that."""
    counts = {"a": (57, 200), "b": (109, 200), "c": (1, 8), "d": (2, 3), "e": (199, 200), "f": (0, 7)}
    tables = {}
    for name, (right, n) in counts.items():
        figures = {
            "n": n,
            "correct": right,
            "accuracy": right / n,
            "low": 0.0,
            "high": 1.0,
            "interval": "wilson",
        }
        rows = pl.DataFrame(
            [{"model": "m", "by": "", "gold": gold, **figures} for gold in ("neutral", "all")]
        )
        tables[name] = pool_run_scores(rows, {})
    (exhibit,) = accuracy.make_overview_tables(tables, ["m"])
    drawn = [f"{value:.2f}" for value in exhibit.frame["m0_shown"]]
    assert (
        drawn
        == [row[-1].split(" ")[0] for row in rows_of(exhibit)]
        == ["0.29", "0.55", "0.13", "0.67", "1.00", "0.00"]
    )
    assert "m0_shown" in str(exhibit.chart)


def cells(*right: int, n: int = 100) -> Cell:
    """Sum up runs that are right on so many of n pairs."""
    low, high = wilson_interval(list(right), n)
    rows = {
        "model": [f"m{place}" for place in range(len(right))],
        "correct": list(right),
        "low": low,
        "high": high,
    }
    frame = pl.DataFrame(rows).with_columns(
        n=pl.lit(n),
        accuracy=pl.col("correct") / n,
        interval=pl.lit("wilson"),
        gold=pl.lit("all"),
        by=pl.lit(""),
    )
    return collect_total_cells(pool_run_scores(frame, {"m": rows["model"]}), "m")["all"]


def judge(entailed: Cell, other: Cell) -> Verdict:
    return judge_heuristic({"entailment": entailed, "non-entailment": other})


def test_a_verdict_holds_for_every_run() -> None:
    assert judge(cells(99, 98), cells(1, 0)) is not Verdict.RIGHT
    assert judge(cells(70, 75), cells(20, 30)) is Verdict.LEANS
    assert judge(cells(70, 75), cells(20, 60)) is Verdict.MIXED
    assert judge(cells(50, 52), cells(49, 50)) is Verdict.GUESSES
    assert judge(cells(10, 90), cells(10, 90)) is Verdict.MIXED  # neither run guesses
    one = cells(70)
    assert one.spread is None
    assert one.correct == 70
    two = cells(70, 75)
    assert two.correct == 72.5
    assert two.spread is not None
    assert (two.spread.runs, two.spread.least, two.spread.most) == pytest.approx((2, 0.7, 0.75))
    assert two.spread.sd == pytest.approx(0.0353553, rel=1e-5)


def test_an_accuracy_is_at_chance_only_if_every_run_may_be() -> None:
    def judge(*right: int) -> str:
        low, high = wilson_interval(list(right), 200)
        names = [f"m{place}" for place in range(len(right))]
        rows = pl.DataFrame({"model": names, "correct": list(right), "low": low, "high": high}).with_columns(
            n=pl.lit(200), accuracy=pl.col("correct") / 200, interval=pl.lit("wilson"), by=pl.lit("")
        )
        golds = [
            rows.with_columns(gold=pl.lit("all")),
            *(rows.with_columns(gold=pl.lit(gold), n=pl.lit(100)) for gold in ("entailment", "neutral")),
        ]
        return make_headline("m", [("x", pool_run_scores(pl.concat(golds), {"m": names}), {})]).sentence

    assert re.search(r": 50\.5% .*not above .*\(50\.0%\)\. ", judge(100, 102))
    assert re.search(r": 65\.0% .*not above .*\(50\.0%\) in every run\. ", judge(100, 160))
    assert ": 70.0% correct." in judge(130, 150)
    assert re.search(r": 92\.5% .*not .*90% in every run\. ", judge(175, 195))
