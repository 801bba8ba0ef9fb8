"""The page of an offline expert in a real browser: opened from disk, closed and opened again, saved to a file."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from made_study import LABEL_QUESTION, SENSE_QUESTION, make_study

pytest.importorskip("sqlalchemy")

from rightreasons.people.exchange.transfer import import_judgements
from rightreasons.people.offline_judgements import reserve_offline_items
from rightreasons.people.offline_page import render_offline_page
from rightreasons.people.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.people.study import Study

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.every_case]


def write_page(folder: Path, **changes: Any) -> tuple[Study, Path]:
    study = make_study(folder / "study", questions=[LABEL_QUESTION, SENSE_QUESTION], **changes)
    store = open_store(study)
    path = folder / "ann.html"
    path.write_text(render_offline_page(study, "ann", reserve_offline_items(store, "ann")), encoding="utf-8")
    store.close()
    return study, path


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    opened = browser.new_context(viewport={"width": 390, "height": 780}, bypass_csp=False)
    opened.set_default_timeout(10_000)
    yield opened
    opened.close()


def open_page(context: Any, path: Path, complaints: list[str]) -> Any:
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda request: (
            complaints.append(request.url)
            if not request.url.startswith(("file:", "data:", "blob:"))
            else None
        ),
    )
    page.goto(path.as_uri())
    page.click("#begin")
    return page


def judge(page: Any, number: int, *, one_by_one: bool) -> None:
    from playwright.sync_api import expect

    expect(page).to_have_title(re.compile(f"^Item {number} of 5"))
    expect(page.locator("#task")).to_be_visible()  # after the pause
    page.keyboard.press("2")
    if one_by_one:
        page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("show", ["together", "one-by-one"])
def test_an_expert_judges_offline_in_two_sittings(
    context: Any, tmp_path: Path, shots: Path, show: str
) -> None:
    study, path = write_page(tmp_path, show=show)
    complaints: list[str] = []
    page = open_page(context, path, complaints)
    for number in (1, 2):
        judge(page, number, one_by_one=show == "one-by-one")
    page.screenshot(path=shots / f"study-offline-{show}.png")
    page.close()
    page = open_page(context, path, complaints)
    for number in (3, 4, 5):
        judge(page, number, one_by_one=show == "one-by-one")
    page.wait_for_selector("#end:visible")
    page.screenshot(path=shots / f"study-offline-end-{show}.png")
    with page.expect_download() as waited:
        page.click("#save")
    saved = tmp_path / "judgements.json"
    waited.value.save_as(saved)
    assert complaints == []
    assert len(json.loads(saved.read_text(encoding="utf-8"))["judgements"]) == 5
    assert import_judgements(study.folder, saved).added == 5
    store = open_store(study)
    answers = store.read_judgements().answers
    store.close()
    assert dict(answers.group_by("question", "answer").len().select("question", "answer").rows()) == {
        "label": "non-entailment",
        "sense": "yes",
    }
    assert (answers["seconds"] > 0).all()


def test_everybody_can_use_the_offline_page(context: Any, tmp_path: Path) -> None:
    axe_files = pytest.importorskip("axe_playwright_python")
    axe = (files(axe_files.__name__) / "axe.min.js").read_text(encoding="utf-8")
    _, path = write_page(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text), encoding="utf-8")
    page = open_page(context, path, [])
    page.evaluate(axe)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
