"""The test of cues: exact where pairs are independent, and holding its promise where they are clustered."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom

from rightreasons.audits.cue_occurrences import ALONE, group_rows_by_cue, number_shared_values
from rightreasons.audits.cue_statistics import CueCluster, measure_cues

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from rightreasons.audits.cue_statistics import CueStatistics

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    Draw = Callable[[np.random.Generator], tuple[Flags, Numbers, Numbers]]

RATE = 0.05


def measure(having: Flags, labels: Numbers, clusters: Sequence[CueCluster] = ()) -> CueStatistics:
    """Measure cues that are given as columns of flags."""
    return measure_cues(group_rows_by_cue(list(having.T)), labels, np.bincount(labels), clusters)


def test_figures_of_one_cue_by_hand() -> None:
    labels = np.repeat([0, 1, 2], [50, 25, 25])
    having = np.zeros((100, 1), dtype=bool)
    having[[*range(2), *range(50, 58)]] = True  # 2 of the first label, 8 of the second, none of the third
    found = measure(having, labels)
    assert (found.n.tolist(), found.hits.tolist()) == ([10], [[2, 8, 0]])
    assert found.effective.tolist() == [[10.0, 10.0, 10.0]]
    assert found.z[0].tolist() == pytest.approx(
        [-0.3 / (0.25 / 10) ** 0.5, 0.55 / (0.1875 / 10) ** 0.5, -0.25 / (0.1875 / 10) ** 0.5]
    )
    assert found.pmi[0].tolist() == pytest.approx([np.log2(0.4), np.log2(3.2), -np.inf])
    expected = [
        binomtest(k, 10, p, alternative="greater").pvalue for k, p in ((2, 0.5), (8, 0.25), (0, 0.25))
    ]
    assert found.p_values[0].tolist() == pytest.approx(expected)


@given(st.integers(5, 60), st.integers(1, 20), st.integers(1, 20), st.data())
def test_p_values_are_no_smaller_than_those_of_permuted_labels(
    pairs: int, first: int, n: int, data: st.DataObject
) -> None:
    first, n = min(first, pairs - 1), min(n, pairs)
    hits = data.draw(st.integers(max(0, first + n - pairs), min(first, n)))
    labels = np.repeat([0, 1], [first, pairs - first])
    having = np.zeros((pairs, 1), dtype=bool)
    having[:hits] = having[pairs - (n - hits) :] = True
    having[pairs - (n - hits) :] = n > hits
    exact = hypergeom.sf(hits - 1, pairs, first, n)
    found = float(measure(having, labels).p_values[0, 0])
    if hits >= n * first / pairs + 1:  # Uhlmann (1966); closer to the mean, nothing is rejected
        assert found >= exact - 1e-12


@given(st.data())
def test_the_design_effect_is_that_of_a_loop_over_pairs_of_pairs(data: st.DataObject) -> None:
    count = data.draw(st.integers(4, 14))
    draw = st.lists(st.integers(0, 2), min_size=count, max_size=count)
    labels = np.array(data.draw(draw))
    labels[:3] = [0, 1, 2]
    premises, texts = (np.array(data.draw(draw)) for _ in range(2))
    having = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    having[0] = True
    every = np.ones(count, dtype=bool)
    clusters = [
        CueCluster(number_shared_values(premises, every)),
        CueCluster(number_shared_values(texts, every)),
        CueCluster(number_shared_values(premises * 3 + texts, every), -1),
    ]
    found = measure(having[:, None], labels, clusters)
    rows = np.flatnonzero(having).tolist()
    for label in range(3):
        u = (labels == label) - np.mean(labels == label)
        sums = {"premise": 0.0, "text": 0.0, "either": 0.0}
        for i, j in combinations(rows, 2):
            same = {"premise": premises[i] == premises[j], "text": texts[i] == texts[j]}
            same["either"] = same["premise"] or same["text"]
            for name, is_same in same.items():
                sums[name] += 2 * u[i] * u[j] * is_same
        design = max(1.0, 1 + max(sums.values()) / sum(u[i] ** 2 for i in rows))
        assert found.effective[0, label] == pytest.approx(len(rows) / design)


def test_copies_of_a_pair_count_once() -> None:
    labels = np.tile([0, 1, 2], 40)
    having = np.arange(120) % 3 == 0
    once = measure(having[:, None], labels)
    copied = np.repeat(np.arange(120), 3)
    clusters = [CueCluster(copied)]
    thrice = measure(having[copied, None], labels[copied], clusters)
    assert thrice.n.tolist() == [120]
    assert thrice.effective[0, 0] == pytest.approx(40)
    assert thrice.p_values[0, 0] == pytest.approx(once.p_values[0, 0])
    assert [end[0, 0] for end in thrice.interval] == pytest.approx([end[0, 0] for end in once.interval])


def test_labels_that_balance_each_other_do_not_make_more_pairs_than_there_are() -> None:
    labels = np.tile([0, 1, 2], 20)
    clusters = [CueCluster(np.repeat(np.arange(20), 3))]
    found = measure(np.ones((60, 1), dtype=bool), labels, clusters)
    assert found.effective[0].tolist() == [60.0, 60.0, 60.0]


def test_the_threshold_separates_what_is_rejected() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=900)
    having = rng.random((900, 40)) < np.where(labels == 0, 0.3, 0.1)[:, None] * (np.arange(40) < 10) + 0.05
    found = measure(having, labels)
    threshold = found.find_threshold(RATE)
    assert 0 < (found.adjusted <= RATE).sum() == (found.p_values <= threshold).sum() < found.p_values.size
    chosen = np.arange(found.p_values.size)
    critical = found.compute_critical_shares(chosen, threshold)
    for place in chosen:
        cue, label = divmod(int(place), 3)
        n, share = int(found.n[cue]), float(found.baseline[label])
        enough = [
            k for k in range(n + 1) if binomtest(k, n, share, alternative="greater").pvalue <= threshold
        ]
        assert critical[place] == pytest.approx(enough[0] / n if enough else np.nan, nan_ok=True)


def test_without_rejections_the_threshold_is_that_of_the_first() -> None:
    found = measure(np.ones((30, 2), dtype=bool), np.tile([0, 1], 15))
    assert found.find_threshold(RATE) == RATE / 4


def test_cues_of_no_pair_have_no_figures() -> None:
    with np.errstate(all="raise"):
        found = measure(np.zeros((6, 2), dtype=bool), np.tile([0, 1], 3), [CueCluster(np.full(6, ALONE))])
        assert np.isnan(found.share).all()
        assert np.isnan(found.z).all()
        assert np.isnan(found.pmi).all()
        assert found.p_values.tolist() == [[1.0, 1.0], [1.0, 1.0]]
        assert found.effective.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def draw_independent_corpus(rng: np.random.Generator) -> tuple[Flags, Numbers, Numbers]:
    """Draw labels of unequal shares, and words that are independent of them."""
    return (
        rng.random((1500, 300)) < draw_frequencies(rng),
        rng.choice(3, size=1500, p=[0.7, 0.2, 0.1]),
        np.arange(1500),
    )


def draw_three_hypotheses_per_premise(rng: np.random.Generator) -> tuple[Flags, Numbers, Numbers]:
    """Draw premises, each with a hypothesis of each label that repeats words of the premise."""
    premises = np.repeat(np.arange(500), 3)
    words = rng.random((500, 300)) < draw_frequencies(rng)
    return words[premises] & (rng.random((1500, 300)) < 0.6), np.tile([0, 1, 2], 500), premises


def draw_alike_premises(rng: np.random.Generator) -> tuple[Flags, Numbers, Numbers]:
    """Draw premises of very different numbers of hypotheses, all with one label and with words of the premise."""
    sizes = np.minimum(rng.zipf(1.8, size=1500), 150)
    premises = np.repeat(np.arange(1500), sizes)[:1500]
    words = rng.random((1500, 300)) < draw_frequencies(rng)
    return (
        words[premises] & (rng.random((1500, 300)) < 0.6),
        rng.integers(3, size=1500)[premises],
        premises,
    )


def draw_repeated_hypotheses(rng: np.random.Generator) -> tuple[Flags, Numbers, Numbers]:
    """Draw hypotheses that occur several times, in 9 of 10 cases with a label of their own."""
    sizes = np.minimum(rng.zipf(2, size=1500), 60)
    texts = np.repeat(np.arange(1500), sizes)[:1500]
    labels = np.where(rng.random(1500) < 0.9, rng.integers(3, size=1500)[texts], rng.integers(3, size=1500))
    return (rng.random((1500, 300)) < draw_frequencies(rng))[texts], labels, texts


def draw_frequencies(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    return np.asarray(0.01 * 20 ** rng.random(300))


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("draw", "naive"),
    [
        (draw_independent_corpus, 0.0),
        (draw_three_hypotheses_per_premise, 0.0),
        (draw_alike_premises, 0.9),
        (draw_repeated_hypotheses, 0.9),
    ],
)
def test_cues_of_clustered_pairs_are_found_no_more_often_than_promised(draw: Draw, naive: float) -> None:
    """Without clusters, the same test finds cues in nearly all corpora whose pairs are copies of each other."""
    corpora, wrong, unaware = 200, 0, 0
    for seed in range(corpora):
        having, labels, groups = draw(np.random.default_rng(seed))
        clusters = [CueCluster(number_shared_values(groups, np.ones(len(groups), dtype=bool)))]
        wrong += bool((measure(having, labels, clusters).adjusted <= RATE).any())
        unaware += bool((measure(having, labels).adjusted <= RATE).any())
    assert wrong / corpora <= RATE
    assert unaware / corpora >= naive


def test_intervals_of_clustered_pairs_cover_the_share() -> None:
    covered, plain, draws, truth = 0, 0, 400, 0.6
    rng = np.random.default_rng(0)
    for _ in range(draws):
        sizes = rng.choice([1, 2, 4, 8], size=60)
        groups = np.repeat(np.arange(60), sizes)
        own = rng.random(60) < truth  # of the premise; 3 of 4 pairs follow it
        hits = np.where(rng.random(len(groups)) < 0.75, own[groups], rng.random(len(groups)) < truth)
        labels = np.concatenate([np.where(hits, 0, 1), np.repeat([0, 1], [4_000, 8_000])])
        having = np.arange(len(labels)) < len(groups)
        numbers = np.concatenate([groups, np.full(12_000, ALONE)])
        for clusters in ([CueCluster(numbers)], []):
            low, high = (float(end[0, 0]) for end in measure(having[:, None], labels, clusters).interval)
            if clusters:
                covered += low <= truth <= high
            else:
                plain += low <= truth <= high
    assert covered / draws >= 0.94
    assert plain / draws < 0.8
