"""`rightreasons study`: studies with participants, from the plan to the table."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

from rightreasons.core.errors import UnknownNameError
from rightreasons.core.lazy_table import LazyTable


class StudyCommandEntry(NamedTuple):
    """Where a subcommand is defined, and its line in the overview, which needs no import of the subcommand."""

    target: str
    line: str


# In the order of the workflow.
STUDY_COMMANDS = LazyTable(
    "study command",
    {
        "protocol": StudyCommandEntry(
            "rightreasons.commands.study.protocol:protocol", "Print a built-in protocol, to copy and edit."
        ),
        "power": StudyCommandEntry(
            "rightreasons.commands.study.power:power", "Estimate how many items and judgements are needed."
        ),
        "plan": StudyCommandEntry(
            "rightreasons.commands.study.plan:plan", "Plan a study and write its folder."
        ),
        "serve": StudyCommandEntry(
            "rightreasons.commands.study.serve:serve", "Collect judgements on a web page."
        ),
        "invite": StudyCommandEntry(
            "rightreasons.commands.study.invite:invite", "Create personal links for participants."
        ),
        "page": StudyCommandEntry(
            "rightreasons.commands.study.page:page", "Write a page for an expert who works offline."
        ),
        "forget": StudyCommandEntry(
            "rightreasons.commands.study.forget:forget", "Delete a participant and their judgements."
        ),
        "simulate": StudyCommandEntry(
            "rightreasons.commands.study.simulate:simulate", "Fill a study with simulated participants."
        ),
        "import": StudyCommandEntry(
            "rightreasons.commands.study.import_:import_judgements",
            "Add judgements that were collected elsewhere.",
        ),
        "export": StudyCommandEntry(
            "rightreasons.commands.study.export:write_study_export",
            "Write the study for another system, or its judgements without identifiers.",
        ),
        "results": StudyCommandEntry(
            "rightreasons.commands.study.results:results",
            "Analyse the judgements; write a report, tables and predictions of people.",
        ),
        "keep": StudyCommandEntry(
            "rightreasons.commands.study.keep:keep",
            "Write the items on which enough participants agree as a set.",
        ),
    },
)


class StudyGroup(click.Group):
    """The subcommands of `study`, each loaded on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the subcommands in the order of the workflow."""
        del ctx
        return list(STUDY_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one subcommand."""
        del ctx
        if cmd_name not in STUDY_COMMANDS:
            return None
        command: click.Command = STUDY_COMMANDS.load(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, or suggest the nearest name."""
        if args[0] in STUDY_COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        raise UnknownNameError("study command", args[0], STUDY_COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.line) for name, command in STUDY_COMMANDS.items()])


@click.group(cls=StudyGroup)
def study(**_: Any) -> None:
    """Run a study with participants: plan it, collect judgements, and compare people with models.

    Example: rightreasons study plan hans-released --protocol hans --out human-hans
    """
