"""The page of a report in a real browser: everybody can use it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from opened_page import missing

if TYPE_CHECKING:
    from opened_page import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_everybody_can_use_it(opened: Open, width: int, scheme: str) -> None:
    try:
        axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        missing("axe-playwright-python")
    page = opened("few.html", viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    for figure in page.locator("figure.chart").all():
        figure.scroll_into_view_if_needed()
        figure.locator("svg").wait_for()
    page.evaluate(axe)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    violations = [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found]
    assert [one for one in violations if one[0] in ("serious", "critical")] == []


def test_the_first_key_skips_to_the_report(opened: Open) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "rr-main"
