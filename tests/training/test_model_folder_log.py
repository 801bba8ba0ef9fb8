"""The log of a run: a table, and a plot that any browser shows and any reader can read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import polars as pl

from rightreasons.training.model_folder import PLOT, TABLE, draw_training_plot, write_training_log

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"step": 10.0, "epoch": 0.5, "rate": 0.1, "loss": 1.1, "dev_accuracy": 0.4},
    {"step": 20.0, "epoch": 1.0, "rate": 0.1, "loss": 0.9, "dev_accuracy": 0.6},
    {"step": 30.0, "epoch": 1.5, "rate": 0.05, "loss": 0.8, "dev_accuracy": 0.5},
]
NAMES = {"svg": "http://www.w3.org/2000/svg"}


def test_the_table_has_a_row_for_each_check(tmp_path: Path) -> None:
    write_training_log(tmp_path, ROWS, "esim")
    assert pl.read_csv(tmp_path / TABLE).to_dicts() == ROWS
    assert (tmp_path / PLOT).read_text(encoding="utf-8") == draw_training_plot(ROWS, "esim")


def test_the_plot_shows_both_lines_where_they_are() -> None:
    drawn = ET.fromstring(draw_training_plot(ROWS, "Log: a & b"))  # noqa: S314 - our own
    assert drawn.findtext("svg:title", namespaces=NAMES) == "Log: a & b"
    description = drawn.findtext("svg:desc", default="", namespaces=NAMES)
    assert re.findall(r"[\d.]*\d", description) == ["1.100", "0.800", "0.600", "1"]
    loss, accuracy = (
        [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        for line in drawn.findall("svg:polyline", NAMES)
    )
    assert [x for x, _ in loss] == sorted(x for x, _ in loss)
    assert [y for _, y in loss] == sorted(y for _, y in loss)  # the loss falls, and y grows downward
    assert min(accuracy, key=lambda point: point[1]) == accuracy[1]
    words = [text.text for text in drawn.findall("svg:text", NAMES)]
    assert {"training loss", "dev accuracy", "1.1", "0.8", "0.4", "0.6", "1.5"} <= set(words)


def test_one_check_alone_can_be_drawn() -> None:
    assert "nan" not in draw_training_plot(ROWS[:1], "short")
