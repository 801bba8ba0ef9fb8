"""A Python function as a model: what it may give back, and one clear sentence for all else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, THREE_LABELS, UNREADABLE
from rightreasons.inference import predict_pairs
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.python_function import PythonFunction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAIRS = read_probe_pairs().with_columns(id=pl.concat_str(pl.lit("p"), pl.int_range(pl.len()))).drop("kind")
TRUE = PAIRS["label"].to_list()
# Each function knows the unmistakable pairs, and calls everything else neutral.
SOURCE = """
import numpy as np
from rightreasons.models.label_probe import read_probe_pairs

KNOWN = {(p, h): label for p, h, label in read_probe_pairs().select("premise", "hypothesis", "label").rows()}
ORDER = ("contradiction", "entailment", "neutral")
CALLS = []

def words(premises, hypotheses):
    CALLS.append(len(premises))
    return [KNOWN.get(pair, "neutral") for pair in zip(premises, hypotheses)]

def shouted(premises, hypotheses):
    return (word.upper() for word in words(premises, hypotheses))

def named(premises, hypotheses):
    return [{label: 0.8 if label == word else 0.1 for label in ORDER} for word in words(premises, hypotheses)]

def probabilities(premises, hypotheses):
    return [list(each.values()) for each in named(premises, hypotheses)]

def logits(premises, hypotheses):
    return np.log(probabilities(premises, hypotheses)) + 7

def two(premises, hypotheses):
    return [(0.25, 0.75) if word == "entailment" else (0.75, 0.25) for word in words(premises, hypotheses)]

def ordered(premises, hypotheses):
    return logits(premises, hypotheses)

ordered.labels = ["Contradiction", "Entailment", "Neutral"]
ordered.version = 3

class Box:
    def __init__(self, function):
        self.function = function
    def __call__(self, *texts):
        return self.function(*texts)

box = Box(words)
number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with a module of functions, and forget all modules of a test after it."""
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def predict(target: str, **options: Any) -> pl.DataFrame:
    return rr.predict(f"python:{target}", PAIRS.drop("label"), **options)


@pytest.mark.parametrize(
    "name", ["words", "shouted", "named", "probabilities", "logits", "ordered", "box", "box.function"]
)
def test_all_that_a_function_may_give_back(name: str) -> None:
    found = predict(f"mine:{name}")
    assert found["label"].to_list() == TRUE
    assert found["id"].equals(PAIRS["id"])
    if name in ("named", "probabilities", "logits", "ordered"):
        assert found["p_entailment"].to_list() == pytest.approx(
            [0.8 if label == ENTAILMENT else 0.1 for label in TRUE]
        )


def test_two_numbers_are_two_labels() -> None:
    found = predict("mine:two")
    expected = [ENTAILMENT if label == ENTAILMENT else "non-entailment" for label in TRUE]
    assert found["label"].to_list() == expected
    assert found["p_entailment"].to_list() == [0.75 if label == ENTAILMENT else 0.25 for label in TRUE]


@pytest.mark.parametrize("name", ["words", "named", "logits", "probabilities"])
def test_the_batch_size_changes_the_calls_and_nothing_else(name: str) -> None:
    whole = predict(f"mine:{name}", batch_size=1000)
    for size in (1, 7, 64):
        assert predict(f"mine:{name}", batch_size=size).equals(whole)
    model = PythonFunction("mine:words", batch_size=20)
    model.module.CALLS.clear()
    assert predict_pairs(model, PAIRS).predictions.height == 48
    assert model.module.CALLS == [20, 20, 8]


def test_the_labels_option_settles_the_order_without_a_probe() -> None:
    model = PythonFunction("mine:logits", labels=("neutral", "contradiction", "entailment"), scores="logits")
    model.module.CALLS.clear()
    found = predict_pairs(model, PAIRS)
    assert model.module.CALLS == [48]
    turned = {CONTRADICTION: NEUTRAL, ENTAILMENT: CONTRADICTION, NEUTRAL: ENTAILMENT}
    assert found.predictions["label"].to_list() == [turned[label] for label in TRUE]
    assert found.facts["labels"] == ["neutral", "contradiction", "entailment"]
    assert found.facts["labels_by"] == "option"


def test_the_head_is_found_by_probe_or_by_the_functions_own_labels() -> None:
    for name, how in (("logits", "probe"), ("ordered", "names")):
        head = PythonFunction(f"mine:{name}").head
        assert (head.order, head.how) == ((CONTRADICTION, ENTAILMENT, NEUTRAL), how)
    with pytest.raises(InputError, match="`predict` or `evaluate`"):
        _ = PythonFunction("mine:words").head


# Classes whose objects fail when they are looked at.
ODD = """class Odd(list):
    def __len__(self): raise RuntimeError('length')
class Mute(Exception):
    def __str__(self): raise ValueError
    __repr__ = __str__
"""


def predict_with(folder: Path, body: str, **options: Any) -> pl.DataFrame:
    """Predict with a function with that body; n is the number of pairs."""
    source = (
        f"import numpy as np\ndef answer(premises, hypotheses):\n    n = len(premises)\n    {body}\n{ODD}"
    )
    (folder / "other.py").write_text(source, encoding="utf-8")
    return predict("other:answer", **options)


ORDER = {"labels": THREE_LABELS}
WRONG = {
    "return None": "returned None",
    "pass": "returned None",
    "return 'neutral'": "returned 'neutral' instead",
    "return {'entailment': 1}": "returned {'entailment': 1} instead",
    "return 3": "returned 3 instead",
    "return ['neutral'] * (n - 1)": "47 predictions for 48",
    "return ['neutral'] * (n + 1)": "49 predictions for 48",
    "return []": "0 predictions for 48",
    "return [0] * n": "returned 0 as",
    "return np.zeros(n)": "0.0.? as a prediction",
    "return [None] * n": "returned None as",
    "return [b'e'] * n": "returned b'e' as",
    "return ['neutral'] * (n - 1) + [[1, 2, 3]]": "one type",
    "return ['maybe'] * n": "'maybe'",
    "return ['LABEL_0'] * n": "'LABEL_0'",
    "return [''] * n": "''",
    "return np.zeros((n, 5))": r"shape \(48, 5\)",
    "return np.zeros((n, 1))": r"shape \(48, 1\)",
    "return np.zeros((n, 3, 1))": r"shape \(48, 3, 1\)",
    "return [[1, 2, 3]] * (n - 1) + [[1, 2]]": "differ in length",
    "return [['a', 'b', 'c']] * n": "differ in length",
    "return np.full((n, 3), np.nan)": r"\[nan, nan, nan\] for a pair, row 1 of 48",
    "return [[0, 1, 2]] * (n - 1) + [[0, float('inf'), 1]]": "inf.*row 48 of 48",
    "return np.zeros((n, 2))": "2 numbers .*instead of 3",
    "return [{'entailment': 0.5, 'neutral': 0.5}] * n": "the probability of each",
    "return [{'label': 'neutral', 'score': 0.9}] * n": "the probability of each",
    "return [{'e': 0.5, 'E': 0.5, 'n': 0, 'c': 0}] * n": "the probability of each",
    "return [{'e': 2, 'n': 1, 'c': 0}] * n": "add up to 1",
    "return [{'e': float('nan'), 'n': 1, 'c': 0}] * n": "add up to 1",
    "return [{'e': 1.5, 'n': -0.5, 'c': 0}] * n": "add up to 1",
    "return [{'e': 'much', 'n': 1, 'c': 0}] * n": "Return a number",
    "return [{'e': 1, 'n': 0, 'c': 0}] * (n - 1) + [{'e': 1, 'not entailment': 0}]": "the same labels",
    "return [[10 ** 400, 0, 0]] * n": "too large",
    "return [{'e': 10 ** 400, 'n': 0, 'c': 0}] * n": "Return a number",
    "return Odd(['neutral'] * n)": r"can't be read: RuntimeError: length \(other\.py, line 6\)",
    "return [Odd([1, 2, 3])] * n": "can't be read: RuntimeError: length",
    "return [Mute()] * n": "object of type Mute",
    "return {'neutral', 'entailment'}": "a set, which",
    "return frozenset(['neutral'])": "a frozenset, which",
    "return dict.fromkeys('abc').keys()": "a dict_keys, which",
    "return [{1, 2, 3}] * n": "returned {1, 2, 3} as",
    "return [frozenset([1, 2, 3])] * n": r"returned frozenset\({1, 2, 3}\) as",
    "import polars as pl; return pl.DataFrame(np.zeros((n, 3)))": "a DataFrame, whose .*to_numpy",
    "return np.full((n, 3), 1 + 5j)": "complex numbers",
    "return [[1 + 5j, 0, 0]] * n": "complex numbers",
    "return [[np.complex64(1), 0, 0]] * n": "complex numbers",
    "return [{'e': np.complex64(1), 'n': 0, 'c': 0}] * n": "Return a real number",
    "raise Mute": r"failed with Mute \(other\.py, line 4\)",
    "raise ValueError(np.zeros(2))": "failed with ValueError",
    "raise BaseException('panic')": r"failed with BaseException: panic \(other\.py, line 4\)",
    "raise ValueError('so\\nsad')": r"failed with ValueError: so \(other\.py, line 4\)",
    "return (1 / 0 for _ in premises)": r"ZeroDivisionError.*other\.py, line 4",
    "import nowhere_at_all": "No module named 'nowhere_at_all'",
    "import sys; sys.exit()": r"failed with SystemExit \(other\.py, line 4\)",
    "import sys; sys.exit(3)": r"failed with SystemExit: 3 \(other\.py, line 4\)",
    "raise SystemExit(None)": r"failed with SystemExit \(other\.py, line 4\)",
}


@pytest.mark.parametrize("body", WRONG)
def test_what_is_no_answer_is_refused_in_one_sentence(folder: Path, body: str) -> None:
    with pytest.raises(InputError, match=WRONG[body]) as refusal:
        predict_with(folder, body, **ORDER)
    expected = str(refusal.value)
    assert "other:answer" in expected
    assert "\n" not in expected
    assert expected.endswith(".")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def answer(pairs): return pairs", 1),
        ("\ndef answer(premises, hypotheses, more): return premises", 2),
        ("class Asked:\n    def __call__(self, pairs): return pairs\nanswer = Asked()", 2),
        ("class Asked:\n    def ask(self, pairs): return pairs\nanswer = Asked().ask", 2),
        ("class answer:\n    def __init__(self): pass", 2),
    ],
)
def test_a_function_of_other_arguments_is_told_what_it_must_take(
    folder: Path, source: str, line: int
) -> None:
    (folder / "other.py").write_text(source, encoding="utf-8")
    expected = (
        rf"The function other:answer can't be called: TypeError: .* argument.* \(other\.py, line {line}\)\. "
        r"The function must take two lists"
    )
    with pytest.raises(InputError, match=expected):
        predict("other:answer", **ORDER)


def test_a_built_in_function_has_no_line_to_name(folder: Path) -> None:
    (folder / "other.py").write_text("from math import sqrt as answer", encoding="utf-8")
    with pytest.raises(InputError, match=r"argument \(2 given\)\. "):
        predict("other:answer", **ORDER)


def test_functions_return_labels_or_numbers() -> None:
    assert PythonFunction("mine:words").says_words
    assert PythonFunction("mine:named").says_words
    assert not PythonFunction("mine:logits").says_words


def test_interrupts_pass(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        predict_with(folder, "raise KeyboardInterrupt", **ORDER)


def test_functions_may_return_unreadable(folder: Path) -> None:
    assert predict_with(folder, f"return ['{UNREADABLE}'] * n")["label"].unique().to_list() == [UNREADABLE]


def test_numbers_that_fit_no_order_need_the_option(folder: Path) -> None:
    with pytest.raises(InputError, match=r"output 0, output 1, output 2.*-o labels="):
        predict_with(folder, "return [[0, 0, 1]] * n")
    assert predict_with(folder, "return [[0, 0, 1]] * n", **ORDER)["label"].unique().to_list() == [
        CONTRADICTION
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return [[0.2, 0.3, 0.5]] * n", [0.2, 0.3, 0.5]),
        ("return np.array([[0.2, 0.3, 0.503]] * n, dtype=np.float16)", [0.2, 0.3, 0.5]),
        ("return [[2, 2, 2]] * n", [1 / 3, 1 / 3, 1 / 3]),
        ("return [[0.0, 0.0, float(np.log(2))]] * n", [0.25, 0.25, 0.5]),
    ],
)
def test_rows_that_add_up_to_one_are_probabilities_and_others_are_not(
    folder: Path, body: str, expected: list[float]
) -> None:
    found = predict_with(folder, body, **ORDER)
    assert list(found.row(0)[2:]) == pytest.approx(expected, abs=2e-3)
    assert sum(found.row(0)[2:]) == pytest.approx(1, abs=1e-12)


SOMETIMES = "return [[0.2, 0.3, 0.5] if premise.startswith('p') else [2, 2, 5] for premise in premises]"


@pytest.mark.parametrize("size", [1, 2])
def test_all_rows_of_a_function_are_read_alike(folder: Path, size: int) -> None:
    source = f"def answer(premises, hypotheses):\n    {SOMETIMES}\n"
    (folder / "other.py").write_text(source, encoding="utf-8")
    pairs = pl.DataFrame({"id": ["1", "2"], "premise": ["p", "q"], "hypothesis": ["h", "h"]})

    def asked(**options: Any) -> pl.DataFrame:
        return rr.predict("python:other:answer", pairs, batch_size=size, **ORDER, **options)

    powers = np.exp([0.2, 0.3, 0.5])
    for options in ({}, {"scores": "logits"}):  # the unmistakable pairs show logits
        assert list(asked(**options).row(0)[2:]) == pytest.approx(powers / powers.sum())
    with pytest.raises(InputError, match=r"\[2\.0, 2\.0, 5\.0\] .* scores=logits"):
        asked(scores="probabilities")
    (folder / "other.py").write_text(f"{source}answer.scores = 'odds'\n", encoding="utf-8")
    del sys.modules["other"]
    with pytest.raises(InputError, match=r"'odds'.*probabilities or logits"):
        asked()


def test_the_read_probe_pairs_are_asked_in_calls_of_the_usual_size() -> None:
    model = PythonFunction("mine:logits", batch_size=20)
    model.module.CALLS.clear()
    assert model.head.how == "probe"
    assert model.score_kind == "logits"
    assert model.module.CALLS == [20, 20, 8]


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_tensors_are_taken_even_with_a_gradient_and_in_half_precision(folder: Path, kind: str) -> None:
    pytest.importorskip("torch")
    body = f"import torch; return torch.zeros(n, 3, dtype=torch.{kind}, requires_grad=True)"
    assert predict_with(folder, body, **ORDER)["label"].unique().to_list() == [ENTAILMENT]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("mine", "python:module:function"),
        ("mine:", "python:module:function"),
        (":words", "python:module:function"),
        ("mine:words:more", "python:module:function"),
        ("nowhere_at_all:words", "'nowhere_at_all'"),
        ("mine.py:words", r"'mine\.py'.*python:module:function"),
        ("mine:nothing", r"mine\.py\).*'nothing'"),
        ("mine:box.nothing", r"'box\.nothing'"),
        ("mine:number", r"mine:number.*\b3\b"),
        ("broken:words", r"'broken'.*SyntaxError: .* \(broken\.py, line 1\)"),
        ("failing:words", r"RuntimeError: no \(failing\.py, line 1\)"),
        ("exiting:words", r"'exiting'.*SystemExit: 1 \(exiting\.py, line 2\)"),
        ("lacking:words", "No module named 'nowhere_at_all'"),
    ],
)
def test_functions_that_can_not_be_had(folder: Path, target: str, expected: str) -> None:
    (folder / "broken.py").write_text("def (", encoding="utf-8")
    (folder / "failing.py").write_text("raise RuntimeError('no')", encoding="utf-8")
    (folder / "exiting.py").write_text("import sys\nsys.exit(1)", encoding="utf-8")
    (folder / "lacking.py").write_text("import nowhere_at_all", encoding="utf-8")
    with pytest.raises(InputError, match=expected):
        predict(target)


def test_a_number_of_pairs_below_one_and_wrong_labels_are_refused() -> None:
    with pytest.raises(InputError, match="batch_size is 0"):
        predict("mine:words", batch_size=0)
    with pytest.raises(InputError, match="'entailment,neutral'"):
        predict("mine:words", labels=("entailment", "neutral"))


def test_modules_beside_are_found_at_any_time_and_the_path_is_left_alone(folder: Path) -> None:
    (folder / "beside.py").write_text("LABEL = 'neutral'", encoding="utf-8")
    before = list(sys.path)
    assert predict_with(folder, "import beside; return [beside.LABEL] * n")["label"].unique().to_list() == [
        NEUTRAL
    ]
    assert sys.path == before


def test_the_fingerprint_changes_with_source_version_and_labels(folder: Path) -> None:
    first = PythonFunction("mine:words").fingerprint()
    assert first == PythonFunction("mine:words", batch_size=3).fingerprint()
    assert first != PythonFunction("mine:words", labels=THREE_LABELS).fingerprint()
    assert PythonFunction("mine:ordered").fingerprint()["version"] == "3"
    assert PythonFunction("mine:logits").fingerprint()["order"] == [CONTRADICTION, ENTAILMENT, NEUTRAL]
    assert PythonFunction("mine:probabilities").fingerprint()["scores"] == "probabilities"
    (folder / "table.py").write_text("def answer(premises, hypotheses): raise KeyError(premises[0])")
    assert "order" not in first.keys() | PythonFunction("table:answer").fingerprint().keys()
    (folder / "mine.py").write_text(SOURCE + "\n# changed\n", encoding="utf-8")
    assert PythonFunction("mine:words").fingerprint()["files"] != first["files"]


def test_nothing_is_loaded_before_it_is_asked() -> None:
    PythonFunction("nowhere_at_all:words")
    assert np.array_equal(PythonFunction("mine:words").prepare(PAIRS.clear()).batches, [])


def test_a_module_that_panics_is_refused_and_an_interrupt_passes(folder: Path) -> None:
    for error in ("BaseException('panic')", "type('PanicException', (BaseException,), {})('panic')"):
        sys.modules.pop("other", None)
        (folder / "other.py").write_text(f"raise {error}", encoding="utf-8")
        with pytest.raises(InputError, match=r"'other'.*Exception: panic \(other\.py, line 1\)"):
            PythonFunction("other:answer").precheck()
    (folder / "other.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        PythonFunction("other:answer").precheck()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def __getattr__(name): raise RuntimeError(name)", r"RuntimeError: answer \(other\.py, line 1\)"),
        ("def __getattr__(name): import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("def answer(*_): pass\nanswer.labels = 5", "labels of type int"),
        ("def answer(*_): pass\nanswer.labels = 'neutral'", "labels of type str"),
        (
            "class Asked:\n    @property\n    def labels(self): 1 / 0\n    def __call__(self): pass\nanswer = Asked()",
            "labels .*ZeroDivisionError",
        ),
    ],
)
def test_attributes_of_functions_may_fail(folder: Path, source: str, expected: str) -> None:
    (folder / "other.py").write_text(source, encoding="utf-8")
    with pytest.raises(InputError, match=expected):
        PythonFunction("other:answer").precheck()


def test_scores_of_another_type_are_refused(folder: Path) -> None:
    (folder / "other.py").write_text(
        "import numpy as np\ndef answer(p, h): return np.zeros((len(p), 3))\nanswer.scores = np.zeros(2)",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="object of type ndarray"):
        predict("other:answer", **ORDER)
