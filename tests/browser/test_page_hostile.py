"""Hostile texts in the page of a report, in a real browser: they are shown, and do nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from opened_page import expect_count

from hand_made_report import HOSTILE

if TYPE_CHECKING:
    from pathlib import Path

    from opened_page import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_link_opens_what_is_folded(opened: Open) -> None:
    page = opened("hostile.html", at="#rr-exhibit-1")
    assert page.locator("#rr-exhibit-1").is_visible()
    assert page.locator("#rr-exhibit-2").is_hidden()


def test_hostile_texts_do_nothing(opened: Open) -> None:
    page = opened("hostile.html")
    page.evaluate("document.querySelectorAll('main details').forEach(each => { each.open = true; })")
    page.locator("figure.chart").first.scroll_into_view_if_needed()
    page.locator("figure.chart svg").first.wait_for()
    page.select_option("#pairs-tag", "__proto__")
    page.select_option("#pairs-tag", "<b>tag</b>")
    page.fill("#pairs-exact", HOSTILE[1])
    expect_count(page, 1)
    row = page.locator("#pairs-table tbody tr").first
    assert row.locator(".premise .text").text_content().endswith(HOSTILE[1][3:])
    page.click("#pairs-reset")
    page.select_option("#pairs-set", "1")
    expect_count(page, len(HOSTILE) + 1)
    page.evaluate("document.querySelectorAll('#pairs details').forEach(each => { each.open = true; })")
    page.wait_for_selector("#pairs-table pre")
    assert page.evaluate("window.hacked") is None
    assert (
        page.locator("main img, main script, main b, main iframe, [onerror], [onload], [onmouseover]").count()
        == 0
    )
    assert page.locator(".unseen-letter", has_text="U+202E").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_hostile_texts_fit_a_phone(opened: Open) -> None:
    page = opened("hostile.html", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_script_that_got_in_would_not_run(opened: Open, folder: Path) -> None:
    text = (folder / "small.html").read_text(encoding="utf-8")
    (folder / "broken.html").write_text(
        text.replace("<main", "<script>window.hacked=1</script><main", 1), encoding="utf-8"
    )
    noticed = "addEventListener('securitypolicyviolation', () => { window.stopped = 1; });"
    page = opened("broken.html", before=noticed, quiet=False)
    assert page.evaluate("[window.hacked, window.stopped]") == [None, 1]
    refused = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"


def test_long_texts_are_cut_and_shown_on_demand(opened: Open) -> None:
    page = opened("hostile.html")
    page.fill("#pairs-search", "xxxxxxxxxx")
    expect_count(page, 2)
    text = page.locator("#pairs-table .hypothesis .text").first
    button = page.locator("#pairs-table .hypothesis .more").first
    assert len(text.inner_text()) < 2_000
    assert re.findall(r"[\d,]+\d", button.inner_text()) == ["50,000", "10,000"]
    button.click()
    assert len(text.inner_text()) > 9_000
