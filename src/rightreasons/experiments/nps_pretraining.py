"""`nps-pretraining`: a bi-LSTM whose encoder was pretrained on another task, tested on NP/S (Table 1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from scipy.stats import binomtest

from rightreasons.core.errors import InputError
from rightreasons.experiments.declaration import Experiment, ExperimentPart, RoleFile, TestSet
from rightreasons.experiments.learners import find_learner
from rightreasons.experiments.results import summarize_seeds
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.sets.nps.phrases import NEGATION

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.experiments.training_jobs import ExperimentJob

DEV, NPS, REMOVED, LEXICON = "mnli_dev_matched", "nps", "nps_no_negation", "nps_lexicon"
NEGATED, FREE = "negated", "free"
COLUMNS = {
    DEV: "MNLI",
    NPS: "NP/S",
    REMOVED: "NP/S (no neg.)",
    NEGATED: "NP/S pairs with a negation word",
    FREE: "NP/S pairs without one",
    LEXICON: "NP/S from templates",
}
PAIRS, TEMPLATES = 88, 1_000
PAPER = "McCoy & Linzen 2019, Table 1"
TABLE_1 = {
    "BiLSTM, MNLI first": (0.75, 0.08, 0.01),
    "BiLSTM, CCG supertags first": (0.67, 0.17, 0.03),
    "BiLSTM, MSCOCO first": (0.61, 0.24, 0.03),
    "BiLSTM, LM first": (0.72, 0.06, 0.00),
    "BiLSTM, random encoder": (0.73, 0.03, 0.01),
    "chance": (0.33, 0.50, 0.50),
}
# The pretraining tasks in the order of the paper, with the task and the corpus role of the trainer `pretrain`.
FROM_PAIRS = "MNLI first"
TASKS = {
    FROM_PAIRS: ("", ""),
    "tagging first": ("tagging", "tagged"),
    "captions first": ("captions", "captions"),
    "language model first": ("language-model", "words"),
    "random encoder": ("", ""),
}
# Models whose encoder can be pretrained, with their options; plain jiant keeps the encoder frozen.
PRETRAINED: dict[str, dict[str, Any]] = {
    "jiant": {"frozen": True},
    "jiant-alone": {"frozen": True, "attention": False},
    "jiant-trained": {"frozen": False},
}
QUICK_PAIRS = 10_000  # of MultiNLI, since there are many networks to train
MODEL_NOTES = {
    "jiant": (
        "The encoder of jiant is frozen while the network above it learns MultiNLI; a random one keeps its initial "
        "weights. There is attention between the sentences: the paper does not say whether its networks had it."
    ),
    "jiant-alone": "Without attention, the sentences are encoded and pooled independently.",
    "jiant-trained": "If the encoder is not frozen, it learns MultiNLI together with the network above it.",
}
_SHORT = "n't"
_WORDS = "|".join(sorted(NEGATION - {_SHORT}))
NEGATED_PATTERN = rf"(?i)\b(?:{_WORDS}|\w+n['\x{{2019}}]t)\b"


class NpsPretraining(Experiment):
    """NP/S by the pretraining of the encoder: Table 1 of the paper."""

    name = "nps-pretraining"
    about = "an encoder pretrained on another task, tested on NP/S"
    models = ("jiant", "bilstm", "cbow", "da", "infersent", "esim")
    paper_models = tuple(PRETRAINED)

    def test_sets(self, setting: Setting) -> list[TestSet]:
        """MultiNLI, NP/S with and without negation words, and more such pairs from templates."""
        # In a small corpus, few subjects of clauses also occur as objects word for word, so the noun alone decides.
        match = "exact" if setting.scale.name == "paper" else "head"
        options = {"corpus": RoleFile("parsed-train"), "match": match}
        return [
            TestSet(DEV, role="mnli-dev-matched"),
            TestSet(NPS, set="nps", options={**options, "negation": "any"}, limit=PAIRS),
            TestSet(REMOVED, set="nps", options={**options, "negation": "removed"}, limit=PAIRS),
            TestSet(LEXICON, set="nps", limit=TEMPLATES),
        ]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on MultiNLI; those of jiant with each encoder."""
        return [
            _make_nps_part(setting, model, seed, task)
            for model in setting.models
            for task in (TASKS if model in PRETRAINED else ("",))
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build Table 1: NP/S by the pretraining of the encoder."""
        heading = TableHeading(
            self.name,
            "NP/S by the pretraining of the encoder: Table 1 of the paper",
            " ".join(
                [
                    "Accuracy; on NP/S the proportion of non-entailment predictions.",
                    *_describe_pretraining_tasks(results),
                ]
            ),
        )
        ours = [
            results.make_row(row, _read_nps_cells(results, row), _describe_row_training(results, row))
            for row in results.rows
        ]
        rows, notes = [*_make_published_rows(), *ours], _make_table_notes(results)
        return [ExperimentTable.build_with_models_as_rows(heading, COLUMNS, rows, notes)]


def _make_nps_part(setting: Setting, model: str, seed: int, task: str) -> ExperimentPart:
    if find_learner(model).reads_parses:
        raise InputError(
            f"{find_learner(model).display_name} reads parses, which the pairs of NP/S do not have. "
            f"Remove {model} from --models."
        )
    options = {**PRETRAINED[model], **_make_encoder_option(setting, task, seed)} if task else {}
    size = _get_training_limit(setting) if task else None
    tests = (DEV, NPS, REMOVED, LEXICON)
    return ExperimentPart(
        model, "mnli-train", seed, tests=tests, claim=DEV, variant=task, size=size, options=options
    )


def _make_encoder_option(setting: Setting, name: str, seed: int) -> dict[str, ExperimentPart]:
    """The part that pretrains an encoder; none for a random one, which the network itself initializes."""
    task, role = TASKS[name]
    if task:
        few = {"sentences": setting.scale.most_pairs} if setting.scale.most_pairs else {}
        material = {"task": task, "material": RoleFile(role), **few}
        size = _get_training_limit(setting)
        first = ExperimentPart("pretrain", "mnli-train", seed, variant=task, size=size, options=material)
    elif name == FROM_PAIRS:
        size = _get_training_limit(setting)
        first = ExperimentPart("jiant", "mnli-train", seed, variant="for its encoder", size=size)
    else:
        return {}
    return {"encoder": first}


def _get_training_limit(setting: Setting) -> int | None:
    return QUICK_PAIRS if setting.scale.name == "quick" else None


def _make_published_rows() -> list[FigureRow]:
    columns = (DEV, NPS, REMOVED)
    return [
        FigureRow(
            model, {column: FigureValue(mean) for column, mean in zip(columns, means, strict=True)}, PAPER
        )
        for model, means in TABLE_1.items()
    ]


def _read_nps_cells(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    """The accuracies of a row; those on NP/S with exact confidence intervals, since there are few pairs."""
    by_seed = {
        name: [results.read_predictions(job, name) for _, job in results.list_parts(row)]
        for name in (NPS, REMOVED, LEXICON)
    }
    negated = pl.col("premise").str.contains(NEGATED_PATTERN)
    by_seed[NEGATED] = [table.filter(negated) for table in by_seed[NPS]]
    by_seed[FREE] = [table.filter(~negated) for table in by_seed[NPS]]
    values = {
        name: summarize_seeds([compute_exact_accuracy(table["right"]) for table in tables])
        for name, tables in by_seed.items()
        if tables[0].height
    }
    return {DEV: results.compute_accuracy(row, DEV), **values}


def compute_exact_accuracy(right: pl.Series) -> FigureValue:
    """The accuracy with an exact binomial confidence interval."""
    counted = binomtest(int(right.sum()), len(right))
    low, high = counted.proportion_ci(method="exact")
    return FigureValue(counted.statistic, float(low), float(high), len(right))


def _read_encoder_card(job: ExperimentJob) -> dict[str, Any]:
    """Read the training card of a part's encoder; empty if it was not pretrained."""
    place = Path(str(job.options.get("encoder", ""))) / "training.json"
    card: dict[str, Any] = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    return card


def _describe_row_training(results: ExperimentResults, row: str) -> str:
    """Describe the training data of a row's encoder, then of its network."""
    _, job = results.list_parts(row)[0]
    material, then = _read_encoder_card(job).get("material"), results.describe_training(row)
    if material:
        return f"{material['sentences']:,} sentences, then {then}"
    return f"{then}, twice" if "encoder" in job.options else then


def _describe_pretraining_tasks(results: ExperimentResults) -> list[str]:
    """Describe the data of each pretraining task, and what that stands in for."""
    sentences = {}
    for _, job in results.jobs:
        card = _read_encoder_card(job)
        if "task" in card and card["task"] not in sentences:
            sentences[card["task"]] = _describe_pretraining_task(card["task"], card["material"], card["best"])
    return list(sentences.values())


def _describe_pretraining_task(task: str, facts: dict[str, Any], best: float) -> str:
    instead = f", which stand in for {facts['instead_of']}" if facts["instead_of"] else ""
    what = {
        "tagging": f"{facts['goals']} tags, held-out accuracy {best:.0%}",
        "language-model": f"the {facts['goals']:,} most frequent words, held-out perplexity {1 / best:.0f}",
        "captions": (
            f"{facts['goals']} features, the correct image ranks above {best:.0%} of the other held-out images"
        ),
    }[task]
    return (
        f"{task.replace('-', ' ').capitalize()}: {facts['kind']} ({', '.join(facts['files'])}; {facts['sentences']:,} "
        f"sentences, {facts['words']:,} words; {what}){instead}."
    )


def _make_table_notes(results: ExperimentResults) -> list[str]:
    pairs = results.tests[NPS].card.rows or PAIRS
    one_seed = len(results.setting.seeds) == 1
    kind = "Confidence intervals on NP/S are exact (Clopper-Pearson). " if one_seed else ""
    return [
        f"{kind}One pair of {pairs} is {1 / pairs:.1%}.",
        *(note for model, note in MODEL_NOTES.items() if model in results.setting.models),
        _describe_nps_differences(results, pairs),
    ]


def _describe_nps_differences(results: ExperimentResults, pairs: int) -> str:
    """Say how our pairs differ from those of the paper, and the two test sets from each other."""
    card = results.tests[NPS].card
    both = results.read_pairs(NPS).join(results.read_pairs(REMOVED), on="id")
    others = (both["hypothesis"] != both["hypothesis_right"]).sum() + pairs - both.height
    by = "its head noun" if card.options.get("match") == "head" else "all its words"
    return (
        f"The {pairs} pairs of NP/S are ours, made from the parses of {', '.join(card.sources)} by the paper's method; "
        f"the subject of a clause is matched with the verb's objects in the corpus by {by}. The pairs were not judged "
        f"by annotators, while three annotators judged each of the paper's. "
        f"Without negation words, {others} of them have another "
        "subject or are replaced, since negated subjects are not sampled."
    )
