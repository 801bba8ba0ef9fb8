"""The pages of participants, over HTTP: from consent to completion, what is stored, and who may do what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study
from study_client import StudyVisitor, read_forms

pytest.importorskip("sqlalchemy")
pytest.importorskip("starlette")

from starlette.testclient import TestClient

from rightreasons.people import identifiers
from rightreasons.people.store import StudyStore, open_store
from rightreasons.people.web.access import WRONG_TOKENS, WebAddress
from rightreasons.people.web.app import make_study_app
from rightreasons.people.web.site import StudySite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rightreasons.people.study import Study

    Serve = Callable[..., "Served"]

URL = "http://127.0.0.1:8000"
HOSTILE = "<script>window.hacked=1</script>\"'><img src=x onerror=alert(1)>{{7*7}}"


class Served:
    """A study with its application."""

    def __init__(self, study: Study, url: str = URL, completion_url: str | None = None) -> None:
        self.study, self.url = study, url
        self.store: StudyStore = open_store(study)
        self.app = make_study_app(StudySite(self.store, WebAddress(url), completion_url))
        self.link = f"/s/{study.secrets.study}"

    def visit(self, **options: Any) -> StudyVisitor:
        return StudyVisitor(TestClient(self.app, base_url=self.url, **options))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    started: list[Served] = []

    def start(url: str = URL, completion_url: str | None = None, **changes: Any) -> Served:
        study = make_study(tmp_path / f"study{len(started)}", **changes)
        started.append(Served(study, url, completion_url))
        return started[-1]

    yield start
    for each in started:
        each.store.close()


def test_someone_takes_part_from_consent_to_completion(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    assert "You can stop at any time." in ann.open(served.link)
    ann.send("/study/consent")
    assert ann.title.startswith("Instructions")
    ann.send("/study/instructions")
    assert ann.title.startswith("Practice 1 of 1")
    ann.send("/study/practice", **{"answer-label": "non-entailment"})
    assert "Not quite" in ann.page
    assert "Both sentences are the same." in ann.page
    ann.send("/study/practiced")
    assert ann.title.startswith("Item 1 of 5")
    assert ann.finish() == 5
    assert ann.title.startswith("Completed")
    judgements = served.store.read_judgements()
    assert judgements.participants["status"].to_list() == ["completed"]
    assert judgements.answers["item"].to_list() == served.study.forms.filter(form=0)["item"].to_list()
    name = judgements.participants["participant"][0]
    assert identifiers.make_completion_code(served.study.secrets.salt, name) in ann.page
    assert ann.open(served.link) == ann.page  # the link leads back to the code


def test_nothing_of_the_gold_labels_or_controls_is_on_a_page(serve: Serve) -> None:
    served = serve(controls=2)
    ann = served.visit()
    ann.begin(served.link)
    items = served.study.items
    for _ in range(6):
        for secret in [*items["item"], *items["id"], *items["stratum"], "control", "gold"]:
            assert secret not in ann.page
        ann.judge()


def test_an_answer_that_is_missing_is_asked_for(serve: Serve) -> None:
    served = serve(questions=[LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION])
    ann = served.visit()
    ann.begin(served.link)
    ann.judge(**{"answer-note": "a note"})
    assert ann.response.status_code == 422
    assert 'role="alert"' in ann.page
    assert 'id="missing-sense"' in ann.page
    assert 'id="missing-label"' not in ann.page
    assert re.search(r'value="entailment"[^>]* checked', ann.page)
    assert "a note</textarea>" in ann.page
    ann.judge(**{"answer-sense": "perhaps"})
    assert ann.response.status_code == 422  # not one of the choices
    assert served.store.read_judgements().answers.is_empty()
    ann.judge(**{"answer-sense": "yes"})
    answers = served.store.read_judgements().answers
    assert dict(answers.select("question", "answer").rows()) == {
        "label": "entailment",
        "sense": "yes",
        "note": "",
    }


def test_questions_come_one_by_one(serve: Serve) -> None:
    served = serve(questions=[LABEL_QUESTION, SENSE_QUESTION], show="one-by-one")
    ann = served.visit()
    ann.begin(served.link)
    assert "answer-sense" not in ann.page
    first = ann.page
    ann.judge()
    assert "answer-label" not in ann.page
    assert ann.title.startswith("Item 1 of 5")
    again = read_forms(first)["/study/judge"] | {"answer-label": "non-entailment"}
    ann.response = ann.client.post("/study/judge", data=again, follow_redirects=True)
    assert ann.response.status_code == 200
    ann.send("/study/judge", **{"answer-sense": "no"})
    assert ann.title.startswith("Item 2 of 5")
    assert served.store.read_judgements().answers["answer"].to_list() == ["entailment", "no"]


def test_a_form_sent_twice_counts_once_and_the_back_button_shows_what_comes_next(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    old = read_forms(ann.page)["/study/judge"]
    ann.judge()
    ann.response = ann.client.post(
        "/study/judge", data={**old, "answer-label": "non-entailment"}, follow_redirects=True
    )
    assert ann.title.startswith("Item 2 of 5")
    assert served.store.read_judgements().answers["answer"].to_list() == ["entailment"]
    assert ann.response.headers["cache-control"] == "no-store"


def test_consent_sent_twice_makes_one_participant(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.open(served.link)
    fields = read_forms(ann.page)["/study/consent"]
    for _ in range(2):
        ann.client.post("/study/consent", data=fields)
    assert len(served.store.list_participants()) == 1


def test_who_declines_leaves_no_data(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.open(served.link)
    ann.send("/study/decline")
    judgements = served.store.read_judgements()
    assert judgements.participants.select("source", "status").rows() == [("link", "withdrawn")]
    assert judgements.answers.is_empty()
    ann.begin(served.link)  # a change of mind
    assert ann.title.startswith("Item 1")


def test_who_stops_may_delete_their_answers(serve: Serve) -> None:
    served = serve()
    for choice, left in (("keep", 1), ("delete", 1)):
        ann = served.visit()
        ann.begin(served.link)
        ann.judge()
        ann.open("/study/leave")
        ann.send("/study/leave", answers=choice)
        assert "/study/judge" not in ann.page
        assert len(served.store.read_judgements().answers) == left


def test_a_personal_link_continues_on_another_device(serve: Serve) -> None:
    served = serve()
    phone, desk = served.visit(), served.visit()
    phone.begin(served.link)
    phone.judge()
    link = re.search(r"http://127\.0\.0\.1:8000(/p/[\w-]+)", phone.page)
    assert link is not None
    desk.open(link[1])
    assert desk.title.startswith("Item 2 of 5")
    desk.judge()
    phone.open()
    assert phone.title.startswith("Item 3 of 5")


def test_prolific_participants_are_known_by_a_salted_hash(serve: Serve) -> None:
    served = serve(completion_url="https://app.prolific.com/submissions/complete?cc=ABC")
    link = f"{served.link}?PROLIFIC_PID=5f00aa&STUDY_ID=s1&SESSION_ID=s2"
    ann = served.visit()
    ann.begin(link)
    ann.judge()
    again = served.visit()
    again.open(link)
    assert again.title.startswith("Item 2 of 5")
    again.finish()
    assert 'href="https://app.prolific.com/submissions/complete?cc=ABC"' in again.page
    rows = served.store.list_participants()
    assert [row.participant for row in rows] == [
        identifiers.hash_identifier(served.study.secrets.salt, "5f00aa")
    ]
    assert rows[0].source == "prolific"
    stored = b"".join(path.read_bytes() for path in served.study.folder.glob("study.db*"))
    for secret in (b"5f00aa", b"testclient", b"127.0.0.1", b"Mozilla", b"python-httpx"):
        assert secret not in stored


def test_a_token_in_the_form_of_another_prolific_participant_is_refused(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.open(f"{served.link}?PROLIFIC_PID=ann")
    ann.send("/study/consent", PROLIFIC_PID="bob")
    assert ann.response.status_code == 404
    assert served.store.list_participants() == []


def test_no_token_of_a_participant_is_in_the_database(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    token = ann.client.cookies[f"study-{served.study.digest[:10]}"].split(".")[0]
    assert token in ann.page  # their own link
    stored = b"".join(path.read_bytes() for path in served.study.folder.glob("study.db*"))
    assert token.encode() not in stored
    assert identifiers.hash_token(token).encode() in stored


def test_a_form_without_its_token_or_of_another_site_is_refused(serve: Serve) -> None:
    served = serve()
    ann, bob = served.visit(), served.visit()
    ann.begin(served.link)
    bob.begin(served.link)
    fields = read_forms(ann.page)["/study/judge"] | {"answer-label": "entailment"}
    other = read_forms(bob.page)["/study/judge"]["csrf"]
    refused = [
        ann.client.post("/study/judge", data={**fields, "csrf": ""}),
        ann.client.post("/study/judge", data={**fields, "csrf": other}),
        ann.client.post("/study/judge", data=fields, headers={"Origin": "https://evil.example"}),
        served.visit().client.post("/study/judge", data=fields),
    ]
    assert [each.status_code for each in refused] == [403] * 4
    assert served.store.read_judgements().answers.is_empty()
    accepted = ann.client.post("/study/judge", data=fields, headers={"Origin": URL}, follow_redirects=False)
    assert accepted.status_code == 303


def test_nobody_judges_the_items_of_another(serve: Serve) -> None:
    served = serve()
    ann, bob = served.visit(), served.visit()
    ann.begin(served.link)
    bob.begin(served.link)
    mine = read_forms(ann.page)["/study/judge"]
    theirs = read_forms(bob.page)["/study/judge"]
    ann.client.post("/study/judge", data={**mine, "item": theirs["item"], "answer-label": "entailment"})
    assert served.store.read_judgements().answers.is_empty()


def test_a_forged_cookie_is_no_session(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    name = f"study-{served.study.digest[:10]}"
    token, signature = ann.client.cookies[name].split(".")
    forged = served.visit(cookies={name: f"{token}.{signature[:-1]}{'A' if signature[-1] != 'A' else 'B'}"})
    forged.open()
    assert forged.response.status_code == 403


def test_wrong_tokens_are_limited_and_do_not_stop_those_with_a_session(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    statuses = [ann.client.get(f"/s/wrong{number}").status_code for number in range(WRONG_TOKENS + 1)]
    assert statuses == [404] * WRONG_TOKENS + [429]
    assert ann.client.get(served.link).status_code == 429  # even the right one, until the minute is over
    assert ann.client.get("/p/abc").status_code == 429
    assert ann.client.get("/r/abc").headers["retry-after"] == "60"
    assert ann.client.get("/study").status_code == 200


def test_another_host_name_is_refused(serve: Serve) -> None:
    served = serve()
    client = served.visit().client
    assert client.get("/study", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/study", headers={"Host": "localhost:9"}).status_code == 403  # no session


def test_behind_https_cookies_are_secure_and_links_have_the_prefix(serve: Serve) -> None:
    served = serve(url="https://study.example.org/one")
    client = TestClient(served.app, base_url="https://study.example.org")
    response = client.get(served.link)
    cookie = response.headers["set-cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/one/" in cookie
    assert 'action="/one/study/consent"' in response.text
    assert 'href="/one/static/style-' in response.text


def test_large_and_strange_forms_are_refused(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    fields = read_forms(ann.page)["/study/judge"]
    many = {f"x{number}": "1" for number in range(100)}
    assert ann.client.post("/study/judge", data={**fields, "x": "y" * 70_000}).status_code == 413
    assert ann.client.post("/study/judge", data={**fields, **many}).status_code == 400
    assert ann.client.post("/study/judge", json=fields).status_code == 415
    for turn in ("-1", "9" * 400, "x", "\N{ARABIC-INDIC DIGIT ONE}"):
        assert ann.client.post("/study/judge", data={**fields, "turn": turn}).status_code == 400
    assert ann.client.get("/study/judge").status_code == 405
    assert ann.client.get("/static/../study.json").status_code == 404
    assert ann.client.get("/static/keys.js").status_code == 404


def test_hostile_texts_are_shown_as_text(tmp_path: Path) -> None:
    from made_study import make_forms, make_items, make_protocol_content

    from rightreasons.people.study import write_study

    study = write_study(
        tmp_path / "hostile",
        protocol_name="tests",
        protocol_content=make_protocol_content(questions=[LABEL_QUESTION, NOTE_QUESTION]),
        items=make_items(8, premise=HOSTILE, hypothesis="\N{RIGHT-TO-LEFT OVERRIDE}x </dd>"),
        forms=make_forms(8, 4, 2),
        card={"name": "hostile", "version": "1"},
    )
    served = Served(study)
    ann = served.visit()
    ann.begin(served.link)
    ann.judge(**{"answer-note": HOSTILE + "\x00\x07", "answer-label": ""})
    assert ann.response.status_code == 422
    assert "<script>window" not in ann.page
    assert "&lt;script&gt;window" in ann.page
    assert "<img" not in ann.page
    ann.judge(**{"answer-note": HOSTILE + "\x00\x07" + "y" * 3000})
    note = served.store.read_judgements().answers.filter(question="note")["answer"][0]
    assert note == (HOSTILE + "y" * 3000)[:2000]
    served.store.close()


def test_every_response_forbids_everything_from_elsewhere(serve: Serve) -> None:
    served = serve()
    ann = served.visit()
    ann.begin(served.link)
    style = re.search(r'href="(/static/style[^"]+)"', ann.page)
    assert style is not None
    for path in ("/study", "/nothing", served.link, style[1], "/researcher", "/health"):
        headers = ann.client.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert headers["x-content-type-options"] == "nosniff"
    assert "immutable" in ann.client.get(style[1]).headers["cache-control"]
    assert "http" not in re.sub(r"http://127\.0\.0\.1:8000", "", ann.page)


def test_places_that_are_taken_and_a_study_that_is_paused_or_closed(serve: Serve) -> None:
    served = serve(count=4, judgements=1)
    ann, bob, cleo = served.visit(), served.visit(), served.visit()
    ann.begin(served.link)
    bob.begin(served.link)
    cleo.open(served.link)
    cleo.send("/study/consent")
    assert "All places are taken" in cleo.page
    served.store.set_state("paused")
    cleo.open()
    assert "/study/consent" not in read_forms(cleo.page)
    ann.judge()
    assert ann.title.startswith("Item 2")
    served.store.set_state("closed")
    ann.judge()
    assert ann.title.startswith("The study is closed")
    assert len(served.store.read_judgements().answers) == 1


def test_a_database_that_fails_keeps_the_answers_on_the_page(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rightreasons.people.database import DatabaseError

    served = serve()
    ann = served.visit()
    ann.begin(served.link)

    def fail(*_: object, **__: object) -> None:
        raise DatabaseError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(StudyStore, "judge", fail)
        ann.judge("non-entailment")
        assert ann.response.status_code == 503
        assert ann.response.headers["retry-after"] == "5"
        assert read_forms(ann.page)["/study/judge"]["answer-label"] == "non-entailment"
    ann.send("/study/judge")
    assert ann.title.startswith("Item 2")
    assert served.store.read_judgements().answers["answer"].to_list() == ["non-entailment"]
