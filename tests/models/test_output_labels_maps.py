"""Label maps of config.json: a gap, a negative, a duplicate or a contradiction is an error that names the flag."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.onnx import Onnx
from rightreasons.models.output_labels import has_unusable_output_names, read_output_names

PAIRS = tiny_networks.PAIRS.head(4)
ORDER = ("contradiction", "entailment", "neutral")
PLACE = Path("config.json")
MAPS: list[dict[str, Any]] = [
    {"id2label": {"-1": "contradiction", "0": "entailment", "1": "neutral"}},
    {"id2label": {"0": "contradiction", "1": "entailment", "5": "neutral"}},
    {"id2label": {"1": "contradiction", "2": "entailment", "3": "neutral"}},
    {"id2label": {"0": "contradiction", "00": "entailment", "1": "neutral"}},
    {"id2label": {"zero": "contradiction", "one": "entailment", "two": "neutral"}},
    {"id2label": {"0.0": "contradiction", "1.0": "entailment", "2.0": "neutral"}},
    {"id2label": {"NaN": "contradiction", "1": "entailment", "2": "neutral"}},
    {"id2label": list(ORDER)},
    {"id2label": "contradiction"},
    {"id2label": float("nan")},
    {"id2label": {"0": None, "1": "entailment", "2": "neutral"}},
    {"id2label": {"0": ["contradiction"], "1": "entailment", "2": "neutral"}},
    {"label2id": {"contradiction": 1, "entailment": 0, "neutral": 2}},
    {"label2id": {"contradiction": 0, "entailment": 1, "neutral": 7}},
    {"label2id": {"contradiction": 0, "entailment": 1, "neutral": -1}},
    {"label2id": {"contradiction": 0, "entailment": 1, "neutral": "x"}},
    {"label2id": {"not_entailment": 0}},
    {"label2id": [0, 1, 2]},
    {"num_labels": 2},
]


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write one network as a folder of transformers and as a graph."""
    root = tmp_path_factory.mktemp("networks")
    folder = tiny_networks.save("bert", root / "hf")
    (root / "onnx").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIGHTREASONS_CACHE", str(root / "cache"))
        shutil.copy(
            HuggingFace(str(folder), backend="onnx")._get_exported_graph(), root / "onnx" / "model.onnx"
        )
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(folder / name, root / "onnx")
    return {"hf": folder, "onnx": root / "onnx"}


def changed(folder: Path, place: Path, settings: dict[str, Any]) -> Path:
    copy = shutil.copytree(folder, place)
    config = json.loads((copy / "config.json").read_text()) | settings
    (copy / "config.json").write_text(json.dumps(config))
    return copy


@pytest.mark.parametrize("settings", MAPS, ids=str)
@pytest.mark.parametrize("kind", ["hf", "onnx"])
def test_an_ambiguous_map_is_refused_and_the_flag_settles_it(
    networks: dict[str, Path], kind: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    part: Any = {"hf": HuggingFace, "onnx": Onnx}[kind]
    folder = str(changed(networks[kind], tmp_path / "model", settings))
    with pytest.raises(InputError, match="-o labels=") as caught:
        part(folder).predict(PAIRS)
    assert "config.json" in str(caught.value)
    assert "\n" not in str(caught.value)
    settled = part(folder, labels=ORDER).predict(PAIRS)
    assert settled.equals(part(str(networks[kind])).predict(PAIRS))


@pytest.mark.parametrize(
    "settings",
    [
        {"label2id": {name: place for place, name in enumerate(ORDER)}},
        {"label2id": {name.upper(): str(place) for place, name in enumerate(ORDER)}},
        {"label2id": {"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2}},
        {"label2id": {}},
        {"id2label": {"2": "neutral", "0": "contradiction", "1": "entailment"}},
        {"num_labels": 3},
    ],
    ids=str,
)
def test_maps_that_agree_are_taken(
    networks: dict[str, Path], settings: dict[str, Any], tmp_path: Path
) -> None:
    model = HuggingFace(str(changed(networks["hf"], tmp_path / "model", settings)))
    assert (model.head.order, model.head.how) == (ORDER, "names")


def test_a_folder_without_a_map_has_as_many_outputs_as_the_flag_says(
    networks: dict[str, Path], tmp_path: Path
) -> None:
    folder = str(changed(networks["hf"], tmp_path / "model", {"id2label": None, "label2id": None}))
    expected = HuggingFace(str(networks["hf"])).predict(PAIRS)
    assert HuggingFace(folder, labels=ORDER).predict(PAIRS).equals(expected)


def test_a_key_that_occurs_twice_is_refused(networks: dict[str, Path], tmp_path: Path) -> None:
    for kind, part in (("hf", HuggingFace), ("onnx", Onnx)):
        folder = changed(networks[kind], tmp_path / kind, {})
        text = (folder / "config.json").read_text()
        (folder / "config.json").write_text(text.replace('"id2label"', '"id2label": null, "id2label"', 1))
        with pytest.raises(InputError, match="'id2label' occurs twice"):
            part(str(folder)).predict(PAIRS)


@given(st.permutations([*enumerate(ORDER)]))
def test_the_order_of_the_file_does_not_matter(items: list[tuple[int, str]]) -> None:
    settings = {"id2label": {str(place): name for place, name in items}}
    assert read_output_names(settings, PLACE) == ORDER
    assert not has_unusable_output_names(settings)


@given(st.dictionaries(st.integers(-3, 6), st.sampled_from(ORDER), min_size=1))
def test_names_are_taken_exactly_where_there_is_no_gap(names: dict[int, str]) -> None:
    settings = {"id2label": {str(place): name for place, name in names.items()}}
    assert has_unusable_output_names(settings) == (sorted(names) != [*range(len(names))])
    assert read_output_names(settings, PLACE, ORDER) == (
        ORDER if has_unusable_output_names(settings) else tuple(names[place] for place in sorted(names))
    )


@given(st.permutations(ORDER))
def test_an_inverse_map_in_another_order_contradicts(order: list[str]) -> None:
    settings = {"id2label": dict(enumerate(ORDER)), "label2id": {name: i for i, name in enumerate(order)}}
    assert has_unusable_output_names(settings) == (tuple(order) != ORDER)
