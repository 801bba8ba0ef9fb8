"""Whether letters make an English word, told fast: WordNet's words, their forms, and function words.

What else a reader may take for a word is told too: names, interjections, words of old and of everyday speech.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.language.function_words import FUNCTION_WORDS
from rightreasons.language.name_lists import name_lists
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from collections.abc import Sequence

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
_OF_OLD = """
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
_OTHERS = f"{_INTERJECTIONS} {_OF_OLD} {_EVERYDAY} {_NAMED}".split()
_SLURS = ("nig", "nigs")  # words too, though WordNet lacks them
_LAST = ("s", "ed", "ing", "er", "est", "men", "ly")


def is_word(word: str) -> bool:
    """Tell whether a word, in any case of letters, is an English word or a form of one."""
    return are_words([word])[0]


def are_words(words: Sequence[str]) -> list[bool]:
    """Tell of many words which are English words, or forms of one."""
    return _are_in(_known(), words)


def pass_for_words(words: Sequence[str]) -> list[bool]:
    """Tell of many words which a reader may take for one: English words and their forms, names, "yo", "dont"."""
    return _are_in(_taken(), words)


def _are_in(whole: frozenset[str], words: Sequence[str]) -> list[bool]:
    # Endings go with English words only: "yoing" is no form of "yo".
    known = _known()
    return [
        word in whole or (word.endswith(_LAST) and _is_form(word, known)) for word in map(str.lower, words)
    ]


def _is_form(word: str, known: frozenset[str]) -> bool:
    endings = _ENDINGS[word[-1]]
    return any(word.endswith(end) and word[: -len(end)] + before in known for end, before in endings)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Gather the words that need no ending: some 90,000, in a tenth of a second."""
    lemmas = [lemma for lemma in wordnet().lemmas() if "_" not in lemma]
    return frozenset([*lemmas, *wordnet().all_irregular_forms(), *FUNCTION_WORDS, *_SLURS])


@lru_cache(maxsize=1)
def _taken() -> frozenset[str]:
    return _known().union(_names(), _OTHERS)


def _names() -> list[str]:
    """List the names of people, places and organisations in small letters, long ones word by word."""
    lists = name_lists()
    people, teams = (lists.given, lists.surnames, lists.titles), (lists.organisations, lists.teams)
    names = (*people, lists.places, lists.place_openers, *teams)
    return [word.strip(".") for kind in names for name in kind for word in name.lower().split(" ")]
