"""The verb: what a name stands for, options of exports, and exports of plugins."""

from __future__ import annotations

import inspect
import json
import shutil
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from command_line import inside
from rightreasons.core.errors import InputError
from rightreasons.core.options import get_option_help, get_schema, list_required_options, option
from rightreasons.core.parts import Export
from rightreasons.core.registry import EXPORTS, get_export_class, make_export
from rightreasons.exports import ExportSource, export
from rightreasons.exports.export import MARKER

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def named_like_a_set(run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a run into a folder that has the name of a set."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run_folder, tmp_path / "nps")
    return tmp_path / "nps"


def exported(folder: Path) -> list[str]:
    return [one["name"] for one in json.loads((folder / MARKER).read_text())["sets"]]


def test_the_set_is_meant_unless_the_name_is_clearly_a_path(named_like_a_set: Path, tmp_path: Path) -> None:
    code, _, remarks = inside("export", "nps", "--to", "lm-eval", "--limit", 30, "--out", "one")
    assert code == 0
    assert "the set nps" in remarks
    assert "./nps" in remarks
    assert exported(tmp_path / "one") == ["nps"]
    assert inside("export", "./nps", "--to", "lm-eval", "--out", "two")[0] == 0
    assert len(exported(tmp_path / "two")) == 3
    assert export(named_like_a_set, to="lm-eval", out="three") == []
    assert len(exported(tmp_path / "three")) == 3


@pytest.mark.usefixtures("named_like_a_set")
def test_a_target_that_needs_a_run_takes_the_run(tmp_path: Path) -> None:
    assert inside("export", "nps", "--to", "model-card", "--out", "card")[0] == 0
    assert len(exported(tmp_path / "card")) == 3


def test_without_such_a_folder_there_is_no_remark(tmp_path: Path) -> None:
    assert export("nps", to="lm-eval", limit=30, out=tmp_path / "one") == []


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\bnps\b"):
        export("npss", to="lm-eval", out=tmp_path / "one")


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_declares_what_it_is(name: str) -> None:
    kind = get_export_class(name)
    assert inspect.getdoc(kind)
    assert get_option_help(kind).keys() == get_schema(kind).keys()
    assert list_required_options(kind) == []
    part = make_export(name, {})
    assert part.takes in ("sets", "run", "network")
    assert Export in type(part).__mro__


def test_a_part_of_a_plugin_is_found_and_takes_its_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True)
    class CountExport:
        """Counts pairs."""

        unit: str = option("pairs", help="What to count.")

        def write(self, source: ExportSource, folder: Path) -> list[str]:
            if self.unit == "nothing":
                raise KeyError(self.unit)
            counts = {item.name: len(item.load()) for item in source.sets}
            (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")
            return [f"counted {self.unit}"]

    module = ModuleType("acme_exports")
    module.CountExport = CountExport  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "acme_exports", module)
    plugins = {EXPORTS.group: (("count", "acme_exports:CountExport"),)}
    monkeypatch.setattr("rightreasons.core.plugins.find_entry_points", lambda group: plugins.get(group, ()))
    remarks = export("nps", to="count", out=tmp_path / "counts", limit=30, unit="rows", short="allow")
    assert remarks == ["counted rows"]
    assert json.loads((tmp_path / "counts/counts.json").read_text()) == {"nps": 30}
    assert json.loads((tmp_path / "counts" / MARKER).read_text())["target"] == "count"
    with pytest.raises(InputError, match="unti"):
        export("nps", to="count", out=tmp_path / "more", unti="rows")
    with pytest.raises(InputError, match=r"'count'.*KeyError"):
        export("nps", to="count", out=tmp_path / "more", limit=30, unit="nothing", short="allow")
    assert not (tmp_path / "more").exists()


def test_a_network_is_exported_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'limit'"):
        export("net:folder", to="onnx", out=tmp_path / "x", limit=3)
