"""What the experiments on random and simple pairs share: three training corpora, the two sets, the paper's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core.labels import NEUTRAL
from rightreasons.experiments.plan import ExperimentPart, RoleFile, Test
from rightreasons.reports import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import Setting
    from rightreasons.experiments.tables import Value
    from rightreasons.reports.published import PublishedSubset


class Corpus(NamedTuple):
    """A corpus to train on, and the test that tells how well a model learnt it."""

    shown: str
    train: str
    own: str
    role: str


CORPORA = {
    "mnli": Corpus("MNLI", "mnli-train", "mnli_dev_matched", "mnli-dev-matched"),
    "snli": Corpus("SNLI", "snli-train", "snli_test", "snli-test"),
    "sick": Corpus("SICK", "sick-train", "sick_test", "sick-test"),
}
MODELS = ("minilm", "da", "esim", "bilstm", "infersent", "cbow")
PAPER_MODELS = ("bert", "albert", "roberta")
WHOLE = 10_000  # more pairs than SICK has: it is taken whole at every scale
RANDOM_MNLI, RANDOM_SNLI, SIMPLE = "random_pair_mnli", "random_pair_snli", "simple_pair"
RANDOM = {"random_MNLI": RANDOM_MNLI, "random_SNLI": RANDOM_SNLI}
OWN = "own"
RULE = "Share of the pairs that are called neutral, which all of them are."
OWN_NOTE = (
    "Own test: the accuracy on three labels on MNLI dev matched, SNLI test or SICK test, whichever the model was "
    "trained for; the paper's are of the test sets. A model that calls all of SICK's test pairs neutral has 0.57 there."
)
STANDS_IN = (
    "The paper's models are BERT, ALBERT and RoBERTa, in their base sizes. Premises of MNLI are of its dev sets, since "
    "the labels of its test sets are hidden; hypotheses that may follow from any scene are left out here, which the "
    "paper doesn't do, and the words of Simple Pair are our own, since the paper's lists are not public."
)

# Learning rate, epochs and weight decay of the paper's Appendix Table 1; batches of 32.
_RECIPES = {
    "bert": {"mnli": (2e-5, 3, 0.01), "snli": (3e-5, 2, 0.1), "sick": (2e-5, 5, 0.1)},
    "albert": {"mnli": (2e-5, 3, 0.0), "snli": (2e-5, 2, 0.01), "sick": (2e-5, 5, 0.1)},
    "roberta": {"mnli": (2e-5, 3, 0.1), "snli": (2e-5, 3, 0.01), "sick": (2e-5, 5, 0.1)},
}


def random_tests(setting: Setting, limit: int) -> list[Test]:
    """Make Random Pair with premises of MNLI, and of SNLI; so many pairs of each but at the paper's scale."""
    mnli = (RoleFile("mnli-dev-matched"), RoleFile("mnli-dev-mismatched"))
    snli = (RoleFile("snli-test"),)
    bound = most(setting, limit)
    return [
        Test(name, set="random-pair", options={"corpus": of, "hypotheses": (*mnli, *snli)}, limit=bound)
        for name, of in ((RANDOM_MNLI, mnli), (RANDOM_SNLI, snli))
    ]


def simple_test(setting: Setting, limit: int) -> Test:
    """Make Simple Pair: so many pairs, its ten kinds alike, but at the paper's scale."""
    return Test(SIMPLE, set="simple-pair", limit=most(setting, limit))


def own_tests(corpora: Iterable[str], limit: int | None = None) -> list[Test]:
    """Ask the test sets of the training corpora."""
    return [Test(CORPORA[name].own, role=CORPORA[name].role, limit=limit) for name in corpora]


def part(
    setting: Setting, model: str, corpus: str, seed: int, tests: Iterable[Test], **more: Any
) -> ExperimentPart:
    """Train a model on a corpus, and ask it the sets and the corpus's own test."""
    of, own = CORPORA[corpus], CORPORA[corpus].own
    names = tuple(test.name for test in tests if test.set)
    given: dict[str, Any] = {"of": of.shown, "size": WHOLE if corpus == "sick" else None}
    if setting.scale.name == "paper" and model in _RECIPES:
        rate, epochs, decay = _RECIPES[model][corpus]
        given["options"] = {"learning_rate": rate, "epochs": epochs, "weight_decay": decay}
    return ExperimentPart(model, of.train, seed, tests=(*names, own), claim=own, **(given | more))


def on_each_corpus(setting: Setting, asked: Sequence[Test]) -> list[ExperimentPart]:
    """Train each model on each corpus."""
    return [
        part(setting, model, corpus, seed, asked)
        for model in setting.models
        for corpus in CORPORA
        for seed in setting.seeds
    ]


def simple_cells(
    found: ExperimentResults, row: str, places: Mapping[str, PublishedSubset]
) -> dict[str, Value]:
    """Give the figures of a row on kinds of Simple Pair, by the paper's names of them."""
    figures = found.values(row, SIMPLE, "subcase")
    return {
        neutral(name): figures[place.value, NEUTRAL]
        for name, place in places.items()
        if (place.value, NEUTRAL) in figures
    }


def later_cells(found: ExperimentResults, row: str) -> dict[str, Value]:
    """Give the figures of a row in the columns of Tables 4 and 5."""
    random = {neutral(name): found.accuracy(row, test) for name, test in RANDOM.items()}
    places = {**published.SENTENCES, **published.JOINED_LATER}
    return {OWN: own(found, row), **random, **simple_cells(found, row, places)}


def own(found: ExperimentResults, row: str) -> Value:
    """Give the accuracy of a row on the test of its corpus."""
    return found.accuracy(row, next(part.claim for part, _ in found.parts(row)))


def neutral(name: str) -> str:
    """Name the column of a subset whose pairs are all neutral."""
    return published.column_of(name, NEUTRAL)


def headed(names: Iterable[str]) -> dict[str, str]:
    """Head the columns of subsets by their names."""
    return {neutral(name): name.replace("_", " ").replace("NA:", "N is A:") for name in names}


LATER = {
    OWN: "own test",
    **headed((*RANDOM, "SVO", "N_is_A", *published.JOINED_LATER)),
}


def most(setting: Setting, limit: int) -> int | None:
    """Bound the pairs of a test, but not at the paper's scale."""
    return None if setting.scale.name == "paper" else limit
