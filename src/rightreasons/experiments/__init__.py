"""The published experiments: what to train, what to ask, and the paper's table beside ours.

An experiment is a list of *parts*, each a model that is trained and then asked some *tests*, and of *tables* that are
made from the answers. To add one, write a file such as `hans_main.py` and a line in `catalogue.EXPERIMENTS`:

    def tests(setting: Setting) -> list[Test]:     # what is asked: a set by name, or the pairs of a corpus
        return [Test("hans", set="hans-released"), Test("mnli_dev_matched", role="mnli-dev-matched")]

    def parts(setting: Setting) -> list[Part]:     # what is trained, for the models and seeds asked for
        return [
            Part(model, train="mnli-train", seed=seed, tests=("hans", "mnli_dev_matched"), claim="mnli_dev_matched")
            for model in setting.models
            for seed in setting.seeds
        ]

    def tables(found: Found) -> list[Table]:       # `found.values(row, test, *tags)` has the figures of all seeds
        ours = [found.line(row, {"mnli": found.accuracy(row, "mnli_dev_matched")}) for row in found.rows]
        lines = [*published_lines("hans_more", ["3"]), *ours]
        return [lying(Heading("main", "Table 3", "Accuracy."), {"mnli": "MNLI"}, lines)]

    EXPERIMENT = Experiment("hans-main", "...", tests, parts, tables, models=("da",), paper_models=("da", "bert"))

Parts that differ in their seed alone are one row of a table. An option of a part may be another part, which stands for
its model folder (to start from its weights), or `File(role)`, which stands for the file of a corpus. A trained model
and its answers are kept in the models folder under a digest of all that decides them, so experiments share them and a
killed one goes on.

plan       parts, tests, experiments: what is written down
learners   the models by name: which trainer, in which sizes
scales     quick, paper and tiny: how much of everything
roles      corpora by the role they play, such as mnli-train
data       training pairs and the held-out slice that weights are chosen by
asked      the pairs that models are asked
jobs       parts as jobs: one for each model that is to be trained, and its place in the models folder
work       what one child process does: train and ask
crew       children side by side, with an estimate of the time left
found      the figures of all parts
tables     figures as lines, published and ours
shares     figures beside accuracy: shares of answers and of errors, means over tests, changes
captions   what a table rests on, and what stands in for what
folder     the run folder of all of it
verb       the whole line
"""

from __future__ import annotations

from rightreasons.experiments.catalogue import EXPERIMENTS
from rightreasons.experiments.run import run

__all__ = ["EXPERIMENTS", "run"]
