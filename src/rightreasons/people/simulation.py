"""Simulated participants: to try a study, to test its analysis, and to estimate its power.

Each kind of participant has accuracies for the gold labels of items, and for controls; a wrong answer is one of the
others at random. Their judgements are stored like those of people, with the source `simulated`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError, format_count
from rightreasons.people.judgements import (
    ANSWER_COLUMNS,
    COMPLETED,
    PARTICIPANT_COLUMNS,
    Judgements,
)
from rightreasons.people.probit import JudgementSpread
from rightreasons.people.study import CONTROL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rightreasons.people.questions import Question
    from rightreasons.people.study import Study

SIMULATED = "simulated"  # the source of these participants
DEFAULT_MIX = {"careful": 0.5, "careless": 0.3, "always-entailment": 0.1, "random": 0.1}
# Of the crowd workers of HANS; its paper gives 76% overall, 75% where the label is entailment, 77% elsewhere.
HANS_ACCURACIES = {"entailment": 0.75, "non-entailment": 0.77}
_BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)  # when the first participant may start, if the study has no date
_MICROSECONDS = 1_000_000
_DAYS = 3  # in which participants start
_TIME_SPREAD, _PERSON_TIME_SPREAD = 0.5, 0.3  # of the logarithm of seconds
_MOST_COMMON = (
    0.8  # share of items for which the first choice is what most people answer, without a gold answer
)
_SPREAD = JudgementSpread(participant=0.3, item=0.5)


@dataclass(frozen=True)
class ParticipantKind:
    """How a kind of participant answers.

    `accuracy` is that of items, by gold answer or for all others; `first` always gives the first choice.
    """

    seconds: float  # mean time per item
    accuracy: float = 0.0
    by_label: Mapping[str, float] = field(default_factory=dict)
    control_accuracy: float = 0.0
    first: bool = False
    guesses: bool = False


# The times of careful and careless participants are those of retained and rejected workers in the paper of HANS.
KINDS = {
    "careful": ParticipantKind(8.9, 0.76, HANS_ACCURACIES, 1.0),
    "careless": ParticipantKind(4.2, 0.6, control_accuracy=0.7),
    "always-entailment": ParticipantKind(3.0, first=True),
    "random": ParticipantKind(2.5, guesses=True),
}


def simulate_judgements(
    study: Study,
    *,
    participants: int | None = None,
    mix: Mapping[str, float] | None = None,
    accuracies: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Judgements:
    """Simulate participants of a study, one for each form unless told otherwise.

    `mix` are the shares of the kinds; `accuracies` replace those of careful participants, by gold answer.
    """
    count = _check_count(study, participants)
    kinds = _assign_kinds(_check_mix(mix or DEFAULT_MIX), count, seed)
    entries = _lay_out_entries(study, kinds)
    rng = np.random.default_rng([abs(seed), int(seed < 0), 1])
    return _answer_all(study, entries, _set_accuracies(accuracies), rng)


def parse_shares(text: str, what: str) -> dict[str, float]:
    """Parse NAME=NUMBER,NAME=NUMBER with numbers from 0 to 1."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (word.strip() for word in part.partition("="))
        try:
            share = float(number)
        except ValueError:
            share = -1.0
        if not equals or not 0 <= share <= 1:
            raise InputError(
                f"{part.strip()!r} in {what} is not of the form NAME=SHARE with a share from 0 to 1."
            )
        if name in shares:
            raise InputError(f"{name!r} is given twice in {what}. Remove one.")
        shares[name] = share
    return shares


def _check_count(study: Study, participants: int | None) -> int:
    forms = study.forms["form"].n_unique()
    count = forms if participants is None else participants
    if not 1 <= count <= forms:
        raise InputError(
            f"The study has {format_count(forms, 'form')}, one for each participant, so {count} participants can't be "
            f"simulated. Simulate 1 to {forms}."
        )
    return count


def _check_mix(mix: Mapping[str, float]) -> dict[str, float]:
    for name in mix:
        if name not in KINDS:
            raise UnknownNameError("kind of simulated participant", name, KINDS)
    if abs(sum(mix.values()) - 1) > 1e-6:  # noqa: PLR2004 - shares of decimal numbers
        raise InputError(
            f"The shares of the mix sum to {sum(mix.values()):g} instead of 1. Change a share, or add another kind: "
            f"{', '.join(KINDS)}."
        )
    return dict(mix)


def _set_accuracies(accuracies: Mapping[str, float] | None) -> dict[str, ParticipantKind]:
    careful = KINDS["careful"]
    by_label = {**careful.by_label, **(accuracies or {})}
    mean = sum(accuracies.values()) / len(accuracies) if accuracies else careful.accuracy
    chosen = ParticipantKind(careful.seconds, mean, by_label, careful.control_accuracy)
    return {**KINDS, "careful": chosen}


def _assign_kinds(mix: Mapping[str, float], count: int, seed: int) -> list[str]:
    """Assign a kind to each participant: the shares as exactly as whole numbers allow, in random order."""
    exact = {name: share * count for name, share in mix.items()}
    counts = {name: floor(number + 1e-9) for name, number in exact.items()}
    rest = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in rest[: count - sum(counts.values())]:
        counts[name] += 1
    kinds = [name for name, number in counts.items() for _ in range(number)]
    order = np.random.default_rng([abs(seed), int(seed < 0), 0]).permutation(count)
    return [kinds[place] for place in order]


def _lay_out_entries(study: Study, kinds: list[str]) -> pl.DataFrame:
    """Lay out what each participant judges: the first forms, one each, with the columns of the items."""
    numbers = study.forms["form"].unique().sort()[: len(kinds)]
    width = len(str(len(kinds)))
    names = [f"{kind}-{number:0{width}d}" for number, kind in enumerate(kinds, start=1)]
    people = pl.DataFrame(
        {"form": numbers, "who": range(len(kinds)), "participant": names, "person_kind": kinds}
    )
    placed = study.forms.join(people, on="form", how="inner").sort("form", "position")
    return placed.join(study.items, on="item", how="left", maintain_order="left")


def _answer_all(
    study: Study, entries: pl.DataFrame, kinds: Mapping[str, ParticipantKind], rng: np.random.Generator
) -> Judgements:
    """Answer all questions about all entries, with times."""
    timed = _add_times(study, entries, kinds, rng)
    parts = [
        timed.with_columns(
            question=pl.lit(question.name),
            answer=pl.Series(_answer_question(question, entries, kinds, rng), dtype=pl.String),
            order=pl.lit(order),
        )
        for order, question in enumerate(study.protocol.questions)
    ]
    whole = pl.concat(parts).sort("who", "position", "order")
    answers = whole.select(ANSWER_COLUMNS.keys()).cast(pl.Schema(ANSWER_COLUMNS))
    people = timed.group_by("participant", maintain_order=True).agg(
        pl.col("started").first(), finished=pl.col("judged").last()
    )
    people = people.with_columns(source=pl.lit(SIMULATED), status=pl.lit(COMPLETED))
    people = people.select(PARTICIPANT_COLUMNS.keys()).cast(pl.Schema(PARTICIPANT_COLUMNS))
    return Judgements(study, people, answers)


def _add_times(
    study: Study, entries: pl.DataFrame, kinds: Mapping[str, ParticipantKind], rng: np.random.Generator
) -> pl.DataFrame:
    """Add how long each entry took, and when it was judged: times are log-normal, with the means of the kinds."""
    who = entries["who"].to_numpy()
    means = np.array([kinds[kind].seconds for kind in entries["person_kind"]])
    pace = rng.normal(0, _PERSON_TIME_SPREAD, who.max() + 1)[who]
    noise = rng.normal(0, _TIME_SPREAD, len(who))
    shift = (_TIME_SPREAD**2 + _PERSON_TIME_SPREAD**2) / 2
    seconds = np.round(means * np.exp(pace + noise - shift), 3)
    starts = rng.uniform(0, _DAYS * 24 * 3600, who.max() + 1)[who]
    pause = study.protocol.pause_seconds
    timed = entries.with_columns(seconds=pl.Series(seconds), start=pl.Series(starts))
    passed = (pl.col("seconds") + pause).cum_sum().over("who") + pl.col("start")
    begin = pl.lit(_read_date(study))
    return timed.with_columns(
        started=begin + pl.duration(microseconds=(pl.col("start") * _MICROSECONDS).cast(pl.Int64)),
        judged=begin + pl.duration(microseconds=(passed * _MICROSECONDS).cast(pl.Int64)),
    )


def _read_date(study: Study) -> datetime:
    """Read when the study was planned: the participants start within days after that."""
    try:
        return datetime.fromisoformat(str(study.card.get("created"))).astimezone(UTC) + timedelta(hours=1)
    except ValueError:
        return _BEGIN


def _answer_question(
    question: Question,
    entries: pl.DataFrame,
    kinds: Mapping[str, ParticipantKind],
    rng: np.random.Generator,
) -> list[str]:
    """Answer a question about all entries."""
    if question.kind == "text":
        return ["simulated" if question.required else ""] * entries.height
    values = np.array(question.values)
    target = _find_targets(question, entries, rng)
    right = _decide_right(entries, kinds, question, target, rng)
    other = (target + rng.integers(1, len(values), entries.height)) % len(values)
    guess = rng.integers(0, len(values), entries.height)
    chosen = np.where(right, target, other)
    who = entries["person_kind"]
    for name, kind in kinds.items():
        here = (who == name).to_numpy()
        chosen = np.where(here & kind.first, 0, np.where(here & kind.guesses, guess, chosen))
    return [str(value) for value in values[chosen]]


def _find_targets(question: Question, entries: pl.DataFrame, rng: np.random.Generator) -> NDArray[np.int64]:
    """Find the number of the answer that most people give: the gold one, or else one drawn for each item."""
    items = entries["item"].rank("dense").to_numpy().astype(np.int64) - 1
    count = items.max() + 1
    usual = rng.uniform(size=count) < _MOST_COMMON
    drawn = np.where(usual, 0, rng.integers(1, len(question.values), count))[items]
    if question.gold not in entries.columns:
        return np.asarray(drawn)
    numbers = {value: place for place, value in enumerate(question.values)}
    gold = entries[question.gold].cast(pl.String).replace_strict(numbers, default=None, return_dtype=pl.Int64)
    return np.where(gold.is_null().to_numpy(), drawn, gold.fill_null(0).to_numpy())


def _decide_right(
    entries: pl.DataFrame,
    kinds: Mapping[str, ParticipantKind],
    question: Question,
    target: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Decide which entries get the answer that most people give: the stated accuracies hold on average."""
    who = entries["who"].to_numpy()
    items = entries["item"].rank("dense").to_numpy().astype(np.int64) - 1
    people, difficulty = rng.normal(size=who.max() + 1)[who], rng.normal(size=items.max() + 1)[items]
    noise = rng.normal(size=len(who))
    control = (entries["kind"] == CONTROL).to_numpy()
    lucky = rng.uniform(size=len(who))
    right = np.zeros(len(who), np.bool_)
    for name, kind in kinds.items():
        by_value = np.array([kind.by_label.get(value, kind.accuracy) for value in question.values])
        threshold = _SPREAD.compute_thresholds(np.clip(by_value, 1e-12, 1 - 1e-12))[target]
        of_items = threshold + _SPREAD.participant * people + _SPREAD.item * difficulty + noise > 0
        here = (entries["person_kind"] == name).to_numpy()
        right = np.where(here, np.where(control, lucky < kind.control_accuracy, of_items), right)
    return right
