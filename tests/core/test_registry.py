from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from rightreasons.core import plugins as core_plugins
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path

HERE = "rightreasons.models.baselines"


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Stand in for installed packages: entry points that a test adds to."""
    found: list[EntryPoint] = []

    def entry_points(group: str) -> list[EntryPoint]:
        return [plugin for plugin in found if plugin.group == group]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    monkeypatch.setattr(core_plugins, "find_entry_points", core_plugins.find_entry_points.__wrapped__)
    return found


def test_the_built_in_names() -> None:
    assert registry.list_set_names()[:3] == ["hans", "hans-released", "stress/antonymy"]
    assert registry.list_model_names() == [
        "default",
        "hf:MODEL",
        "net:FOLDER",
        "onnx:FOLDER",
        "python:TARGET",
        "http:URL",
        "https:URL",
        "openai:MODEL",
        "rules:lexical-overlap",
        "rules:subsequence",
        "rules:constituent",
        "constant",
        "random",
        "file:PATH",
    ]


@pytest.mark.parametrize("name", ["hans", "hans-released"])
def test_every_built_in_set_keeps_the_contract(name: str) -> None:
    part = registry.make_set(name, {})
    plan = part.plan(size=None, limit=50, seed=0, split="eval")
    assert part.name == name
    assert part.version >= 1
    assert len(plan) == 50
    assert plan.rows(10, 20).equals(plan.rows(0, 50)[10:20])
    assert list(plan.schema) == plan.rows(0, 1).columns


@pytest.mark.parametrize("name", ["rules:lexical-overlap", "rules:constituent", "constant", "random"])
def test_a_model_calls_itself_what_it_is_called(name: str) -> None:
    assert getattr(registry.make_model(name, {}), "name", None) == name


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'hanz'.* hans"):
        registry.make_set("hanz", {})
    with pytest.raises(UnknownNameError, match=r"'constnt'.* constant"):
        registry.make_model("constnt", {})
    with pytest.raises(UnknownNameError, match=r"'rules:subsequences'.* rules:subsequence"):
        registry.make_model("rules:subsequences", {})


def test_a_missing_argument_is_refused_with_the_syntax() -> None:
    with pytest.raises(InputError, match="Use file:PATH"):
        registry.make_model("file", {})
    with pytest.raises(InputError, match="Use file:PATH"):
        registry.make_model("file:", {})
    with pytest.raises(UnknownNameError, match="rules:constituent"):
        registry.make_model("rules", {})


@pytest.mark.parametrize(
    "address",
    ["localhost:8765", "127.0.0.1:80", "gpu-machine:8000/nli", "[::1]:8000", "localhost", "Host.example:1"],
)
def test_an_address_without_http_gets_a_hint(address: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"Use http://{address} ")):
        registry.make_model(address, {})


@pytest.mark.parametrize("name", ["me:secret@host:80", "constnt:1a", "some:thing", "locahost"])
def test_what_is_no_address_gets_no_such_hint(name: str) -> None:
    with pytest.raises(UnknownNameError):
        registry.make_model(name, {})


def test_a_folder_that_is_taken_for_a_model_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        registry.make_model(str(tmp_path), {})
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(f"Use hf:{tmp_path} ")):
        registry.make_model(str(tmp_path), {})
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(InputError, match=re.escape(f"Use onnx:{tmp_path} ")):
        registry.make_model(str(tmp_path), {})
    (tmp_path / "network.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(f"Use net:{tmp_path} ")):
        registry.make_model(str(tmp_path), {})


def test_a_file_that_is_taken_for_a_model_gets_a_hint(tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("id,label\n")
    with pytest.raises(InputError, match="Use file:"):
        registry.make_model(str(answers), {})


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"'heuristic'.* 'rules:subsequence'"):
        registry.make_model("rules:subsequence", {"heuristic": "constituent"})


def test_a_toml_path_is_a_template_file_but_a_registered_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hans").write_text("")
    assert registry.is_template_file("my.toml")
    assert not registry.is_template_file("hans")
    assert registry.get_set_class("my.toml").__name__ == "TemplateFile"


def test_a_plugin_is_found_by_name(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("always", f"{HERE}:Constant", registry.MODEL_PLUGINS))
    assert "always" in registry.list_model_names()
    assert registry.get_model_class("always").__name__ == "Constant"


def test_a_plugin_may_not_take_a_built_in_name(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("constant", f"{HERE}:Random", registry.MODEL_PLUGINS))
    with pytest.raises(InputError, match=r"'constant': .* and "):
        registry.make_model("constant", {})
    assert "constant" in registry.list_model_names()  # what else there is can still be listed and suggested
    assert registry.get_model_class("random").__name__ == "Random"


def test_a_plugin_that_fails_to_load_is_an_input_error(plugins: list[EntryPoint]) -> None:
    plugins.append(EntryPoint("gone", "no_such_module:Gone", registry.SET_PLUGINS))
    with pytest.raises(InputError, match=r"'gone'.* no_such_module:Gone"):
        registry.make_set("gone", {})


@pytest.mark.parametrize("name", ["majority", "majority:neutral"])
def test_the_majority_baseline_is_not_a_model_that_one_can_name(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}.* constant:LABEL"):
        registry.make_model(name, {})
