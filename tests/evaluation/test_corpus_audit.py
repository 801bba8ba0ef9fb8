"""An audit from the corpus to the folder: bad corpora, several corpora, files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.evaluation import corpus_audit
from rightreasons.reports.audit_report import FIGURES, SIDE_BY_SIDE

if TYPE_CHECKING:
    from pathlib import Path

PARSE = "(ROOT (S (NP (DT The) (NN dog) (CD {0})) (VP (VBD ran) (ADVP (RB home))) (. .)))"


@pytest.fixture
def pairs() -> pl.DataFrame:
    """Make twenty pairs with all three labels."""
    ends = [
        ("The dog {0} ran.", "entailment"),
        ("It was {0} o'clock.", "neutral"),
        ("No dog ran.", "contradiction"),
    ]
    rows = [(f"The dog {n} ran home.", ends[n % 3][0].format(n), ends[n % 3][1]) for n in range(20)]
    return pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row")


def write(pairs: pl.DataFrame, path: Path) -> Path:
    pairs.write_csv(path)
    return path


def test_twenty_pairs_have_wide_intervals(pairs: pl.DataFrame, tmp_path: Path) -> None:
    figures = rr.audit(write(pairs, tmp_path / "t.csv")).list_figures()["t"]
    figure = figures["partial-input.hypothesis"]
    assert (figure.n, figure.value) == (20, 1.0)
    assert (figure.low, figure.high) == pytest.approx(
        (0.8389, 1.0), abs=1e-4
    )  # Wilson's interval of 20 of 20


def test_unlabelled_pairs_get_the_audits_that_need_no_labels(pairs: pl.DataFrame, tmp_path: Path) -> None:
    (audited,) = rr.audit(write(pairs.drop("label"), tmp_path / "t.csv")).audits
    assert list(audited.results) == ["duplicates"]
    assert {"heuristics", "partial-input", "cues", "shape", "antonyms"} <= set(audited.skipped)


def test_one_label_is_not_enough_for_what_depends_on_labels(pairs: pl.DataFrame, tmp_path: Path) -> None:
    one = pairs.with_columns(label=pl.lit("neutral"))
    (audited,) = rr.audit(write(one, tmp_path / "t.csv")).audits
    assert "shape" in audited.skipped
    assert "duplicates" in audited.results


def test_blank_texts_and_missing_labels_are_counted(pairs: pl.DataFrame, tmp_path: Path) -> None:
    row = pl.int_range(pl.len())
    damaged = pairs.with_columns(
        hypothesis=pl.when(row < 3).then(pl.lit("  ")).otherwise("hypothesis"),
        label=pl.when(row > 15).then(pl.lit("-")).otherwise("label"),
    )
    audited = rr.audit(write(damaged, tmp_path / "t.csv"))
    remarks = " ".join(audited.audits[0].corpus.card.remarks)
    assert "3 of 20" in remarks
    assert "4 of 20" in remarks
    assert len(audited.audits[0].corpus) == 17
    assert len(audited.audits[0].corpus.labelled) == 13


def test_broken_parses_are_counted_and_left_out(pairs: pl.DataFrame, tmp_path: Path) -> None:
    parses = [PARSE.format(n) for n in range(20)]
    parses[3], parses[5], parses[7] = "(ROOT (S broken", "", "nonsense ) ("
    damaged = pairs.with_columns(premise_parse=pl.Series(parses))
    audited = rr.audit(write(damaged, tmp_path / "t.csv"))
    assert any("2 trees" in remark for remark in audited.report.warnings)
    figures = audited.list_figures()["t"]
    assert figures["heuristics.constituent.contradicting"].n == 17


def test_broken_binary_parses_are_counted_and_left_out(pairs: pl.DataFrame, tmp_path: Path) -> None:
    parses = ["( ( The dog ) ( ran home ) )"] * 20
    parses[:7] = ["( ( The dog ) ran", "The dog ) )", "( () The dog )", "The dog ran home", "((((", "", "dog"]
    damaged = pairs.with_columns(hypothesis=pl.lit("The dog."), premise_binary_parse=pl.Series(parses))
    for corpus in (write(damaged, tmp_path / "t.csv"), rr.ChallengeSet(damaged, rr.Card("t"))):
        audited = rr.audit(corpus)
        assert any("5 trees in premise_binary_parse" in remark for remark in audited.report.warnings)
        figures = audited.list_figures()["t"]
        assert figures["heuristics.constituent.published"].n == 13
        assert figures["heuristics.constituent.contradicting.published"].n == 14


def test_the_folder_is_whole_and_can_be_read(pairs: pl.DataFrame, tmp_path: Path) -> None:
    contradicting = pl.DataFrame(
        [("No dog 5 ran.", "Dog 5 ran.", "contradiction")],
        schema=["premise", "hypothesis", "label"],
        orient="row",
    )
    file = write(pl.concat([pairs, contradicting]), tmp_path / "t.csv")
    out = tmp_path / "out"
    audited = rr.audit(file, out=out)
    card = json.loads((out / corpus_audit.CARD).read_text(encoding="utf-8"))
    assert card["command"] == f"rightreasons audit {file} --out {out}"
    corpus = card["corpora"][0]
    assert (corpus["name"], corpus["rows"], corpus["labels"]["contradiction"]) == ("t", 21, 7)
    figures = audited.list_figures()["t"]
    assert corpus["figures"]["shape.overlap"]["value"] == figures["shape.overlap"].value
    keys = {exhibit.key for exhibit in audited.report.exhibits}
    for ending in ("csv", "json", "tex", "parquet"):
        assert {path.stem for path in (out / "tables").glob(f"*.{ending}")} == keys
    table = pl.read_parquet(out / "tables" / "figures.parquet")
    assert dict(table.select("figure", "value").iter_rows()) == {
        name: each.value for name, each in figures.items()
    }
    again = rr.read_pairs(out / "pairs" / "contradicting-t.jsonl")
    assert again.pairs.select("premise", "hypothesis", "label").rows() == contradicting.rows()
    assert {"report.md", "report.html"} <= {path.name for path in out.iterdir()}


def test_several_corpora_stand_side_by_side(pairs: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    files = [write(pairs, tmp_path / "t.csv"), write(pairs.head(12), tmp_path / "b" / "t.csv")]
    report = rr.audit([*files, "pocket"], audits="shape,heuristics").report
    names = ["t (1)", "t (2)", "pocket"]
    assert [headline.model for headline in report.headlines] == names
    table = next(exhibit for exhibit in report.exhibits if exhibit.key == "heuristics")
    assert table.frame["corpus"].unique(maintain_order=True).to_list() == names
    assert next(iter(table.formats)) == "corpus"
    assert table.chart is not None
    assert table.chart["facet"] == {"field": "corpus", "type": "nominal", "sort": names, "title": None}
    # Bins and words of one corpus are no rows of another.
    assert table.chart["resolve"]["scale"]["y"] == "independent"


def test_the_figures_of_several_corpora_are_in_one_row(pairs: pl.DataFrame, tmp_path: Path) -> None:
    file = write(pairs, tmp_path / "t.csv")
    audited = rr.audit([file, "pocket"], audits="heuristics,shape,duplicates")
    table = next(each for each in audited.report.exhibits if each.key == SIDE_BY_SIDE)
    known = audited.list_figures()
    assert list(table.headings.values()) == ["t", "pocket"]
    assert set(table.frame["figure"]) == {*known["t"], *known["pocket"]}
    (row,) = table.frame.filter(figure="shape.overlap").rows(named=True)
    for column, corpus in table.headings.items():
        figure = known[corpus]["shape.overlap"]
        assert (row[column], row[f"{column}_low"], row[f"{column}_high"]) == (
            figure.value,
            figure.low,
            figure.high,
        )
    chart = next(each.chart for each in audited.report.exhibits if each.key == FIGURES)
    assert chart is not None
    assert chart["facet"]["sort"] == [
        "heuristics.lexical_overlap",
        "shape.hypothesis-length",
        "duplicates.near",
    ]


def test_a_reason_that_holds_for_all_corpora_is_given_once(pairs: pl.DataFrame, tmp_path: Path) -> None:
    voted = pairs.with_columns(annotator_labels=pl.format("{},neutral", "label"))
    files = [write(pairs, tmp_path / "t.csv"), write(voted, tmp_path / "v.csv")]
    assert rr.audit([files[0], "pocket"], audits="shape").report.model_notes == ()
    assert "agreement" in dict(rr.audit([files[0], "pocket"]).report.model_notes)
    several = dict(rr.audit([*files, "pocket"]).report.model_notes)
    assert "annotator_labels" in several["agreement on t, pocket"]
    assert "model" in several["corruption"]


def test_a_corpus_in_memory_and_its_options(pairs: pl.DataFrame) -> None:
    corpus = rr.ChallengeSet(pairs, rr.Card("mine"))
    audited = rr.audit(corpus, audits=["shape"], **{"shape.bins": 2})
    table = next(
        exhibit.frame for exhibit in audited.report.exhibits if exhibit.key == "shape-premise-length"
    )
    assert table.height <= 3
    assert audited.audits[0].corpus.name == "mine"


def test_a_corpus_in_memory_is_checked_as_a_file_is(pairs: pl.DataFrame, tmp_path: Path) -> None:
    row = pl.int_range(pl.len())
    words = pl.col("label").replace({"entailment": "E", "neutral": "Neutral"})
    damaged = pairs.with_columns(
        id=pl.concat_str(pl.lit("p"), row),
        label=pl.when(row < 2).then(pl.lit("-")).otherwise(words),
        hypothesis=pl.when(row == 9).then(pl.lit(" ")).otherwise("hypothesis"),
        premise_parse=None,
    )
    found = [
        rr.audit(each, audits="shape,heuristics").audits[0]
        for each in (write(damaged, tmp_path / "c.csv"), rr.ChallengeSet(damaged, rr.Card("c")))
    ]
    assert found[0].list_figures() == found[1].list_figures()
    assert [len(each.corpus) for each in found] == [19, 19]
    assert [each.corpus.labels for each in found] == [("entailment", "neutral", "contradiction")] * 2
    assert set(found[0].corpus.card.remarks) == set(found[1].corpus.card.remarks)
    for label in ("yes", 0):
        with pytest.raises(rr.InputError, match=f"c, row 1.*'{label}'"):
            rr.audit(rr.ChallengeSet(pairs.with_columns(label=pl.lit(label)), rr.Card("c")))


def test_nothing_is_read_before_names_are_checked(pairs: pl.DataFrame, tmp_path: Path) -> None:
    file = write(pairs, tmp_path / "t.csv")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep", encoding="utf-8")
    for more in ({"audits": "shap"}, {"bins": "many"}, {"out": tmp_path / "out"}, {"colour": "red"}):
        with pytest.raises(rr.RightReasonsError):
            rr.audit(file, **more)  # type: ignore[arg-type]
    assert (tmp_path / "out" / "mine.txt").exists()


def test_files_are_named_by_their_stem_even_without_an_ending(pairs: pl.DataFrame, tmp_path: Path) -> None:
    names = [
        audited.corpus.name
        for audited in rr.audit(
            [write(pairs, tmp_path / name) for name in ("train.v2.csv", "plain", "dev.csv")], audits=["shape"]
        ).audits
    ]
    assert names == ["train.v2", "plain", "dev"]


def test_a_corpus_has_the_name_that_the_user_gives_it(pairs: pl.DataFrame, tmp_path: Path) -> None:
    file = write(pairs, tmp_path / "train.csv")
    audited = rr.audit([f"mine={file}", f"other={file}"], audits=["shape"])
    assert [each.corpus.name for each in audited.audits] == ["mine", "other"]
