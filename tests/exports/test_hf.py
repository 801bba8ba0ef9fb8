"""Exported parquet: the datasets library reads it as we mean it, with its card or without."""

from __future__ import annotations

import shlex
from datetime import date
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons
from rightreasons.core import registry
from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.exports import export
from rightreasons.exports.hf import find_licence, make_generate_command

if TYPE_CHECKING:
    from pathlib import Path

datasets = pytest.importorskip("datasets")
yaml = pytest.importorskip("yaml")

ORDERS = {"hans": TWO_LABELS, "nps": TWO_LABELS, "stress-numerical": THREE_LABELS}


@pytest.fixture(scope="module")
def exported(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hf") / "data"
    assert export(run_folder, to="hf", out=folder) == []
    return folder


def read_front_matter(folder: Path) -> dict[str, Any]:
    text = (folder / "README.md").read_text(encoding="utf-8")
    front: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    return front


@pytest.mark.parametrize("name", ORDERS)
def test_the_library_reads_a_config_with_its_labels(
    exported: Path, run_folder: Path, tmp_path: Path, name: str
) -> None:
    read = datasets.load_dataset(str(exported), name, split="test", cache_dir=str(tmp_path))
    ours = pl.read_parquet(run_folder / "sets" / f"{name}.parquet")
    assert read.features["label"].names == list(ORDERS[name])
    assert read.features["label"].int2str(read["label"][:]) == ours["label"].to_list()
    assert read.column_names == ours.columns
    for column in ("id", "premise", "hypothesis", "subcase"):
        assert read[column][:] == ours[column].to_list()


def test_a_file_holds_without_its_card(exported: Path, tmp_path: Path) -> None:
    file = str(exported / "hans" / "test.parquet")
    read = datasets.load_dataset("parquet", data_files={"test": file}, cache_dir=str(tmp_path))["test"]
    assert (read.features["label"].dtype, read.features["rank"].dtype) == ("int64", "int64")
    labels = [TWO_LABELS[number] for number in read["label"][:]]
    assert labels == rightreasons.read_pairs(file).pairs["label"].to_list()


def test_the_library_sees_all_configs(exported: Path) -> None:
    assert sorted(datasets.get_dataset_config_names(str(exported))) == sorted(ORDERS)


def test_the_front_matter_has_the_fields_of_the_hub(exported: Path) -> None:
    front = read_front_matter(exported)
    assert front["task_categories"] == ["text-classification"]
    assert front["task_ids"] == ["natural-language-inference"]
    assert (front["license"], front["size_categories"]) == ("mit", ["n<1K"])
    info = next(one for one in front["dataset_info"] if one["config_name"] == "hans")
    label = next(one for one in info["features"] if one["name"] == "label")
    assert label["dtype"]["class_label"]["names"] == {"0": "entailment", "1": "non-entailment"}
    assert info["splits"][0]["num_examples"] == 60


def test_our_own_reader_takes_the_file_back(exported: Path, run_folder: Path) -> None:
    back = rightreasons.read_pairs(exported / "stress-numerical" / "test.parquet").pairs
    ours = pl.read_parquet(run_folder / "sets" / "stress-numerical.parquet")
    assert back.select("id", "label").equals(ours.select("id", "label"))


def test_sentences_of_others_are_given_no_licence(tmp_path: Path) -> None:
    texts = {"premise": ["p <b>"], "hypothesis": ["h"], "label": ["neutral"]}
    rows = pl.DataFrame({"id": ["a"], **texts, "x": [date(2026, 1, 1)], "lists": [[1]]})
    rows.write_parquet(tmp_path / "mine|\n.parquet")
    remarks = export(tmp_path / "mine|\n.parquet", to="hf", out=tmp_path / "out")
    assert [remark.split()[-1] for remark in remarks] == ["lists.", "x."]
    assert read_front_matter(tmp_path / "out")["license"] == "unknown"
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        '{"premise": "A man sleeps.", "hypothesis": "A man is awake.", "label": "contradiction"}\n'
    )
    generated = rightreasons.generate("stress/negation", corpus=str(corpus))
    assert find_licence(generated.card, "stress/negation") == "unknown"
    assert find_licence(rightreasons.generate("stress/negation", limit=3).card, "stress/negation") == "mit"


def test_the_train_split_is_called_so(tmp_path: Path) -> None:
    export("hans", to="hf", out=tmp_path / "out", limit=30, split="train")
    assert (tmp_path / "out" / "hans" / "train.parquet").is_file()


@pytest.mark.parametrize("name", registry.SETS)
def test_the_command_on_the_card_makes_the_set_again(name: str, tmp_path: Path) -> None:
    from command_line import inside

    generated = rightreasons.generate(name, limit=20, seed=3, short="allow")
    words = shlex.split(make_generate_command(generated.card, name) or "")
    assert words[:2] == ["rightreasons", "generate"]
    code, _, errors = inside(*words[1:-1], tmp_path / "again.parquet")
    assert code == 0, errors
    assert rightreasons.read_pairs(tmp_path / "again.parquet").pairs.equals(generated.pairs)


def test_wrong_exports_are_refused(tmp_path: Path, run_folder: Path) -> None:
    labels = ["entailment", "non-entailment", "neutral"]
    mixed = pl.DataFrame(
        {"id": ["a", "b", "c"], "premise": "p", "hypothesis": ["x", "y", "z"], "label": labels}
    )
    mixed.write_csv(tmp_path / "mixed.csv")
    with pytest.raises(InputError, match=r"mixed.*neutral, non-entailment"):
        export(tmp_path / "mixed.csv", to="hf", out=tmp_path / "out")
    with pytest.raises(InputError, match=r"'hff'.*\bhf\b"):
        export("hans", to="hff", out=tmp_path / "out")
    with pytest.raises(InputError, match="'limit'"):
        export(run_folder, to="hf", out=tmp_path / "out", limit=3)
    with pytest.raises(InputError, match="--out"):
        export(run_folder, to="hf")
    with pytest.raises(InputError, match=r"'model-card'.*'hans'"):
        export("hans", to="model-card", out=tmp_path / "out")
    with pytest.raises(InputError, match=r"no card\.json"):
        export(tmp_path, to="hf", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_only_an_earlier_export_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    export("hans", to="hf", out=out, limit=30)
    with pytest.raises(OutputError, match="exists already"):
        export("hans", to="hf", out=out, limit=30)
    export("hans", to="lm-eval", out=out, limit=30, force=True)
    assert not (out / "README.md").exists()
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").touch()
    with pytest.raises(OutputError, match=r"precious.*rightreasons-export\.json"):
        export("hans", to="hf", out=tmp_path / "precious", limit=30, force=True)
