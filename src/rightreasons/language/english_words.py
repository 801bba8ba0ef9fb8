"""Whether a string is an English word: the words of WordNet, their forms, and function words, which WordNet lacks.

Names, interjections, archaic and colloquial words count as words too where a reader may take them for one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.language.name_clues import load_name_lists
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from collections.abc import Sequence

_FUNCTION_WORDS = """
    a an the this that these those each every either neither some any no none all both half several many much more
    most few fewer less least enough other others another such same own
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones oneself who whom whose which what whoever whomever
    whatever whichever somebody someone something anybody anyone anything nobody nothing everybody everyone everything
    am is are was were be been being do does did doing done have has had having can could may might must shall should
    will would ought need dare used
    ain aren can't cannot couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won
    wouldn isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't wouldn't shan't shouldn't
    couldn't mustn't mightn't needn't n't 's 're 've 'll 'd 'm i'm i'd i've i'll you're you've you'll he's she's it's
    we're we've we'll they're they've they'll that's there's let's what's who's
    and or but nor so yet for if unless until till while whereas although though because since as than whether lest
    of in on at by with from to into onto upon about above across after against along among amongst around before
    behind below beneath beside besides between beyond despite down during except inside like minus near off opposite
    out outside over past per plus regarding round through throughout toward towards under underneath unlike up versus
    via within without
    not never ever always here there where when why how then now thus hence also too very just only even still again
    once rather quite almost perhaps maybe however else elsewhere everywhere somewhere anywhere nowhere
    yes yeah no oh uh um well okay ok
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


# Endings by their last letter, each with what may have stood in its place.
_ENDINGS = {
    "s": (("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe")),
    "d": (("ed", ""), ("ed", "e"), ("ied", "y")),
    "g": (("ing", ""), ("ing", "e")),
    "r": (("er", ""), ("er", "e"), ("ier", "y")),
    "t": (("est", ""), ("est", "e"), ("iest", "y")),
    "n": (("men", "man"),),
    "y": (("ly", ""),),
}
_INTERJECTIONS = """
    ah aha aw aww ay aye bah duh eek eh gah golly gosh hah hee heh hey hmm hoo huh jeez lo meh mmm nah naw
    nope oi oo oops ouch ow pah phew pooh psst rah sh shh tch ugh uhm umm voila wah whee whoa ya yah yee yeh
    yep yikes yippee yo yoo yuck yum yup
"""
_ARCHAIC = """
    amid amidst canst didst dost doth ere fie fro hadst hast hath hist methinks shalt thee thine thy twas unto
    wast wert whilst whither ye
"""
_EVERYDAY = """
    agin aka alot app apps arent bein bio bios blankey bo bon bono bro bros brung burbs carbs coeds coz cutesy
    cuz dang dem dere dey didnt dino doesnt dont dunno et fam fave garde gif gifs gimme goin gon gonna gotta hella
    hoodie hoodies hunky im isnt ive jokey kung larf lemme lil looky mal mic mics mista natch nerdy nite noone
    nother offa ol op outa outta pre righty sans sayin sci sez sim sims sorta sox stat stats thar thru til
    uggs unexperienced veep von wanna wantin wasnt wat whar whatcha wif wot yall yaller
"""
# Names that are on no list: what they are is of no use there, only that they are names.
_NAMED = """
    alain alf ari bain barr beatty bret brock cary claus coe coen dai dee dion dow ebert elgin fisk fong fran
    galt goode goss gump haas hal haq holden holt jae jo judi kane kew knicks lau leno lew maas marr marv
    meyers moe moma munster nadal neal nic norton nye oz palin parton patton pau purdue rey ric roby rosen
    saks sal stamford syed taj tex thorne tuttle vail wray yu yung
"""
_OTHERS = f"{_INTERJECTIONS} {_ARCHAIC} {_EVERYDAY} {_NAMED}".split()
_SLURS = ("nig", "nigs")  # words too, though WordNet lacks them
_WORD_ENDINGS = ("s", "ed", "ing", "er", "est", "men", "ly")


def is_word(word: str) -> bool:
    """Return whether a word, in any case of letters, is an English word or a form of one."""
    return are_english_words([word])[0]


def are_english_words(words: Sequence[str]) -> list[bool]:
    """Return, for each word, whether it is an English word or a form of one."""
    return _are_known_words(_load_known_words(), words)


def are_words_or_names(words: Sequence[str]) -> list[bool]:
    """Return, for each word, whether a reader may take it for one: words and their forms, names, "yo", "dont"."""
    return _are_known_words(_load_words_and_names(), words)


def _are_known_words(whole: frozenset[str], words: Sequence[str]) -> list[bool]:
    # Only English words have endings: "yoing" is not a form of "yo".
    known = _load_known_words()
    return [
        word in whole or (word.endswith(_WORD_ENDINGS) and _is_form_of_known_word(word, known))
        for word in map(str.lower, words)
    ]


def _is_form_of_known_word(word: str, known: frozenset[str]) -> bool:
    endings = _ENDINGS[word[-1]]
    return any(word.endswith(end) and word[: -len(end)] + before in known for end, before in endings)


@lru_cache(maxsize=1)
def _load_known_words() -> frozenset[str]:
    """Gather the words that need no ending: some 90,000, in a tenth of a second."""
    lemmas = [lemma for lemma in wordnet().all_lemmas() if "_" not in lemma]
    return frozenset([*lemmas, *wordnet().all_irregular_forms(), *FUNCTION_WORDS, *_SLURS])


@lru_cache(maxsize=1)
def _load_words_and_names() -> frozenset[str]:
    return _load_known_words().union(_list_lowercase_names(), _OTHERS)


def _list_lowercase_names() -> list[str]:
    """List the names of people, places and organisations in lower case, long ones word by word."""
    lists = load_name_lists()
    people, teams = (lists.given, lists.surnames, lists.titles), (lists.organisations, lists.teams)
    names = (*people, lists.places, lists.place_openers, *teams)
    return [word.strip(".") for kind in names for name in kind for word in name.lower().split(" ")]
