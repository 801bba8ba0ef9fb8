"""What the experiments on Random Pair and Simple Pair share: training corpora, test sets, columns of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core.labels import NEUTRAL
from rightreasons.experiments.declaration import ExperimentPart, RoleFile, TestSet
from rightreasons.reports import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureValue
    from rightreasons.reports.published import PublishedSubset


class TrainingCorpus(NamedTuple):
    """A corpus to train on, and its own test set."""

    display_name: str
    train: str
    own_test: str
    own_role: str


CORPORA = {
    "mnli": TrainingCorpus("MNLI", "mnli-train", "mnli_dev_matched", "mnli-dev-matched"),
    "snli": TrainingCorpus("SNLI", "snli-train", "snli_test", "snli-test"),
    "sick": TrainingCorpus("SICK", "sick-train", "sick_test", "sick-test"),
}
MODELS = ("minilm", "da", "esim", "bilstm", "infersent", "cbow")
PAPER_MODELS = ("bert", "albert", "roberta")
WHOLE = 10_000  # more pairs than SICK has: all of it is used at every scale
RANDOM_MNLI, RANDOM_SNLI, SIMPLE = "random_pair_mnli", "random_pair_snli", "simple_pair"
RANDOM = {"random_MNLI": RANDOM_MNLI, "random_SNLI": RANDOM_SNLI}
OWN = "own"
RULE = "Proportion of pairs predicted as neutral, which is the gold label of all pairs."
OWN_NOTE = (
    "Own test: the accuracy on three labels on MNLI dev matched, SNLI test or SICK test, depending on the training "
    "corpus; for MNLI, the paper uses the test set. Always predicting neutral gives 0.57 on SICK."
)
STANDS_IN = (
    "The paper's models are BERT, ALBERT and RoBERTa, in their base sizes. Premises of MNLI are from its dev sets, "
    "since the labels of its test sets are hidden; unlike the paper, we leave out hypotheses that may follow from any "
    "scene, and the words of Simple Pair are our own, since the paper's lists are not public."
)

# Learning rate, epochs and weight decay of the paper's Appendix Table 1; batches of 32.
_RECIPES = {
    "bert": {"mnli": (2e-5, 3, 0.01), "snli": (3e-5, 2, 0.1), "sick": (2e-5, 5, 0.1)},
    "albert": {"mnli": (2e-5, 3, 0.0), "snli": (2e-5, 2, 0.01), "sick": (2e-5, 5, 0.1)},
    "roberta": {"mnli": (2e-5, 3, 0.1), "snli": (2e-5, 3, 0.01), "sick": (2e-5, 5, 0.1)},
}


def make_random_tests(setting: Setting, limit: int) -> list[TestSet]:
    """Random Pair with premises of MNLI and of SNLI, limited except at the scale of the paper."""
    mnli = (RoleFile("mnli-dev-matched"), RoleFile("mnli-dev-mismatched"))
    snli = (RoleFile("snli-test"),)
    bound = get_pair_limit(setting, limit)
    return [
        TestSet(name, set="random-pair", options={"corpus": files, "hypotheses": (*mnli, *snli)}, limit=bound)
        for name, files in ((RANDOM_MNLI, mnli), (RANDOM_SNLI, snli))
    ]


def make_simple_test(setting: Setting, limit: int) -> TestSet:
    """Simple Pair, limited except at the scale of the paper, with equal numbers of its ten kinds."""
    return TestSet(SIMPLE, set="simple-pair", limit=get_pair_limit(setting, limit))


def list_own_test_sets(corpora: Iterable[str], limit: int | None = None) -> list[TestSet]:
    """The test sets of the training corpora themselves."""
    return [TestSet(CORPORA[name].own_test, role=CORPORA[name].own_role, limit=limit) for name in corpora]


def make_pairs_part(
    setting: Setting, model: str, corpus: str, seed: int, tests: Iterable[TestSet], **more: Any
) -> ExperimentPart:
    """Train a model on a corpus, and test it on the sets and on the corpus's own test set."""
    training, own = CORPORA[corpus], CORPORA[corpus].own_test
    names = tuple(test.name for test in tests if test.set)
    given: dict[str, Any] = {"variant": training.display_name, "size": WHOLE if corpus == "sick" else None}
    if setting.scale.name == "paper" and model in _RECIPES:
        rate, epochs, decay = _RECIPES[model][corpus]
        given["options"] = {"learning_rate": rate, "epochs": epochs, "weight_decay": decay}
    return ExperimentPart(model, training.train, seed, tests=(*names, own), claim=own, **(given | more))


def make_parts_per_corpus(setting: Setting, tests: Sequence[TestSet]) -> list[ExperimentPart]:
    """Train each model on each corpus."""
    return [
        make_pairs_part(setting, model, corpus, seed, tests)
        for model in setting.models
        for corpus in CORPORA
        for seed in setting.seeds
    ]


def read_simple_cells(
    results: ExperimentResults, row: str, places: Mapping[str, PublishedSubset]
) -> dict[str, FigureValue]:
    """The accuracies of a row on kinds of Simple Pair, by the paper's names for them."""
    by_kind = results.compute_accuracies(row, SIMPLE, "subcase")
    return {
        name_neutral_column(name): by_kind[place.value, NEUTRAL]
        for name, place in places.items()
        if (place.value, NEUTRAL) in by_kind
    }


def read_all_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    """The accuracies of a row in the columns of Tables 4 and 5."""
    random = {name_neutral_column(name): results.compute_accuracy(row, test) for name, test in RANDOM.items()}
    places = {**published.SENTENCES, **published.JOINED_LATER}
    return {OWN: compute_own_accuracy(results, row), **random, **read_simple_cells(results, row, places)}


def compute_own_accuracy(results: ExperimentResults, row: str) -> FigureValue:
    """The accuracy of a row on the test set of its training corpus."""
    return results.compute_accuracy(row, next(part.claim for part, _ in results.list_parts(row)))


def name_neutral_column(name: str) -> str:
    """The name of the column of a subset whose pairs are all neutral."""
    return published.name_figure_column(name, NEUTRAL)


def make_subset_headings(names: Iterable[str]) -> dict[str, str]:
    """The columns of subsets with their headings."""
    return {name_neutral_column(name): name.replace("_", " ").replace("NA:", "N is A:") for name in names}


ALL_COLUMNS = {  # of Tables 4 and 5
    OWN: "own test",
    **make_subset_headings((*RANDOM, "SVO", "N_is_A", *published.JOINED_LATER)),
}


def get_pair_limit(setting: Setting, limit: int) -> int | None:
    """The limit of a test set; none at the scale of the paper."""
    return None if setting.scale.name == "paper" else limit
