"""What an evaluation does once: each model is built once, and its predictions are aligned with a set once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import rightreasons as rr
from rightreasons.core import labels, registry
from rightreasons.models.remote import prompts
from rightreasons.runs import collection, folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def counting(counts: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*words: Any, **options: Any) -> Any:
        counts[name] += 1
        return function(*words, **options)

    return counted


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    counts: Counter[str] = Counter()
    monkeypatch.setattr(registry, "make_model", counting(counts, "built", registry.make_model))
    monkeypatch.setattr(labels, "compare_labels", counting(counts, "compared", labels.compare_labels))
    monkeypatch.setattr(folder, "read_run", counting(counts, "read", folder.read_run))
    monkeypatch.setattr(
        collection, "read_run_predictions", counting(counts, "read", collection.read_run_predictions)
    )
    return counts


def test_models_are_built_once_and_labels_compared_once(tmp_path: Path, counts: Counter[str]) -> None:
    run = rr.evaluate("toy", sets=["tiny", "hans"], limit=24, out=tmp_path / "run", parses="labelled")
    assert counts["built"] == len(run.models) - 1  # the majority baseline is no model
    assert counts["compared"] == len(run.notes)
    assert counts["read"] == 0


def test_each_prompt_is_built_once(tmp_path: Path, counts: Counter[str]) -> None:
    names = prompts.list_prompts()[:3]
    rr.evaluate("toy", sets="tiny", out=tmp_path / "run", baselines=False, prompts=names, html=False)
    assert counts["built"] == len(names)
