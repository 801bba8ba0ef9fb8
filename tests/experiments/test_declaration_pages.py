"""Every experiment has a page with results that were really obtained, and the pages are linked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rightreasons.experiments.declaration import EXPERIMENTS
from rightreasons.reports.exhibits.published_comparison import HERE

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "docs" / "papers"
BEGIN, END = "<!-- made by scripts/experiment_pages.py: -->", "<!-- as far as here -->"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_its_page_has_command_seeds_time_and_findings(name: str) -> None:
    text = (PAPERS / f"{name}.md").read_text(encoding="utf-8")
    generated, _, written = text.partition(BEGIN)[2].partition(END)
    assert f"rightreasons experiment {name} " in generated
    assert re.search(r"^\d+ models; .* \d+ minutes [^`]*Seeds: \d", generated, re.MULTILINE)
    assert f"| {HERE} |" in generated or f", {HERE} |" in generated
    assert len(written.split("\n## ")[1].split()) > 20


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_its_page_is_linked(name: str) -> None:
    assert f"papers/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"]({name}.md)" in (PAPERS / "experiments.md").read_text(encoding="utf-8")
