"""Leave out the pairs of SICK that some expansion rules made, or all others."""

from __future__ import annotations

import polars as pl

from rightreasons.core.errors import UnknownNameError
from rightreasons.training.edits.edit import Edited, need

UNRELATED = "unrel"  # a type of pairs, which the paper counts among the rules
_ADVICE = "Give the annotated SICK (rightreasons fetch sick, then sick/annotated)."


def drop_rule(pairs: pl.DataFrame, *, rules: tuple[str, ...], others: bool = False) -> Edited:
    """Leave out pairs with any of these codes in their tag `rule`; pairs without a rule stay.

    Args:
        pairs: the pairs of the annotated SICK.
        rules: codes such as aa, det, inv, lex, od, so, ws, with commas between; unrel for unrelated sentences.
        others: leave out all other pairs instead, so that only those of these rules stay.
    """
    need(pairs, "rule", "drop-rule", _ADVICE)
    need(pairs, "pair_type", "drop-rule", _ADVICE)
    codes = pl.col("rule").str.split(",").fill_null([])
    known = {*pairs.select(codes.explode().drop_nulls()).to_series().unique(), UNRELATED}
    for name in rules:
        if name not in known:
            raise UnknownNameError("rule of SICK among the pairs", name, known)
    made_by = codes.list.set_intersection(list(rules)).list.len() > 0
    unrelated = (pl.col("pair_type") == UNRELATED) & pl.lit(UNRELATED in rules)
    named = made_by | unrelated.fill_null(value=False)
    kept = pairs.filter(named if others else ~named)
    return Edited(kept, {"dropped": pairs.height - kept.height, "rules": list(rules), "others": others})
