"""Datasets in the layout of the Hugging Face hub, from real folders; the hub itself is not asked."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus, read_texts
from rightreasons.corpora.generic_columns import NUMBERED

if TYPE_CHECKING:
    from pathlib import Path

datasets = pytest.importorskip("datasets")
NAMES = ["contradiction", "entailment", "neutral"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()


def made() -> Any:
    kinds = {
        "premise": datasets.Value("string"),
        "hypothesis": datasets.Value("string"),
        "label": datasets.ClassLabel(names=NAMES),
    }
    rows = {
        "premise": ["A dog ran.", "A cat ran.", "A fox ran.", " "],
        "hypothesis": ["h"] * 4,
        "label": [1, -1, 0, 2],
    }
    return datasets.Dataset.from_dict(rows, features=datasets.Features(kinds))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with two splits in parquet, as on the Hub."""
    (tmp_path / "pets").mkdir()
    for split in ("train", "validation"):
        made().to_parquet(tmp_path / "pets" / f"{split}.parquet")
    return tmp_path / "pets"


def test_labels_are_named_by_the_dataset_and_faults_repaired(folder: Path) -> None:
    corpus = read_corpus(f"hf:{folder}:validation")
    assert corpus.pairs.select("id", "premise", "label", "original_label").rows() == [
        ("ex0", "A dog ran.", "entailment", "entailment"),
        ("ex2", "A fox ran.", "contradiction", "contradiction"),
    ]
    assert corpus.card.remarks[0] == NUMBERED
    assert [remark[:7] for remark in corpus.card.remarks[1:]] == ["1 of 4 ", "1 of 3 "]
    assert list(corpus.card.sources) == [f"hf:{folder}:validation"]
    assert read_corpus(f"hf:{folder}:default:train").pairs.equals(corpus.pairs)
    assert read_texts(f"hf:{folder}:train").table["text"].to_list() == ["A dog ran.", "A fox ran."]


def test_the_split_is_never_guessed(folder: Path) -> None:
    with pytest.raises(InputError, match=r"splits train, validation\. .* hf:.*:train"):
        read_corpus(f"hf:{folder}")
    with pytest.raises(InputError, match=r"splits train, validation, .*dev"):
        read_corpus(f"hf:{folder}:dev")
    with pytest.raises(InputError, match=r"configurations default, .*big"):
        read_corpus(f"hf:{folder}:big:train")


def test_datasets_saved_to_disk(tmp_path: Path) -> None:
    made().save_to_disk(tmp_path / "one")
    datasets.DatasetDict(train=made(), test=made()).save_to_disk(tmp_path / "two")
    one = read_corpus(f"hf:{tmp_path}/one")
    assert one.card.set == "one"
    assert one.pairs.equals(read_corpus(f"hf:{tmp_path}/two:test").pairs)
    with pytest.raises(InputError, match=r"one:test .*test"):
        read_corpus(f"hf:{tmp_path}/one:test")
    with pytest.raises(InputError, match="splits train, test"):
        read_corpus(f"hf:{tmp_path}/two")


def test_word_problems_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "test.jsonl").write_text('{"question": "How many?", "answer": "Two.\\n#### 2"}\n')
    table = read_texts(f"hf:{tmp_path}/sums").table
    assert table.rows() == [("gsm8k-1", "How many?", "word problems", "2", "Two.")]


def test_labels_without_names_are_refused_with_their_row(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "test.csv").write_text("premise,hypothesis,label\np,h,1\n")
    with pytest.raises(InputError, match=r"bare, row 1: .*'1'"):
        read_corpus(f"hf:{tmp_path}/bare")


@pytest.mark.parametrize("name", ["", ":train", "a:b:c:d", "a::b"])
def test_malformed_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"hf:{name} .*hf:NAME:CONFIG:SPLIT"):
        read_corpus(f"hf:{name}")


def test_missing_folders_and_networks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"hf:{tmp_path}/nowhere .*path"):
        read_corpus(f"hf:{tmp_path}/nowhere")
    code = "from rightreasons.corpora import read_corpus\nread_corpus('hf:some/where')"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=offline, capture_output=True, text=True, check=False
    )
    assert "InputError: hf:some/where " in done.stderr
    assert "the network" in done.stderr


def test_without_the_library_the_message_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"hf:some/where .*pip install datasets"):
        read_corpus("hf:some/where")


def test_columns_of_lists_are_no_obstacle(tmp_path: Path) -> None:
    rows = {
        "pairID": ["1e", "2n"],
        "promptID": ["1", "2"],
        "sentence1": ["A dog ran.", "A cat ran."],
        "sentence2": ["A dog moved.", "A cat ran home."],
        "gold_label": ["entailment", "neutral"],
        "annotator_labels": [["entailment", "neutral"], ["neutral"]],
    }
    (tmp_path / "lists").mkdir()
    datasets.Dataset.from_dict(rows).to_parquet(tmp_path / "lists" / "train.parquet")
    corpus = read_corpus(f"hf:{tmp_path / 'lists'}")
    assert corpus.pairs["id"].to_list() == ["1e", "2n"]
    assert len(next(iter(corpus.card.sources.values()))) == 64


def test_a_folder_is_never_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, label in (("p1", 0), ("p[1]", 1), ("~", 1), ("home", 0)):
        (tmp_path / name).mkdir()
        table = made().select([0]).remove_columns("label").add_column("label", [NAMES[label]])
        table.to_parquet(tmp_path / name / "train.parquet")
    with pytest.raises(InputError, match=r"p\[1\].*pattern"):
        read_corpus("hf:./p[1]")
    assert read_corpus("hf:./p1").pairs["label"].to_list() == [NAMES[0]]
    assert read_corpus("hf:./~").pairs["label"].to_list() == [NAMES[1]]
