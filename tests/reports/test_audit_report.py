"""The report on audits of corpora: headlines, joined tables, the figures, and what was skipped."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.run_audits import CorpusAudit
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.reports.audit_report import (
    CORPUS,
    FIGURES,
    SIDE_BY_SIDE,
    build_audit_report,
    make_figure_exhibit,
)

E, N, NON = "entailment", "neutral", "non-entailment"


def make_corpus(name: str, labels: list[str | None], remarks: tuple[str, ...] = ()) -> AuditCorpus:
    pairs = pl.DataFrame({"premise": ["p"] * len(labels), "hypothesis": ["h"] * len(labels)}).with_columns(
        pl.Series("label", labels, dtype=pl.String)
    )
    return AuditCorpus.from_challenge_set(ChallengeSet(pairs, Card(name, remarks=remarks)))


def make_exhibit(frame: pl.DataFrame, caption: str = "Caption.", key: str = "one") -> Exhibit:
    formats = dict.fromkeys(frame.columns, "text")
    chart = {
        "mark": "bar",
        "transform": [{"filter": "true"}],
        "encoding": {"y": {"field": "bin", "type": "nominal"}},
    }
    return Exhibit(key, "Title", caption, frame, formats, chart=chart, notes=(f"Note of {caption}",))  # type: ignore[arg-type]


def audit(
    name: str, exhibits: tuple[Exhibit, ...] = (), figures: tuple[AuditFigure, ...] = (), **more: str
) -> CorpusAudit:
    result = AuditResult(
        exhibits, figures, more.get("summary", ""), tuple(filter(None, [more.get("remark", "")]))
    )
    return CorpusAudit(make_corpus(name, [E, N]), {"toy": result}, {})


def test_a_headline_has_size_labels_and_summaries() -> None:
    corpus = make_corpus("c", [E, E, N, None], remarks=("1 of 5 pairs was left out.",))
    audited = CorpusAudit(
        corpus, {"toy": AuditResult((), summary="It teaches."), "mute": AuditResult(())}, {}
    )
    report = build_audit_report([audited], "2026-01-01", {"Command": "rightreasons audit c"})
    (headline,) = report.headlines
    assert (headline.model, headline.tone, headline.badge) == ("c", "plain", "")
    assert headline.sentence == "4 pairs: 50.0% entailment, 25.0% neutral, 25.0% without a gold label."
    assert [(each.set, each.sentence) for each in headline.findings] == [("toy", "It teaches.")]
    assert report.warnings == ("c: 1 of 5 pairs was left out.",)
    assert report.provenance == (("Command", "rightreasons audit c"),)


def test_skipped_audits_are_named_with_their_corpus_if_there_are_several() -> None:
    skipped = CorpusAudit(make_corpus("a", [E]), {}, {"toy": "it needs labels"})
    ((name, reason),) = build_audit_report([skipped], "", {}).model_notes
    assert (name, "it needs labels" in reason) == ("toy", True)
    ((name, reason),) = build_audit_report([skipped, audit("b")], "", {}).model_notes
    assert name.split()[0] == "toy"
    assert name.split()[-1] == "a"
    assert "it needs labels" in reason


def test_remarks_name_the_corpus_if_there_are_several() -> None:
    one, other = audit("a", remark="Few pairs."), audit("b")
    assert build_audit_report([one], "", {}).remarks == ("toy: Few pairs.",)
    assert build_audit_report([one, other], "", {}).remarks == ("a, toy: Few pairs.",)


values = st.lists(st.sampled_from(["x", "y", None]), max_size=4)


@given(st.lists(st.tuples(values, st.booleans()), min_size=1, max_size=4))
def test_joined_tables_keep_all_rows_and_columns(tables: list[tuple[list[str | None], bool]]) -> None:
    audits = []
    for place, (words, has_more) in enumerate(tables):
        frame = pl.DataFrame({"bin": pl.Series(words, dtype=pl.String)})
        frame = frame.with_columns(more=pl.lit(1.5)) if has_more else frame
        audits.append(audit(f"c{place}", (make_exhibit(frame),)))
    joined = next(exhibit for exhibit in build_audit_report(audits, "", {}).exhibits if exhibit.key == "one")
    several = len(tables) > 1
    assert joined.frame["bin"].to_list() == [word for words, _ in tables for word in words]
    assert ("more" in joined.frame.columns) == any(has_more for _, has_more in tables)
    assert (next(iter(joined.formats)) == CORPUS) == several
    if several:
        names = [f"c{place}" for place, (words, _) in enumerate(tables) for _ in words]
        assert joined.frame[CORPUS].to_list() == names
    assert set(joined.formats) == set(joined.frame.columns)
    assert joined.set == "toy"


def test_captions_and_notes_of_all_corpora_are_kept() -> None:
    frame = pl.DataFrame({"bin": ["x"]})
    audits = [
        audit(name, (make_exhibit(frame, caption),))
        for name, caption in (("a", "One."), ("b", "Two."), ("c", "One."))
    ]
    joined = next(exhibit for exhibit in build_audit_report(audits, "", {}).exhibits if exhibit.key == "one")
    assert joined.caption == "One."
    assert joined.notes == ("Note of One.", "Note of Two.", "b: Two.")


def test_a_chart_is_drawn_once_for_each_corpus() -> None:
    frame = pl.DataFrame({"bin": ["x"]})
    own = make_exhibit(frame)
    (alone,) = (
        each for each in build_audit_report([audit("a", (own,))], "", {}).exhibits if each.key == "one"
    )
    assert alone.chart == own.chart
    both = [audit("a", (own,)), audit("b", (own,))]
    (joined,) = (each for each in build_audit_report(both, "", {}).exhibits if each.key == "one")
    assert joined.chart is not None
    assert (joined.chart["facet"]["field"], joined.chart["facet"]["sort"]) == (CORPUS, ["a", "b"])
    assert joined.chart["transform"] == [{"filter": "true"}]
    assert joined.chart["spec"]["mark"] == "bar"
    assert "transform" not in joined.chart["spec"]
    assert joined.chart["resolve"]["scale"]["y"] == "independent"


def test_tables_that_one_corpus_lacks_are_those_of_the_others() -> None:
    frame = pl.DataFrame({"bin": ["x"]})
    audits = [audit("a"), audit("b", (make_exhibit(frame),))]
    joined = next(exhibit for exhibit in build_audit_report(audits, "", {}).exhibits if exhibit.key == "one")
    assert joined.frame.rows() == [("b", "x")]


FIRST, SECOND = AuditFigure("first", 0.5, 10, 0.2, 0.8, 0.4), AuditFigure("second", 2.0, 4)


def test_figures_of_one_corpus_keep_their_order() -> None:
    exhibit = make_figure_exhibit([audit("a", figures=(FIRST, SECOND))])
    assert exhibit.frame.select(
        "figure", "value", "value_low", "value_high", "n", "baseline", "first"
    ).rows() == [
        ("toy.first", 0.5, 0.2, 0.8, 10, 0.4, True),
        ("toy.second", 2.0, None, None, 4, None, False),
    ]
    assert CORPUS not in exhibit.formats
    assert exhibit.chart is None


def test_the_same_figures_of_several_corpora_are_next_to_each_other() -> None:
    audits = [audit("a", figures=(FIRST, SECOND)), audit("b", figures=(FIRST,))]
    report = build_audit_report(audits, "", {})
    found = {exhibit.key: exhibit for exhibit in report.exhibits}
    assert found[FIGURES].frame.select(CORPUS, "figure").rows() == [
        ("a", "toy.first"),
        ("b", "toy.first"),
        ("a", "toy.second"),
    ]
    side = found[SIDE_BY_SIDE]
    assert side.frame["figure"].to_list() == ["toy.first", "toy.second"]
    columns = {heading: column for column, heading in side.headings.items()}
    assert side.frame[columns["a"]].to_list() == [0.5, 2.0]
    assert side.frame[columns["b"]].to_list() == [0.5, None]
    assert side.frame[f"{columns['b']}_high"].to_list() == [0.8, None]


@pytest.mark.parametrize("audits", [[audit("a")], [audit("a"), audit("b")]], ids=len)
def test_audits_without_figures_have_a_table_of_them(audits: list[CorpusAudit]) -> None:
    exhibit = make_figure_exhibit(audits)
    assert exhibit.frame.is_empty()
    assert set(exhibit.formats) <= set(exhibit.frame.columns)
