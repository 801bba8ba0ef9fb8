"""The rules of the heuristics: nested over words, and the literal ones of the HANS paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora_by_hand import make_corpus
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.overlap_rules import RULES, apply_nested_rules, apply_published_rules
from rightreasons.core.labels import ENTAILMENT
from rightreasons.corpora.corpus import read_damaged_corpus

if TYPE_CHECKING:
    from pathlib import Path

Counts = dict[str, tuple[int, int]]
PARSE = "(ROOT (S (NP (DT The) (NN judge)) (VP (VBD did) (RB n't) (VP (VB see) (NP (NNP Ann)))) (. .)))"
BINARY = "( ( The judge ) ( ( did ( n't ( see Ann ) ) ) . ) )"


def fits(premise: str, hypothesis: str, rule: str, **parses: str) -> list[str]:
    """List the heuristics that a pair fits."""
    columns = {name: [parse] for name, parse in parses.items()}
    found = RULES[rule](make_corpus([(premise, hypothesis, ENTAILMENT)], **columns))
    return [name for name, values in found.items() if values[0]]


def count(corpus: AuditCorpus, rule: str) -> Counts:
    """Count the pairs that support and contradict each heuristic."""
    entailed = corpus.pairs["label"] == ENTAILMENT
    return {
        name: (int((values & entailed).sum()), int((values & ~entailed).sum()))
        for name, values in RULES[rule](corpus).items()
    }


@pytest.mark.parametrize(
    ("premise", "hypothesis", "nested", "published"),
    [
        ("The judge saw Ann.", "Ann saw the judge.", ["lexical_overlap"], []),
        ("The judge saw Ann .", "Ann saw the judge .", ["lexical_overlap"], ["lexical_overlap"]),
        ("The judge saw Ann.", "Saw Ann", ["lexical_overlap", "subsequence"], ["subsequence"]),
        ("You hurt yourself", "you hurt your", [], ["subsequence"]),
        ("The judge saw Ann.", "The lawyer saw Ann.", [], []),
        ("The judge saw Ann.", "...", [], []),
        ("The judge saw Ann.", ".", [], ["lexical_overlap", "subsequence"]),
        (
            "A b c",
            "b c",
            ["lexical_overlap", "subsequence"],
            ["lexical_overlap", "subsequence", "subsequence of words"],
        ),
    ],
)
def test_rules_on_single_pairs(
    premise: str, hypothesis: str, nested: list[str], published: list[str]
) -> None:
    assert fits(premise, hypothesis, "nested") == nested
    assert fits(premise, hypothesis, "published") == published


@pytest.mark.parametrize(
    ("hypothesis", "nested", "published"),
    [
        ("The judge.", True, True),
        ("see Ann", True, True),
        ("Didn't see Ann!", True, False),
        ("judge didn't", False, False),
        ("The judge didn't see Ann.", True, False),
        ("Ann", True, False),
    ],
)
def test_constituents(hypothesis: str, *, nested: bool, published: bool) -> None:
    premise, parses = "The judge didn't see Ann.", {"premise_parse": PARSE, "premise_binary_parse": BINARY}
    assert ("constituent" in fits(premise, hypothesis, "nested", **parses)) is nested
    assert ("constituent" in fits(premise, hypothesis, "published", **parses)) is published


def test_without_a_parse_the_constituent_heuristic_is_unknown() -> None:
    rows = [("The judge did n't see Ann .", "see Ann", ENTAILMENT)] * 2
    corpus = make_corpus(rows, premise_parse=[PARSE, None], premise_binary_parse=[None, BINARY])
    assert apply_nested_rules(corpus)["constituent"].to_list() == [True, None]
    assert apply_published_rules(corpus)["constituent"].to_list() == [None, True]
    assert "constituent" not in apply_nested_rules(make_corpus(rows))


WORDS = st.lists(st.sampled_from(["a", "b", "C", "c.", "b,", "'a'", "don't"]), max_size=6).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6))
def test_the_nested_rules_are_nested(texts: list[tuple[str, str]]) -> None:
    parses = [f"(S {' '.join(f'(X {word})' for word in premise.split()) or '(X a)'})" for premise, _ in texts]
    corpus = make_corpus([(*both, ENTAILMENT) for both in texts], premise_parse=parses)
    found = apply_nested_rules(corpus)
    assert not (found["subsequence"] & ~found["lexical_overlap"]).any()
    assert not (found["constituent"] & ~found["subsequence"]).any()


def test_multinli_dev_matched(shared_data: Path) -> None:
    pairs = read_damaged_corpus(str(shared_data / "mnli" / "dev_matched.csv"))
    corpus = AuditCorpus.from_challenge_set(pairs).labelled
    assert count(corpus, "nested") == {"lexical_overlap": (211, 27), "subsequence": (69, 2)}
    assert count(corpus, "published") == {
        "lexical_overlap": (54, 5),
        "subsequence": (39, 0),
        "subsequence of words": (30, 0),
    }


def test_the_released_contradicting_pairs(hans_data: Path) -> None:
    file = hans_data / "mnli_contradicting_examples"
    corpus = AuditCorpus.from_challenge_set(read_damaged_corpus(str(file)))
    assert dict(corpus.pairs["label"].value_counts().iter_rows()) == {"contradiction": 179, "neutral": 82}
    published = count(corpus, "published")
    assert len(corpus) == 261
    assert (published["lexical_overlap"], published["subsequence"]) == ((0, 261), (0, 55))
