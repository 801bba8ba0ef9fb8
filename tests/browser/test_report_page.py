"""The page of a report in a real browser, opened from disk: it works, it is quiet, and all can use it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hand_made_report import HOSTILE, answers, hostile_report, pairs, small_report
from rightreasons.reports.html.page import page as written
from rightreasons.reports.report import Examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[..., Any]

pytestmark = pytest.mark.browser
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
)
QUIET = ("file:", "data:", "blob:")


def missing(what: str) -> None:
    """Skip where a browser is missing, but never where all must be tested."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and these tests must run here")
    pytest.skip(f"{what} is not here")


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages that the tests open."""
    place = tmp_path_factory.mktemp("pages")
    (place / "small.html").write_text(written(small_report()), encoding="utf-8")
    few = small_report()
    few = replace(few, exhibits=few.exhibits[:2], examples=(few_pairs(few.examples[0]),))
    (place / "few.html").write_text(written(few), encoding="utf-8")
    (place / "hostile.html").write_text(written(hostile_report()), encoding="utf-8")
    return place


def few_pairs(examples: Examples) -> Examples:
    """Take the first pairs: the check of a page takes the longer, the more there is on it."""
    answered = {name: table.head(5) for name, table in examples.answers.items()}
    return replace(examples, pairs=examples.pairs.head(5), answers=answered)


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


def listen(page: Any, complaints: list[str]) -> None:
    """Note what a page complains of and whom it asks."""
    page.on(
        "console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda asked: asked.url.startswith(QUIET) or complaints.append(asked.url))


def count(page: Any) -> int:
    """Read how many pairs match."""
    text = page.inner_text("#pairs-count")
    return 0 if text.startswith("No pair") else int(text.split()[0].replace(",", ""))


def expect_count(page: Any, wanted: int) -> None:
    page.wait_for_function(
        "wanted => { const text = document.getElementById('pairs-count').textContent;"
        " return (text.startsWith('No pair') ? 0 : Number(text.split(' ')[0].replace(',', ''))) === wanted; }",
        arg=wanted,
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_and_fits_the_screen(opened: Open, shots: Path, width: int, scheme: str) -> None:
    page = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.title() == "Is it right for the right reasons?"
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


def test_pairs_are_filtered_by_label_and_tag(opened: Open) -> None:
    page = opened()
    assert count(page) == 120
    page.select_option("#pairs-gold", "neutral")
    expect_count(page, 40)
    page.select_option("#pairs-tag", "subcase")
    page.select_option("#pairs-value", "case-1")
    expect_count(page, 10)
    page.click("#pairs-reset")
    expect_count(page, 120)
    assert page.input_value("#pairs-gold") == ""


def test_a_tag_with_a_value_of_its_own_for_every_pair_is_asked_for_exactly(opened: Open) -> None:
    page = opened()
    page.select_option("#pairs-tag", "rank")
    page.fill("#pairs-exact", "17")
    expect_count(page, 1)
    page.fill("#pairs-exact", "1 7")
    expect_count(page, 0)


def test_search_finds_text_whatever_its_case(opened: Open) -> None:
    page = opened()
    page.fill("#pairs-search", "jUDGE number 11")
    expect_count(page, 11)  # 11 and 110 to 119
    assert page.locator("#pairs-table mark").first.inner_text() == "Judge number 11"
    page.fill("#pairs-search", "number .* saw")
    expect_count(page, 0)


def test_pairs_are_filtered_by_the_answers(opened: Open) -> None:
    page = opened()
    page.click("#pairs-models summary")
    first = page.locator("[data-model='0']")
    first.locator("[data-field=right]").select_option("wrong")
    expect_count(page, 24)
    first.locator("[data-field=answer]").select_option("entailment")
    expect_count(page, 8)
    first.locator("[data-field=answer]").select_option("")
    first.locator("[data-field=right]").select_option("")
    first.locator("[data-field=low]").fill("0.5")
    expect_count(page, 96)
    first.locator("[data-field=high]").fill("0.7")
    expect_count(page, 0)
    assert page.locator("[data-model='1'] [data-field=low]").count() == 0
    page.click("#pairs-reset")
    page.check("#pairs-differ")
    table = pairs()
    one, two = answers(table, 5)["answer"], answers(table, 7)["answer"]
    expect_count(page, int((one != two).sum()))


def test_pages_are_turned_by_buttons_and_keys(opened: Open) -> None:
    page = opened()
    rows = page.locator("#pairs-table tbody tr")
    assert rows.count() == 25
    page.click("[data-page=next]")
    assert page.inner_text("#pairs-page") == "Page 2 of 5"
    assert "number 25 " in rows.first.inner_text()
    page.locator("#pairs-title").focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#pairs-page") == "Page 3 of 5"
    page.keyboard.press("ArrowLeft")
    page.click("[data-page=last]")
    assert rows.count() == 20
    page.click("[data-page=next]", force=True)  # it says that it is disabled, and stays in reach
    assert page.inner_text("#pairs-page") == "Page 5 of 5"
    page.select_option("#pairs-size", "100")
    assert rows.count() == 100


def test_a_slash_goes_to_the_search(opened: Open) -> None:
    page = opened()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "pairs-search"
    page.keyboard.type("a/b")
    assert page.input_value("#pairs-search") == "a/b"


def test_a_view_can_be_shared(opened: Open) -> None:
    page = opened()
    page.select_option("#pairs-gold", "entailment")
    page.fill("#pairs-search", "saw & é#")
    page.fill("#pairs-search", "saw")
    page.check("#pairs-differ")
    page.click("#pairs-models summary")
    page.locator("[data-model='0'] [data-field=right]").select_option("wrong")
    page.wait_for_function("location.hash.includes('right.0')")
    expect_count(page, count(page))
    wanted, at = count(page), page.evaluate("location.hash")
    assert 0 < wanted < 40
    other = opened(at=at)
    assert count(other) == wanted
    assert other.input_value("#pairs-search") == "saw"
    assert other.is_checked("#pairs-differ")


@pytest.mark.parametrize(
    "at", ["#pairs?page=999&size=7&set=55", "#pairs?right.0=x&low.999=1&tag=none", "#pairs?%"]
)
def test_an_address_made_up_does_no_harm(opened: Open, at: str) -> None:
    assert opened(at=at).locator("#pairs-count").inner_text()


def test_sets_are_switched(opened: Open, shots: Path) -> None:
    page = opened()
    page.select_option("#pairs-set", label="other")
    expect_count(page, 30)
    assert page.inner_text("#pairs-remark") == "30 of the 300 pairs of other. Chosen evenly."
    assert page.locator("#pairs-table thead th").all_inner_texts() == ["Pair", "True label", "second"]
    assert page.is_hidden("#pairs-differ-field")
    page.locator("#pairs").screenshot(path=shots / "report-pairs.png")


def test_edits_are_marked_where_they_are(opened: Open) -> None:
    row = opened().locator("#pairs-table tbody tr").first
    assert row.locator("del").text_content() == " [taken out: warm] "
    assert row.locator("ins").text_content() == " [put in: cool] "
    text = row.locator(".hypothesis .text").text_content()
    assert text == "\N{OWL} The student [taken out: warm]  [put in: cool]  0 saw.".replace(
        "student [", "student  ["
    )
    assert row.locator(".premise ins").count() == 0


def test_parses_are_drawn_on_demand(opened: Open) -> None:
    row = opened().locator("#pairs-table tbody tr").first
    assert row.locator("pre").count() == 0
    row.locator("summary").click()
    drawn = row.locator("pre").inner_text()
    assert drawn.startswith("(ROOT\n  (S\n    (NP (DT The) (NN Judge) (CD 0))")
    assert "case-0" in row.locator(".tags").inner_text()


def test_right_and_wrong_are_said_in_words(opened: Open) -> None:
    cells = opened().locator("#pairs-table tbody td.answer").all_inner_texts()
    assert "✓ right" in cells[0]
    assert "confidence 0.75" in cells[0]
    assert "✗ wrong" in cells[2 * 4]
    assert "confidence" not in cells[1]


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


def test_a_browser_that_forbids_to_remember_is_no_trouble(opened: Open) -> None:
    forbid = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"
    page = opened(before=forbid)
    page.click("#rr-theme")
    assert page.inner_text("#rr-theme") == "Theme: light"
    assert page.is_hidden("#rr-trouble")


def test_a_browser_that_cannot_unpack_is_told(opened: Open) -> None:
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
    page.wait_for_function("document.getElementById('rr-said').textContent === 'Table copied.'")
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
    assert "50,000 characters; this file has the first 10,000" in button.inner_text()
    button.click()
    assert len(text.inner_text()) > 9_000


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
    told = [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found]
    assert [one for one in told if one[0] in ("serious", "critical")] == []


def test_the_first_key_skips_to_the_report(opened: Open) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "rr-main"


@pytest.mark.slow
def test_a_hundred_thousand_pairs_stay_usable(opened: Open, folder: Path) -> None:
    table = pairs(100_000)
    shown = Examples("large", table, {"a": answers(table, 5), "b": answers(table, 7)}, 100_000)
    text = written(small_report(examples=(shown,)))
    assert len(text.encode()) < 10_000_000
    (folder / "large.html").write_text(text, encoding="utf-8")
    page = opened("large.html")
    assert count(page) == 100_000
    page.fill("#pairs-search", "number 99999")
    expect_count(page, 1)
    page.fill("#pairs-search", "")
    page.check("#pairs-differ")
    expect_count(page, int((answers(table, 5)["answer"] != answers(table, 7)["answer"]).sum()))
    page.click("[data-page=last]")
    assert page.locator("#pairs-table tbody tr").count() <= 25
