"""A report, an exhibit, or a list for the terminal, as rich renderables that fit its width."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from rightreasons.core.exhibit import OVERVIEW, PROMPTS
from rightreasons.core.formatting import format_fraction, replace_unprintable
from rightreasons.reports.renderers.cells import Column, format_exhibit_rows, list_shown_columns
from rightreasons.scoring.accuracy import ALL, SCORE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import IO

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.report_data import Report
    from rightreasons.scoring.accuracy import Scores

PLAIN_WIDTH = 160
ANY_WIDTH = 10_000
_GAP = 2
_USUAL = len("0.00 (0.00-0.00)")
_WIDEST_TEXT = 40  # longer texts are folded


def open_console(stream: IO[str]) -> Console:
    """Open a console with the terminal's width and colours, or with plain wide text if there is no terminal."""
    return Console(file=stream, width=None if stream.isatty() else PLAIN_WIDTH, highlight=False, emoji=False)


def render_terminal_report(report: Report, width: int) -> RenderableType:
    """Render the accuracies on each set with a sentence per model, then all sets, and a summary of each model."""
    parts: list[RenderableType] = []
    for exhibit in report.exhibits:
        if exhibit.set and exhibit.key.startswith(f"{OVERVIEW}-"):
            parts += [render_terminal(exhibit, width), *_render_findings(report, exhibit.set), Text("")]
    for exhibit in report.exhibits:
        if exhibit.key in (OVERVIEW, PROMPTS):
            parts += [render_terminal(exhibit, width), Text("")]
    run = [_render_sentence(f"{model}:", text) for model, text in report.model_notes]
    short = [_render_sentence(f"{each.model}:", each.sentence) for each in report.headlines]
    choice = [Text(f"- {replace_unprintable(line)}") for line in report.choice]
    return Group(
        *_render_section("Which model to choose", choice),
        *_render_warnings(report.warnings),
        *parts,
        *_render_section(report.headings.notes, run),
        *_render_section("In short", short)[:-1],
    )


def render_terminal(exhibit: Exhibit, width: int) -> RenderableType:
    """Render title, tables that fit the width, caption and notes; foreign text can't steer the terminal."""
    shown, cells = list_shown_columns(exhibit), list(format_exhibit_rows(exhibit))
    parts: list[RenderableType] = [Text(replace_unprintable(exhibit.title), style="bold")]
    for number, block in enumerate(_split_columns_by_width(shown, cells, width)):
        parts += [Text("")] if number else []
        parts.append(
            _render_table(
                [shown[place] for place in block], [[row[place] for place in block] for row in cells]
            )
        )
    parts.append(Text(replace_unprintable(exhibit.caption), style="dim"))
    return Group(*parts, *(Text(replace_unprintable(note), style="dim") for note in exhibit.notes))


def _split_columns_by_width(
    shown: Sequence[Column], cells: Sequence[Sequence[str]], width: int
) -> list[list[int]]:
    """Cut the columns into tables that fit: each has the leading texts and n, which identify its rows."""
    first = next(
        (place for place, column in enumerate(shown) if column.is_figure and column.name != "n"), len(shown)
    )
    widths = [
        _measure_column_width(column, [row[place] for row in cells]) for place, column in enumerate(shown)
    ]
    left = list(range(first))
    blocks = [left.copy()]
    for place in range(first, len(shown)):
        used = sum(widths[other] for other in blocks[-1])
        if used + widths[place] - _GAP > width and len(blocks[-1]) > len(left):
            blocks.append(left.copy())
        blocks[-1].append(place)
    return blocks


def _measure_column_width(column: Column, cells: Sequence[str]) -> int:
    """Measure a column: headings may be broken between words, figures never."""
    words = max(cell_len(word) for word in (_break_heading(column).split() or [""]))
    longest = max([words, *(cell_len(text) for text in cells)])
    return (longest if column.is_figure else min(longest, _WIDEST_TEXT)) + _GAP


def _render_table(shown: Sequence[Column], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for place, column in enumerate(shown):
        table.add_column(
            Text(_break_heading(column)),
            justify="right" if column.is_figure else "left",
            overflow="fold",
            min_width=_measure_column_width(column, [row[place] for row in cells]) - _GAP
            if column.is_figure
            else None,
        )
    above = ""
    for row in cells:
        # A group is named once, above its rows.
        first = "" if len(row) > 1 and row[0] == above and not shown[0].is_figure else row[0]
        above = row[0]
        table.add_row(*(Text(cell) for cell in (first, *row[1:])))
    return table


def _break_heading(column: Column) -> str:
    """Break a model's name after its kind, as in hf: and the name of the weights."""
    long = column.is_figure and len(column.heading) > _USUAL
    return column.heading.replace(":", ":\n", 1) if long else column.heading


def render_scores(scores: Scores) -> RenderableType:
    """Render one table of scores: a row per group and gold label."""
    tags = [name for name in scores.rows.columns if name not in SCORE_COLUMNS]
    table = _make_score_table([*tags, "gold"], ["n", "correct", "accuracy", "low", "high"])
    labels = Counter(scores.rows.select(tags).rows())
    for row in scores.rows.iter_rows(named=True):
        if row["gold"] == ALL and labels[tuple(row[tag] for tag in tags)] == 2:  # noqa: PLR2004 - a label and its sum
            continue
        bounds = (f"{row['low']:.3f}", f"{row['high']:.3f}")
        figures = (
            f"{row['n']:,}",
            f"{row['correct']:,}",
            format_fraction(row["correct"], row["n"], 3),
            *bounds,
        )
        words = [Text(replace_unprintable(row[name])) for name in (*tags, "gold")]
        table.add_row(*words, *figures, style="bold" if row["gold"] == ALL else "")
    # A line that is too long for the terminal is easier to read than cells folded in the middle of words.
    table.width = Console(width=ANY_WIDTH).measure(table).maximum
    rule = Text(f"Labels: {scores.label_rule}\n")
    return Group(*_render_warnings(scores.warnings), rule, table, *_render_interval_kinds(scores))


def _render_interval_kinds(scores: Scores) -> list[RenderableType]:
    """Name the kinds of intervals, unless all are the usual ones."""
    kinds = scores.rows["interval"].unique(maintain_order=True).to_list()
    return (
        [Text(f"\nIntervals: {replace_unprintable(', '.join(kinds))}", style="dim")]
        if kinds != ["wilson"]
        else []
    )


def _make_score_table(words: Sequence[str], figures: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for name in words:
        table.add_column(Text(name), overflow="fold", vertical="bottom")
    for name in figures:
        table.add_column(Text(name), justify="right", overflow="fold", no_wrap=False)
    return table


def _render_findings(report: Report, name: str) -> list[RenderableType]:
    return [
        _render_sentence(each.model, finding.sentence)
        for each in report.headlines
        for finding in each.findings
        if finding.set == name
    ]


def _render_section(title: str, lines: Sequence[RenderableType]) -> list[RenderableType]:
    return [Text(title, style="bold"), *lines, Text("")] if lines else []


def _render_sentence(model: str, text: str) -> Text:
    return Text.assemble((replace_unprintable(model), "bold"), f" {replace_unprintable(text)}")


def _render_warnings(warnings: Iterable[str]) -> list[RenderableType]:
    return [Text(f"Warning: {replace_unprintable(text)}", style="bold yellow") for text in warnings]


def render_name_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """Render a table of names and what is known about them."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(Text(name), overflow="fold", no_wrap=name == columns[0])
    for row in rows:
        table.add_row(*(Text(replace_unprintable(cell)) for cell in row))
    return table


def render_name_descriptions(entries: Iterable[tuple[str, str, Mapping[str, str]]]) -> RenderableType:
    """Render names, each with a description and facts below."""
    parts: list[RenderableType] = []
    for name, about, facts in entries:
        parts += [Text("")] if parts else []
        parts += [Text.assemble((replace_unprintable(name), "bold"), f": {replace_unprintable(about)}")]
        parts += [_render_facts(facts)] if facts else []
    return Group(*parts)


def _render_facts(facts: Mapping[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, fact in facts.items():
        table.add_row(Text(f"  {name}"), Text(replace_unprintable(fact)))
    return table
