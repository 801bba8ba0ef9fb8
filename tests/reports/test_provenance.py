"""A line per model on how it was run, from the card of the run."""

from __future__ import annotations

import dataclasses
import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from reports_data import report_of, run_of, scores_of

from rightreasons.reports.provenance import LABEL_SOURCES, PROBLEMS, describe_model_runs
from rightreasons.reports.renderers.markdown import render_markdown_report
from rightreasons.reports.renderers.terminal import open_console, render_terminal_report

if TYPE_CHECKING:
    from rightreasons.runs.folder import Run

GROUPS = {"lexical_overlap": (1.0, 0.0)}


def run_with(**more: Any) -> Run:
    """Make a run of one model with more entries in its card."""
    run = run_of([scores_of("m", GROUPS)], ["m"])
    card = {**run.card, "models": [{"name": "m", "baseline": False, **more}]}
    return dataclasses.replace(run, card=card)


def describe(**more: Any) -> str:
    ((model, text),) = describe_model_runs(run_with(**more))
    assert model == "m"
    return text


def read_numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,.]*\d|\d", text)


def test_nothing_is_described_if_nothing_is_known() -> None:
    assert describe_model_runs(run_with()) == []
    assert describe_model_runs(run_with(head=None, facts={"hans": {}})) == []
    assert "How the models were run" not in render_markdown_report(report_of(run_with()))


def test_label_order_and_speed_are_described() -> None:
    head = {"order": ["entailment", "neutral", "contradiction"], "how": "names"}
    facts = {
        "hans": {"batches": 3, "pairs": 300, "seconds": 1.5, "cut": 0, "refused": 0, "unreadable": 0},
        "nps": {"batches": 1, "pairs": 100, "seconds": 0.5},
    }
    order, speed = describe(head=head, facts=facts).split("; ")
    assert order == f"label order ({LABEL_SOURCES['names']}): entailment, neutral, contradiction"
    assert read_numbers(speed) == ["400", "2.0", "200"]
    assert LABEL_SOURCES["probe"] in describe(head=head | {"how": "probe"})
    assert "1.5 per second" in describe(facts={"hans": {"batches": 1, "pairs": 300, "seconds": 200.0}})
    assert describe_model_runs(run_with(facts={"hans": {"pairs": 3, "seconds": 2.0}})) == []


@pytest.mark.parametrize(
    ("pairs", "seconds", "numbers"),
    [
        (30, 15.3, ["30", "15.3"]),
        (99, 2.0, ["99", "2.0"]),
        (100, 2.0, ["100", "2.0", "50"]),
        (5000, 0.9, ["5,000"]),
        (1, 0.01, ["1"]),
    ],
)
def test_short_runs_have_no_rate(pairs: int, seconds: float, numbers: list[str]) -> None:
    speed = describe(facts={"hans": {"batches": 1, "pairs": pairs, "seconds": seconds}})
    assert read_numbers(speed) == numbers
    assert ("pairs" in speed) == (pairs > 1)


def test_long_loading_is_reported_separately() -> None:
    first = {"batches": 3, "pairs": 300, "seconds": 1.5, "loading": 15.1}
    second = {"batches": 1, "pairs": 100, "seconds": 0.5, "loading": 0.2}
    assert read_numbers(describe(facts={"hans": first, "nps": second})) == ["400", "2.0", "200", "15.3"]
    assert read_numbers(describe(facts={"nps": second})) == ["100"]


def test_problems_are_counted_by_set() -> None:
    facts = {
        "hans": {"pairs": 300, "cut": 12, "refused": {4: "too long"}, "unreadable": 0},
        "nps": {"cut": 3, "windows": 7, "unreadable": 5},
    }
    assert dict(part.split(": ") for part in describe(facts=facts)[:-1].split("; ")) == {
        PROBLEMS["cut"]: "12 of 300 (4.0%) on hans, 3 on nps",
        PROBLEMS["windows"]: "7 on nps",
        PROBLEMS["refused"]: "1 of 300 (0.3%) on hans",
        PROBLEMS["unreadable"]: "5 on nps",
    }


def test_the_most_frequent_reason_of_a_refusal_is_reported() -> None:
    facts = {"hans": {"refused": 3, "reasons": {"no text.": 1, "too long.": 2}}}
    assert describe(facts=facts).endswith(" 3 on hans (too long).")


def test_requests_and_int8_agreement_are_described() -> None:
    facts = {"hans": {"requests": 1200, "cost": 0.25, "int8_agreement": 0.985}, "nps": {"requests": 34}}
    requests, agreement = describe(facts=facts).split("; ")
    assert read_numbers(requests) == ["1,234", "0.25"]
    assert re.search(r"98\.5%.*\bhans\b", agreement)


def test_a_single_request_is_singular() -> None:
    assert describe(facts={"hans": {"requests": 1}}) == "1 request."


def test_the_page_keeps_the_fingerprint() -> None:
    page = render_markdown_report(
        report_of(run_with(fingerprint={"weights_sha256": "abc", "labels": ["e", "n"]}))
    )
    assert '- model m: `fingerprint: {"weights_sha256": "abc", "labels": ["e", "n"]}`' in page


def test_page_and_terminal_describe_the_models_below_the_tables() -> None:
    run = run_with(head={"order": ["<b>", "|"], "how": "option"})
    page = render_markdown_report(report_of(run))
    assert page.index("How the models were run") > page.index("## hans")
    assert f"({LABEL_SOURCES['option']}): &lt;b&gt;, \\|." in page
    stream = io.StringIO()
    open_console(stream).print(render_terminal_report(report_of(run), 140))
    assert re.search(r"\nm: .*: <b>, \|\.", stream.getvalue())
