"""Classes of verbs and nouns."""

from __future__ import annotations

from rightreasons.language import verb_classes
from rightreasons.language.wordnet import wordnet

OF_VERBS = (
    *("BARE_INFINITIVE", "CLAUSE_TAKING", "INTERROGATIVE", "MOSTLY_INTRANSITIVE", "NAMING", "NEEDING_OBJECT"),
    *("NEVER_TRANSITIVE", "OBJECT_CLAUSE", "OBJECT_INFINITIVE", "OBJECT_PARTICIPLE", "OPINION", "REPORTING"),
    *("TAKING_GERUND", "TAKING_MEASURES", "WITHOUT_INFINITIVE"),
)


def test_verbs_are_base_forms() -> None:
    unknown = {
        name: [verb for verb in getattr(verb_classes, name) if verb not in wordnet().base_forms(verb, "v")]
        for name in OF_VERBS
    }
    assert {name: verbs for name, verbs in unknown.items() if verbs} == {}


def test_classes_that_exclude_each_other() -> None:
    assert not verb_classes.NEVER_TRANSITIVE & verb_classes.NEEDING_OBJECT
    assert not verb_classes.NEVER_TRANSITIVE & verb_classes.TAKING_MEASURES
    assert not verb_classes.WITHOUT_INFINITIVE & verb_classes.MOSTLY_INTRANSITIVE


def test_measures_contain_those_that_are_never_objects() -> None:
    assert verb_classes.MEASURES | {"home"} >= verb_classes.ALWAYS_MEASURES
