"""Pairs from a parsed corpus: all three parts attested, negation as requested, well-formed sentences."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError
from rightreasons.sets.nps.corpus_pairs import (
    COLUMNS,
    Rules,
    build_nps_pairs,
    collect_attested_from_parses,
    drop_negation,
)
from rightreasons.sets.nps.nps import Nps
from rightreasons.sets.nps.phrases import NEGATION
from rightreasons.sets.nps.verbs import VERBS, look_up_verbs

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.sets.corpus_set import TablePlan

HEARD = [VERBS["heard"]]
GUARD = "(NP (DT The) (NN guard))"


def s(subject: str, predicate: str) -> str:
    return f"(ROOT (S {subject} {predicate} (. .)))"


SAID = s(GUARD, "(VP (VBD said) (NP (PRP it)))")
HEARS = s(GUARD, "(VP (VBZ hears) (NP (DT the) (NN speech)))")
LATE = s("(NP (DT The) (NN speech))", "(VP (VBD was) (ADJP (JJ late)))")
LONG = s("(NP (DT A) (JJ long) (NN speech))", "(VP (VBD was) (VP (VBN planned)))")
DENIED = s("(NP (DT The) (NN speech))", "(VP (VBD was) (RB not) (ADJP (JJ late)))")
OTHERS = s("(NP (DT The) (NN meal))", "(VP (VBD was) (ADJP (JJ late)))")


def corpus(*parses: str) -> pl.DataFrame:
    rows = [{"id": f"r{number}", "premise_parse": parse} for number, parse in enumerate(parses)]
    return pl.DataFrame(rows, schema={"id": pl.String, "premise_parse": pl.String})


def build_texts(*parses: str, **rules: Any) -> list[tuple[str, str]]:
    table, _ = build_nps_pairs(
        collect_attested_from_parses(corpus(*parses)), HEARD, Rules(**rules), "nps", 1, 0
    )
    return table.select("premise", "hypothesis").rows()


def test_the_three_conditions_make_a_pair() -> None:
    expected = [("The guard heard the speech was late.", "The guard heard the speech.")]
    assert build_texts(SAID, HEARS, LATE, LONG, OTHERS) == expected
    assert build_texts(SAID, LATE, OTHERS) == []
    assert build_texts(SAID, HEARS, OTHERS) == []


def test_heads_match_more_than_phrases() -> None:
    found = build_texts(SAID, HEARS, LATE, LONG, OTHERS, match="head")
    assert ("The guard heard a long speech was planned.", "The guard heard a long speech.") in found
    assert len(found) == 2


def test_sources_and_tags_are_kept() -> None:
    table, remarks = build_nps_pairs(
        collect_attested_from_parses(corpus(SAID, HEARS, LATE)), HEARD, Rules(), "nps", 1, 0
    )
    assert tuple(table.columns) == COLUMNS
    assert table.rows(named=True) == [
        {
            "id": "nps-heard-r2:premise-1",
            "premise": "The guard heard the speech was late.",
            "hypothesis": "The guard heard the speech.",
            "label": "non-entailment",
            "set": "nps",
            "subcase": "heard",
            "group": "r2:premise",
            "verb": "heard",
            "match": "exact",
            "noun": "speech",
            "subject_source": "r1:premise",
            "object_source": "r1:premise",
            "clause_source": "r2:premise",
        }
    ]
    (remark,) = remarks
    assert remark.startswith("heard: ")
    assert re.findall(r"\d+", remark) == ["1"] * 5


def test_negation_is_left_out_kept_or_removed() -> None:
    rows = (SAID, HEARS, DENIED)
    assert build_texts(*rows) == []
    assert build_texts(*rows, negation="any")[0][0] == "The guard heard the speech was not late."
    assert build_texts(*rows, negation="removed")[0][0] == "The guard heard the speech was late."


def test_removal_mends_what_a_contraction_leaves() -> None:
    assert drop_negation(("he", "ca", "n't", "come")) == ("he", "can", "come")
    assert drop_negation(("they", "are", "of", "no", "use")) == ("they", "are", "of", "use")


@pytest.mark.parametrize(
    "clause",
    [
        s("(NP (DT The) (NN speech))", "(VP (VBD was) (ADJP (JJ true)))"),
        s("(NP (DT The) (NN speech))", "(VP (VBP are) (ADJP (JJ late)))"),
        s("(NP (DT The) (NN speech))", "(VP (VBD was))"),
        s("(NP (DT The) (NN speech))", "(VP (VBD was) (PP (IN about)))"),
        s("(NP (DT The) (NN speech))", "(VP (VBD given) (ADVP (RB there)))").replace("given", "printed"),
        s("(NP (DT a) (JJ old) (NN speech))", "(VP (VBD was) (ADJP (JJ late)))"),
        s("(NP (NN speech))", "(VP (VBD was) (ADJP (JJ late)))"),
        LATE.replace("(. .)", "(. ?)"),
        s("(NP (DT The) (NN speech))", "(ADVP (RB off)) (VP (MD must) (VP (VB be) (VP (VBN heard))))"),
        s("(NP (DT The) (NN speech))", "(VP (VBD static) (ADVP (RB there)))"),
        s("(NP (DT The) (NN speech))", "(VP (VBD converse) (PP (IN in) (NP (DT the) (NN hall))))"),
        s("(NP (DT The) (NN speech))", "(VP (VBZ 's) (NP (JJ late) (NN hour)))"),
        s(
            "(NP (DT The) (NN speech))",
            "(VP (VBZ is) (S (NP (DT the) (NN speech)) (VP (VBZ is) (ADJP (JJ late)))))",
        ),
    ],
)
def test_implausible_clauses_are_left_out_unless_asked_for(clause: str) -> None:
    assert build_texts(SAID, HEARS, clause, match="head") == []
    assert len(build_texts(SAID, HEARS, clause, match="head", plausible=False)) == 1


DOGS = s("(NP (DT The) (NNS dogs))", "(VP {} (PP (IN in) (NP (DT the) (NN yard))))")


@pytest.mark.parametrize(
    ("verb", "known_pairs"),
    [
        ("(VBP play)", 1),
        ("(VBD read)", 1),
        ("(VBD saw)", 1),
        ("(VBP have)", 0),  # it wants an object
        ("(VBD converse)", 0),  # no past tense
    ],
)
def test_after_a_verb_of_perception_no_clause_looks_like_an_infinitive(verb: str, known_pairs: int) -> None:
    rows = (SAID, HEARS.replace("speech", "dogs"), DOGS.format(verb))
    known = collect_attested_from_parses(
        corpus(*rows, HEARS.replace("hears", "knows").replace("speech", "dogs"))
    )
    assert VERBS["heard"].perceives
    assert VERBS["felt"].perceives
    assert build_texts(*rows, match="head") == []
    table, _ = build_nps_pairs(known, [VERBS["knew"]], Rules(match="head"), "nps", 1, 0)
    assert table.height == known_pairs


@pytest.mark.parametrize("verb", ["(VBP are)", "(VBD were)", "(MD will) (VP (VB play))", "(VBD went)"])
def test_after_a_verb_of_perception_other_clauses_are_kept(verb: str) -> None:
    assert len(build_texts(SAID, HEARS.replace("speech", "dogs"), DOGS.format(verb), match="head")) == 1


@pytest.mark.parametrize("subject", ["(NP (PRP$ Your) (NN you))", "(NP (JJ Sure) (NN everybody))"])
def test_no_word_stands_before_a_pronoun(subject: str) -> None:
    said, hears = (row.replace(GUARD, subject) for row in (SAID, HEARS))
    assert build_texts(said, hears, LATE) == []


def test_who_speaks_is_not_who_is_spoken_of() -> None:
    heard = s(GUARD, "(VP (VBZ hears) (NP (DT the) (NN guard)))")
    late = s(GUARD, "(VP (VBD was) (ADJP (JJ late)))")
    assert build_texts(SAID, heard, late) == []


def test_pairs_of_one_noun_are_bounded() -> None:
    many = [LATE.replace("late", word) for word in "dull long short good bad new old loud free late".split()]  # noqa: SIM905 - words read best as text
    assert len(build_texts(SAID, HEARS, *many, per_noun=4)) == 4
    assert len(build_texts(SAID, HEARS, *many)) == 10


def test_order_of_the_rows_is_of_no_matter() -> None:
    rows = corpus(SAID, SAID.replace("guard", "king"), HEARS.replace("guard", "king"), HEARS, LATE, LONG)
    one, two = (
        build_nps_pairs(collect_attested_from_parses(part), HEARD, Rules(match="head"), "nps", 1, 0)[0]
        for part in (rows, rows.reverse())
    )
    assert one.sort("id").equals(two.sort("id"))
    assert one.height == 2


def test_malformed_parses_are_counted() -> None:
    known = collect_attested_from_parses(corpus(HEARS, "(ROOT (S", ")", SAID))
    (remark,) = known.remarks
    assert re.search(r"\b2 .*\br1:premise\b", remark)


@pytest.mark.parametrize("parses", [[], [None]])
def test_a_corpus_without_parses_is_refused(parses: list[str]) -> None:
    with pytest.raises(InputError, match="parses"):
        collect_attested_from_parses(corpus(*parses))
    with pytest.raises(InputError, match="parses"):
        planned(Nps(corpus=("pocket",)))


# ------------------------------------------------------------------------------------------------ the set
def planned(chosen: Nps, **sizes: Any) -> TablePlan:
    return chosen.plan(**{"size": None, "limit": None, "seed": 0, "split": "eval", **sizes})  # type: ignore[return-value]


def test_a_corpus_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "parsed.jsonl"
    rows = [
        {
            "id": str(number), "premise": "x", "hypothesis": "y", "label": "neutral",
            "premise_parse": parse, "hypothesis_parse": "(ROOT (X y))",
        }
        for number, parse in enumerate((SAID, HEARS, LATE))
    ]  # fmt: skip
    file.write_text("\n".join(json.dumps(row) for row in rows))
    part = Nps(corpus=(str(file),))
    plan = planned(part)
    assert plan.table.columns == ["id", "premise", "hypothesis", "label", *part.tags]
    assert plan.table["premise"].to_list() == ["The guard heard the speech was late."]
    assert plan.card.options["corpus"] == [str(file)]
    assert list(plan.card.sources) == ["parsed.jsonl"]
    with pytest.raises(TooFewPairsError, match=r"\b5 "):
        planned(Nps(corpus=(str(file),)), limit=5)


@pytest.mark.parametrize("parser", ["benepar", "spacy:", "spacy:no_such_model_of_ours"])
def test_parsers_that_are_not_there_are_named(parser: str) -> None:
    with pytest.raises(InputError, match=parser.removeprefix("spacy:") or "spacy:"):
        planned(Nps(corpus=("pocket",), parser=parser))


def test_a_real_pipeline_without_a_parser_is_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="dependencies"):
        planned(Nps(corpus=("pocket",), parser=f"spacy:{tmp_path / 'blank'}"))


def test_unknown_verbs_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'belived'.*believed"):
        planned(Nps(corpus=("pocket",), verbs=("belived",)))


def test_any_verb_can_be_asked_for_by_its_past_tense() -> None:
    noticed, saw, listed = look_up_verbs(["noticed", "saw", "heard"])
    assert {"notice", "notices", "noticed", "noticing"} <= noticed.forms
    assert {"see", "sees", "saw", "seen", "seeing"} <= saw.forms
    assert noticed.perceives
    assert listed is VERBS["heard"]
    notices = HEARS.replace("hears", "notices")
    table, _ = build_nps_pairs(
        collect_attested_from_parses(corpus(SAID, notices, LATE)), [noticed], Rules(), "nps", 1, 0
    )
    assert table["premise"].to_list() == ["The guard noticed the speech was late."]
    assert look_up_verbs(["all", "heard"]) == list(VERBS.values())


@pytest.mark.slow
def test_the_parsed_train_files_give_as_many_as_the_page_says(shared_data: Path) -> None:
    names = tuple(str(shared_data / "parsed" / f"{name}_train_parsed.tsv") for name in ("mnli", "snli"))
    plan = planned(Nps(corpus=names, match="head", verbs=("all",)))
    table = plan.table
    assert table.height == 580  # the total of the table in docs/papers/nps.md
    assert table["id"].n_unique() == table["premise"].n_unique() == table.height
    assert table.select((pl.col("premise") == pl.col("hypothesis")).any()).item() is False
    starts = table.select(pl.col("premise").str.starts_with(pl.col("hypothesis").str.strip_suffix(".")).all())
    assert starts.item()
    words = table["premise"].str.to_lowercase().str.extract_all(r"[a-z']+").list.explode()
    assert not NEGATION.intersection(words)
    counted = [remark for remark in plan.card.remarks if "subjects (i)" in remark]
    assert [remark.split(":")[0] for remark in counted] == list(VERBS)
