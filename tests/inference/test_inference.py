"""Asking in batches: each different pair once, answers in order, nothing lost, and models held to their contract."""

from __future__ import annotations

import itertools
import json
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons
from batched import Watched, WatchedJob, some_pairs
from rightreasons import inference
from rightreasons.core import registry
from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.models.output_labels import ClassifierHead

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = some_pairs(20)
TEXT = {"id": pl.String, "label": pl.String}


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


class Stop:
    """Stops a model at its n-th batch, by any error."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.at, self.count, self.error = at, itertools.count(), error

    def __call__(self, texts: list[str]) -> None:
        del texts
        if next(self.count) >= self.at:
            raise self.error


def premise(answers: pl.DataFrame, calls: list[list[str]]) -> None:
    """Hold answers against a model that is asked once more about the very same batches."""
    for texts in calls:
        rows = [int(text.split()[1].rstrip(".")) for text in texts]
        alone = WatchedJob(Watched(), PAIRS.select("premise", "hypothesis")).predict_batch(np.array(rows))
        assert answers[rows].drop("id").equals(alone)


def test_answers_come_in_the_order_of_the_pairs_and_are_those_of_their_batches() -> None:
    model = Watched()
    answers = model.predict(PAIRS)
    assert answers.columns == ["id", "label", "p_entailment", "p_neutral", "p_contradiction"]
    assert answers["id"].equals(PAIRS["id"])
    assert [len(texts) for texts in model.calls] == [4] * 5
    premise(answers, model.calls)


@given(rows=st.lists(st.integers(0, 6), max_size=30), size=st.integers(1, 9), workers=st.integers(1, 3))
def test_identical_pairs_are_asked_once(rows: list[int], size: int, workers: int) -> None:
    pairs = PAIRS[rows].with_columns(id=pl.int_range(len(rows)).cast(pl.String))
    model = Watched(size=size, workers=workers)
    answered = inference.predict_pairs(model, pairs)
    asked = sorted(text for texts in model.calls for text in texts)
    assert asked == sorted(set(pairs["premise"]))
    assert answered.facts["different"] == len(asked)
    assert answered.facts["pairs"] == len(rows)
    found = dict(zip(pairs["premise"], answered.predictions.drop("id").rows(), strict=True))
    assert answered.predictions.drop("id").rows() == [found[text] for text in pairs["premise"]]


def test_no_pairs_are_no_trouble(tmp_path: Path) -> None:
    assert Watched().predict(PAIRS.clear()).schema == TEXT
    assert inference.predict_pairs(Watched(), PAIRS.clear(), tmp_path / "journal").predictions.schema == TEXT


def test_refused_pairs_say_so_and_are_not_asked(tmp_path: Path) -> None:
    model = Watched(too_long=("Hypothesis 3.", "Hypothesis 0."))
    twice = pl.concat([PAIRS, PAIRS[3].with_columns(id=pl.lit("again"))])
    answered = inference.predict_pairs(model, twice, tmp_path)
    refused = answered.predictions.filter(label="refused")
    assert refused["id"].to_list() == ["id0", "id3", "again"]
    assert refused["p_neutral"].null_count() == 3
    assert answered.facts["refused"] == 3
    assert answered.facts["reasons"] == {"the hypothesis is too long": 2}
    assert not any("Premise 3." in texts for texts in model.calls)
    again = inference.predict_pairs(Watched(size=1, too_long=()), twice, tmp_path)
    assert again.predictions.equals(answered.predictions), "the plan says who is refused"


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("asked", range(1, 5))
def test_whoever_stops_goes_on_by_the_stored_plan(tmp_path: Path, asked: int, workers: int) -> None:
    undisturbed = inference.predict_pairs(Watched(), PAIRS)
    first = Watched(workers=workers, disturb=Stop(asked, RuntimeError("the plug was pulled")))
    with pytest.raises(RuntimeError, match="plug"):
        inference.predict_pairs(first, PAIRS, tmp_path)
    second = Watched(size=7, workers=workers)  # which would plan otherwise
    answered = inference.predict_pairs(second, PAIRS, tmp_path)
    assert answered.predictions.equals(undisturbed.predictions)
    assert len(second.calls) == 5 - asked, "what other threads had under way is kept as well"
    assert answered.facts["kept"] == 4 * asked
    assert answered.facts["requests"] >= 5
    third = Watched()
    assert inference.predict_pairs(third, PAIRS, tmp_path).predictions.equals(undisturbed.predictions)
    assert third.prepared == 0


def test_requests_add_up_over_the_processes_that_took_part(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        inference.predict_pairs(Watched(disturb=Stop(3, RuntimeError())), PAIRS, tmp_path)
    facts = inference.predict_pairs(Watched(), PAIRS, tmp_path).facts
    assert facts["requests"] == 5
    assert facts["cut"] == 2
    assert facts["seconds"] > 0
    assert inference.predict_pairs(Watched(), PAIRS, tmp_path).facts == {**facts, "kept": 20}


@pytest.mark.parametrize("what", ["model", "pairs", "code"])
def test_what_has_changed_never_reuses_old_answers(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inference.predict_pairs(Watched(), PAIRS, tmp_path)
    changed = Watched(version=2 if what == "model" else 1)
    pairs = PAIRS.with_columns(premise=PAIRS["premise"] + "!") if what == "pairs" else PAIRS
    if what == "code":
        monkeypatch.setattr("rightreasons.inference.batches.__version__", "99")
    assert inference.predict_pairs(changed, pairs, tmp_path).facts["kept"] == 0
    assert len(changed.calls) == 5
    same = Watched()
    other_ids = PAIRS.with_columns(id=PAIRS["id"] + "x")
    monkeypatch.undo()
    assert inference.predict_pairs(same, other_ids, tmp_path).predictions["id"].equals(other_ids["id"])
    assert same.calls == []


def busy(*names: str, final: bool = False) -> Any:
    """Give no answer to batches that hold one of these premises."""

    def disturb(texts: list[str]) -> None:
        if set(texts) & set(names):
            raise MissingPredictionsError("The server is busy.", final=final)

    return disturb


@pytest.mark.parametrize("workers", [1, 4])
def test_only_pairs_without_a_prediction_are_listed_and_predicted_again(tmp_path: Path, workers: int) -> None:
    pairs = pl.concat([PAIRS, PAIRS[7].with_columns(id=pl.lit("again"))])
    first = Watched(size=1, workers=workers, disturb=busy("Premise 7.", "Premise 9."))
    with pytest.raises(MissingPredictionsError, match=r"^3 of 21 pairs .*\(The server is busy\)") as caught:
        inference.predict_pairs(first, pairs, tmp_path)
    assert len(first.calls) == 20
    (listed,) = tmp_path.glob("*/unanswered.tsv")
    assert str(listed) in str(caught.value)
    table = pl.read_csv(listed, separator="\t")
    assert table.columns == ["id", "premise", "hypothesis", "reason"]
    assert table["id"].to_list() == ["id7", "id9", "again"]
    assert set(table["reason"]) == {"The server is busy."}
    second = Watched(size=1)
    assert inference.predict_pairs(second, pairs, tmp_path).predictions.equals(
        inference.predict_pairs(Watched(size=1), pairs).predictions
    )
    assert sorted(second.calls) == [["Premise 7."], ["Premise 9."]]
    assert not listed.exists()


def test_without_a_journal_the_reason_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MissingPredictionsError, match=r"^4 of 20 .*busy.* journal"):
        inference.predict_pairs(Watched(disturb=busy("Premise 7.")), PAIRS)
    with pytest.raises(MissingPredictionsError, match="4 of 20"):
        rightreasons.predict(Watched(disturb=busy("Premise 7.")), PAIRS, journal=tmp_path / "kept")
    model = Watched()
    assert rightreasons.predict(model, PAIRS, journal=str(tmp_path / "kept")).height == 20
    assert len(model.calls) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_final_refusal_no_new_batch_starts(tmp_path: Path, workers: int) -> None:
    model = Watched(size=1, workers=workers, disturb=busy("Premise 15.", final=True))
    with pytest.raises(MissingPredictionsError, match=r"^\d+ of 20 .*\(The server is busy\)") as caught:
        inference.predict_pairs(model, PAIRS, tmp_path)
    assert caught.value.final
    assert 5 <= len(model.calls) <= 4 + 2 * workers
    (listed,) = tmp_path.glob("*/unanswered.tsv")
    assert pl.read_csv(listed, separator="\t").height >= 20 - len(model.calls)


def test_without_any_prediction_all_pairs_are_listed(tmp_path: Path) -> None:
    model = Watched(disturb=Stop(0, MissingPredictionsError("No key. Set one.", final=True)))
    with pytest.raises(MissingPredictionsError, match=r"^No pair .*\(No key\. Set one\).*unanswered\.tsv"):
        inference.predict_pairs(model, PAIRS, tmp_path / "journal")
    assert len(model.calls) == 1
    (listed,) = tmp_path.glob("journal/*/unanswered.tsv")
    assert pl.read_csv(listed, separator="\t").height == 20
    assert inference.predict_pairs(Watched(), PAIRS, tmp_path / "journal").facts["requests"] == 6, (
        "the refusal counts too"
    )


def test_as_many_batches_are_under_way_as_there_are_workers() -> None:
    together = threading.Barrier(5)

    def disturb(texts: list[str]) -> None:
        del texts
        together.wait(timeout=60)  # passes only if five are here at the same time

    model = Watched(workers=5, disturb=disturb)
    assert model.predict(PAIRS).equals(Watched().predict(PAIRS))


@pytest.mark.parametrize("workers", [1, 4])
def test_an_interrupt_keeps_what_is_answered(tmp_path: Path, workers: int) -> None:
    model = Watched(size=1, workers=workers, disturb=Stop(8, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        inference.predict_pairs(model, PAIRS, tmp_path)
    assert inference.predict_pairs(Watched(), PAIRS, tmp_path).facts["kept"] == 8


class Wrong(Watched):
    """A model that answers each batch with the same table."""

    table: Any = None

    def prepare(self, pairs: pl.DataFrame) -> WatchedJob:
        job = super().prepare(pairs)
        job.predict_batch = lambda _: self.table  # type: ignore[method-assign]
        return job


def labels(*words: object, **columns: object) -> pl.DataFrame:
    return pl.DataFrame({"label": list(words), **columns}, strict=False)


FOUR = ("neutral",) * 4


@pytest.mark.parametrize(
    ("table", "match"),
    [
        (labels(*FOUR[:3]), "3 predictions for 4 pairs"),
        (labels(*FOUR, "neutral"), "5 predictions for 4 pairs"),
        (labels(*FOUR[:3], "maybe"), "predicted 'maybe'"),
        (labels(*FOUR[:3], None), "predicted None"),
        (labels(0, 1, 2, 0), "table of labels.* predict_batch"),
        (pl.DataFrame({"p_neutral": [1.0] * 4}), "table of labels.* predict_batch"),
        ({"label": FOUR}, "table of labels.* predict_batch"),
        (None, "table of labels.* predict_batch"),
        (labels(*FOUR, p_neutral=[0.1, float("nan"), 0.1, 0.1]), "nan as p_neutral"),
        (labels(*FOUR, p_neutral=[0.1, float("inf"), 0.1, 0.1]), "inf as p_neutral"),
        (labels(*FOUR, p_neutral=[0.1, 1.1, 0.1, 0.1]), r"1\.1 as p_neutral"),
        (labels(*FOUR, p_neutral=["0.1"] * 4), r"0\.1 as p_neutral"),
    ],
)
def test_a_batch_that_breaks_the_contract_is_refused(tmp_path: Path, table: object, match: str) -> None:
    model = Wrong()
    model.table = table
    with pytest.raises(InputError, match=f"The model 'watched' .*{match}"):
        inference.predict_pairs(model, PAIRS, tmp_path / "journal")
    assert list(tmp_path.iterdir()) == []


def test_all_valid_values_of_a_batch_are_kept() -> None:
    model = Wrong()
    model.table = labels(
        "unreadable", "refused", "neutral", "non-entailment", text=["?", None, "", "no"], more=1
    )
    model.table = model.table.with_columns(
        p_neutral=pl.Series([None, None, 1 + 1e-9, 0.0], dtype=pl.Float64), p_entailment=pl.lit(None)
    )
    answered = inference.predict_pairs(model, PAIRS)
    assert answered.predictions.columns == ["id", "label", "p_entailment", "p_neutral", "text"]
    assert answered.predictions["p_entailment"].dtype == pl.Float64
    assert answered.predictions["p_neutral"].max() == 1.0
    assert (answered.facts["unreadable"], answered.facts["refused"]) == (5, 5)


@pytest.mark.parametrize("batches", [[[0, 1]], [[*range(20)], [3]], [[*range(21)]]])
def test_a_plan_without_each_pair_once_is_refused(batches: list[list[int]]) -> None:
    class Forgetful(Watched):
        def prepare(self, pairs: pl.DataFrame) -> WatchedJob:
            job = super().prepare(pairs)
            job.batches = [np.array(rows) for rows in batches]
            return job

    with pytest.raises(InputError, match=r"plan .*'watched' .* prepare"):
        inference.predict_pairs(Forgetful(), PAIRS)


class Needy(Watched):
    """A model that reads parses as well."""

    needs = ("premise_parse",)


def test_a_batched_model_sees_what_it_needs_and_pairs_with_other_parses_are_others(tmp_path: Path) -> None:
    pairs = pl.concat([PAIRS, PAIRS.with_columns(pl.col("id") + "'")])
    one, two = (pl.lit(parse).alias("premise_parse") for parse in ("(one)", "(two)"))
    same = inference.predict_pairs(Needy(), pairs.with_columns(one)).facts["different"]
    other = inference.predict_pairs(
        Needy(), pairs.with_columns(pl.when(pl.col("id").str.ends_with("'")).then(two).otherwise(one))
    )
    assert other.facts["different"] == 2 * same
    inference.predict_pairs(Needy(), PAIRS.with_columns(one), tmp_path)
    assert inference.predict_pairs(Needy(), PAIRS.with_columns(two), tmp_path).facts["kept"] == 0
    with pytest.raises(InputError, match=r"column 'premise_parse'"):
        inference.predict_pairs(Needy(), PAIRS)


def test_a_model_is_shown_what_it_wants_only_where_that_is_there() -> None:
    class Wanting(Watched):
        wants = ("premise_parse", "hypothesis_parse")

    assert inference.select_columns(Wanting(), PAIRS).columns == ["id", "premise", "hypothesis"]
    pairs = PAIRS.with_columns(hypothesis_parse=pl.lit("(one)"), label=pl.lit("neutral"))
    assert inference.select_columns(Wanting(), pairs).columns == [
        "id",
        "premise",
        "hypothesis",
        "hypothesis_parse",
    ]


class Headed(Watched):
    """A model that finds out about its outputs when it is first asked."""

    def prepare(self, pairs: pl.DataFrame) -> WatchedJob:
        order = ("neutral", "entailment", "contradiction")
        self.head = ClassifierHead(order, "probe", {"n": np.int64(36)}, ("The names say otherwise.",))
        return super().prepare(pairs)


def test_the_card_of_a_run_tells_how_the_models_were_asked(tmp_path: Path) -> None:
    run = rightreasons.evaluate([Headed()], out=tmp_path / "run", sets="tiny", size=3)
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    entry = card["models"][0]
    assert entry["fingerprint"] == {"version": 1}
    assert entry["head"] == {
        "order": ["neutral", "entailment", "contradiction"],
        "how": "probe",
        "evidence": {"n": 36},
    }
    facts = entry["facts"]["tiny"]
    wanted = {"cut": 2, "pairs": 12, "refused": 0, "unreadable": 0, "batches": 3, "requests": 3}
    assert {name: facts[name] for name in wanted} == wanted
    assert facts["seconds"] > 0
    assert run.warnings[0] == "watched: The names say otherwise."
    assert "The names say otherwise." in (tmp_path / "run" / "report.md").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_incomplete_run_is_completed_later(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny", size=3)
    rightreasons.write_pairs(made, tmp_path / "other.csv")
    shown = {"out": tmp_path / "run", "sets": ["tiny", str(tmp_path / "other.csv")], "baselines": False}
    busy_first = Watched(size=5, disturb=busy(made.pairs["premise"][0]))
    with pytest.raises(MissingPredictionsError, match=r"^\d+ of \d+ pairs .* 1 other combination"):
        rightreasons.evaluate(busy_first, **shown)
    assert not (tmp_path / "run").exists()
    kept = sum(len(path.read_text().splitlines()) for path in tmp_path.rglob("unanswered.tsv")) - 2
    assert kept >= 2
    again = Watched(size=5)
    run = rightreasons.evaluate(again, **shown)
    assert 1 <= len(again.calls) < len(busy_first.calls)
    whole = Watched(size=5)
    rightreasons.evaluate(whole, **{**shown, "out": tmp_path / "whole"})
    for name in run.sets:
        paths = [tmp_path / folder / "predictions" / name / "watched.parquet" for folder in ("run", "whole")]
        assert paths[0].read_bytes() == paths[1].read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"run", "whole", "other.csv", "other.csv.card.json"}


def test_a_final_refusal_skips_the_other_sets(tmp_path: Path) -> None:
    rightreasons.write_pairs(rightreasons.generate("tiny", seed=1), tmp_path / "other.csv")
    model = Watched(disturb=Stop(0, MissingPredictionsError("No key. Set one.", final=True)))
    with pytest.raises(
        MissingPredictionsError,
        match=r"^No pair .*\(No key\. Set one\).* watched on other\.$",
    ):
        rightreasons.evaluate(model, out=tmp_path / "run", sets=["tiny", str(tmp_path / "other.csv")])
    assert len(model.calls) == 1
    assert not (tmp_path / "run").exists()


def test_no_model_is_asked_before_all_sets_are_made(tmp_path: Path) -> None:
    rightreasons.write_pairs(rightreasons.generate("tiny", seed=1), tmp_path / "other.csv")
    model = Watched()
    with pytest.raises(InputError, match="--size and --limit"):
        rightreasons.evaluate(
            model, out=tmp_path / "run", sets=["tiny", str(tmp_path / "other.csv")], limit=4
        )
    assert model.calls == []


def test_what_was_spent_after_the_last_answer_is_kept(tmp_path: Path) -> None:
    with pytest.raises(MissingPredictionsError):
        inference.predict_pairs(Watched(disturb=Stop(3, MissingPredictionsError("busy"))), PAIRS, tmp_path)
    assert inference.predict_pairs(Watched(), PAIRS, tmp_path).facts["requests"] == 5 + 2
