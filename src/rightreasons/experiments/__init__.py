"""Published experiments: which models are trained on what, tested on what, and the paper's tables with ours.

An experiment is a class in a file of its own and a line in `declaration.EXPERIMENTS`:

    class HansMain(Experiment):
        name, about = "hans-main", "trained on MultiNLI, tested on HANS"
        models, paper_models = ("da",), ("da", "bert")

        def test_sets(self, setting):    # a set by name, or the pairs of a corpus role
            return [TestSet("hans", set="hans-released"), TestSet("mnli_dev_matched", role="mnli-dev-matched")]

        def parts(self, setting):        # what is trained, for the requested models and seeds
            return [
                ExperimentPart(model, "mnli-train", seed, tests=("hans", "mnli_dev_matched"), claim="mnli_dev_matched")
                for model in setting.models
                for seed in setting.seeds
            ]

        def tables(self, results):       # `results` has the figures of all seeds
            mnli = {row: results.compute_accuracy(row, "mnli_dev_matched") for row in results.rows}
            ours = [results.make_row(row, {"mnli": accuracy}) for row, accuracy in mnli.items()]
            rows = [*read_published_rows("hans_more", ["3"]), *ours]
            heading = TableHeading("hans-main", "Table 3", "Accuracy.")
            return [ExperimentTable.build_with_models_as_rows(heading, {"mnli": "MNLI"}, rows)]

Parts that differ only in their seed share a table row. An option of a part may be another part, which stands for its
model folder (to start from its weights), or `RoleFile(role)`, which stands for the file of a corpus. Trained models and
their predictions are kept in the models folder under a digest of everything that determines them, so experiments share
them and a killed experiment can be resumed.

    declaration    test sets, parts, experiments; the experiments by name
    learners       the models by name, and the scales quick, paper and tiny
    corpora        corpora by role, and training files with held-out pairs
    testsets       the test sets as files
    training_jobs  one job per model to train, and its place in the models folder
    worker         a worker process: train and predict
    worker_pool    worker processes in parallel, with an estimate of the time left
    results        accuracies and shares of all parts
    tables         tables with published rows and ours, and their captions
    run            the whole line, and the run folder
"""

from __future__ import annotations

from rightreasons.experiments.declaration import EXPERIMENTS
from rightreasons.experiments.run import run

__all__ = ["EXPERIMENTS", "run"]
