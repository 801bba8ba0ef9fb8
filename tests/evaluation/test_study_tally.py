"""Categories that participants chose, counted like those of a sheet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightreasons.cli import main
from rightreasons.core.errors import InputError
from rightreasons.evaluation.study_tally import make_judgement_tally_tables, make_study_tally_tables
from rightreasons.people.protocol import load_protocol
from rightreasons.people.simulation import simulate_judgements
from rightreasons.people.store import open_store

sys.path.append(str(Path(__file__).parents[1] / "people"))
from hand_judgements import join_judgements, write_judgements
from made_study import make_study

WORDS = {
    "a": "antonymy",
    "n": "negation",
    "w": "word overlap",
    "g": "gradable",
    "c": "complementary",
    "0": "none",
}


def read_question(name: str) -> dict[str, object]:
    """Return the question of a built-in protocol that has choices."""
    return dict(load_protocol(name)[1]["questions"][0])


def write_categories(study, answers, question):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    judgements = write_judgements(study, answers, question=question)
    words = {**WORDS, "entailment": "?", "non-entailment": "negation"}
    table = judgements.answers.with_columns(judgements.answers["answer"].replace(words))
    return judgements.__class__(study, judgements.participants, table)


def test_types_of_errors_and_of_antonyms(tmp_path: Path) -> None:
    study = make_study(
        tmp_path / "study", questions=[read_question("error-types"), read_question("antonym-types")]
    )
    errors = write_categories(study, {"p": {"items": "aaawan"}, "q": {"items": "aaawnw"}}, "error-type")
    antonyms = write_categories(study, {"p": {"items": "cgc00."}, "q": {"items": "cgg00."}}, "antonym-type")
    kinds, types = make_judgement_tally_tables(join_judgements(errors, antonyms))
    counts = dict(kinds.frame.select("category", "n").rows())
    assert {name: n for name, n in counts.items() if n} == {"antonymy": 3, "word overlap": 1}
    assert kinds.frame["share"].max() == 3 / 4  # two items have no majority
    assert "complementary 1, gradable 1, unknown 1" in " ".join(kinds.notes)
    assert types.frame.select("type", "n", "share").rows() == [
        ("complementary", 1, 0.5),
        ("relational", 0, 0.0),
        ("gradable", 1, 0.5),
    ]
    published = [name for name in types.frame.columns if name.startswith("pairs on which")]
    assert [types.frame[name].to_list() for name in published] == [[0.73, 0.2, 0.07], [0.99, 0.01, 0.0]]


def test_tallies_of_simulated_participants_say_so(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[read_question("antonym-types")], controls=0)
    simulated = simulate_judgements(study)
    store = open_store(study)
    store.add_judgements(simulated)
    store.close()
    (table,) = make_study_tally_tables(study.folder)
    assert f"{simulated.participants.height} of {simulated.participants.height} " in table.notes[-1]


def test_other_studies_are_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    with pytest.raises(InputError, match="error-types"):
        make_judgement_tally_tables(write_judgements(study, {"p": {"items": "e"}}))
    asked = make_study(tmp_path / "errors", questions=[read_question("error-types")])
    with pytest.raises(InputError, match="category"):
        make_judgement_tally_tables(write_judgements(asked, {}, question="error-type"))


def test_command_takes_a_study(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[read_question("error-types")])
    store = open_store(study)
    store.add_judgements(write_categories(study, {"p": {"items": "aw"}, "q": {"items": "aw"}}, "error-type"))
    store.close()
    found = CliRunner().invoke(main, ["errors", "--tally", str(study.folder), "--csv"])
    assert found.exit_code == 0
    rows = [line.split(",")[:2] for line in found.stdout.splitlines()]
    assert ["antonymy", "1"] in rows
    assert ["negation", "0"] in rows
