"""The function words of English: WordNet has none of them."""

from __future__ import annotations

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
