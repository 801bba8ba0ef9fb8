"""A line per model on how it was asked, from the run's card."""

from __future__ import annotations

import dataclasses
import io
from typing import TYPE_CHECKING, Any

import pytest
from reports_data import report_of, run_of, scores_of

from rightreasons.reports.provenance import describe_models
from rightreasons.reports.renderers.markdown import render_markdown_report
from rightreasons.reports.renderers.terminal import open_console, render_terminal_report

if TYPE_CHECKING:
    from rightreasons.runs.folder import Run

GROUPS = {"lexical_overlap": (1.0, 0.0)}


def run_with(**more: Any) -> Run:
    """Make a run of one model whose card says more of it."""
    run = run_of([scores_of("m", GROUPS)], ["m"])
    card = {**run.card, "models": [{"name": "m", "baseline": False, **more}]}
    return dataclasses.replace(run, card=card)


def line(**more: Any) -> str:
    ((model, text),) = describe_models(run_with(**more))
    assert model == "m"
    return text


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert describe_models(run_with()) == []
    assert describe_models(run_with(head=None, facts={"hans": {}})) == []
    assert "How the models were run" not in render_markdown_report(report_of(run_with()))


def test_a_model_that_fared_well_has_its_labels_and_its_pace() -> None:
    head = {"order": ["entailment", "neutral", "contradiction"], "how": "names"}
    facts = {
        "hans": {"batches": 3, "pairs": 300, "seconds": 1.5, "cut": 0, "refused": 0, "unreadable": 0},
        "nps": {"batches": 1, "pairs": 100, "seconds": 0.5},
    }
    assert line(head=head, facts=facts) == (
        "label order found by the names of its outputs: entailment, neutral, contradiction; "
        "400 pairs in 2.0 s, 200 a second."
    )
    assert "unmistakable pairs" in line(head=head | {"how": "probe"})
    assert "1.5 a second" in line(facts={"hans": {"batches": 1, "pairs": 300, "seconds": 200.0}})
    assert describe_models(run_with(facts={"hans": {"pairs": 3, "seconds": 2.0}})) == []


@pytest.mark.parametrize(
    ("pairs", "seconds", "said"),
    [
        (30, 15.3, "30 pairs in 15.3 s."),
        (99, 2.0, "99 pairs in 2.0 s."),
        (100, 2.0, "100 pairs in 2.0 s, 50 a second."),
        (5000, 0.9, "5,000 pairs in under a second."),
        (1, 0.01, "1 pair in under a second."),
    ],
)
def test_no_rate_is_told_of_what_was_too_short(pairs: int, seconds: float, said: str) -> None:
    assert line(facts={"hans": {"batches": 1, "pairs": pairs, "seconds": seconds}}) == said


def test_loading_is_told_apart_where_it_took_long() -> None:
    first = {"batches": 3, "pairs": 300, "seconds": 1.5, "loading": 15.1}
    second = {"batches": 1, "pairs": 100, "seconds": 0.5, "loading": 0.2}
    assert line(facts={"hans": first, "nps": second}) == (
        "400 pairs in 2.0 s, 200 a second, after 15.3 s of loading."
    )
    assert line(facts={"nps": second}) == "100 pairs in under a second."


def test_what_is_amiss_is_told_with_its_set() -> None:
    facts = {
        "hans": {"pairs": 300, "cut": 12, "refused": {4: "too long"}, "unreadable": 0},
        "nps": {"cut": 3, "windows": 7, "unreadable": 5},
    }
    assert line(facts=facts) == (
        "premises truncated: 12 of 300 (4.0%) on hans, 3 on nps; long premises split into windows: 7 on nps; "
        "pairs refused: 1 of 300 (0.3%) on hans; predictions without a readable label: 5 on nps."
    )


def test_the_commonest_reason_of_a_refusal_is_given() -> None:
    facts = {"hans": {"refused": 3, "reasons": {"no text.": 1, "too long.": 2}}}
    assert line(facts=facts) == "pairs refused: 3 on hans (too long)."


def test_endpoints_and_int8_tell_what_they_cost() -> None:
    facts = {"hans": {"requests": 1200, "cost": 0.25, "int8_agreement": 0.985}, "nps": {"requests": 34}}
    assert line(facts=facts) == (
        "1,234 requests, which cost 0.25; in int8 it gives the label of fp32 to 98.5% of a sample (least, on hans)."
    )


def test_one_request_is_not_several() -> None:
    assert line(facts={"hans": {"requests": 1}}) == "1 request."


def test_the_page_keeps_what_decides_the_answers() -> None:
    page = render_markdown_report(
        report_of(run_with(fingerprint={"weights_sha256": "abc", "labels": ["e", "n"]}))
    )
    assert '- model m: `fingerprint: {"weights_sha256": "abc", "labels": ["e", "n"]}`' in page


def test_page_and_terminal_say_the_same_below_the_tables() -> None:
    run = run_with(head={"order": ["<b>", "|"], "how": "option"})
    page = render_markdown_report(report_of(run))
    assert page.index("How the models were run") > page.index("## hans")
    assert "from the option labels: &lt;b&gt;, \\|." in page
    stream = io.StringIO()
    open_console(stream).print(render_terminal_report(report_of(run), 140))
    assert "m: label order found from the option labels: <b>, |." in stream.getvalue()
