"""The experiment with pretrained encoders: what it trains on what, and the whole line at a tiny scale."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.experiments import nps_pretraining, run
from rightreasons.experiments.declaration import ExperimentPart, RoleFile, Setting
from rightreasons.experiments.learners import find_scale
from rightreasons.reports.exhibits.published_comparison import HERE

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")


def parts(*models: str, scale: str = "quick", seeds: int = 1) -> list[ExperimentPart]:
    return nps_pretraining.NpsPretraining().parts(Setting(find_scale(scale), models, tuple(range(seeds))))


def test_each_encoder_is_trained_on_what_the_paper_has() -> None:
    found = parts("jiant", seeds=2)
    assert [part.variant for part in found[::2]] == list(nps_pretraining.TASKS)
    first = {part.variant: part.options.get("encoder") for part in found if part.seed == 1}
    assert first["random encoder"] is None
    roles = {}
    for task, encoder in first.items():
        if isinstance(encoder, ExperimentPart):
            assert encoder.seed == 1
            roles[task] = encoder.options.get("material")
    assert roles == {
        "MNLI first": None,
        "tagging first": RoleFile("tagged"),
        "captions first": RoleFile("captions"),
        "language model first": RoleFile("words"),
    }
    assert all(part.options["frozen"] for part in found)
    assert all(part.size == nps_pretraining.QUICK_PAIRS for part in found)
    assert all(part.size is None for part in parts("jiant", scale="paper"))


def test_models_without_such_an_encoder_are_asked_as_they_are() -> None:
    (only,) = parts("cbow")
    assert (only.row, dict(only.options)) == ("CBOW", {})
    with pytest.raises(InputError, match="SPINN reads parses"):
        parts("spinn")


def test_negation_is_found_as_a_word() -> None:
    texts = [
        "He didn't go.",
        "He did not go.",
        "No one went.",
        "He noted it.",
        "He can\u2019t.",
        "Another nothing",
    ]
    found = pl.Series(texts).str.contains(nps_pretraining.NEGATED_PATTERN)
    assert found.to_list() == [True, True, True, False, True, True]


def test_few_pairs_get_exact_intervals() -> None:
    value = nps_pretraining.compute_exact_accuracy(pl.Series([False] * 88))
    assert value.mean == 0
    assert value.low == 0
    assert value.high == pytest.approx(1 - 0.025 ** (1 / 88))
    half = nps_pretraining.compute_exact_accuracy(pl.Series([True] * 5 + [False] * 5))
    assert half.low == pytest.approx(0.18709, abs=1e-4)
    assert half.high == pytest.approx(0.81291, abs=1e-4)


@pytest.mark.slow
def test_the_whole_line_at_a_tiny_scale(tmp_path: Path, tiny_corpora: dict[str, list[str]]) -> None:
    chance = random.Random(0)  # noqa: S311 - no secret
    words = ["dog", "car", "girl", "sea", "boat", "man"]
    lines = [f"{row // 2}.jpg#{row % 2}\ta {' '.join(chance.sample(words, 3))}" for row in range(120)]
    captions = tmp_path / "captions.token"
    captions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    roles = {"tagged": tiny_corpora["parsed-train"], "words": ["pocket"], "captions": [str(captions)]}
    out = tmp_path / "out"
    found = run(
        "nps-pretraining",
        out=out,
        scale="tiny",
        models=["jiant"],
        corpora=tiny_corpora | roles,
        workers=0,
        models_in=tmp_path / "models",
        allow_overlap=True,
    )
    text = (out / "table.md").read_text(encoding="utf-8")
    for stood_in in ("the supertags of CCGbank", "WikiText-103", "the image features of COCO"):
        assert f"stand in for {stood_in}" in text
    rows = pl.read_csv(out / "table.csv")
    assert rows.filter(pl.col("source") != HERE).height == 18
    ours = rows.filter(pl.col("source") == HERE)
    assert set(ours["model"]) == {f"jiant BiLSTM, {task}" for task in nps_pretraining.TASKS}
    assert {"mnli_dev_matched", "nps", "nps_no_negation", "nps_lexicon"} <= set(ours["column"])
    weights = [_encoder(job.folder / "model") for _, job in found.jobs]
    assert len({json.dumps(one) for one in weights}) == 5, "five encoders, none like another"


def _encoder(folder: Path) -> list[float]:
    from safetensors.torch import load_file

    weights: list[float] = load_file(folder / "weights.safetensors")["net.encoder.onward.weight_ih_l0"][
        0
    ].tolist()
    return weights
