"""The pairs of a report in a real browser: filters, search, pages, and views that can be shared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from opened_page import count, expect_count, read_numbers

from hand_made_report import answers, pairs, small_report
from rightreasons.reports.html.page import render_html
from rightreasons.reports.report_data import Examples

if TYPE_CHECKING:
    from pathlib import Path

    from opened_page import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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


def test_a_tag_with_unique_values_is_filtered_exactly(opened: Open) -> None:
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
    one, two = answers(table, 5)["prediction"], answers(table, 7)["prediction"]
    expect_count(page, int((one != two).sum()))


def test_pages_are_turned_by_buttons_and_keys(opened: Open) -> None:
    page = opened()
    rows = page.locator("#pairs-table tbody tr")
    assert rows.count() == 25
    page.click("[data-page=next]")
    assert read_numbers(page, "#pairs-page") == [2, 5]
    assert "number 25 " in rows.first.inner_text()
    page.locator("#pairs-title").focus()
    page.keyboard.press("ArrowRight")
    assert read_numbers(page, "#pairs-page") == [3, 5]
    page.keyboard.press("ArrowLeft")
    page.click("[data-page=last]")
    assert rows.count() == 20
    page.click("[data-page=next]", force=True)  # it says that it is disabled, and stays in reach
    assert read_numbers(page, "#pairs-page") == [5, 5]
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
    from playwright.sync_api import expect

    expect(page).to_have_url(re.compile(r"right\.0"))
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
    assert read_numbers(page, "#pairs-remark") == [30, 300]
    assert page.locator("#pairs-table thead th").all_inner_texts() == ["Pair", "Gold label", "second"]
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


def test_right_and_wrong_are_marked_in_words(opened: Open) -> None:
    cells = opened().locator("#pairs-table tbody td.answer").all_inner_texts()
    assert "✓ right" in cells[0]
    assert "confidence 0.75" in cells[0]
    assert "✗ wrong" in cells[2 * 4]
    assert "confidence" not in cells[1]


def test_a_hundred_thousand_pairs_stay_usable(opened: Open, folder: Path) -> None:
    table = pairs(100_000)
    shown = Examples("large", table, {"a": answers(table, 5), "b": answers(table, 7)}, 100_000)
    text = render_html(small_report(examples=(shown,)))
    assert len(text.encode()) < 10_000_000
    (folder / "large.html").write_text(text, encoding="utf-8")
    page = opened("large.html")
    assert count(page) == 100_000
    page.fill("#pairs-search", "number 99999")
    expect_count(page, 1)
    page.fill("#pairs-search", "")
    page.check("#pairs-differ")
    expect_count(page, int((answers(table, 5)["prediction"] != answers(table, 7)["prediction"]).sum()))
    page.click("[data-page=last]")
    assert page.locator("#pairs-table tbody tr").count() <= 25
