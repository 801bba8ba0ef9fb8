"""`rightreasons study keep`: the items on which enough participants agree, as a set."""

from __future__ import annotations

import click

from rightreasons.commands.output import print_message
from rightreasons.commands.overwriting import add_force_option


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--rule",
    required=True,
    metavar="RULE",
    help="Which items to keep, such as '2 of 3 label and 2 of 3 sense'. A term counts the gold answer, or the answer "
    "yes of a question without gold answers; another answer is named, as in '2 of 3 label = neutral'. Terms are "
    "combined by and, or, and parentheses.",
)
@click.option("--out", required=True, metavar="SET", help="File for the pairs, such as kept.parquet.")
@click.option("--database", metavar="URL", help="Database of the study. Default: study.db in its folder.")
@add_force_option
def keep(*, study: str, rule: str, out: str, database: str | None, force: bool) -> None:
    """Write the items of STUDY on which enough participants agree, as a validated set.

    Participants are excluded by the rules of the plan first. An item with fewer judgements left still needs as many
    that agree.

    Example: rightreasons study keep human-nps --rule '2 of 3 label and 2 of 3 sense' --out nps-kept.parquet
    """
    from rightreasons.evaluation.study_keep import keep_study_items

    found = keep_study_items(study, rule, out=out, database=database, force=force)
    for remark in found.kept.card.remarks[1:]:
        print_message(f"Warning: {remark}")
    click.echo(f"Kept {len(found.kept.pairs):,} of {found.judged:,} judged items in {out}.")
