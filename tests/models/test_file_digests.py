"""Fingerprints cover every file that decides a prediction."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import plain_nets
import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.models import transformer_export
from rightreasons.models.file_digests import IGNORED_FILES, digest_folder
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.python_function import PythonFunction
from rightreasons.models.trained_network import Net

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.lists(
    st.sampled_from(["a", "model.safetensors", "x.py", "vocab.txt", "b.md", "[c]", "d e", "ü.json"]),
    min_size=1,
    max_size=3,
).map("/".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.dictionaries(NAMES, st.binary(min_size=1, max_size=5), min_size=1, max_size=5), st.data())
def test_changing_any_byte_of_any_file_changes_the_digests(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    written = {}
    for name, content in files.items():
        path = folder / name
        if any(other.is_file() for other in path.parents if other != folder) or path.is_dir():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written[name] = content
    before = digest_folder(folder)
    assert before.keys() == written.keys()
    name = data.draw(st.sampled_from(sorted(written)))
    place = data.draw(st.integers(0, len(written[name]) - 1))
    content = bytearray(written[name])
    content[place] ^= data.draw(st.integers(1, 255))
    (folder / name).write_bytes(content)
    assert {key for key, digest in digest_folder(folder).items() if digest != before[key]} == {name}


def test_what_is_left_out_is_a_short_list_and_counts_with_code(tmp_path: Path) -> None:
    for name in (*IGNORED_FILES, ".git/HEAD", "checkpoint-500/model.safetensors", "weights"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    assert [*digest_folder(tmp_path)] == ["weights"]
    assert len(digest_folder(tmp_path, everything=True)) == len(IGNORED_FILES) + 3


def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "model").mkdir()
    (tmp_path / "real" / "weights").write_text("1")
    (tmp_path / "model" / "sub").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "again").symlink_to(tmp_path / "model")
    before = digest_folder(tmp_path / "model")
    assert [*before] == ["sub/again/", "sub/weights"]
    (tmp_path / "real" / "weights").write_text("2")
    assert digest_folder(tmp_path / "model") != before


@pytest.mark.parametrize("ignored", ["checkpoint-5", ".cache", "__pycache__"])
def test_weights_in_an_ignored_folder_count_through_a_link_with_another_name(
    tmp_path: Path, ignored: str
) -> None:
    (tmp_path / ignored).mkdir()
    (tmp_path / "weights").symlink_to(ignored)
    (tmp_path / ignored / "w.bin").write_bytes(b"1")
    (tmp_path / "model.onnx").write_bytes(b"location weights/w.bin")
    before = digest_folder(tmp_path, graph=tmp_path / "model.onnx")
    assert "weights/w.bin" in before
    (tmp_path / ignored / "w.bin").write_bytes(b"2")
    assert digest_folder(tmp_path, graph=tmp_path / "model.onnx") != before


def test_a_link_that_is_set_to_another_folder_counts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "w.bin").write_text(name)
    (tmp_path / "weights").symlink_to("a")
    before = digest_folder(tmp_path)
    (tmp_path / "weights").unlink()
    (tmp_path / "weights").symlink_to("b")
    assert digest_folder(tmp_path) != before


def test_many_links_to_each_other_are_walked_in_a_short_time(tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(30)]
    for name in names:
        (tmp_path / name).mkdir()
    for name in names:
        for other in names:
            (tmp_path / name / other).symlink_to(tmp_path / other)
    assert len(digest_folder(tmp_path)) == 30 * 30


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "tokenizer_config.json",
        "chat_template.jinja",
        "added_tokens.json",
        "special_tokens_map.json",
        "spiece.model",
        "model-00001-of-00002.safetensors",
        "model.safetensors.index.json",
        "sub/more.bin",
        "code.py",
    ],
)
def test_every_file_of_a_transformers_folder_counts(tmp_path: Path, name: str) -> None:
    folder = tiny_networks.save("bert", tmp_path / "bert")
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    content = path.read_bytes() if path.exists() else b'{"weight_map": {}}'
    path.write_bytes(content)
    before = HuggingFace(str(folder))._compute_file_digests()
    path.write_bytes(content + b" ")
    after = HuggingFace(str(folder))._compute_file_digests()
    assert {key for key in after if after[key] != before[key]} == {name}


def test_every_file_of_a_network_counts(tmp_path: Path) -> None:
    folder = plain_nets.saved(tmp_path / "net", "cbow")
    before = Net(str(folder)).fingerprint()
    assert before["files"].keys() == {"network.json", "weights.safetensors", "words.txt"}
    card = folder / "network.json"
    card.write_text(card.read_text() + " ")
    assert Net(str(folder)).fingerprint() != before
    (folder / "words.txt").write_text((folder / "words.txt").read_text() + "more\n")
    with pytest.raises(InputError, match=r"words\.txt was"):
        Net(str(folder)).fingerprint()


def test_the_files_of_a_parser_count(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "pipeline")
    folder = plain_nets.saved(tmp_path / "net", "spinn")
    files = Net(str(folder), parser=f"spacy:{tmp_path / 'pipeline'}").fingerprint()["parser_files"]
    assert "config.cfg" in files
    assert Net(str(folder), parser="balanced").fingerprint()["parser_files"] == {}


def test_sources_that_a_function_imports_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    sources = {
        "counted_model.py": "from parts.rule import LABEL\nimport json, parts.more\n"
        "def answer(premises, hypotheses):\n    import counted_late\n    return [LABEL] * len(premises)\n",
        "counted_late.py": "X = 1\n",
        "parts/__init__.py": "",
        "parts/rule.py": "from .deep import LABEL\n",
        "parts/deep.py": "LABEL = 'neutral'\n",
        "parts/more.py": "",
        "unrelated.py": "",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("counted_model", "counted_late", "parts"):
            monkeypatch.delitem(sys.modules, name)
    before = PythonFunction("counted_model:answer").fingerprint()["files"]
    assert before.keys() == sources.keys() - {"unrelated.py"}
    (tmp_path / "parts/deep.py").write_text("LABEL = 'entailment'\n")
    assert PythonFunction("counted_model:answer").fingerprint()["files"] != before


def test_only_the_own_files_of_an_installed_package_count() -> None:
    files = PythonFunction("json:dumps").fingerprint()["files"]
    assert {"json/__init__.py", "json/decoder.py"} <= files.keys()
    assert all(name.startswith("json/") for name in files)


def test_an_exported_graph_that_was_changed_is_exported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    made: list[Path] = []

    def export(out: Path) -> None:
        made.append(out)
        out.write_bytes(b"graph")
        (out.parent / "beside.data").write_bytes(b"weights")

    graph = transformer_export.get_or_export_graph({"a": "1"}, export)
    assert transformer_export.get_or_export_graph({"a": "1"}, export) == graph
    assert len(made) == 1
    for changed in (graph, graph.parent / "beside.data", graph.parent / "about.json"):
        changed.write_bytes(b"other")
        assert transformer_export.get_or_export_graph({"a": "1"}, export).read_bytes() == b"graph"
    assert len(made) == 4
    assert transformer_export.get_or_export_graph({"a": "2"}, export) != graph


def test_a_file_of_predictions_is_named_by_its_digest(tmp_path: Path) -> None:
    from rightreasons.models.prediction_file import File

    pairs = pl.DataFrame({"id": ["1"], "premise": ["a"], "hypothesis": ["b"]})
    digests = []
    for label in ("neutral", "entailment"):
        (tmp_path / "p.csv").write_text(f"id,label\n1,{label}\n")
        model = File(tmp_path / "p.csv")
        model.predict(pairs)
        digests.append(model.sources["p.csv"])
    assert digests[0] != digests[1]
