"""`rightreasons evaluate`: generate, predict, score and report, into a run folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_remarks, print_rendered
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.evaluation.gates import Gate


@click.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--out", required=True, metavar="RUN", help="Run folder to create.")
@click.option(
    "--sets",
    default="hans",
    show_default=True,
    metavar="SET,SET",
    help="Names, template files or files of pairs. Patterns such as 'stress/*' are allowed; all selects every set.",
)
@shared_options.add_size_options
@shared_options.add_corpus_option
@shared_options.add_key_value_option(
    "An option for every set and model that accepts it, such as mode=faithful, or for a single one: hans.mode=faithful."
)
@shared_options.add_model_options
@click.option(
    "--prompts",
    default="",
    metavar="NAME,NAME|all",
    help="Run each model that accepts a prompt once per prompt in this list. Default: the prompt of the model.",
)
@shared_options.add_by_option("Tags to break scores down by, in addition to heuristic and subcase.")
@shared_options.add_rule_option
@click.option(
    "--baselines/--no-baselines",
    default=True,
    show_default=True,
    help="Also run the rule baselines and the majority baseline.",
)
@click.option(
    "--trained-on",
    metavar="FILE",
    help="Training data of the model. The report lists the pairs of the sets that also occur in FILE, and audits what "
    "FILE teaches next to what the model does.",
)
@click.option("--html/--no-html", default=True, show_default=True, help="Write report.html.")
@shared_options.add_gate_options
@add_force_option
def evaluate(
    *,
    models: tuple[str, ...],
    out: str,
    sets: str,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    corpus: tuple[str, ...],
    options: dict[str, Any],
    flags: dict[str, Any],
    prompts: str,
    by: str,
    rule: str,
    baselines: bool,
    trained_on: str | None,
    html: bool,
    gates: list[Gate],
    force: bool,
) -> None:
    """Generate the sets, run each MODEL, score its predictions, and write a run folder with a report.

    To resume an interrupted run, repeat the command.

    Example: rightreasons evaluate default --sets hans,nps --limit 600 --out my-run
    """
    from rightreasons import evaluate as run_all
    from rightreasons.core.errors import format_count
    from rightreasons.evaluation.gates import find_missed_gates
    from rightreasons.reports.renderers import render_terminal_report

    command = shlex.join(["rightreasons", *sys.argv[1:]])
    run = run_all(
        models,
        out=out,
        sets=sets,
        size=size,
        limit=limit,
        seed=seed,
        split=split,
        flags=flags,
        prompts=prompts,
        by=by,
        rule=rule,
        baselines=baselines,
        trained_on=trained_on,
        html=html,
        gates=gates,
        force=force,
        command=command,
        **(options | ({"corpus": corpus} if corpus else {})),
    )
    for entry in run.card["sets"]:
        whose = f"{entry['name']}: " if len(run.sets) > 1 else ""
        print_remarks(f"{whose}{remark}" for remark in entry["remarks"])
    print_rendered(lambda width: render_terminal_report(run.report, width))
    reused = sum(facts.get("kept") or 0 for model in run.card["models"] for facts in model["facts"].values())
    earlier = f", with {format_count(reused, 'prediction')} from an unfinished run" if reused else ""
    page = Path(out) / ("report.html" if html else "report.md")
    click.echo(f"\nWrote the run to {out}{earlier}. The report is {page}.")
    shared_options.exit_on_missed_gates(find_missed_gates(gates, run))
