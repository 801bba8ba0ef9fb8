"""A browser for the tests of pages, and pages for it to open."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from opened_page import listen, missing

from hand_made_report import hostile_report, small_report
from rightreasons.reports.html.page import render_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opened_page import Open

    from rightreasons.reports.report_data import Examples

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("chromium")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, args=ARGUMENTS.split())
        yield started
        started.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages that the tests open."""
    place = tmp_path_factory.mktemp("pages")
    (place / "small.html").write_text(render_html(small_report()), encoding="utf-8")
    few = small_report()
    few = replace(few, exhibits=few.exhibits[:2], examples=(few_pairs(few.examples[0]),))
    (place / "few.html").write_text(render_html(few), encoding="utf-8")
    (place / "hostile.html").write_text(render_html(hostile_report()), encoding="utf-8")
    return place


def few_pairs(examples: Examples) -> Examples:
    """Take the first pairs: the check of a page takes the longer, the more there is on it."""
    answered = {name: table.head(5) for name, table in examples.predictions.items()}
    return replace(examples, pairs=examples.pairs.head(5), predictions=answered)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    place = Path(os.environ.get("RIGHTREASONS_SCREENSHOTS") or tmp_path)
    place.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture
def opened(browser: Any, folder: Path) -> Iterator[Open]:
    """Open a page in a context of its own; whatever it logs as an error or asks the network for fails the test."""
    contexts, complaints = [], []

    def open_page(
        name: str = "small.html",
        at: str = "",
        before: str = "",
        *,
        ready: bool = True,
        quiet: bool = True,
        **options: Any,
    ) -> Any:
        given = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
        context = browser.new_context(**given)
        contexts.append(context)
        page = context.new_page()
        if quiet:
            listen(page, complaints)
        if before:
            page.add_init_script(before)
        page.goto(f"{(folder / name).as_uri()}{at}")
        if ready:
            page.wait_for_selector("html[data-ready=yes]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
