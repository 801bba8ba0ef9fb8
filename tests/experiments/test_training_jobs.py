"""What determines a model determines its key, and wrong options are found before any training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from rightreasons.experiments.corpora import ExperimentCorpora
from rightreasons.experiments.declaration import ExperimentPart, TestSet
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.testsets import write_test_sets
from rightreasons.experiments.training_jobs import _DEFAULT_WIDTHS, JobList
from rightreasons.nets import NETS

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

CORPORA = {"mnli-train": ["pocket"], "mnli-dev-matched": ["pocket"]}


def jobs_in(folder: Path) -> JobList:
    corpora = ExperimentCorpora(CORPORA)
    tests = write_test_sets([TestSet("hans", set="hans-released")], corpora, SCALES["tiny"], folder / "sets")
    return JobList(folder / "models", corpora, SCALES["tiny"], tests, None)


def test_a_wrong_option_is_found_before_any_part_is_begun(tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match="epochs is -1"):
        jobs_in(tmp_path).add(ExperimentPart("cbow", "mnli-train", options={"epochs": -1}))
    assert not list((tmp_path / "models").glob("cbow*"))


def test_what_decides_a_model_decides_its_key(tmp_path: Path) -> None:
    jobs = jobs_in(tmp_path)
    base = ExperimentPart("cbow", "mnli-train", tests=("hans",))
    others = [
        ExperimentPart("cbow", "mnli-train", seed=1),
        ExperimentPart("cbow", "mnli-train", edits=("merge",)),
        ExperimentPart("cbow", "mnli-train", size=60),
        ExperimentPart("cbow", "mnli-train", options={"epochs": 2}),
        ExperimentPart("da", "mnli-train"),
    ]
    keys = {jobs.add(part).key for part in (base, *others)}
    assert len(keys) == 6
    assert (
        jobs.add(ExperimentPart("cbow", "mnli-train", variant="by another name", claim="x")).key
        == jobs.add(base).key
    )


def test_networks_take_vectors_of_any_width(tmp_path: Path) -> None:
    keys = set()
    for width, given in ((100, None), (7, 7)):
        vectors = tmp_path / f"{width}.txt"
        vectors.write_text(f"the {' '.join(['0.5'] * width)}\n", encoding="utf-8")
        corpora = ExperimentCorpora(CORPORA)
        job = JobList(tmp_path / "models", corpora, SCALES["tiny"], {}, vectors).add(
            ExperimentPart("cbow", "mnli-train")
        )
        assert job.options.get("width") == given, "a width that networks expect is not said"
        keys.add(job.key)
    assert len(keys) == 2


def test_the_usual_widths_are_those_of_the_networks() -> None:
    """Where they are not, a width that is not asked for would be left to another default."""
    from rightreasons.training.pretraining import get_encoder_sizes

    for name in NETS:
        widths = {preset: NETS[name].get_default_size("width", preset) for preset in _DEFAULT_WIDTHS}
        assert widths == _DEFAULT_WIDTHS, name
    assert {preset: get_encoder_sizes(preset)["width"] for preset in _DEFAULT_WIDTHS} == _DEFAULT_WIDTHS  # type: ignore[arg-type]
