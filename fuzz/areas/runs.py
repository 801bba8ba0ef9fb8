"""Run folders: edited with and without a new manifest, and read by every command that takes runs."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.areas.prediction_files import make_gold, make_predictions, with_probabilities
from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.execution import run_captured, working_in
from fuzz.helpers import run_command
from fuzz.mutations import mutate_bytes, mutate_json, odd_text
from fuzz.tables import write_rows

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARE = ("compare", "run", "other", "--json")
MANIFEST = "manifest.json"
PAGES = (".md", ".html")


def build(folder: Path) -> None:
    """Make two runs with the same sets and three models, and keep what `compare` says of them."""
    chance = random.Random(0)
    while len(pairs := make_gold(chance)) < 18 or len({pair["label"] for pair in pairs}) < 3:
        pass
    with working_in(folder, {}):
        Path("set.jsonl").write_bytes(write_rows(pairs, "jsonl"))
        for name in "abc":
            rows = make_predictions(chance, pairs)
            if name != "c":
                with_probabilities(chance, rows)
            Path(f"{name}.csv").write_bytes(write_rows(rows, "csv"))
        run_command(
            "evaluate",
            "file:a.csv",
            "file:b.csv",
            "--sets",
            "set.jsonl",
            "--trained-on",
            "set.jsonl",
            "--out",
            "run",
        )
        run_command("evaluate", "file:c.csv", "--sets", "set.jsonl", "--no-baselines", "--out", "other")
        said = run_captured(lambda: run_command(*COMPARE), folder)
        Path("compared.json").write_text(said.out, encoding="utf-8")


def make(chance: random.Random, shared: Path) -> Case:
    """Edit a file of a run, write its manifest anew or not, and choose a command."""
    renewed = chance.random() < 0.8
    name = chance.choice(_files(shared / "run"))
    edit, about = _edit(chance, name)
    words = COMPARE if about == "rows in another order" else _command(chance)
    seed = chance.random()

    def prepare() -> None:
        before = Path("run", name).read_bytes()
        edit(random.Random(seed), Path("run", name))
        after = Path("run", name).read_bytes() if Path("run", name).is_file() else None
        if before == after:
            Path("run", name).write_bytes(before + b" ")
        if renewed and name != MANIFEST:
            from rightreasons.runs.folder import write_manifest

            write_manifest(Path("run"))

    covered = not name.endswith(PAGES) and name != MANIFEST
    same = about == "rows in another order" and renewed
    return Case(
        f"{name}: {about}{', manifest renewed' if renewed else ''} ({words[0]})",
        words,
        copies={"run": shared / "run", "other": shared / "other"},
        prepare=prepare,
        must_refuse=""
        if renewed or not covered
        else "a file of the run was changed after its manifest was written",
        check=(lambda outcome: _check_same(outcome, shared)) if same else None,
    )


def _files(run: Path) -> list[str]:
    """List the files of a run, those that decide most three times."""
    names = sorted(path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file())
    often = [name for name in names if name in ("card.json", "scores.json")]
    return [*names, *often * 3, *(name for name in names if name.endswith(".parquet"))]


def _edit(chance: random.Random, name: str) -> tuple[Callable[[random.Random, Path], None], str]:
    if chance.random() < 0.07:
        return chance.choice(((_remove, "removed"), (_empty, "empty"), (_folder, "a folder in its place")))
    if name.endswith(".json"):
        return (lambda again, path: _write(path, mutate_json(again, path.read_bytes()))), "JSON changed"
    if name.endswith(".parquet") and chance.random() < 0.7:
        return chance.choice(PARQUET)
    return (lambda again, path: _write(path, mutate_bytes(again, path.read_bytes()))), "damaged bytes"


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _remove(chance: random.Random, path: Path) -> None:
    del chance
    path.unlink()


def _empty(chance: random.Random, path: Path) -> None:
    del chance
    path.write_bytes(b"")


def _folder(chance: random.Random, path: Path) -> None:
    del chance
    path.unlink()
    path.mkdir()


def _shuffle(chance: random.Random, path: Path) -> None:
    """Put the rows in another order, which changes nothing: predictions go by id."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    rows = list(range(table.num_rows))
    chance.shuffle(rows)
    pq.write_table(table.take(rows), path)


def _drop_rows(chance: random.Random, path: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    pq.write_table(table.slice(0, chance.choice((0, 1, table.num_rows - 1))), path)


def _repeat_rows(chance: random.Random, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table.slice(chance.randrange(table.num_rows))]), path)


def _drop_column(chance: random.Random, path: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    pq.write_table(table.drop_columns([chance.choice(table.column_names)]), path)


def _other_type(chance: random.Random, path: Path) -> None:
    """Write a column in another type, or with odd texts in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    at, count = chance.randrange(table.num_columns), table.num_rows
    column = chance.choice(
        (
            pa.array(range(count)),
            pa.nulls(count),
            pa.array([["a"]] * count),
            pa.array(range(count), pa.duration("s")),
            pa.array([b"\xff"] * count),
            pa.array([odd_text(chance) for _ in range(count)]),
            pa.array([float("nan")] * count),
            pa.array([{"a": 1}] * count),
        )
    )
    pq.write_table(table.set_column(at, table.column_names[at], column), path)


def _rename_column(chance: random.Random, path: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    names = list(table.column_names)
    names[chance.randrange(len(names))] = odd_text(chance) or "x"
    out = io.BytesIO()
    pq.write_table(table.rename_columns(names), out)
    path.write_bytes(out.getvalue())


PARQUET: tuple[tuple[Callable[[random.Random, Path], None], str], ...] = (
    (_shuffle, "rows in another order"),
    (_drop_rows, "rows dropped"),
    (_repeat_rows, "rows repeated"),
    (_drop_column, "a column dropped"),
    (_other_type, "a column of another type"),
    (_rename_column, "a column renamed"),
)


def _command(chance: random.Random) -> tuple[str, ...]:
    commands: tuple[tuple[str, ...], ...] = (
        ("report", "run", "--out", "page.html"),
        (
            "report",
            "run",
            "other",
            "--out",
            "page.html",
            "--markdown",
            "page.md",
            "--csv",
            "tables",
            "--latex",
            "latex",
        ),
        ("report", "run", "--out", "page.html", "--rename", "file:a.csv=x"),
        COMPARE,
        ("compare", "run", "--by", "subcase", "--pairs", "pairs.csv"),
        ("leaderboard", "run", "other", "--out", "board"),
        ("errors", "run", "--model", "file:a.csv", "--out", "sheet.csv"),
        ("export", "run", "--to", chance.choice(("hf", "model-card", "lm-eval", "inspect")), "--out", "out"),
    )
    return chance.choice(commands)


def _check_same(outcome: Outcome, shared: Path) -> bool:
    """Make sure that another order of the rows gives the same comparison."""
    known = (shared / "compared.json").read_text(encoding="utf-8")
    if _comparison(outcome.out) != _comparison(known):
        raise WrongResultError("the comparison depends on the order of the rows")
    return True


def _comparison(text: str) -> dict[str, Any]:
    """Read what `compare` wrote; subcases are listed in the order of the set, which is no part of the result."""
    found: dict[str, Any] = json.loads(text)
    for row in found["rows"]:
        row["sentence"] = sorted(row["sentence"].split(". "))
    return {**found, "rows": sorted(found["rows"], key=json.dumps)}


AREA = Area("runs", 450, make, build)
