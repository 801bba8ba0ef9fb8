"""Where a language model is, with which key and for how much; keys are never given away."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core import registry
from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.inference import predict_pairs
from scripted_server import Asked, Says, chat, chat_script, serving, user_text
from tiny_chats import KEYS, SECRET, WORDS, model, some_pairs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def test_where_the_endpoint_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.make_model("openai:gpt", {}).name == "openai:gpt@https://api.openai.com/v1"  # type: ignore[attr-defined]
    assert registry.make_model("openai:a@b@https://c.example/", {}).name == "openai:a@b@https://c.example"  # type: ignore[attr-defined]
    monkeypatch.setenv("OPENAI_BASE_URL", "https://d.example/v1/")
    assert registry.make_model("openai:gpt", {}).name == "openai:gpt@https://d.example/v1"  # type: ignore[attr-defined]
    for spelling in ("HTTPS://e.example/v1", "Https://e.example/v1"):
        assert registry.make_model(f"openai:gpt@{spelling}", {}).name == "openai:gpt@https://e.example/v1"  # type: ignore[attr-defined]
    for plain in ("gpt@2024-05-13", "@cf/meta/llama", "org/gpt", "gpt:latest"):
        assert registry.make_model(f"openai:{plain}", {}).name == f"openai:{plain}@https://d.example/v1"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="RIGHTREASONS_API_KEY") as caught:
        registry.make_model("openai:gpt@https://me:hunter2@c.example/v1", {})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:11434/v1",
        "localhost",
        "LOCALHOST:1",
        "gpu:8000",
        "models.example/v1",
        "127.0.0.1",
        "10.0.0.7:80",
        "[::1]",
        "ftp://x",
        "me:hunter2@host/v1",
    ],
)
def test_an_address_without_a_scheme_is_not_taken_for_a_part_of_the_name(address: str) -> None:
    with pytest.raises(InputError, match="Use openai:MODEL@http://") as caught:
        registry.make_model(f"openai:llama3@{address}", {})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"temperature": -1.0}, r"temperature is -1\.0"),
        ({"temperature": 0.7}, r"temperature=0\.7.* -o openai\.seed=1"),
        ({"max_cost": 1.0}, "max_cost .* price_in and price_out"),
        ({"max_requests": 0}, "max_requests is 0"),
        ({"price_in": -1.0}, r"price_in is -1\.0"),
        ({"prompt": "nope"}, "'nope'"),
        ({"prompt": "follows", "ways": "three"}, "two answers.* ways=three"),
        ({"api": "chats"}, "api can't be 'chats'"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        registry.make_model("openai:tiny@http://localhost:1/v1", options)


def test_no_key_for_openai_itself() -> None:
    with pytest.raises(InputError, match=r"https://api\.openai\.com/v1\. .* OPENAI_API_KEY"):
        predict_pairs(registry.make_model("openai:gpt", {}), some_pairs())
    with pytest.raises(InputError, match="variable MY_KEY"):
        predict_pairs(
            registry.make_model("openai:gpt@http://localhost:1", {"key_env": "MY_KEY"}), some_pairs()
        )


def test_the_key_for_openai_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    def key_for(name: str, **options: Any) -> str | None:
        found: str | None = registry.make_model(name, options)._find_api_key().value  # type: ignore[attr-defined]
        return found

    assert key_for("openai:gpt") == SECRET
    assert key_for("openai:gpt@http://localhost:8000/v1") is None
    assert key_for("openai:gpt@https://other.example/v1") is None
    assert key_for("openai:gpt@https://other.example/v1", key_env="OPENAI_API_KEY") == SECRET
    monkeypatch.setenv("RIGHTREASONS_API_KEY", "another-one")
    assert key_for("openai:gpt@https://other.example/v1") == "another-one"
    assert key_for("openai:gpt@https://api.openai.com/v1") == SECRET
    monkeypatch.setenv("OPENAI_BASE_URL", "https://other.example/v1")
    assert key_for("openai:gpt") == "another-one"
    monkeypatch.delenv("RIGHTREASONS_API_KEY")
    assert key_for("openai:gpt") == SECRET
    assert key_for("openai:gpt@http://other.example/v1") is None  # not in the clear
    with pytest.raises(InputError, match=r"Use https://api\.openai\.com/v1"):
        key_for("openai:gpt@http://api.openai.com/v1")


def test_a_wrong_key_is_known_before_any_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", SECRET)
    with serving(lambda _: Says({"error": {"message": f"bad key {SECRET}"}}, 401)) as server:
        with pytest.raises(InputError, match=r"status 401.*RIGHTREASONS_API_KEY") as caught:
            predict_pairs(model(server), some_pairs(), tmp_path / "journal")
        assert server.posts == []
    assert SECRET not in str(caught.value)
    assert not (tmp_path / "journal").exists()


@pytest.mark.parametrize("status", [200, 404, 403, 405, 501])
def test_an_endpoint_need_not_list_its_models(status: int) -> None:
    def script(asked: Asked) -> Says | str:
        return Says({}, status) if asked.method == "GET" else chat("True")

    with serving(script) as server:
        asking = model(server)
        asking.precheck()
        assert [asked.path for asked in server.asked] == ["/v1/models"]
        asking.precheck()
        assert predict_pairs(asking, some_pairs(2)).predictions["label"].to_list() == ["entailment"] * 2
        assert [asked.method for asked in server.asked] == ["GET", "POST", "POST"]


def test_the_key_is_in_no_log_card_fingerprint_journal_answer_or_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level(logging.DEBUG)

    def script(asked: Asked) -> Says:
        assert asked.headers["authorization"] == f"Bearer {SECRET}"
        if asked.method == "GET":
            return Says({})
        if "2 dogs" in user_text(asked.body):
            return Says({"error": {"message": f"{SECRET} is bad"}}, 500)
        return chat(f"True, says {SECRET}")

    with serving(script) as server:
        asking = model(server, key_env="MY_KEY")
        with pytest.raises(MissingPredictionsError) as caught:
            predict_pairs(asking, some_pairs(), tmp_path / "journal")
        written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
        assert any("says [key]" in text for text in written)
        assert any("[key] is bad" in text for text in written)
        shown = [caplog.text, str(caught.value), repr(asking), str(asking.fingerprint()), str(vars(asking))]
        shown += [repr(asking.client.key), str(vars(asking.client))]
    assert "127.0.0.1" in caplog.text
    assert all(SECRET not in text for text in [*written, *shown])


def test_a_budget_is_kept_over_all_jobs_of_a_model(tmp_path: Path) -> None:
    with serving(chat_script(WORDS)) as server:
        asking = model(server, max_requests=5)
        assert predict_pairs(asking, some_pairs(3)).facts["requests"] == 3
        with pytest.raises(MissingPredictionsError, match=r"4 of 6 .*max_requests") as caught:
            predict_pairs(
                asking, some_pairs(6).with_columns(premise=pl.col("premise") + "!"), tmp_path / "journal"
            )
        assert caught.value.final
        assert len(server.posts) == 5


def test_models_may_share_a_budget() -> None:
    with serving(chat_script(WORDS)) as server:
        one, other = (model(server, max_requests=5, prompt=name) for name in ("question", "true-false"))
        other.share_budget(one)
        predict_pairs(one, some_pairs(3))
        with pytest.raises(MissingPredictionsError, match=r"max_requests=5.*same command"):
            predict_pairs(other, some_pairs(3))
        assert len(server.posts) == 5


def test_money_is_counted_and_never_overspent() -> None:
    usage = {"prompt_tokens": 60, "completion_tokens": 2}

    def script(asked: Asked) -> Says:
        return chat("True", usage=usage) if asked.body else Says({})

    prices = {"price_in": 1000.0, "price_out": 2000.0}
    with serving(script) as server:
        facts = predict_pairs(model(server, **prices), some_pairs(4)).facts
        assert (facts["tokens_in"], facts["tokens_out"]) == (240, 8)
        assert facts["cost"] == pytest.approx(4 * 0.064)
        asking = model(server, **prices, max_cost=1.0, max_tokens=2)
        with pytest.raises(MissingPredictionsError, match="max_cost=1"):
            predict_pairs(asking, some_pairs(40))
        assert 0.4 < asking.budget.cost <= 1.0
