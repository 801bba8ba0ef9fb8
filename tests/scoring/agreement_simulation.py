"""How often 95% intervals of agreement hold the truth, where both items and participants are samples.

    python tests/scoring/agreement_simulation.py [TIMES]

Items differ in their label and difficulty, participants in how often they know the label and in what they guess. The
truth is the agreement of two participants whom nobody met before, over many items. The columns are intervals over items
alone, over items and participants, and, as a baseline, the percentiles of a bootstrap of both.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rightreasons.scoring.annotations import Annotations
from rightreasons.scoring.annotator_agreement import (
    compute_fleiss_kappa,
    compute_krippendorff_alpha,
    compute_pairwise_agreement,
)
from rightreasons.scoring.participant_agreement import measure_participant_agreement

Codes = npt.NDArray[np.int64]
LABELS = ("entailment", "neutral", "contradiction")
FIGURES = ("pairwise", "fleiss", "alpha")
TIMES = 200
DRAWS = 200


class Design(NamedTuple):
    """How many items, how many participants, and how many judgements of each item.

    Participants get items at random, in blocks that the same participants judge, or all of them.
    """

    items: int
    participants: int
    judgements: int
    kind: str = "random"


DESIGNS = (
    *(Design(60, 20, 5), Design(240, 40, 5), Design(200, 200, 5), Design(1140, 100, 5), Design(400, 20, 3)),
    *(Design(300, 30, 5, "blocks"), Design(100, 20, 20, "all"), Design(100, 10, 10, "all")),
)
# How much participants differ: the variance of the probability that they know a label is 0, 0.02 and 0.05.
DIFFERENCES = (0.0, 0.15, 0.5)


def assign_participants(design: Design, rng: np.random.Generator) -> Codes:
    """Draw the participants of each item: a row for each item, nobody twice in a row."""
    items, participants, judgements, kind = design
    if kind == "all":
        return np.tile(np.arange(participants), (items, 1))
    if kind == "blocks":
        block = np.arange(items) * (participants // judgements) // items
        return block[:, None] * judgements + np.arange(judgements)
    rounds = -(-items * judgements // participants)
    drawn = np.concatenate([rng.permutation(participants) for _ in range(rounds)])[: items * judgements]
    drawn = drawn.reshape(items, judgements)
    while len(repeated := np.flatnonzero([len(set(row)) < judgements for row in drawn.tolist()])):
        for row in repeated:
            other, here, there = rng.integers(items), rng.integers(judgements), rng.integers(judgements)
            drawn[row, here], drawn[other, there] = drawn[other, there], drawn[row, here]
    return drawn


def draw_labels(assigned: Codes, participants: int, differ: float, rng: np.random.Generator) -> Codes:
    """Draw the label that each participant gives to each of their items."""
    truth = rng.choice(3, len(assigned), p=[0.5, 0.3, 0.2])
    difficulty = rng.beta(2, 2, len(assigned))
    if differ:
        knowing = rng.beta(0.8 / differ, 0.2 / differ, participants)
        guesses = rng.dirichlet(np.array([0.4, 0.3, 0.3]) / differ, participants)
    else:
        knowing, guesses = np.full(participants, 0.8), np.tile([0.4, 0.3, 0.3], (participants, 1))
    knows = rng.random(assigned.shape) < knowing[assigned] * (1 - 0.6 * difficulty[:, None])
    guessed = (rng.random((*assigned.shape, 1)) > guesses[assigned].cumsum(axis=-1)).sum(axis=-1).clip(0, 2)
    return np.where(knows, truth[:, None], guessed)


def make_annotations(assigned: Codes, labels: Codes, participants: int) -> Annotations:
    item = np.repeat(np.arange(len(assigned)), assigned.shape[1])
    names = tuple(map(str, range(len(assigned)))), tuple(map(str, range(participants)))
    return Annotations(item, assigned.ravel(), labels.ravel(), *names, LABELS)


def compute_truth(differ: float, items: int = 300_000) -> dict[str, float]:
    """Compute the agreement of two new participants on each of many items."""
    assigned = np.arange(2 * items).reshape(items, 2)
    labels = draw_labels(assigned, 2 * items, differ, np.random.default_rng(1))
    counts = make_annotations(assigned, labels, 2 * items).count_labels()
    measures = (compute_pairwise_agreement, compute_fleiss_kappa, compute_krippendorff_alpha)
    return {name: measure(counts).value or 0.0 for name, measure in zip(FIGURES, measures, strict=True)}


def bootstrap_both(
    assigned: Codes, labels: Codes, participants: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Resample items and participants, and return the percentiles of pairwise agreement.

    Two copies of one participant are no pair.
    """
    own = np.eye(3)[labels]
    values = []
    for _ in range(DRAWS):
        items = rng.multinomial(len(assigned), np.full(len(assigned), 1 / len(assigned)))
        times = rng.multinomial(participants, np.full(participants, 1 / participants))[assigned].astype(float)
        alone = (times**2).sum(axis=1)
        pairs = times.sum(axis=1) ** 2 - alone
        agreeing = ((own * times[..., None]).sum(axis=1) ** 2).sum(axis=1) - alone
        used = pairs > 0
        values.append((items[used] * agreeing[used] / pairs[used]).sum() / max(1, items[used].sum()))
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def simulate_coverage(
    design: Design, differ: float, times: int, truth: dict[str, float], *, bootstrap: bool = False
) -> dict[str, float]:
    """Return how often each interval holds the truth."""
    hits: dict[str, int] = {}
    for number in range(times):
        rng = np.random.default_rng([number, design.items, int(100 * differ)])
        assigned = assign_participants(design, rng)
        labels = draw_labels(assigned, design.participants, differ, rng)
        annotations = make_annotations(assigned, labels, design.participants)
        both = measure_participant_agreement(annotations)
        assert both.over_participants
        over_items = compute_pairwise_agreement(annotations.count_labels())
        ends = {name: (getattr(both, name).low, getattr(both, name).high) for name in FIGURES}
        ends["pairwise, items alone"] = (over_items.low, over_items.high)
        if bootstrap:
            ends["pairwise, bootstrap"] = bootstrap_both(assigned, labels, design.participants, rng)
        for name, (low, high) in ends.items():
            value = truth[name.partition(",")[0]]
            hits[name] = hits.get(name, 0) + ((low or 0) <= value <= (high or 0))
    return {name: hit / times for name, hit in hits.items()}


def main() -> None:
    """Print the coverage of each interval for each design."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    for differ in DIFFERENCES:
        truth = compute_truth(differ)
        sys.stdout.write(f"participants differ by {differ}; pairwise agreement is {truth['pairwise']:.3f}\n")
        for items, participants, judgements, kind in DESIGNS:
            design = Design(items, participants, judgements, kind)
            coverage = simulate_coverage(design, differ, times, truth, bootstrap=True)
            figures = ", ".join(f"{name} {share:.1%}" for name, share in coverage.items())
            sys.stdout.write(f"  {items} x {judgements} of {participants} ({kind}): {figures}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
