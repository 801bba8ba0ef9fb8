"""The pages of a study in a real browser: a whole participation in the ways that people have, and access for all."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study
from opened_page import missing
from study_server import StudyServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    OpenStudy = Callable[..., Any]

pytestmark = [pytest.mark.browser, pytest.mark.slow]
pytest.importorskip("sqlalchemy")

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 900}}
TOUCH_TARGET = 44  # pixels


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StudyServer]:
    texts = {
        "title": "Which sentences follow?",
        "consent": "You are invited to take part in a study of how people understand English sentences.\n\n"
        "We store:\n- your answers,\n- the time that each took.\n\nTaking part is voluntary.",
        "instructions": "You will see pairs of sentences. Take the first sentence to be true.\n\n"
        "Then decide whether the second sentence must be true as well.",
        "debriefing": "Thank you. Programs are often right for the wrong reasons.",
    }
    study = make_study(
        tmp_path / "study",
        texts=texts,
        questions=[LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION],
        pause_seconds=1,
    )
    running = StudyServer(study.folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def visit(browser: Any, server: StudyServer) -> Iterator[OpenStudy]:
    """Open pages of the study in a browser of one's own; errors in the console fail the test."""
    contexts, complaints = [], []

    def open_page(path: str = "", *, quiet: bool = True, **options: Any) -> Any:
        context = browser.new_context(base_url=server.url, **{**DESK, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on(
            "request",
            lambda request: request.url.startswith((server.url, "data:")) or complaints.append(request.url),
        )
        if quiet:
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "console",
                lambda message: (
                    complaints.append(message.text)
                    if message.type in ("error", "warning") and "422" not in message.text
                    else None
                ),
            )
        page.goto(path or server.study_link)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def see(page: Any, title: str) -> None:
    """Wait for a page with a title."""
    from playwright.sync_api import expect

    expect(page).to_have_title(re.compile(f"^{title}"))


def begin(page: Any) -> None:
    """Consent, read the instructions, and do the practice item."""
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Start practising").click()
    page.get_by_label("Yes, it must be true").check()
    page.get_by_role("button", name="Check my answer").click()
    page.get_by_role("button", name="Start the study").click()
    see(page, "Item 1 of 5")


def judge(page: Any) -> None:
    page.get_by_label("No, it may be false").check()
    page.locator("input[name=answer-sense][value=yes]").check()
    page.get_by_role("button", name="Next").click()


def test_the_keyboard_is_enough(visit: OpenStudy, shots: Path) -> None:
    page = visit()
    for title, keys in (
        ("Consent", ["Tab", "Enter"]),
        ("Instructions", ["Tab", "Enter"]),
        ("Practice 1 of 1", ["1", "Enter"]),
        ("Practice 1 of 1", ["Enter"]),
    ):
        see(page, title)
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_load_state()
    for number in range(1, 6):
        see(page, f"Item {number} of 5")
        page.wait_for_timeout(1200)  # the pause
        page.keyboard.press("2")  # the first question
        page.keyboard.press("1")  # the second one
        if number == 2:
            page.screenshot(path=shots / "study-keyboard.png")
        page.keyboard.press("Enter")
    see(page, "Completed")
    assert re.fullmatch(r"[A-Z2-9]{8}", page.inner_text(".code code"))


def test_tab_and_space_are_enough_without_the_number_keys(visit: OpenStudy) -> None:
    page = visit(java_script_enabled=False)
    for title in ("Consent", "Instructions"):
        see(page, title)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    see(page, "Practice 1 of 1")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start the study").focus()
    page.keyboard.press("Enter")
    see(page, "Item 1 of 5")
    page.wait_for_timeout(1200)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    see(page, "Item 2 of 5")


def test_on_a_phone_with_scripts_blocked(visit: OpenStudy, shots: Path) -> None:
    page = visit(java_script_enabled=False, **PHONE)
    begin(page)
    for number in range(1, 6):
        see(page, f"Item {number} of 5")
        judge(page)
    see(page, "Completed")
    page.screenshot(path=shots / "study-phone-done.png")


def test_a_study_survives_reloads_and_a_server_that_is_killed(visit: OpenStudy, server: StudyServer) -> None:
    page = visit(quiet=False)
    begin(page)
    judge(page)
    see(page, "Item 2 of 5")
    page.reload()
    see(page, "Item 2 of 5")
    page.wait_for_timeout(1200)
    page.get_by_label("No, it may be false").check()
    page.locator("input[name=answer-sense][value=yes]").check()
    server.kill()
    server.start()
    page.get_by_role("button", name="Next").click()
    see(page, "Item 3 of 5")
    page.go_back()
    see(page, "Item 3 of 5")
    judge(page)
    see(page, "Item 4 of 5")
    page.get_by_text("Pause, or stop").click()
    link = page.locator("code.link").inner_text()
    other = visit(link.removeprefix(server.url), quiet=False, **PHONE)
    see(other, "Item 4 of 5")
    judge(other)
    judge(other)
    see(other, "Completed")
    page.reload()
    see(page, "Completed")


def test_a_double_click_is_one_judgement(visit: OpenStudy) -> None:
    page = visit()
    begin(page)
    page.get_by_label("No, it may be false").check()
    page.locator("input[name=answer-sense][value=yes]").check()
    page.get_by_role("button", name="Next").dblclick()
    see(page, "Item 2 of 5")


def test_what_is_missing_is_announced_and_marked(visit: OpenStudy) -> None:
    page = visit()
    begin(page)
    page.get_by_label("No, it may be false").check()
    page.eval_on_selector("form", "form => { form.noValidate = true; }")  # as browsers without validation do
    page.get_by_role("button", name="Next").click()
    see(page, "Missing answer . Item 1 of 5")
    assert page.evaluate("document.activeElement.id") == "problem"
    assert page.get_by_label("No, it may be false").is_checked()
    assert page.locator("fieldset.missing").count() == 1


def test_items_appear_after_a_pause(visit: OpenStudy) -> None:
    for motion in ("reduce", "no-preference"):
        page = visit(reduced_motion=motion)
        begin(page)
        judge(page)
        see(page, "Item 2 of 5")
        opacity = "Number(getComputedStyle(document.querySelector('.card')).opacity)"
        page.wait_for_timeout(100)
        assert page.evaluate(opacity) < 0.5
        page.wait_for_timeout(1500)
        assert page.evaluate(opacity) == 1


def walk(page: Any) -> Iterator[str]:
    """Go through all pages of a participant."""
    yield "consent"
    page.get_by_role("button", name="I agree").click()
    yield "instructions"
    page.get_by_role("button", name="Start practising").click()
    yield "practice"
    page.get_by_label("No, it may be false").check()
    page.get_by_role("button", name="Check my answer").click()
    yield "feedback"
    page.get_by_role("button", name="Start the study").click()
    yield "item"
    page.eval_on_selector("form", "form => { form.noValidate = true; }")
    page.get_by_role("button", name="Next").click()
    yield "missing"
    page.goto("/study/leave")
    yield "leave"
    page.goto("/study")
    for number in range(1, 6):
        see(page, f"Item {number} of 5")
        judge(page)
    see(page, "Completed")
    yield "done"
    page.goto("/p/wrong")
    yield "message"


@pytest.mark.parametrize("look", ["desk-light", "desk-dark", "phone-light", "phone-dark"])
def test_everybody_can_use_the_pages(visit: OpenStudy, server: StudyServer, shots: Path, look: str) -> None:
    try:
        axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        missing("axe-playwright-python")
    device, scheme = look.split("-")
    options = {**(PHONE if device == "phone" else DESK), "color_scheme": scheme, "bypass_csp": True}
    page = visit(quiet=False, **options)
    for name in walk(page):
        page.wait_for_timeout(1300 if name == "item" else 100)
        check_page(page, axe, shots / f"study-{name}-{look}.png")
    page.goto(server.researcher_link)
    page.get_by_role("button", name="Create links").click()
    page.wait_for_load_state()
    check_page(page, axe, shots / f"study-researcher-{look}.png", full_page=True)


def check_page(page: Any, axe: str, shot: Path, *, full_page: bool = False) -> None:
    """Check a page with axe, that nothing is wider than the window, and that targets are large enough to touch."""
    page.screenshot(path=shot, full_page=full_page)
    page.evaluate(axe)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    violations = [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found]
    assert [one for one in violations if one[0] in ("serious", "critical", "moderate")] == [], shot.name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    heights = page.eval_on_selector_all(
        "button, a.button, label.choice, summary, input[type=number]",
        "all => all.filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect().height)",
    )
    assert [height for height in heights if height < TOUCH_TARGET] == [], shot.name
