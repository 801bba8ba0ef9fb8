"""The public functions with wrong arguments: always an error of the package, never one from its depths."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import registry
from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.people.simulated_store import add_simulated_judgements
from rightreasons.people.simulation import simulate_judgements

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS = {
    name: getattr(rr, name)
    for name in rr.__all__
    if inspect.isfunction(getattr(rr, name)) and not name.startswith("_")
}
ROWS = [
    {"id": "1", "premise": "The judge slept .", "hypothesis": "A judge slept .", "label": "entailment"},
    {"id": "2", "premise": "The judge ran .", "hypothesis": "The judge slept .", "label": "neutral"},
]
PREDICTIONS = [{"id": "1", "label": "entailment"}, {"id": "2", "label": "entailment"}]
# A call of each function that works, or that fails in a file's absence; `train` would take too long.
CALLS: dict[str, dict[str, Any]] = {
    "analyse_study": {"study": "judged"},
    "audit": {"corpora": "pairs.csv", "out": "audit", "audits": "shape"},
    "compare": {"runs": "run", "models": (), "against": "majority", "by": ()},
    "evaluate": {
        "models": "constant",
        "out": "new",
        "sets": "tiny",
        "baselines": False,
        "html": False,
        "limit": 8,
    },
    "generate": {"name": "tiny"},
    "leaderboard": {"folders": "run", "out": "board"},
    "plan": {"name": "tiny"},
    "plan_study": {"sets": "pairs.csv", "protocol": "stress", "out": "study", "each": 1},
    "predict": {"model": "constant", "pairs": ROWS},
    "read_corpus": {"names": "pairs.csv"},
    "read_pairs": {"path": "pairs.csv"},
    "read_texts": {"names": "pairs.csv"},
    "recognise": {"pairs": ROWS, "name": "hans"},
    "report": {"folders": "run", "out": "page.html"},
    "score": {"pairs": ROWS, "predictions": PREDICTIONS},
    "score_against_people": {"pairs": ROWS, "predictions": PREDICTIONS, "people": "judged"},
    "train": {"trainer": "cbow", "train": "nowhere.csv", "dev": "nowhere.csv", "out": "model"},
    "write_pairs": {"pairs": None, "path": "written.csv"},
}
WRONG = (
    *(None, True, 3, -1, 2.5, float("nan"), 10**30, "", "10", "\ud800", "a\0b", b"bytes", ...),
    *([], [None], [3], ["x", 3], {}, {"a": 1}, {3: "b"}, (), {"x"}, object(), object, len, lambda: None),
    *(Path("nowhere"), [Path("nowhere")], pl.DataFrame({"id": [1.5]}), pl.DataFrame(), pl.Series([1])),
)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api")
    registry.SETS["tiny"] = "tiny_set:Tiny"
    try:
        rr.evaluate("rules:subsequence", sets="tiny", out=folder / "run", html=False, limit=20)
    finally:
        del registry.SETS["tiny"]
    rr.write_pairs(rr.ChallengeSet(pl.DataFrame(ROWS), rr.Card("rows")), folder / "pairs.csv")
    study = rr.plan_study(folder / "pairs.csv", protocol="stress", out=folder / "judged", each=2)
    add_simulated_judgements(simulate_judgements(study))
    return folder


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, run_folder: Path) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.chdir(run_folder)


def call(name: str, /, **changed: Any) -> Any:
    """Call a function as it works, but for what is changed."""
    given = {**CALLS[name], **changed}
    if name == "write_pairs" and "pairs" not in changed:
        given["pairs"] = rr.ChallengeSet(pl.DataFrame(ROWS), rr.Card("rows"))
    if name in ("audit", "evaluate", "leaderboard", "plan_study", "report", "write_pairs"):
        given.setdefault("force", True)
    kinds = inspect.signature(FUNCTIONS[name]).parameters
    first = [given.pop(one) for one, kind in kinds.items() if kind.kind is kind.POSITIONAL_ONLY]
    return FUNCTIONS[name](*first, **given)


def refusal(name: str, parameter: str, value: object) -> str | None:
    """Call a function with a wrong argument, and return what is said of it; it may be right after all."""
    try:
        call(name, **{parameter: value})
    except RightReasonsError as error:
        return str(error)
    return None


def parameters() -> list[tuple[str, str]]:
    return [
        (name, parameter.name)
        for name, function in FUNCTIONS.items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]


def test_every_public_function_is_here() -> None:
    assert set(CALLS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "train"])
def test_each_call_works(name: str) -> None:
    call(name)


@pytest.mark.parametrize(("name", "parameter"), parameters())
def test_a_wrong_argument_is_an_error_of_the_package(name: str, parameter: str) -> None:
    for value in WRONG:
        message = refusal(name, parameter, value)
        assert message is None or (message.strip() and "\n" not in message), (value, message)


@pytest.mark.parametrize("name", ["generate", "plan"])
@pytest.mark.parametrize("value", [0, -3, "10", 2.5, True, None])
def test_numbers_of_pairs_are_whole_and_positive(name: str, value: Any) -> None:
    for parameter in ("limit", "size"):
        if value is None:
            call(name, **{parameter: None})
            continue
        with pytest.raises(InputError, match=f"The argument {parameter} "):
            call(name, **{parameter: value})


def test_a_text_is_a_list_of_one() -> None:
    one, several = (call("compare", runs=runs).rows for runs in ("run", ["run"]))
    assert one.equals(several)
    assert call("compare", runs=Path("run"), models="rules:subsequence").rows.equals(one)
    assert call("report", folders=["run"]).title == call("report", folders=Path("run")).title
    assert call("evaluate", models=["constant"], sets=["tiny"], by=["template"]).card["by"] == ["template"]
    assert call("evaluate", by="template", sets="tiny").card["by"] == ["template"]


def tables() -> dict[str, Callable[[], Any]]:
    return {
        "rows": lambda: ROWS,
        "polars": lambda: pl.DataFrame(ROWS),
        "lazy": lambda: pl.LazyFrame(ROWS),
        "set": lambda: rr.ChallengeSet(pl.DataFrame(ROWS), rr.Card("rows")),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(ROWS, index=[7, 8]),
    }


@pytest.mark.parametrize("kind", tables())
def test_pairs_may_be_any_table(kind: str) -> None:
    made = tables()[kind]()
    answers = rr.predict("rules:lexical-overlap", made)
    assert answers["id"].to_list() == ["1", "2"]
    assert rr.score(made, PREDICTIONS).rows.equals(
        rr.score(pl.DataFrame(ROWS), pl.DataFrame(PREDICTIONS)).rows
    )


def test_pandas_and_its_gaps() -> None:
    pandas = pytest.importorskip("pandas")
    numbered = pandas.DataFrame(ROWS).assign(id=[1, 2])
    assert rr.predict("constant", numbered)["id"].to_list() == ["1", "2"]
    for broken in (pandas.DataFrame(ROWS).assign(premise=["x", None]), pandas.DataFrame([[1, 2]])):
        with pytest.raises(InputError):
            rr.predict("constant", broken)


@pytest.mark.parametrize("model", [len, lambda _, __: [], object(), type("Model", (), {"predict": len}), 3])
def test_objects_that_are_not_models_are_refused(model: Any) -> None:
    for ask in (lambda: call("predict", model=model), lambda: call("evaluate", models=[model])):
        with pytest.raises(InputError, match=r"predict\(pairs\)"):
            ask()


def test_a_set_in_memory_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="write_pairs"):
        call("evaluate", sets=rr.generate("tiny"))


@pytest.mark.parametrize("names", [["id", "label", "label"], ["id", "label", 1, "1"]])
def test_columns_of_pandas_with_one_name_are_refused(names: list[Any]) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [[str(number), "entailment", "neutral", "x"][: len(names)] for number in (1, 2)]
    with pytest.raises(InputError, match=f"predictions .*'{names[-1]}'"):
        rr.score(ROWS, pandas.DataFrame(rows, columns=names))


def test_gaps_of_pandas_are_gaps() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS)
    gaps = {
        "when": [pandas.NaT, pandas.NaT],
        "then": [pandas.NaT, pandas.Timestamp(0)],
        "what": [pandas.NA, "x"],
    }
    assert rr.predict("constant", table.assign(**gaps)).height == 2
    with pytest.raises(InputError, match=r"pairs .* premise in row 0"):
        rr.predict("constant", table.assign(premise=[pandas.NaT, "x"]))
    with pytest.raises(InputError, match=r"pairs .*'hypothesis'"):
        rr.predict("constant", table.assign(hypothesis=[1, "x"]))


def test_a_lazy_table_of_a_missing_file_is_refused() -> None:
    with pytest.raises(InputError, match=r"pairs .*nofile\.parquet"):
        rr.predict("random", pl.scan_parquet("nofile.parquet"))


def test_a_table_in_the_place_of_a_name_is_called_a_table() -> None:
    table = pl.DataFrame(ROWS)
    for wrong in (table, [table], table.lazy()):
        kind = "LazyFrame" if isinstance(wrong, pl.LazyFrame) else "DataFrame"
        with pytest.raises(InputError, match=f"sets .* {kind}.*write_pairs"):
            call("evaluate", sets=wrong)
    with pytest.raises(InputError, match=r"name .* DataFrame.*write_pairs"):
        rr.generate(table)  # type: ignore[arg-type]
    for name, parameter in (("evaluate", "models"), ("compare", "by"), ("report", "folders")):
        assert re.search(f"{parameter} .* DataFrame", str(refusal(name, parameter, table)))
