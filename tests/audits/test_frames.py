"""The audit of frames: counts of verbs by frame, the threshold, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.frames import FramesAudit
from rightreasons.audits.run_audits import run_possible_audits
from rightreasons.corpora.corpus import read_damaged_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.audit_result import AuditResult

SAW = ("Ann saw Tom .", "(ROOT (S (NP (NNP Ann)) (VP (VBD saw) (NP (NNP Tom))) (. .)))")
SLEPT = ("Ann slept .", "(ROOT (S (NP (NNP Ann)) (VP (VBD slept)) (. .)))")
SLEPT_THERE = (
    "Ann slept in it .",
    "(ROOT (S (NP (NNP Ann)) (VP (VBD slept) (PP (IN in) (NP (PRP it)))) (. .)))",
)
MADE_SEEN = (
    "Ann saw him go .",
    "(ROOT (S (NP (NNP Ann)) (VP (VBD saw) (S (NP (PRP him)) (VP (VB go)))) (. .)))",
)
BELIEVED = (
    "Ann believed it .",
    "(ROOT (S (NP (NNP Ann)) (VP (VBD believed) (NP (PRP it))) (. .)))",
)
Sentence = tuple[str, str]


def corpus_of(*pairs: tuple[Sentence, Sentence]) -> AuditCorpus:
    rows = [(premise[0], hypothesis[0], "neutral") for premise, hypothesis in pairs]
    return make_corpus(
        rows,
        premise_parse=[premise[1] for premise, _ in pairs],
        hypothesis_parse=[hypothesis[1] for _, hypothesis in pairs],
    )


def table(result: AuditResult, key: str = "frames") -> pl.DataFrame:
    return next(exhibit.frame for exhibit in result.exhibits if exhibit.key == key)


def row(result: AuditResult, verb: str, frame: str) -> dict[str, object]:
    return table(result).row(by_predicate=(pl.col("verb") == verb) & (pl.col("frame") == frame), named=True)


def test_occurrences_count_in_each_text_and_sentences_once() -> None:
    result = FramesAudit(scale=False).audit(corpus_of((SAW, SLEPT), (SAW, SAW), (SLEPT_THERE, MADE_SEEN)))
    seen = row(result, "see", "object")
    # An object with a complement is an object too.
    assert (seen["count"], seen["sentences"]) == (4, 2)
    assert "sn_NP/Z" in str(seen["subcases"])
    slept = row(result, "sleep", "intransitive")
    assert (slept["count"], slept["sentences"]) == (2, 2)
    matrix = table(result, "frames-matrix")
    assert matrix.filter(verb="see").select("all", "object", "object-complement", "passive").row(0) == (
        4,
        3,
        1,
        0,
    )
    assert matrix.filter(verb="sleep").select("all", "intransitive", "pp").row(0) == (2, 1, 1)


def test_rates_are_per_million_words_and_per_pair() -> None:
    result = FramesAudit(scale=False).audit(corpus_of((SAW, SLEPT), (SLEPT, SLEPT)))
    seen = row(result, "see", "object")
    assert seen["per million words"] == pytest.approx(1e6 / (4 + 3 + 3 + 3))
    assert seen["scaled"] == 392_702 // 2


def test_clusters_of_pairs_with_the_same_premise_widen_the_interval() -> None:
    together = row(FramesAudit().audit(corpus_of(*[(SAW, SAW)] * 8)), "see", "object")
    others = [(SAW[0].replace("Tom", name), SAW[1].replace("Tom", name)) for name in "ABCDEFGH"]
    apart = row(FramesAudit().audit(corpus_of(*[(each, SLEPT) for each in others])), "see", "object")
    assert (together["count"], apart["count"]) == (16, 8)
    assert float(str(together["count_low"])) < float(str(apart["count_low"])) < 8
    # 16 occurrences in one cluster are as good as one: a score interval of 1, times 16.
    assert together["count_high"] == pytest.approx(16 * 5.6649, rel=1e-4)


def test_without_scaling_the_count_alone_decides() -> None:
    pairs = [(SAW, SLEPT)] * 3
    verdicts = {
        least: (row(found, "see", "object")["attested"], row(found, "believe", "object")["attested"])
        for least in (3, 4)
        for found in [FramesAudit(scale=False, least=least).audit(corpus_of(*pairs))]
    }
    assert verdicts == {3: ("yes", "no"), 4: ("no", "no")}


def test_a_scaled_threshold_is_uncertain_inside_the_interval() -> None:
    several = [(SAW[0].replace("Tom", f"T{n}"), SAW[1].replace("Tom", f"T{n}")) for n in range(40)]
    corpus = corpus_of(*[(each, SLEPT) for each in several], (SLEPT_THERE, BELIEVED))
    # 41 pairs, so that a threshold of 95,780 is 10 and one of 400,000 is 41.8.
    result = FramesAudit(least=95_780).audit(corpus)
    seen = row(result, "see", "object")
    assert seen["threshold"] == pytest.approx(10.0, abs=1e-3)
    assert seen["attested"] == "yes"
    assert row(result, "believe", "object")["attested"] == "no"
    assert row(FramesAudit(least=400_000).audit(corpus), "see", "object")["attested"] == "uncertain"


def test_figures_are_shares_of_the_combinations() -> None:
    result = FramesAudit(verbs=("see", "sleep", "shout"), scale=False, least=1).audit(corpus_of((SAW, SLEPT)))
    figure = result.get_figure("attested")
    assert (figure.value, figure.n) == (2 / 3, 3)
    assert (figure.low, figure.high) == (2 / 3, 2 / 3)
    everything = FramesAudit(scale=False).audit(corpus_of((SAW, SLEPT)))
    names = [figure.name for figure in everything.figures]
    assert names == ["attested", "attested.hans", "attested.nps"]


def test_other_verbs_have_counts_only() -> None:
    laughed = (SAW[0].replace("saw", "noticed"), SAW[1].replace("saw", "noticed"))
    result = FramesAudit(verbs=("notice",)).audit(corpus_of((laughed, SLEPT)))
    assert table(result).is_empty()
    assert result.figures == ()
    assert table(result, "frames-matrix").select("verb", "object").rows() == [("notice", 1)]


def test_verbs_must_be_base_forms() -> None:
    with pytest.raises(rr.InputError, match="'believed'"):
        FramesAudit(verbs=("see", "believed"))


@pytest.mark.parametrize("options", [{"least": 0}, {"examples": -1}, {"sample": -1}])
def test_options_out_of_range_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(rr.InputError, match=next(iter(options))):
        FramesAudit(**options)


def test_broken_parses_are_counted_and_left_out() -> None:
    broken = [
        (SAW[0], SAW[1][:-1]),
        (SAW[0], "( ( Ann saw ) Tom )"),
        (SAW[0], "(S (NP) (VP (VBD saw)))"),
        (SAW[0], None),
    ]
    rows = [(text, "x", None) for text, _ in broken]
    corpus = make_corpus(
        [*rows, (SAW[0], SLEPT[0], None)],
        premise_parse=[*(parse for _, parse in broken), SAW[1]],
        hypothesis_parse=[SLEPT[1]] * 5,
    )
    result = FramesAudit(scale=False, least=1).audit(corpus)
    assert row(result, "see", "object")["count"] == 1
    assert [remark.split()[0] for remark in result.remarks] == ["4"]


def test_without_a_usable_parse_nothing_is_certain() -> None:
    binary = (SAW[0], "( ( Ann ( saw Tom ) ) . )")
    result = FramesAudit().audit(corpus_of((binary, binary)))
    assert table(result)["attested"].unique().to_list() == ["uncertain"]
    assert result.get_figure("attested").value == 0
    assert [remark.split()[0] for remark in result.remarks] == ["2"]


def test_transcripts_of_speech_are_skipped_unless_they_are_to_count() -> None:
    spoken = (
        "uh i saw him yeah",
        "(ROOT (S (INTJ (UH uh)) (NP (FW i)) (VP (VBD saw) (NP (PRP him)) (INTJ (UH yeah)))))",
    )
    corpus = corpus_of((spoken, SAW))
    skipped, counted = (FramesAudit(speech=speech).audit(corpus) for speech in ("skip", "count"))
    assert row(skipped, "see", "object")["count"] == 1
    assert [remark.split()[0] for remark in skipped.remarks] == ["1"]
    assert row(counted, "see", "object")["count"] == 2
    assert counted.remarks == ()
    # The threshold is that of all pairs, with transcripts or without.
    assert row(skipped, "see", "object")["threshold"] == row(counted, "see", "object")["threshold"]


def test_examples_and_sample_mark_the_verb() -> None:
    result = FramesAudit(examples=1, sample=2).audit(corpus_of((SAW, SLEPT), (SLEPT_THERE, SLEPT)))
    examples = table(result, "frames-examples")
    assert examples.select("verb", "frame", "sentence", "side", "id").rows() == [
        ("see", "object", "Ann >>saw<< Tom .", "premise", "ex0"),
        ("sleep", "intransitive", "Ann >>slept<< .", "hypothesis", "ex0"),
        ("sleep", "pp", "Ann >>slept<< in it .", "premise", "ex1"),
    ]
    assert table(result, "frames-sample").height == 2


def test_the_sample_depends_on_the_seed_alone() -> None:
    several = [(SAW[0].replace("Tom", f"T{n}"), SAW[1].replace("Tom", f"T{n}")) for n in range(40)]
    corpus = corpus_of(*[(each, SLEPT) for each in several])
    first, again, other = (
        table(FramesAudit(sample=10, seed=seed).audit(corpus), "frames-sample") for seed in (1, 1, 2)
    )
    assert first.equals(again)
    assert not first.equals(other)
    assert first["sentence"].n_unique() == 10


def test_a_corpus_without_parses_is_skipped() -> None:
    (audited,) = run_possible_audits([make_corpus([("a", "b", "neutral")])], {"frames": FramesAudit()})
    assert "premise_parse" in audited.skipped["frames"]


def test_parsed_multinli_has_the_verbs_of_hans(shared_data: Path) -> None:
    corpus = AuditCorpus.from_challenge_set(
        read_damaged_corpus(str(shared_data / "parsed" / "mnli_train_parsed.tsv"))
    )
    result = FramesAudit().audit(corpus)
    attested = result.get_figure("attested.hans")
    assert attested.n == 86
    assert attested.value > 0.8
    assert row(result, "see", "object")["attested"] == "yes"


def test_the_summary_counts_certain_and_uncertain_combinations() -> None:
    corpus = corpus_of((SAW, SLEPT), (SAW, SAW), (SLEPT_THERE, MADE_SEEN))
    for audit in (FramesAudit(verbs=("see",)), FramesAudit(verbs=("see",), least=3, scale=False)):
        result = audit.audit(corpus)
        verdicts = table(result)["attested"].to_list()
        numbers = [int(word) for word in result.summary.split() if word.isdigit()]
        counts = [verdicts.count(word) for word in ("yes", "no", "uncertain")]
        assert [numbers[0], numbers[1], *numbers[-2:]] == [len(verdicts), *counts]
