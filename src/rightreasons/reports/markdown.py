"""The page of a run in markdown: warnings, tables, sentences, and how to make it again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rightreasons.core.errors import counted
from rightreasons.core.formatting import plain
from rightreasons.reports.asked import asked_lines, label_rule, scored_by_argmax
from rightreasons.reports.exhibits.intervals import few_note, kinds_of
from rightreasons.reports.grids import Grid, grid, headline, overview
from rightreasons.reports.headlines import RULE, headlines_of
from rightreasons.reports.prompts import COLUMNS, spreads
from rightreasons.reports.takeaways import said_by, takeaway

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.runs.folder import Run

_BACKTICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"([\\`*_{\[\]#|~$])")


def page(run: Run, choice: Sequence[str] = ()) -> str:
    """Write the whole page of a run, with what is said on the choice between its models."""
    parts = [
        "# Is it right for the right reasons?",
        _summary(run),
        choice_list(choice),
        _warnings(run),
        _in_short(run),
        _overview(run),
    ]
    parts += [_section(run, name) for name in run.sets]
    parts += [_prompts(run), _asked(run)]
    parts += [f"## How to read it\n\n{_reading()}", _recipe(run)]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(value: object) -> str:
    """Make a text from outside safe in markdown: nothing in it is markup, HTML or a new line."""
    text = plain(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", text)


def code(value: object) -> str:
    """Show a text from outside as code, with a fence longer than any run of backticks in it."""
    text = plain(value)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def choice_list(choice: Sequence[str]) -> str:
    """List what is said on the choice between models."""
    return "\n".join(["## Which to choose", "", *(f"- {escape(line)}" for line in choice)]) if choice else ""


def table(shown: Grid, first: str) -> str:
    """Write a grid as a markdown table."""
    head = [escape(first), "gold", "n", *(escape(model) for model in shown.models)]
    lines = [_row(head), _row(["---", "---", "--:", *("--:" for _ in shown.models)])]
    lines += [
        _row([escape(line.group), escape(line.gold), f"{line.n:,}", *line.cells]) for line in shown.lines
    ]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _summary(run: Run) -> str:
    asked = ", ".join(escape(model) for model in run.requested_models)
    return (
        f"Models: {asked}. Sets: {', '.join(escape(name) for name in run.sets)}. Made {run.card['started']}."
    )


def _warnings(run: Run) -> str:
    return "\n".join(f"> **Warning.** {escape(text)}\n>" for text in run.warnings)


def _in_short(run: Run) -> str:
    """Say what a practitioner takes away of each model."""
    lines = [f"- **{escape(each.model)}**: {escape(each.sentence)}" for each in headlines_of(run)]
    return "\n".join(["## In short", "", *lines])


def _overview(run: Run) -> str:
    """Show one line per set, where there are several."""
    return f"## All sets\n\n{table(overview(run), 'set')}" if len(run.sets) > 1 else ""


def _section(run: Run, name: str) -> str:
    scores = run.scores_of(name)
    entry = next(entry for entry in run.card["sets"] if entry["name"] == name)
    main = headline(scores, run.models)
    sentences = [
        f"- **{escape(model)}** {escape(takeaway(scores, model, said_by(run, name, model)))}"
        for model in run.requested_models
    ]
    facts = f"{counted(entry['rows'], 'pair')}. Labels: {escape(label_rule(run, name))}."
    parts = [f"## {escape(name)}", facts, table(main, main.title), "\n".join(sentences)]
    parts += [f"- {escape(note)}" for note in few_note(kinds_of(scores))]
    parts += [f"- {escape(remark)}" for remark in entry["remarks"]]
    for by in scores["by"].unique(maintain_order=True):
        if by and by != main.title:
            finer = grid(scores, by.split(","), run.models, golds_apart=False)
            parts += [
                f"### {escape(name)} by {escape(by.replace(',', ', '))}",
                table(finer, by.replace(",", " / ")),
            ]
    return "\n\n".join(parts)


def _prompts(run: Run) -> str:
    """Show how the accuracies differ between prompts, if there are several."""
    found = spreads(run)
    if not found:
        return ""
    lines = [_row(list(COLUMNS)), _row(["---", "---", *("--:" for _ in COLUMNS[2:])])]
    lines += [_row([escape(cell) for cell in spread.row()]) for spread in found]
    sentences = [f"- {escape(spread.sentence())}" for spread in found]
    return "\n\n".join(["## How much the wording matters", "\n".join(lines), "\n".join(sentences)])


def _asked(run: Run) -> str:
    lines = [f"- **{escape(model)}**: {escape(text)}" for model, text in asked_lines(run)]
    return "\n\n".join(["## How the models were asked", "\n".join(lines)]) if lines else ""


def _reading() -> str:
    return (
        "Each cell is the accuracy with its 95% confidence interval, bounds rounded outwards: Wilson's, cluster-robust "
        "(CR2) where pairs share a group, a source or a premise. "
        "Gold is the true label; n the number of pairs. "
        f"The sentences below each table are made by rule. {RULE}"
    )


def _recipe(run: Run) -> str:
    lines = ["## How to make it again", "", f"- Command: {code(run.card['command'])}"]
    lines.append(f"- Version: rightreasons {run.card['versions']['rightreasons']}")
    for entry in run.card["sets"]:
        options = ", ".join(f"{key}={value}" for key, value in entry["options"].items()) or "none"
        lines.append(
            f"- Set {code(entry['name'])}: version {entry['version']}, options {code(options)}, "
            f"digest {code(entry['digest'])}"
        )
    for entry in run.card["models"]:
        if entry.get("fingerprint"):
            known = json.dumps(entry["fingerprint"], ensure_ascii=False, default=str)
            lines.append(f"- Model {code(entry['name'])}: {code(known)}")
    lines.append(f"- Score again from the files: {_score_again(run)}")
    return "\n".join(lines)


def _score_again(run: Run) -> str:
    """Show the command that gives the same scores; by itself, a model may have another rule than in the run."""
    command = "`rightreasons score sets/SET.parquet predictions/SET/MODEL.parquet`"
    by_argmax = scored_by_argmax(run)
    if not by_argmax:
        return command
    names = "" if len(by_argmax) == len(run.sets) else f" for {', '.join(map(code, by_argmax))}"
    return f"{command}, with `--rule argmax`{names}"
