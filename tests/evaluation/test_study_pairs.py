from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError
from rightreasons.evaluation.study_pairs import TopPairs, read_study_pairs, select_top_pairs

PAIRS = pl.DataFrame(
    {
        "id": [f"p{number}" for number in range(6)],
        "premise": ["It rained."] * 6,
        "hypothesis": [f"It rained {number} times." for number in range(6)],
        "label": ["neutral", "contradiction"] * 3,
    }
)


def write_predictions(path: str, contradiction: list[float]) -> None:
    """Write predictions with these probabilities of contradiction; the rest is for entailment."""
    shares = pl.Series(contradiction)
    table = PAIRS.select(
        "id",
        label=pl.when(shares > 0.5).then(pl.lit("contradiction")).otherwise(pl.lit("entailment")),
        p_entailment=1 - shares,
        p_neutral=pl.lit(0.0),
        p_contradiction=shares,
    )
    table.write_csv(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluate two models with probabilities, and one without."""
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        rr.write_pairs(rr.ChallengeSet(PAIRS, rr.Card("pairs")), "pairs.parquet")
        write_predictions("a.csv", [0.9, 0.1, 0.8, 0.2, 0.7, 0.7])
        write_predictions("b.csv", [0.1, 0.9, 0.8, 0.2, 0.3, 0.4])
        PAIRS.select("id", label=pl.lit("neutral")).write_csv("plain.csv")
        models = ["file:a.csv", "file:b.csv", "file:plain.csv"]
        rr.evaluate(models, sets="pairs.parquet", out="run", html=False, baselines=False)
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def get_models() -> tuple[str, str, str]:
    from rightreasons.runs.collection import load_runs

    first, second, third = load_runs("run").requested_models
    return first, second, third


def get_set() -> str:
    from rightreasons.runs.collection import load_runs

    return load_runs("run").set_names[0]


def test_pairs_of_a_set_are_named_after_it() -> None:
    read = read_study_pairs(["nps"], {})
    assert read.name == "nps"
    assert set(read.pairs["set"]) == {"nps"}
    assert "premise_parse" not in read.pairs.columns
    assert read.sources[0]["rows"] == read.pairs.height


def test_a_file_gets_the_name_of_its_card_as_set() -> None:
    read = read_study_pairs([Path("pairs.parquet")], {})
    assert read.pairs.drop("set").equals(PAIRS)
    assert set(read.pairs["set"]) == {"pairs"}


def test_pairs_of_a_file_need_no_labels() -> None:
    PAIRS.drop("label").write_csv("unlabelled.csv")
    assert read_study_pairs(["unlabelled.csv"], {}).pairs["label"].null_count() == 6


def test_several_sets_are_put_together_and_columns_of_two_types_become_text() -> None:
    first, second = (PAIRS.with_columns(id=pl.concat_str(pl.lit(name), "id")) for name in "ab")
    rr.write_pairs(rr.ChallengeSet(first.with_columns(page=3), rr.Card("first")), "first.parquet")
    rr.write_pairs(
        rr.ChallengeSet(second.with_columns(page=pl.lit("4b")), rr.Card("second")), "second.parquet"
    )
    read = read_study_pairs(["pairs.parquet", "first.parquet", "second.parquet"], {})
    assert read.pairs.height == 18
    assert read.name == "pairs + first + second"
    assert read.pairs["page"].to_list() == [None] * 6 + ["3"] * 6 + ["4b"] * 6


def test_sets_with_shared_ids_are_refused() -> None:
    with pytest.raises(InputError, match="'p0'"):
        read_study_pairs(["pairs.parquet", "pairs.parquet"], {})


def test_a_file_has_no_options() -> None:
    with pytest.raises(InputError, match="mode"):
        read_study_pairs(["pairs.parquet"], {"mode": "faithful"})


def test_the_pairs_at_the_top_are_those_with_the_highest_probability() -> None:
    model, *_ = get_models()
    read = select_top_pairs(TopPairs("run", ("p_contradiction",), 2, (model,)), [get_set()])
    assert read.pairs["id"].to_list() == ["p0", "p2"]
    assert read.pairs["top"].to_list() == [[f"{model} p_contradiction"]] * 2
    assert read.sources[0]["top"] == 2


def test_equal_probabilities_are_taken_in_the_order_of_ids() -> None:
    model, *_ = get_models()
    read = select_top_pairs(TopPairs("run", ("p_contradiction",), 3, (model,)), [get_set()])
    assert read.pairs["id"].to_list() == ["p0", "p2", "p4"]


def test_a_pair_at_the_top_of_several_models_is_there_once() -> None:
    first, second, _ = get_models()
    read = select_top_pairs(TopPairs("run", ("p_contradiction",), 2, (first, second)), [get_set()])
    tops = dict(read.pairs.select("id", "top").iter_rows())
    assert tops == {
        "p0": [f"{first} p_contradiction"],
        "p1": [f"{second} p_contradiction"],
        "p2": [f"{first} p_contradiction", f"{second} p_contradiction"],
    }


@pytest.mark.parametrize(
    ("top", "error", "says"),
    [
        (TopPairs("run", ("p_x",)), UnknownNameError, "'p_x'"),
        (TopPairs("run", ("p_neutral",), 2, ("odd",)), UnknownNameError, "'odd'"),
        (TopPairs("run", ("p_neutral",), 7), TooFewPairsError, "6 pairs.* 7"),
        (TopPairs("run", ("p_neutral",), 2), InputError, "plain.* no p_neutral"),
        (TopPairs("nowhere", ("p_neutral",), 2), InputError, "nowhere"),
    ],
)
def test_what_a_run_does_not_have_is_refused(top: TopPairs, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        select_top_pairs(top, [get_set()])


def test_a_set_that_is_not_in_the_run_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'nps'"):
        select_top_pairs(TopPairs("run", ("p_neutral",), 2), ["nps"])
