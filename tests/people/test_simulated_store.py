from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import polars as pl
import pytest
from made_study import make_study

from rightreasons.core.errors import InputError
from rightreasons.people.judgements import Judgements
from rightreasons.people.simulated_store import add_simulated_judgements
from rightreasons.people.simulation import simulate_judgements
from rightreasons.people.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path / "study")


def read_back(study: Study) -> Judgements:
    with closing(open_store(study)) as store:
        return store.read_judgements()


def add_person(study: Study) -> None:
    """Add a participant who is not simulated."""
    made = simulate_judgements(study, participants=1)
    person = made.participants.with_columns(source=pl.lit("link"), participant=pl.lit("person"))
    answers = made.answers.with_columns(participant=pl.lit("person"))
    with closing(open_store(study)) as store:
        store.add_judgements(Judgements(study, person, answers))


def test_simulated_judgements_are_stored_as_such(study: Study) -> None:
    made = simulate_judgements(study)
    add_simulated_judgements(made)
    stored = read_back(study)
    assert set(stored.participants["source"]) == {"simulated"}
    keys = ["participant", "item", "question"]
    assert stored.answers.sort(keys).equals(made.answers.sort(keys))


def test_they_are_replaced_only_if_forced(study: Study) -> None:
    add_simulated_judgements(simulate_judgements(study))
    other = simulate_judgements(study, seed=1, participants=2)
    with pytest.raises(InputError, match="4 simulated participants already"):
        add_simulated_judgements(other)
    add_simulated_judgements(other, force=True)
    assert set(read_back(study).participants["participant"]) == set(other.participants["participant"])
    add_simulated_judgements(other, force=True)
    assert read_back(study).answers.height == other.answers.height


def test_a_study_with_people_refuses_them_unless_forced(study: Study) -> None:
    add_person(study)
    made = simulate_judgements(study, participants=2)
    rest = Judgements(
        study,
        made.participants.tail(1),
        made.answers.filter(pl.col("participant") == made.participants["participant"][1]),
    )
    with pytest.raises(InputError, match="1 real participant"):
        add_simulated_judgements(rest)
    assert read_back(study).participants.height == 1
    add_simulated_judgements(rest, force=True)
    assert sorted(read_back(study).participants["source"]) == ["link", "simulated"]
