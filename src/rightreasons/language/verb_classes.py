"""Classes of verbs and nouns that a phrase structure parse does not tell apart."""

from __future__ import annotations

# With two noun phrases, the second says what the first is called or becomes: they named the dog Rex.
NAMING = frozenset(
    "appoint baptize brand call christen consider crown declare deem designate dub elect entitle find label name "
    "nickname nominate proclaim pronounce rename style term think title vote".split()
)
# An infinitive after the object belongs to the verb; after other verbs it is a purpose.
OBJECT_INFINITIVE = frozenset(
    "advise allow appoint ask assume authorize beg believe cause challenge claim command compel condemn consider convince "
    "dare direct discover drive employ empower enable encourage entice expect feel find forbid force get guess hate hear "
    "help hire imagine inspire instruct intend invite know lead let like love make mean motivate need oblige order "
    "permit persuade prefer press pressure program prompt push recommend remind report request require say see select "
    "suppose suspect teach tell tempt think train trust understand urge want warn watch wish".split()
)
# A bare infinitive after the object: they saw him go. After other verbs it is a subjunctive, they suggested he go.
BARE_INFINITIVE = frozenset("bid feel have hear help know let make notice observe overhear see watch".split())
# Behind these, that is no conjunction: I think that movie is good.
COUNT_NOUNS = frozenset(
    "area article book boy building car case child city concept country day dog film game girl group guy house idea job "
    "kid kind lady law letter man month movie night one part person place plan point problem program question room "
    "school show sort statement story street system team thing time town type way week woman word year".split()
)
# Adverbs that have the form of adjectives: they ran fast.
FLAT_ADVERBS = frozenset(
    "away close deep early enough far fast faster hard harder high late later long longer loud least less low more most near next past quick slow "
    "straight tight wide".split()
)
# A participle after the object belongs to the verb; after other verbs it is an adjunct.
OBJECT_PARTICIPLE = frozenset(
    "catch discover feel find get have hear imagine keep leave notice observe picture remember see send show spot spy "
    "watch".split()
)
# A clause after the object belongs to the verb: they told him that it rained.
OBJECT_CLAUSE = frozenset(
    "advise ask assure bet cable caution convince forewarn guarantee inform notify persuade promise reassure remind "
    "satisfy show teach tell warn write".split()
)
# A clause with if, when or where may be a question: they knew when it rained. After other verbs it is an adjunct.
INTERROGATIVE = frozenset(
    "answer ask consider decide discover discuss doubt explain figure find forget guess hear imagine know learn mention "
    "notice recall remember say see show tell understand wonder".split()
)
# The clause may stand before the verb, around it or in quotation marks: it rained, they said.
REPORTING = frozenset(
    "acknowledge add admit advise agree announce answer argue ask assert assume believe claim command comment complain "
    "conclude continue cry declare demand deny exclaim explain fear feel gather guess hear hope imagine inform insist "
    "know learn maintain mention mumble murmur mutter note observe order predict promise propose read realize recall "
    "recommend remark remember repeat reply report respond say scream see shout sigh snap state suggest suppose suspect "
    "swear think understand urge warn whisper wonder write yell".split()
)
# More verbs that take a clause without that.
CLAUSE_TAKING = frozenset(
    "accept anticipate appreciate ascertain bet care check confess confirm deem demonstrate deny determine discover "
    "dispute doubt ensure estimate expect figure find forget hold imply indicate intend joke judge mean notice perceive "
    "pray prefer presume pretend prove recognize regret reveal rule sense show specify teach tell trust understand vow "
    "wish worry".split()
)
# Verbs of saying and thinking that take an -ing clause or an adjective as well.
TAKING_GERUND = frozenset(
    "acknowledge admit advise announce deny fear feel forget hear imagine mention propose read recall recommend remember "
    "report see suggest understand".split()
)
# Verbs whose object is hardly ever a thing with a name.
OPINION = frozenset("believe claim guess hope know say state suppose think".split())
# Of eat and drink the milk, the first has no object, unlike cook and eat the fish.
MOSTLY_INTRANSITIVE = frozenset(
    "arrive dance eat fight move perform resign run shout sleep stop think wait".split()
)
# Nouns that a participle describes, even if it is parsed as a verb with an object: running shoes.
MODIFIED_NOUNS = frozenset(
    "class classes clothes clothing disabilities gear material materials objects outfit outfits parts pants school schools shoes shorts skills target targets track train trains "
    "vehicle vehicles water".split()
)
PEOPLE = frozenset("baby boy child couple dog girl guy kid lady man person player woman".split())
# An infinitive behind these is a purpose: what they needed to know to leave.
WITHOUT_INFINITIVE = frozenset("believe hear know mention see understand".split())
NEVER_TRANSITIVE = frozenset(["arrive", "resign", "sleep"])
# Noun phrases of time, distance and degree are no objects after most verbs: they danced all night, and ran a mile.
MEASURES = frozenset(
    "second seconds minute minutes hour hours day days week weeks weekend weekends month months year years decade decades "
    "century centuries time times moment moments while bit lot lots ton tons deal morning mornings afternoon afternoons "
    "evening evenings night nights noon midnight today tomorrow yesterday tonight monday tuesday wednesday thursday "
    "friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april "
    "may june july august september october november december spring summer winter fall autumn season seasons mile "
    "miles yard yards foot feet inch inches block blocks step steps metre metres meter meters kilometers way ways home "
    "twice once nowhere anywhere somewhere everywhere side".split()
)
ALWAYS_MEASURES = frozenset(
    "today tomorrow yesterday tonight home twice once everywhere nowhere somewhere anywhere".split()
)
# After these, a noun phrase of time or degree is an object: they remembered the day, and knew a lot.
TAKING_MEASURES = frozenset(
    "avoid believe choose describe discuss eat enjoy explore fear forget hate have hear know learn like love mention "
    "miss need pay prefer read recognize recommend remember say see spend study support suggest understand waste "
    "win write".split()
)
# A clause after these nouns has no gap: the fact that they left, the day they left, the chance to leave.
CLAUSE_NOUNS = frozenset(
    "ability agreement allegation announcement argument assertion assumption attempt belief case chance claim conclusion "
    "concern condition confidence confirmation conviction decision denial desire doubt effort evidence expectation fact "
    "fear feeling ground grounds guarantee hope hypothesis idea impression indication knowledge likelihood message need "
    "news notion opinion opportunity order permission plan point possibility premise probability promise proof "
    "proposition realization reason reasons refusal report request requirement right rumor sense sign suggestion "
    "suspicion tendency theory thought time times urge view warning willingness wish word".split()
)
ADVERBIAL_NOUNS = frozenset(
    "way ways time times day days night moment minute second hour week month year morning afternoon evening reason "
    "reasons place places point extent instant degree manner direction".split()
)
# What one can do to the subject: it was hard to read.
TOUGH_ADJECTIVES = frozenset(
    "boring convenient dangerous delicious delightful difficult easy easier easiest enjoyable exciting expensive fun good "
    "great hard healthy harder hardest impossible interesting nice painful pleasant safe simple tough tricky worth".split()
)
BE = frozenset("be am is are was were been being 'm 're 's ai".split())
GET = frozenset("get gets got gotten getting".split())
HAVE = frozenset("have has had having 've 'd 's ve".split())
