"""Which audits run on which corpus, and where their options go."""

from __future__ import annotations

import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.run_audits import build_audits, run_audits
from rightreasons.core.registry import AUDITS

ROWS = [("a b", "a", "entailment"), ("c d", "e", "neutral")]
UNLABELLED = [("a b", "a", None), ("c d", "e", None)]


def test_all_audits_but_those_that_lack_a_required_option_are_the_default() -> None:
    assert list(build_audits((), {})) == [name for name in AUDITS.list_names() if name != "corruption"]


def test_options_go_to_all_that_accept_them_or_to_their_owner() -> None:
    audits = build_audits(("heuristics", "shape"), {"bins": 3, "heuristics.rule": "nested"})
    assert (audits["shape"].bins, audits["heuristics"].rule) == (3, "nested")  # type: ignore[attr-defined]
    owned = build_audits(("shape",), {"shape.bins": 4, "bins": 3})
    assert owned["shape"].bins == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        (("shape",), {"bin": 3}, "bins"),
        (("shape",), {"heuristics.rule": "nested"}, "heuristics.rule"),
        (("shap",), {}, "shape"),
        (("corruption",), {}, "model"),
    ],
)
def test_unknown_names_and_missing_options_are_refused(
    names: tuple[str, ...], options: dict[str, object], text: str
) -> None:
    with pytest.raises(rr.InputError, match=text):
        build_audits(names, options)


def test_audits_that_need_labels_are_skipped_without_them() -> None:
    audits = build_audits(("shape", "duplicates"), {})
    labelled, unlabelled = run_audits([make_corpus(ROWS, "one"), make_corpus(UNLABELLED, "two")], audits)
    assert list(labelled.results) == ["shape", "duplicates"]
    assert (list(unlabelled.results), list(unlabelled.skipped)) == (["duplicates"], ["shape"])
    assert all(address.startswith("duplicates.") for address in unlabelled.list_figures())


def test_a_named_audit_must_be_possible() -> None:
    with pytest.raises(rr.InputError, match=r"shape.*none has a gold label"):
        run_audits([make_corpus(UNLABELLED)], build_audits(("shape",), {}), named=True)
    with pytest.raises(rr.InputError, match="annotator_labels"):
        run_audits([make_corpus(ROWS)], build_audits(("agreement",), {}), named=True)


def test_a_corpus_that_allows_no_audit_is_refused() -> None:
    one_label = make_corpus([("a", "b", "neutral"), ("c", "d", "neutral")])
    with pytest.raises(rr.InputError, match="No audit"):
        run_audits([one_label], build_audits(("shape",), {}))
