"""`pairs-refine`: models of MNLI and SNLI, fine-tuned on a few hundred pairs of SICK's three best rules (Table 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rightreasons.experiments import pairs_common, pairs_random, pairs_simple
from rightreasons.experiments.declaration import Experiment
from rightreasons.experiments.learners import TRANSFORMER
from rightreasons.experiments.tables import ExperimentTable, merge_rows, read_published_rows
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports.exhibits.published_comparison import TableHeading
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting, TestSet
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow

FIRST_CORPORA = ("mnli", "snli")
EDITS = ("drop-rule:rules=unrel,ws,lex,so,others=true", "subsample:size=450,even=true")
CITED = "Table 5 and Appendix Tables 1 and 5"
RATE_FACTOR = 0.1  # of the first learning rate: 2e-6 after 2e-5
FEWER = (
    "The paper uses 450 pairs, 150 of each label. Outside its test part, SICK has only 69 contradictions by these "
    "three rules (unrelated sentences, scrambled words, replaced words; 146 with the test part), so 69 of each label "
    "are used."
)
SLOWLY = (
    "Fine-tuned for 3 epochs in batches of 16 at a tenth of the model's original learning rate (the paper: 2e-6 after "
    "2e-5); the last checkpoint is kept."
)
TRANSPOSED = (
    "In the paper, the block of Random Pair in Table 5 is transposed: MNLI models on premises of SNLI are swapped with "
    "SNLI models on premises of MNLI. This table has the corrected figures."
)
BEFORE = "The paper's rows of models before fine-tuning are computed from its printed changes."


class PairsRefine(Experiment):
    """Models fine-tuned on pairs of SICK: Table 5 of the paper."""

    name = "pairs-refine"
    about = "models of MNLI and SNLI fine-tuned on pairs of three rules of SICK"
    models = pairs_common.MODELS
    paper_models = pairs_common.PAPER_MODELS
    notes = (pairs_common.STANDS_IN, FEWER, SLOWLY)

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """The test sets of pairs-random and pairs-simple."""
        random = pairs_common.make_random_tests(setting, pairs_random.LIMIT)
        simple = pairs_common.make_simple_test(setting, pairs_simple.LIMIT)
        return [*random, simple, *pairs_common.list_own_test_sets(FIRST_CORPORA)]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on a corpus, and then on pairs of SICK."""
        tests = self.test_sets(setting)
        first_parts = [
            pairs_common.make_pairs_part(setting, model, corpus, seed, tests)
            for model in setting.models
            for corpus in FIRST_CORPORA
            for seed in setting.seeds
        ]
        return [part for first in first_parts for part in (first, _make_refined_part(setting, first))]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 5: models before and after fine-tuning."""
        title = "Fine-tuned on pairs of SICK: Table 5 of the paper"
        heading = TableHeading(self.name, title, pairs_common.RULE)
        ours = [
            results.make_row(
                row, pairs_common.read_all_cells(results, row), _describe_both_trainings(results, row)
            )
            for row in results.rows
        ]
        notes = (TRANSPOSED, BEFORE, pairs_common.OWN_NOTE)
        rows = [*_read_table_5(), *ours]
        return [ExperimentTable.build_with_models_as_rows(heading, pairs_common.ALL_COLUMNS, rows, notes)]


def _make_refined_part(setting: Setting, first: ExperimentPart) -> ExperimentPart:
    return replace(
        first,
        train="sick-outside-test",
        size=pairs_common.WHOLE,
        edits=EDITS,
        variant=f"{first.variant}, then SICK",
        options=_make_fine_tuning_options(setting, first),
    )


def _make_fine_tuning_options(setting: Setting, first: ExperimentPart) -> dict[str, Any]:
    given = {"epochs": 3, "batch_size": 16, "checks": 1, "patience": 0, "keep": "last"}
    options = setting.scale.make_trainer_options(first.learner)
    if first.learner.trainer == TRANSFORMER:
        rate = options.get("learning_rate", 2e-5)
        return {**given, "encoder": first, "learning_rate": RATE_FACTOR * rate, "weight_decay": 0.01}
    from rightreasons.nets.declaration import NETS

    recipe = NETS[first.learner.trainer].get_preset(options.get("preset", "paper")).recipe
    rate = RATE_FACTOR * recipe.learning_rate
    # The schedules of some networks depend on the dev set, which is not used here.
    return {**given, "start": first, "learning_rate": rate, "schedule": "constant"}


def _read_table_5() -> list[FigureRow]:
    own = read_published_rows("pairs_more", ["Appendix Table 1", "Appendix Table 5"], cited=CITED)
    before, after = (read_published_rows(name, ["5"], cited=CITED) for name in ("pairs_more", "pairs"))
    both = sorted([*before, *after], key=lambda row: (row.trained_on[:4], row.model))
    models = {(row.model, row.trained_on) for row in both}
    return merge_rows([*both, *(row for row in own if (row.model, row.trained_on) in models)])


def _describe_both_trainings(results: ExperimentResults, row: str) -> str:
    part, job = results.list_parts(row)[0]
    if not part.edits:
        return results.describe_training(row)
    pairs = read_parquet(job.training.train)
    for edit in part.edits:
        pairs = apply_edit(pairs, edit)
    first = next(other for other in results.rows if row == f"{other}, then SICK")
    return f"{results.describe_training(first)}, then {pairs.height} of SICK"
