"""Subjects, objects and clauses are found in parses, by constituents and by dependencies alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.language.spacy_adapter import SpacyToken
from rightreasons.sets.nps import sentence_arguments
from rightreasons.sets.nps.phrases import SentenceArguments, join_words, make_sentence
from rightreasons.sets.nps.sentence_arguments import extract_from_constituency

NP = "(NP (DT {}) (NN {}))"


def found(text: str) -> SentenceArguments:
    return extract_from_constituency(trees.parse_tree(text))


def shown(one: SentenceArguments) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
    return (
        [(form, phrase.text) for form, phrase in one.subjects],
        [(form, phrase.text) for form, phrase in one.objects],
        [clause.text for clause in one.clauses],
    )


def test_a_plain_sentence() -> None:
    text = "(ROOT (S (NP (DT The) (NN guard)) (VP (VBD believed) (NP (DT the) (NN story))) (. .)))"
    assert shown(found(text)) == (
        [("believed", "the guard")],
        [("believed", "the story")],
        ["the guard believed the story"],
    )


def test_a_clause_under_a_verb_and_its_auxiliaries() -> None:
    text = (
        "(ROOT (S (NP (NNP Kim)) (VP (MD may) (VP (VB have) (VP (VBN said) (SBAR (IN that) (S (NP (DT the) "
        "(NNS plans)) (VP (VBD were) (ADJP (JJ old)))))))) (. .)))"
    )
    assert shown(found(text)) == (
        [("have", "Kim"), ("said", "Kim"), ("were", "the plans")],
        [],
        ["Kim may have said that the plans were old", "the plans were old"],
    )


def test_what_follows_the_noun_is_cut_off() -> None:
    text = (
        "(ROOT (S (NP (PRP They)) (VP (VBD heard) (NP (NP (DT the) (NN story)) (SBAR (WHNP (WDT that)) (S (NP "
        "(PRP he)) (VP (VBD told)))))) (. .)))"
    )
    one = found(text)
    assert [phrase.text for _, phrase in one.objects] == ["the story"]
    assert [clause.text for clause in one.clauses] == ["they heard the story that he told"]


@pytest.mark.parametrize(
    "text",
    [
        "(ROOT (S (NP (DT The) (NN story)) (VP (VBD was) (VP (VBN believed) (PP (IN by) (NP (NN everyone))))) (. .)))",
        "(ROOT (S (NP (NP (DT The) (NN story)) (VP (VBN believed) (PP (IN by) (NP (PRP us))))) (VP (VBD ended))))",
    ],
)
def test_a_passive_has_neither(text: str) -> None:
    one = found(text)
    assert "believed" not in dict(one.subjects)
    assert "believed" not in dict(one.objects)


@pytest.mark.parametrize(
    "rest",
    [
        "(NP (DT the) (NN man)) (NP (DT a) (NN lie))",
        "(S (NP (DT the) (NN man)) (ADJP (JJ honest)))",
        "(NP (DT the) (NN man)) (S (VP (TO to) (VP (VB lie))))",
        "(NP (NP (DT the) (NN man)) (CC and) (NP (DT the) (NN boy)))",
    ],
)
def test_an_object_is_a_single_one(rest: str) -> None:
    assert found(f"(ROOT (S (NP (PRP She)) (VP (VBD told) {rest}) (. .)))").objects == []


@pytest.mark.parametrize(("verb", "found_there"), [("have", False), ("want", True)])
def test_what_someone_has_is_no_subject_of_an_infinitive(verb: str, found_there: bool) -> None:
    inner = "(S (NP (NNS reasons)) (VP (TO to) (VP (VB believe) (NP (PRP it)))))"
    one = found(f"(ROOT (S (NP (PRP We)) (VP (VBP {verb}) {inner}) (. .)))")
    assert (("believe", "reasons") in shown(one)[0]) is found_there


@pytest.mark.parametrize(
    "clause",
    [
        "(NP (NP (DT the) (NN book)) (SBAR (S (NP (DT the) (NN man)) (VP (VBD wrote)))))",
        "(SBAR (WHADVP (WRB where)) (S (NP (DT the) (NN man)) (VP (VBD lived))))",
        "(SBAR (IN than) (S (NP (DT the) (NN man)) (VP (VBD did))))",
        "(S (NP (DT the) (NN man)) (VP (TO to) (VP (VB leave))))",
    ],
)
def test_what_may_lack_a_part_is_no_clause(clause: str) -> None:
    one = found(f"(ROOT (S (NP (PRP She)) (VP (VBD saw) {clause}) (. .)))")
    assert [clause.subject.text for clause in one.clauses] == ["she"]


def test_questions_are_marked() -> None:
    one = found("(ROOT (S (NP (DT The) (NN man)) (VP (VBD left)) (. ?)))")
    assert [clause.asks for clause in one.clauses] == [True]


def test_names_keep_their_capitals() -> None:
    one = found("(ROOT (S (NP (NNP Paris)) (VP (VBZ is) (ADJP (JJ large))) (. .)))")
    assert one.clauses[0].text == "Paris is large"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("the man 's dog did n't bark", "the man's dog didn't bark"),
        ("it costs $ 5 , or 3 %", "it costs $5, or 3%"),
        ("the boys ' dog can not bark", "the boys' dog cannot bark"),
        ("'s", "'s"),
    ],
)
def test_words_are_joined_naturally(words: str, text: str) -> None:
    assert join_words(tuple(words.split())) == text
    assert make_sentence(text).endswith(".")


LEAVES = st.tuples(
    st.sampled_from(["NN", "VBD", "DT", "PRP", "IN", "VBN", "POS", ","]),
    st.sampled_from(["a", "it", "'s", "é"]),
).map(lambda leaf: f"({leaf[0]} {leaf[1]})")
TREES = st.recursive(
    LEAVES,
    lambda inner: st.tuples(
        st.sampled_from(["S", "NP", "VP", "SBAR", "PP", "X", ""]), st.lists(inner, min_size=1, max_size=4)
    ).map(lambda node: f"({node[0]} {' '.join(node[1])})"),
    max_leaves=20,
)


@given(TREES)
def test_any_tree_is_read_and_phrases_are_its_words(text: str) -> None:
    tree = trees.parse_tree(text)
    one = extract_from_constituency(tree)
    words = " ".join(trees.list_tree_words(tree)).lower()
    for _, phrase in (*one.subjects, *one.objects):
        assert phrase.lower_text in words
    for clause in one.clauses:
        assert " ".join(clause.words).lower() in words
        assert len(clause.words) == len(clause.tags)


# ------------------------------------------------------------------------------------------------ dependencies
def parsed(rows: str) -> SentenceArguments:
    """Read off words whose tags, heads and relations are written down, as a pipeline of spaCy would name them."""
    lines = [line.split() for line in rows.strip().splitlines()]
    text = " ".join(line[0] for line in lines)
    starts = [sum(len(line[0]) + 1 for line in lines[:number]) for number in range(len(lines))]
    words = [
        SpacyToken(start, start + len(word), tag, None, int(head), dep, None, entity_starts=False)
        for start, (word, tag, head, dep) in zip(starts, lines, strict=True)
    ]
    return sentence_arguments.extract_from_dependencies(text, words)


GUARD = """
    The DT 1 det
    guard NN 2 nsubj
    believed VBD 2 ROOT
    the DT 4 det
    story NN 2 dobj
    . . 2 punct
    """


def test_dependencies_give_the_same() -> None:
    text = "(ROOT (S (NP (DT The) (NN guard)) (VP (VBD believed) (NP (DT the) (NN story))) (. .)))"
    assert parsed(GUARD) == found(text)


def test_dependencies_of_a_clause_and_a_passive() -> None:
    one = parsed("""
        Kim NNP 1 nsubj
        said VBD 1 ROOT
        the DT 3 det
        plan NN 5 nsubjpass
        was VBD 5 auxpass
        heard VBN 1 ccomp
        . . 1 punct
        """)
    assert shown(one) == ([("said", "Kim")], [], ["Kim said the plan was heard", "the plan was heard"])


def test_a_second_sentence_begins_anew() -> None:
    one = parsed("""
        Stop VB 0 ROOT
        . . 0 punct
        The DT 3 det
        man NN 4 nsubj
        left VBD 4 ROOT
        ? . 4 punct
        """)
    assert [(clause.text, clause.asks) for clause in one.clauses] == [("the man left", True)]


@pytest.mark.parametrize(
    "changed", [("VBD 2 ROOT", "VBD 2 relcl"), ("VBD", "VBG"), ("story NN 2 dobj", "than IN 2 mark")]
)
def test_what_may_lack_a_part_is_no_clause_of_dependencies(changed: tuple[str, str]) -> None:
    assert parsed(GUARD.replace(*changed)).clauses == []


def test_two_objects_are_none() -> None:
    assert parsed(GUARD.replace("story NN 2 dobj", "story NN 2 dative")).objects == []
    more = GUARD.replace(". . 2 punct", "true JJ 2 oprd")
    assert parsed(more).objects == []


def test_a_pipeline_without_a_parser_is_named() -> None:
    word = SpacyToken(0, 3, "NN", None, None, None, None, entity_starts=False)
    with pytest.raises(InputError, match=r"spacy:x .*dependencies"):
        sentence_arguments.extract_from_dependencies("cat", [word], "spacy:x")


def test_a_circle_ends() -> None:
    assert parsed("a NN 1 nsubj\nb VBD 0 ROOT").clauses == []
