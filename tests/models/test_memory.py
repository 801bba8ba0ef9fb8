"""Where memory is short, a batch is halved until it fits, and the answers stay the same."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tiny_networks
from rightreasons.core.errors import MissingPredictionsError
from rightreasons.models.huggingface import HuggingFace

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.models.transformer_job import TransformerJob

# A process of its own asks one large batch with little more memory than it has already.
CODE = """
import json, resource, sys
import polars as pl
from rightreasons.models.huggingface import HuggingFace

folder, backend = sys.argv[1:]
premise = "The doctor near the actor danced. " * 30
pairs = pl.DataFrame({"premise": [f"{premise}{i}" for i in range(600)], "hypothesis": ["The doctor danced."] * 600})
few = HuggingFace(folder, backend=backend, batch_size=20)
expected = few.predict(pairs.with_columns(id=pl.int_range(600).cast(pl.String)))
model = HuggingFace(folder, backend=backend, batch_size=600)
model.head
job = model.prepare(pairs)
(batch,) = job.batches
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 100_000_000, resource.RLIM_INFINITY))
answers = job.predict_batch(batch)
order = expected["label"].to_list()
far = max(abs(answers[c].to_numpy() - expected[c].to_numpy()[batch]).max() for c in answers.columns if c != "label")
same = answers["label"].to_list() == [order[i] for i in batch]
print(json.dumps([job.facts.get("halved_batches", 0), same, float(far)]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["torch", "onnx"])
def test_a_process_with_too_little_memory_goes_on(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("memory is limited through Linux's own files")
    folder = tiny_networks.save("bert", tmp_path / "bert", positions=300)
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    run = subprocess.run(
        [sys.executable, "-c", CODE, str(folder), backend], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    halved, same, far = json.loads(run.stdout.splitlines()[-1])
    assert halved > 0
    assert same
    assert far < 1e-4


class Cramped:
    """A backend that holds some tokens at a time and no more."""

    facts: dict[str, Any] = {}  # noqa: RUF012 - it stays empty
    batch_tokens = (100_000,)
    workers = 1

    def __init__(self, most: int) -> None:
        self.most, self.sizes = most, []

    def compute_logits(self, ids: np.ndarray, types: np.ndarray, mask: np.ndarray) -> np.ndarray:
        del types
        self.sizes.append(ids.size)
        if ids.size > self.most:
            raise MemoryError
        return np.stack([mask.sum(axis=1), ids[:, 1], ids[:, 2]], axis=1).astype(np.float32)


def job(backend: Cramped, tmp_path: Path) -> TransformerJob:
    model = HuggingFace(str(tiny_networks.save("bert", tmp_path / "bert")))
    vars(model)["network"] = backend
    return model.prepare(tiny_networks.PAIRS)


def test_what_did_not_fit_is_not_tried_again(tmp_path: Path) -> None:
    cramped = Cramped(300)
    asked = job(cramped, tmp_path)
    cramped.sizes.clear()
    everything = np.arange(len(asked.first_rows) - 1)
    answers = asked.predict_batch(everything)
    assert answers.equals(job(Cramped(10**6), tmp_path).predict_batch(everything))
    failed = sum(size > 300 for size in cramped.sizes)
    cramped.sizes.clear()
    asked.predict_batch(everything)
    assert 0 < failed == asked.facts["halved_batches"]
    assert not [size for size in cramped.sizes if size > 300]


def test_a_single_row_that_does_not_fit_is_unanswered(tmp_path: Path) -> None:
    cramped = Cramped(10**6)
    asked = job(cramped, tmp_path)
    cramped.most = 5
    with pytest.raises(MissingPredictionsError, match=r" \d+ tokens .*max_length"):
        asked.predict_batch(np.array([0, 1]))
