"""The audit of cues: planted ones are found, shuffled labels have none, and HANS gives its labels away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from corpora_by_hand import make_corpus
from scipy.stats import binom

import rightreasons as rr
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.cues import CuesAudit
from rightreasons.audits.training_audit import CUE_KEYS
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.corpora.corpus import read_damaged_corpus
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.audit_result import AuditResult

LABELS = ("entailment", "neutral", "contradiction")
PLANTED = "zebra"
PAIRS = 2_000
HALF = [("A dog ran.", f"Dogs number {i} ran.", LABELS[i % 2]) for i in range(40)]


def get_table(result: AuditResult, key: str) -> pl.DataFrame:
    return next(exhibit.frame for exhibit in result.exhibits if exhibit.key == key)


def make_random_corpus(seed: int, *, planted: bool, shared: int = 1) -> AuditCorpus:
    """Make hypotheses of six random words each; a planted cue ends 1% of them, 90% of which are contradictions."""
    rng = np.random.default_rng(seed)
    words = np.minimum(rng.zipf(1.3, size=(PAIRS, 6)), 400).tolist()
    labels = rng.choice(LABELS, size=PAIRS).tolist()
    texts = [" ".join(f"w{number}" for number in row) for row in words]
    if planted:
        of_label = [row for row in range(PAIRS) if labels[row] == "contradiction"]
        others = [row for row in range(PAIRS) if labels[row] != "contradiction"]
        for row in [*rng.choice(of_label, 18, replace=False), *rng.choice(others, 2, replace=False)]:
            texts[row] += f" {PLANTED}"
    rows = [(f"p{row // shared}", texts[row], labels[row]) for row in range(PAIRS)]
    return make_corpus(rows)


def count_discoveries(corpus: AuditCorpus) -> tuple[int, int, bool]:
    """Count the significant cues, those that have nothing to do with the planted one, and whether that one is found."""
    table = get_table(CuesAudit().audit(corpus), "cues-all").filter(significant="yes")
    false = table.filter(~pl.col("cue").str.contains(PLANTED))
    found = table.filter(cue=PLANTED)["label"].to_list()
    return table.height, false.height, found == ["contradiction"]


def check_planted_cues(corpora: int) -> None:
    counts = [count_discoveries(make_random_corpus(seed, planted=True)) for seed in range(corpora)]
    assert np.mean([false / max(every, 1) for every, false, _ in counts]) <= 0.05
    assert np.mean([found for *_, found in counts]) >= 0.95


def check_shuffled_labels(corpora: int) -> None:
    counts = [count_discoveries(make_random_corpus(seed, planted=False)) for seed in range(corpora)]
    # One in a hundred times a test that is wrong in 5% of the corpora would be wrong more often than that.
    assert sum(every > 0 for every, *_ in counts) <= binom.isf(0.01, corpora, 0.05)


def test_planted_cues_are_found_and_little_else() -> None:
    check_planted_cues(20)


def test_independent_labels_have_no_cues() -> None:
    check_shuffled_labels(20)


@pytest.mark.slow
def test_planted_cues_are_found_in_200_corpora() -> None:
    check_planted_cues(200)


@pytest.mark.slow
def test_independent_labels_have_no_cues_in_200_corpora() -> None:
    check_shuffled_labels(200)


def make_small_corpus(**tags: Any) -> AuditCorpus:
    """Make 60 pairs: 'never' in 12, all contradictions; 'a dog' in 12 others, 11 of which are entailments."""
    rows = [("p", f"x{i} never sat y{i}", "contradiction") for i in range(12)]
    rows += [("p", f"x{i} a dog z{i}", "entailment" if i < 11 else "contradiction") for i in range(12)]
    rows += [("p", f"u{i}", "entailment" if i < 19 else "contradiction") for i in range(36)]
    return make_corpus([(f"p{place}", *rest) for place, (_, *rest) in enumerate(rows)], **tags)


def test_the_table_of_cues_by_hand() -> None:
    result = CuesAudit().audit(make_small_corpus())
    table = get_table(result, "cues")
    assert table.columns[: len(CUE_KEYS)] == list(CUE_KEYS)
    assert table.select("cue", "label", "n", "share", "corpus share", "effective n").rows() == [
        ("never", "contradiction", 12, 1.0, 0.5, 12.0),
        ("sat", "contradiction", 12, 1.0, 0.5, 12.0),
        ("a", "entailment", 12, 11 / 12, 0.5, 12.0),
        ("dog", "entailment", 12, 11 / 12, 0.5, 12.0),
    ]
    assert table["z"].to_list() == pytest.approx([12**0.5] * 2 + [5 / 12 * 48**0.5] * 2)
    assert table["PMI"].to_list() == pytest.approx([1, 1, np.log2(11 / 6), np.log2(11 / 6)])
    low, high = wilson_interval(11, 12)
    assert table.row(2, named=True)["share_low"] == pytest.approx(float(low))
    assert table.row(2, named=True)["share_high"] == pytest.approx(float(high))
    # Tested: never, sat, never sat; a, dog, a dog; each for two labels. The p values are 2^-12 and 13 x 2^-12.
    assert table["p"].to_list() == pytest.approx([2**-12 * 12 / 3] * 2 + [13 * 2**-12 * 12 / 6] * 2)


def test_all_cues_have_their_critical_share() -> None:
    table = get_table(CuesAudit(top=1, rows=5).audit(make_small_corpus()), "cues-all")
    found = table.filter(significant="yes")
    assert found["cue"].to_list() == ["never", "sat", "never sat", "a", "dog"]
    assert found["rank"].to_list() == [1, 2, 3, 4, 5]
    assert set(table["critical share"]) == {11 / 12}
    assert table.filter(significant="no")["rank"].null_count() == 6


def test_bigrams_that_add_nothing_are_left_out_of_the_first_table() -> None:
    rows = [(f"p{i}", f"q{i} in fact", "contradiction" if i < 14 else "entailment") for i in range(15)]
    rows += [(f"r{i}", f"s{i} in t{i}", "entailment") for i in range(15)]
    rows += [(f"v{i}", f"w{i}", LABELS[2 * (i % 2)]) for i in range(60)]
    cues = get_table(CuesAudit().audit(make_corpus(rows)), "cues")["cue"].to_list()
    assert cues == ["fact"]


def test_figures_count_the_pairs_with_strong_and_certain_cues() -> None:
    result = CuesAudit().audit(make_small_corpus())
    for name, hits in (("strong", 24), ("certain", 12)):
        figure = result.get_figure(name)
        low, high = wilson_interval(hits, 60)
        assert (figure.value, figure.n, figure.baseline) == (hits / 60, 60, 0.0)
        assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high))
    assert CuesAudit(strong=0.9).audit(make_small_corpus()).get_figure("strong").value == 12 / 60


def test_pairs_of_one_group_are_one_piece_of_evidence() -> None:
    """All pairs with 'never' are of two groups, as if one writer liked the word."""
    groups = [f"g{i // 6}" if i < 12 else f"h{i}" for i in range(60)]
    result = CuesAudit().audit(make_small_corpus(group=groups))
    assert "never" not in get_table(result, "cues")["cue"].to_list()
    row = get_table(result, "cues-all").filter(cue="never", label="contradiction").row(0, named=True)
    assert row["effective n"] == pytest.approx(2)
    low, high = wilson_interval(2, 2)
    assert (row["share_low"], row["share_high"]) == (pytest.approx(low), high)


def test_repeated_hypotheses_are_one_piece_of_evidence() -> None:
    rows = [(f"p{i}", "Someone never sat.", "contradiction") for i in range(30)]
    rows += [(f"q{i}", f"x{i} y{i}", LABELS[i % 3]) for i in range(60)]
    result = CuesAudit().audit(make_corpus(rows))
    assert get_table(result, "cues").is_empty()
    assert result.get_figure("certain").value == 0
    row = get_table(result, "cues-all").filter(cue="never", label="contradiction").row(0, named=True)
    assert (row["n"], row["effective n"]) == (30, pytest.approx(1))


def test_premises_are_tested_on_request() -> None:
    rows = [(f"never p{i}", f"x{i}", "contradiction") for i in range(20)]
    rows += [(f"q{i}", f"y{i}", LABELS[i % 2]) for i in range(40)]
    assert get_table(CuesAudit(side="premise").audit(make_corpus(rows)), "cues")["cue"].to_list() == ["never"]
    assert get_table(CuesAudit().audit(make_corpus(rows)), "cues").is_empty()


def test_negation_words_by_label() -> None:
    hypotheses = [
        "He don't sit.",
        "He did n't.",
        "He can\u2019t",
        "No one cannot.",
        "Not he.",
        "None, no, no!",
        "Yes.",
    ]
    labels = [
        "contradiction",
        "contradiction",
        "neutral",
        "contradiction",
        "neutral",
        "entailment",
        "neutral",
    ]
    result = CuesAudit().audit(
        make_corpus([(f"p{i}", *row) for i, row in enumerate(zip(hypotheses, labels, strict=True))])
    )
    table = get_table(result, "cues-negation")
    found = {row["word"]: row for row in table.iter_rows(named=True)}
    counts = {word: row["n"] for word, row in found.items() if row["n"]}
    assert counts == {"no": 2, "not": 2, "none": 1, "n't": 3, "any": 6}
    assert [found["n't"][label] for label in LABELS] == [0, 1 / 3, 2 / 3]
    assert found["n't"]["PMI"] == pytest.approx(np.log2((2 / 3) / (3 / 7)))
    assert found["n't"]["z"] == pytest.approx((2 / 3 - 3 / 7) / (3 / 7 * 4 / 7 / 3) ** 0.5)
    assert (
        found["never"]["contradiction"] is found["never"]["contradiction_low"] is found["never"]["z"] is None
    )
    figure = result.get_figure("negation")
    low, high = wilson_interval(3, 6)
    assert (figure.value, figure.n, figure.baseline) == (0.5, 6, 3 / 7)
    assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high))


def test_two_labels_have_their_share_of_non_entailment() -> None:
    rows = [("p", "He never sat.", "non-entailment"), ("q", "He sat.", "entailment")]
    figure = CuesAudit().audit(make_corpus(rows)).get_figure("negation")
    assert (figure.value, figure.n, figure.baseline) == (1.0, 1, 0.5)


def test_without_negation_there_is_no_such_figure() -> None:
    rows = [("p", "He sat.", "neutral"), ("q", "He not sat.", "entailment")]
    assert {figure.name for figure in CuesAudit().audit(make_corpus(rows)).figures} == {"strong", "certain"}


@pytest.mark.parametrize(
    "rows",
    [
        [("", "", "entailment"), (" ", "...", "neutral")],
        [("a", "b", LABELS[i % 3]) for i in range(20)],
        HALF[:20],
        [("a", "", "neutral"), ("b", "no " * 30, "contradiction"), ("c", "x", None)],
    ],
)
def test_corpora_with_little_to_count_have_tables(rows: list[tuple[str, str, str | None]]) -> None:
    corpus = make_corpus(rows)
    with np.errstate(all="raise", under="ignore"):
        result = CuesAudit().audit(corpus)
    assert [exhibit.key for exhibit in result.exhibits] == ["cues", "cues-all", "cues-negation"]
    assert get_table(result, "cues").is_empty()
    assert (result.get_figure("strong").value, result.get_figure("strong").n) == (0.0, len(corpus.labelled))
    assert (
        get_table(result, "cues").schema == get_table(CuesAudit().audit(make_small_corpus()), "cues").schema
    )


def test_rare_words_are_counted() -> None:
    remarks = CuesAudit(min_count=12).audit(make_small_corpus()).remarks
    # x0 to x11 are in two hypotheses each; y, z and u are of one.
    assert [remark.split()[:4] for remark in remarks] == [["72", "of", "the", "76"]]
    assert CuesAudit(min_count=1).audit(make_small_corpus()).remarks == ()


def test_the_order_of_pairs_does_not_matter() -> None:
    corpus = make_random_corpus(3, planted=True, shared=3)
    turned = AuditCorpus.from_challenge_set(ChallengeSet(corpus.pairs.reverse(), Card("small")))
    one, two = (CuesAudit().audit(each) for each in (corpus, turned))
    for first, second in zip(one.exhibits, two.exhibits, strict=True):
        assert first.frame.equals(second.frame)
    assert (one.figures, one.summary) == (two.figures, two.summary)


@pytest.mark.parametrize(
    ("name", "value"), [("min_count", 0), ("top", -1), ("rows", -1), ("fdr", 0), ("fdr", 2), ("strong", 0)]
)
def test_impossible_options_are_refused(name: str, value: float) -> None:
    with pytest.raises(rr.InputError, match=name):
        CuesAudit(**{name: value})


def test_hans_gives_labels_away_from_the_hypothesis_alone(hans_data: Path) -> None:
    """4,333 pairs by the rules that are known, and 142 more with "paid the" in hypotheses of NP/Z."""
    pairs = read_damaged_corpus(str(hans_data / "heuristics_evaluation_set.txt"))
    corpus = AuditCorpus.from_challenge_set(pairs)
    result = CuesAudit(rows=5_000).audit(corpus)
    figure = result.get_figure("certain")
    assert (round(figure.value * 30_000), figure.n) == (4_475, 30_000)
    cues = get_table(result, "cues-all").filter(significant="yes", share=1.0)
    texts = corpus.pairs.select(" <s> " + pl.col("hypothesis").str.to_lowercase() + " ").to_series()
    counts = {}
    for kind, rule in (
        ("words", ~pl.col("cue").str.contains(" ")),
        ("first words", pl.col("cue").str.starts_with("<s>")),
        ("bigrams", pl.col("cue").str.contains(" ")),
    ):
        chosen = cues.filter(rule)["cue"].to_list()
        counts[kind] = texts.str.contains_any([f" {cue} " for cue in chosen])
    known = counts["words"] | counts["first words"]
    assert [int(found.sum()) for found in (counts["words"], counts["first words"], known)] == [
        3_233,
        1_000,
        4_233,
    ]
    both = known | texts.str.contains(" the the ", literal=True)
    assert int(both.sum()) == 4_333
    rest = counts["bigrams"] & ~both
    assert (int(rest.sum()), bool(texts.filter(rest).str.contains(" paid the ", literal=True).all())) == (
        142,
        True,
    )


def test_known_cues_of_multinli_and_snli_are_found(shared_data: Path) -> None:
    pool = pl.read_csv(shared_data / "train_pool.tsv", separator="\t", quote_char=None)
    expected = {
        "snli_": {
            "nobody": "contradiction",
            "sleeping": "contradiction",
            "cat": "contradiction",
            "outdoors": "entailment",
        },
        "mnli_": {
            "no": "contradiction",
            "never": "contradiction",
            "nothing": "contradiction",
            "because": "neutral",
        },
    }
    for source, cues in expected.items():
        pairs = pool.filter(pl.col("source").str.starts_with(source)).drop("source")
        result = CuesAudit(top=20).audit(AuditCorpus.from_challenge_set(ChallengeSet(pairs, Card(source))))
        table = dict(get_table(result, "cues").select("cue", "label").iter_rows())
        assert cues.items() <= table.items()
