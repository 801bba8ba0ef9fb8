"""net:FOLDER: a trained network as a model, asked as all others are."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rightreasons
from plain_nets import PAIRS, saved
from rightreasons import inference
from rightreasons.cli import main
from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.serving.service import RequestLimits, Service

NETS = ["cbow", "da", "esim", "bilstm", "infersent", "rc", "nb", "ch", "jiant"]


def pairs() -> pl.DataFrame:
    """Real pairs of many lengths, some of them twice."""
    some = read_probe_pairs().select("premise", "hypothesis", "label").gather_every(4)
    long = some.with_columns(pl.col("premise").repeat_by(3).list.join(" "))
    return (
        pl.concat([some, long, some.head(5)]).with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    )


@pytest.mark.parametrize("net", NETS)
def test_answers_do_not_depend_on_who_is_asked_together(tmp_path: Path, net: str) -> None:
    folder, asked = saved(tmp_path / "net", net), pairs()
    whole = rightreasons.predict(f"net:{folder}", asked)
    alone = rightreasons.predict(f"net:{folder}", asked, batch_size=1)
    assert whole["id"].equals(asked["id"])
    assert whole.columns == ["id", "label", "p_entailment", "p_neutral", "p_contradiction"]
    for column in whole.columns[2:]:
        assert np.abs(whole[column] - alone[column]).max() < 1e-5
    assert whole[-5:].drop("id").equals(whole[:5].drop("id"))
    sums = whole.select(pl.sum_horizontal(whole.columns[2:]))
    assert sums.to_series().to_numpy() == pytest.approx(1)


def test_a_head_of_two_labels(tmp_path: Path) -> None:
    answers = rightreasons.predict(f"net:{saved(tmp_path / 'net', 'cbow', labels=TWO_LABELS)}", pairs())
    assert answers.columns == ["id", "label", "p_entailment", "p_non_entailment"]
    assert set(answers["label"]) <= set(TWO_LABELS)


def test_the_order_of_the_outputs_is_the_folder_s(tmp_path: Path) -> None:
    one = rightreasons.predict(f"net:{saved(tmp_path / 'one', 'cbow')}", pairs())
    turned = (THREE_LABELS[2], THREE_LABELS[0], THREE_LABELS[1])
    two = rightreasons.predict(f"net:{saved(tmp_path / 'two', 'cbow', labels=turned)}", pairs())
    assert one["p_entailment"].to_list() == pytest.approx(two["p_contradiction"].to_list())
    assert one["p_neutral"].to_list() == pytest.approx(two["p_entailment"].to_list())


def test_pairs_without_words_are_refused_and_the_others_answered(tmp_path: Path) -> None:
    texts = {"premise": ["A dog slept.", " ", "A dog."], "hypothesis": ["x", "y", ""]}
    asked = pl.DataFrame({"id": ["a", "b", "c"], **texts})
    answered = inference.predict_pairs(registry.make_model(f"net:{saved(tmp_path / 'net', 'da')}", {}), asked)
    assert answered.predictions["label"].to_list()[1:] == ["refused", "refused"]
    assert answered.facts["reasons"] == {"the premise has no words": 1, "the hypothesis has no words": 1}


@pytest.mark.parametrize("net", ["cbow", "rc"])
def test_a_literal_network_is_asked_in_fixed_batches(tmp_path: Path, net: str) -> None:
    model = registry.make_model(f"net:{saved(tmp_path / 'net', net, literal=True)}", {"batch_size": 4})
    job = model.prepare(pairs().select("premise", "hypothesis"))  # type: ignore[attr-defined]
    assert [batch.tolist() for batch in job.batches[:2]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert model.fingerprint()["batch_size"] == 4  # type: ignore[attr-defined]
    assert registry.make_model("net:" + str(tmp_path / "net"), {}).fingerprint()["batch_size"] == 32  # type: ignore[attr-defined]
    as_trained = saved(tmp_path / "trained", net, literal=True, training={"batch_size": 128})
    assert registry.make_model(f"net:{as_trained}", {}).fingerprint()["batch_size"] == 128  # type: ignore[attr-defined]


def test_the_fingerprint_is_that_of_the_files(tmp_path: Path) -> None:
    one, two = (registry.make_model(f"net:{saved(tmp_path / name, 'cbow')}", {}) for name in "ab")
    other = registry.make_model(f"net:{saved(tmp_path / 'c', 'cbow', hidden=7)}", {})
    assert one.fingerprint() == two.fingerprint()  # type: ignore[attr-defined]
    assert one.fingerprint()["files"] != other.fingerprint()["files"]  # type: ignore[attr-defined]
    assert one.fingerprint()["batch_size"] is None  # type: ignore[attr-defined]


def test_the_journal_keeps_answers(tmp_path: Path) -> None:
    model = registry.make_model(f"net:{saved(tmp_path / 'net', 'da')}", {})
    first = inference.predict_pairs(model, pairs(), tmp_path / "journal")
    again = inference.predict_pairs(model, pairs(), tmp_path / "journal")
    assert again.predictions.equals(first.predictions)
    assert again.facts["kept"] == first.facts["different"] == pairs().height - 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": "0"}, "batch_size is 0"),
        ({"device": "abacus"}, "no device 'abacus'"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    folder = saved(tmp_path / "net", "cbow")
    with pytest.raises(InputError, match=said):
        rightreasons.predict(f"net:{folder}", pairs(), **options)


def test_missing_folders_and_prefixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.* `rightreasons train`"):
        rightreasons.predict(f"net:{tmp_path / 'none'}", pairs())
    folder = saved(tmp_path / "net", "cbow")
    with pytest.raises(InputError, match=re.escape(f"net:{folder} ")):
        rightreasons.predict(str(folder), pairs())


def test_the_commands_work_with_it(tmp_path: Path) -> None:
    folder = saved(tmp_path / "net", "cbow")
    pairs().write_parquet(tmp_path / "set.parquet")
    for words in (
        ["predict", f"net:{folder}", str(tmp_path / "set.parquet"), "--out", str(tmp_path / "answers.csv")],
        ["evaluate", f"net:{folder}", "--sets", "hans", "--size", "2", "--out", str(tmp_path / "run")],
        ["labels", f"net:{folder}", "--json"],
    ):
        ran = CliRunner().invoke(main, words)
        assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["labels"] == list(THREE_LABELS)
    assert pl.read_csv(tmp_path / "answers.csv").height == pairs().height
    assert Path(tmp_path / "run").is_dir()


def test_a_network_that_reads_trees_needs_parses_or_a_parser(tmp_path: Path) -> None:
    folder = saved(tmp_path / "net", "spinn")
    choices = r"parser=right-branching\|balanced\|link-grammar\|spacy"
    with pytest.raises(InputError, match=f"'premise_parse'.* {choices}"):
        rightreasons.predict(f"net:{folder}", pairs())
    parsed = PAIRS.with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    given = rightreasons.predict(f"net:{folder}", parsed)
    bare = parsed.select("id", "premise", "hypothesis")
    right = rightreasons.predict(f"net:{folder}", bare, parser="right-branching")
    both = rightreasons.predict(f"net:{folder}", parsed, parser="right-branching")
    assert both.equals(given)  # parses that are there come first
    assert not np.allclose(given["p_entailment"], right["p_entailment"])
    twice = pl.concat([parsed, right_branching(parsed).with_columns(pl.col("id") + "'")])
    answers = rightreasons.predict(f"net:{folder}", twice)
    assert answers["p_entailment"][0] != answers["p_entailment"][3]  # the same texts with other parses


def test_a_network_that_was_trained_on_the_trees_of_a_parser_is_asked_with_those(tmp_path: Path) -> None:
    folder = saved(tmp_path / "net", "spinn")
    parsed = PAIRS.with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    bare = parsed.select("id", "premise", "hypothesis")
    right = rightreasons.predict(f"net:{folder}", bare, parser="right-branching")
    card = json.loads((folder / "network.json").read_text())
    (folder / "network.json").write_text(json.dumps(card | {"parser": "right-branching"}))
    name = f"net:{folder}"
    assert rightreasons.predict(name, bare).equals(right)
    assert rightreasons.predict(name, parsed).equals(
        right
    )  # trees that it never saw the like of are left alone
    assert not rightreasons.predict(name, parsed, parser="balanced").equals(right)


def right_branching(parsed: pl.DataFrame) -> pl.DataFrame:
    return parsed.with_columns(premise_parse=pl.lit("( The ( judge ( saw ( the lawyers ) ) ) )"))


def test_evaluate_makes_sets_with_parses_for_a_network_that_reads_trees(tmp_path: Path) -> None:
    folder = saved(tmp_path / "net", "spinn")
    for name, options in (("needs", {}), ("wants", {"parser": "balanced"})):
        run = rightreasons.evaluate(f"net:{folder}", sets="hans", size=2, out=tmp_path / name, **options)
        assert run is not None
    one, two = (next((tmp_path / name).rglob("predictions/**/*net*.parquet")) for name in ("needs", "wants"))
    assert pl.read_parquet(one).equals(pl.read_parquet(two))


def test_blank_texts_are_refused_by_networks_that_read_trees_as_well(tmp_path: Path) -> None:
    texts = ["A dog slept.", None, "\x1c\x1d", "\u2028\u00a0\x85"]  # the last two are space, for Python
    asked = pl.DataFrame({"id": ["a", "b", "c", "d"], "premise": texts, "hypothesis": ["A dog"] * 4})
    model = registry.make_model(f"net:{saved(tmp_path / 'net', 'spinn')}", {"parser": "balanced"})
    assert inference.predict_pairs(model, asked).predictions["label"].to_list()[1:] == ["refused"] * 3


@pytest.mark.parametrize("net", [*NETS, "spinn"])
def test_texts_of_all_kinds_are_answered_whatever_stands_beside_them(tmp_path: Path, net: str) -> None:
    texts = [
        "...",
        "?!",
        "\0",
        "a\0b \x1b[31m",
        "\U0001f600 dog",
        "\u200b",
        "( a",
        "-LRB- x",
        "<s> <unknown>",
    ]
    texts += ["x" * 3000, "judge " * 1000, "\ufeff", "a\nb\tc"]
    one = pl.DataFrame({"premise": texts, "hypothesis": ["A dog slept."] * len(texts)})
    asked = pl.concat([one, one.select(premise="hypothesis", hypothesis="premise")])
    asked = asked.with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    options = {"parser": "balanced"} if net == "spinn" else {}
    name = f"net:{saved(tmp_path / 'net', net)}"
    whole = rightreasons.predict(name, asked, **options)
    turned = rightreasons.predict(name, asked[::-1], batch_size=3, **options)[::-1]
    assert set(whole["label"]) <= set(THREE_LABELS)
    for column in whole.columns[2:]:
        assert np.abs(whole[column] - turned[column]).max() < 1e-5


def test_it_is_served_where_texts_are_enough(tmp_path: Path) -> None:
    name = f"net:{saved(tmp_path / 'net', 'da')}"
    service = Service(registry.make_model(name, {}), name, {}, RequestLimits())
    pairs = service.parse_pairs({"pairs": [{"premise": "A dog slept.", "hypothesis": "A dog slept."}]})
    (answer,) = service.predict(pairs, threading.Event())["answers"]
    assert answer["label"] in THREE_LABELS
    trees = f"net:{saved(tmp_path / 'trees', 'spinn')}"
    with pytest.raises(InputError, match=r"premise_parse.* -o parser="):
        Service(registry.make_model(trees, {}), trees, {}, RequestLimits())
    assert Service(registry.make_model(trees, {"parser": "balanced"}), trees, {}, RequestLimits()).labels
