"""Damaged journals: a run that is resumed ends with the right labels, or refuses; it never takes wrong ones."""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.execution import run_captured, working_in
from fuzz.helpers import run_command
from fuzz.mutations import dump, mutate_bytes, mutate_json
from fuzz.tables import write_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    Edit = Callable[[random.Random, Path], None]

MODULE = "journal_model"
# Refuses to go on after some batches where a file says so, and answers by the texts alone.
MODEL = """
from pathlib import Path

def predict(premises, hypotheses):
    if Path("stop").exists() and any("number 9" in premise for premise in premises):
        raise KeyboardInterrupt
    rows = []
    for premise, hypothesis in zip(premises, hypotheses):
        sizes = [1 + len(premise) % 7, 1 + sum(map(ord, hypothesis)) % 5, 2.5]
        names = ["entailment", "neutral", "contradiction"]
        rows.append({name: size / sum(sizes) for name, size in zip(names, sizes)})
    return rows
"""
PAIRS = [
    {
        "id": f"p{number}",
        "premise": f"The judge{'s' * (number % 5)} saw number {number}.",
        "hypothesis": f"Someone saw {'very ' * (number % 3)}much of {number}.",
    }
    for number in range(12)
]
WORDS = ("predict", f"python:{MODULE}:predict", "pairs.csv", "--batch-size", "2", "--out", "out.jsonl")
PLACE = "out.jsonl.unfinished"


def build(folder: Path) -> None:
    """Keep the journal of a run that was stopped, and the predictions of one that was not."""
    with working_in(folder, {}):
        Path(f"{MODULE}.py").write_text(MODEL, encoding="utf-8")
        Path("pairs.csv").write_bytes(write_rows(PAIRS, "csv"))
        run_command(*WORDS)
        Path("out.jsonl").rename("whole.jsonl")
        Path("stop").touch()
        stopped = run_captured(lambda: run_command(*WORDS), folder)
        if not Path(PLACE).is_dir():
            raise RuntimeError(f"The run was not stopped: {stopped}")
        shutil.copytree(PLACE, "journal")


def make(chance: random.Random, shared: Path) -> Case:
    """Damage a file of the journal, and resume."""
    edit, about = chance.choice(EDITS)
    seed = chance.random()

    def prepare() -> None:
        if str(shared) not in sys.path:
            sys.path.insert(0, str(shared))
        edit(random.Random(seed), Path(PLACE))

    return Case(
        about,
        WORDS,
        copies={PLACE: shared / "journal", "pairs.csv": shared / "pairs.csv"},
        prepare=prepare,
        check=lambda outcome: _check_labels(outcome, shared),
        keeps=(f"{PLACE}*",),
    )


def _file(place: Path, name: str) -> Path:
    return next(place.rglob(name))


def _damage_plan(chance: random.Random, place: Path) -> None:
    path = _file(place, "plan.json")
    path.write_bytes(mutate_json(chance, path.read_bytes()))


def _damage_predictions(chance: random.Random, place: Path) -> None:
    path = _file(place, "answers.jsonl")
    path.write_bytes(mutate_bytes(chance, path.read_bytes()))


def _change_batches(chance: random.Random, place: Path) -> None:
    """Have other rows asked together than those whose answers are kept."""
    path = _file(place, "plan.json")
    stored = json.loads(path.read_bytes())
    plan = stored["plan"]
    batches = plan["batches"]
    ways: dict[str, Any] = {
        "reversed": batches[::-1],
        "rows reversed": [batch[::-1] for batch in batches],
        "rotated": batches[1:] + batches[:1],
        "shuffled": chance.sample(batches, len(batches)),
        "repeated": [batches[0], *batches],
        "one row twice": [batches[0], batches[0], *batches[2:]],
        "too many": [*batches, [99, 100]],
        "negative": [[-1, -2], *batches[1:]],
        "texts": [[str(row) for row in batch] for batch in batches],
        "refused": batches,
    }
    plan["batches"] = ways[chance.choice(list(ways))]
    if chance.random() < 0.2:
        plan["refused"] = chance.choice(([[0, "no"]], [["x", 1]], {}, None, [[99, "a"]]))
    path.write_bytes(dump(stored))


def _swap_lines(chance: random.Random, place: Path) -> None:
    path = _file(place, "answers.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    chance.shuffle(lines)
    path.write_bytes(b"".join([*lines, *lines[: chance.randint(0, 2)]]))


def _replace_file(chance: random.Random, place: Path) -> None:
    path = _file(place, chance.choice(("plan.json", "answers.jsonl")))
    path.unlink()
    if chance.random() < 0.5:
        path.mkdir()
    elif chance.random() < 0.5:
        path.write_bytes(b"")


EDITS: tuple[tuple[Edit, str], ...] = (
    (_damage_plan, "plan.json damaged"),
    (_damage_plan, "plan.json damaged"),
    (_damage_predictions, "answers.jsonl damaged"),
    (_change_batches, "other batches"),
    (_change_batches, "other batches"),
    (_swap_lines, "lines in another order"),
    (_replace_file, "a file replaced"),
)


def _check_labels(outcome: Outcome, shared: Path) -> bool:
    """Hold the predictions against those of a run that was never stopped."""
    del outcome
    found, whole = (path.read_bytes() for path in (Path("out.jsonl"), shared / "whole.jsonl"))
    if found != whole:
        raise WrongResultError(f"the predictions differ:\n{found.decode()}\n{whole.decode()}")
    return True


AREA = Area("journals", 250, make, build)
