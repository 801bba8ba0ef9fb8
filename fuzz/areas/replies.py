"""What language models write: read directly, and through a loopback server that answers as scripted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.helpers import import_from_tests
from fuzz.mutations import ODD_VALUES, dump, mutate_bytes, mutate_document, odd_text
from fuzz.tables import write_rows

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from fuzz.oracle import Row

PROMPTS = ("true-neither-false", "label-names", "yes-maybe-no", "true-false", "follows", "infer", "question")
SECONDS = 2.0  # of the processor, to read a reply of up to 800,000 characters
LONG = 200_000  # characters of a hostile reply
# Replies that say one label beyond doubt, by the rules on the page on language models.
# fmt: off
PLAIN = (
    "{}", " {}.\n", "**{}**", "Answer: {}", "The final answer is: {}.", '{{"answer": "{}"}}',
    '```json\n{{"label": "{}"}}\n```', "<think>perhaps this, perhaps that</think>\n{}", "{}\n\nHere is why.",
)
PIECES = (
    "```json", "```", "\n", " ", "\t", "<think>", "</think>", "<reasoning>", "{", "}", "[", '"', "'", "answer",
    "answer is", "Answer:", "the", "is", "not", ",", ".", ";", ":", "-", "or", "and", "by the premise",
    "the statement is", "\u2014", "\u2019", "*", "_", "#", "\\boxed{", "\x00", "\u2028", "é",
)
# fmt: on


def make(chance: random.Random, shared: Path) -> Case:
    """Make a reply, or a server that gives odd ones."""
    del shared
    move = chance.random()
    if move < 0.12:
        return _through_server(chance)
    name = chance.choice(PROMPTS)
    if move < 0.4:
        return _plain(chance, name)
    if move < 0.5:
        return _contradictory(chance, name)
    return _hostile(chance, name)


def _prompt(name: str) -> Any:
    from rightreasons.models.remote.prompts import load_prompt

    return load_prompt(name)


def _read(text: str, name: str, *, truncated: bool = False) -> str | None:
    from rightreasons.models.remote.replies import extract_label

    started = time.thread_time()
    label = extract_label(text, _prompt(name), truncated=truncated)
    seconds = time.thread_time() - started
    if seconds > SECONDS:
        raise WrongResultError(f"reading {len(text):,} characters took {seconds:.1f} s: {text[:80]!r}")
    return label


def _called(about: str, action: Callable[[], bool]) -> Case:
    """Make a case of a function that raises what is wrong."""
    return Case(about, call=lambda: None, check=lambda _: action())


def _plain(chance: random.Random, name: str) -> Case:
    """Say one label beyond doubt."""
    place, shape, case = chance.random(), chance.choice(PLAIN), chance.choice((str, str.upper, str.lower))

    def action() -> bool:
        words = _prompt(name).words
        label = list(words)[int(place * len(words))]
        text = shape.format(case(words[label][0]))
        found = _read(text, name)
        if found != label:
            raise WrongResultError(f"{text!r} is read as {found}, and says {label}")
        return True

    return _called(f"{name}: says one label", action)


def _contradictory(chance: random.Random, name: str) -> Case:
    """Announce two different labels: that is no answer."""
    shape = chance.choice(
        ("{} or {}", "Answer: {}\nAnswer: {}", "{}/{}", "The answer is {}. The answer is {}.", "{}, {}")
    )

    def action() -> bool:
        first, second = [spellings[0] for spellings in _prompt(name).words.values()][:2]
        text = shape.format(first, second)
        found = _read(text, name)
        if found is not None:
            raise WrongResultError(f"{text!r} is read as {found}, and says two labels")
        return True

    return _called(f"{name}: says two labels", action)


def _hostile(chance: random.Random, name: str) -> Case:
    """Repeat and mix pieces that mean something to the reader, up to a great length."""
    pieces = [chance.choice(PIECES) for _ in range(chance.randint(1, 4))]
    words = (
        [chance.choice(("True", "False", "Yes", "No", "entailment", "neutral", "Neither", "maybe"))]
        if chance.random() < 0.5
        else []
    )
    unit = "".join(chance.choice((piece, f"{piece} ", f" {piece}\n")) for piece in [*pieces, *words])
    length = chance.choice((50, 5000, LONG))
    body = (unit * (length // len(unit) + 1))[:length]
    text = (
        "".join(
            chance.choice((body, odd_text(chance), "```json", "{", "Answer: "))
            for _ in range(chance.randint(1, 3))
        )
        + body
    )
    truncated = chance.random() < 0.3

    def action() -> bool:
        from rightreasons.models.remote.replies import starts_with_answer

        label = _read(text, name, truncated=truncated)
        if label not in (None, *_prompt(name).words):
            raise WrongResultError(f"{label!r} is not a label of the prompt {name}")
        started = time.thread_time()
        starts_with_answer(text, _prompt(name))
        if time.thread_time() - started > SECONDS:
            raise WrongResultError(f"the beginning of {text[:80]!r} takes too long to read")
        return False

    return _called(f"{name}: {len(text):,} characters of {unit[:60]!r}", action)


def _through_server(chance: random.Random) -> Case:
    """Ask a server whose replies are damaged now and then: no label may be wrong, whatever else happens."""
    openai = chance.random() < 0.6
    rows: list[Row] = [
        {
            "id": f"p{number}",
            "premise": f"The judge {number} slept.",
            "hypothesis": f"Someone {number} slept.",
        }
        for number in range(4)
    ]
    good = chat_body("True") if openai else {"answers": [{"label": "entailment"}], "digest": "d"}
    documents = [_damage(chance, good) for _ in range(3)]
    status = chance.choice((200, 200, 200, 200, 400, 401, 404, 413, 422, 429, 500, 503, 302))

    def call() -> None:
        server = import_from_tests("scripted_server")

        def script(asked: Any) -> Any:
            if asked.method == "GET":
                return server.Says({"data": [], "fingerprint": "f", "digest": "d", "limits": {"batch": 1}})
            index = len(server_found.posts) % (len(documents) + 1)
            if index == len(documents):
                return server.Says(good)
            return server.Says(
                documents[index], status, {"Retry-After": "0", "Location": "http://127.0.0.1:9/"}
            )

        with server.serving(script) as server_found:
            model = f"openai:m@{server_found.url}/v1" if openai else server_found.url
            from rightreasons.cli import main

            options = ("-o", "retries=1", "-o", "backoff=0.01", "-o", "timeout=5")
            main(
                args=["predict", model, "pairs.csv", "--out", "out.jsonl", *options], prog_name="rightreasons"
            )

    return Case(
        f"{'openai' if openai else 'http'} server: status {status}",
        call=call,
        files={"pairs.csv": write_rows(rows, "csv")},
        check=_check_written,
        keeps=("out.jsonl.unfinished*",),
    )


def chat_body(text: str) -> dict[str, Any]:
    """Make the body of a good reply."""
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }


def _damage(chance: random.Random, good: dict[str, Any]) -> bytes:
    move = chance.random()
    if move < 0.6:
        return dump(mutate_document(chance, good, chance.choice((1, 1, 2))))
    if move < 0.8:
        return mutate_bytes(chance, dump(good))
    return chance.choice(
        (
            b"",
            b"null",
            b"[" * 50_000,
            b'{"a":' * 50_000,
            b"<html>",
            dump(chance.choice(ODD_VALUES)),
            b"\xff" * 100,
            b'{"choices": ' + b"[" * 900 + b"]" * 900 + b"}",
        )
    )


def _check_written(outcome: Outcome) -> bool:
    """Make sure that the only labels are that of the good reply and those of no label."""
    del outcome
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    if [row["id"] for row in rows] != [f"p{number}" for number in range(4)]:
        raise WrongResultError("the predictions are not those of the pairs")
    return False


AREA = Area("replies", 600, make)
