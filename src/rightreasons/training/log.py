"""The training log in a model folder: a table, and a plot drawn by hand so that it needs no library."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import polars as pl

from rightreasons.io.csv_injection import write_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Log = Sequence[dict[str, float]]
    Point = tuple[float, float]

TABLE = "train_log.csv"
PLOT = "train_log.svg"
_WIDTH, _HEIGHT = 320, 200  # of a panel, with its margins
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 30, 40
_COLOUR = "#1f5fa8"
_STYLE = "font-family='sans-serif' font-size='11' fill='#222'"


def write_log(folder: Path, rows: Log, title: str) -> None:
    """Write the log of a run: a row for each check."""
    write_csv(pl.DataFrame(rows), folder / TABLE)
    (folder / PLOT).write_text(plot(rows, title), encoding="utf-8")


def plot(rows: Log, title: str) -> str:
    """Draw the loss and the dev accuracy over the epochs, side by side."""
    epochs = [row["epoch"] for row in rows]
    best = max(rows, key=lambda row: row["dev_accuracy"])
    said = (
        f"Loss from {rows[0]['loss']:.3f} to {rows[-1]['loss']:.3f}; "
        f"best dev accuracy {best['dev_accuracy']:.3f} after {best['epoch']:g} epochs."
    )
    panels = [
        _panel(0, "training loss", epochs, [row["loss"] for row in rows]),
        _panel(_WIDTH, "dev accuracy", epochs, [row["dev_accuracy"] for row in rows]),
    ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {2 * _WIDTH} {_HEIGHT}' role='img' "
        f"aria-labelledby='title said'>\n<title id='title'>{escape(title)}</title>\n<desc id='said'>{said}</desc>\n"
        f"<rect width='100%' height='100%' fill='#fff'/>\n{''.join(panels)}</svg>\n"
    )


def _panel(at: int, name: str, across: Sequence[float], up: Sequence[float]) -> str:
    """Draw one line with its axes, a span of the values at the left and of the epochs below."""
    left, right, top, bottom = at + _LEFT, at + _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM
    low, high = _span(up)
    last = max(across)
    points = [
        (left + (right - left) * x / last, bottom - (bottom - top) * (y - low) / (high - low))
        for x, y in zip(across, up, strict=True)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2' fill='{_COLOUR}'/>" for x, y in points)
    axes = f"<path d='M{left} {top}V{bottom}H{right}' fill='none' stroke='#888'/>"
    texts = [
        _text(left, top - 12, name),
        _text(left - 6, top + 4, f"{high:.3g}", "end"),
        _text(left - 6, bottom + 4, f"{low:.3g}", "end"),
        _text(left, bottom + 16, "0", "middle"),
        _text(right, bottom + 16, f"{last:g}", "end"),
        _text((left + right) / 2, bottom + 28, "epochs", "middle"),
    ]
    drawn = f"<polyline points='{line}' fill='none' stroke='{_COLOUR}' stroke-width='1.5'/>{dots}"
    return f"{axes}{drawn}\n{''.join(texts)}\n"


def _span(values: Sequence[float]) -> Point:
    """Find the lowest and the highest value; a flat line gets some room."""
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}' {_STYLE}>{escape(words)}</text>"
