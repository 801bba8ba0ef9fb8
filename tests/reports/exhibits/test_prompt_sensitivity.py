"""How much the wording matters: a small table, and a sentence that agrees with the intervals."""

from __future__ import annotations

import dataclasses
import io
import re
from typing import TYPE_CHECKING

import pytest
from reports_data import report_of, run_of, scores_of

from rightreasons.reports.exhibits.prompt_sensitivity import PromptSpread, collect_prompt_spreads
from rightreasons.reports.renderers.markdown import render_markdown_report
from rightreasons.reports.renderers.terminal import open_console, render_terminal_report

if TYPE_CHECKING:
    from rightreasons.runs.folder import Run


def run_of_prompts(**shares: float) -> Run:
    """Make a run of one model with the accuracy that each prompt gives, and of one without prompts."""
    names = {f"llm [{prompt}]": prompt for prompt in shares}
    scores = [scores_of(name, {"h": (shares[prompt], shares[prompt])}) for name, prompt in names.items()]
    run = run_of([*scores, scores_of("other", {"h": (0.5, 0.5)})], [*names, "other"])
    entries = [
        {**entry, "prompt": names[entry["name"]], "of": "llm"} if entry["name"] in names else entry
        for entry in run.card["models"]
    ]
    return dataclasses.replace(run, card={**run.card, "models": entries})


def is_effect(spread: PromptSpread) -> bool:
    """Whether the sentence claims an effect of the wording, rather than noise or an unknown effect."""
    return "wording alone" in spread.describe()


def test_lowest_mean_highest_and_spread() -> None:
    (spread,) = collect_prompt_spreads(run_of_prompts(plain=0.61, question=0.48, yes_no=0.59))
    assert spread.make_table_row() == (
        "llm",
        "hans",
        "3",
        "48.0% (question)",
        "56.0%",
        "61.0% (plain)",
        "13.0",
        "-",
    )
    assert re.search(r"\bllm on hans from 48\.0% to 61\.0%\.$", spread.describe())
    assert is_effect(spread)


def with_gaps(run: Run, **absent: int) -> Run:
    """Remove the label of so many of the 2,000 predictions for each prompt."""
    predicted = {
        f"llm [{prompt}]": {"entailment": 2000 - count, "unreadable": count}
        for prompt, count in absent.items()
    }
    notes = tuple(dataclasses.replace(note, predicted=predicted.get(note.model, {})) for note in run.notes)
    return dataclasses.replace(run, notes=notes)


def test_prompts_with_many_unlabelled_predictions_are_excluded() -> None:
    run = with_gaps(run_of_prompts(a=0.0, b=0.5, c=0.4, d=0.1), a=2000, b=20, d=21)
    (spread,) = collect_prompt_spreads(run)
    assert spread.make_table_row() == (
        *("llm", "hans", "2", "40.0% (c)", "45.0%", "50.0% (b)", "10.0"),
        "a (100.0%), d (1.1%)",
    )
    assert re.search(r"\bllm on hans from 40\.0% to 50\.0% \(2 of 4 .* 1% .*\)\.$", spread.describe())
    assert is_effect(spread)
    assert "| a (100.0%), d (1.1%) |" in render_markdown_report(report_of(run))


@pytest.mark.parametrize("absent", [{"a": 2000}, {"a": 2000, "b": 2000}])
def test_a_spread_requires_two_prompts_with_labels(absent: dict[str, int]) -> None:
    run = with_gaps(run_of_prompts(a=0.0, b=0.5), **absent)
    (spread,) = collect_prompt_spreads(run)
    assert spread.make_table_row()[2:7] == (str(2 - len(absent)), "-", "-", "-", "-")
    assert not spread.is_comparable
    assert re.search(rf"\bllm on hans [^%]*\({len(absent)} of 2 .* 1% .*\)\.$", spread.describe())
    assert not is_effect(spread)


def test_a_spread_within_chance_is_no_finding() -> None:
    (spread,) = collect_prompt_spreads(run_of_prompts(a=0.50, b=0.51))
    assert re.search(r"50\.0% .*51\.0% .*2,000", spread.describe())
    assert not is_effect(spread)


@pytest.mark.parametrize("shares", [{}, {"only": 0.5}])
def test_fewer_than_two_prompts_have_no_spread(shares: dict[str, float]) -> None:
    run = run_of_prompts(**shares)
    assert collect_prompt_spreads(run) == []
    assert "wording" not in render_markdown_report(report_of(run))


def test_page_and_terminal_show_it() -> None:
    run = run_of_prompts(a=0.4, b_c=0.6)
    page = render_markdown_report(report_of(run))
    assert "| llm | hans | 2 | 40.0% (a) | 50.0% | 60.0% (b\\_c) | 20.0 | - |" in page
    (spread,) = collect_prompt_spreads(run)
    assert spread.describe() in page
    stream = io.StringIO()
    open_console(stream).print(render_terminal_report(report_of(run), 140))
    assert spread.describe() in stream.getvalue()
    assert "60.0% (b_c)" in stream.getvalue()
