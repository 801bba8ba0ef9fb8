"""`nps-pretraining`: a bi-LSTM whose encoder was trained on another task first, asked NP/S (Table 1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from scipy.stats import binomtest

from rightreasons.core.errors import InputError
from rightreasons.experiments.found import over_seeds
from rightreasons.experiments.learners import learner
from rightreasons.experiments.plan import Experiment, ExperimentPart, RoleFile, Test
from rightreasons.experiments.tables import FigureRow, TableHeading, Value, lying
from rightreasons.sets.nps.phrases import NEGATION

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.jobs import ExperimentJob
    from rightreasons.experiments.plan import Setting
    from rightreasons.experiments.tables import ExperimentTable

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
# The tasks of the paper, in its order: what we call each, what trains it, and the role of what it is trained on.
FROM_PAIRS = "MNLI first"
TASKS = {
    FROM_PAIRS: ("", ""),
    "tagging first": ("tagging", "tagged"),
    "captions first": ("captions", "captions"),
    "language model first": ("language-model", "words"),
    "random encoder": ("", ""),
}
# Models whose encoder can be trained first, with what tells them apart: jiant keeps the encoder as it is.
PRETRAINED: dict[str, dict[str, Any]] = {
    "jiant": {"frozen": True},
    "jiant-alone": {"frozen": True, "attention": False},
    "jiant-trained": {"frozen": False},
}
QUICK_PAIRS = 10_000  # of MultiNLI: there are many networks to train
TOLD = {
    "jiant": (
        "The encoder of jiant stays as it is while the network above it learns MultiNLI; a random one keeps its first "
        "weights. Each sentence sees the other: the paper does not say whether its networks had that attention."
    ),
    "jiant-alone": "Without attention, neither sentence sees the other before both are pooled.",
    "jiant-trained": "Where the encoder is trained on, it learns MultiNLI together with the network above it.",
}
_SHORT = "n't"
_WORDS = "|".join(sorted(NEGATION - {_SHORT}))
NEGATED_PATTERN = rf"(?i)\b(?:{_WORDS}|\w+n['\x{{2019}}]t)\b"


def tests(setting: Setting) -> list[Test]:
    """Ask NP/S as it is and without its negation words, more such pairs from templates, and MultiNLI."""
    # Few subjects of clauses are objects word by word in a small corpus, so the noun alone decides there.
    match = "exact" if setting.scale.name == "paper" else "head"
    made = {"corpus": RoleFile("parsed-train"), "match": match}
    return [
        Test(DEV, role="mnli-dev-matched"),
        Test(NPS, set="nps", options={**made, "negation": "any"}, limit=PAIRS),
        Test(REMOVED, set="nps", options={**made, "negation": "removed"}, limit=PAIRS),
        Test(LEXICON, set="nps", limit=TEMPLATES),
    ]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on MultiNLI; those of jiant over each encoder."""
    return [
        _part(setting, model, seed, task)
        for model in setting.models
        for task in (TASKS if model in PRETRAINED else ("",))
        for seed in setting.seeds
    ]


def _part(setting: Setting, model: str, seed: int, task: str) -> ExperimentPart:
    if learner(model).parses:
        raise InputError(
            f"{learner(model).shown} reads parses, which the pairs of NP/S don't have. Leave it out."
        )
    options = {**PRETRAINED[model], **_encoder(setting, task, seed)} if task else {}
    size = _size(setting) if task else None
    tests = (DEV, NPS, REMOVED, LEXICON)
    return ExperimentPart(
        model, "mnli-train", seed, tests=tests, claim=DEV, of=task, size=size, options=options
    )


def _encoder(setting: Setting, name: str, seed: int) -> dict[str, ExperimentPart]:
    """Say where an encoder comes from; a random one is drawn by the network that it is of."""
    task, role = TASKS[name]
    if task:
        few = {"sentences": setting.scale.most_pairs} if setting.scale.most_pairs else {}
        material = {"task": task, "material": RoleFile(role), **few}
        first = ExperimentPart("pretrain", "mnli-train", seed, of=task, size=_size(setting), options=material)
    elif name == FROM_PAIRS:
        first = ExperimentPart("jiant", "mnli-train", seed, of="for its encoder", size=_size(setting))
    else:
        return {}
    return {"encoder": first}


def _size(setting: Setting) -> int | None:
    return QUICK_PAIRS if setting.scale.name == "quick" else None


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show Table 1 with our figures below it."""
    ours = [found.line(row, _values(found, row), _trained_on(found, row)) for row in found.rows]
    heading = TableHeading(
        "nps-pretraining",
        "NP/S by what the encoder was trained on first: Table 1 of the paper",
        " ".join(["Accuracy; on NP/S the share of answers that are not entailment.", *_stand_ins(found)]),
    )
    return [lying(heading, COLUMNS, [*_printed(), *ours], _notes(found))]


def _printed() -> list[FigureRow]:
    columns = (DEV, NPS, REMOVED)
    return [
        FigureRow(model, {column: Value(one) for column, one in zip(columns, values, strict=True)}, PAPER)
        for model, values in TABLE_1.items()
    ]


def _values(found: ExperimentResults, row: str) -> dict[str, Value]:
    """Give the figures of a row; those on NP/S with exact intervals, since there are few pairs."""
    asked = {
        name: [found.answers(job, name) for _, job in found.parts(row)] for name in (NPS, REMOVED, LEXICON)
    }
    negated = pl.col("premise").str.contains(NEGATED_PATTERN)
    asked[NEGATED] = [one.filter(negated) for one in asked[NPS]]
    asked[FREE] = [one.filter(~negated) for one in asked[NPS]]
    there = {name: answers for name, answers in asked.items() if answers[0].height}
    values = {name: over_seeds([exact(one["right"]) for one in answers]) for name, answers in there.items()}
    return {DEV: found.accuracy(row, DEV), **values}


def exact(right: pl.Series) -> Value:
    """Give the share of right answers with its exact interval."""
    counted = binomtest(int(right.sum()), len(right))
    low, high = counted.proportion_ci(method="exact")
    return Value(counted.statistic, float(low), float(high), len(right))


def _card(job: ExperimentJob) -> dict[str, Any]:
    """Read how the encoder of a part was trained, if it was."""
    place = Path(str(job.options.get("encoder", ""))) / "training.json"
    card: dict[str, Any] = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    return card


def _trained_on(found: ExperimentResults, row: str) -> str:
    """Say what a row's encoder was trained on, and then its network."""
    _, job = found.parts(row)[0]
    material, then = _card(job).get("material"), found.trained_on(row)
    if material:
        return f"{material['sentences']:,} sentences, then {then}"
    return f"{then}, twice" if "encoder" in job.options else then


def _stand_ins(found: ExperimentResults) -> list[str]:
    """Say what each task was trained on, and what that stands in for."""
    told = {}
    for _, job in found.jobs:
        card = _card(job)
        if "task" in card and card["task"] not in told:
            told[card["task"]] = _told(card["task"], card["material"], card["best"])
    return list(told.values())


def _told(task: str, facts: dict[str, Any], best: float) -> str:
    instead = f", which stand in for {facts['instead_of']}" if facts["instead_of"] else ""
    what = {
        "tagging": f"{facts['goals']} tags, {best:.0%} of those held out right",
        "language-model": f"the {facts['goals']:,} most frequent words, perplexity {1 / best:.0f} held out",
        "captions": f"{facts['goals']} features, the own picture before {best:.0%} of the others held out",
    }[task]
    return (
        f"{task.replace('-', ' ').capitalize()}: {facts['kind']} ({', '.join(facts['files'])}; {facts['sentences']:,} "
        f"sentences, {facts['words']:,} words; {what}){instead}."
    )


def _notes(found: ExperimentResults) -> list[str]:
    pairs = found.tests[NPS].card.rows or PAIRS
    one_seed = len(found.setting.seeds) == 1
    kind = "Intervals on NP/S are exact binomial ones (Clopper and Pearson). " if one_seed else ""
    return [
        f"{kind}One pair of {pairs} is {1 / pairs:.1%}.",
        *(told for model, told in TOLD.items() if model in found.setting.models),
        _how_made(found, pairs),
    ]


def _how_made(found: ExperimentResults, pairs: int) -> str:
    """Say how our pairs differ from those of the paper, and the two tests of them from each other."""
    card = found.tests[NPS].card
    both = found.pairs(NPS).join(found.pairs(REMOVED), on="id")
    others = (both["hypothesis"] != both["hypothesis_right"]).sum() + pairs - both.height
    by = "its head noun" if card.options.get("match") == "head" else "all its words"
    return (
        f"The {pairs} pairs of NP/S are ours, made from the parses of {', '.join(card.sources)} as the paper made its "
        f"own, a clause's subject known as an object by {by}; nobody has judged them, as three workers did each of "
        f"the paper's. Without negation words {others} of them have another subject or are others, since negated "
        "subjects are not drawn."
    )


EXPERIMENT = Experiment(
    "nps-pretraining",
    "an encoder that was trained on another task first, asked NP/S",
    tests,
    parts,
    tables,
    models=("jiant", "bilstm", "cbow", "da", "infersent", "esim"),
    paper_models=tuple(PRETRAINED),
)
