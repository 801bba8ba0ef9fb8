"""The page of a report in a real browser: on screens, in both themes, on paper, and what is taken out of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hand_made_report import small_report

if TYPE_CHECKING:
    from pathlib import Path

    from opened_page import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_and_fits_the_screen(opened: Open, shots: Path, width: int, scheme: str) -> None:
    page = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.title() == small_report().title
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for figure in page.locator("figure.chart").all():
        figure.scroll_into_view_if_needed()
        figure.locator("svg").wait_for()
    assert page.locator(".canvas svg path, .canvas svg rect").count() > 10
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=shots / f"report-{width}-{scheme}.png")
    page.screenshot(path=shots / f"report-{width}-{scheme}-whole.png", full_page=True)


def test_charts_wait_until_they_are_seen(opened: Open) -> None:
    page = opened(viewport={"width": 1280, "height": 200})
    assert page.locator(".canvas svg").count() < page.locator(".canvas").count()


def test_the_theme_is_switched_and_remembered(opened: Open) -> None:
    page = opened(color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("figure.chart").first.locator("svg").wait_for()
    ink = "getComputedStyle(document.querySelector('.canvas svg text')).fill"
    light_ink = page.evaluate(ink)
    page.click("#rr-theme")
    page.click("#rr-theme")
    assert page.inner_text("#rr-theme") == "Theme: dark"
    assert page.evaluate(ground) != light
    assert page.evaluate(ink) != light_ink
    page.reload()
    assert page.inner_text("#rr-theme") == "Theme: dark"
    page.click("#rr-theme")
    assert page.evaluate(ground) == light


def test_the_page_works_without_storage(opened: Open) -> None:
    forbid = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"
    page = opened(before=forbid)
    page.click("#rr-theme")
    assert page.inner_text("#rr-theme") == "Theme: light"
    assert page.is_hidden("#rr-trouble")


def test_a_browser_without_decompression_gets_a_message(opened: Open) -> None:
    page = opened(before="delete window.DecompressionStream;", ready=False)
    page.wait_for_selector("#rr-trouble:visible")
    assert "DecompressionStream" in page.inner_text("#rr-trouble")
    assert page.locator("table.figures tbody tr").count() == 9


def test_without_scripts_the_tables_are_there(opened: Open) -> None:
    page = opened(java_script_enabled=False, ready=False)
    assert page.locator("noscript").count() == 1
    assert page.locator("#overview table.figures tbody tr").count() == 3
    assert page.locator("#rr-theme").is_hidden()


def test_tables_are_sorted_by_click_and_key(opened: Open) -> None:
    page = opened()
    table = page.locator("#overview table")
    first = table.locator("tbody tr th")
    table.get_by_role("button", name="accuracy").click()
    assert first.all_inner_texts() == ["majority", "second", "file:a/model_one"]
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("accuracy")
    page.keyboard.press("Enter")
    assert first.all_inner_texts() == ["file:a/model_one", "second", "majority"]
    table.get_by_role("button", name="model").focus()
    page.keyboard.press("Space")
    assert first.all_inner_texts() == ["file:a/model_one", "majority", "second"]
    assert table.locator("th[aria-sort]").count() == 1


def test_a_table_is_copied_as_csv(opened: Open) -> None:
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#overview").get_by_role("button", name="Copy the table").click()
    from playwright.sync_api import expect

    expect(page.locator("#rr-said")).to_have_text("Table copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r", "").splitlines()[1].startswith("file:a/model_one,1000,0.25,0.23,0.27")


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_chart_is_saved(opened: Open, shots: Path, kind: str, start: bytes) -> None:
    page = opened(color_scheme="dark")
    figure = page.locator("#overview figure.chart")
    figure.scroll_into_view_if_needed()
    with page.expect_download() as waited:
        figure.locator(f"[data-save={kind}]").click()
    path = shots / f"chart.{kind}"
    waited.value.save_as(path)
    content = path.read_bytes()
    assert waited.value.suggested_filename == f"overview.{kind}"
    assert content.startswith(start)
    assert len(content) > 2_000
    if kind == "svg":
        assert b"#ffffff" in content or b'"white"' in content


def test_it_prints_whole_and_light(opened: Open, shots: Path) -> None:
    page = opened(color_scheme="dark")
    page.evaluate(
        "addEventListener('beforeprint', () => { window.inks = [...document.querySelectorAll('.canvas svg')]"
        ".map(svg => getComputedStyle(svg.querySelector('text')).fill);"
        " window.folded = document.querySelectorAll('main details:not([open]):not(.more-of-pair)').length; })"
    )
    content = page.pdf(path=shots / "report.pdf", format="A4")
    assert content.startswith(b"%PDF")
    assert page.evaluate("window.inks.length") == page.locator("figure.chart").count()
    assert all(
        max(map(int, re.findall(r"\d+", ink))) < 120 for ink in page.evaluate("window.inks")
    )  # dark ink for white paper
    assert page.evaluate("window.folded") == 0
    assert page.locator(".card details[open]").count() == 0


A4 = 688  # pixels between the margins


def test_paper_has_all_parts_on_few_pages_and_nothing_is_cut(opened: Open, shots: Path) -> None:
    page = opened(color_scheme="dark")
    content = page.pdf(path=shots / "report-outline.pdf", format="A4", tagged=True, outline=True)
    titles = [title.decode() for title in re.findall(rb"/Title \(([^)]*)\)", content)]
    ids = ("rr-choice", "rr-verdicts-title", "pairs-title", "rr-provenance")
    headings = {str(page.text_content(f"#{name}")).strip() for name in ids}
    assert headings | {exhibit.title for exhibit in small_report().exhibits} <= set(titles)
    assert 3 <= len(re.findall(rb"/Type */Page\b", content)) <= 8
    page.set_viewport_size({"width": A4, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= A4
    grounds = page.eval_on_selector_all(
        "body, .card, .exhibit, .choice, thead th",
        "parts => parts.map(part => getComputedStyle(part).backgroundColor)",
    )
    assert set(grounds) <= {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    breaks = page.eval_on_selector_all(
        "table.figures tbody th.short", "cells => cells.map(cell => getComputedStyle(cell).overflowWrap)"
    )
    assert set(breaks) == {"normal"}  # else words of a narrow column are cut into letters
