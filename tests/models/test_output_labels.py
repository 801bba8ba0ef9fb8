"""What the outputs of a model mean: by name, by probe, by option, or a refusal; never a guess."""

from __future__ import annotations

import zlib
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readers import at_a_loss, never, permuted, reader
from rightreasons.core.errors import InputError
from rightreasons.core.labels import CONTRADICTION as C
from rightreasons.core.labels import ENTAILMENT as E
from rightreasons.core.labels import NEUTRAL as N
from rightreasons.core.labels import NON_ENTAILMENT as NOT_E
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS, merge_labels
from rightreasons.io.predictions import check_probabilities
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.output_labels import make_predictions_from_logits, resolve_classifier_head

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from readers import Logits

# What published models call their outputs, what they mean, and how that can be known.
NAMED = {
    "hub datasets, ynie, MoritzLaurer": ("Roberta", "entailment neutral contradiction", (E, N, C)),
    "hans on the hub": ("Bert", "entailment non-entailment", (E, NOT_E)),
    "RTE, QNLI, zeroshot": ("DebertaV2", "entailment not_entailment", (E, NOT_E)),
    "WNLI": ("Bert", "not_entailment entailment", (NOT_E, E)),
    "google-research/bert": ("Bert", "contradiction entailment neutral", (C, E, N)),
    "roberta-large-mnli": ("Roberta", "CONTRADICTION NEUTRAL ENTAILMENT", (C, N, E)),
    "bart-large-mnli": ("Bart", "contradiction neutral entailment", (C, N, E)),
    "deberta-base-mnli": ("Deberta", "CONTRADICTION NEUTRAL ENTAILMENT", (C, N, E)),
    "deberta-v2-xlarge-mnli": ("DebertaV2", "CONTRADICTION NEUTRAL ENTAILMENT", (C, N, E)),
    "cross-encoder/nli": ("DebertaV2", "contradiction entailment neutral", (C, E, N)),
    "typeform/distilbert": ("DistilBert", "ENTAILMENT NEUTRAL CONTRADICTION", (E, N, C)),
    "AllenNLP, NB": ("Bert", "entailment contradiction neutral", (E, C, N)),
    "RC": ("Bert", "neutral contradiction entailment", (N, C, E)),
    "other forms": ("Albert", "Contradictory entails Neutral", (C, E, N)),
}
NAMELESS = {
    "textattack/bert": ("Bert", (C, E, N)),
    "textattack/albert": ("Albert", (C, E, N)),
    "textattack/xlnet": ("XLNet", (C, E, N)),
    "textattack/roberta": ("Roberta", (C, N, E)),
    "huggingface/distilbert": ("DistilBert", (C, E, N)),
    "wanli, prajjwal1": ("Roberta", (C, E, N)),
    "two labels": ("Bert", (NOT_E, E)),
}


def config_names(folder: Path, architecture: str, **given: Any) -> list[str]:
    """Write a real configuration, read it again, and list the names of its outputs."""
    transformers = pytest.importorskip("transformers")
    getattr(transformers, f"{architecture}Config")(**given).save_pretrained(folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    return [config.id2label[place] for place in range(config.num_labels)]


@pytest.mark.parametrize("source", NAMED)
def test_published_names_are_understood(source: str, tmp_path: Path) -> None:
    architecture, names, order = NAMED[source]
    read = config_names(tmp_path, architecture, id2label=dict(enumerate(names.split())))
    assert read == names.split()
    head = resolve_classifier_head(read, None, reader(order), "m")
    assert (head.order, head.how, head.warnings) == (order, "names", ())
    assert head.evidence["names"] == read
    assert head.evidence["accuracy"][",".join(order)] == 1.0


@pytest.mark.parametrize("source", NAMELESS)
def test_nameless_outputs_are_found_by_the_probe(source: str, tmp_path: Path) -> None:
    architecture, order = NAMELESS[source]
    read = config_names(tmp_path, architecture, num_labels=len(order))
    assert read == [f"LABEL_{place}" for place in range(len(order))]
    head = resolve_classifier_head(read, None, reader(order), "m")
    assert (head.order, head.how, head.warnings) == (order, "probe", ())
    with pytest.raises(InputError, match=r"LABEL_1.*90%.*-o labels="):
        resolve_classifier_head(read, None, at_a_loss(len(order)), "m")


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> NDArray[np.float64]:
    """Ask a real network that knows nothing about the unmistakable pairs: its three outputs for each."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("network")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    made = transformers.BertConfig(vocab_size=512, num_labels=3, **sizes)
    transformers.BertForSequenceClassification(made).save_pretrained(folder)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    assert list(network.config.id2label.values()) == ["LABEL_0", "LABEL_1", "LABEL_2"]
    texts = [f"{one} {two}".split() for one, two in read_probe_pairs().select("premise", "hypothesis").rows()]
    ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor([zlib.crc32(word.encode()) % 511 + 1 for word in text])
    with torch.inference_mode():
        logits: NDArray[np.float64] = network(ids, attention_mask=(ids > 0).long()).logits.double().numpy()
    return logits


@pytest.mark.parametrize("order", [*permutations(THREE_LABELS), *permutations(TWO_LABELS)])
def test_a_nameless_network_gives_the_same_answers_in_any_order(
    order: tuple[str, ...], noise: NDArray[np.float64]
) -> None:
    def network(premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        return noise[:, : len(order)] + knowledge * reader(order)(premises, hypotheses)

    names = [f"LABEL_{place}" for place in range(len(order))]
    knowledge = 0
    with pytest.raises(InputError, match="90%"):
        resolve_classifier_head(names, None, network, "m")
    knowledge = 1
    head = resolve_classifier_head(names, None, network, "m")
    assert head.order == order
    pairs = read_probe_pairs()
    answers = make_predictions_from_logits(
        network(pairs["premise"].to_list(), pairs["hypothesis"].to_list()), head.order
    )
    expected = pairs["label"] if len(order) == len(THREE_LABELS) else merge_labels(pairs["label"])
    assert answers["label"].to_list() == expected.to_list()


@pytest.mark.parametrize(
    "names",
    [
        ["entailment", "neutral", "LABEL_2"],
        ["LABEL_0", "entailment"],
        ["entailment", "neutral", "neither"],
        ["entailment", "ENTAILS", "neutral"],
        ["entailment", "entailment"],
        ["entailment", "contradiction"],
        ["entailment", "non-entailment", "neutral"],
        ["negative", "neutral", "positive"],
    ],
)
def test_names_that_leave_a_doubt_are_refused(names: list[str]) -> None:
    with pytest.raises(InputError, match="-o labels=") as refusal:
        resolve_classifier_head(names, None, never, "m")
    assert ", ".join(names) in str(refusal.value)


@pytest.mark.parametrize("names", [["score"], list("abcde"), ["entailment"], [*THREE_LABELS, NOT_E], []])
def test_heads_of_another_size_are_refused_whatever_is_said(names: list[str]) -> None:
    with pytest.raises(InputError, match="NLI") as refusal:
        resolve_classifier_head(names, None, never, "m")
    assert ", ".join(names) in str(refusal.value)
    with pytest.raises(InputError):
        resolve_classifier_head(names, THREE_LABELS, never, "m")


def test_names_of_another_trade_are_probed_with_a_warning() -> None:
    names = ["REFUTES", "NOT ENOUGH INFO", "SUPPORTS"]
    head = resolve_classifier_head(names, None, reader((C, N, E)), "m")
    assert (head.order, head.how) == ((C, N, E), "probe")
    assert "REFUTES, NOT ENOUGH INFO, SUPPORTS" in head.warnings[0]
    with pytest.raises(InputError, match="REFUTES"):
        resolve_classifier_head(names, None, at_a_loss(), "m")


@pytest.mark.parametrize("names", [["0", "1", "2"], ["label_0", "label_1", "label_2"], ["", "", ""]])
def test_numbers_say_nothing_and_are_probed_without_a_warning(names: list[str]) -> None:
    head = resolve_classifier_head(names, None, reader((N, E, C)), "m")
    assert (head.order, head.how, head.warnings) == ((N, E, C), "probe", ())


@pytest.mark.parametrize("true", [order for order in permutations(THREE_LABELS) if order != (E, N, C)])
def test_names_that_can_not_be_true_are_followed_with_a_warning(true: tuple[str, ...]) -> None:
    head = resolve_classifier_head(THREE_LABELS, None, reader(true), "m")
    assert (head.order, head.how) == (THREE_LABELS, "names")
    assert f"-o labels={','.join(true)}" in head.warnings[0]
    assert head.evidence["accuracy"][",".join(true)] == 1.0


@pytest.mark.parametrize(("order", "chance"), [((C, E, N), "33%"), ((NOT_E, E), "67%")])
def test_a_model_that_knows_nothing_casts_no_doubt_on_its_names_but_on_itself(
    order: tuple[str, ...], chance: str
) -> None:
    head = resolve_classifier_head(order, None, at_a_loss(len(order)), "m")
    assert (head.order, head.how) == (order, "names")
    (warning,) = head.warnings
    assert " 48 unmistakable pairs" in warning
    assert f"({chance})" in warning
    assert "-o labels=" not in warning


@pytest.mark.parametrize(("wrong", "doubted"), [(20, False), (32, True)])
def test_a_weak_model_is_told_from_one_that_guesses(wrong: int, doubted: bool) -> None:
    def weak(premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        rows = reader(THREE_LABELS)(premises, hypotheses)
        rows[:wrong] = np.roll(rows[:wrong], 1, axis=1)
        return rows

    assert bool(resolve_classifier_head(THREE_LABELS, None, weak, "m").warnings) is doubted


def test_the_option_settles_it_without_asking_the_model() -> None:
    nameless = ["LABEL_0", "LABEL_1", "LABEL_2"]
    head = resolve_classifier_head(nameless, ("Contradictory", "E", "neutral"), never, "m")
    assert (head.order, head.how, head.warnings) == ((C, E, N), "option", ())
    assert resolve_classifier_head(["a", "b"], ("not_entailment", "e"), never, "m").order == (NOT_E, E)
    against = resolve_classifier_head(THREE_LABELS, (C, E, N), never, "m")
    assert against.order == (C, E, N)
    (warning,) = against.warnings
    assert ", ".join(against.order) in warning


@pytest.mark.parametrize(
    ("given_labels", "expected"),
    [
        ((E, N), "'entailment,neutral'"),
        ((E, N, N), "'entailment,neutral,neutral'"),
        ((E, N, NOT_E), "'entailment,neutral,non-entailment'"),
        ((), "''"),
        ((E, N, C, NOT_E), "'entailment,neutral,contradiction,non-entailment'"),
        ((E, NOT_E), "3 outputs.* 2:"),
        ((E, N, "maybe"), "'maybe'"),
        ((E, N, "2"), "'2'"),
    ],
)
def test_wrong_options_are_refused(given_labels: tuple[str, ...], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        resolve_classifier_head(["LABEL_0", "LABEL_1", "LABEL_2"], given_labels, never, "m")


def test_answers_have_the_label_and_all_probabilities() -> None:
    rows = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 3.0], [1000.0, -1000.0, 0.0]])
    answers = make_predictions_from_logits(rows, (C, E, N))
    assert answers.columns == ["label", "p_entailment", "p_neutral", "p_contradiction"]
    assert answers["label"].to_list() == [C, N, C]
    assert answers["p_contradiction"].to_list() == pytest.approx(
        [np.e**2 / (np.e**2 + 2), 1 / (2 + np.e**3), 1]
    )
    check_probabilities(answers, None)
    two = make_predictions_from_logits(np.array([[0.0, 1.0]], dtype=np.float32), (NOT_E, E))
    assert two.columns == ["label", "p_entailment", "p_non_entailment"]
    assert two["label"].to_list() == [E]
    assert make_predictions_from_logits(np.empty((0, 3)), THREE_LABELS).height == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_no_answer_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match=r"(nan|inf).* fp32"):
        make_predictions_from_logits(np.array([[0.0, 1.0, 2.0], [bad, 0.0, 0.0]]), THREE_LABELS)


def fumbling(seed: int, wrong: int) -> Logits:
    """Make a model of whole numbers, so that they are often equal, which is wrong on some of the pairs."""

    def logits(premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        rows = reader(THREE_LABELS, sure=2.0)(premises, hypotheses)
        chance = np.random.default_rng(seed)
        lost = chance.permutation(len(rows))[:wrong]
        rows[lost] = chance.integers(0, 3, (len(lost), 3))
        return rows

    return logits


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(0, 48), st.permutations(range(3)), st.booleans())
def test_the_order_of_the_outputs_never_changes_an_answer(
    seed: int, wrong: int, places: list[int], with_names: bool
) -> None:
    pairs = read_probe_pairs()
    texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    tables: list[pl.DataFrame | None] = []
    for order in (range(3), places):
        model = permuted(fumbling(seed, wrong), order)
        names = [THREE_LABELS[place] if with_names else f"LABEL_{place}" for place in order]
        try:
            tables.append(
                make_predictions_from_logits(
                    model(*texts), resolve_classifier_head(names, None, model, "m").order
                )
            )
        except InputError:
            tables.append(None)
    first, second = tables
    assert (first is None) == (second is None)
    assert first is None or (second is not None and first.equals(second))
    assert not with_names or first is not None
    assert wrong or first is not None
