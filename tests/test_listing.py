"""The list of models: every kind with its options, and no heavy library loaded to say so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import inside
from rightreasons.commands import listing
from rightreasons.core import options, registry
from rightreasons.experiments.declaration import EXPERIMENTS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "models.md"

HEAVY = ("torch", "transformers", "onnxruntime", "tokenizers", "httpx", "starlette", "uvicorn", "onnx")


def models() -> str:
    code, out, _ = inside("list", "models")
    assert code == 0
    return out


def test_every_kind_is_listed() -> None:
    heads = [line for line in models().splitlines() if line and not line.startswith(" ")]
    for kind in registry.MODELS:
        assert any(line.startswith(kind) for line in heads), kind
    assert [line.partition(": ")[0] for line in heads if line.startswith("file")] == ["file:PATH"]


def test_options_stand_below_the_name_with_their_choices() -> None:
    lines = models().splitlines()
    (file,) = [place for place, line in enumerate(lines) if line.startswith("file:PATH: ")]
    assert lines[file + 1].split() == ["options", "others=refuse|leave"]
    about = [line for line in lines if line.startswith("rules:")]
    assert len(about) == len(set(about)) == 3


def test_broken_models_do_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.MODELS, "broken", "rightreasons.models.nowhere:Nothing")
    shown = {name: (about, facts) for name, about, facts in listing._describe_models()}
    assert "can't be loaded" in shown["broken"][0]
    assert shown["broken"][1] == {}
    assert "constant" in shown
    assert "broken: The model 'broken'" in models()


def test_required_extras_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from rightreasons.models.baselines import Constant

    assert "install" not in dict(listing._describe_model("constant", Constant).__next__()[2])
    monkeypatch.setattr(Constant, "extra", "hf", raising=False)
    assert "pip install 'rightreasons[hf]'" in models()


def test_networks_are_listed_with_their_sizes() -> None:
    code, out, _ = inside("list", "trainers")
    assert code == 0
    lines = out.splitlines()
    esim = lines.index("esim: ESIM, as in AllenNLP")
    name, sizes = lines[esim + 1].split(maxsplit=1)
    assert name == "parameters"
    paper, small = sizes.split("; ")
    assert paper.startswith("4,331,103 ")
    assert small.startswith("483,703 ")
    assert small.endswith("-o preset=small")


@pytest.mark.parametrize(
    ("kind", "names"),
    [("trainers", [*registry.NETWORKS, *registry.TRAINERS]), ("exports", list(registry.EXPORTS))],
)
def test_every_part_is_listed(kind: str, names: list[str]) -> None:
    code, out, _ = inside("list", kind)
    assert code == 0
    heads = [line.partition(":")[0] for line in out.splitlines() if line and not line.startswith(" ")]
    assert heads == names


def test_every_experiment_is_listed() -> None:
    code, out, _ = inside("list", "experiments")
    assert code == 0
    heads = [line.partition(":")[0] for line in out.splitlines() if line and not line.startswith(" ")]
    assert heads == list(EXPERIMENTS)


def test_listing_loads_no_heavy_library() -> None:
    code = (
        "import sys; from rightreasons.cli import main; main(['list', 'models'], standalone_mode=False); "
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]; assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "constant" in done.stdout


def rows_of_the_page() -> dict[str, tuple[str, str]]:
    """Read the table of the reference page: what to install, and the options, by kind."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    found = {}
    for names, _, install, *rest in (row for row in rows if len(row) >= 3 and row[0].startswith("`")):
        kinds = {name.partition(":")[0] for name in re.findall(r"`([^`]+)`", names)}
        found |= {kind: (install, " ".join(rest)) for kind in kinds}
    return found


def test_the_page_has_every_kind_and_no_other() -> None:
    assert set(rows_of_the_page()) == {*registry.MODELS, "majority"}  # which evaluate computes


@pytest.mark.parametrize("kind", registry.MODELS)
def test_the_page_has_the_options_of_the_kind(kind: str) -> None:
    part = registry.get_model_class(kind)
    install, shown = rows_of_the_page()[kind]
    taken = [name for name in options.get_schema(part) if name not in options.list_required_options(part)]
    assert re.findall(r"`(\w+)`", shown) == taken
    assert (part.extra or "") in install
