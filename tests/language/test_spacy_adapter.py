"""A spaCy pipeline serves tags, dependencies and entities; here a real one, trained on a few sentences."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.language.spacy_adapter import analysed, entities
from rightreasons.language.tokens import tokens
from rightreasons.sets.stress.numerical import mark_texts_with_names

if TYPE_CHECKING:
    from pathlib import Path

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")

# Words, tags, heads and roles of sentences that all have one plan, and where the name is.
SUBJECTS = (("Anna", "PERSON"), ("Boris", "PERSON"), ("Oslo", "GPE"), ("Acme", "ORG"))
VERBS = ("sees", "likes", "needs")
TAGS = ("NNP", "VBZ", "DT", "NN", ".")
HEADS = (1, 1, 3, 1, 1)
ROLES = ("nsubj", "ROOT", "det", "dobj", "punct")


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Train a tagger, a parser and a name finder on a dozen sentences until they know them."""
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    blank = spacy.blank("en")
    blank.add_pipe("tagger")
    blank.add_pipe("parser", config={"min_action_freq": 1})
    blank.add_pipe("ner")
    examples = [
        Example.from_dict(blank.make_doc(f"{name} {verb} the dog."), _truth(name, kind))
        for name, kind in SUBJECTS
        for verb in VERBS
    ]
    learning: Any = blank.initialize(lambda: examples)
    for _ in range(25):
        blank.update(examples, sgd=learning)
    folder = tmp_path_factory.mktemp("pipeline") / "small"
    blank.to_disk(folder)
    return str(folder)


def _truth(name: str, kind: str) -> dict[str, Any]:
    return {"tags": TAGS, "heads": HEADS, "deps": ROLES, "entities": [(0, len(name), kind)]}


def test_tokens_and_tags_come_from_the_pipeline(pipeline: str) -> None:
    texts = pl.Series(["Anna sees the dog.", None, "Oslo  likes\nthe dog."])
    found = tokens(texts, tagger=f"spacy:{pipeline}")
    assert found.schema == tokens(texts).schema
    assert found["tag"].to_list() == [*TAGS, *TAGS]
    assert found.drop("tag").equals(tokens(texts, tagged=False).drop("tag"))


def test_a_parse_that_fits_goes_before_the_pipeline(pipeline: str) -> None:
    parse = "(ROOT (S (NP (NNP Anna)) (VP (VBD sees) (NP (DT the) (NN dog))) (. .)))"
    found = tokens(pl.Series(["Anna sees the dog."]), pl.Series([parse]), tagger=f"spacy:{pipeline}")
    assert found["tag"].to_list() == ["NNP", "VBD", "DT", "NN", "."]


def test_heads_and_roles_skip_the_space_between(pipeline: str) -> None:
    found = analysed(pl.Series(["", "Boris   needs the dog."]), pipeline)
    assert found["row"].unique().to_list() == [1]
    assert found["head"].to_list() == list(HEADS)
    assert found["dep"].to_list() == list(ROLES)
    assert found["token"].to_list() == ["Boris", "needs", "the", "dog", "."]


def test_a_set_finds_names_through_the_pipeline(pipeline: str) -> None:
    texts = pl.Series(["Anna sees the dog.", "The dog sees the dog.", "Acme needs the dog."])
    assert mark_texts_with_names(texts, f"spacy:{pipeline}").to_list() == [True, False, True]


def test_names_have_kinds_and_places(pipeline: str) -> None:
    found = entities(pl.Series(["Anna sees the dog.", "Oslo sees the dog.", "Acme needs the dog."]), pipeline)
    assert found.rows() == [(0, 0, 4, "PERSON"), (1, 0, 4, "LOCATION"), (2, 0, 4, "ORGANIZATION")]


def test_what_a_pipeline_has_no_part_for_is_null(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "bare")
    found = analysed(pl.Series(["Anna sees the dog."]), str(tmp_path / "bare"))
    assert found.height == 5
    assert found.select("tag", "head", "dep", "entity").null_count().row(0) == (5, 5, 5, 5)
    assert entities(pl.Series(["Anna sees the dog."]), str(tmp_path / "bare")).height == 0


@pytest.mark.parametrize("name", ["no_such_pipeline", ""])
def test_a_pipeline_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"pipeline .*'{name}'.*another tagger"):
        tokens(pl.Series(["a"]), tagger=f"spacy:{name}")
    with pytest.raises(InputError, match="pipeline"):
        tokens(pl.Series(["a"]), tagger=f"spacy:{tmp_path}")


def test_without_spacy_the_message_names_the_package_to_install() -> None:
    code = (
        "import sys; sys.modules['spacy'] = None\n"
        "import polars as pl; from rightreasons.language.tokens import tokens\n"
        "tokens(pl.Series(['a']))\n"
        "tokens(pl.Series(['a']), tagger='spacy:x')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert re.search(r"InputError: .*'spacy:x'.*Install spaCy 3.*tagger or parser\.$", done.stderr.strip())
