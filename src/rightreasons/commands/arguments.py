"""Arguments that several commands share, and how they say what they did."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from rightreasons.core.errors import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO

    from rich.console import RenderableType

    from rightreasons.core.pairs import ChallengeSet

FULL = "full"
AUTO = "auto"
FLAGS = ("batch_size", "device", "max_requests", "max_cost")


def _pairs_of_words(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Read -o key=value; a word without =, a key given twice and the command's own keys are errors."""
    # Parses are an option of the sets too, so both ways of asking for them are fine.
    own = {known.name for known in ctx.command.params} - {"parses", *FLAGS} | {"command"}
    found: dict[str, str] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{text!r} is not key=value.", ctx, param)
        if _same(key) in {_same(other) for other in found}:
            raise click.BadParameter(f"{key!r} is given twice.", ctx, param)
        if _same(key) in own:
            flag = _same(key).replace("_", "-")
            raise click.BadParameter(f"{key!r} is no option of a part. Use --{flag}.", ctx, param)
        found[key] = value
    return found


def _same(key: str) -> str:
    """Make one key of batch-size and batch_size; the owner before a dot keeps its hyphens."""
    owner, dot, name = key.rpartition(".")
    return f"{owner}{dot}{name.replace('-', '_')}"


def renamed(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Read OLD=NEW; names may have a = themselves, so the last one parts them."""
    found: dict[str, str] = {}
    for text in values:
        old, equals, new = text.rpartition("=")
        if not (old and equals and new):
            raise click.BadParameter(f"{text!r} has no = between two names.", ctx, param)
        if old in found:
            raise click.BadParameter(f"{old!r} is given twice.", ctx, param)
        found[old] = new
    return found


def options(text: str) -> Callable[[Any], Any]:
    """Make the option -o with a help text of its own."""
    return click.option(
        "-o",
        "--option",
        "options",
        multiple=True,
        callback=_pairs_of_words,
        metavar="KEY=VALUE",
        help=f"{text} May be given several times.",
    )


rule = click.option(
    "--rule",
    default="auto",
    show_default=True,
    metavar="auto|argmax|sum",
    help="How to reduce three labels to two: argmax takes the most probable label; sum adds the probabilities of "
    "neutral and contradiction; auto uses sum if all predictions have probabilities, else argmax.",
)


rename = click.option(
    "--rename",
    multiple=True,
    metavar="OLD=NEW",
    callback=renamed,
    help="Display the model OLD under the name NEW. May be given several times.",
)


corpus = click.option(
    "--corpus",
    multiple=True,
    metavar="NAME",
    help="Corpus for sets that use one: pocket, a file, hf:NAME or a name printed by fetch. "
    "mnli=FILE names the corpus mnli. May be given several times.",
)


def by(text: str) -> Callable[[Any], Any]:
    """Make the option --by with a help text of its own."""
    return click.option("--by", default="", metavar="TAG,TAG", help=text)


def number(text: str) -> int:
    """Read a number of pairs; 10_000 is one too."""
    try:
        count = int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no whole number.") from None
    if count < 1:
        raise click.BadParameter(f"{text} is too few. Ask for at least 1.")
    return count


def _size(text: str) -> int | str:
    return text if text == FULL else number(text)


def _batch(text: str) -> int | str:
    return text if text == AUTO else number(text)


def sizes(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the four options that say how much of a set is made."""
    added = (
        click.option(
            "--size",
            type=_size,
            metavar="N|full",
            help="Pairs per subcase, such as 10_000. Default: full, the default size of the set.",
        ),
        click.option(
            "--limit", type=number, help="Total number of pairs, balanced over subcases and labels."
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
    def sized(**given: Any) -> Any:
        if given["size"] == FULL:
            if given["limit"] is not None:
                raise click.UsageError("--size full and --limit don't go together. Leave one out.")
            given["size"] = None
        return command(**given)

    return _with(added, sized)


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that go to models; the command gets those that were given, also after -o, as `flags`."""
    added = (
        click.option(
            "--batch-size",
            type=_batch,
            metavar="N|auto",
            help="Pairs per batch. Default: chosen automatically.",
        ),
        click.option(
            "--device", metavar="NAME", help="Device to run a network on, such as cpu, cuda or cuda:1."
        ),
        click.option(
            "--max-requests",
            type=number,
            metavar="N",
            help="Maximum number of requests to an endpoint, per model.",
        ),
        click.option(
            "--max-cost",
            type=_cost,
            metavar="X",
            help="Maximum cost of an endpoint, per model.",
        ),
    )

    @wraps(command)
    def flagged(**given: Any) -> Any:
        flags = {name: given.pop(name) for name in FLAGS}
        flags |= _written_as_options(flags, given["options"])
        given["options"] = {key: value for key, value in given["options"].items() if _same(key) not in FLAGS}
        return command(
            **given, flags={name: flag for name, flag in flags.items() if flag not in (None, AUTO)}
        )

    return _with(added, flagged)


def _written_as_options(flags: dict[str, Any], options: dict[str, str]) -> dict[str, Any]:
    """Read -o batch_size=32 as the flag that it is; the two must not differ."""
    ctx = click.get_current_context()
    params = {str(param.name): param for param in ctx.command.params}
    found: dict[str, Any] = {}
    for name, text in ((_same(key), text) for key, text in options.items() if _same(key) in FLAGS):
        try:
            found[name] = params[name].type_cast_value(ctx, text)
        except click.BadParameter as error:
            raise click.BadParameter(error.message, ctx, params[name]) from error
        if flags[name] not in (None, found[name]):
            both = f"{params[name].opts[0]} is {flags[name]}, and -o {name} is {text}"
            raise click.UsageError(f"{both}. Leave one of them out.")
    return found


def _cost(text: str) -> float:
    """Read a sum of money."""
    try:
        cost = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number.") from None
    if not cost > 0:
        raise click.BadParameter(f"{text} is too little. Allow more than 0.")
    return cost


def _with(added: Iterable[Callable[[Any], Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options to a command, the first of them on top."""
    for option in reversed(tuple(added)):
        command = option(command)
    return command


def say(text: str) -> None:
    """Say on stderr what was done."""
    click.echo(escape_controls(text), err=True)


def say_remarks(remarks: Iterable[str]) -> None:
    """Say on stderr what a card remarks on."""
    for remark in remarks:
        say(f"Note: {remark}")


def show(make: Callable[[int], RenderableType], stream: IO[str]) -> None:
    """Show what is made for a width: wrapped on a terminal, one line per sentence elsewhere."""
    from rightreasons.reports.renderers.terminal import ANY_WIDTH, console

    page = console(stream)
    if page.is_terminal:
        page.print(make(page.width), crop=False)
        return
    made = make(page.width)
    page.width = (
        ANY_WIDTH  # what is cut to the usual width may still have a long name, which is left in one piece
    )
    with page.capture() as captured:
        page.print(made, soft_wrap=True)
    stream.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def make_set(name: str, split: str = "eval", limit: int | None = None) -> ChallengeSet:
    """Make a registered set at its default size, or with so many pairs, and say what its card remarks on."""
    from rightreasons import generate

    made = generate(name, split=split, limit=limit)
    say_remarks(made.card.remarks)
    return made
