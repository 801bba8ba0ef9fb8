"""Active and passive participles."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, find_node

from rightreasons.language.verb_forms import find_verb_lemma
from rightreasons.language.verb_voice import find_auxiliary, find_voice, get_topmost_phrase


def voice_of(parse: str, verb: str) -> str:
    lemma = find_verb_lemma(verb)
    assert lemma is not None
    return find_voice(find_node(parse, verb), lemma)


BY_THEM = "(PP (IN by) (NP (PRP them)))"


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("voice", "verb", "parse"),
    [
        ("active", "helps", clause("(VP (VBZ helps))")),
        ("active", "helped", clause("(VP (VBD had) (VP (VBN helped)))")),
        ("active", "helped", clause("(VP (VBD had) (ADVP (RB often)) (VP (VBN helped)))")),
        ("passive", "helped", clause("(VP (VBD had) (VP (VBN been) (VP (VBN helped))))")),
        ("passive", "helped", clause("(VP (VBD was) (ADVP (RB often)) (VP (VBN helped)))")),
        ("passive", "helped", clause("(VP (VBD got) (VP (VBN helped)))")),
        (
            "passive",
            "helped",
            clause(f"(VP (VBD was) (VP (VP (VBN seen)) (CC and) (VP (VBN helped) {BY_THEM})))"),
        ),
        # There is nothing left: the noun between be and the participle is what it modifies.
        (
            "reduced-relative",
            "left",
            clause("(VP (VBZ is) (NP (NN nothing)) (VP (VBN left)))", "(NP (EX there))"),
        ),
        # 's may be short for has.
        ("active", "won", clause("(VP (VBZ 's) (VP (VBN won) (NP (DT the) (NN race))))")),
        ("passive", "won", clause("(VP (VBZ 's) (VP (VBN won)))")),
        ("participle", "done", clause("(VP (VBZ has) (NP (PRP it)) (VP (VBN done)))")),
        # Behind a noun, and a past tense that is really a participle.
        ("reduced-relative", "helped", f"(NP (NP (NNS people)) (VP (VBN helped) {BY_THEM}))"),
        ("reduced-relative", "paid", clause(f"(VP (VBD paid) {BY_THEM})", "(NP (NNS taxes))")),
        ("active", "paid", clause("(VP (VBD paid) (NP (NNS taxes)))", "(NP (NNS people))")),
        (
            "passive",
            "accepted",
            clause(f"(VP (VP (VBZ is) (ADJP (JJ common))) (CC and) (VP (VBD accepted) {BY_THEM}))"),
        ),
        ("participle", "helped", clause(f"(VP (VP (VBD ran)) (CC and) (VP (VBD helped) {BY_THEM}))")),
        (
            "reduced-relative",
            "believed",
            clause("(VP (VBD believed) (S (VP (TO to) (VP (VB be) (NP (NNS forts))))))", "(NP (NNS towers))"),
        ),
        ("active", "helped", clause("(VP (VBD helped) (S (VP (TO to) (VP (VB be) (ADJP (JJ good))))))")),
        # Adjuncts, and what is made or kept.
        ("participle", "seen", f"(S (S (VP (VBN seen) {BY_THEM})) (, ,) (NP (PRP it)) (VP (VBZ is)))"),
        ("participle", "heard", clause("(VP (VBD made) (NP (NP (NNS voices)) (VP (VBN heard))))")),
        # Nothing modifies they: a past tense that is tagged as a participle.
        ("active", "helped", "(NP (NP (PRP they)) (VP (VBN helped)))"),
        ("active", "understood", "(VP (VB make) (NP (NP (NN all)) (VP (VBN understood) (NP (NNS rules)))))"),
        (
            "reduced-relative",
            "called",
            clause("(VP (VBD wrote) (S (NP (DT a) (NN book)) (VP (VBD called) (NP (NNP X)))))"),
        ),
    ],
)
def test_voices(voice: str, verb: str, parse: str) -> None:
    assert voice_of(parse, verb) == voice


def test_auxiliaries_are_found_over_coordination() -> None:
    parse = clause("(VP (VBD was) (VP (VP (VBN seen)) (CC and) (VP (VBN helped))))")
    auxiliary = find_auxiliary(find_node(parse, "helped"))
    assert auxiliary is not None
    assert auxiliary.word == "was"
    assert get_topmost_phrase(find_node(parse, "helped")).list_words() == ["was", "seen", "and", "helped"]
    assert find_auxiliary(find_node(clause("(VP (VBD sang) (CC and) (VBD danced))"), "danced")) is None
