"""Classes of verbs and nouns that a phrase structure parse does not tell apart."""

from __future__ import annotations


def _list_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# With two noun phrases, the second says what the first is called or becomes: they named the dog Rex.
NAMING = _list_words("""
    appoint baptize brand call christen consider crown declare deem designate dub elect entitle find label
    name nickname nominate proclaim pronounce rename style term think title vote
""")
# An infinitive after the object belongs to the verb; after other verbs it is a purpose.
OBJECT_INFINITIVE = _list_words("""
    advise allow appoint ask assume authorize beg believe cause challenge claim command compel condemn
    consider convince dare direct discover drive employ empower enable encourage entice expect feel find
    forbid force get guess hate hear help hire imagine inspire instruct intend invite know lead let like
    love make mean motivate need oblige order permit persuade prefer press pressure program prompt push
    recommend remind report request require say see select suppose suspect teach tell tempt think train
    trust understand urge want warn watch wish
""")
# A bare infinitive after the object: they saw him go. After other verbs it is a subjunctive, they suggested he go.
BARE_INFINITIVE = _list_words("""
    bid feel have hear help know let make notice observe overhear see watch
""")
# Behind these, that is no conjunction: I think that movie is good.
COUNT_NOUNS = _list_words("""
    area article book boy building car case child city concept country day dog film game girl group guy
    house idea job kid kind lady law letter man month movie night one part person place plan point problem
    program question room school show sort statement story street system team thing time town type way
    week woman word year
""")
# Adverbs that have the form of adjectives: they ran fast.
FLAT_ADVERBS = _list_words("""
    away close deep early enough far fast faster hard harder high late later least less long longer loud
    low more most near next past quick slow straight tight wide
""")
# A participle after the object belongs to the verb; after other verbs it is an adjunct.
OBJECT_PARTICIPLE = _list_words("""
    catch discover feel find get have hear help imagine keep leave notice observe picture remember see
    send show spot spy watch
""")
# An adjective or a place after the object is said of it: they left him alone, but ate the fish out of the box.
PREDICATING = _list_words("""
    assume believe call catch claim consider fear feel find forget get have hear help hide hold imagine keep
    know leave like make move need picture prefer remember say see show suppose think understand want wish
""")
# Only people and animals do this, so that a thing in front of the infinitive is its object: food to eat.
DONE_BY_PEOPLE = _list_words("""
    buy drink eat hear read say see wear write
""")
# With a preposition these have no object: a crowd to hide from.
MOVING_OR_HIDING = _list_words("""
    dance fight hide move run stop
""")
# What a noun tagged as a noun may do after see, hear and help: they saw the water rise.
HAPPENING = _list_words("""
    call color cry die drop eat fall go grow jump laugh move perform rise roll run sing sleep swim win
""")
# A clause after the object belongs to the verb: they told him that it rained.
OBJECT_CLAUSE = _list_words("""
    advise ask assure bet cable caution convince forewarn guarantee inform notify persuade promise
    reassure remind satisfy show teach tell warn write
""")
# A clause with if, when or where may be a question: they knew when it rained. After other verbs it is an adjunct.
INTERROGATIVE = _list_words("""
    answer ask consider decide discover discuss doubt explain figure find forget guess hear imagine know
    learn mention notice recall remember say see show tell understand wonder
""")
# The clause may stand before the verb, around it or in quotation marks: it rained, they said.
REPORTING = _list_words("""
    acknowledge add admit advise agree announce answer argue ask assert assume believe claim command
    comment complain conclude continue cry declare demand deny exclaim explain fear feel gather guess hear
    hope imagine inform insist know learn maintain mention mumble murmur mutter note observe order predict
    promise propose read realize recall recommend remark remember repeat reply report respond say scream
    see shout sigh snap state suggest suppose suspect swear think understand urge warn whisper wonder
    write yell
""")
# More verbs that take a clause without that.
CLAUSE_TAKING = _list_words("""
    accept anticipate appreciate ascertain bet care check confess confirm deem demonstrate deny determine
    discover dispute doubt ensure estimate expect figure find forget hold imply indicate intend joke judge
    mean notice perceive pray prefer presume pretend prove recognize regret reveal rule sense show specify
    teach tell trust understand vow wish worry
""")
# Verbs of saying and thinking that take an -ing clause or an adjective as well.
TAKING_GERUND = _list_words("""
    acknowledge admit advise announce deny fear feel forget hear imagine mention propose read recall
    recommend remember report see suggest understand
""")
# Verbs whose object is hardly ever a thing with a name.
OPINION = _list_words("""
    believe claim guess hope know say state suppose think
""")
# These have an object, unless people perform or present what the context tells.
NEEDING_OBJECT = _list_words("""
    accept admire avoid cancel contact discover encourage introduce investigate mention perform present
    recognize recommend study support thank
""")
# Of eat and drink the milk, the first has no object, unlike cook and eat the fish.
MOSTLY_INTRANSITIVE = _list_words("""
    arrive dance eat fight move perform resign run shout sleep stop think wait
""")
# Nouns that a participle describes, even if it is parsed as a verb with an object: running shoes.
MODIFIED_NOUNS = _list_words("""
    class classes clothes clothing disabilities gear material materials objects outfit outfits pants parts
    school schools shoes shorts skills target targets track train trains vehicle vehicles water
""")
PEOPLE = _list_words("""
    baby boy child couple dog girl guy kid lady man person player woman
""")
# An infinitive behind these is a purpose: what they needed to know to leave.
WITHOUT_INFINITIVE = _list_words("""
    believe hear know mention see understand
""")
NEVER_TRANSITIVE = _list_words("""
    arrive come resign sleep
""")
# Noun phrases of time, distance and degree are no objects after most verbs: they danced all night, and ran a mile.
MEASURES = _list_words("""
    afternoon afternoons ages anywhere april august autumn bit block blocks centuries century day days deal
    decade decades december downstairs evening evenings everywhere fall february feet foot friday fridays home hour
    hours inch inches january july june kilometers lot lots march may meter meters metre metres midnight
    mile miles minute minutes moment moments monday mondays month months morning mornings night nights
    noon november nowhere october once saturday saturdays season seasons second seconds september side
    somewhere spring step steps summer sunday sundays thursday thursdays time times today tomorrow ton
    tonight tons tuesday tuesdays twice upstairs way ways wednesday wednesdays week weekend weekends weeks while
    winter yard yards year years yesterday
""")
ALWAYS_MEASURES = _list_words("""
    anywhere downstairs everywhere home nowhere once somewhere today tomorrow tonight twice upstairs
    yesterday
""")
# After these, a noun phrase of time or degree is an object: they remembered the day, and knew a lot.
TAKING_MEASURES = _list_words("""
    avoid believe choose describe discuss eat enjoy explore fear forget hate have hear know learn like
    love mention miss need pay prefer read recognize recommend remember say see spend study suggest
    support understand waste win write
""")
# A clause after these nouns has no gap: the fact that they left, the day they left, the chance to leave.
CLAUSE_NOUNS = _list_words("""
    ability agreement allegation announcement argument assertion assumption attempt belief case chance
    claim concern conclusion condition confidence confirmation conviction decision denial desire doubt
    effort evidence expectation fact fear feeling ground grounds guarantee hope hypothesis idea impression
    indication knowledge likelihood message need news notion opinion opportunity order permission plan
    point possibility premise probability promise proof proposition realization reason reasons refusal
    report request requirement right rumor sense sign suggestion suspicion tendency theory thought time
    times urge view warning willingness wish word
""")
ADVERBIAL_NOUNS = _list_words("""
    afternoon day days degree direction evening extent hour instant manner minute moment month morning
    night place places point reason reasons second time times way ways week year
""")
# What one can do to the subject: it was hard to read.
TOUGH_ADJECTIVES = _list_words("""
    boring convenient dangerous delicious delightful difficult easier easiest easy enjoyable exciting
    expensive fun good great hard harder hardest healthy impossible interesting nice painful pleasant safe
    simple tough tricky worth
""")
BE = _list_words("""
    'm 're 's ai am are be been being is was were
""")
GET = _list_words("""
    get gets getting got gotten
""")
HAVE = _list_words("""
    'd 's 've had hadnt has hasnt have havent having ve
""")
