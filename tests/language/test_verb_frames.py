"""The frame of a verb in a parse: each frame, and constructions that look like another."""

from __future__ import annotations

import pytest
from parses_by_hand import clause, frame_of

from rightreasons.core.trees import parse_tree
from rightreasons.language.frame_names import FRAMES
from rightreasons.language.verb_forms import VerbForms
from rightreasons.language.verb_frames import VerbOccurrence, find_verb_frames

RAINED = "(S (NP (PRP it)) (VP (VBD rained)))"

EACH_FRAME = [
    ("intransitive", "waited", clause("(VP (VBD waited))")),
    ("intransitive", "waited", clause("(VP (VBD waited) (ADVP (RB quietly)))")),
    ("pp", "waited", clause("(VP (VBD waited) (PP (IN in) (NP (DT the) (NN hall))))")),
    ("object", "wrote", clause("(VP (VBD wrote) (NP (DT a) (NN book)))")),
    ("object", "paid", clause("(VP (VBD paid) (NP (PRP them)) (NP (DT a) (NN fee)))")),
    ("object-complement", "saw", clause("(VP (VBD saw) (S (NP (PRP him)) (VP (VB go))))")),
    ("object-complement", "left", clause("(VP (VBD left) (S (NP (PRP him)) (ADJP (JJ happy))))")),
    ("passive", "paid", clause("(VP (VBD were) (VP (VBN paid) (PP (IN by) (NP (PRP us)))))")),
    ("passive", "paid", clause("(VP (VBD got) (VP (VBN paid)))")),
    (
        "reduced-relative",
        "paid",
        "(ROOT (S (NP (NP (DT the) (NNS people)) (VP (VBN paid) (PP (IN by) (NP (PRP us))))) (VP (VBD left)) (. .)))",
    ),
    (
        "participle",
        "mentioned",
        clause(
            "(VP (VBD left))", "(SBAR (IN As) (S (VP (VBN mentioned) (ADVP (RB above))))) (NP (PRP they))"
        ),
    ),
    ("attributive", "paid", clause("(VP (VBD left))", "(NP (DT the) (VBN paid) (NNS guards))")),
    ("attributive", "running", clause("(VP (VBD wore) (NP (VBG running) (NNS shoes)))")),
    ("that-clause", "knew", clause(f"(VP (VBD knew) (SBAR (IN that) {RAINED}))")),
    ("bare-clause", "knew", clause(f"(VP (VBD knew) (SBAR {RAINED}))")),
    ("wh-clause", "knew", clause("(VP (VBD knew) (SBAR (WHNP (WP what)) (S (VP (VBD happened)))))")),
    ("wh-clause", "knew", clause(f"(VP (VBD knew) (SBAR (IN whether) {RAINED}))")),
    ("infinitive", "stopped", clause("(VP (VBD stopped) (S (VP (TO to) (VP (VB rest)))))")),
    ("ing-clause", "stopped", clause("(VP (VBD stopped) (S (VP (VBG running))))")),
    ("adjective", "felt", clause("(VP (VBD felt) (ADJP (JJ good)))")),
    ("parenthetical", "said", f"(ROOT (S {RAINED} (, ,) (NP (PRP they)) (VP (VBD said)) (. .)))"),
    ("other", "think", clause("(VP (VBP think) (ADVP (RB so)))", "(NP (PRP I))")),
]

LOOK_ALIKES = [
    # Verbs and clauses that were tagged as nouns and prepositions.
    ("bare-clause", "said", clause("(VP (VBD said) (NP (NNS employees)) (PP (IN like) (NP (PRP it))))")),
    ("object-complement", "see", clause("(VP (VB see) (NP (DT the) (NN water) (NN rise)))")),
    ("parenthetical", "say", clause("(VP (VB say) (S (INTJ (UH Oh)) (NP (PRP I)) (VP (VBP know))))")),
    # What belongs to another word than the verb before it.
    (
        "intransitive",
        "studying",
        clause(
            "(VP (VBP are) (ADJP (RB too) (JJ busy) (S (VP (VBG studying) (S (VP (TO to) (VP (VB go))))))))"
        ),
    ),
    (
        "pp",
        "hide",
        "(ROOT (NP (DT a) (NN crowd) (S (VP (TO to) (VP (VB hide) (PP (IN from) (NP (PRP us))))))))",
    ),
    (
        "object-complement",
        "helping",
        clause("(VP (VBG helping) (NP (PRP him)) (S (VP (VBG making) (NP (NN cake)))))"),
    ),
    (
        "object-complement",
        "see",
        clause("(VP (VBZ is) (ADJP (JJ easy) (S (VP (TO to) (VP (VB see) (S (VP (VBG standing))))))))"),
    ),
    (
        "object-complement",
        "call",
        "(ROOT (SBARQ (WHADVP (WRB Why)) (SINV (VP (VBP call) (NP (PRP them))) (NP (NNS stars)))))",
    ),
    # Predicates without be, and there is.
    (
        "passive",
        "written",
        clause("(VP (VBP are) (UCP (ADVP (RB here)) (CC and) (ADJP (RB well) (VBN written))))"),
    ),
    ("passive", "paid", "(ROOT (S (PP (IN about) (S (VP (VBG getting)))) (VP (VBD paid))))"),
    ("object", "seen", clause("(VP (VBP hasnt) (VP (VBN seen) (NP (PRP it))))")),
    ("intransitive", "seen", clause("(VP (VBP hasnt) (VP (VBN seen)))")),
    ("object", "say", "(ROOT (S (INTJ (UH Oh)) (, ,) (VP (VBP do) (RB n't) (VP (VB say) (NP (PRP it))))))"),
    (
        "reduced-relative",
        "called",
        "(ROOT (S (NP (DT a) (NN ride)) (VP (VBD called) (S (`` ``) (NP (NNP Frog)) ('' '')))))",
    ),
    ("participle", "written", "(ROOT (ADJP (RB beautifully) (VBN written)))"),
    (
        "reduced-relative",
        "left",
        clause("(VP (VBZ is) (ADVP (RB plenty)) (VP (VBN left)))", "(NP (EX there))"),
    ),
    ("passive", "said", clause("(VP (VBP are) (VP (VBN said)))", "(NP (EX there))")),
    (
        "reduced-relative",
        "presented",
        "(ROOT (S (NP (NN paper)) (VP (VBN presented) (PP (IN at) (NP (NNP X))))))",
    ),
    ("pp", "won", "(ROOT (S (NP (DT The) (NN victor)) (VP (VBD won) (PP (IN by) (NP (DT a) (NN mile))))))"),
    # A pronoun is an object of know, a conjunction before a clause.
    ("object", "knew", clause("(VP (VBD knew) (NP (DT that)))")),
    # Times and distances are no objects of most verbs, but of some.
    ("intransitive", "ran", clause("(VP (VBD ran) (NP (DT a) (NN mile)))")),
    ("object", "remembered", clause("(VP (VBD remembered) (NP (DT the) (NN day)))")),
    # A relative pronoun, a question word or a noun stands for the object.
    (
        "object",
        "wrote",
        clause(
            "(VP (VBD read) (NP (NP (DT the) (NN book)) (SBAR (WHNP (WDT that)) (S (NP (PRP we)) (VP (VBD wrote))))))"
        ),
    ),
    ("object", "read", "(ROOT (SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP they)) (VP (VB read))) (. ?)))"),
    (
        "object",
        "eat",
        clause(
            "(VP (VBD bought) (NP (NN something)) (S (VP (TO to) (VP (VB eat) (PP (IN at) (NP (NN home)))))))"
        ),
    ),
    # But a place where something happens does not.
    (
        "intransitive",
        "danced",
        clause(
            "(VP (VBD saw) (NP (NP (NN place)) (SBAR (WHADVP (WRB where)) (S (NP (PRP we)) (VP (VBD danced))))))"
        ),
    ),
    # A stranded preposition has the gap.
    (
        "pp",
        "thought",
        clause(
            "(VP (VBD saw) (NP (NP (NN something)) (SBAR (S (NP (PRP we)) (VP (VBD thought) (PRT (RP about)))))))"
        ),
    ),
    # The conjunction was left out, and the parser took the clause for the main clause.
    (
        "bare-clause",
        "knows",
        "(ROOT (S (SBAR (IN though) (S (NP (NNP Ann)) (VP (VBZ knows)))) (NP (DT this)) (VP (VBZ is)) (. .)))",
    ),
    # As they know is a comment.
    (
        "parenthetical",
        "know",
        "(ROOT (S (SBAR (IN As) (S (NP (PRP they)) (VP (VBP know)))) (, ,) (NP (DT this)) (VP (VBZ is)) (. .)))",
    ),
    ("parenthetical", "said", clause("(VP (VBD said) (, ,) (`` ``) (S (NP (PRP It)) (VP (VBZ rains))))")),
    # You know before a main clause; but if you know of it.
    (
        "parenthetical",
        "know",
        "(ROOT (S (NP (PRP you)) (VP (VBP know) (SBAR (S (NP (PRP it)) (VP (VBZ rains)))))))",
    ),
    (
        "pp",
        "know",
        "(ROOT (S (SBAR (IN If) (S (NP (PRP you)) (VP (VBP know) (PP (IN of) (NP (PRP it)))))) (VP (VB go))))",
    ),
    # Said of the object: what they called it, what they believed themselves.
    ("object-complement", "called", clause("(VP (VBD called) (NP (PRP it)) (NP (DT a) (NN mistake)))")),
    (
        "object-complement",
        "believed",
        clause("(VP (VBD believed) (S (NP (PRP themselves)) (NP (NNS artists))))"),
    ),
    # A purpose after an object belongs to no frame of its own.
    ("object", "read", clause("(VP (VBD read) (NP (DT a) (NN book)) (S (VP (TO to) (VP (VB rest)))))")),
    # A subjunctive is a clause, the infinitive after help is not.
    ("bare-clause", "recommended", clause("(VP (VBD recommended) (SBAR (S (NP (PRP he)) (VP (VB go)))))")),
    ("infinitive", "help", clause("(VP (MD ca) (RB n't) (VP (VB help) (CC but) (VP (VB notice))))")),
    # Titles are parsed as clauses.
    (
        "reduced-relative",
        "presented",
        "(ROOT (S (NP (NN Paper)) (VP (VBD presented) (PP (IN at) (NP (DT a) (NN meeting))))))",
    ),
    (
        "pp",
        "presented",
        "(ROOT (S (NP (DT The) (NN judge)) (VP (VBD presented) (PP (IN at) (NP (DT a) (NN meeting))))))",
    ),
]


@pytest.mark.every_case
@pytest.mark.parametrize(("frame", "verb", "parse"), EACH_FRAME)
def test_each_frame(frame: str, verb: str, parse: str) -> None:
    assert frame_of(parse, verb) == frame


@pytest.mark.every_case
@pytest.mark.parametrize(("frame", "verb", "parse"), LOOK_ALIKES)
def test_constructions_that_look_like_others(frame: str, verb: str, parse: str) -> None:
    assert frame_of(parse, verb) == frame


def test_every_frame_has_an_example() -> None:
    assert {frame for frame, *_ in EACH_FRAME} == set(FRAMES)


def test_verbs_are_found_with_their_place() -> None:
    parse = clause("(VP (VP (VBD saw) (NP (PRP us))) (CC and) (VP (VBD waited)))")
    forms = VerbForms.from_lemmas(["see", "wait", "sleep"])
    assert find_verb_frames(parse_tree(parse), forms) == [
        VerbOccurrence("see", "object", 1),
        VerbOccurrence("wait", "intransitive", 4),
    ]


def test_a_parse_without_phrases_is_no_error() -> None:
    assert frame_of("(VBD waited)", "waited") in FRAMES
    assert frame_of("(ROOT (VBD waited) (NN hall))", "waited") in FRAMES
