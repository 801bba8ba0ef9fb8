"""The pages of participants: consent, instructions, practice, items one after the other, and the end.

There is one address, /study, which shows whatever comes next: after a reload, on another device, or with the browser's
back button. Forms go to /study/..., which stores what they have and leads back to /study.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from rightreasons.people import identifiers
from rightreasons.people.judgements import COMPLETED, EXPIRED, WITHDRAWN
from rightreasons.people.judging import Receipt
from rightreasons.people.store_tables import CLOSED, INVITED, OPEN
from rightreasons.people.web.access import PARTICIPANT, RefusedRequestError
from rightreasons.people.web.forms import find_missing_answers, read_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from rightreasons.people.judging import CurrentTask
    from rightreasons.people.protocol import PracticeItem
    from rightreasons.people.questions import Question
    from rightreasons.people.store import Participant
    from rightreasons.people.web.site import Visit

# The parameters with which panels identify whom they send, and the source that the tables name.
PANELS = {"PROLIFIC_PID": "prolific", "workerId": "mturk"}
MOST_PANEL_LETTERS = 200
# Notes on top of a page, by the word in its address.
NOTES = {
    "late": "Your last answer came too late: the item had been given to someone else after a long break. "
    "Please go on with this one.",
    "full": "All places are taken at the moment. Places may become free: try again in an hour.",
    "closed": "The study is closed. Answers are no longer stored.",
}


def open_study_link(visit: Visit) -> Response:
    """Show the consent page to someone who comes through the link of the study, or take them back to their items."""
    _check_study_token(visit, visit.request.path_params["token"])
    panel = _read_panel(visit.query)
    token = identifiers.derive_token(visit.site.salt, panel[1]) if panel else visit.token
    token = token or identifiers.make_random_token()
    known = visit.site.store.find_participant(identifiers.hash_token(token))
    if known is not None:
        response = visit.site.redirect("/study")
    else:
        panel_fields = {panel[0]: panel[1]} if panel else {}
        fields = {"study": visit.request.path_params["token"], **panel_fields}
        response = _render_consent(visit, token, fields)
    visit.site.sessions.write_token(response, PARTICIPANT, token)
    return response


def open_personal_link(visit: Visit) -> Response:
    """Take someone with a personal link to their items."""
    visit.site.wrong_tokens.check_client(visit.request)
    token = visit.request.path_params["token"]
    if visit.site.store.find_participant(identifiers.hash_token(token)) is None:
        raise _make_link_error(visit)
    response = visit.site.redirect("/study")
    visit.site.sessions.write_token(response, PARTICIPANT, token)
    return response


def show_study(visit: Visit) -> Response:
    """Show what comes next for a participant."""
    participant = visit.participant
    if participant is None:
        return visit.site.render_message(
            "Open your link",
            "Open the link that you were given to take part. This site needs a cookie to remember your place.",
            HTTPStatus.FORBIDDEN,
        )
    if participant.status in (COMPLETED, WITHDRAWN):
        return _render_end(visit, participant)
    state = visit.site.store.get_state()
    if state == CLOSED:
        return visit.site.render_message("The study is closed", NOTES["closed"])
    if participant.status == INVITED:
        return _render_consent(visit, visit.token or "", {}, is_open=state == OPEN)
    if participant.status == EXPIRED and not visit.site.store.resume_participant(participant.participant):
        return _render_expired(visit)
    return _show_task(visit, participant)


def _show_task(visit: Visit, participant: Participant) -> Response:
    """Show the instructions, a practice item or the current item."""
    practice = visit.site.protocol.practice
    if participant.prepared == 0:
        return visit.site.render(
            "instructions.html",
            instructions=visit.site.protocol.texts["instructions"],
            practice=len(practice),
            csrf=visit.make_form_token(),
            link=visit.site.make_link(f"/p/{visit.token}"),
        )
    if participant.prepared <= len(practice):
        return _render_practice(visit, participant.prepared - 1)
    task = visit.site.store.find_current_task(participant.participant)
    if task is None:  # the last item was judged by another request just now
        return _render_completion(visit, participant)
    return _render_item(visit, participant, task)


def give_consent(visit: Visit) -> Response:
    """Start someone who agreed; someone who came through the study's link becomes a participant now."""
    visit.check_form()
    participant = visit.participant or _create_participant(visit)
    status = visit.site.store.start_participant(participant.participant)
    return visit.site.redirect("/study", **({"note": "full"} if status == INVITED else {}))


def decline_consent(visit: Visit) -> Response:
    """Note that someone declined; nothing else is stored, so that they may still change their mind."""
    visit.check_form()
    participant = visit.participant
    if participant is None:
        _check_study_token(visit, visit.form.get("study", ""))
        name = identifiers.make_random_identifier()
        visit.site.store.create_participant(name, "link", None)
        visit.site.store.withdraw_participant(name)
    return visit.site.render_message(
        "You do not take part",
        "Nothing about you was stored. You can close this page, or open your link again if you change your mind.",
    )


def _create_participant(visit: Visit) -> Participant:
    """Add someone who came through the study's link, under a random or a salted identifier."""
    _check_study_token(visit, visit.form.get("study", ""))
    panel = _read_panel(visit.form)
    name = (
        identifiers.hash_identifier(visit.site.salt, panel[1])
        if panel
        else identifiers.make_random_identifier()
    )
    token = identifiers.derive_token(visit.site.salt, panel[1]) if panel else visit.token
    if token is None or token != visit.token:
        raise _make_link_error(visit)
    token_hash = identifiers.hash_token(token)
    source = PANELS[panel[0]] if panel else "link"
    visit.site.store.create_participant(name, source, token_hash)
    created = visit.site.store.find_participant(token_hash)
    if created is None:
        raise _make_link_error(visit)
    return created


def finish_instructions(visit: Visit) -> Response:
    """Note that someone has read the instructions."""
    visit.check_form()
    if visit.participant is not None:
        visit.site.store.prepare_participant(visit.participant.participant, 1)
    return visit.site.redirect("/study")


def check_practice(visit: Visit) -> Response:
    """Show the feedback on a practice item, or ask for the answers that are missing."""
    visit.check_form()
    number = _read_number(visit.form.get("number", ""), len(visit.site.protocol.practice))
    questions = _list_practice_questions(visit, visit.site.protocol.practice[number])
    answers = read_answers(questions, visit.form)
    missing = find_missing_answers(questions, answers)
    if missing:
        return _render_practice(visit, number, answers, missing)
    return visit.site.redirect(
        "/study", feedback=str(number), **{f"answer-{name}": answer for name, answer in answers.items()}
    )


def finish_practice(visit: Visit) -> Response:
    """Go on after the feedback on a practice item."""
    visit.check_form()
    number = _read_number(visit.form.get("number", ""), len(visit.site.protocol.practice))
    if visit.participant is not None:
        visit.site.store.prepare_participant(visit.participant.participant, number + 2)
    return visit.site.redirect("/study")


def judge_item(visit: Visit) -> Response:
    """Store a judgement, or ask for the answers that are missing."""
    visit.check_form()
    participant = visit.participant
    task = visit.site.store.find_current_task(participant.participant) if participant else None
    turn = _read_number(visit.form.get("turn", ""), 1_000_000)
    if participant is None or task is None or task.turn != turn:
        # Sent twice, or from an old page: what was stored first counts, and the current item is shown.
        return visit.site.redirect("/study")
    if not identifiers.are_equal(visit.form.get("item", ""), _sign_item(visit, task)):
        return visit.site.redirect("/study")
    questions = _list_shown_questions(visit, task)
    answers = read_answers(questions, visit.form)
    missing = find_missing_answers(questions, answers)
    if missing:
        return _render_item(visit, participant, task, answers, missing)
    receipt = visit.site.store.judge(participant.participant, task.turn, task.item, answers)
    notes = {Receipt.LATE: "late", Receipt.CLOSED: "closed"}
    return visit.site.redirect("/study", **({"note": notes[receipt]} if receipt in notes else {}))


def ask_to_leave(visit: Visit) -> Response:
    """Ask someone who wants to stop whether their answers are kept."""
    if visit.participant is None:
        return visit.site.redirect("/study")
    return visit.site.render("leave.html", csrf=visit.make_form_token())


def leave_study(visit: Visit) -> Response:
    """End someone's participation, and delete their answers if they wish."""
    visit.check_form()
    if visit.participant is not None:
        if visit.form.get("answers") == "delete":
            visit.site.store.forget_participant(visit.participant.participant)
            return visit.site.render_message("You have stopped", "Your answers were deleted. Thank you.")
        visit.site.store.withdraw_participant(visit.participant.participant)
    return visit.site.redirect("/study")


def _render_consent(
    visit: Visit, token: str, fields: Mapping[str, str], *, is_open: bool | None = None
) -> Response:
    if is_open is None:
        is_open = visit.site.store.get_state() == OPEN
    return visit.site.render(
        "consent.html",
        consent=visit.site.protocol.texts["consent"],
        fields=fields,
        csrf=visit.make_form_token(token=token),
        is_open=is_open,
        note=NOTES.get(visit.query.get("note", "")),
    )


def _render_practice(
    visit: Visit, number: int, answers: Mapping[str, str] | None = None, missing: Sequence[str] = ()
) -> Response:
    """Render a practice item, or the feedback on it if the address has the answers."""
    item = visit.site.protocol.practice[number]
    questions = _list_practice_questions(visit, item)
    checked = visit.query.get("feedback") == str(number) and answers is None
    given = read_answers(questions, visit.query) if checked else answers or {}
    return visit.site.render(
        "practice.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if missing else HTTPStatus.OK,
        item=item,
        number=number,
        total=len(visit.site.protocol.practice),
        questions=questions,
        answers=given,
        missing=missing,
        checked=checked and not find_missing_answers(questions, given),
        csrf=visit.make_form_token(),
        instructions=visit.site.protocol.texts["instructions"],
    )


def _render_item(
    visit: Visit,
    participant: Participant,
    task: CurrentTask,
    answers: Mapping[str, str] | None = None,
    missing: Sequence[str] = (),
) -> Response:
    row = visit.site.store.plan.items[task.item]
    return visit.site.render(
        "item.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if missing else HTTPStatus.OK,
        premise=row["premise"],
        hypothesis=row["hypothesis"],
        task=task,
        key=_sign_item(visit, task),
        questions=_list_shown_questions(visit, task),
        answers=answers or {},
        missing=missing,
        pause=_choose_pause(visit.site.protocol.pause_seconds) if answers is None else 0,
        note=NOTES.get(visit.query.get("note", "")),
        csrf=visit.make_form_token(),
        link=visit.site.make_link(f"/p/{visit.token}"),
        instructions=visit.site.protocol.texts["instructions"],
        participant=participant.participant,
    )


def _render_end(visit: Visit, participant: Participant) -> Response:
    """Render the last page of someone who has completed the study, or stopped."""
    if participant.status == COMPLETED:
        return _render_completion(visit, participant)
    return visit.site.render_message(
        "You have stopped", "You no longer take part in this study. Thank you for your time."
    )


def _render_completion(visit: Visit, participant: Participant) -> Response:
    return visit.site.render(
        "done.html",
        debriefing=visit.site.protocol.texts["debriefing"],
        code=identifiers.make_completion_code(visit.site.salt, participant.participant),
        completion_url=visit.site.completion_url,
    )


def _render_expired(visit: Visit) -> Response:
    minutes = f"{visit.site.protocol.timeout_minutes:g}"
    return visit.site.render_message(
        "Your time is over",
        f"There was a break of more than {minutes} minutes, and the items that were left were given to someone else. "
        "The answers that you gave are saved. If you have questions, contact the researchers.",
    )


def _list_shown_questions(visit: Visit, task: CurrentTask) -> list[Question]:
    """List the questions about the current item: all, or the first without an answer."""
    questions = visit.site.protocol.questions
    if visit.site.protocol.show == "together":
        return list(questions)
    return [question for question in questions if question.name not in task.answered][:1]


def _list_practice_questions(visit: Visit, item: PracticeItem) -> list[Question]:
    """List the questions about a practice item, those with a known answer."""
    return [question for question in visit.site.protocol.questions if question.name in item.answers]


def _sign_item(visit: Visit, task: CurrentTask) -> str:
    """Return a sign of an item and its open questions for the form; its name could reveal that it is a control."""
    parts = (visit.token or "", str(task.turn), task.item, *sorted(task.answered))
    return identifiers.sign_text(visit.site.salt, "item", "\0".join(parts))[:22]


def _choose_pause(seconds: float) -> float:
    """Choose the class of the pause: the style has one for each half second, up to five seconds."""
    return min(5.0, round(seconds * 2) / 2)


def _check_study_token(visit: Visit, token: str) -> None:
    """Refuse a wrong token of the study."""
    visit.site.wrong_tokens.check_client(visit.request)
    if not identifiers.are_equal(token, visit.site.store.study.secrets.study):
        raise _make_link_error(visit)


def _make_link_error(visit: Visit) -> RefusedRequestError:
    visit.site.wrong_tokens.add(visit.request)
    return RefusedRequestError(
        HTTPStatus.NOT_FOUND,
        "This link does not work",
        "The link is incomplete or no longer valid. Copy the whole link that you were given, or ask the researchers.",
    )


def _read_panel(values: Mapping[str, str]) -> tuple[str, str] | None:
    """Read whom a panel sends: the name of its parameter, and the identifier, which is never stored."""
    for name in PANELS:
        value = values.get(name, "").strip()
        if value and len(value) <= MOST_PANEL_LETTERS and value.isprintable():
            return name, value
    return None


def _read_number(text: str, end: int) -> int:
    """Read a number below `end` from a form."""
    if text.isascii() and text.isdigit() and int(text[:9]) < end:
        return int(text[:9])
    raise RefusedRequestError(
        HTTPStatus.BAD_REQUEST,
        "The form could not be read",
        "Open your link again, and repeat the last step.",
    )
