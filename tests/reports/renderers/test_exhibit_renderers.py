from __future__ import annotations

import csv as separated
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rightreasons.core.exhibit import Exhibit
from rightreasons.io.csv_injection import unescape_formula
from rightreasons.reports.renderers import render_csv, render_latex, render_markdown, render_terminal

NASTY = '<script>alert(1)</script> | $x_{1}$ & 50% #1 ~^\\`*[a](b) "q" -- \x1b[31m\n=1+1'


def made(names: list[str], **more: object) -> Exhibit:
    frame = pl.DataFrame(
        {"model": names, "n": [1000] * len(names), "x": [0.965] * len(names)},
        schema_overrides={"model": pl.String},
    ).with_columns(x_low=pl.lit(0.951), x_high=pl.lit(0.979), d=pl.lit(-0.041))
    formats = {"model": "text", "n": "count", "x": "share", "d": "points"}
    given = {"key": "k-1", "title": "A title", "caption": "What it is.", "frame": frame, "formats": formats}
    return Exhibit(**(given | more))  # type: ignore[arg-type]


def shown(exhibit: Exhibit, width: int) -> str:
    page = Console(file=io.StringIO(), width=width, highlight=False)
    with page.capture() as captured:
        page.print(render_terminal(exhibit, width))
    return captured.get()


def test_markdown() -> None:
    assert render_markdown(made(["m"], notes=("So.",), headings={"x": "share"})) == (
        "### A title\n\nWhat it is.\n\n"
        "| model | n | share | d |\n| --- | --: | --: | --: |\n| m | 1,000 | 0.97 (0.95-0.98) | -4.1 |\n\n- So.\n"
    )


@given(st.text())
def test_a_text_stays_in_its_cell_of_markdown(name: str) -> None:
    page = render_markdown(made([name]))
    line = page.splitlines()[6]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 5
    assert "<" not in page
    assert line.endswith("| 1,000 | 0.97 (0.95-0.98) | -4.1 |")


def test_csv_has_the_values_themselves() -> None:
    assert render_csv(made(["a,b"])) == 'model,n,x,x low,x high,d\n"a,b",1000,0.965,0.951,0.979,-0.041\n'


def test_csv_leaves_out_what_is_not_known() -> None:
    frame = pl.DataFrame({"x": [None, float("nan"), 0.5]})
    assert render_csv(Exhibit("k", "t", "c", frame, {"x": "share"})) == 'x\n""\n""\n0.5\n'


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), min_size=1))
def test_csv_reads_back_and_has_no_formula(names: list[str]) -> None:
    cells = [row[0] for row in separated.reader(io.StringIO(render_csv(made(names)), newline=""))][1:]
    assert [unescape_formula(cell) for cell in cells] == names
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in cells)


def test_latex() -> None:
    page = render_latex(made(["a_b"], notes=("100% so.",), headings={"d": "C\u2192E"}))
    assert (
        page
        == r"""\begin{table}
\centering
\caption{A title. What it is.}
\label{tab:k-1}
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{\begin{tabular}{lrrr}
\toprule
model & n & x & C$\to$E \\
\midrule
a\_b & 1,000 & 0.97 (0.95--0.98) & $-$4.1 \\
\bottomrule
\end{tabular}}
\par\footnotesize 100\% so.
\end{table}
"""
    )


def commands_of(page: str) -> set[str]:
    return set(re.findall(r"\\([a-zA-Z]+|.)", page))


KNOWN = commands_of(render_latex(made(["plain"], notes=("so",)))) | {
    *"{}$&#%_`",
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("to", "times", "textendash", "textemdash", "ge", "le"),
}


@given(st.text(alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(NASTY))))
def test_no_text_is_a_latex_command(name: str) -> None:
    page = render_latex(made([name], notes=(name,), title=name, headings={"x": name}))
    assert commands_of(page) <= KNOWN
    bare = page.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert len(re.findall(r"(?<!\\)\$", page)) % 2 == 0
    row = page.split("\\midrule\n")[1].split("\n")[0]
    assert len(re.findall(r"(?<!\\)&", row)) == 3
    assert not re.search(r"(?<!\\)(?:\\\\)*%", "\n".join(page.splitlines()[page.startswith("%") :]))


def test_latex_notes_non_ascii_characters() -> None:
    assert render_latex(made(["模型"])).startswith("% ")
    assert not render_latex(made(["model"])).startswith("%")


@pytest.mark.parametrize("width", [40, 60, 160])
def test_the_terminal_shows_all_cells_in_its_width(width: int) -> None:
    page = shown(made(["m1", "m2"], notes=("So.",)), width)
    assert max(len(line) for line in page.splitlines()) <= width
    for part in ("A title", "What it is.", "m2", "0.97 (0.95-0.98)", "-4.1", "So."):
        assert part in page


def test_tables_too_wide_for_the_terminal_are_cut_into_several() -> None:
    frame = pl.DataFrame({"model": ["m"], **{f"c{place}": [0.5] for place in range(30)}})
    formats = {"model": "text", **{f"c{place}": "share" for place in range(30)}}
    page = shown(Exhibit("k", "t", "c", frame, formats), 40)  # type: ignore[arg-type]
    assert page.count("model") > 2
    assert page.count("0.50") == 30
    assert "c29" in page


@given(st.text())
def test_no_text_steers_the_terminal(name: str) -> None:
    page = shown(made([name, "[bold]x[/bold]"]), 160)
    assert "\x1b" not in page
    assert "[bold]x[/bold]" in page


def test_an_exhibit_without_rows_has_every_form() -> None:
    empty = made([])
    assert render_markdown(empty).count("\n| ") == 2
    assert render_csv(empty).count("\n") == 1
    assert r"\midrule" in render_latex(empty)
    assert "A title" in shown(empty, 80)
