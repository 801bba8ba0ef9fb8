"""Command lines: options, numbers, names and paths that nobody should give."""

from __future__ import annotations

import os
import random
from pathlib import Path

from fuzz.areas.pairs import load_language
from fuzz.areas.prediction_files import make_gold, make_predictions
from fuzz.cases import Area, Case
from fuzz.execution import working_in
from fuzz.helpers import run_command
from fuzz.mutations import odd_text
from fuzz.tables import write_rows

# fmt: off
NUMBERS = (
    "0", "-1", "1", "3", "abc", "", "1.5", "1e3", "10_000_000_000", "99999999999999999999999", "nan", "inf", "٣",
    " 2 ", "0x10", "full", "auto", "none", "true",
)
OPTIONS = (
    "mode", "limit", "size", "seed", "hans.limit", "hans.size", "hans.seed", "hans.mode", "text", "parses",
    "disjoint", "short", "label", "constant.label", "random.seed", "random.labels", "others", "file.others",
    "batch_size", "batch-size", "corpus", "tautology", "repetitions", "side", "comma", "nosuch", "hans.nosuch",
    "nosuch.mode", "command", "", ".", "a.b.c", "max_length", "labels",
)
MODELS = (
    "constant", "random", "rules:subsequence", "rules:nosuch", "rules:", "file:answers.csv", "file:",
    "file:missing.csv", "file:.", "nosuch", "", ":", "hf:", "hf:missing", "onnx:", "onnx:missing", "net:", "net:.",
    "python:", "python:nosuch:f", "python:json:dumps", "python:json", "openai:", "openai:@http://127.0.0.1:9",
    "http://", "http://127.0.0.1:9", "http://[", "https:", "default",
)
SETS = (
    "hans", "set.csv", "missing.csv", "set.toml", "", "nosuch", "stress/negation", "stress/*", "[", "*", "all", ".",
    "/", "set.csv,set.csv", "set.csv,", ",", "simple-pair", "hans-released", "random-pair",
)
# Unless they are limited, these are minutes of honest work.
LARGE = ("*", "all", "stress/*", "simple-pair", "hans-released", "hans", "random-pair", "stress/negation")
OUTS = (
    "out", "out.csv", "out.parquet", "out.jsonl", "out.tsv", ".", "..", "/", "/dev/null", "/dev/full", "", " ",
    "missing/out.csv", "set.csv", "answers.csv", "folder", "folder/", "folder/out.csv", "a" * 300, "out\n.csv",
    "out\udcff.csv", "é.csv", "link.csv", "~", "-", "--out", "out.CSV", "out.", ".csv",
)
# fmt: on
COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "generate",
        (
            "SET",
            "--out OUT",
            "--size NUMBER",
            "--limit NUMBER",
            "--seed NUMBER",
            "--split WORD",
            "--format WORD",
            "-o OPTION",
            "--corpus PATH",
            "--force",
        ),
    ),
    (
        "score",
        (
            "SET",
            "PATH",
            "--by WORD",
            "--rule WORD",
            "--json",
            "--csv",
            "--layout WORD",
            "--out OUT",
            "--force",
        ),
    ),
    (
        "predict",
        (
            "MODEL",
            "SET",
            "--out OUT",
            "--limit NUMBER",
            "-o OPTION",
            "--batch-size NUMBER",
            "--device WORD",
            "--max-requests NUMBER",
            "--max-cost NUMBER",
            "--force",
        ),
    ),
    (
        "evaluate",
        (
            "MODEL",
            "--sets SET",
            "--out OUT",
            "--limit NUMBER",
            "--by WORD",
            "--rule WORD",
            "-o OPTION",
            "--prompts WORD",
            "--fail-under GATE",
            "--fail-under-low GATE",
            "--no-html",
            "--trained-on PATH",
            "--force",
        ),
    ),
    ("convert", ("PATH", "OUT", "--from WORD", "--to WORD", "--force")),
    (
        "report",
        (
            "RUN",
            "--out OUT",
            "--markdown OUT",
            "--csv OUT",
            "--rename RENAME",
            "--seeds RENAME",
            "--fail-under GATE",
            "--force",
        ),
    ),
    (
        "compare",
        (
            "RUN",
            "RUN",
            "--models WORD",
            "--against WORD",
            "--by WORD",
            "--pairs OUT",
            "--json",
            "--out OUT",
            "--force",
        ),
    ),
    ("leaderboard", ("RUN", "--out OUT", "--rename RENAME", "--force")),
    (
        "errors",
        (
            "RUN",
            "--sample NUMBER",
            "--seed NUMBER",
            "--set SET",
            "--model MODEL",
            "--tally PATH",
            "--out OUT",
            "--force",
        ),
    ),
    ("leaks", ("PATH", "SET", "--json", "--no-near", "--split WORD", "--out OUT")),
    ("export", ("SET", "--to WORD", "--out OUT", "--limit NUMBER", "-o OPTION", "--force")),
    ("recognise", ("PATH", "--set SET", "--out OUT", "--format WORD")),
    ("labels", ("MODEL", "--json", "-o OPTION")),
    ("list", ("WORD", "--json")),
    ("fetch", ("WORD",)),
)
# fmt: off
WORDS = (
    "eval", "train", "nosuch", "", "sum", "argmax", "hans", "table", "csv", "json", "parquet", "subcase",
    "subcase,subcase", "label", "id", "gold", "n", "all", "follows", "follows,nosuch", "cpu", "cuda:9", "sets",
    "models", "hf", "lm-eval", "model-card", "multinli/nosuch", "a.toml", "constant",
)
GATES = (
    "hans=0.5", "set=0.5", "set.entailment=0.5", "set=2", "set=-1", "set=nan", "=", "", "set", "set=", "nosuch=0.5",
    "constant@set=0.1", "@set=0.1", "set.one=1", "set.one.neutral=0", "set=1e999", "set=0.5=0.5",
)
RENAMES = (
    "a=b", "=", "a=", "=b", "constant=x", "constant=constant", "", "constant=" + "x" * 3000, "m=[", "m=*",
)
PLACES = (
    "set.csv", "answers.csv", "set.toml", "missing", "folder", "", ".", "/", "/dev/null", "/etc/passwd",
    "set.csv\x00", "a" * 300, "pipe\udcff", "*", "[1]", "hf:missing", "hf:", "pocket", "mnli=set.csv", "=set.csv",
    "mnli=",
)
# fmt: on
RUNS = ("run", "missing", "folder", "", ".", "set.csv", "run/", "run/sets", "/")
TEMPLATE = b"""\
[set]
name = "t"
labels = ["entailment", "neutral"]
[words]
N = "cat dog"
[[subcase]]
name = "s"
label = "neutral"
templates = [{ name = "t", premise = "A {N1}.", hypothesis = "The {N1}." }]
"""


def make(chance: random.Random, shared: Path) -> Case:
    """Put a command line together, most of it as it should be."""
    pairs = make_gold(chance)
    name, arguments = chance.choice(COMMANDS)
    required = [argument for argument in arguments if not argument.startswith("-")]
    optional = [argument for argument in arguments if argument.startswith("-")]
    # Sets that are named are large unless they are limited.
    chosen = [*required, *chance.sample(optional, min(len(optional), chance.randint(0, 4)))]
    if name in ("predict", "evaluate", "generate", "leaderboard") and "--out OUT" not in chosen:
        chosen.append("--out OUT")
    words = [name, *(word for argument in chosen for word in _filled(chance, argument))]
    if (
        name in ("generate", "predict", "evaluate", "export")
        and "--limit" not in words
        and "--size" not in words
    ):
        words += ["--limit", "4"]
    if chance.random() < 0.05:
        words.insert(chance.randint(0, len(words)), odd_text(chance, surrogates=True)[:300])
    if "--limit" not in words and "--size" not in words:
        words = ["set.csv" if word in LARGE else word for word in words]
    words = [word.replace("\x00", "\x01") if os.name == "posix" else word for word in words]
    files = {
        "set.csv": write_rows(pairs, "csv"),
        "answers.csv": write_rows(make_predictions(chance, pairs), "csv"),
        "set.toml": TEMPLATE,
        "folder/mine.txt": b"mine",
    }
    return Case(
        f"{name}: {len(words) - 1} words",
        tuple(words),
        files=files,
        copies={"run": shared / "run"},
        prepare=_prepare,
        gated=any(word.startswith("--fail-under") for word in words),
        keeps=("*.unfinished*",) if any("127.0.0.1" in word for word in words) else (),
    )


def build(folder: Path) -> None:
    """Make a small run for the commands that read one."""
    chance = random.Random(0)
    with working_in(folder, {}):
        Path("set.csv").write_bytes(write_rows(make_gold(chance), "csv"))
        run_command("evaluate", "constant", "--sets", "set.csv", "--no-html", "--out", "run")


def _prepare() -> None:
    Path("link.csv").symlink_to("answers.csv")


def _filled(chance: random.Random, argument: str) -> list[str]:
    """Put values in the place of the names of their kinds."""
    values = {
        "NUMBER": NUMBERS,
        "MODEL": MODELS,
        "SET": SETS,
        "OUT": OUTS,
        "WORD": WORDS,
        "GATE": GATES,
        "RENAME": RENAMES,
        "PATH": PLACES,
        "RUN": RUNS,
    }
    usual = {
        "NUMBER": "3",
        "MODEL": "constant",
        "SET": "set.csv",
        "OUT": "out.csv",
        "WORD": "subcase",
        "GATE": "set=0.1",
        "RENAME": "constant=m",
        "PATH": "set.csv",
        "RUN": "run",
    }
    flag, _, kind = argument.rpartition(" ")
    if kind == "OPTION":
        value = chance.choice((*NUMBERS, *WORDS, odd_text(chance)[:100]))
        return [flag, f"{chance.choice(OPTIONS)}={value}" if chance.random() < 0.95 else value]
    if kind not in values:
        return [argument]
    chosen = usual[kind] if chance.random() < 0.75 else chance.choice(values[kind])
    return [flag, chosen] if flag else [chosen]


AREA = Area("commands", 550, make, build, load_language)
