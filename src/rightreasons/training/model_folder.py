"""What every model folder has next to its weights: the card of the training, its log as a table and as a plot."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import polars as pl

from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import write_folder_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rightreasons.training.loop import TrainingResult

    Log = Sequence[dict[str, float]]
    Point = tuple[float, float]

CARD = "training.json"
ENCODER = "encoder.safetensors"  # instead of a model: what `pretrain` makes
TABLE = "train_log.csv"
PLOT = "train_log.svg"
_WIDTH, _HEIGHT = 320, 200  # of a panel, with its margins
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 30, 40
_COLOUR = "#1f5fa8"
_STYLE = "font-family='sans-serif' font-size='11' fill='#222'"
_OS_ERROR = re.compile(r"\(os error (\d+)\)")


@contextmanager
def create_model_folder(out: Path) -> Iterator[Path]:
    """Yield a hidden folder to fill, which is renamed when it is complete."""
    from safetensors import SafetensorError

    with write_folder_atomically(out, force=True) as folder:
        try:
            yield folder
        except SafetensorError as error:  # it hides an OSError in its message
            number = _OS_ERROR.search(str(error))
            if number is None:
                raise
            raise OSError(int(number[1]), str(error)) from error


def write_training_card(folder: Path, card: dict[str, Any], trained: TrainingResult) -> dict[str, Any]:
    """Write the card, the log as a table, and the plot; return the card."""
    whole = {
        **card,
        "first_weights": trained.first_weights,
        "steps": trained.steps,
        "best_step": trained.best_step,
        "best": trained.best,
        "seconds": round(trained.seconds, 1),
        "resumed_at": list(trained.resumed_at),
        "log": trained.rows,
        "versions": _collect_versions(),
    }
    (folder / CARD).write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    write_training_log(folder, trained.rows, f"Training of {card['trainer']}")
    return whole


def _collect_versions() -> dict[str, str | int]:
    from importlib.metadata import version

    import torch

    from rightreasons import __version__

    return {
        "rightreasons": __version__,
        "torch": torch.__version__,
        "transformers": version("transformers"),
        "threads": torch.get_num_threads(),
    }


def write_training_log(folder: Path, rows: Log, title: str) -> None:
    """Write the log of a run: one row per dev check."""
    write_csv(pl.DataFrame(rows), folder / TABLE)
    (folder / PLOT).write_text(draw_training_plot(rows, title), encoding="utf-8")


def draw_training_plot(rows: Log, title: str) -> str:
    """Draw loss and dev accuracy over the epochs as SVG, without a plotting library."""
    epochs = [row["epoch"] for row in rows]
    best = max(rows, key=lambda row: row["dev_accuracy"])
    description = (
        f"Loss from {rows[0]['loss']:.3f} to {rows[-1]['loss']:.3f}; "
        f"best dev accuracy {best['dev_accuracy']:.3f} after {best['epoch']:g} epochs."
    )
    panels = [
        _draw_curve_panel(0, "training loss", epochs, [row["loss"] for row in rows]),
        _draw_curve_panel(_WIDTH, "dev accuracy", epochs, [row["dev_accuracy"] for row in rows]),
    ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {2 * _WIDTH} {_HEIGHT}' role='img' "
        f"aria-labelledby='title description'>\n<title id='title'>{escape(title)}</title>\n"
        f"<desc id='description'>{description}</desc>\n"
        f"<rect width='100%' height='100%' fill='#fff'/>\n{''.join(panels)}</svg>\n"
    )


def _draw_curve_panel(at: int, name: str, across: Sequence[float], up: Sequence[float]) -> str:
    """Draw one curve with its axes, labelled with the range of the values and of the epochs."""
    left, right, top, bottom = at + _LEFT, at + _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM
    low, high = _compute_axis_range(up)
    last = max(across)
    points = [
        (left + (right - left) * x / last, bottom - (bottom - top) * (y - low) / (high - low))
        for x, y in zip(across, up, strict=True)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2' fill='{_COLOUR}'/>" for x, y in points)
    axes = f"<path d='M{left} {top}V{bottom}H{right}' fill='none' stroke='#888'/>"
    texts = [
        _format_svg_text(left, top - 12, name),
        _format_svg_text(left - 6, top + 4, f"{high:.3g}", "end"),
        _format_svg_text(left - 6, bottom + 4, f"{low:.3g}", "end"),
        _format_svg_text(left, bottom + 16, "0", "middle"),
        _format_svg_text(right, bottom + 16, f"{last:g}", "end"),
        _format_svg_text((left + right) / 2, bottom + 28, "epochs", "middle"),
    ]
    drawn = f"<polyline points='{line}' fill='none' stroke='{_COLOUR}' stroke-width='1.5'/>{dots}"
    return f"{axes}{drawn}\n{''.join(texts)}\n"


def _compute_axis_range(values: Sequence[float]) -> Point:
    """Return the lowest and the highest value; a flat curve gets a margin."""
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _format_svg_text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}' {_STYLE}>{escape(words)}</text>"
