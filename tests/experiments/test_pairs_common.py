"""The experiments on random and simple pairs: what is trained on what, the rules of SICK, and the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.experiments import pairs_common, pairs_refine
from rightreasons.experiments.corpora import ExperimentCorpora, write_training_files
from rightreasons.experiments.declaration import ExperimentPart, RoleFile, Setting
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.pairs_random import PairsRandom
from rightreasons.experiments.pairs_refine import PairsRefine
from rightreasons.experiments.pairs_sick_ablation import FEW, RULES, PairsSickRules
from rightreasons.experiments.tables import read_published_rows
from rightreasons.experiments.testsets import list_required_roles
from rightreasons.training.edits import apply_edit, apply_edits

if TYPE_CHECKING:
    from pathlib import Path

QUICK = Setting(SCALES["quick"], ("minilm", "da"))
PAPER = Setting(SCALES["paper"], ("bert", "albert"))


def test_random_pair_draws_hypotheses_from_three_sources() -> None:
    mnli, snli = pairs_common.make_random_tests(QUICK, 5_000)
    assert mnli.options["corpus"] == (RoleFile("mnli-dev-matched"), RoleFile("mnli-dev-mismatched"))
    assert snli.options["corpus"] == (RoleFile("snli-test"),)
    assert mnli.options["hypotheses"] == snli.options["hypotheses"]
    assert len(mnli.options["hypotheses"]) == 3
    assert [test.limit for test in pairs_common.make_random_tests(PAPER, 5_000)] == [None, None]
    assert set(list_required_roles([mnli], ExperimentCorpora({}))) == {
        "mnli-dev-matched",
        "mnli-dev-mismatched",
        "snli-test",
    }


def test_each_model_is_judged_by_the_test_of_its_corpus() -> None:
    claims = {part.train: part.claim for part in PairsRandom().parts(QUICK)}
    assert claims == {
        "mnli-train": "mnli_dev_matched",
        "snli-train": "snli_test",
        "sick-train": "sick_test",
    }
    assert all(part.claim in part.tests for part in PairsRandom().parts(QUICK))


def test_the_appendix_decides_at_the_papers_scale_alone() -> None:
    recipes = {(part.model, part.variant): dict(part.options) for part in PairsRandom().parts(PAPER)}
    assert recipes["bert", "SNLI"] == {"learning_rate": 3e-5, "epochs": 2, "weight_decay": 0.1}
    assert recipes["albert", "MNLI"] == {"learning_rate": 2e-5, "epochs": 3, "weight_decay": 0.0}
    assert all(not part.options for part in PairsRandom().parts(QUICK))


def test_every_rule_is_left_out_once_and_few_by_transformers() -> None:
    parts = PairsSickRules().parts(QUICK)
    left_out = {model: [part.edits for part in parts if part.model == model] for model in QUICK.models}
    assert len(left_out["da"]) == 1 + len(RULES) == 12
    assert len(left_out["minilm"]) == 1 + len(FEW)
    assert left_out["da"][:3] == [(), ("drop-rule:rules=unrel",), ("drop-rule:rules=lex,so",)]
    assert len(PairsSickRules().parts(Setting(SCALES["paper"], ("albert",)))) == 12


def test_the_rules_have_the_names_of_the_published_table() -> None:
    printed = {line.trained_on for line in read_published_rows("pairs_more", ["4"])}
    assert printed == {"SICK", *(f"SICK without: {rule}" for rule in RULES)}


def test_published_changes_are_recomputed() -> None:
    lines = {line.trained_on: line for line in read_published_rows("pairs_more", ["4"])}
    full, less = lines["SICK"], lines["SICK without: add modifiers"]
    key = pairs_common.name_neutral_column("P1.P2")
    assert full.values[key].mean == 0.534
    assert less.values[key].mean - full.values[key].mean == pytest.approx(-0.408)  # printed: -50.8


def test_models_are_trained_on_from_those_of_the_other_experiments() -> None:
    first = {part.name: part for part in PairsRandom().parts(QUICK)}
    refined = [part for part in PairsRefine().parts(QUICK) if part.edits]
    assert len(refined) == 4
    for part in refined:
        base = part.options["encoder" if part.model == "minilm" else "start"]
        assert isinstance(base, ExperimentPart)
        known = first[f"{part.row.removesuffix(', then SICK')}, seed 0"]
        assert (base.train, base.size, base.options) == (known.train, known.size, known.options)
        assert part.options["keep"] == "last"


@pytest.mark.parametrize(("setting", "rate"), [(PAPER, 2e-6), (QUICK, 1e-5)])
def test_training_on_is_ten_times_as_slow(setting: Setting, rate: float) -> None:
    rates = [
        part.options["learning_rate"] for part in PairsRefine().parts(setting) if "encoder" in part.options
    ]
    assert rates == pytest.approx([rate] * len(rates))
    assert len(rates) >= 2


def test_the_transposed_block_is_put_right() -> None:
    lines = {(line.model, line.trained_on): line for line in pairs_refine._read_table_5()}
    assert len(lines) == 12
    after = lines["BERT", "MNLI, then 450 pairs of SICK"].values
    assert after[pairs_common.name_neutral_column("random_SNLI")].mean == 0.634
    assert lines["BERT", "SNLI"].values[pairs_common.name_neutral_column("random_MNLI")].mean == 0.243
    assert after[pairs_common.OWN].mean == 0.8067


def test_only_the_pairs_of_some_rules_may_be_kept(tiny_corpora: dict[str, list[str]]) -> None:
    sick = ExperimentCorpora(tiny_corpora).read_pairs("sick").pairs
    kept, dropped = (
        apply_edit(sick, f"drop-rule:rules=unrel,ws,others={others}") for others in ("true", "false")
    )
    assert kept.height + dropped.height == sick.height
    assert set(kept["rule"].drop_nulls()) == {"ws"}
    assert set(kept.filter(pl.col("rule").is_null())["pair_type"]) == {"unrel"}


def test_an_even_sample_has_as_many_of_each_label(tiny_corpora: dict[str, list[str]]) -> None:
    sick = ExperimentCorpora(tiny_corpora).read_pairs("sick").pairs
    few = pl.concat([sick.filter(label="neutral").head(7), sick.filter(pl.col("label") != "neutral")])
    for size, each in ((9, 3), (450, 7)):
        drawn = apply_edit(few, f"subsample:size={size},even=true")
        assert dict(drawn["label"].value_counts().iter_rows()) == dict.fromkeys(few["label"].unique(), each)


def test_weights_are_chosen_by_the_trial_part_of_sick(
    tiny_corpora: dict[str, list[str]], tmp_path: Path
) -> None:
    known = ExperimentCorpora(tiny_corpora)
    made = write_training_files(tmp_path, known, "sick-train", size=None, dev=40)
    train, dev = (pl.read_parquet(file) for file in (made.train, made.dev))
    assert (set(train["SemEval_set"]), set(dev["SemEval_set"])) == ({"TRAIN"}, {"TRIAL"})
    rest = write_training_files(tmp_path, known, "sick-outside-test", size=None, dev=40)
    chosen_by = pl.read_parquet(rest.dev)
    assert set(chosen_by["SemEval_set"]) == {"TRIAL"}
    taken = apply_edits(pl.read_parquet(rest.train), pairs_refine.EDITS).pairs
    assert taken.join(chosen_by, on="id", how="semi").is_empty()


def test_three_rules_of_sick_have_69_contradictions_outside_the_test(shared_data: Path) -> None:
    known = ExperimentCorpora({"sick": [str(shared_data / "sick" / "SICK_annotated.txt")]})
    taken = apply_edits(known.read_pairs("sick-outside-test").pairs, pairs_refine.EDITS).pairs
    assert dict(taken["label"].value_counts().iter_rows()) == dict.fromkeys(
        ("entailment", "neutral", "contradiction"), 69
    )
    assert known.read_pairs("sick-train").pairs.height == 4_439
    assert known.read_pairs("sick-test").pairs.height == 4_906
