"""The terminal and the markdown page show the same report, and nothing in it is markup."""

from __future__ import annotations

import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports_data import report_of, run_of, scores_of

from rightreasons.reports.exhibits.accuracy import ScoredSet, make_accuracy_tables
from rightreasons.reports.renderers.cells import format_exhibit_rows
from rightreasons.reports.renderers.markdown import escape_markdown, format_code_span, render_markdown_report
from rightreasons.reports.renderers.terminal import open_console, render_terminal_report
from rightreasons.runs.folder import Run

GROUPS = {"lexical_overlap": (1.0, 0.0), "subsequence": (0.9, 0.4), "constituent": (0.5, 0.5)}


def terminal(run: Run, width: int = 140) -> str:
    stream = io.StringIO()
    open_console(stream).print(render_terminal_report(report_of(run), width))
    return stream.getvalue()


def markdown(run: Run) -> str:
    return render_markdown_report(report_of(run))


def test_table_and_page_hold_every_cell_and_sentence() -> None:
    run = run_of([scores_of("m", GROUPS), scores_of("other", GROUPS)], ["m", "other"], warnings=("beware",))
    for text in (terminal(run), markdown(run)):
        for figure in ("1.00 (0.99-1.00)", "0.00 (0.00-0.01)", "0.40 (0.37-0.44)", "6,000"):
            assert figure in text, figure
        assert "relies on the heuristic" in text
        assert "beware" in text
        assert "arg-max, then merged" in text
    assert terminal(run).startswith("Warning: m on hans: beware")
    assert "lexical\\_overlap" in markdown(run)


def test_lines_come_in_label_order_for_every_group() -> None:
    (table,) = make_accuracy_tables(ScoredSet("hans", scores_of("m", GROUPS), frozenset(), "sum"))
    shown = [tuple(row[:2]) for row in format_exhibit_rows(table)]
    labels = ["entailment", "non-entailment"]
    assert shown == [
        *((group, gold) for group in GROUPS for gold in labels),
        *(("all pairs", gold) for gold in (*labels, "all")),
    ]


def test_the_label_rule_is_stated_once_for_each_set() -> None:
    names = ("one", "two")
    made = [
        run_of([scores_of("m", GROUPS, name=name), scores_of("o", GROUPS, name=name)], ["m", "o"], name)
        for name in names
    ]
    card = {**made[0].card, "sets": [run.card["sets"][0] for run in made]}
    both = Run(card, pl.concat(run.scores for run in made), made[0].notes + made[1].notes)
    for text in (terminal(both), markdown(both)):
        assert text.count("arg-max, then merged") == 2


def test_several_sets_have_a_line_each_in_an_overview() -> None:
    names = ("one", "two")
    made = [run_of([scores_of("m", GROUPS, name=name)], ["m"], name) for name in names]
    card = {**made[0].card, "sets": [run.card["sets"][0] for run in made]}
    both = Run(card, pl.concat(run.scores for run in made), made[0].notes + made[1].notes)
    page = markdown(both)
    assert "| two | entailment, non-entailment | 6,000 | 0.55 (0.53-0.57) |" in page
    assert page.index("## All sets") < page.index("## one")
    shown = terminal(both)
    assert shown.index("All sets") > shown.index("two: accuracy")
    assert "All sets" not in terminal(made[0])


def test_a_model_without_scores_on_a_set_has_no_column() -> None:
    run = run_of([scores_of("m", GROUPS)], ["m", "left-out"])
    assert "left-out" not in "".join(line for line in markdown(run).splitlines() if line.startswith("|"))


def test_many_models_are_cut_into_blocks_that_fit() -> None:
    names = [f"model-{number}" for number in range(7)]
    run = run_of([scores_of(name, GROUPS) for name in names], names)
    wide = terminal(run, 80).splitlines()
    figures = [line for line in wide if re.search(r"\d\.\d\d \(\d\.\d\d-", line)]
    assert max(len(line.rstrip()) for line in figures) <= 80
    assert sum(line.count("0.40 (0.37-0.44)") for line in figures) == 7


@pytest.mark.parametrize(
    "evil", ["[bold]x[/bold]", "[/]", "a|b", "<script>", "x\ny", "`c`", "\x1b[2J", "# h"]
)
def test_names_from_outside_are_shown_not_obeyed(evil: str) -> None:
    run = run_of([scores_of(evil, {evil: (1.0, 0.0)}, tag="subcase", name=evil)], [evil], name=evil)
    page = markdown(run)
    assert "<script>" not in re.sub(r"`[^`]*`", "", page)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1
    shown = terminal(run)
    assert "\x1b" not in shown
    if evil.startswith("["):
        assert evil in shown


@given(st.text(max_size=20))
def test_escaped_text_has_no_bare_markup(text: str) -> None:
    shown = escape_markdown(text)
    assert not re.search(r"[<>\n]", shown)
    assert not re.search(r"(?<!\\)(\\\\)*[|`*_\[\]]", re.sub(r"\\[^\w\s]", "", shown))


def test_code_survives_backticks() -> None:
    assert format_code_span("a`b") == "`` a`b ``"
    assert format_code_span("plain") == "`plain`"
