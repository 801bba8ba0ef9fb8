"""Every experiment has a page with results that were really obtained, and the pages are to be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rightreasons.experiments.declaration import EXPERIMENTS

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "docs" / "papers"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_its_page_has_command_seeds_time_and_findings(name: str) -> None:
    text = (PAPERS / f"{name}.md").read_text(encoding="utf-8")
    made = text.partition("<!-- made by scripts/experiment_pages.py: -->")[2].partition(
        "<!-- as far as here -->"
    )
    assert f"rightreasons experiment {name} " in made[0]
    assert re.search(r"\d+ models; training took \d+ minutes .* Seeds: \d", made[0].replace("\n", " "))
    assert re.search(r"\| here \||, here \|", made[0]), "our figures are to stand beside the paper's"
    assert len(made[2].partition("## What it shows")[2].split()) > 20


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_its_page_is_linked(name: str) -> None:
    assert f"papers/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"]({name}.md)" in (PAPERS / "experiments.md").read_text(encoding="utf-8")
