"""A user's own set in one file: made, recognised and evaluated end to end."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

import rightreasons
from rightreasons.cli import main
from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError
from rightreasons.sets.template_file import TemplateFile
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from click.testing import Result

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "own-set.md"
TEXT = """\
[set]
name = "family"
version = 2
labels = ["entailment", "neutral", "contradiction"]

[words]
WHO = { tag = "NN", words = ["aunt", "uncle", "mother-in-law", "big sister"] }
DID = "slept danced"
SAW = "saw heard"

[phrases]
"svo x v y" = "(S (NP (DT the) {x}) (VP (VBD {v}) (NP (DT the) {y})) (. .))"

[[subcase]]
name = "and"
label = "entailment"
heuristic = "subsequence"
templates = [
  { name = "and", premise = "The {WHO1} and the {WHO2} {DID1}.", hypothesis = "The {WHO2} {DID1}." },
]

[[subcase]]
name = "swap"
label = "neutral"
heuristic = "lexical_overlap"
templates = [
  { name = "swap", premise = "<svo WHO1 SAW1 WHO2>", hypothesis = "<svo WHO2 SAW1 WHO1>", trigger = "{SAW1}" },
]

[[subcase]]
name = "never"
label = "contradiction"
templates = [
  { name = "never", premise = "The {WHO1} never {DID1}.", hypothesis = "The {WHO1} {DID1}." },
]

[modes.formal.set]
text = "tokenised"

[modes.formal.words]
WHO = { tag = "NN", words = ["lady", "gentleman", "judge", "bishop"] }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "family.toml"
    found.write_text(TEXT, encoding="utf-8")
    return found


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def test_a_file_is_a_set(path: Path) -> None:
    part = TemplateFile(path)
    assert (part.name, part.version) == ("family", 2)
    assert part.labels == ("entailment", "neutral", "contradiction")
    made = rightreasons.generate(str(path), size=4, seed=1)
    assert made.pairs["subcase"].value_counts(sort=True)["count"].to_list() == [4, 4, 4]
    assert made.pairs["hypothesis_parse"].null_count() == 8
    assert set(made.pairs.filter(subcase="swap")["trigger"]) <= {"saw", "heard"}
    assert made.card.set == "family"
    assert made.card.version == 2
    assert made.pairs.equals(rightreasons.generate(str(path), size=4, seed=1).pairs)
    assert not made.pairs.equals(rightreasons.generate(str(path), size=4, seed=2).pairs)


def test_splits_of_a_file_are_apart_and_together_everything(path: Path) -> None:
    parts = [
        rightreasons.generate(str(path), size=10**6, seed=seed, split=split, short="allow").pairs
        for seed, split in ((0, "eval"), (4, "train"))
    ]
    assert not set(parts[0]["premise"]) & set(parts[1]["premise"])
    both = pl.concat(parts)
    assert both.select("premise", "hypothesis").n_unique() == both.height == 24 + 24 + 8


def test_too_many_pairs_are_refused_with_their_number(path: Path) -> None:
    with pytest.raises(TooFewPairsError, match=r"never, eval split.* 4 .*\b8 .* 5 "):
        rightreasons.generate(str(path), size=5)
    made = rightreasons.generate(str(path), size=5, short="allow")
    assert len(made) == 14
    assert "never" in made.card.remarks[0]


def test_pairs_of_a_file_are_recognised(path: Path) -> None:
    pairs = rightreasons.generate(str(path), size=4).pairs
    found = rightreasons.recognise(pairs, str(path))
    for name in ("set", "subcase", "template", "subvariant", "trigger", "rank"):
        assert found[name].equals(pairs[name])
    assert rightreasons.recognise(pairs)["rank"].null_count() == pairs.height


def test_a_file_is_evaluated_from_python(path: Path, tmp_path: Path) -> None:
    run_of = rightreasons.evaluate("rules:lexical-overlap", out=tmp_path / "run", sets=[str(path)], size=4)
    rows = run_of.scores.filter(model="rules:lexical-overlap", by="heuristic,subcase")
    cells = {(row["subcase"], row["gold"]): row["accuracy"] for row in rows.iter_rows(named=True)}
    assert cells["and", "entailment"] == 1.0
    assert cells["swap", "all"] == 0.0
    assert cells["never", "all"] == 0.0


def test_a_file_goes_through_the_command_line(path: Path, tmp_path: Path) -> None:
    pairs, answers = tmp_path / "family.parquet", tmp_path / "answers.csv"
    run("generate", path, "--size", 4, "--out", pairs)
    run("predict", "rules:lexical-overlap", pairs, "--out", answers)
    scores = json.loads(run("score", pairs, answers, "--by", "subcase", "--json").stdout)
    found = {(row["subcase"], row["gold"]): row["accuracy"] for row in scores["rows"]}
    assert found["and", "entailment"] == 1.0
    assert found["swap", "all"] == 0.0
    assert rightreasons.read_pairs(pairs).pairs.equals(rightreasons.generate(str(path), size=4).pairs)
    run("evaluate", "rules:lexical-overlap", "--sets", path, "--size", 4, "--out", tmp_path / "run")
    assert "family" in (tmp_path / "run" / "report.md").read_text(encoding="utf-8")


def test_a_file_that_has_changed_is_read_again(path: Path) -> None:
    part = TemplateFile(path)
    assert "aunt" in part.grammar.document.words["WHO"].texts
    os.utime(path, ns=(1, 1))
    stamp = path.stat().st_mtime_ns
    path.write_text(TEXT.replace('"aunt"', '"niece"'), encoding="utf-8")
    assert path.stat().st_mtime_ns != stamp
    assert "niece" in part.grammar.document.words["WHO"].texts
    assert not rightreasons.generate(str(path), size=4).pairs["premise"].str.contains("aunt").any()


def test_a_file_that_has_changed_under_the_same_time_stamp_is_read_again(path: Path) -> None:
    """Copying with its times kept, or two writes in one tick of the clock, leave the stamp as it was."""
    part = TemplateFile(path)
    stamp = path.stat()
    assert "aunt" in part.grammar.document.words["WHO"].texts
    path.write_text(TEXT.replace('"aunt"', '"niece"'), encoding="utf-8")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert "niece" in part.grammar.document.words["WHO"].texts


def test_a_file_that_is_as_it_was_is_not_parsed_again(path: Path) -> None:
    part = TemplateFile(path)
    before = part.grammar
    os.utime(path, ns=(1, 1))
    assert part.grammar is before
    load_grammar.cache_clear()
    assert part.grammar is not before


def test_premises_can_be_kept_apart_only_where_one_frame_says_them(path: Path) -> None:
    assert TemplateFile(path).disjoint == "pair"
    rightreasons.generate(str(path), size=4, disjoint="premise")
    written = 'premise = "The {WHO1} never {DID1}.", hypothesis = "The {WHO1} {DID1}."'
    assert written in TEXT
    wanted = 'premise = "The aunt and the {WHO1} {DID1}.", hypothesis = "Nobody {DID1}."'
    path.write_text(TEXT.replace(written, wanted), encoding="utf-8")
    made = rightreasons.generate(str(path), size=2)
    assert made.card.options["disjoint"] == "pair"
    with pytest.raises(InputError, match=r"family\.toml, line \d+: .*'The aunt and the .*disjoint=pair"):
        rightreasons.generate(str(path), size=2, disjoint="premise")


def test_a_mode_of_a_file(path: Path) -> None:
    formal = rightreasons.generate(str(path), size=4, mode="formal")
    assert formal.pairs["premise"].str.contains("lady|gentleman|judge|bishop").all()
    trees = formal.pairs.filter(subcase="swap")
    assert trees["premise"].str.ends_with(" .").all()
    assert formal.card.options["mode"] == "formal"
    natural = rightreasons.generate(str(path), size=4, mode="formal", text="natural").pairs
    assert not natural["premise"].str.contains(" .", literal=True).any()
    plain = rightreasons.generate(str(path), size=4).pairs
    assert_frame_equal(plain.select("id", "rank", "label"), natural.select("id", "rank", "label"))
    with pytest.raises(UnknownNameError, match=r"mode .*'casual'.*formal"):
        rightreasons.generate(str(path), mode="casual")


def test_colliding_templates_are_refused_without_output(path: Path, tmp_path: Path) -> None:
    path.write_text(
        TEXT.replace("The {WHO1} never {DID1}.", "The {WHO2} and the {WHO1} {DID1}."), encoding="utf-8"
    )
    done = run("generate", path, "--size", 2, "--out", tmp_path / "out.csv", code=2)
    assert re.search(r"\bentailment and contradiction\b", " ".join(done.output.split()))
    assert re.search(r"family\.toml, line \d+", done.output.replace("\n", ""))
    assert not (tmp_path / "out.csv").exists()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml .*No such file"):
        rightreasons.generate(str(tmp_path / "none.toml"))
    done = run("generate", tmp_path / "none.toml", code=2)
    assert "No such file" in done.output


def documented() -> str:
    """Return the worked example of the how-to page."""
    if not PAGE.is_file():
        pytest.skip("the documentation is not here")
    found = re.search(r"```toml\n(\[set\].*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found
    return found[1]


def printed(text: str, start: str) -> str:
    """Return what a console block of the page shows after the command that begins with `start`."""
    found = re.search(rf"\$ {re.escape(start)}[^\n]*\n(.*?)```", text, flags=re.DOTALL)
    assert found
    return found[1].strip()


def test_the_documented_example_does_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, page = documented(), PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("quantifiers.toml").write_text(text, encoding="utf-8")
    command = "generate quantifiers.toml --size 2 --format csv -o parses=none"
    assert run(*command.split()).stdout.strip() == printed(page, f"rightreasons {command}")
    pairs = pl.read_csv(io.StringIO(run(*command.split()).stdout))
    assert pairs["label"].value_counts()["count"].to_list() == [2, 2, 2]
    run("evaluate", "rules:lexical-overlap", "--sets", "quantifiers.toml", "--size", 5, "--out", "run")


def test_the_documented_error_has_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = documented().replace("{PEOPLE1} in {PLACE1} {DID1}.", "{PEPLE1} in {PLACE1} {DID1}.", 1)
    Path("quantifiers.toml").write_text(text, encoding="utf-8")
    done = run("generate", "quantifiers.toml", "--size", 2, code=2)
    page = PAGE.read_text(encoding="utf-8")
    documented_output = printed(
        page[page.index("## What is checked") :], "rightreasons generate quantifiers.toml --size 2"
    )
    assert " ".join(done.output.split()) == documented_output


STYLED = """\
[set]
name = "styled"
labels = ["entailment", "neutral"]
text = "tokenised"
[words]
N = "cat dog cow pig"
[[subcase]]
name = "one"
templates = [
  { name = "a", label = "entailment", premise = "(S (NP (NN {N1})) (VP (VBD ran)) (. .))", hypothesis = "It ran." },
  { name = "b", label = "neutral", premise = "{N1} ran.", hypothesis = "It ran." },
]
"""
GLUED = """\
[set]
name = "glued"
labels = ["entailment"]
[words]
A = ["un", "unre"]
B = ["real", "al", "red"]
[[subcase]]
name = "one"
label = "entailment"
templates = [{ name = "a", premise = "It was {A1}{B1}.", hypothesis = "It had {A1}." }]
"""


def test_templates_that_collide_in_the_requested_style_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "styled.toml"
    path.write_text(STYLED, encoding="utf-8")
    assert rightreasons.generate(str(path), parses="none").pairs.height == 4
    with pytest.raises(
        InputError, match=r"styled\.toml, line 10: .*'Cat ran\.' / 'It ran\.'.* entailment and neutral\b"
    ):
        rightreasons.generate(str(path), text="natural")


def test_glued_words_are_recognised_whatever_stands_first(tmp_path: Path) -> None:
    path = tmp_path / "glued.toml"
    path.write_text(GLUED, encoding="utf-8")
    for split in ("eval", "train"):
        pairs = rightreasons.generate(str(path), split=split).pairs
        assert rightreasons.recognise(pairs, str(path))["rank"].to_list() == pairs["rank"].to_list()


def test_a_split_without_pairs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(
        GLUED.replace('["un", "unre"]', '["un"]').replace('["real", "al", "red"]', '["real"]'),
        encoding="utf-8",
    )
    with pytest.raises(TooFewPairsError, match=r"train split .*\bglued\b"):
        rightreasons.generate(str(path), split="train")
