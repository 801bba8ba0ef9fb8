"""Subjects, objects and clauses are found in parses, by constituents and by dependencies alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons import trees
from rightreasons.sets.clauses import found_in
from rightreasons.sets.nps_phrases import Found, sentence, written

NP = "(NP (DT {}) (NN {}))"


def found(text: str) -> Found:
    return found_in(trees.read(text))


def shown(one: Found) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
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
    assert written(tuple(words.split())) == text
    assert sentence(text).endswith(".")


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
    tree = trees.read(text)
    one = found_in(tree)
    words = " ".join(trees.words(tree)).lower()
    for _, phrase in (*one.subjects, *one.objects):
        assert phrase.key in words
    for clause in one.clauses:
        assert " ".join(clause.words).lower() in words
        assert len(clause.words) == len(clause.tags)


# ------------------------------------------------------------------------------------------------ dependencies
def parsed(rows: str) -> Found:
    """Read off a spaCy document whose words, tags, heads and relations are written down here."""
    tokens = pytest.importorskip("spacy.tokens")
    vocab = pytest.importorskip("spacy.vocab")
    from rightreasons.sets import clauses_spacy

    columns = list(zip(*(line.split() for line in rows.strip().splitlines()), strict=True))
    document = tokens.Doc(
        vocab.Vocab(),
        words=list(columns[0]),
        tags=list(columns[1]),
        heads=[int(head) for head in columns[2]],
        deps=list(columns[3]),
    )
    return clauses_spacy.found_in(document)


def test_dependencies_give_the_same() -> None:
    one = parsed("""
        The DT 1 det
        guard NN 2 nsubj
        believed VBD 2 ROOT
        the DT 4 det
        story NN 2 dobj
        . . 2 punct
        """)
    text = "(ROOT (S (NP (DT The) (NN guard)) (VP (VBD believed) (NP (DT the) (NN story))) (. .)))"
    assert one == found(text)


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
