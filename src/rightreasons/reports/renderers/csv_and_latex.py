r"""An exhibit as CSV or as a LaTeX table, which needs \usepackage{booktabs,graphicx}.

CSV has unrounded figures, with the bounds of intervals in columns of their own.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from rightreasons.core.formatting import UNPRINTABLE, replace_unprintable
from rightreasons.io.csv_injection import escape_formula
from rightreasons.reports.renderers.cells import UNKNOWN, Column, format_exhibit_rows, list_shown_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.core.exhibit import Exhibit

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
_STRANGE = (
    "% This table has non-ASCII characters: compile it with LuaLaTeX or XeLaTeX if pdfLaTeX rejects them."
)


def render_csv(exhibit: Exhibit) -> str:
    """Render a header and a line per row; no text is read as a formula, and unknown values are empty."""
    names: list[str] = []
    heads: list[str] = []
    for column in list_shown_columns(exhibit):
        ends = [(column.low, f"{column.heading} low"), (column.high, f"{column.heading} high")]
        for name, head in [(column.name, column.heading), *ends]:
            if name is not None:
                names.append(name)
                heads.append(head)
    return "".join(_render_csv_line(row) for row in [heads, *exhibit.frame.select(names).iter_rows()])


def _render_csv_line(cells: Iterable[Any]) -> str:
    # A reader would skip an empty line.
    return (",".join(map(_render_csv_cell, cells)) or '""') + "\n"


def _render_csv_cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, int | float):
        return str(value)
    text = escape_formula(str(value)).replace('"', '""')
    # The csv module would write a lone carriage return as it is, and read a new line there.
    return f'"{text}"' if any(letter in text for letter in ',"\r\n') else text


def render_latex(exhibit: Exhibit) -> str:
    """Render a table with caption and label; nothing in foreign text is a command."""
    shown = list_shown_columns(exhibit)
    caption = ". ".join(part.rstrip(".") for part in (exhibit.title, exhibit.caption) if part)
    body = [
        _render_latex_line(_render_latex_cell(cell, column) for cell, column in zip(row, shown, strict=True))
        for row in format_exhibit_rows(exhibit)
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}.}}",
        rf"\label{{tab:{_make_latex_label(exhibit.key)}}}",
        rf"{_FIT}\begin{{tabular}}{{{''.join('r' if column.is_figure else 'l' for column in shown)}}}",
        r"\toprule",
        _render_latex_line(escape_latex(column.heading) for column in shown),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
        *(rf"\par\footnotesize {escape_latex(note)}" for note in exhibit.notes),
        r"\end{table}",
    ]
    page = "\n".join(lines) + "\n"
    return page if page.isascii() else f"{_STRANGE}\n{page}"


def escape_latex(value: object) -> str:
    """Escape foreign text for LaTeX: one line without any command."""
    safe = "".join(_ESCAPES.get(letter, letter) for letter in replace_unprintable(value))
    return _DOUBLE.sub("-{}", safe)  # two in a row would become one dash


def _render_latex_cell(shown: str, column: Column) -> str:
    """Typeset a figure with minus signs and dashes; text stays as it is."""
    if shown == UNKNOWN:
        return "--"
    if not column.is_figure:
        return escape_latex(shown)
    ranged = _RANGE.sub("--", shown)
    signed = _SIGN.sub(r"$\1$", ranged)
    return signed.replace("%", r"\%")


def _render_latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _make_latex_label(key: str) -> str:
    return _OTHERS.sub("-", key)
