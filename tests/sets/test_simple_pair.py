"""Simple Pair at its published size: every premise with its hypotheses, and the words by the rules."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import TooFewPairsError
from rightreasons.core.trees import parse_tree
from rightreasons.sets.simple_pair import SimplePair, load_simple_pair_grammar
from rightreasons.templates.collisions import check_collisions, check_shared_premises
from rightreasons.templates.filling import list_tag_columns
from rightreasons.templates.recognise import recognise_pairs

if TYPE_CHECKING:
    from rightreasons.sets.template_set import Parses
    from rightreasons.templates.plan import TemplatePlan

JUDGED = Path(__file__).parent.parent / "judged" / "simple-pair.jsonl"
SIMPLE = {"n-is-a": 51_000, "svo": 48_000}
JOINED = [
    f"{kind}-{form}" for kind in SIMPLE for form in ("p1-p2", "not-p1-p2", "p1-and-p2", "p1-and-not-p2")
]
COUNTS = {**SIMPLE, **dict.fromkeys(JOINED, 34_000)}
NOUNS = {
    name.lower(): set(load_simple_pair_grammar().document.words[name].texts)
    for name in ("FRUIT", "ANIMAL", "HUMAN", "NAME", "OBJECT")
}
ADJECTIVES = {
    kind: set(
        load_simple_pair_grammar().document.words[f"{'HUMAN' if kind == 'name' else kind.upper()}ADJ"].texts
    )
    for kind in NOUNS
}
PAST = load_simple_pair_grammar().document.words["VERB"].texts
BASE = dict(zip(load_simple_pair_grammar().document.words["BASE"].texts, PAST, strict=True))
OF_ANIMALS = {"followed", "heard", "helped", "surprised", "woke", "trusted", "remembered"}
NOT_OF_THINGS = {"followed", "heard", "helped", "surprised", "woke", "trusted"}
LIVING = {"animal", "human", "name"}

NP = r"(?:[Tt]he ([a-z]+)|([A-Z][a-z]+))"
IS = re.compile(rf"{NP} is( not)? ([a-z-]+)")
DID = re.compile(rf"{NP} (did not )?([a-z]+) {NP}")
# A sentence as its words and whether it is denied: (noun, adjective) or (subject, verb in the past, object).
Said = tuple[tuple[str, ...], bool]


def plan_of(
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    parses: Parses = "none",
) -> TemplatePlan:
    return SimplePair(parses=parses).plan(size=size, limit=limit, seed=seed, split=split)


def rows_of(**sizes: object) -> pl.DataFrame:
    plan = plan_of(**sizes)  # type: ignore[arg-type]
    return plan.rows(0, len(plan))


@pytest.fixture(scope="module")
def default() -> pl.DataFrame:
    return rows_of()


def sentence(text: str) -> Said:
    """Read one sentence; what stands without an article is a name."""
    found = IS.fullmatch(text)
    if found:
        noun, name, no, adjective = found.groups()
        assert name is None or name in NOUNS["name"]
        return (noun or name, adjective), no is not None
    found = DID.fullmatch(text)
    assert found, text
    subject, name, no, verb, thing, other = found.groups()
    assert {name, other} <= {None, *NOUNS["name"]}
    assert verb in (BASE if no else PAST)
    return (subject or name, BASE[verb] if no else verb, thing or other), no is not None


def sentences(text: str) -> list[Said]:
    assert text.endswith(".")
    parts = re.split(r"\. | and ", text.removesuffix("."))
    ends = re.findall(r"\. (.)", text)
    assert text[0].isupper()
    assert all(letter.isupper() for letter in ends)
    return [sentence(part) for part in parts]


def category(words: tuple[str, ...], of: str) -> None:
    """Check the words of a sentence against the categories that its pair is tagged with."""
    if len(words) == 2:
        assert words[0] in NOUNS[of]
        assert words[1] in ADJECTIVES[of]
        return
    subject, thing = of.split("-")
    assert words[0] in NOUNS[subject]
    assert words[2] in NOUNS[thing]
    assert words[1] in OF_ANIMALS or subject in {"human", "name"}
    assert words[1] not in NOT_OF_THINGS or thing in LIVING


def expected(first: tuple[str, ...], second: tuple[str, ...], subcase: str) -> list[Said]:
    """Write the hypotheses from the words of a premise, and of what stands beside it, in the order of the paper."""
    if len(first) == 2:
        (n1, a1), (n2, a2) = first, second
        if subcase == "n-is-a":
            return [(pair, denied) for denied in (False, True) for pair in ((n2, a1), (n1, a2), (n2, a2))]
        return [(pair, denied) for denied in (False, True) for pair in ((n2, a1), (n1, a2))]
    (s1, v1, o1), (s2, v2, o2) = first, second
    if subcase == "svo":
        return [(words, False) for words in ((s2, v1, o1), (s1, v2, o1), (s1, v1, o2), (o1, v1, s1))]
    return [(words, denied) for denied in (False, True) for words in ((s2, v1, o1), (s1, v2, o2))]


def beside(hypotheses: list[Said], subcase: str) -> tuple[str, ...]:
    """Read from the hypotheses of one sentence the words that it lacks."""
    if subcase == "n-is-a":
        return hypotheses[2][0]
    (subject, _, _), (_, verb, _), (_, _, thing) = (words for words, _ in hypotheses[:3])
    return subject, verb, thing


def denied(subcase: str) -> list[bool]:
    if subcase in SIMPLE:
        return [False]
    return ["-not-p1" in subcase, "-not-p2" in subcase]


def test_it_has_the_published_counts(default: pl.DataFrame) -> None:
    assert default.height == 371_000
    assert dict(default.group_by("subcase").len().rows()) == COUNTS
    each = default.group_by("subcase", "template").len()
    wanted = {**dict.fromkeys(COUNTS, 8_500), "svo": 12_000}
    assert all(number == wanted[subcase] for subcase, _, number in each.rows())
    assert each.height == 6 + 9 * 4


def test_the_word_lists_have_the_published_sizes() -> None:
    assert [len(words) for words in NOUNS.values()] == [40, 90, 100, 100, 90]
    assert [len(words) for words in ADJECTIVES.values()] == [25, 30, 55, 55, 28]
    assert len(set(PAST)) == len(BASE) == 20
    assert sum(map(len, NOUNS.values())) == len(set.union(*NOUNS.values()))


def test_every_pair_is_neutral_and_comes_once(default: pl.DataFrame) -> None:
    assert default["label"].unique().to_list() == ["neutral"]
    assert default.select("premise", "hypothesis").n_unique() == default.height
    assert default["id"].n_unique() == default.height
    assert default.filter(pl.col("premise") == pl.col("hypothesis")).is_empty()


def test_every_premise_has_its_hypotheses_under_one_group(default: pl.DataFrame) -> None:
    groups = default.group_by("group", maintain_order=True).agg(
        pl.col("premise").unique(), pl.col("hypothesis").n_unique(), pl.col("subcase").first(), pl.len()
    )
    assert (groups["premise"].list.len() == 1).all()
    assert groups["premise"].list.first().n_unique() == groups.height
    assert (groups["len"] == groups["hypothesis"]).all()
    assert set(groups.select("subcase", "len").unique().rows()) == {
        (name, 6 if name == "n-is-a" else 4) for name in COUNTS
    }


def test_sentences_and_words_are_those_of_the_paper(default: pl.DataFrame) -> None:
    """All 371,000 texts are read back by rules of their own, without the templates."""
    groups = default.group_by("group", maintain_order=True).agg(
        pl.col("premise", "subcase", "category").first(), "hypothesis"
    )
    for _, premise, subcase, of, texts in groups.iter_rows():
        clauses = sentences(premise)
        assert [flag for _, flag in clauses] == denied(subcase), premise
        assert (" and " in premise) == ("-and-" in subcase)
        hypotheses = [sentences(text)[0] for text in texts]
        first = clauses[0][0]
        second = clauses[1][0] if len(clauses) > 1 else beside(hypotheses, subcase)
        assert hypotheses == expected(first, second, subcase), premise
        assert len({*first, *second}) == len(first) + len(second), premise
        category(first, of)
        category(second, of)
        if subcase == "svo":
            assert first[1] in OF_ANIMALS or "animal" not in of
            assert {*of.split("-")} <= LIVING


def test_categories_share_a_subcase_as_evenly_as_their_words_allow(default: pl.DataFrame) -> None:
    counts = default.group_by("subcase", "category").agg(pl.col("group").n_unique()).sort("subcase")
    assert counts.height == 5 * 5 + 9 + 4 * 13
    for subcase in COUNTS:
        mine = counts.filter(subcase=subcase)["group"]
        if subcase == "n-is-a":
            assert sorted(mine) == [500, 1_260, 1_350, 2_695, 2_695]
        else:
            assert mine.max() - mine.min() <= 1  # type: ignore[operator]


def test_verbs_have_their_base_forms() -> None:
    regular = [
        b for b, past in BASE.items() if past in {b + "ed", b.removesuffix("e") + "ed", b[:-1] + "ied"}
    ]
    irregular = {base: past for base, past in BASE.items() if base not in regular}
    assert irregular == {"hear": "heard", "wake": "woke", "hide": "hid", "choose": "chose"}


def test_all_pairs_are_found_again_under_their_ranks(default: pl.DataFrame) -> None:
    found = recognise_pairs(default, SimplePair().recognisers())
    for column in ("set", "subcase", "template", "subvariant", "rank"):
        assert found[column].equals(default[column])


@pytest.mark.parametrize("seeds", [(0, 0), (3, 8)])
def test_training_and_evaluation_share_no_premise(seeds: tuple[int, int]) -> None:
    parts = [rows_of(seed=seed, split=split) for seed, split in zip(seeds, ("eval", "train"), strict=True)]
    assert [part.height for part in parts] == [371_000, 371_000]
    assert not set(parts[0]["premise"]) & set(parts[1]["premise"])


def test_seeds_and_ranges(default: pl.DataFrame) -> None:
    assert rows_of(seed=0).equals(default)
    other = rows_of(seed=1)
    assert other.height == default.height
    # Nearly all premises of one sentence and one adjective are in every sample, those of two are hardly ever.
    shared = default.filter(subcase="svo-p1-p2").join(other, on=["premise", "hypothesis"], how="semi")
    assert shared.height < 340
    plan = plan_of()
    for start, stop in ((0, 1), (50_995, 51_010), (100_001, 100_003), (370_990, 371_000)):
        assert plan.rows(start, stop).equals(default[start:stop])


def test_size_and_limit_are_divided_by_subcase() -> None:
    assert set(plan_of(size=10).sizes.values()) == {10}
    assert set(plan_of(limit=97).sizes.values()) == {9, 10}
    assert plan_of(size=51_660, seed=4).sizes["n-is-a"] == 51_660
    with pytest.raises(TooFewPairsError, match=r"n-is-a, eval split.* 51,660 .*\b103,320 .* 51,661 "):
        plan_of(size=51_661)


def test_a_small_sample_has_all_categories() -> None:
    tags = set(rows_of(limit=200)["category"])
    assert set(NOUNS) <= tags
    assert len(tags) == 18


def test_parses_say_what_the_sentences_say() -> None:
    pairs = rows_of(size=60, parses="binary")
    for side in ("premise", "hypothesis"):
        for text, parse, binary in pairs.select(side, f"{side}_parse", f"{side}_binary_parse").iter_rows():
            assert parse_tree(parse).label == "ROOT"
            words = re.findall(r"([^\s()]+)\)", parse)
            assert " ".join(words).replace(" .", ".") == text
            assert [word for word in binary.split() if word not in "()"] == words


def test_tags_are_those_declared() -> None:
    assert list_tag_columns(load_simple_pair_grammar()) == SimplePair.tags
    assert tuple(rows_of(size=1).columns[4:]) == SimplePair.tags
    assert set(rows_of(size=1)["kind"]) == {"n-is-a", "svo"}
    assert set(rows_of(size=1)["form"]) == {"P1.", "P1. P2.", "not-P1. P2.", "P1 and P2.", "P1 and not-P2."}


def test_no_two_templates_say_the_same() -> None:
    check_collisions(load_simple_pair_grammar())
    check_shared_premises(load_simple_pair_grammar())


def test_the_judged_sample_is_of_these_rows_and_fewer_than_one_in_twenty_are_wrong() -> None:
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    pairs = rows_of(limit=60, seed=1)
    texts = [
        f"{premise}\t{hypothesis}" for premise, hypothesis in pairs.select("premise", "hypothesis").rows()
    ]
    assert [row["id"] for row in judged] == pairs["id"].to_list()
    assert [row["digest"] for row in judged] == [
        hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts
    ]
    assert {row["label"] for row in judged} == {"neutral"}
    assert sum(row["verdict"] != "right" for row in judged) < len(judged) / 20
