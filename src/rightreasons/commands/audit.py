"""`rightreasons audit`: what a training corpus teaches."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import ExitCode, print_message, print_rendered
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.evaluation.corpus_audit import AuditedCorpora
    from rightreasons.evaluation.figure_gates import FigureGate


@click.command()
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS...")
@click.option("--out", required=True, metavar="FOLDER", help="Folder to create.")
@click.option(
    "--audits",
    default="",
    metavar="NAME,NAME",
    help="Audits to run, as printed by list audits. Default: all that the corpus allows.",
)
@click.option(
    "--model", metavar="MODEL", help="A model to run on corrupted pairs, which the audit corruption needs."
)
@click.option(
    "--against", metavar="DEV", help="Another corpus, such as a dev set: count the texts that both share."
)
@shared_options.add_key_value_option(
    "An option for every audit that accepts it, such as bins=5, or for a single one: shape.bins=5."
)
@click.option(
    "--fail-over",
    multiple=True,
    metavar="GATE",
    help="Exit with code 1 if a figure is above a threshold, as in partial-input.hypothesis=0.45. GATE has the form "
    "[CORPUS@]AUDIT.FIGURE=NUMBER. Can be repeated.",
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="GATE",
    help="Exit with code 1 if a figure is below a threshold, as in agreement.alpha=0.6. Can be repeated.",
)
@add_force_option
def audit(
    *,
    corpora: tuple[str, ...],
    out: str,
    audits: str,
    model: str | None,
    against: str | None,
    options: dict[str, Any],
    fail_over: tuple[str, ...],
    fail_under: tuple[str, ...],
    force: bool,
) -> None:
    """Measure what each training CORPUS teaches, and write a folder with a report, tables and sets of pairs.

    CORPUS is any corpus: a file, pocket, hf:NAME or a name printed by fetch. Several stand side by side in the report.

    Example: rightreasons audit train.jsonl --out train-audit --fail-over partial-input.hypothesis=0.45
    """
    from rightreasons import audit as run_all

    given = {"model": model, "against": against}
    audited = run_all(
        corpora,
        out=out,
        audits=audits,
        gates=_parse_figure_gates(fail_over, fail_under),
        force=force,
        command=shlex.join(["rightreasons", *sys.argv[1:]]),
        **options,
        **{name: value for name, value in given.items() if value is not None},
    )
    print_rendered(lambda width: _render_summaries(audited, width))
    click.echo(f"Wrote the audit to {out}. The report is {Path(out) / 'report.html'}.")
    for gate in audited.missed:
        print_message(f"Failed: {gate.reason()}")
    if audited.missed:
        raise click.exceptions.Exit(ExitCode.GATE_MISSED)


def _parse_figure_gates(over: tuple[str, ...], under: tuple[str, ...]) -> list[FigureGate]:
    from rightreasons.evaluation.figure_gates import parse_figure_gate

    return [
        *(parse_figure_gate(text) for text in over),
        *(parse_figure_gate(text, below=True) for text in under),
    ]


def _render_summaries(audited: AuditedCorpora, width: int) -> RenderableType:
    """Render the warnings, the summary of each audit, and the figures: of several corpora, side by side."""
    from rich.console import Group
    from rich.text import Text

    from rightreasons.core.formatting import replace_unprintable
    from rightreasons.reports.audit_report import FIGURES, SIDE_BY_SIDE
    from rightreasons.reports.renderers import render_terminal

    report = audited.report
    parts: list[RenderableType] = [
        Text(f"Warning: {replace_unprintable(text)}", style="bold") for text in report.warnings
    ]
    for headline in report.headlines:
        name = replace_unprintable(headline.model)
        parts.append(Text(f"{name}: {replace_unprintable(headline.sentence)}", style="bold"))
        parts += [
            Text(f"- {finding.set}: {replace_unprintable(finding.sentence)}") for finding in headline.findings
        ]
        parts.append(Text(""))
    parts += [Text(f"{name}: {replace_unprintable(text)}", style="dim") for name, text in report.model_notes]
    figures = next(exhibit for exhibit in report.exhibits if exhibit.key in (FIGURES, SIDE_BY_SIDE))
    return Group(*parts, render_terminal(figures, width), Text(""))
