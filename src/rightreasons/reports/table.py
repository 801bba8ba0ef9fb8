"""Grids, sentences and score tables for the terminal, as rich renderables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from rightreasons.core.errors import counted
from rightreasons.core.formatting import fraction, plain
from rightreasons.reports.asked import asked_lines, label_rule
from rightreasons.reports.exhibits.intervals import few_note, kinds_of
from rightreasons.reports.grids import Grid, headline, overview
from rightreasons.reports.headlines import headlines_of
from rightreasons.reports.prompts import COLUMNS, spreads
from rightreasons.reports.takeaways import said_by, takeaway
from rightreasons.scoring.accuracy import ALL, FIGURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import IO

    from rightreasons.runs.folder import Run
    from rightreasons.scoring.accuracy import Scores

PLAIN_WIDTH = 160
_CELL_WIDTH = 16
ANY_WIDTH = 10_000
_CAPTION = "accuracy with its 95% interval (bounds rounded outwards); n is the number of pairs"


def console(stream: IO[str]) -> Console:
    """Make a console: the terminal's width and colours, or plain wide text where there is none."""
    return Console(file=stream, width=None if stream.isatty() else PLAIN_WIDTH, highlight=False, emoji=False)


def show_run(run: Run, width: int, choice: Sequence[str] = ()) -> RenderableType:
    """Show a run: which model to choose, warnings, each set's table with a sentence per model, how they were asked."""
    parts = [*choice_lines(choice), *warning_lines(run.warnings)]
    for name in run.sets:
        scores = run.scores_of(name)
        grid = headline(scores, run.models)
        parts += [
            Text(_title(run, name), style="bold"),
            *_tables(grid, width),
            Text(f"{_CAPTION}\n", style="dim"),
            *(Text(f"{note}\n", style="dim") for note in few_note(kinds_of(scores))),
        ]
        parts += [
            sentence(model, takeaway(scores, model, said_by(run, name, model)))
            for model in run.requested_models
        ]
        parts += [Text(""), Text(f"Labels: {plain(label_rule(run, name))}")]
        parts += [Text("")] if name != run.sets[-1] else []
    return Group(*parts, *_overview(run, width), *_prompts(run), *_asked(run), *_in_short(run))


def _overview(run: Run, width: int) -> list[RenderableType]:
    """Show one line per set, where there are several."""
    if len(run.sets) == 1:
        return []
    return [Text("\nAll sets", style="bold"), *_tables(overview(run), width)]


def _in_short(run: Run) -> list[RenderableType]:
    """Show what a practitioner takes away of each model."""
    lines = [sentence(f"{each.model}:", plain(each.sentence)) for each in headlines_of(run)]
    return [Text("\nIn short", style="bold"), *lines]


def _prompts(run: Run) -> list[RenderableType]:
    """Show how the accuracies differ between prompts, if there are several."""
    found = spreads(run)
    if not found:
        return []
    table = _table(COLUMNS[:2], COLUMNS[2:])
    for spread in found:
        table.add_row(*(Text(plain(cell)) for cell in spread.row()))
    sentences = [Text(plain(spread.sentence())) for spread in found]
    return [Text("\nHow much the wording matters", style="bold"), table, Text(""), *sentences]


def _asked(run: Run) -> list[RenderableType]:
    """Show a line per model on how it was asked, where that is known."""
    lines = [sentence(f"{model}:", plain(text)) for model, text in asked_lines(run)]
    return [Text("\nHow the models were asked", style="bold"), *lines] if lines else []


def show_scores(scores: Scores) -> RenderableType:
    """Show one table of scores: a line per group and true label."""
    tags = [name for name in scores.rows.columns if name not in FIGURES]
    table = _table([*tags, "gold"], ["n", "correct", "accuracy", "low", "high"])
    labels = Counter(scores.rows.select(tags).rows())
    for row in scores.rows.iter_rows(named=True):
        if row["gold"] == ALL and labels[tuple(row[tag] for tag in tags)] == 2:  # noqa: PLR2004 - a label and its sum
            continue
        bounds = (f"{row['low']:.3f}", f"{row['high']:.3f}")
        figures = (f"{row['n']:,}", f"{row['correct']:,}", fraction(row["correct"], row["n"], 3), *bounds)
        words = [Text(plain(row[name])) for name in (*tags, "gold")]
        table.add_row(*words, *figures, style="bold" if row["gold"] == ALL else "")
    # A line that is too long for the terminal is easier to read than cells folded in the middle of words.
    table.width = Console(width=ANY_WIDTH).measure(table).maximum
    rule = Text(f"Labels: {scores.label_rule}\n")
    return Group(*warning_lines(scores.warnings), rule, table, *_intervals(scores))


def _intervals(scores: Scores) -> list[RenderableType]:
    """Say how the intervals were found where that isn't the usual way."""
    kinds = scores.rows["interval"].unique(maintain_order=True).to_list()
    return [Text(f"\nIntervals: {plain(', '.join(kinds))}", style="dim")] if kinds != ["wilson"] else []


def _title(run: Run, name: str) -> str:
    entry = next(entry for entry in run.card["sets"] if entry["name"] == name)
    return f"{plain(name)}: {counted(entry['rows'], 'pair')}"


def _tables(grid: Grid, width: int) -> list[RenderableType]:
    """Cut a grid into tables that fit the width."""
    left = max((len(line.group) for line in grid.lines), default=0)
    left += max((len(line.gold) for line in grid.lines), default=0) + len("1,000,000") + 6
    each = max(1, (width - left) // _CELL_WIDTH)
    tables: list[RenderableType] = []
    for block in grid.blocks(each):
        tables += [Text(""), _grid_table(block)] if tables else [_grid_table(block)]
    return tables


def _grid_table(grid: Grid) -> Table:
    table = _table([grid.title, "gold", "n"], [plain(model).replace(":", ":\n", 1) for model in grid.models])
    table.columns[2].justify = "right"
    group = None
    for line in grid.lines:
        shown = line.group if line.group != group else ""
        group = line.group
        table.add_row(Text(shown), Text(line.gold), f"{line.n:,}", *line.cells)
    return table


def _table(words: Sequence[str], figures: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in words:
        table.add_column(Text(name), overflow="fold", vertical="bottom")
    for name in figures:
        table.add_column(Text(name), justify="right", overflow="fold", no_wrap=False)
    return table


def sentence(model: str, text: str) -> Text:
    """Show what is said of a model, its name in bold."""
    return Text.assemble((plain(model), "bold"), f" {text}")


def choice_lines(choice: Sequence[str]) -> list[RenderableType]:
    """Show what is said on the choice between models."""
    lines = [Text(f"- {plain(line)}") for line in choice]
    return [Text("Which to choose", style="bold"), *lines, Text("")] if lines else []


def warning_lines(warnings: Iterable[str]) -> list[RenderableType]:
    """Show warnings, a line each."""
    return [Text(f"Warning: {plain(text)}", style="bold yellow") for text in warnings]


def show_list(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """Show names with what there is to say about them, a line each."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(Text(name), overflow="fold", no_wrap=name == columns[0])
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def show_blocks(entries: Iterable[tuple[str, str, Mapping[str, str]]]) -> RenderableType:
    """Show names, each with a line on what it is and facts below."""
    parts: list[RenderableType] = []
    for name, about, facts in entries:
        parts += [Text("")] if parts else []
        parts += [Text.assemble((plain(name), "bold"), f": {plain(about)}")]
        parts += [_facts(facts)] if facts else []
    return Group(*parts)


def _facts(facts: Mapping[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, fact in facts.items():
        table.add_row(Text(f"  {name}"), Text(plain(fact)))
    return table
