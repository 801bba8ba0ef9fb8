"""Bad input to `train`, through the real command line: one line, exit code 2, nothing written."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from command_line import COMMAND, everything_in, inside, refused

pytest.importorskip("torch")

SMALL_DISK = 40_000
TINY = {"preset": "small", "epochs": "1", "threads": "1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[Path, Path]) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = pl.read_parquet(files[0])
    pairs.write_csv("train.csv")
    pl.read_parquet(files[1]).write_csv("dev.csv")
    third = pl.int_range(pl.len()) == 2
    pairs.with_columns(label=pl.lit("neutral")).write_csv("one-label.csv")
    pairs.with_columns(premise=pl.when(third).then(pl.lit(" ")).otherwise("premise")).write_csv("blank.csv")
    pairs.with_columns(label=pl.when(third).then(pl.lit("perhaps")).otherwise("label")).write_csv(
        "labels.csv"
    )
    pairs.head(5).write_csv("probe.csv")
    two = dict.fromkeys(("neutral", "contradiction"), "non-entailment")
    pl.read_parquet(files[1]).with_columns(pl.col("label").replace(two)).write_csv("two.csv")
    Path("vectors.txt").write_text("cat 0.1 0.2\ndog 0.3 0.4\n", encoding="utf-8")


def words(
    *more: Any, net: str = "cbow", train: str = "train.csv", dev: str = "dev.csv", **options: str
) -> tuple[Any, ...]:
    given = [word for key, value in (TINY | options).items() for word in ("-o", f"{key}={value}")]
    return ("train", net, "--train", train, "--dev", dev, "--out", "model", *given, *more)


CASES: list[tuple[tuple[Any, ...], str]] = [
    (
        words(train="one-label.csv"),
        "All 600 training pairs have the label neutral",
    ),
    (words(train="blank.csv"), "blank.csv, line 4: the premise is blank"),
    (words(train="labels.csv"), "labels.csv, line 4: The word 'perhaps'"),
    (words(train="nowhere.csv"), "corpus nowhere.csv"),
    (words(dev="train.csv"), "600 pairs of train.csv are training pairs"),
    (words("--test", "probe.csv"), "5 pairs of probe.csv are training pairs"),
    (words(dev="two.csv"), "Give dev pairs with the same labels"),
    (words(vectors="vectors.txt"), "-o width=2"),
    (words(vectors="nowhere.txt"), "nowhere.txt"),
    (words(unknown="ask"), "The option unknown can't be 'ask'"),
    (words(schedule="steep"), "The option schedule can't be 'steep'"),
    (words(speed="3"), "There is no option of cbow called 'speed'"),
    (words(epochs="0"), "The option epochs is 0"),
    (words(epochs="nan"), "The option epochs can't be 'nan'"),
    (words(epochs="inf"), "The option epochs can't be 'inf'"),
    (words(seed="-1"), "The option seed is -1"),
    (words(dropout="2"), "The option dropout is 2.0."),
    (words(dropout="nan"), "The option dropout can't be 'nan'"),
    (words(width="0"), "The option width is 0"),
    (words(device="mars"), "device 'mars'"),
    (words(threads="0"), "The option threads is 0"),
    (words(learning_rate="1e30", optimiser="sgd"), "Lower the learning rate"),
    (words("--edit", "drop-everything"), "There is no edit called 'drop-everything'"),
    (words(net="spinn"), "--parser right-branching"),
    (words("--parser", "guess", net="spinn"), "guess"),
    (words(net="cbwo"), "There is no trainer called 'cbwo'. Did you mean cbow?"),
    (words("--parser", "balanced", net="transformer"), "no option of transformer called"),
]


@pytest.mark.parametrize(("given", "said"), CASES, ids=lambda case: case if isinstance(case, str) else "")
def test_it_says_what_is_wrong_and_writes_nothing(given: tuple[Any, ...], said: str) -> None:
    assert said in refused(inside, *given)


def test_overlap_may_be_allowed_and_is_kept_in_the_card() -> None:
    code, out, said = inside(*words("--test", "probe.csv", "--allow-overlap"))
    assert (code, out) == (0, "")
    assert said.splitlines()[-1].split()[-5:] == ["rightreasons", "evaluate", "net:model", "--out", "RUN"]
    assert '"probe.csv": 5' in Path("model/training.json").read_text(encoding="utf-8")
    assert "model exists already" in refused(inside, *words())
    assert inside(*words("--force"))[0] == 0


def test_a_folder_that_was_not_made_here_is_never_replaced() -> None:
    Path("model").mkdir()
    Path("model/thesis.tex").write_text("years of work", encoding="utf-8")
    line = refused(inside, *words("--force"))
    assert "'model'" in line or " model " in line
    assert "training.json" in line


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="folder", marks=pytest.mark.slow),
        pytest.param({"save_seconds": "0"}, id="checkpoint"),
    ],
)
def test_a_disk_without_room_leaves_nothing_behind(more: dict[str, str]) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK))

    before = everything_in(Path.cwd())
    done = subprocess.run(
        [*COMMAND, *words(**more)], preexec_fn=limit, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert "can't be written" in line
    assert everything_in(Path.cwd()) == before
