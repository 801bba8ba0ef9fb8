"""An exhibit: every format that it may declare is one that the renderers show."""

from __future__ import annotations

from typing import get_args

import polars as pl
import pytest

from rightreasons.core.exhibit import Exhibit, Format
from rightreasons.reports.renderers import render_csv, render_latex, render_markdown

pytestmark = pytest.mark.every_case


@pytest.mark.parametrize("shown", get_args(Format))
def test_every_format_is_rendered(shown: Format) -> None:
    value = "word" if shown in ("text", "passage") else 0.5
    exhibit = Exhibit("key", "Title", "Caption.", pl.DataFrame({"column": [value, None]}), {"column": shown})
    for render in (render_csv, render_latex, lambda one: render_markdown(one, 3)):
        text = render(exhibit)
        assert "word" in text if value == "word" else any(digit in text for digit in ("0", "1", "5"))


def test_a_plain_exhibit_has_no_set_chart_notes_or_headings() -> None:
    exhibit = Exhibit("key", "Title", "Caption.", pl.DataFrame(), {})
    assert (exhibit.set, exhibit.chart, exhibit.notes, dict(exhibit.headings)) == ("", None, (), {})
