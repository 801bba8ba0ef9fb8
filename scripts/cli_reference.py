"""Make docs/reference/cli.md from the commands' own --help; with --check, say whether it is stale."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.testing import CliRunner

from rightreasons.cli import COMMANDS, main

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
HEAD = """# The command line

This page is made by `scripts/cli_reference.py` from the commands' own `--help`.
`rr` is short for `rightreasons`.

Exit codes: 0 done; 1 a gate of `--fail-under` was missed, and nothing else; 2 bad input, or an output that can't be
written; 70 an unexpected error. [All of them, in one table](security.md#exit-codes).
"""
WIDTH = 100


def reference() -> str:
    """Write the page: the group's help, then each command's, and those of its subcommands."""
    parts = [HEAD, _block("rightreasons", [])]
    for name in COMMANDS:
        parts.append(_section("##", [name]))
        command = main.get_command(click.Context(main), name)
        if isinstance(command, click.Group):
            parts += [_section("###", [name, each]) for each in command.list_commands(click.Context(command))]
    return "\n".join(parts)


def _section(mark: str, words: list[str]) -> str:
    title = " ".join(words)
    return f"{mark} {title}\n\n{_block(f'rightreasons {title}', words)}"


def _block(title: str, words: list[str]) -> str:
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    shown = CliRunner().invoke(main, [*words, "--help"], prog_name="rightreasons", **settings)
    if shown.exit_code != 0:
        raise SystemExit(f"{title} --help failed: {shown.output}")
    return f"```console\n$ {title} --help\n{shown.output.rstrip()}\n```\n"


@click.command()
@click.option("--check", is_flag=True, help="Exit with 1 if the page is stale; write nothing.")
def run(*, check: bool) -> None:
    """Make the page, or check it."""
    made = reference()
    if not check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(made, encoding="utf-8")
        print(f"Wrote {PAGE}.")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != made:
        print("docs/reference/cli.md is stale. Run scripts/cli_reference.py.")
        sys.exit(1)


if __name__ == "__main__":
    run()
