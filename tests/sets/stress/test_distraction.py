"""A tautology goes before the end of the last sentence, into every pair, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, undo_edits
from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus
from rightreasons.sets.stress.distraction import (
    Attachment,
    LengthMismatch,
    Negation,
    WordOverlap,
    distract_pairs,
)

if TYPE_CHECKING:
    from pathlib import Path

CLASSES = (WordOverlap, Negation, LengthMismatch)
TEXTS = st.lists(st.one_of(st.text(), st.text("aB.!?…。؟ \t\"'”)]U.S,")), min_size=1, max_size=6)


def corpus(*texts: str) -> pl.DataFrame:
    """Make pairs whose two sides are equal."""
    return pl.DataFrame(
        {
            "id": [f"{number}n" for number in range(len(texts))],
            "premise": texts,
            "hypothesis": texts,
            "label": ["neutral"] * len(texts),
            "genre": pl.Series([None] * len(texts), dtype=pl.String),
        }
    )


def attached(text: str, attachment: Attachment | None = None) -> str:
    made = distract_pairs("stress/negation", corpus(text), attachment or Attachment("T"))
    return str(made["hypothesis"][0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left.", "He left and T."),
        ("He left", "He left and T"),
        ("He left  ", "He left and T  "),
        ("He left . ", "He left and T . "),
        ("Did he leave?!", "Did he leave and T?!"),
        ("He left...", "He left and T..."),
        ("He left . . .", "He left and T . . ."),
        ("He left…", "He left and T…"),
        ("Mr. Li left. She stayed.", "Mr. Li left. She stayed and T."),
        ("It costs $4.75", "It costs $4.75 and T"),
        ("It costs $4.75.", "It costs $4.75 and T."),
        ('He said "go."', 'He said "go and T."'),
        ('He said "go".', 'He said "go" and T.'),
        ('He said "go"', 'He said "go" and T'),
        ("He said “go.” ", "He said “go and T.” "),
        ("(He left.)", "(He left and T.)"),
        ("He left (in May).", "He left (in May) and T."),
        ("the boys'.", "the boys' and T."),
        ("in the U.S.", "in the U.S. and T."),
        ("in the U.S.?", "in the U.S. and T?"),
        ('"at 5 p.m."', '"at 5 p.m. and T."'),
        ('He said "Go!".', 'He said "Go!" and T.'),
        ("He asked “why?”.", "He asked “why?” and T."),
        ('(He said "Go!".)', '(He said "Go!" and T.)'),
        ('He said "go..." .', 'He said "go..." and T .'),
        ("He left (in the U.S.).", "He left (in the U.S.) and T."),
        ("He has a Ph.D.", "He has a Ph.D. and T."),
        ("He has a Ph.D.!", "He has a Ph.D. and T!"),
        ("Here is Lt.Gen.", "Here is Lt.Gen. and T."),
        ("an M.Sc.", "an M.Sc. and T."),
        ("It is Acme Inc.", "It is Acme Inc. and T."),
        ("by Li et al.", "by Li et al. and T."),
        ("See www.cnn.com.", "See www.cnn.com and T."),
        ("He left.She left.", "He left.She left and T."),
        ("He was lost.", "He was lost and T."),
        ("apples, etc.", "apples, etc. and T."),
        ("apples, etc...", "apples, etc and T..."),
        ("in the U.S. .", "in the U.S. and T ."),
        ("It was plan B.", "It was plan B and T."),
        ("yeah,", "yeah, and T"),
        ("He said:", "He said: and T"),
        ("He left -", "He left - and T"),
        ("他走了。", "他走了 and T。"),
        ("هل ذهب؟\u200f", "هل ذهب and T؟\u200f"),
        ("He left. 😀", "He left. 😀 and T"),
        ("😀", "😀 and T"),
        ("...", "... and T"),
        ("42", "42 and T"),
        ("a\tb\nc.\n", "a\tb\nc and T.\n"),
    ],
)
def test_where_the_clause_goes(text: str, expected: str) -> None:
    assert attached(text) == expected


@pytest.mark.parametrize(
    ("attachment", "text", "expected"),
    [
        (Attachment("T", comma=True), "He left.", "He left, and T."),
        (Attachment("T", comma=True), "yeah,", "yeah, and T"),
        (Attachment("T", comma=True, repetitions=2), "yeah,", "yeah, and T, and T"),
        (
            Attachment(" green is not red ", repetitions=2),
            "Hm.",
            "Hm and green is not red and green is not red.",
        ),
    ],
)
def test_commas_and_repetitions(attachment: Attachment, text: str, expected: str) -> None:
    assert attached(text, attachment) == expected


@given(TEXTS, st.booleans(), st.integers(1, 3), st.sampled_from(["premise", "hypothesis"]))
def test_nothing_is_lost_whatever_the_text(
    texts: list[str], comma: bool, repetitions: int, side: str
) -> None:
    pairs = corpus(*texts)
    attachment = Attachment("true is true", repetitions, side, comma)  # type: ignore[arg-type]
    made = distract_pairs("stress/word-overlap", pairs, attachment)
    assert undo_edits(made).to_list() == texts
    assert has_consistent_edit(made).all()
    assert set(made["edit_from"]) == {""}
    assert made["label"].to_list() == pairs["label"].to_list()
    assert made["source_id"].to_list() == pairs["id"].to_list()
    assert made["id"].n_unique() == len(texts)
    other = "hypothesis" if side == "premise" else "premise"
    assert made[other].to_list() == texts
    for before, after in zip(texts, made[side], strict=True):
        assert after.count("and true is true") == before.count("and true is true") + repetitions


@given(TEXTS)
def test_attaching_a_clause_twice_is_refused(texts: list[str]) -> None:
    once = distract_pairs("stress/negation", corpus(*texts), Attachment("false is not true"))
    with pytest.raises(InputError, match=r"of \d+ pairs .*'and false is not true'.*'negation-0n'"):
        distract_pairs("stress/negation", once, Attachment("false is not true", repetitions=2))
    distract_pairs("stress/negation", once, Attachment("green is not red"))


@pytest.mark.parametrize(
    ("tautology", "repetitions", "pattern"),
    [
        (" ", 1, "blank"),
        ("", 1, "blank"),
        ('".', 1, "has no word"),
        ("T", 0, r"\b0\b.*\b1\b"),
        ("T", -1, r"-1\b.*\b1\b"),
        ("T", 1_001, r"\b1,001\b.*\b1,000\b"),
        ("T", 1_000_000_000, r"\b1,000\b"),
        ("and x is x", 1, "'and'"),
        (" And x is x", 1, "'and'"),
        (", x is x", 1, "begins .*','"),
        ("x is x.", 1, r"ends .*'\.'"),
        ('"x is x!" ', 1, "ends .*'!'"),
        ("x is x,", 1, "ends .*','"),
        ("x is\nx", 1, "line break"),
        ("x\tis x", 1, "a tab"),
        ("x\u2028is x", 1, "line break"),
    ],
)
def test_invalid_clauses_and_repetitions_are_refused(tautology: str, repetitions: int, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        WordOverlap(tautology=tautology, repetitions=repetitions)


@pytest.mark.parametrize(
    "tautology", ["android is android", "4.5 is 4.5", "'tis true", "هو هو", '"x" is "x"']
)
def test_other_clauses_are_taken(tautology: str) -> None:
    assert WordOverlap(tautology=tautology, repetitions=1_000).attachment.clause.count(tautology) >= 1_000


def test_a_text_of_ten_thousand_characters() -> None:
    for text in ("." * 10_000, "a" * 10_000, "a. " * 3_333, ". a" * 3_333, " " * 10_000 + "a"):
        assert undo_edits(distract_pairs("stress/negation", corpus(text), Attachment("T"))).to_list() == [
            text
        ]


@pytest.mark.parametrize(
    ("part", "side", "clause"),
    [
        (WordOverlap, "hypothesis", " and true is true"),
        (Negation, "hypothesis", " and false is not true"),
        (LengthMismatch, "premise", " and true is true" * 5),
    ],
)
def test_the_three_tests_are_those_of_the_paper(part: type[WordOverlap], side: str, clause: str) -> None:
    plan = part().plan(size=None, limit=None, seed=0, split="eval")
    made = plan.rows(0, len(plan))
    assert made["side"].unique().to_list() == [side]
    assert set(made["edit_to"].str.strip_suffix(".")) == {clause}
    assert tuple(made.columns[4:]) == part.tags


@pytest.mark.parametrize("part", CLASSES)
@pytest.mark.parametrize("mode", ["corrected", "faithful"])
@pytest.mark.parametrize(("name", "rows"), [("dev_matched", 9_815), ("dev_mismatched", 9_832)])
def test_every_labelled_pair_of_a_real_corpus_is_kept(
    part: type[WordOverlap], mode: str, name: str, rows: int, shared_data: Path
) -> None:
    file = str(shared_data / "mnli" / f"{name}.csv")
    plan = part(corpus=(file,), mode=mode).plan(size=None, limit=None, seed=0, split="eval")  # type: ignore[arg-type]
    assert len(plan) == rows
    made = plan.rows(0, rows)
    source = read_corpus(file).pairs.rename({"id": "source_id"})
    both = made.select("source_id", "side", "label", original=undo_edits(made)).join(source, on="source_id")
    side = made["side"][0]
    assert both.height == rows
    assert both["original"].to_list() == both[side].to_list()
    assert both["label"].to_list() == both["label_right"].to_list()
