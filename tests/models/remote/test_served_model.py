"""A model behind an address: the protocol, its limits, and nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.labels import LABELS, REFUSED, UNREADABLE
from rightreasons.inference import predict_pairs
from scripted_server import (
    BROKEN,
    BUSY,
    GARBAGE,
    HALF,
    SILENT,
    SLOW,
    Asked,
    Mood,
    Says,
    Server,
    pick,
    serving,
)

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("entailment", "neutral", "contradiction")
CARD = {
    "name": "far",
    "fingerprint": {"weights": "abc"},
    "digest": "d1",
    "limits": {"batch": 10, "body": 4000},
}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIGHTREASONS_API_KEY", raising=False)


def some_pairs(count: int = 100) -> pl.DataFrame:
    numbers = range(count)
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in numbers],
            "premise": [f"Dog {number} ran{' fast' * (number % 7)}." for number in numbers],
            "hypothesis": [f"Some {number} ran." for number in numbers],
        }
    )


def answer(pair: dict[str, str]) -> dict[str, Any]:
    label = pick(json.dumps(pair), WORDS)
    return {"label": label, "probabilities": {word: 0.8 if word == label else 0.1 for word in WORDS}}


def far_away(mood: Mood | None = None, card: dict[str, Any] | None = None) -> Any:
    def script(asked: Asked) -> Says | str:
        said = mood(asked) if mood and asked.method == "POST" else None
        if said is not None:
            return said
        if asked.path == "/nli/model":
            return Says(CARD if card is None else card)
        assert asked.path == "/nli/predict"
        return Says(
            {"answers": [answer(pair) for pair in asked.body["pairs"]], "model": "far", "digest": "d1"}
        )

    return script


def model(server: Server, **options: Any) -> Any:
    quick = {"backoff": 0.001, "timeout": 1.5, "retries": 2}
    return registry.make_model(f"{server.url}/nli", {**quick, **options})


def expected(pairs: pl.DataFrame) -> list[str]:
    return [answer(pair)["label"] for pair in pairs.select("premise", "hypothesis").to_dicts()]


def test_answers_come_back_in_the_order_of_the_pairs() -> None:
    pairs = some_pairs()
    with serving(far_away()) as server:
        done = predict_pairs(model(server), pairs)
        sizes = [len(asked.body["pairs"]) for asked in server.posts]
    assert done.predictions["id"].to_list() == pairs["id"].to_list()
    assert done.predictions["label"].to_list() == expected(pairs)
    assert done.predictions["p_neutral"].is_in([0.8, 0.1]).all()
    assert sizes == [10] * 10  # the server's limit
    assert done.facts["requests"] == 10


@pytest.mark.parametrize(
    "failure", [BROKEN, BUSY, GARBAGE, HALF, SILENT, SLOW, Says({"answers": []}), Says({})]
)
def test_every_kind_of_failure_is_got_over(failure: Says | str) -> None:
    pairs = some_pairs(40)
    with serving(far_away(lambda asked: failure if asked.time == 1 else None)) as server:
        done = predict_pairs(model(server), pairs)
    assert done.predictions["label"].to_list() == expected(pairs)
    assert (done.facts["requests"], done.facts["retries"]) == (8, 4)


def test_what_stays_unanswered_is_listed_and_asking_again_completes_it(tmp_path: Path) -> None:
    pairs, healed = some_pairs(100), False

    def mood(asked: Asked) -> Says | None:
        ill = any("Some 3" in pair["hypothesis"] for pair in asked.body["pairs"])
        return BROKEN if ill and not healed else None

    with serving(far_away(mood)) as server:
        with pytest.raises(MissingPredictionsError, match=r"of 100 pairs .*status 500") as caught:
            predict_pairs(model(server, batch_size=4), pairs, tmp_path)
        (path,) = tmp_path.rglob("unanswered.tsv")
        listed = pl.read_csv(path, separator="\t")
        answered = {
            pair["hypothesis"]
            for asked in server.posts
            if not any("Some 3" in one["hypothesis"] for one in asked.body["pairs"])
            for pair in asked.body["pairs"]
        }
        assert str(path) in str(caught.value)
        assert 11 <= listed.height < 100
        assert set(listed["hypothesis"]) == set(pairs["hypothesis"]) - answered
        healed, before = True, len(server.posts)
        done = predict_pairs(model(server, batch_size=4), pairs, tmp_path)
        again = [pair["hypothesis"] for asked in server.posts[before:] for pair in asked.body["pairs"]]
    assert sorted(again) == sorted(listed["hypothesis"])
    assert done.predictions["label"].to_list() == expected(pairs)


def test_a_changed_model_is_asked_anew(tmp_path: Path) -> None:
    pairs = some_pairs(30)
    card = dict(CARD)
    with serving(far_away(card=card)) as server:
        predict_pairs(model(server), pairs, tmp_path)
        predict_pairs(model(server), pairs, tmp_path)
        assert len(server.posts) == 3  # the second time, all of it is known
        card["fingerprint"] = {"weights": "other"}
        predict_pairs(model(server), pairs, tmp_path)
        assert len(server.posts) == 6


def test_a_model_that_changes_between_two_sets_is_noticed(tmp_path: Path) -> None:
    card = dict(CARD)
    with serving(far_away(card=card)) as server:
        asking = model(server)
        predict_pairs(asking, some_pairs(10), tmp_path)
        predict_pairs(asking, some_pairs(11), tmp_path)
        card["fingerprint"] = {"weights": "other"}
        assert asking.fingerprint()["fingerprint"] == {"weights": "abc"}
        with pytest.raises(InputError, match=rf"model at {server.url}/nli changed"):
            predict_pairs(asking, some_pairs(12), tmp_path)
        assert len(server.posts) == 3


def test_a_server_that_has_stopped_after_the_last_answer_still_has_its_fingerprint() -> None:
    said = far_away()

    def script(asked: Asked) -> Says:
        return replace(said(asked), headers={"Connection": "close"})

    with serving(script) as server:
        asking = model(server)
        predict_pairs(asking, some_pairs(3))
    assert asking.fingerprint()["model"] == "far"


@pytest.mark.parametrize("bad", [0, 3, 9])
def test_a_pair_that_is_rejected_for_good_is_refused_and_the_others_are_answered(bad: int) -> None:
    pairs = some_pairs(10)

    def mood(asked: Asked) -> Says | None:
        ill = any(f"Some {bad} ran." == pair["hypothesis"] for pair in asked.body["pairs"])
        return Says({"error": "it has too many words"}, 422) if ill else None

    with serving(far_away(mood)) as server:
        done = predict_pairs(model(server, concurrency=1), pairs)
    wanted = expected(pairs)
    wanted[bad] = REFUSED
    assert done.predictions["label"].to_list() == wanted
    assert done.predictions["text"][bad] == "it has too many words"
    assert done.predictions["p_neutral"].null_count() == 1
    assert done.facts["refused"] == 1


def test_a_server_that_rejects_everything_is_left_alone() -> None:
    with serving(far_away(lambda _: Says({"error": "wrong host"}, 421))) as server:
        with pytest.raises(MissingPredictionsError, match="wrong host") as caught:
            predict_pairs(model(server, concurrency=1, batch_size=2), some_pairs(40))
        assert caught.value.final
        assert len(server.posts) == 3 * 5  # two pairs, one of them, a harmless one; five times


def test_what_the_server_counts_is_added_up() -> None:
    def mood(asked: Asked) -> Says:
        said = {"answers": [answer(pair) for pair in asked.body["pairs"]], "cut": 2, "windows": "many"}
        return Says(said)

    with serving(far_away(mood)) as server:
        facts = predict_pairs(model(server), some_pairs(30)).facts
    assert facts["cut"] == 6
    assert "windows" not in facts


def test_a_model_that_changes_under_way_is_noticed() -> None:
    def mood(asked: Asked) -> Says | None:
        if len(asked.body["pairs"]) == 10:
            return None
        return Says({"answers": [answer(pair) for pair in asked.body["pairs"]], "digest": "d2"})

    with (
        serving(far_away(mood)) as server,
        pytest.raises(MissingPredictionsError, match="has changed") as caught,
    ):
        predict_pairs(model(server, concurrency=1), some_pairs(15))
    assert caught.value.final


def test_pairs_beyond_the_limits_of_the_server_are_refused() -> None:
    long = some_pairs(5).with_columns(
        premise=pl.when(pl.col("id") == "p3").then(pl.lit("x" * 4000)).otherwise(pl.col("premise"))
    )
    with serving(far_away()) as server:
        done = predict_pairs(model(server), long)
    assert done.predictions["label"].to_list()[3] == REFUSED
    assert done.facts["refused"] == 1
    assert "bytes; maximum 3,988)" in next(iter(done.facts["reasons"]))


def test_requests_stay_below_the_limit_in_bytes() -> None:
    pairs = some_pairs(60).with_columns(premise=pl.col("premise") + 'é"\\' * 60)
    with serving(far_away()) as server:
        done = predict_pairs(model(server), pairs)
        assert max(int(asked.headers["content-length"]) for asked in server.posts) <= 4000
        assert len(server.posts) > 6
    assert done.predictions["label"].to_list() == expected(pairs)


def test_answers_without_probabilities_and_without_a_label() -> None:
    said = [{"label": "ENTAILED"}, {"label": "unreadable", "text": "hm \ud800"}, {"label": "not_entailment"}]
    with serving(far_away(lambda _: Says({"answers": said}))) as server:
        found = predict_pairs(model(server), some_pairs(3)).predictions
    assert found["label"].to_list() == ["entailment", UNREADABLE, "non-entailment"]
    assert found["text"].to_list() == [None, "hm ?", None]
    assert set(found["label"]) <= {*LABELS, UNREADABLE}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"label": "perhaps"}, "'perhaps'.* non-entailment"),
        ({"label": 1}, "predicts 1,"),
        ({}, "predicts None,"),
        ({"label": "neutral", "probabilities": [0.1, 0.2, 0.7]}, r"\[0\.1, 0\.2, 0\.7\]"),
        ({"label": "neutral", "probabilities": {"LABEL_0": 0.1}}, "0.1 for 'LABEL_0'"),
        ({"label": "neutral", "probabilities": {"neutral": "much"}}, "'much' for 'neutral'"),
    ],
)
def test_an_answer_that_breaks_the_protocol_is_final(said: dict[str, Any], words: str) -> None:
    with serving(far_away(lambda _: Says({"answers": [said]}))) as server:
        with pytest.raises(MissingPredictionsError, match=words) as caught:
            predict_pairs(model(server), some_pairs(1))
        assert caught.value.final
        assert len(server.posts) == 1


def test_probabilities_that_rounding_has_pushed_beyond_1_are_fine() -> None:
    said = {
        "label": "neutral",
        "probabilities": {"neutral": 1.0000001, "entailment": 0.0, "contradiction": 0.0},
    }
    with serving(far_away(lambda _: Says({"answers": [said]}))) as server:
        assert predict_pairs(model(server), some_pairs(1)).predictions["p_neutral"].to_list() == [1.0]


def test_probabilities_that_make_no_sense_are_an_error() -> None:
    for odds in ({"neutral": 3.0}, {"neutral": 0.2, "entailment": 0.2, "contradiction": 0.2}):
        said = {"label": "neutral", "probabilities": odds}
        with (
            serving(far_away(lambda _, said=said: Says({"answers": [said]}))) as server,
            pytest.raises(InputError, match=r"127\.0\.0\.1"),
        ):
            predict_pairs(model(server), some_pairs(1))


@pytest.mark.parametrize(
    "card",
    [
        {},
        {"fingerprint": {}},
        {"fingerprint": "x", "limits": {"batch": 0}},
        {"fingerprint": 1, "limits": {"body": "9"}},
    ],
)
def test_a_server_that_does_not_say_what_it_is(card: dict[str, Any], tmp_path: Path) -> None:
    with serving(far_away(card=card)) as server:
        with pytest.raises(InputError, match="at /model"):
            predict_pairs(model(server), some_pairs(1), tmp_path)
        assert server.posts == []
    assert list(tmp_path.iterdir()) == []


def test_the_key_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", "a-token-for-this-test")
    with serving(far_away()) as server:
        predict_pairs(model(server), some_pairs(3))
        assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer a-token-for-this-test"}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http:localhost:8000", "http://localhost:8000"),
        ("http:http://localhost:8000", "http://localhost:8000"),
        ("https://a.example/nli", "https://a.example/nli"),
    ],
)
def test_ways_to_write_the_address(name: str, address: str) -> None:
    assert registry.make_model(name, {}).name == address  # type: ignore[attr-defined]


def test_invalid_options_and_addresses_are_refused() -> None:
    with pytest.raises(InputError, match=r"http://a\.example .*https:"):
        registry.make_model("https:http://a.example", {})
    with pytest.raises(InputError, match="batch_size is 0"):
        registry.make_model("http://localhost:1", {"batch_size": "0"})
    with pytest.raises(InputError, match="variable NO_SUCH_KEY"):
        predict_pairs(registry.make_model("http://localhost:1", {"key_env": "NO_SUCH_KEY"}), some_pairs(1))
    with pytest.raises(MissingPredictionsError, match="server at http://localhost:1"):
        predict_pairs(registry.make_model("http://localhost:1", {}), some_pairs(1))


FIRST = """
from pathlib import Path

def answer(premises, hypotheses):
    Path("asked").touch()
    return ["neutral"] * len(premises)
"""


@pytest.fixture
def pairs_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "first_model.py").write_text(FIRST)
    (tmp_path / "pairs.csv").write_text("id,premise,hypothesis,label\na,The dog ran.,A dog moved.,neutral\n")
    return "pairs.csv"


def evaluate(pairs_file: str, second: str, *more: str) -> tuple[str, ...]:
    names = ("python:first_model:answer", second)
    return ("evaluate", *names, "--sets", pairs_file, "--no-baselines", "--no-html", "--out", "run", *more)


@pytest.mark.parametrize("kind", ["{}", "openai:tiny@{}/v1"])
@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("127.0.0.1:1", "server at http://127.0.0.1:1"),
        ("no-such-host.invalid", "host of http://no-such-host.invalid"),
    ],
)
def test_a_wrong_address_is_known_before_the_first_model_is_asked(
    kind: str, host: str, words: str, pairs_file: str, tmp_path: Path
) -> None:
    said = refused(inside, *evaluate(pairs_file, kind.format(f"http://{host}")))
    assert words in said
    assert host in said
    assert not (tmp_path / "asked").exists()
    with pytest.raises(InputError, match=words):
        registry.make_model(kind.format(f"http://{host}"), {}).precheck()


@pytest.mark.parametrize("kind", ["{}/nli", "openai:tiny@{}/v1"])
def test_a_key_that_is_refused_is_known_before_the_first_model_is_asked(
    kind: str, pairs_file: str, tmp_path: Path
) -> None:
    with serving(lambda _: Says({"error": "who are you"}, 401)) as server:
        assert f"{server.url}" in refused(inside, *evaluate(pairs_file, kind.format(server.url)))
        assert server.posts == []
    assert not (tmp_path / "asked").exists()


def test_a_server_that_is_no_model_is_known_before_the_first_model_is_asked(
    pairs_file: str, tmp_path: Path
) -> None:
    for said, words in ((Says({}, 404), "status 404"), (Says({"name": "x"}), "at /model")):
        with serving(lambda _, said=said: said) as server:
            assert words in refused(inside, *evaluate(pairs_file, f"{server.url}/nli"))
    assert not (tmp_path / "asked").exists()


def test_what_the_precheck_reads_is_not_asked_for_again(pairs_file: str) -> None:
    with serving(far_away()) as server:
        code, _, said = inside(*evaluate(pairs_file, f"{server.url}/nli"))
        assert code == 0, said
        # Once before the run, and once before the set, to see that it is still the same model.
        assert [asked.path for asked in server.asked] == ["/nli/model", "/nli/model", "/nli/predict"]
        assert rightreasons.predict(f"{server.url}/nli", some_pairs(1)).height == 1
        assert [asked.path for asked in server.asked[3:]] == ["/nli/model", "/nli/model", "/nli/predict"]


def test_a_server_that_is_busy_at_the_precheck_is_asked_again_later() -> None:
    busy = True

    def script(asked: Asked) -> Says | str:
        return Says(b"", 503, {"Retry-After": "60"}) if busy else far_away()(asked)

    with serving(script) as server:
        asking = model(server)
        asking.precheck()
        assert asking.state.card is None
        busy = False
        asking.client.rate_limiter.next_time = 0.0
        assert predict_pairs(asking, some_pairs(3)).predictions.height == 3
