"""The frames that verbs are counted in, with what each is."""

from __future__ import annotations

INTRANSITIVE, PP, OBJECT, OBJECT_COMPLEMENT = "intransitive", "pp", "object", "object-complement"
PASSIVE, REDUCED_RELATIVE, PARTICIPLE, ATTRIBUTIVE = (
    "passive",
    "reduced-relative",
    "participle",
    "attributive",
)
THAT_CLAUSE, BARE_CLAUSE, WH_CLAUSE = "that-clause", "bare-clause", "wh-clause"
INFINITIVE, ING_CLAUSE, ADJECTIVE, PARENTHETICAL = "infinitive", "ing-clause", "adjective", "parenthetical"
OTHER = "other"

# Each occurrence of a verb has one of them.
FRAMES = {
    INTRANSITIVE: "no object and no clause (they waited), adverbs allowed",
    PP: "no object and no clause, with a prepositional phrase (they waited in the hall), also stranded or fixed",
    OBJECT: "a noun phrase as object, or two; also questioned or relativised (the book that they wrote, food to eat)",
    OBJECT_COMPLEMENT: "an object and what is said of it: an infinitive, participle, adjective, noun or clause",
    PASSIVE: "a participle with be or get (they were paid)",
    REDUCED_RELATIVE: "a passive participle behind the noun that it modifies (the people paid by them)",
    PARTICIPLE: "another passive participle that is a predicate or adjunct (as mentioned, kept it hidden)",
    ATTRIBUTIVE: "a participle before its noun, or used as a noun (the paid staff, the running of the bulls)",
    THAT_CLAUSE: "a clause with that (they knew that it rained)",
    BARE_CLAUSE: "a finite clause without that (they knew it rained)",
    WH_CLAUSE: "an embedded question or a free relative (they knew what happened)",
    INFINITIVE: "an infinitive right behind the verb, complement or purpose (they stopped to rest)",
    ING_CLAUSE: "an -ing clause right behind the verb (they stopped running)",
    ADJECTIVE: "an adjective phrase that describes the subject (they felt good)",
    PARENTHETICAL: "what is said is quoted, or stands before or around the verb (it rained, they said); you know",
    OTHER: "a noun tagged as a verb; and so, not or a clause with like instead of a clause (I think so)",
}
# What a frame counts besides itself. A parse doesn't tell complements from adjuncts, so a verb with a prepositional
# phrase is intransitive as well; and an object is one, whatever is said of it.
INCLUDED = {INTRANSITIVE: (INTRANSITIVE, PP), OBJECT: (OBJECT, OBJECT_COMPLEMENT)}
