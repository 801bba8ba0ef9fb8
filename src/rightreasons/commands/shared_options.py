"""Arguments that several commands share: options of the command line, sets to load, and gates."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands.output import ExitCode, print_message, print_remarks
from rightreasons.core.options import normalize_option_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rightreasons.core.pairs import ChallengeSet
    from rightreasons.evaluation.gates import Gate, MissedGate

FULL = "full"
AUTO = "auto"
FLAGS = ("batch_size", "device", "max_requests", "max_cost")


def _parse_key_values(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Parse -o key=value; refuse a word without =, a repeated key and the command's own options."""
    # Sets also have an option parses, so -o parses=... is equivalent to --parses.
    own = {own_param.name for own_param in ctx.command.params} - {"parses", *FLAGS} | {"command"}
    parsed: dict[str, str] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE.", ctx, param)
        if normalize_option_key(key) in {normalize_option_key(known) for known in parsed}:
            raise click.BadParameter(f"{key!r} is given twice.", ctx, param)
        if normalize_option_key(key) in own:
            flag = normalize_option_key(key).replace("_", "-")
            raise click.BadParameter(
                f"{key!r} is an option of the command. Use --{flag} instead of -o.", ctx, param
            )
        parsed[key] = value
    return parsed


def parse_renames(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Parse OLD=NEW; names may contain a =, so the last one separates them."""
    parsed: dict[str, str] = {}
    for text in values:
        old, equals, new = text.rpartition("=")
        if not (old and equals and new):
            raise click.BadParameter(f"{text!r} is not of the form OLD=NEW.", ctx, param)
        if old in parsed:
            raise click.BadParameter(f"{old!r} is given twice.", ctx, param)
        parsed[old] = new
    return parsed


def add_key_value_option(text: str) -> Callable[[Any], Any]:
    """Add -o, with a help text of its own."""
    return click.option(
        "-o",
        "--option",
        "options",
        multiple=True,
        callback=_parse_key_values,
        metavar="KEY=VALUE",
        help=f"{text} Can be repeated.",
    )


add_rule_option = click.option(
    "--rule",
    default="auto",
    show_default=True,
    metavar="auto|argmax|sum",
    help="How to merge three labels into two: argmax takes the most probable label; sum adds the probabilities of "
    "neutral and contradiction; auto uses sum if all predictions have probabilities, else argmax.",
)


add_rename_option = click.option(
    "--rename",
    multiple=True,
    metavar="OLD=NEW",
    callback=parse_renames,
    help="Display the model OLD under the name NEW. Can be repeated.",
)


add_corpus_option = click.option(
    "--corpus",
    multiple=True,
    metavar="NAME",
    help="Corpus for sets that use one: pocket, a file, hf:NAME or a name printed by fetch. "
    "mnli=FILE names the corpus mnli. Can be repeated.",
)


def add_by_option(text: str) -> Callable[[Any], Any]:
    """Add --by, with a help text of its own."""
    return click.option("--by", default="", metavar="TAG,TAG", help=text)


def parse_count(text: str) -> int:
    """Parse a positive whole number, such as 10_000."""
    try:
        count = int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a whole number.") from None
    if count < 1:
        raise click.BadParameter(f"{text} is too small. The minimum is 1.")
    return count


def _parse_size(text: str) -> int | str:
    return text if text == FULL else parse_count(text)


def _parse_batch_size(text: str) -> int | str:
    return text if text == AUTO else parse_count(text)


def add_size_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --size, --limit, --seed and --split: which pairs of a set to generate."""
    added = (
        click.option(
            "--size",
            type=_parse_size,
            metavar="N|full",
            help="Pairs per subcase, such as 10_000. Default: full, the default size of the set.",
        ),
        click.option(
            "--limit",
            type=parse_count,
            metavar="N",
            help="Total number of pairs, balanced over subcases and labels. Default: as determined by --size.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample."),
        click.option(
            "--split",
            default="eval",
            show_default=True,
            metavar="eval|train",
            help="Split to use. No pair is in both splits.",
        ),
    )

    @wraps(command)
    def run_with_size(**params: Any) -> Any:
        if params["size"] == FULL:
            if params["limit"] is not None:
                raise click.UsageError("--size full and --limit can't be combined. Remove one.")
            params["size"] = None
        return command(**params)

    return _add_options(added, run_with_size)


def add_model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for models; the command receives those that were set, also with -o, as `flags`."""
    added = (
        click.option(
            "--batch-size",
            type=_parse_batch_size,
            metavar="N|auto",
            help="Pairs per batch. Default: auto, chosen by memory and length.",
        ),
        click.option(
            "--device",
            metavar="NAME",
            help="Device to run a network on, such as cpu, cuda or cuda:1. Default: a GPU if there is one.",
        ),
        click.option(
            "--max-requests",
            type=parse_count,
            metavar="N",
            help="Maximum number of requests to an endpoint, per model. Default: no limit.",
        ),
        click.option(
            "--max-cost",
            type=_parse_cost,
            metavar="X",
            help="Maximum cost of the requests to an endpoint, per model, in the currency of its prices. "
            "Default: no limit.",
        ),
    )

    @wraps(command)
    def run_with_flags(**params: Any) -> Any:
        flags = {name: params.pop(name) for name in FLAGS}
        flags |= _parse_flags_in_options(flags, params["options"])
        params["options"] = {
            key: value for key, value in params["options"].items() if normalize_option_key(key) not in FLAGS
        }
        return command(
            **params, flags={name: flag for name, flag in flags.items() if flag not in (None, AUTO)}
        )

    return _add_options(added, run_with_flags)


def _parse_flags_in_options(flags: dict[str, Any], options: dict[str, str]) -> dict[str, Any]:
    """Treat -o batch_size=32 like --batch-size 32; if both are given, they must agree."""
    ctx = click.get_current_context()
    params = {str(param.name): param for param in ctx.command.params}
    parsed: dict[str, Any] = {}
    for name, text in (
        (normalize_option_key(key), text)
        for key, text in options.items()
        if normalize_option_key(key) in FLAGS
    ):
        try:
            parsed[name] = params[name].type_cast_value(ctx, text)
        except click.BadParameter as error:
            raise click.BadParameter(error.message, ctx, params[name]) from error
        if flags[name] not in (None, parsed[name]):
            both = f"{params[name].opts[0]} is {flags[name]}, and -o {name} is {text}"
            raise click.UsageError(f"{both}. Remove one.")
    return parsed


def _parse_cost(text: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number.") from None
    if not cost > 0:
        raise click.BadParameter(f"{text} is too small. Use a number above 0.")
    return cost


def _add_options(added: Iterable[Callable[[Any], Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options to a command, the first of them on top."""
    for option in reversed(tuple(added)):
        command = option(command)
    return command


def add_gate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --fail-under and --fail-under-low; the command receives the parsed gates as `gates`."""
    added = (
        click.option(
            "--fail-under",
            multiple=True,
            metavar="GATE",
            help="Exit with code 1 if an accuracy is below a threshold, as in hans.non-entailment=0.5. GATE has "
            "the form [MODEL@]SET[.TAGVALUE][.LABEL]=NUMBER. Without MODEL@, all requested models are checked. "
            "Can be repeated.",
        ),
        click.option(
            "--fail-under-low",
            multiple=True,
            metavar="GATE",
            help="Like --fail-under, but for the lower bound of the 95% confidence interval.",
        ),
    )

    @wraps(command)
    def run_with_gates(*, fail_under: tuple[str, ...], fail_under_low: tuple[str, ...], **params: Any) -> Any:
        return command(**params, gates=_parse_gates(fail_under, fail_under_low))

    return _add_options(added, run_with_gates)


def _parse_gates(accuracies: Sequence[str], lower_bounds: Sequence[str]) -> list[Gate]:
    if not accuracies and not lower_bounds:
        return []
    from rightreasons.evaluation.gates import parse_gate

    return [
        *(parse_gate(text) for text in accuracies),
        *(parse_gate(text, low=True) for text in lower_bounds),
    ]


def exit_on_missed_gates(missed: Sequence[MissedGate]) -> None:
    """Print the gates that were missed, if any, and exit with code 1; all output is complete by then."""
    for gate in missed:
        print_message(f"Failed: {gate.reason()}")
    if missed:
        raise click.exceptions.Exit(ExitCode.GATE_MISSED)


def read_pair_columns(
    name: str, columns: Iterable[str], *, if_there: Iterable[str] = (), labelled: bool = True
) -> ChallengeSet | None:
    """Read only the named columns of a file of pairs or of a pipe; None for any other name."""
    from rightreasons.core.progress import show_progress
    from rightreasons.corpora import read_pairs
    from rightreasons.evaluation.sets import is_pairs_file
    from rightreasons.io.inputs import is_pipe

    if not is_pairs_file(name) and not is_pipe(Path(name)):
        return None
    with show_progress(label=f"reading {name}"):
        challenge_set = read_pairs(name, columns=columns, if_there=if_there, labelled=labelled)
    print_remarks(challenge_set.card.remarks)
    return challenge_set


def generate_set(name: str, split: str = "eval", limit: int | None = None) -> ChallengeSet:
    """Generate a named set at its default size, or with a limit."""
    from rightreasons import generate

    challenge_set = generate(name, split=split, limit=limit)
    print_remarks(challenge_set.card.remarks)
    return challenge_set
