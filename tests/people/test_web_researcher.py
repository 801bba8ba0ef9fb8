"""The pages of researchers, over HTTP: progress, links, the pay list, and who has access."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from made_study import make_study
from study_client import StudyVisitor, read_forms

pytest.importorskip("sqlalchemy")
pytest.importorskip("starlette")

from starlette.testclient import TestClient

from rightreasons.people import identifiers
from rightreasons.people.store import open_store
from rightreasons.people.web.access import WebAddress
from rightreasons.people.web.app import make_study_app
from rightreasons.people.web.site import StudySite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.people.store import StudyStore

URL = "http://127.0.0.1:8000"


class Lab:
    """A study with a researcher who has opened their link."""

    def __init__(self, store: StudyStore) -> None:
        self.store = store
        self.app = make_study_app(StudySite(store, WebAddress(URL)))
        self.link = f"/s/{store.study.secrets.study}"
        self.researcher = self.visit()
        self.researcher.open(f"/r/{store.study.secrets.researcher}")

    def visit(self) -> StudyVisitor:
        return StudyVisitor(TestClient(self.app, base_url=URL))

    def download(self, name: str) -> list[dict[str, Any]]:
        response = self.researcher.client.get(f"/researcher/{name}")
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        return list(csv.DictReader(io.StringIO(response.text)))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    store = open_store(make_study(tmp_path / "study", count=8, per_form=4))
    yield Lab(store)
    store.close()


def test_only_those_with_the_token_see_the_progress(lab: Lab) -> None:
    paths = ["/researcher", "/researcher/payments.csv", "/researcher/invitations.csv"]
    assert [lab.researcher.client.get(path).status_code for path in paths] == [200] * 3
    ann = lab.visit()
    ann.begin(lab.link)
    assert [ann.client.get(path).status_code for path in paths] == [403] * 3
    token = ann.client.cookies[f"study-{lab.store.study.digest[:10]}"]
    ann.client.cookies.set(f"research-{lab.store.study.digest[:10]}", token)
    assert ann.client.get("/researcher").status_code == 403
    assert ann.client.post("/researcher/state", data={"state": "closed"}).status_code == 403
    assert lab.store.get_state() == "open"
    assert lab.visit().client.get("/r/wrong").status_code == 404


def test_the_token_itself_is_not_in_the_cookie(lab: Lab) -> None:
    cookie = lab.researcher.client.cookies[f"research-{lab.store.study.digest[:10]}"]
    assert lab.store.study.secrets.researcher not in cookie


def test_progress_counts_judgements_times_controls_and_agreement(lab: Lab) -> None:
    for answer in ("entailment", "non-entailment", "entailment", "entailment"):
        person = lab.visit()
        person.begin(lab.link)
        while "/study/judge" in read_forms(person.page):
            person.judge(answer)
    page = lab.researcher.open("/researcher")
    assert re.search(r"of 16 judgements</dt><dd>16<", page)
    assert re.search(r"participants completed</dt><dd>4<", page)
    assert re.search(r"with a wrong control</dt><dd>1<", page)
    assert page.count("1 of 1</td>") == 1
    assert "controls_wrong &gt; 0" in page
    # Of 8 items, those of the second participant have two different answers.
    assert re.search(r">label</th><td class=\"figure\">8</td><td>0\.500", page)
    for gold in ("non-entailment", "entailment"):
        assert gold not in page


def test_a_study_is_paused_and_closed(lab: Lab) -> None:
    lab.researcher.send("/researcher/state", state="paused")
    assert lab.store.get_state() == "paused"
    lab.researcher.send("/researcher/state", state="nonsense")
    assert lab.store.get_state() == "paused"
    lab.researcher.client.post("/researcher/state", data={"state": "closed", "csrf": "x"})
    assert lab.store.get_state() == "paused"
    lab.researcher.send("/researcher/state", state="open")
    assert lab.store.get_state() == "open"


def test_invitations_are_personal_links(lab: Lab) -> None:
    lab.researcher.send("/researcher/invitations", count="3")
    rows = lab.download("invitations.csv")
    assert len(rows) == 3
    path = rows[0]["link"].removeprefix(URL)
    ann = lab.visit()
    ann.begin(path)
    assert ann.finish() == 5
    assert len(lab.download("invitations.csv")) == 2
    assert lab.store.read_judgements().participants["source"].to_list() == ["invite"]
    paid = lab.download("payments.csv")
    assert [(row["participant"], row["status"], row["items_judged"]) for row in paid] == [
        (rows[0]["participant"], "completed", "5")
    ]
    code = identifiers.make_completion_code(lab.store.study.secrets.salt, rows[0]["participant"])
    assert paid[0]["completion_code"] == code
    assert code in ann.page


def test_formulas_in_the_pay_list_are_texts(lab: Lab) -> None:
    lab.store.create_participant("=1+1", "link", None)
    lab.store.start_participant("=1+1")
    assert lab.download("payments.csv")[0]["participant"] == "'=1+1"
