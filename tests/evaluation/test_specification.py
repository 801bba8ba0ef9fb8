"""The specification of a run: which option, flag, prompt and corpus goes to which set and model."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.evaluation.models import BASELINES, build_models
from rightreasons.evaluation.sets import expand_set_patterns
from rightreasons.evaluation.specification import Specification, shorten_name, split_names
from rightreasons.models.remote import prompts


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")


def _resolve_options(*models: str, baselines: bool = False, **more: Any) -> dict[str, Any]:
    """Return the options of each model of a run, by name."""
    prompts = split_names(more.pop("prompts", ()))
    entries = build_models(Specification(models, baselines=baselines, prompts=prompts, **more))
    return {entry.name: entry.options for entry in entries}


def test_flags_go_to_the_models_that_accept_them() -> None:
    found = _resolve_options("toy:neutral", "constant", flags={"batch-size": 8}, baselines=True)
    assert found.pop("toy:neutral") == {"batch_size": 8}
    assert found == {name: {} for name in ("constant", "majority", *BASELINES)}


def test_a_flag_never_goes_to_an_added_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rightreasons.evaluation.models.BASELINES", ("toy",))
    assert _resolve_options("toy:neutral", flags={"batch_size": 8}, baselines=True)["toy:entailment"] == {}
    with pytest.raises(InputError, match=r"'constant' .*--batch-size"):
        _resolve_options("constant", flags={"batch_size": 8}, baselines=True)


def test_a_flag_that_no_model_accepts_is_refused() -> None:
    with pytest.raises(InputError, match=r"'toy:neutral', 'random' .*--max-cost"):
        _resolve_options("toy:neutral", "random", flags={"max_cost": 1})
    with pytest.raises(InputError, match=r"'toy:neutral' .*--word"):
        _resolve_options("toy:neutral", flags={"word": "entailment"})  # it is in the name already


def test_options_with_an_owner_come_before_plain_ones_and_flags() -> None:
    options = {"batch-size": "3", "toy.batch_size": "4", "toy:neutral.batch-size": "5"}
    found = _resolve_options("toy:neutral", "toy:entailment", options=options, flags={"batch_size": 2})
    assert found == {"toy:neutral": {"batch_size": "5"}, "toy:entailment": {"batch_size": "4"}}
    assert _resolve_options("toy", options={"batch-size": "3"}, flags={"batch_size": 2}) == {
        "toy:entailment": {"batch_size": "3"}
    }


def test_every_prompt_has_its_own_entry() -> None:
    names = prompts.list_prompts()[:2]
    entries = build_models(
        Specification(("constant", "toy"), baselines=False, prompts=tuple(names), flags={"batch_size": 8})
    )
    assert [entry.name for entry in entries] == ["constant", *(f"toy:entailment [{name}]" for name in names)]
    assert [entry.part.prompt for entry in entries[1:]] == names  # type: ignore[attr-defined]
    cards = [entry.describe() for entry in entries]
    assert "prompt" not in cards[0]
    assert "of" not in cards[0]
    assert [(card["prompt"], card["of"], card["given"]) for card in cards[1:]] == [
        (name, "toy:entailment", "toy") for name in names
    ]
    assert cards[1]["options"] == {"batch_size": 8, "prompt": names[0]}
    assert len({entry.slug for entry in entries}) == 3


def test_one_model_under_several_prompts_has_one_budget() -> None:
    named = ("openai:one@http://localhost:1/v1", "openai:two@http://localhost:1/v1")
    both = tuple(prompts.list_prompts()[:2])
    entries = build_models(Specification(named, baselines=False, prompts=both, flags={"max_requests": 5}))
    first, again, other, _ = (entry.part.budget for entry in entries)  # type: ignore[attr-defined]
    assert first is again
    assert first is not other
    assert first.max_requests == 5


def test_all_prompts_are_those_in_the_package() -> None:
    found = _resolve_options("toy", prompts="all")
    assert list(found) == [f"toy:entailment [{name}]" for name in prompts.list_prompts()]
    assert len(found) > 1
    assert list(_resolve_options("toy", prompts="mine.toml")) == ["toy:entailment [mine.toml]"]


def test_unknown_and_unused_prompts_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"prompt .*'nonsense'"):
        _resolve_options("toy", prompts="nonsense")
    with pytest.raises(InputError, match=r"--prompts\.$"):
        _resolve_options("constant", prompts="all")
    with pytest.raises(InputError, match=r"toy .*--prompts .*-o prompt\b"):
        _resolve_options("toy", prompts="all", options={"prompt": "plain"})


def test_a_run_keeps_prompts_apart() -> None:
    names = [name for name in prompts.list_prompts() if "false" in name][:1]
    names += [name for name in prompts.list_prompts() if "false" not in name][:1]
    run = rr.evaluate("toy", sets="tiny", out="run", baselines=False, prompts=names, flags={"batch_size": 8})
    assert run.models == [f"toy:entailment [{name}]" for name in names]
    whole = run.scores.filter(pl.col("by") == "", pl.col("gold") == "entailment")
    assert dict(whole.select("model", "accuracy").rows()) == {run.models[0]: 0.0, run.models[1]: 1.0}
    card = json.loads(Path("run/card.json").read_text())
    assert [entry["prompt"] for entry in card["models"]] == names
    words = shlex.split(card["command"])
    assert words[:3] == ["rightreasons", "evaluate", "toy"]
    assert words[words.index("--prompts") + 1] == ",".join(names)
    assert words[words.index("--batch-size") + 1] == "8"
    assert words.count("toy") == 1


def test_a_plain_option_goes_to_sets_and_models_alike() -> None:
    run = rr.evaluate("toy", sets=["tiny", "hans"], out="run", limit=40, baselines=False, parses="binary")
    assert [entry["options"]["parses"] for entry in run.card["sets"]] == ["binary", "binary"]
    assert run.card["models"][0]["options"] == {"parses": "binary"}
    with pytest.raises(UnknownNameError, match=r"option .*'word'"):
        rr.evaluate("toy:neutral", sets="tiny", out="other", word="entailment")


def test_the_commands_accept_the_flags() -> None:
    words = ("--batch-size", "16", "-o", "prompt=false")
    assert inside("evaluate", "toy", "--sets", "tiny", "--out", "run", *words)[0] == 0
    card = json.loads(Path("run/card.json").read_text())
    assert card["models"][0]["options"] == {"batch_size": 16, "prompt": "false"}
    Path("run/sets/tiny.parquet").rename("tiny.parquet")
    assert inside("predict", "toy", "tiny.parquet", "--out", "answers.csv", *words)[0] == 0
    assert set(pl.read_csv("answers.csv")["label"]) == {"contradiction"}


@pytest.mark.parametrize(
    "command", [("evaluate", "toy", "--out", "run"), ("predict", "toy", "tiny", "--out", "a.csv")]
)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--batch-size", "0"), "'--batch-size': 0 "),
        (("--batch-size", "some"), "'--batch-size': 'some'"),
        (("--max-cost", "-1"), "'--max-cost': -1 "),
        (("--max-cost", "nan"), "'--max-cost': nan "),
        (("--max-cost", "much"), "'--max-cost': 'much'"),
        (("--max-requests", "0"), "'--max-requests': 0 "),
        (("--max-requests", "10"), "--max-requests"),
        (("--device", "cpu"), "--device"),
        (("-o", "toy-prompt=a", "-o", "toy_prompt=b"), "'toy_prompt'"),
    ],
)
def test_invalid_flags_are_refused(command: tuple[str, ...], words: tuple[str, ...], expected: str) -> None:
    assert expected in refused(inside, *command, *words)


def test_auto_is_the_default_batch_size() -> None:
    assert inside("evaluate", "toy", "--sets", "tiny", "--out", "run", "--batch-size", "auto")[0] == 0
    assert json.loads(Path("run/card.json").read_text())["models"][0]["options"] == {}


@pytest.mark.slow
def test_all_sets_are_those_that_are_registered() -> None:
    assert expand_set_patterns(["all"]) == tuple(registry.list_set_names())
    run = rr.evaluate("constant", sets="all", limit=12, out="run", baselines=False)
    assert run.sets == registry.list_set_names()
    assert {entry["rows"] for entry in run.card["sets"]} == {12}


def test_full_is_the_default_size_of_a_set() -> None:
    run = rr.evaluate("constant", sets=["hans", "nps"], size="full", out="run", baselines=False)
    assert [entry["rows"] for entry in run.card["sets"]] == [30_000, 4_000]
    with pytest.raises(InputError, match="--limit 5"):
        rr.evaluate("constant", size="full", limit=5, out="other")
    with pytest.raises(InputError, match=r"'whole'.*full"):
        rr.evaluate("constant", size="whole", out="other")


def test_the_commands_accept_a_full_size() -> None:
    code, out, stderr = inside("generate", "tiny", "--size", "full")
    assert code == 0, stderr
    assert out == inside("generate", "tiny")[1]
    assert "--size full and --limit " in refused(inside, "generate", "tiny", "--size", "full", "--limit", 3)
    assert "'--size': 'fully'" in refused(inside, "generate", "tiny", "--size", "fully")


PAIRS = pl.DataFrame(
    {
        "id": [f"p{n}" for n in range(6)],
        "premise": [f"Tom bought {n + 12} apples." for n in range(6)],
        "hypothesis": [f"The dog {n} was very happy about it." for n in range(6)],
        "label": ["entailment", "neutral", "contradiction"] * 2,
    }
)
PROBLEM = (
    '{"question": "Tom has 12 apples and buys 30 pears. How many?", "rationale": "42", "correct": "A"}\n'
)


@pytest.fixture
def corpora() -> None:
    PAIRS.write_csv("pairs.csv")
    Path("problems.json").write_text(
        PROBLEM.replace('"correct"', '"options": ["A)42"], "correct"'), encoding="utf-8"
    )


@pytest.mark.usefixtures("corpora")
def test_named_corpora_go_to_the_sets_that_can_read_them() -> None:
    sets = ["stress/negation", "stress/numerical", "nps", "random-pair"]
    run = rr.evaluate(
        "constant",
        sets=sets,
        corpus=["mnli=pairs.csv", "aqua=problems.json"],
        out="run",
        baselines=False,
        **{"nps.short": "allow"},
    )
    sources = {entry["name"]: list(entry["sources"]) for entry in run.card["sets"]}
    assert sources == {
        "stress/negation": ["pairs.csv"],
        "stress/numerical": ["problems.json"],
        "nps": [],
        "random-pair": ["pairs.csv"],
    }
    remarks = {entry["name"]: " ".join(entry["remarks"]) for entry in run.card["sets"]}
    assert " mnli, aqua " in remarks["nps"]
    assert not {"mnli", "aqua"} & set(remarks["stress/negation"].split())
    words = shlex.split(run.card["command"])
    assert [words[at + 1] for at, word in enumerate(words) if word == "--corpus"] == [
        "mnli=pairs.csv",
        "aqua=problems.json",
    ]


@pytest.mark.usefixtures("corpora")
def test_word_problems_come_from_the_package_by_default() -> None:
    words = ("--sets", "stress/negation,stress/numerical", "--corpus", "mnli=pairs.csv", "--out", "run")
    code, _, stderr = inside("evaluate", "constant", *words)
    assert code == 0, stderr

    card = json.loads(Path("run/sets/stress-numerical.parquet.card.json").read_text())
    assert card["options"]["corpus"] == ["pocket"]
    (remark,) = (remark for remark in card["remarks"] if {"mnli", "pocket"} <= set(remark.split()))
    assert f"Note: stress/numerical: {remark}" in stderr


@pytest.mark.usefixtures("corpora")
def test_a_corpus_without_a_name_goes_to_every_set() -> None:
    rr.evaluate("constant", sets="stress/numerical", corpus="pairs.csv", out="run", baselines=False)
    card = json.loads(Path("run/sets/stress-numerical.parquet.card.json").read_text())
    assert card["options"]["corpus"] == ["pairs.csv"]


@pytest.mark.usefixtures("corpora")
def test_a_named_corpus_that_no_set_can_use_is_refused() -> None:
    words = ("evaluate", "constant", "--sets", "stress/negation", "--out", "run")
    message = refused(inside, *words, "--corpus", "mnli=pairs.csv", "--corpus", "aqua=problems.json")
    assert " aqua=problems.json" in message
    assert "nowhere.csv" in refused(inside, *words, "--corpus", "mnli=nowhere.csv")


HUMS = (
    "premise,hypothesis,label\nSomebody hums.,Somebody sings.,neutral\nSomebody hums.,They hum.,entailment\n"
)


@pytest.mark.parametrize(
    ("sets", "corpus", "called"),
    [
        ("stress/antonymy,stress/negation", "mine=hums.csv", "mine"),
        ("stress/an*,stress/neg*", "hums.csv", "hums.csv"),
    ],
)
def test_a_set_without_pairs_from_a_corpus_falls_back_to_the_package(
    sets: str, corpus: str, called: str
) -> None:
    Path("hums.csv").write_text(HUMS, encoding="utf-8")
    run = rr.evaluate("constant", sets=sets, corpus=[corpus], out="run", baselines=False)
    antonymy, negation = run.card["sets"]
    fallback = re.compile(rf" {called} .* pocket ")
    assert list(filter(fallback.search, antonymy["remarks"]))
    assert antonymy["options"]["corpus"] == ["pocket"]
    assert negation["options"]["corpus"] == [corpus]
    assert not list(filter(fallback.search, negation["remarks"]))


def test_nps_falls_back_if_a_pattern_selected_it() -> None:
    Path("hums.csv").write_text(HUMS, encoding="utf-8")
    run = rr.evaluate("constant", sets="np*,stress/neg*", corpus="hums.csv", out="run", baselines=False)
    assert any(" hums.csv " in remark for remark in run.card["sets"][0]["remarks"])


@pytest.mark.parametrize(
    ("sets", "corpus"),
    [
        ("stress/antonymy", "mine=hums.csv"),
        ("stress/an*", "hums.csv"),
        ("stress/antonymy,stress/negation", "hums.csv"),
    ],
)
def test_a_corpus_given_for_a_set_must_give_pairs(sets: str, corpus: str) -> None:
    Path("hums.csv").write_text(HUMS, encoding="utf-8")
    words = ("evaluate", "constant", "--sets", sets, "--corpus", corpus, "--out", "run")
    assert re.match(r"Error: .*\bstress/antonymy\b", refused(inside, *words))


def test_a_corpus_for_sets_without_corpus_is_refused() -> None:
    words = ("evaluate", "constant", "--sets", "hans,tiny", "--corpus", "pocket", "--out", "run")
    assert "--corpus" in refused(inside, *words)


def test_a_limit_is_the_maximum_for_each_of_several_sets() -> None:
    words = ("evaluate", "constant", "--no-baselines", "--out", "run")
    code, _, stderr = inside(*words, "--sets", "hans,stress/antonymy", "--limit", 200)
    assert code == 0, stderr
    assert re.search(r"^Note: stress/antonymy: .* 152 .* 200 ", stderr, re.MULTILINE)
    card = json.loads(Path("run/card.json").read_text())
    assert [entry["rows"] for entry in card["sets"]] == [200, 152]


@pytest.mark.parametrize(
    "words",
    [
        ("--sets", "stress/antonymy", "--limit", 200),
        ("--sets", "hans,stress/antonymy", "--size", 100),
        ("--sets", "hans,stress/antonymy", "--limit", 200, "-o", "short=refuse"),
    ],
)
def test_too_few_pairs_are_an_error_with_the_name_of_the_set(words: tuple[object, ...]) -> None:
    message = refused(inside, "evaluate", "constant", "--no-baselines", "--out", "run", *words)
    assert message.startswith("Error: stress/antonymy: ")
    assert "short=allow" in message


def test_generate_names_the_set_with_too_few_pairs() -> None:
    message = refused(inside, "generate", "stress/antonymy", "--limit", 200, "--out", "x.csv")
    assert re.match(r"Error: stress/antonymy: .* 152 .* 200 ", message)


@pytest.mark.parametrize(
    ("name", "brief"),
    [
        ("file:/a/b.csv", "file:b.csv"),
        ("hf:owner/model", "hf:model"),
        ("http://127.0.0.1:80/ask", "http://127.0.0.1:80/ask"),
        ("openai:owner/gpt@http://127.0.0.1:80/v1", "openai:gpt"),
        ("openai:gpt@https://host/v1", "openai:gpt"),
        ("python:a.b:c", "python:a.b:c"),
        ("constant", "constant"),
    ],
)
def test_shortened_names(name: str, brief: str) -> None:
    assert shorten_name(name) == brief
