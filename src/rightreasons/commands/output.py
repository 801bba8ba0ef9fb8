"""What a command prints: messages on stderr, tables on stdout or into a file, and its exit code."""

from __future__ import annotations

import io
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, BinaryIO

import click

from rightreasons.core.errors import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import IO

    import polars as pl
    from rich.console import RenderableType

    from rightreasons.core.exhibit import Exhibit


class ExitCode(IntEnum):
    """How a command ended; the table in the documentation is tested against this.

    Codes above 128 are 128 plus the number of a signal, as shells report it.
    """

    DONE = 0
    GATE_MISSED = 1  # and nothing else: CI must be able to distinguish a bad model from a failed command
    BAD_INPUT = 2  # or an output that can't be written
    UNEXPECTED = 70  # EX_SOFTWARE of sysexits.h
    HUNG_UP = 129  # SIGHUP
    INTERRUPTED = 130  # SIGINT
    PIPE_CLOSED = 141  # SIGPIPE
    TERMINATED = 143  # SIGTERM


def print_message(text: str) -> None:
    """Print a message on stderr."""
    click.echo(escape_controls(text), err=True)


def print_remarks(remarks: Iterable[str]) -> None:
    """Print the remarks of a card on stderr."""
    for remark in remarks:
        print_message(f"Note: {remark}")


def print_rendered(render: Callable[[int], RenderableType], stream: IO[str] | None = None) -> None:
    """Print what `render` returns for a width: wrapped on a terminal, one line per sentence elsewhere."""
    from rightreasons.reports.renderers.terminal import ANY_WIDTH, open_console

    stream = stream or sys.stdout
    page = open_console(stream)
    content = render(page.width)
    if page.is_terminal:
        page.print(content, crop=False)
        return
    page.width = ANY_WIDTH  # tables are cut to the usual width, but a long name is not wrapped
    with page.capture() as captured:
        page.print(content, soft_wrap=True)
    stream.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def write_or_print(
    text: str, render: Callable[[int], RenderableType], out: str | None, *, force: bool, name: str
) -> None:
    """Write a text, or the rendered page if the text is empty, to a file or to stdout."""
    if out is None and text:
        click.echo(text, nl=not text.endswith("\n"))
    elif out is None:
        print_rendered(render)
    else:
        from rightreasons.io.outputs import write_atomically

        page = io.StringIO(text)
        if not text:
            print_rendered(render, page)
        with write_atomically(out, force=force) as part:
            part.write_text(page.getvalue(), encoding="utf-8")
        print_message(f"Wrote {name} to {out}.")


def render_exhibits(exhibits: Sequence[Exhibit], width: int) -> RenderableType:
    """Render exhibits for a terminal, one below the other."""
    from rich.console import Group
    from rich.text import Text

    from rightreasons.reports.renderers import render_terminal

    return Group(*(part for exhibit in exhibits for part in (render_terminal(exhibit, width), Text(""))))


def print_table_batches(batches: Iterable[pl.DataFrame], kind: str) -> None:
    """Write batches of one table to stdout as jsonl, csv or tsv; the pipe may be closed at any time."""
    stream: BinaryIO = sys.stdout.buffer
    for number, batch in enumerate(batches):
        # Rendered to a string first: a closed pipe must raise BrokenPipeError, not an error of polars.
        _write_all_bytes(stream, _render_batch(batch, kind, header=number == 0).encode())
    stream.flush()


def _write_all_bytes(stream: BinaryIO, data: bytes) -> None:
    """Write all bytes: an unbuffered stream may accept only a part, without an error, when a pipe is closed."""
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def _render_batch(batch: pl.DataFrame, kind: str, *, header: bool) -> str:
    if kind == "jsonl":
        return batch.write_ndjson()
    if kind == "tsv":
        return batch.write_csv(separator="\t", quote_style="never", include_header=header)
    return batch.write_csv(quote_style="necessary", include_header=header)
