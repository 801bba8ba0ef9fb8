"""The training corpora of audit-predicts have one size, and HANS-like pairs replace other pairs."""

from __future__ import annotations

import pytest

from rightreasons.experiments.audit_predicts import FOR_TRANSFORMERS, SIZE, AuditPredicts, list_training_mixes
from rightreasons.experiments.corpora import ROLES, list_mixed_roles
from rightreasons.experiments.declaration import Setting
from rightreasons.experiments.learners import SCALES
from rightreasons.training.edits import parse_edit


@pytest.mark.parametrize("scale", SCALES)
def test_all_training_corpora_have_the_same_size(scale: str) -> None:
    setting = Setting(SCALES[scale], ("da",), (0, 1))
    sizes = set()
    for part in AuditPredicts().parts(setting):
        added = sum(int(parse_edit(edit)[1]["size"]) for edit in part.edits)
        assert part.size is not None
        sizes.add(part.size + added)
    assert sizes == {min(SIZE, SCALES[scale].most_pairs or SIZE)}


def test_the_corpora_are_at_least_eight_and_have_known_roles() -> None:
    mixes = list_training_mixes(Setting(SCALES["quick"], ("da",)))
    natural = [mix for mix in mixes if not mix.added]
    assert len(natural) >= 8
    assert len({mix.name for mix in mixes}) == len(mixes)
    assert all(role in ROLES for mix in mixes for role in list_mixed_roles(mix.train))
    added = {mix.added: mix.only for mix in mixes if mix.name.endswith("contradicting")}
    assert added == {30: "non-entailment", 300: "non-entailment", 3_000: "non-entailment"}
    assert {mix.added for mix in mixes if mix.only == "all"} == {300, 3_000}


def test_transformers_are_trained_on_eight_corpora_but_on_all_at_the_scale_of_the_paper() -> None:
    for scale, count in (("quick", 8), ("paper", 14)):
        parts = AuditPredicts().parts(Setting(SCALES[scale], ("minilm", "da")))
        corpora = [part.variant for part in parts if part.model == "minilm"]
        assert len(corpora) == count
        assert len([part for part in parts if part.model == "da"]) == 14
        assert set(FOR_TRANSFORMERS) <= set(corpora)
