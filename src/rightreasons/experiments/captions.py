"""What the tables of an experiment rest on: data, sizes, seeds, and what stands in for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import counted
from rightreasons.experiments.found import LEAST, LEAST_OF_TWO
from rightreasons.experiments.roles import role
from rightreasons.experiments.tables import WEAK

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.experiments.found import ExperimentResults


def sentences(found: ExperimentResults, vectors: Path | None) -> list[str]:
    """Say all that a reader must know before comparing a table with the paper's."""
    told = [*_training(found), *_tests(found), *_models(found, vectors), _brackets(found), _claims(found)]
    return [sentence for sentence in told if sentence]


def _training(found: ExperimentResults) -> list[str]:
    """Say what each model was trained on, and what that stands in for."""
    told: dict[str, dict[int, list[str]]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for part, job in found.jobs:
        known = facts.setdefault(part.train, {**job.training.facts, "last": True, "edited": False})
        known["last"] &= part.options.get("keep") == "last"
        known["edited"] |= bool(part.edits)
        names = told.setdefault(part.train, {}).setdefault(job.training.facts["train"], [])
        if part.learner.shown not in names:
            names.append(part.learner.shown)
    return [_sizes(name, facts[name], sizes) for name, sizes in told.items()]


def _sizes(name: str, facts: dict[str, Any], sizes: dict[int, list[str]]) -> str:
    most, wanted = int(facts["pairs"]), role(name).pairs
    each = ", ".join(f"{size:,} ({', '.join(models)})" for size, models in sizes.items())
    instead = f"; they stand in for the {wanted:,} of {role(name).about}" if wanted and most < wanted else ""
    held_out = counted(int(facts["dev"]), "pair")
    by = str(facts.get("chosen_by", ""))
    edited = ", before what is left out or added" if facts["edited"] else ""
    chosen = (
        "The last weights were kept."
        if facts["last"]
        else f"Weights were chosen by {held_out}: {role(by).about}."
        if by
        else f"{held_out} of it with premises of their own were held out to choose weights by."
    )
    return f"Trained on {each} of the {most:,} pairs of {facts['files']} ({name}){edited}{instead}. {chosen}"


def _tests(found: ExperimentResults) -> list[str]:
    parts = []
    for name, asked in found.tests.items():
        of = f" of {asked.of:,}" if asked.of and asked.of != asked.card.rows else ""
        parts.append(f"{name} {asked.card.rows:,}{of}")
    told = [f"Asked (pairs): {'; '.join(parts)}."]
    known = [f"{asked.left_out:,} of {name}" for name, asked in found.tests.items() if asked.left_out]
    if known:
        told.append(f"Pairs that are training pairs too were left out of the tests: {', '.join(known)}.")
    return told


def _models(found: ExperimentResults, vectors: Path | None) -> list[str]:
    """Say in which sizes networks were trained, and which model stands in for another."""
    learners = {part.model: part.learner for part, _ in found.jobs}
    told = [f"{one.shown} stands in for {one.stands_for}." for one in learners.values() if one.stands_for]
    told += [
        f"{one.shown}'s encoder was trained before to find like sentences, on {one.has_seen} among others."
        for one in learners.values()
        if one.has_seen
    ]
    if any(one.takes_vectors for one in learners.values()):
        if found.setting.scale.name != "paper":
            told.append("Networks have the sizes of their small presets, not those of the papers.")
        told.append(
            f"Their word vectors are from {vectors.name}, which stands in for GloVe."
            if vectors
            else "Their word vectors are random: no file of vectors was given."
        )
    return told


def _brackets(found: ExperimentResults) -> str:
    seeds = len(found.setting.seeds)
    if seeds == 1:
        return "One seed; in brackets the 95% interval of its accuracy, which says nothing of other seeds."
    return f"{seeds} seeds: their mean, in brackets the least and the most."


def _claims(found: ExperimentResults) -> str:
    if not any(found.weak(row) for row in found.rows):
        return ""
    tests = ", ".join(dict.fromkeys(part.claim for part, _ in found.jobs if part.claim))
    return (
        f"{WEAK.capitalize()}: below {LEAST:.0%} on {tests} with three labels "
        f"(below {LEAST_OF_TWO:.1%} as the mean over two)."
    )
