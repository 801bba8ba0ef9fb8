"""A head that was trained before keeps what its outputs mean, and dropout is set whatever an encoder calls it."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from rightreasons.training.pretrained_encoders import load_classifier  # noqa: E402 - needs torch

if TYPE_CHECKING:
    from pathlib import Path

SIZES: dict[str, Any] = {
    "vocab_size": 30,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
}
CONFIGS: dict[str, Any] = {
    "bert": lambda **more: transformers.BertConfig(**SIZES, **more),
    "roberta": lambda **more: transformers.RobertaConfig(**SIZES, **more),
    "albert": lambda **more: transformers.AlbertConfig(**SIZES, embedding_size=8, **more),
    "distilbert": lambda **more: transformers.DistilBertConfig(
        vocab_size=30, dim=8, n_layers=1, n_heads=2, hidden_dim=8, **more
    ),
}
# The value of each output's bias, by which it is known again.
BIAS = {"contradiction": 10.0, "entailment": 20.0, "neutral": 30.0}


def saved(folder: Path, kind: str, names: tuple[str, ...]) -> str:
    """Save a classifier whose outputs have these names, and biases that tell them apart."""
    named = dict(enumerate(names))
    config = CONFIGS[kind](id2label=named, label2id={name: place for place, name in named.items()})
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    with torch.no_grad():
        last(model).bias.copy_(torch.tensor([BIAS.get(name.lower(), 99.0) for name in names]))
    model.save_pretrained(folder)
    return str(folder)


def last(model: Any) -> Any:
    return getattr(model.classifier, "out_proj", model.classifier)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("names", list(permutations(BIAS)), ids="-".join)
def test_a_head_is_kept_with_its_outputs_in_our_order(
    tmp_path: Path, kind: str, names: tuple[str, ...]
) -> None:
    folder = saved(tmp_path, kind, tuple(name.upper() for name in names))
    before = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    model = load_classifier(folder, THREE_LABELS, seed=0)
    assert last(model).bias.tolist() == [BIAS[label] for label in THREE_LABELS]
    rows = [names.index(label) for label in THREE_LABELS]
    assert torch.equal(last(model).weight, last(before).weight[rows])
    assert model.config.id2label == dict(enumerate(THREE_LABELS))
    ids = torch.arange(6)[None]
    with torch.no_grad():
        asked, known = model.eval()(input_ids=ids).logits, before.eval()(input_ids=ids).logits
    torch.testing.assert_close(asked, known[:, rows])


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize(
    "names",
    [("LABEL_0", "LABEL_1", "LABEL_2"), ("entailment", "not_entailment"), ("good", "bad", "ugly")],
    ids="-".join,
)
def test_a_head_whose_names_say_nothing_is_drawn_anew(
    tmp_path: Path, kind: str, names: tuple[str, ...]
) -> None:
    folder = saved(tmp_path, kind, names)
    first, again = (load_classifier(folder, THREE_LABELS, seed=1) for _ in range(2))
    assert last(first).weight.shape[0] == len(THREE_LABELS)
    assert set(last(first).bias.tolist()) == {0.0}, "a new head begins without biases"
    assert torch.equal(last(first).weight, last(again).weight)
    assert not torch.equal(last(first).weight, last(load_classifier(folder, THREE_LABELS, seed=2)).weight)


def test_a_head_of_two_labels_is_kept_too(tmp_path: Path) -> None:
    folder = saved(tmp_path, "bert", ("not_entailment", "entailment"))
    before = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    model = load_classifier(folder, TWO_LABELS, seed=0)
    assert torch.equal(model.classifier.weight, before.classifier.weight[[1, 0]])


@pytest.mark.parametrize("kind", CONFIGS)
def test_dropout_is_set_in_all_parts(tmp_path: Path, kind: str) -> None:
    folder = saved(tmp_path, kind, THREE_LABELS)
    model = load_classifier(folder, THREE_LABELS, seed=0, dropout=0.375)
    shares = {part.p for part in model.modules() if isinstance(part, torch.nn.Dropout)}
    assert shares == {0.375}
    kept = load_classifier(folder, THREE_LABELS, seed=0)
    assert {part.p for part in kept.modules() if isinstance(part, torch.nn.Dropout)} != {0.375}


def test_dropout_of_an_encoder_without_dropout_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rightreasons.training.pretrained_encoders.DROPOUTS", ("no_such_dropout",))
    with pytest.raises(InputError, match="option dropout"):
        load_classifier(saved(tmp_path, "bert", THREE_LABELS), THREE_LABELS, seed=0, dropout=0.1)
