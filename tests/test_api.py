from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import compute_digest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")


class Always:
    """A model made by a user: any object with predict."""

    def __init__(self, label: str = "entailment", ids: str = "same") -> None:
        self.label, self.ids = label, ids
        self.seen: list[str] = []

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        self.seen = pairs.columns
        asked = pairs.head(-1) if self.ids == "short" else pairs
        return asked.select("id", label=pl.lit(self.label))


def test_all_names_are_there_and_nothing_else_is_promised() -> None:
    assert sorted(rightreasons.__all__) == rightreasons.__dir__()
    for name in rightreasons.__all__:
        assert getattr(rightreasons, name) is not None
    assert {*rightreasons._HOMES, *rightreasons._PACKAGES, "__version__"} == set(rightreasons.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rightreasons.nothing  # type: ignore[attr-defined]


def test_the_networks_are_at_hand_without_another_import() -> None:
    pytest.importorskip("torch")
    code = "import rightreasons; print(rightreasons.nets.count_parameters('esim'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "4331103\n"


@pytest.mark.parametrize(
    "code", ["import rightreasons", "import rightreasons; rightreasons.InputError", "import rightreasons.cli"]
)
def test_importing_loads_nothing_heavy(code: str) -> None:
    heavy = "{'polars', 'numpy', 'rich', 'scipy', 'importlib.metadata'}"
    check = f"{code}; import sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_any_range_of_a_plan_is_the_same_and_the_digest_waits_for_writing(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny", size=5, seed=3)
    plan = rightreasons.plan("tiny", size=5, seed=3)
    assert made.card.rows == len(made) == len(plan) == 20
    assert made.card.digest is None
    card = rightreasons.write_pairs(made, tmp_path / "tiny.parquet")
    assert (
        card.digest
        == rightreasons.read_pairs(tmp_path / "tiny.parquet").card.digest
        == compute_digest([made.pairs])
    )
    assert plan.rows(7, 13).equals(made.pairs[7:13])


def test_options_are_checked_by_name_and_value() -> None:
    with pytest.raises(UnknownNameError, match=r"'parse'.* parses"):
        rightreasons.generate("tiny", parse="none")
    with pytest.raises(InputError, match=r"'all'.*none or labelled or binary"):
        rightreasons.generate("tiny", parses="all")


def test_a_model_sees_texts_and_never_labels_or_tags() -> None:
    model = Always()
    rightreasons.predict(model, rightreasons.generate("tiny"))
    assert model.seen == ["id", "premise", "hypothesis"]


def test_a_missing_parse_is_refused() -> None:
    with pytest.raises(InputError, match="column 'premise_parse'"):
        rightreasons.predict("rules:constituent", rightreasons.generate("tiny"))
    made = rightreasons.generate("tiny", parses="labelled")
    assert rightreasons.predict("rules:constituent", made).height == len(made)


def test_a_model_must_predict_every_pair() -> None:
    with pytest.raises(InputError, match="The model 'Always'"):
        rightreasons.predict(Always(ids="short"), rightreasons.generate("tiny"))


def test_options_of_a_ready_made_model_are_refused() -> None:
    with pytest.raises(InputError, match="passed as an object"):
        rightreasons.predict(Always(), rightreasons.generate("tiny"), label="neutral")


def test_score_takes_sets_or_tables_and_tags_as_text_or_sequence() -> None:
    made = rightreasons.generate("tiny")
    answers = rightreasons.predict("constant", made)
    one = rightreasons.score(made, answers, by="heuristic, subcase")
    other = rightreasons.score(made.pairs, answers, by=["heuristic", "subcase"])
    assert one.rows.equals(other.rows)
    whole = rightreasons.score(made, answers).rows.filter(pl.col("gold") == "all")
    assert whole["accuracy"].to_list() == [0.5]


def test_score_names_the_file_that_the_answers_are_from(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny")
    answers = rightreasons.predict("constant", made).vstack(
        pl.DataFrame({"id": ["zz"], "label": ["neutral"]})
    )
    answers.write_csv(tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"a\.csv, line 82: .*'zz'"):
        rightreasons.score(made, answers, path=tmp_path / "a.csv")


def test_the_line_of_verbs_through_files(tmp_path: Path) -> None:
    made = rightreasons.generate("tiny", size=3)
    rightreasons.write_pairs(made, tmp_path / "tiny.parquet")
    again = rightreasons.read_pairs(tmp_path / "tiny.parquet")
    assert again.pairs.equals(made.pairs)
    answers = rightreasons.predict("rules:lexical-overlap", again)
    assert answers["label"].unique().to_list() == ["entailment"]
