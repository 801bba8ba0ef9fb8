"""Plugins as they are installed, with a dist-info folder: a broken one harms itself alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from slow_cases import slow_after

if TYPE_CHECKING:
    from pathlib import Path

# Modules of an installed package, and what is wrong with each of them.
MODULES = {
    "acme_good": """
import polars as pl
class Yes:
    '''Says yes.'''
    name = "yes"
    def predict(self, pairs):
        return pairs.select("id", label=pl.lit("entailment"))
""",
    "acme_raises": "raise ValueError('on import')",
    "acme_exits": "import sys\nsys.exit(3)",
    "acme_quits": "raise SystemExit",
    "acme_syntax": "def broken(:",
    "acme_empty": "",
    "acme_needs": "import no_such_package",
    "acme_number": "Part = 3",
    "acme_hints": "class Part:\n    def __init__(self, word: 'Nothing' = None): pass",
    "acme_fails": "class Part:\n    name = 'fails'\n    def __init__(self): raise KeyError('made')",
    "acme_deep": "def f(): f()\nf()",
    "acme_panics": "raise BaseException('no Exception')",
    "acme_skips": "import pytest\npytest.skip('not here', allow_module_level=True)",
    "acme_mute": "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute",
}
BROKEN = [name.removeprefix("acme_") for name in MODULES if name != "acme_good"]
ENTRY_POINTS = "".join(
    f"[rightreasons.{group}]\n"
    + "".join(
        f"{name.removeprefix('acme_')} = {name}:{'Yes' if 'good' in name else 'Part'}\n" for name in MODULES
    )
    + "missing = no_such_module:Part\nodd = \n"
    for group in ("models", "sets", "trainers")
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Make a folder of installed packages."""
    folder = tmp_path / "site"
    info = folder / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rightreasons", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=site.parent,
        env=os.environ | {"PYTHONPATH": str(site), "COLUMNS": "400"},
    )


def test_models_that_work_are_listed_and_broken_ones_say_why(site: Path) -> None:
    done = run(site, "list", "models")
    assert done.returncode == 0, done.stderr
    lines = {line.split(": ")[0]: line for line in done.stdout.splitlines() if line[:1].strip()}
    assert "Says yes" in lines["good"]
    assert {"default", "constant", "openai:MODEL"} <= set(lines)
    for name in (*BROKEN, "missing", "odd"):
        if name != "fails":  # that is known once it is made
            assert "Broken: " in lines[name], name
    for name, reason in {"raises": "on import", "exits": "SystemExit: 3", "syntax": "SyntaxError"}.items():
        assert reason in lines[name]


def test_sets_are_listed_too(site: Path) -> None:
    done = run(site, "list", "sets")
    assert done.returncode == 0, done.stderr
    assert "hans-released" in done.stdout
    assert done.stdout.count("Broken: ") == len(MODULES) + 2  # a model is no set, either


def test_the_nearest_name_is_still_suggested(site: Path) -> None:
    for words in (
        ("labels", "defualt"),
        ("generate", "hanz"),
        ("train", "esimm", "--out", "m", "--train", "x"),
    ):
        done = run(site, *words)
        assert done.returncode == 2
        assert "Did you mean " in done.stderr


@pytest.mark.parametrize("name", slow_after(4, ["missing", *BROKEN]))
def test_a_broken_plugin_is_bad_input_with_its_name(site: Path, name: str) -> None:
    for words in (("predict", name, "hans", "--limit", "4", "--out", "a.csv"), ("generate", name)):
        done = run(site, *words)
        assert done.returncode == 2, done.stderr
        assert repr(name) in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_other_names_work(site: Path) -> None:
    done = run(site, "evaluate", "good", "constant", "--sets", "simple-*", "--limit", "4", "--out", "run")
    assert done.returncode == 0, done.stderr
    (site.parent / "pairs.csv").write_text("premise,hypothesis\nThe doctor slept.,Someone slept.\n")
    assert run(site, "recognise", "pairs.csv").returncode == 0


@pytest.mark.parametrize(
    "text", slow_after(1, ["[rightreasons.models\nx = y:z", "no section at all", "[rightreasons.models]\nx"])
)
def test_metadata_that_can_not_be_read_harms_no_one(site: Path, text: str) -> None:
    info = site / "broken-2.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(text, encoding="utf-8")
    done = run(site, "labels", "defualt")
    assert done.returncode == 2
    assert "Did you mean default" in done.stderr
    assert run(site, "predict", "good", "hans", "--limit", "4", "--out", "a.csv").returncode == 0


# Parts that can be made and then fail, by what is to be named in the error.
PARTS = """
import polars as pl
from rightreasons.core.errors import InputError
from rightreasons.core.pairs import Card

class Yes:
    name = "yes"
    def predict(self, pairs):
        return pairs.select("id", label=pl.lit("entailment"))

class PredictRaises(Yes):
    def predict(self, pairs): raise RuntimeError("boom\\nand more")
class PredictExits(Yes):
    def predict(self, pairs): raise SystemExit(0)
class PredictPanics(Yes):
    def predict(self, pairs): raise BaseException("boom")
class Nothing:
    name = "nothing"
class NoFingerprint(Yes):
    def prepare(self, pairs): raise RuntimeError("boom")
class PrepareRaises(NoFingerprint):
    def fingerprint(self): return {}
class NeedsRaises(Yes):
    @property
    def needs(self): raise RuntimeError("boom")
class NeedsNumber(Yes):
    needs = 5
class PrecheckRaises(Yes):
    def precheck(self): raise RuntimeError("boom")
class FingerprintRaises(Yes):
    def fingerprint(self): raise RuntimeError("boom")
class FingerprintOdd(Yes):
    def fingerprint(self): return {"boom": object()}
class Refuses(Yes):
    def predict(self, pairs): raise InputError("Not today, boom. Try again tomorrow.")

class Job:
    batches, refused, workers, facts = [[0]], {}, 1, {}
    def predict_batch(self, rows):
        return pl.DataFrame({"label": ["neutral"] * len(rows)})
class Batched:
    name = "batched"
    def fingerprint(self): return {}
    def predict(self, pairs): raise NotImplementedError
    def prepare(self, pairs):
        job = Job()
        job.batches = [list(range(pairs.height))]
        self.change(job)
        return job
    def change(self, job): pass
class AnswerRaises(Batched):
    def change(self, job): job.predict_batch = lambda rows: 1 / 0
class BatchesOdd(Batched):
    def change(self, job): job.batches = 7
class WorkersOdd(Batched):
    def change(self, job): job.workers = "boom"
class FactsOdd(Batched):
    def change(self, job): job.facts = 7

class Plan:
    card = Card("planned", labels=("entailment", "non-entailment"))
    def __len__(self): return 2
    def rows(self, start, stop):
        rows = range(start, stop)
        return pl.DataFrame({
            "id": [f"x{row}" for row in rows], "premise": ["a"] * len(rows), "hypothesis": ["b"] * len(rows),
            "label": ["entailment"] * len(rows)
        })
    @property
    def schema(self): return Plan.rows(self, 0, 1).schema
class Planned:
    name, version, labels = "planned", 1, ("entailment", "non-entailment")
    def plan(self, **sizes): return Plan()
class PlanRaises(Planned):
    def plan(self, **sizes): raise RuntimeError("boom")
class PlanNone(Planned):
    def plan(self, **sizes): return None
class RowsRaise(Planned):
    def plan(self, **sizes):
        plan = Plan()
        plan.rows = lambda start, stop: 1 / 0
        return plan
class RowsOdd(Planned):
    def plan(self, **sizes):
        plan = Plan()
        plan.rows = lambda start, stop: pl.DataFrame({"id": [1]})
        return plan
class SchemaOdd(Planned):
    def plan(self, **sizes): return type("Odd", (Plan,), {"schema": {"id": pl.String}})()
class SchemaOther(Planned):
    def plan(self, **sizes):
        return type("Other", (Plan,), {"schema": {**Plan().schema, "more": pl.String}})()
class CardOdd(Planned):
    def plan(self, **sizes):
        plan = Plan()
        plan.card = "boom"
        return plan
class RecogniserRaises(Planned):
    def recognisers(self): raise RuntimeError("boom")
class MatchesRaise(Planned):
    def recognisers(self): return [self]
    def matches(self, pairs): raise RuntimeError("boom")
class MatchesOdd(MatchesRaise):
    def matches(self, pairs): return pl.DataFrame({"row": [99]})
class TrainRaises:
    own_material = True
    def train(self, *pairs, **options): raise RuntimeError("boom")
class TrainNone(TrainRaises):
    def train(self, *pairs, **options): return None
"""
FAILING_MODELS = {
    "PredictRaises": "predict(): RuntimeError: boom (late.py, line 12)",
    "PredictExits": "predict(): SystemExit: 0",
    "PredictPanics": "predict(): BaseException: boom",
    "Nothing": "no method predict()",
    "NoFingerprint": "no method fingerprint()",
    "PrepareRaises": "prepare(): RuntimeError: boom",
    "NeedsRaises": "needs: RuntimeError: boom",
    "NeedsNumber": "needs is 5",
    "PrecheckRaises": "precheck(): RuntimeError: boom",
    "AnswerRaises": "predict_batch(): ZeroDivisionError",
    "BatchesOdd": "batches is 7",
    "WorkersOdd": "workers is 'boom'",
    "FactsOdd": "facts is 7",
}
FINGERPRINTS = {"FingerprintRaises": "fingerprint(): RuntimeError: boom", "FingerprintOdd": "a JSON value"}
FAILING_SETS = {
    "PlanRaises": "plan(): RuntimeError: boom",
    "PlanNone": "plan() returned None",
    "RowsRaise": "rows(): ZeroDivisionError",
    "RowsOdd": "column 'id'",
    "SchemaOdd": "column 'premise'",
    "SchemaOther": "rows() returned a table",
    "CardOdd": "card is 'boom'",
}
FAILING_RECOGNISERS = {
    "RecogniserRaises": "recognisers(): RuntimeError: boom",
    "MatchesRaise": "matches(): RuntimeError: boom",
    "MatchesOdd": "matches(): ColumnNotFoundError",
}
FAILING_TRAINERS = {"TrainRaises": "train(): RuntimeError: boom", "TrainNone": "train() returned None"}


@pytest.fixture
def late(tmp_path: Path) -> Path:
    """Install a package whose parts fail only after they were made."""
    folder = tmp_path / "late"
    info = folder / "late-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: late\nVersion: 1.0\n", encoding="utf-8")
    models = [*FAILING_MODELS, *FINGERPRINTS, "Yes", "Batched", "Refuses"]
    groups = {
        "models": models,
        "sets": ["Planned", *FAILING_SETS, *FAILING_RECOGNISERS],
        "trainers": [*FAILING_TRAINERS],
    }
    points = [
        f"[rightreasons.{group}]\n" + "".join(f"{name} = late:{name}\n" for name in names)
        for group, names in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(points), encoding="utf-8")
    (folder / "late.py").write_text(PARTS, encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(
        "id,premise,hypothesis,label\na,The judge slept.,Someone slept.,entailment\n", encoding="utf-8"
    )
    return folder


def fails(site: Path, name: str, reason: str, *words: str) -> None:
    """Run a command that must end in one sentence with the name of the plugin and what is wrong."""
    done = run(site, *words)
    assert done.returncode == 2, (words, done.stderr)
    assert repr(name) in done.stderr
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "bug in rightreasons" not in done.stderr


@pytest.mark.parametrize(("name", "reason"), slow_after(5, FAILING_MODELS.items()))
def test_a_model_that_fails_after_it_was_made_is_named(late: Path, name: str, reason: str) -> None:
    fails(late, name, reason, "predict", name, "pairs.csv", "--out", "a.csv")


@pytest.mark.parametrize(("name", "reason"), FINGERPRINTS.items())
def test_a_fingerprint_that_fails_is_named(late: Path, name: str, reason: str) -> None:
    fails(late, name, reason, "evaluate", name, "--sets", "pairs.csv", "--out", "run", "--no-html")


def test_a_model_that_fails_is_not_served(late: Path) -> None:
    fails(late, "PredictRaises", "RuntimeError: boom", "serve", "PredictRaises", "--port", "0")


@pytest.mark.parametrize(("name", "reason"), slow_after(3, FAILING_SETS.items()))
def test_a_set_that_fails_after_it_was_made_is_named(late: Path, name: str, reason: str) -> None:
    fails(late, name, reason, "generate", name, "--out", "x.csv")


@pytest.mark.parametrize(("name", "reason"), slow_after(1, FAILING_RECOGNISERS.items()))
def test_a_recogniser_that_fails_is_named(late: Path, name: str, reason: str) -> None:
    fails(late, name, reason, "recognise", "pairs.csv", "--set", name)


@pytest.mark.parametrize(("name", "reason"), slow_after(1, FAILING_TRAINERS.items()))
def test_a_trainer_that_fails_is_named(late: Path, name: str, reason: str) -> None:
    fails(late, name, reason, "train", name, "--out", "model")


def test_an_error_of_the_package_passes_as_it_is(late: Path) -> None:
    done = run(late, "predict", "Refuses", "pairs.csv", "--out", "a.csv")
    assert done.returncode == 2
    assert done.stderr == "Error: Not today, boom. Try again tomorrow.\n"


def test_parts_that_keep_to_their_contract_work(late: Path) -> None:
    for name in ("Yes", "Batched"):
        done = run(late, "predict", name, "pairs.csv", "--out", f"{name}.csv")
        assert done.returncode == 0, done.stderr
    done = run(late, "evaluate", "Batched", "--sets", "Planned", "--out", "run", "--no-html")
    assert done.returncode == 0, done.stderr
    assert run(late, "generate", "Planned", "--out", "planned.parquet").returncode == 0


def test_broken_sets_are_left_out_with_a_note(late: Path) -> None:
    done = run(late, "recognise", "pairs.csv")
    assert done.returncode == 0, done.stderr
    for name in FAILING_RECOGNISERS:
        assert re.search(f"Note: .*set {name!r}", done.stderr)
    listed = run(late, "list", "sets")
    assert listed.returncode == 0
    assert listed.stdout.count("Broken: ") == len(FAILING_SETS)
    done = run(late, "evaluate", "constant", "--sets", "[PRCS]*", "--out", "run", "--no-html")
    assert done.returncode == 0, done.stderr
    for name in FAILING_SETS:
        assert f"The set {name!r} " in done.stdout
    assert "Planned" in done.stdout
    done = run(late, "evaluate", "constant", "--sets", "RowsR*", "--out", "other")
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr


def test_all_sets_are_those_that_work(site: Path) -> None:
    done = run(site, "evaluate", "constant", "--sets", "all", "--limit", "4", "--out", "run", "--no-html")
    assert done.returncode == 0, done.stderr
    assert "The set 'panics' " in done.stdout


def test_an_interrupt_in_a_plugin_stays_one(late: Path) -> None:
    (late / "late.py").write_text(
        PARTS + "\n    def predict(self, pairs): raise KeyboardInterrupt\nYes.predict = TrainNone.predict\n",
        encoding="utf-8",
    )
    assert run(late, "predict", "Yes", "pairs.csv", "--out", "a.csv").returncode == 130


def test_the_library_warns_of_sets_that_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import rightreasons

    monkeypatch.setattr(
        "rightreasons.core.plugins.find_entry_points",
        lambda group: (("gone", "nowhere:Part"),) if "sets" in group else (),
    )
    with pytest.warns(UserWarning, match="set 'gone'"):
        found = rightreasons.recognise([{"premise": "a", "hypothesis": "b"}])
    assert found.height == 1
