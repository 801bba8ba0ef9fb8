r"""An exhibit as a LaTeX table; it needs \usepackage{booktabs,graphicx}."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rightreasons.core.formatting import UNPRINTABLE, plain
from rightreasons.reports.renderers.cells import UNKNOWN, Column, columns, rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.reports.exhibits.exhibit import Exhibit

_DOUBLE, _RANGE = re.compile("-(?=-)"), re.compile(r"(?<=\d)-(?=\d)")
_SIGN, _OTHERS = re.compile(r"(?<![\d-])([-<+])(?=\d)"), re.compile(r"[^A-Za-z0-9.:-]+")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\`{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # After a line's end these two would be its options.
    "[": "{[}",
    "*": "{*}",
    **{letter: f"\\{letter}" for letter in "{}$&#%_"},
    "\N{RIGHTWARDS ARROW}": r"$\to$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": r"\textendash{}",
    "\N{EM DASH}": r"\textemdash{}",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\ge$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\le$",
    UNPRINTABLE: "?",
}
# A table that is wider than the text is shrunk to it.
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
_STRANGE = "% It has letters beyond ASCII: compile it with LuaLaTeX or XeLaTeX if pdfLaTeX refuses them."


def latex(exhibit: Exhibit) -> str:
    """Write a table with caption and label; nothing in texts from outside is a command."""
    shown = columns(exhibit)
    said = ". ".join(part.rstrip(".") for part in (exhibit.title, exhibit.caption) if part)
    body = [
        _line(_cell(cell, column) for cell, column in zip(row, shown, strict=True)) for row in rows(exhibit)
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(said)}.}}",
        rf"\label{{tab:{_slug(exhibit.key)}}}",
        rf"{_FIT}\begin{{tabular}}{{{''.join('r' if column.is_figure else 'l' for column in shown)}}}",
        r"\toprule",
        _line(escape(column.heading) for column in shown),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
        *(rf"\par\footnotesize {escape(note)}" for note in exhibit.notes),
        r"\end{table}",
    ]
    page = "\n".join(lines) + "\n"
    return page if page.isascii() else f"{_STRANGE}\n{page}"


def escape(value: object) -> str:
    """Make a text from outside safe in LaTeX: one line without any command."""
    safe = "".join(_ESCAPES.get(letter, letter) for letter in plain(value))
    return _DOUBLE.sub("-{}", safe)  # two in a row would become one dash


def _cell(shown: str, column: Column) -> str:
    """Set a figure with real minus signs and dashes, and a text as it is."""
    if shown == UNKNOWN:
        return "--"
    if not column.is_figure:
        return escape(shown)
    ranged = _RANGE.sub("--", shown)
    signed = _SIGN.sub(r"$\1$", ranged)
    return signed.replace("%", r"\%")


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _slug(key: str) -> str:
    return _OTHERS.sub("-", key)
