"""Forms that browsers send: limits on their size, and the answers in them."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from rightreasons.people.web.access import RefusedRequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request

    from rightreasons.people.questions import Question

MOST_BYTES = 64 * 1024
MOST_FIELDS = 64
MOST_LETTERS = 2000  # of an answer in free text
BODY_SECONDS = 20.0
ANSWER_PREFIX = "answer-"


async def read_form(request: Request) -> dict[str, str]:
    """Read the fields of a form; one that is too large, too slow or of another type is refused."""
    if (
        request.headers.get("content-type", "").partition(";")[0].strip()
        != "application/x-www-form-urlencoded"
    ):
        raise _make_body_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise _make_body_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    except TimeoutError:
        raise _make_body_error(HTTPStatus.REQUEST_TIMEOUT) from None
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="replace"
        )
    except ValueError:
        raise _make_body_error(HTTPStatus.BAD_REQUEST) from None
    return dict(reversed(pairs))  # of a repeated field, the first one counts


def _make_body_error(status: HTTPStatus) -> RefusedRequestError:
    return RefusedRequestError(
        status, "The form could not be read", "Go back, and send the form again. Shorten long texts."
    )


def read_answers(questions: Iterable[Question], form: Mapping[str, str]) -> dict[str, str]:
    """Read the answers to questions; texts are shortened, and lose characters that a database can't store."""
    return {question.name: clean_text(form.get(ANSWER_PREFIX + question.name, "")) for question in questions}


def clean_text(text: str) -> str:
    """Normalize the line breaks of a text, and remove control characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return "".join(letter for letter in lines if letter in "\n\t" or ord(letter) >= ord(" "))[:MOST_LETTERS]


def find_missing_answers(questions: Iterable[Question], answers: Mapping[str, str]) -> list[str]:
    """List the questions whose answers are missing or not among the choices."""
    return [question.name for question in questions if not question.is_valid_answer(answers[question.name])]
