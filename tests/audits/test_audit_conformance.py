"""Every audit in the registry keeps the promises that all of them make, whatever the corpus is."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from corpora_by_hand import make_corpus

from rightreasons.audits.run_audits import build_audits, run_possible_audits
from rightreasons.core import options, registry
from rightreasons.core.parts import Audit, get_class_hook
from rightreasons.reports.audit_report import build_audit_report
from rightreasons.reports.html.page import render_html
from rightreasons.reports.renderers import render_csv, render_latex, render_markdown, render_terminal
from rightreasons.reports.renderers.markdown import render_markdown_report
from rightreasons.reports.renderers.terminal import open_console

if TYPE_CHECKING:
    from corpora_by_hand import Row

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.run_audits import CorpusAudit

pytestmark = pytest.mark.every_case

NAMES = registry.AUDITS.list_names()
LABELS = ("entailment", "neutral", "contradiction")
REQUIRED = {"corruption": {"model": "rules:lexical-overlap"}}
PARSE = "(ROOT (S (NP (DT The) (NN dog) (CD {0})) (VP (VBD ran) (ADVP (RB home))) (. .)))"
ENDS = ("The dog {0} ran.", "It was {0} o'clock.", "No dog ran.")
ROWS: list[Row] = [
    (f"The dog {place} ran home.", ENDS[place % 3].format(place), LABELS[place % 3]) for place in range(30)
]
CORPORA: dict[str, list[Row]] = {
    "usual": ROWS,
    "two labels": [(p, h, "entailment" if y == "entailment" else "non-entailment") for p, h, y in ROWS],
    "some labels": [(p, h, y if place % 4 else None) for place, (p, h, y) in enumerate(ROWS)],
    "empty hypotheses": [(p, "", y) for p, _, y in ROWS],
    "empty texts": [("", " \n", y) for *_, y in ROWS],
    "no words": [("...", "?", y) for *_, y in ROWS],
    "one premise": [("A dog ran.", h, y) for _, h, y in ROWS],
    "one pair": [ROWS[0], ROWS[1]],
    "repeated": [ROWS[0]] * 5 + [(*ROWS[0][:2], "neutral")] * 5,
    "other scripts": [(f"Ünïcödé 日本語 {p}", f"\u202e\x00{h}", y) for p, h, y in ROWS],
    "long": [(f"{p} " * 400, f"{h} " * 400, y) for p, h, y in ROWS],
    "one label": [(p, h, "neutral") for p, h, _ in ROWS],
    "no labels": [(p, h, None) for p, h, _ in ROWS],
    "no pairs": [],
}
AUDITED = [name for name in CORPORA if name not in ("one label", "no labels", "no pairs")]


def make_tagged_corpus(name: str, *, reverse: bool = False) -> AuditCorpus:
    """Make a corpus with every column that an audit may need."""
    rows = CORPORA[name]
    places = range(len(rows))
    corpus = make_corpus(
        rows,
        name,
        premise_parse=[PARSE.format(place) for place in places],
        hypothesis_parse=[PARSE.format(place) for place in places],
        genre=["xyz"[place % 3] if place % 5 else None for place in places],
        split=["ab"[place % 2] for place in places],
        annotator_labels=[f"{LABELS[place % 2]},neutral,neutral" for place in places],
    )
    if not reverse:
        return corpus
    return type(corpus)(name, corpus.pairs.reverse(), corpus.card)


@cache
def audit(name: str, of: str, *, reverse: bool = False) -> CorpusAudit:
    (audited,) = run_possible_audits(
        [make_tagged_corpus(of, reverse=reverse)], build_audits((name,), REQUIRED.get(name, {}))
    )
    return audited


def needs_labels(name: str) -> bool:
    needed: bool = get_class_hook(registry.get_audit_class(name), "needs_labels", Audit)
    return needed


@pytest.mark.parametrize("name", NAMES)
def test_an_audit_declares_what_it_is_and_needs(name: str) -> None:
    part: Any = registry.get_audit_class(name)
    assert part.name == name
    assert part.__doc__.strip().splitlines()[0].endswith(".")
    needs = get_class_hook(part, "needs", Audit)
    assert isinstance(needs, tuple)
    assert all(isinstance(column, str) for column in needs)
    schema, helps = options.get_schema(part), options.get_option_help(part)
    assert helps.keys() == schema.keys()
    assert all(text.endswith(".") for text in helps.values())
    assert set(REQUIRED.get(name, {})) == set(options.list_required_options(part))
    made = registry.make_audit(name, REQUIRED.get(name, {}))
    again = registry.make_audit(name, REQUIRED.get(name, {}) | options.get_options(made))
    assert options.get_options(again) == options.get_options(made)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", ["one label", "no labels"])
def test_audits_that_need_labels_are_skipped_without_two(name: str, of: str) -> None:
    audited = audit(name, of)
    if needs_labels(name):
        assert (list(audited.results), list(audited.skipped)) == ([], [name])
        assert ("neutral" in audited.skipped[name]) == (of == "one label")
    else:
        assert (list(audited.results), list(audited.skipped)) == ([name], [])


@pytest.mark.parametrize("name", NAMES)
def test_audits_are_skipped_without_a_column_that_they_need(name: str) -> None:
    needs = get_class_hook(registry.get_audit_class(name), "needs", Audit)
    for column in needs:
        for tags in ({}, {column: [None] * len(ROWS)}):
            others = {other: [PARSE.format(1)] * len(ROWS) for other in needs if other != column}
            (audited,) = run_possible_audits(
                [make_corpus(ROWS, **others, **tags)], build_audits((name,), REQUIRED.get(name, {}))
            )
            assert column in audited.skipped[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", AUDITED)
def test_figures_have_a_number_of_pairs_and_an_interval_around_them(name: str, of: str) -> None:
    result = audit(name, of).results[name]
    names = [figure.name for figure in result.figures]
    assert len(names) == len(set(names))
    for figure in result.figures:
        assert isinstance(figure.n, int)
        assert figure.n > 0, figure
        assert isinstance(figure.value, float), figure
        assert (figure.low is None) == (figure.high is None), figure
        if figure.low is not None and figure.high is not None:
            assert figure.low <= figure.value <= figure.high, figure
        assert figure.baseline is None or -1 <= figure.baseline <= 1, figure
    sentences = [result.summary, *result.remarks]
    assert all(text.endswith(".") for text in sentences if text)
    assert not any(word in text.split() for text in sentences for word in ("nan", "inf", "nan%"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", AUDITED)
def test_tables_have_the_columns_that_they_show(name: str, of: str) -> None:
    exhibits = audit(name, of).results[name].exhibits
    keys = [exhibit.key for exhibit in exhibits]
    assert len(keys) == len(set(keys))
    for exhibit in exhibits:
        assert exhibit.key.split("-")[0] == name.split("-", maxsplit=1)[0]
        assert set(exhibit.formats) <= set(exhibit.frame.columns), exhibit.key
        assert set(exhibit.headings) <= set(exhibit.formats), exhibit.key
        assert exhibit.caption.endswith("."), exhibit.key
        assert "corpus" not in exhibit.frame.columns, exhibit.key  # the name of the corpus is put there
        for column in exhibit.frame.columns:
            low, high = f"{column}_low", f"{column}_high"
            if low in exhibit.frame.columns:
                outside = exhibit.frame.filter(
                    (pl.col(low) > pl.col(column)) | (pl.col(column) > pl.col(high))
                )
                assert outside.is_empty(), (exhibit.key, column)


@pytest.mark.parametrize("name", NAMES)
def test_tables_of_all_corpora_have_the_same_columns(name: str) -> None:
    """Columns of labels differ with the labels; all others are those of the usual corpus, and so are their types."""
    own = {*LABELS, "non-entailment"}
    usual = {exhibit.key: exhibit for exhibit in audit(name, "usual").results[name].exhibits}
    for of in AUDITED:
        for exhibit in audit(name, of).results[name].exhibits:
            assert exhibit.key in usual, (of, exhibit.key)
            there, here = (
                {
                    column: kind
                    for column, kind in frame.schema.items()
                    if not any(label in column for label in own)
                }
                for frame in (usual[exhibit.key].frame, exhibit.frame)
            )
            assert list(here) == list(there), (of, exhibit.key)
            for column, kind in here.items():
                assert kind in (there[column], pl.Null) or there[column] == pl.Null, (of, exhibit.key, column)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", ["usual", "repeated", "one premise", "some labels"])
def test_the_order_of_pairs_changes_nothing(name: str, of: str) -> None:
    there, back = (audit(name, of, reverse=reverse).results[name] for reverse in (False, True))
    assert [figure.name for figure in there.figures] == [figure.name for figure in back.figures]
    for one, other in zip(there.figures, back.figures, strict=True):
        assert (one.n, one.value, one.low, one.high, one.baseline) == pytest.approx(
            (other.n, other.value, other.low, other.high, other.baseline)
        ), one.name
    assert there.summary == back.summary
    assert there.remarks == back.remarks
    for one, other in zip(there.exhibits, back.exhibits, strict=True):
        shown = [column for column in one.frame.columns if column != "id"]
        rows = (sorted(_round(frame, shown)) for frame in (one.frame, other.frame))
        assert next(rows) == next(rows), one.key
    assert there.pairs.keys() == back.pairs.keys()
    for key, pairs in there.pairs.items():
        assert set(pairs["id"]) == set(back.pairs[key]["id"]), key


def _round(frame: pl.DataFrame, columns: list[str]) -> list[str]:
    rounded = frame.select(columns).with_columns(pl.selectors.float().round(9))
    return [repr(row) for row in rounded.iter_rows()]


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_the_same_twice(name: str) -> None:
    first = audit(name, "usual").results[name]
    (again,) = run_possible_audits(
        [make_tagged_corpus("usual")], build_audits((name,), REQUIRED.get(name, {}))
    )
    assert again.results[name].figures == first.figures
    for one, other in zip(first.exhibits, again.results[name].exhibits, strict=True):
        assert one.frame.equals(other.frame), one.key


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "several", [("usual",), ("usual", "two labels", "empty hypotheses", "one label")], ids=len
)
def test_every_renderer_shows_every_table(name: str, several: tuple[str, ...]) -> None:
    audits = [audit(name, of) for of in several]
    report = build_audit_report(audits, "2026-01-01T00:00:00+00:00", {"Command": "rightreasons audit c"})
    page, markdown = render_html(report), render_markdown_report(report)
    for exhibit in report.exhibits:
        assert f'"{exhibit.key}' in page, exhibit.key
        assert render_markdown(exhibit, 3 if exhibit.set else 2) in markdown, exhibit.key
        assert render_csv(exhibit).count("\n") >= exhibit.frame.height
        assert "\\begin{tabular" in render_latex(exhibit)
        stream = io.StringIO()
        open_console(stream).print(render_terminal(exhibit, 200))
        assert stream.getvalue().strip()
    for audited in audits:
        for result in audited.results.values():
            assert result.summary in [
                finding.sentence for each in report.headlines for finding in each.findings
            ] + [""]


@pytest.mark.parametrize("name", NAMES)
def test_joined_tables_keep_every_row(name: str) -> None:
    of = ("usual", "two labels", "one label", "some labels")
    audits = [audit(name, each) for each in of]
    report = build_audit_report(audits, "", {})
    for exhibit in report.exhibits:
        if exhibit.set != name:
            continue
        for each in audits:
            own = (
                [table for table in each.results[name].exhibits if table.key == exhibit.key]
                if each.results
                else []
            )
            rows = exhibit.frame.filter(corpus=each.corpus.name)
            assert rows.height == sum(table.frame.height for table in own)
            for table in own:
                kept = rows.select(table.frame.columns)
                assert [repr(row) for row in kept.iter_rows()] == [
                    repr(row) for row in table.frame.iter_rows()
                ]
