"""Tables of names that are imported on first use."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.lazy_table import LazyTable


class Entry(NamedTuple):
    target: str
    line: str


def test_a_target_is_imported_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    table = LazyTable("colour", {"hsv": Entry("colorsys:rgb_to_hsv", "hue, saturation, value")})
    assert table.list_names() == ["hsv"]
    assert "colorsys" not in sys.modules
    assert table.load("hsv").__name__ == "rgb_to_hsv"


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"colour .*'hsw'.* hsv"):
        LazyTable("colour", {"hsv": "colorsys:rgb_to_hsv"}).load("hsw")


def test_plugins_come_after_built_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = (("hsv", "other:hsv"), ("yiq", "colorsys:rgb_to_yiq"))
    monkeypatch.setattr("rightreasons.core.plugins.find_entry_points", lambda _: plugins)
    table = LazyTable("colour", {"hsv": "colorsys:rgb_to_hsv"}, group="some.group")
    assert table.list_names() == ["hsv", "yiq"]
    assert table.has("yiq")
    assert table.load("yiq").__name__ == "rgb_to_yiq"
    with pytest.raises(InputError, match="colorsys:rgb_to_hsv and other:hsv"):
        table.load("hsv")
