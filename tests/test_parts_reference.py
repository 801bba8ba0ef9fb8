"""The generated page of parts: a part that is added by one line of a registry is there, with its options."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from rightreasons.core import registry
from rightreasons.core.options import option
from rightreasons.core.parts import Export

if TYPE_CHECKING:
    import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "parts_reference.py"


@dataclass(frozen=True, kw_only=True)
class PigeonExport(Export):
    """Tasks for pigeons."""

    seeds: int = option(3, help="Seeds per correct prediction | at most.")


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("parts_reference", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_new_part_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pigeons")
    module.PigeonExport = PigeonExport  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pigeons", module)
    monkeypatch.setitem(registry.EXPORTS, "pigeon", "pigeons:PigeonExport")
    page = load_script().render_page()
    assert "### pigeon\n\nTasks for pigeons.\n" in page
    assert "| `seeds` | a whole number | `3` | Seeds per correct prediction \\| at most. |" in page


def test_every_part_has_a_heading_and_every_option_a_line_of_help() -> None:
    page = load_script().render_page()
    headings = [line.removeprefix("### ") for line in page.splitlines() if line.startswith("### ")]
    tables = (registry.SETS, registry.MODELS, registry.NETWORKS, registry.TRAINERS, registry.EXPORTS)
    assert {name for table in tables for name in table} <= set(headings)
    assert [line for line in page.splitlines() if line.startswith("| `") and line.endswith("|  |")] == []
