"""The command line: a table of commands, each loaded on first use, and how errors end it.

The exit codes are in `commands/output.py`.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from rightreasons import __version__
from rightreasons.commands.output import ExitCode
from rightreasons.core.errors import RightReasonsError, escape_controls
from rightreasons.core.lazy_table import LazyTable
from rightreasons.io import interrupts, signals

if TYPE_CHECKING:
    from collections.abc import Sequence


class CommandEntry(NamedTuple):
    """Where a command is defined, and its line in the overview, which needs no import of the command."""

    target: str
    line: str


COMMANDS = LazyTable(
    "command",
    {
        "generate": CommandEntry("rightreasons.commands.generate:generate", "Generate a challenge set."),
        "recognise": CommandEntry(
            "rightreasons.commands.recognise:recognise",
            "Find the template that each pair comes from.",
        ),
        "convert": CommandEntry("rightreasons.commands.convert:convert", "Convert pairs to another format."),
        "predict": CommandEntry(
            "rightreasons.commands.predict:predict", "Run a model on a set and write its predictions."
        ),
        "score": CommandEntry(
            "rightreasons.commands.score:score", "Score predictions by tag and gold label."
        ),
        "evaluate": CommandEntry(
            "rightreasons.commands.evaluate:evaluate",
            "Generate, predict, score and report in one step.",
        ),
        "report": CommandEntry("rightreasons.commands.report:report", "Write a report on one or more runs."),
        "compare": CommandEntry(
            "rightreasons.commands.compare:compare",
            "Compare models with significance tests, per set and subset.",
        ),
        "leaderboard": CommandEntry(
            "rightreasons.commands.leaderboard:leaderboard", "Rank the models of many runs."
        ),
        "errors": CommandEntry(
            "rightreasons.commands.errors:errors",
            "Sample wrong predictions for manual error analysis.",
        ),
        "leaks": CommandEntry(
            "rightreasons.commands.leaks:leaks", "Count pairs of a set that also occur in a training file."
        ),
        "audit": CommandEntry("rightreasons.commands.audit:audit", "Measure what a training corpus teaches."),
        "study": CommandEntry(
            "rightreasons.commands.study:study", "Run a study with participants, from the plan to the table."
        ),
        "export": CommandEntry(
            "rightreasons.commands.export:export", "Export a run, a set or a network for other tools."
        ),
        "train": CommandEntry("rightreasons.commands.train:train", "Train a model and write a model folder."),
        "experiment": CommandEntry(
            "rightreasons.commands.experiment:experiment",
            "Rerun a published experiment and compare with the paper.",
        ),
        "fetch": CommandEntry(
            "rightreasons.commands.fetch:fetch", "Download a published corpus into the cache."
        ),
        "serve": CommandEntry("rightreasons.commands.serve:serve", "Serve a model over HTTP."),
        "labels": CommandEntry(
            "rightreasons.commands.labels:labels", "Show which label each output of a model stands for."
        ),
        "list": CommandEntry(
            "rightreasons.commands.listing:listing",
            "List sets, models, trainers, audits, exports and experiments.",
        ),
    },
)
# Errors of a full or broken disk: such an error without a filename comes from standard output.
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


class BadInputError(click.ClickException):
    """An error of the library or of the system, shown by click: one line on stderr, exit code 2."""

    exit_code = ExitCode.BAD_INPUT


class UnexpectedError(click.ClickException):
    """An unexpected error with a crash file: a bug, whatever the input is."""

    exit_code = ExitCode.UNEXPECTED


class LazyGroup(click.Group):
    """A group that loads its commands on first use."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **options: Any
    ) -> Any:
        """Run the command line and exit; exit code 1 is reserved for missed gates."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **options)
        arguments = sys.argv[1:] if args is None else list(args)
        if args is None:  # a process of its own
            from rightreasons.commands.crashes import install_crash_hooks

            install_crash_hooks(arguments)
        try:
            code = super().main(args, standalone_mode=False, **options)
        except click.ClickException as error:
            code = _print_error(error)
        except (click.Abort, KeyboardInterrupt):  # before the command itself began
            code = ExitCode.INTERRUPTED
        except SystemExit as end:  # a signal, or the completion of a shell
            if end.code != ExitCode.GATE_MISSED:
                raise
            code = _print_error(
                BadInputError(
                    "The requested shell completion does not exist. Unset the variable _RIGHTREASONS_COMPLETE."
                )
            )
        except BaseException as error:  # noqa: BLE001 - panics of polars are not an Exception
            from rightreasons.commands.crashes import save_crash_report

            code = _print_error(UnexpectedError(save_crash_report(error, arguments)))
        sys.exit(code if isinstance(code, int) else ExitCode.DONE)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command; its help may go into a closed pipe."""
        for word in args:
            if not word.isascii() and _has_surrogates(word):  # cards, tables and reports quote it in UTF-8
                raise BadInputError(f"The argument {word!r} is not valid UTF-8. Rename the file or folder.")
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            _discard_stream(sys.stdout)
            raise click.exceptions.Exit(ExitCode.PIPE_CLOSED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of the workflow."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = COMMANDS.load(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest name."""
        if args[0] in COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        from rightreasons.core.errors import UnknownNameError

        raise UnknownNameError("command", args[0], COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.line) for name, command in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> None:
        """Run a command, and turn errors and interrupts into a message and an exit code."""
        if sys.stdout is None:
            raise BadInputError("Standard output is closed. Redirect it to a file or to /dev/null.")
        interrupts.forget_outputs()
        try:
            with signals.allow_interrupts():
                super().invoke(ctx)
                sys.stdout.flush()
        except RightReasonsError as error:
            raise BadInputError(str(error)) from error
        except BrokenPipeError:
            _discard_stream(sys.stdout)
            raise click.exceptions.Exit(ExitCode.PIPE_CLOSED) from None
        except OSError as error:
            if error.filename is None and error.errno not in _DISK_ERRORS:
                raise
            _discard_stream(sys.stdout)
            raise BadInputError(_describe_os_error(error)) from error
        except KeyboardInterrupt as stop:
            signals.print_interrupt(str(stop))
            raise click.exceptions.Exit(signals.get_signal_exit_code()) from None
        except SystemExit as error:
            raise RuntimeError(f"the command called exit({error.code!r})") from error


def _has_surrogates(word: str) -> bool:
    """Return whether an argument has bytes that are not UTF-8, which Python decodes as lone surrogates."""
    return any("\ud800" <= character <= "\udfff" for character in word)


def _describe_os_error(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else "The output can't be written: "
    return f"{place}{error.strerror or error}. Check the path, the free space and the permissions."


def _print_error(error: click.ClickException) -> int:
    """Print an error on one line and return its exit code, even if standard error can't be written."""
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # whose message is the help
        vars(error)["message"] = escape_controls(error.message)  # which click declares final
    try:
        error.show()
    except (OSError, ValueError):
        _discard_stream(sys.stderr)
    return error.exit_code


def _discard_stream(stream: TextIO | None) -> None:
    """Redirect stdout or stderr to nothing, so that the interpreter's last flush can't change the exit code."""
    try:
        descriptor = stream.fileno() if stream else None
    except (OSError, ValueError):
        return  # not a real stream, as in tests
    if descriptor is None:
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rightreasons")
def main() -> None:
    """Is an NLI model right for the right reasons?

    Generate challenge sets, run models on them, score the predictions, and report which heuristics the models follow.
    """
