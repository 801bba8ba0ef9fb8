"""A language model behind an endpoint: what is sent, and what is made of the answer."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from rightreasons.core.errors import MissingPredictionsError
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, REFUSED, UNREADABLE
from rightreasons.inference import predict_pairs
from scripted_server import Asked, Says, chat, chat_script, serving, user_text
from tiny_chats import KEYS, SECRET, WORDS, answers, model, some_pairs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def test_a_chat_is_asked_in_the_words_of_the_prompt() -> None:
    with serving(chat_script(("True",))) as server:
        found = answers(server, 1, prompt="follows", logprobs="no", seed=7, max_tokens=3)
        (asked,) = server.posts
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "You answer questions about sentences with Yes or No."},
            {
                "role": "user",
                "content": "Sentence 1: The 0 dogs {ran}.\nSentence 2: Some 0 ran.\n"
                "Does sentence 2 follow from sentence 1? Yes or No?\nAnswer:",
            },
        ],
        "max_tokens": 3,
        "temperature": 0.0,
        "seed": 7,
    }
    assert found.row(0, named=True) == {
        "id": "p0",
        "label": UNREADABLE,
        "p_entailment": None,
        "p_non_entailment": None,
        "text": "True",
    }


def test_completions_are_asked_with_one_text() -> None:
    def script(asked: Asked) -> Says:
        top = {" True": math.log(0.6), " False": math.log(0.3)}
        choice = {
            "text": " True\nQuestion: x False",
            "logprobs": {"tokens": [" True"], "top_logprobs": [top]},
        }
        return Says({"choices": [choice] if asked.method == "POST" else []})

    with serving(script) as server:
        found = answers(server, 1, api="completions", prompt="question")
        (asked,) = server.posts
    assert asked.path == "/v1/completions"
    assert asked.body["prompt"] == "The 0 dogs {ran}.\nQuestion: Some 0 ran. True, False or Neither?\nAnswer:"
    assert asked.body["logprobs"] == 20
    row = found.row(0, named=True)
    assert (row["label"], row["text"]) == (ENTAILMENT, " True\nQuestion: x False")
    assert row["p_entailment"] == pytest.approx(2 / 3)
    assert row["p_contradiction"] == pytest.approx(1 / 3)
    assert row["p_neutral"] == 0


def logprobs_of(**odds: float) -> dict[str, Any]:
    top = [{"token": token, "logprob": math.log(p)} for token, p in odds.items()]
    return {"content": [{"token": top[0]["token"], "logprob": top[0]["logprob"], "top_logprobs": top}]}


def test_log_probabilities_come_before_the_text_and_the_text_is_kept() -> None:
    def script(asked: Asked) -> Says:
        return chat("True", logprobs_of(True_=0.3, Neither=0.4, neither=0.3)) if asked.body else Says({})

    with serving(script) as server:
        found = answers(server, 1)
        assert server.posts[0].body["top_logprobs"] == 20
    assert found["label"].to_list() == [NEUTRAL]
    assert found["text"].to_list() == ["True"]
    assert found["p_neutral"][0] == pytest.approx(0.7)


def test_without_answer_words_among_the_log_probabilities_the_text_counts() -> None:
    def script(asked: Asked) -> Says:
        return chat("The answer is False.", logprobs_of(The=0.9, A=0.1)) if asked.body else Says({})

    with serving(script) as server:
        found = answers(server, 1)
    assert found["label"].to_list() == [CONTRADICTION]
    assert found["p_entailment"].to_list() == [None]


def test_a_model_that_thinks_first_is_read_by_its_text() -> None:
    def script(asked: Asked) -> Says:
        said = "<think>True or not</think>False"
        return chat(said, logprobs_of(**{"<think>": 0.9, "True": 0.1})) if asked.body else Says({})

    with serving(script) as server:
        assert answers(server, 1)["label"].to_list() == [CONTRADICTION]


def test_a_reply_that_is_no_answer_is_not_overruled_by_log_probabilities() -> None:
    def script(asked: Asked) -> Says:
        odds = logprobs_of(Not=0.45, True_=0.40, False_=0.10)
        return chat("Not true.", odds) if asked.body else Says({})

    with serving(script) as server:
        assert answers(server, 1)["label"].to_list() == [UNREADABLE]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("No", CONTRADICTION),
        ("No.", CONTRADICTION),
        ("No, it can't be", CONTRADICTION),
        ("No\nReply", CONTRADICTION),
        ("No information is given", UNREADABLE),
        ("No one knows", UNREADABLE),
        ("Nobody knows", UNREADABLE),
        ("Northern lights. Yes</think>Yes", ENTAILMENT),
    ],
)
def test_the_text_decides_what_its_first_token_only_began(text: str, label: str) -> None:
    with serving(
        lambda asked: chat(text, logprobs_of(No=0.9, Yes=0.1)) if asked.body else Says({})
    ) as server:
        assert answers(server, 1, prompt="yes-maybe-no")["label"].to_list() == [label]


@pytest.mark.parametrize(
    ("text", "reason", "label"),
    [
        ("The statement is true", "stop", ENTAILMENT),
        ("The statement is true", "length", UNREADABLE),
        ("True, since the text", "length", ENTAILMENT),
        ("True", "length", UNREADABLE),
    ],
)
def test_a_reply_that_was_cut_off_is_not_read_as_whole(text: str, reason: str, label: str) -> None:
    choice = {"message": {"content": text}, "finish_reason": reason}
    with serving(lambda _: Says({"choices": [choice]})) as server:
        assert answers(server, 1)["label"].to_list() == [label]


def test_one_token_is_enough_where_log_probabilities_come() -> None:
    choice = {
        "message": {"content": "ent"},
        "finish_reason": "length",
        "logprobs": logprobs_of(ent=0.7, neutral=0.2),
    }
    with serving(lambda _: Says({"choices": [choice]})) as server:
        found = answers(server, 1, prompt="label-names", max_tokens=1)
    assert found["label"].to_list() == [ENTAILMENT]


def filtered(*numbers: int) -> Any:
    def refusing(asked: Asked) -> Says | None:
        bad = any(f"The {number} dogs" in user_text(asked.body) for number in numbers)
        return (
            Says({"error": {"message": f"{SECRET}: the filter says no. " + "x" * 300}}, 400) if bad else None
        )

    return chat_script(WORDS, refusing)


@pytest.mark.parametrize("bad", [0, 2, 5])
def test_a_pair_that_is_rejected_for_good_is_refused_and_blocks_nothing(
    bad: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", SECRET)
    with serving(filtered(bad)) as server:
        done = predict_pairs(model(server, concurrency=1), some_pairs(6), tmp_path)
    assert [label == REFUSED for label in done.predictions["label"]] == [number == bad for number in range(6)]
    assert done.predictions["text"][bad].startswith("[key]: the filter says no. xxx")
    assert done.predictions["p_entailment"][bad] is None
    assert done.facts["refused"] == 1


def test_it_does_not_matter_if_all_that_is_left_is_rejected() -> None:
    with serving(filtered(*range(7))) as server:
        done = predict_pairs(model(server, concurrency=1), some_pairs(7))
        assert done.predictions["label"].to_list() == [REFUSED] * 7
        assert len(server.posts) == 9  # the harmless pair at the first, and again after five in a row


def test_an_endpoint_that_rejects_everything_is_no_filter() -> None:
    with serving(lambda asked: Says({"error": "no such mode"}, 400) if asked.body else Says({})) as server:
        with pytest.raises(MissingPredictionsError, match="no such mode") as caught:
            predict_pairs(model(server, concurrency=1), some_pairs(20))
        assert caught.value.final
        assert len(server.posts) == 2 * 5


def test_rejections_of_a_field_do_not_count_as_rejections_of_pairs() -> None:
    def refusing(asked: Asked) -> Says | None:
        if "logprobs" in asked.body:
            return Says({"error": {"message": "logprobs"}}, 400)
        bad = ("The 0 dogs", "The 1 dogs", "The 2 dogs", "The judge slept")
        ill = any(text in user_text(asked.body) for text in bad)
        return Says({"error": {"message": "no"}}, 400) if ill else None

    with serving(chat_script(WORDS, refusing)) as server:
        with pytest.raises(MissingPredictionsError, match="3 of 6 pairs") as caught:
            answers(server, 6, concurrency=1)
        assert not caught.value.final


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "You are not allowed to request logprobs from this model"),
        (400, f"{'Something is wrong with the request. ' * 10} It is top_logprobs."),
    ],
)
def test_the_field_that_is_refused_is_found_wherever_it_is_named(status: int, words: str) -> None:
    def refusing(asked: Asked) -> Says | None:
        return Says({"error": {"message": words}}, status) if "logprobs" in asked.body else None

    with serving(chat_script(WORDS, refusing)) as server:
        assert UNREADABLE not in answers(server, 2)["label"].to_list()


@pytest.mark.parametrize(("most", "sent"), [(5, [20, 5, 5]), (0, [20, 5, None, None])])
def test_an_endpoint_that_refuses_log_probabilities_is_asked_without(
    most: int, sent: list[int | None]
) -> None:
    def refusing(asked: Asked) -> Says | None:
        wanted = asked.body.get("top_logprobs", 0)
        return (
            Says({"error": {"message": f"top_logprobs must be at most {most}"}}, 400)
            if wanted > most
            else None
        )

    with serving(chat_script(WORDS, refusing)) as server:
        found = answers(server, 2, concurrency=1)
        assert [asked.body.get("top_logprobs") for asked in server.posts] == sent
        assert UNREADABLE not in found["label"].to_list()


def test_log_probabilities_that_are_required_are_not_done_without() -> None:
    def refusing(asked: Asked) -> Says | None:
        return (
            Says({"error": {"message": "logprobs: no such thing"}}, 400) if asked.body["logprobs"] else None
        )

    with serving(chat_script(WORDS, refusing)) as server:
        with pytest.raises(MissingPredictionsError, match="no such thing"):
            answers(server, 2, logprobs="yes")
        assert {asked.body["top_logprobs"] for asked in server.posts} == {20, 5}


def test_an_endpoint_that_calls_the_length_otherwise_gets_it_so() -> None:
    def refusing(asked: Asked) -> Says | None:
        if "max_tokens" not in asked.body:
            return None
        said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return Says({"error": {"message": said, "param": "max_tokens"}}, 400)

    with serving(chat_script(WORDS, refusing)) as server:
        answers(server, 3, concurrency=1, max_tokens=5)
        assert [asked.body.get("max_completion_tokens") for asked in server.posts] == [None, 5, 5, 5]


@pytest.mark.parametrize("text", ["", None, "Well, True or False?", "not true", "\ud800 hm"])
def test_what_can_not_be_read_is_kept_and_never_a_label(text: str | None) -> None:
    with serving(lambda asked: chat(text) if asked.body else Says({})) as server:
        found = answers(server, 1)
    assert found["label"].to_list() == [UNREADABLE]
    assert found["text"].to_list() == [(text or "").replace("\ud800", "?")]


@pytest.mark.parametrize(
    "document",
    [{}, {"choices": []}, {"choices": [3]}, {"choices": [{}]}, {"choices": [{"message": {"content": 3}}]}],
)
def test_an_answer_without_a_reply_is_tried_again(document: dict[str, Any]) -> None:
    def failing(asked: Asked) -> Says | None:
        return Says(document) if asked.time == 1 else None

    with serving(chat_script(WORDS, failing)) as server:
        assert answers(server, 2).height == 2
        assert len(server.posts) == 4


def test_the_fingerprint_tells_what_decides_the_answers() -> None:
    with serving(chat_script(WORDS)) as server:
        usual = model(server).fingerprint()
        assert usual["base_url"] == f"{server.url}/v1"
        for options in (
            {"prompt": "question"},
            {"ways": "two"},
            {"temperature": 0.5, "seed": 1},
            {"seed": 1},
            {"max_tokens": 5},
            {"logprobs": "no"},
            {"api": "completions"},
        ):
            assert model(server, **options).fingerprint() != usual
        for options in ({"concurrency": 1}, {"max_requests": 5}, {"timeout": 1.0}):
            assert model(server, **options).fingerprint() == usual
    assert json.loads(json.dumps(usual)) == usual
