"""Sets with attested verbs only: what is left, what stays the same, and tables that are refused."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.trees import parse_tree
from rightreasons.language.verb_forms import VerbForms
from rightreasons.language.verb_frames import find_verb_frames
from rightreasons.sets.attested_verbs import TABLE, read_attested_verbs
from rightreasons.sets.hans.hans import load_hans_grammar
from rightreasons.sets.relied_frames import collect_relied_frames

if TYPE_CHECKING:
    from pathlib import Path

# In none of the frames; in some frames only: fight without an object, help but in no reduced relative.
ABSENT = {"admire", "avoid", "contact", "thank", "resign", "assume", "hide", "warn"}
PARTLY = {
    ("fight", "object"),
    ("help", "reduced-relative"),
    ("recognize", "passive"),
    ("know", "that-clause"),
}
WHOLE = {"pp": "intransitive", "object-complement": "object"}
SMALL = {"size": 60, "parses": "labelled"}


@cache
def all_combinations() -> tuple[tuple[str, str], ...]:
    return tuple(sorted({key for relied in collect_relied_frames().values() for key in relied}))


def verdict(verb: str, frame: str) -> str:
    if verb in ABSENT:
        return "no"
    return "uncertain" if (verb, frame) in PARTLY else "yes"


def write_verdicts(folder: Path, rows: list[dict[str, str]] | None = None, name: str = "frames.csv") -> Path:
    chosen = rows or [{"verb": v, "frame": f, "attested": verdict(v, f)} for v, f in all_combinations()]
    table, path = pl.DataFrame(chosen), folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(table.write_json(), encoding="utf-8")
    elif path.suffix == ".parquet":
        table.write_parquet(path)
    else:
        table.write_csv(path)
    return path


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    return write_verdicts(tmp_path)


@pytest.fixture(scope="module")
def restricted(tmp_path_factory: pytest.TempPathFactory) -> rr.ChallengeSet:
    return rr.generate("hans", attested=write_verdicts(tmp_path_factory.mktemp("table")), **SMALL)


def frames_of(pairs: pl.DataFrame) -> set[tuple[str, str, str]]:
    """Find the verbs of pairs with their frames, by subcase, from the parses alone."""
    forms = VerbForms.from_lemmas({verb for verb, _ in all_combinations()})
    found = set()
    for subcase, *parses in pairs.select("subcase", "premise_parse", "hypothesis_parse").iter_rows():
        for parse in parses:
            for one in find_verb_frames(parse_tree(parse), forms):
                found.add((subcase, one.lemma, WHOLE.get(one.frame, one.frame)))
    return found


def test_every_verb_is_attested_in_each_of_its_frames(restricted: rr.ChallengeSet) -> None:
    found = frames_of(restricted.pairs)
    assert {verb for _, verb, _ in found} & ABSENT == set()
    combinations = {(verb, frame) for _, verb, frame in found}
    assert combinations <= set(all_combinations())
    assert [each for each in sorted(combinations) if verdict(*each) != "yes"] == []


def test_a_verb_stays_where_its_frames_are_attested(restricted: rr.ChallengeSet) -> None:
    found = frames_of(restricted.pairs)
    assert ("ln_passive", "recognize", "passive") not in found
    assert any(verb == "recognize" and frame == "object" for _, verb, frame in found)
    # Help is unattested in reduced relatives, so the subcase that has it in one lacks it, and only this subcase.
    subcases = {subcase for subcase, verb, _ in found if verb == "help"}
    assert "ln_passive" in subcases
    helped = restricted.pairs.filter(
        (pl.col("subcase") == "sn_past_participle") & (pl.col("trigger") == "helped")
    )
    assert helped.is_empty()


def test_all_subcases_keep_their_size(restricted: rr.ChallengeSet) -> None:
    counts = restricted.pairs["subcase"].value_counts()
    assert counts.height == 30
    assert counts["count"].unique().to_list() == [60]
    assert restricted.pairs["id"].n_unique() == 1800


@pytest.mark.parametrize("mode", ["corrected", "faithful"])
def test_pairs_keep_their_ids_and_their_order(verdicts: Path, mode: str) -> None:
    whole = rr.generate("hans", mode=mode, size=600, short="allow", parses="none").pairs
    some = rr.generate("hans", mode=mode, size=20, attested=verdicts, parses="none").pairs
    joined = some.join(whole.select("id", "premise", "hypothesis", "label"), on="id", suffix=" there")
    assert joined.height > 0.95 * some.height  # the others have a later place in the whole set
    assert joined.filter(
        (pl.col("premise") != pl.col("premise there")) | (pl.col("label") != pl.col("label there"))
    ).is_empty()
    one = pl.col("subvariant") == some["subvariant"].mode()[0]
    order = whole.filter(one)["id"].to_list()
    places = [order.index(each) for each in some.filter(one)["id"] if each in order]
    assert places == sorted(places)


def test_splits_share_no_premise_with_any_set(verdicts: Path) -> None:
    options: dict[str, Any] = {"size": 100, "parses": "none", "short": "allow"}
    evaluation, training = (
        rr.generate("hans", split=split, attested=verdicts, **options).pairs for split in ("eval", "train")
    )
    others = rr.generate("hans", split="train", seed=3, **options).pairs
    assert not set(evaluation["premise"]) & set(training["premise"])
    assert not set(evaluation["premise"]) & set(others["premise"])


def test_any_range_is_made_alone_and_repeats(verdicts: Path) -> None:
    plan = rr.plan("hans", attested=verdicts, limit=900, parses="none")
    whole = plan.rows(0, len(plan))
    other = rr.plan("hans", attested=verdicts, limit=900, parses="none")
    assert other.rows(850, 900).equals(whole[850:900])
    assert other.rows(0, 40).equals(whole[:40])
    assert other.rows(300, 333).equals(whole[300:333])


def test_premises_still_have_a_hypothesis_of_each_label(restricted: rr.ChallengeSet) -> None:
    labels = restricted.pairs.drop_nulls("group").group_by("group").agg(pl.col("label").n_unique())
    assert (labels["label"] == 2).sum() > 0.5 * labels.height


def test_a_table_that_attests_everything_changes_nothing(tmp_path: Path) -> None:
    rows = [{"verb": verb, "frame": frame, "attested": "yes"} for verb, frame in all_combinations()]
    path = write_verdicts(tmp_path, rows)
    for mode in ("corrected", "faithful"):
        plain = rr.generate("hans", mode=mode, limit=600, parses="none").pairs
        assert rr.generate("hans", mode=mode, limit=600, parses="none", attested=path).pairs.equals(plain)


def test_the_card_records_the_table(verdicts: Path, restricted: rr.ChallengeSet) -> None:
    card = rr.generate("hans", attested=verdicts, **SMALL).card
    assert card.options["attested"] == str(verdicts)
    assert card.sources == {f"SHA-256 of {verdicts}": read_attested_verbs(verdicts).digest}
    assert card.digest == restricted.card.digest
    assert rr.generate("hans", **json.loads(card.to_json())["options"]).card.digest == card.digest
    assert rr.generate("hans", **SMALL).card.options["attested"] is None


@pytest.mark.parametrize("name", ["frames.json", "frames.parquet", str(TABLE)])
def test_all_formats_and_the_folder_of_an_audit(
    tmp_path: Path, restricted: rr.ChallengeSet, name: str
) -> None:
    path = write_verdicts(tmp_path, name=name)
    given = tmp_path if name == str(TABLE) else path
    assert rr.generate("hans", attested=given, **SMALL).card.digest == restricted.card.digest


def test_the_lexicon_of_nps_is_restricted(verdicts: Path) -> None:
    options: dict[str, Any] = {"verbs": ("feared", "warned"), "limit": 20, "controls": True}
    assert rr.generate("nps", **options).pairs["verb"].unique().sort().to_list() == ["feared", "warned"]
    with pytest.raises(rr.TooFewPairsError, match="warned, warned-control"):
        rr.generate("nps", **options, attested=verdicts)
    left = rr.generate("nps", **options, attested=verdicts, short="allow")
    assert left.pairs["verb"].unique().to_list() == ["feared"]
    assert any("warned" in remark for remark in left.card.remarks)
    with pytest.raises(rr.InputError, match="attested"):
        rr.generate("nps", corpus="pocket", attested=verdicts)


def unattest(tmp_path: Path, *verbs: str) -> Path:
    rows = [
        {"verb": verb, "frame": frame, "attested": "no" if verb in verbs else "yes"}
        for verb, frame in all_combinations()
    ]
    return write_verdicts(tmp_path, rows)


def test_a_subcase_without_attested_verbs_is_an_error_unless_allowed(tmp_path: Path) -> None:
    path = unattest(tmp_path, "help", "investigate", "pay", "present", "study")
    with pytest.raises(rr.TooFewPairsError, match="sn_past_participle"):
        rr.generate("hans", attested=path, limit=60)
    left = rr.generate("hans", attested=path, limit=58, short="allow")
    assert left.pairs["subcase"].n_unique() == 29
    assert any("sn_past_participle" in remark for remark in left.card.remarks)


def test_too_few_pairs_are_an_error_even_for_the_default_size(tmp_path: Path) -> None:
    path = unattest(tmp_path, "eat", "explore", "leave", "read", "win")
    with pytest.raises(rr.TooFewPairsError, match="se_understood_object"):
        rr.plan("hans", attested=path)
    plan = rr.plan("hans", attested=path, short="allow", parses="none")
    understood = plan.rows(0, len(plan)).filter(subcase="se_understood_object")
    # Both splits together have all pairs of the verbs that are left.
    training = rr.plan("hans", attested=path, short="allow", parses="none", split="train")
    others = training.rows(0, len(training)).filter(subcase="se_understood_object")
    grammar = load_hans_grammar("corrected")
    everything = sum(
        variant.space.count
        for variant in grammar.get_variants("se_understood_object")
        if variant.source.weight
    )
    every = rr.generate("hans", size=everything, short="allow", parses="none").pairs
    every = pl.concat(
        [every, rr.generate("hans", size=everything, short="allow", parses="none", split="train").pairs]
    ).filter(pl.col("subcase") == "se_understood_object", pl.col("premise").str.contains(r" (paid|wrote) "))
    assert understood.height + others.height == every.height
    assert {*understood["id"], *others["id"]} == set(every["id"])


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([{"verb": "see", "count": "3"}], "frame"),
        ([{"verb": "see", "frame": "object", "attested": "maybe"}], "maybe"),
        ([{"verb": "see", "frame": "object", "attested": "yes"}], "lacks"),
        (
            [{"corpus": c, "verb": "see", "frame": "object", "attested": "yes"} for c in ("a", "b")],
            "several corpora",
        ),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, rows: list[dict[str, str]], what: str) -> None:
    path = write_verdicts(tmp_path, rows)
    with pytest.raises(rr.InputError, match=what) as caught:
        rr.generate("hans", attested=path, limit=60)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[1, 2]"),
        ("a.json", "[" * 100_000),
        ("a.json", "[]"),
        ("a.json", '[{"verb": "see", "frame": ["object"], "attested": "yes"}]'),
        ("a.csv", ""),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rr.InputError, match=name):
        rr.generate("hans", attested=path, limit=60)


def test_columns_must_have_texts(tmp_path: Path) -> None:
    path = tmp_path / "frames.parquet"
    pl.DataFrame({"verb": ["see"], "frame": ["object"], "attested": [True]}).write_parquet(path)
    with pytest.raises(rr.InputError, match="attested"):
        rr.generate("hans", attested=path, limit=60)


def test_a_missing_file_and_another_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path / "none.json", tmp_path):
        with pytest.raises(rr.InputError, match=path.name):
            rr.generate("hans", attested=path, limit=60)
