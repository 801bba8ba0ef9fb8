"""Sets whose verbs a corpus attests in every frame that a template relies on, by the table of the audit `frames`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.json_shapes import TEXT, Fields, Items, Maybe, read_json
from rightreasons.io.tables import read_table
from rightreasons.sets.template_frames import list_relied_frames, list_verb_uses
from rightreasons.templates.notation import get_base_name
from rightreasons.templates.word_restriction import WordRestriction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rightreasons.sets.template_frames import VerbUse
    from rightreasons.templates.grammar import Grammar, Variant

ATTESTED_HELP = (
    "Table of the audit frames, or the folder of the audit: use only verbs that the audited corpus attests in every "
    "frame that a template relies on."
)
TABLE = Path("tables", "frames.parquet")  # in the folder of an audit
COLUMNS = ("verb", "frame", "attested")
YES, UNCERTAIN, NO = "yes", "uncertain", "no"
ADVICE = "Use the table frames that `rightreasons audit CORPUS --audits frames --out FOLDER` writes"
_JSON_ROWS = Items(Fields(dict.fromkeys(COLUMNS, TEXT), {"corpus": Maybe(TEXT)}))
_SHOWN = 3


@dataclass(frozen=True)
class AttestedVerbs:
    """Which verbs a corpus attests in which frames, as an audit found."""

    path: Path
    digest: str
    verdicts: Mapping[tuple[str, str], str]  # by verb and frame: yes, uncertain or no

    def restrict_words(self, grammar: Grammar) -> WordRestriction:
        """Restrict the slots of all sub-variants to verbs that are attested in each frame that they have there."""
        missing = [key for key in list_relied_frames(grammar) if key not in self.verdicts]
        if missing:
            shown = ", ".join(f"{verb} ({frame})" for verb, frame in missing[:_SHOWN])
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            raise InputError(
                f"{self.path} lacks verbs and frames that {grammar.document.name} relies on: {shown}{more}. Run the "
                "audit frames without the option verbs, and use its table."
            )
        uses = zip(grammar.variants, list_verb_uses(grammar), strict=True)
        return WordRestriction.from_grammar(
            grammar, [self._restrict_variant(grammar, variant, several) for variant, several in uses]
        )

    def _restrict_variant(
        self, grammar: Grammar, variant: Variant, uses: Sequence[VerbUse]
    ) -> dict[int, NDArray[np.bool_]] | None:
        """Mark the words of each slot; None if a verb that is always there is not attested, or no word is left."""
        allowed: dict[int, NDArray[np.bool_]] = {}
        for use in uses:
            # Sub-variants that this mode leaves out may have verbs that were not counted.
            attested = self.verdicts.get((use.verb, use.frame)) == YES
            if use.slot is None or use.entry is None:
                if not attested:
                    return None
                continue
            slot = variant.slots.index(use.slot)
            words = grammar.document.words[get_base_name(use.slot)]
            mask = allowed.setdefault(slot, np.ones(len(words), dtype=bool))
            mask[use.entry] &= attested
        return allowed if all(mask.any() for mask in allowed.values()) else None

    def list_left_out(self, grammar: Grammar, restriction: WordRestriction, *, short: str) -> list[str]:
        """Report what has no attested verbs; a whole subcase without any is an error unless that is allowed."""
        used = [variant for variant in grammar.variants if variant.source.weight > 0]
        left_out = [variant for variant in used if not restriction.get_share(variant)]
        kept = {variant.subcase for variant in used} - {variant.subcase for variant in left_out}
        kept |= {variant.subcase for variant in used if restriction.get_share(variant)}
        empty = [subcase for subcase in grammar.subcases if subcase not in kept]
        if empty and short != "allow":
            raise TooFewPairsError(
                f"{self.path} attests no verb in all frames of {', '.join(empty)}. Audit a larger corpus, or omit "
                "these subcases with -o short=allow."
            )
        remarks = [f"No attested verbs, so no pairs: {', '.join(empty)}."] if empty else []
        if left_out:
            remarks.append(
                f"{len(left_out)} of {len(used)} sub-variants have no attested verbs and were left out."
            )
        return remarks


def read_attested_verbs(path: Path) -> AttestedVerbs:
    """Read the table of the audit frames, as parquet, CSV or JSON, or from the folder of the audit."""
    file = path / TABLE if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        raise InputError(f"{path} has no file {TABLE}. Use the folder of an audit that ran the audit frames.")
    table = _read_frame_table(file)
    missing = [name for name in COLUMNS if table.schema.get(name) != pl.String]
    if missing:
        raise InputError(f"{file} has no column {missing[0]!r} with texts. {ADVICE}.")
    if "corpus" in table.columns and table["corpus"].n_unique() > 1:
        raise InputError(f"{file} has the verbs of several corpora. Audit one corpus alone.")
    rows = table.select(COLUMNS).rows()
    strange = [verdict for _, _, verdict in rows if verdict not in (YES, UNCERTAIN, NO)]
    if strange or not rows:
        what = f"the value {strange[0]!r} in the column attested" if strange else "no rows"
        raise InputError(f"{file} has {what}. {ADVICE}; attested is {YES}, {UNCERTAIN} or {NO}.")
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return AttestedVerbs(path, digest, {(verb, frame): verdict for verb, frame, verdict in rows})


def _read_frame_table(file: Path) -> pl.DataFrame:
    if file.suffix != ".json":
        return read_table(file)
    rows = read_json(file, _JSON_ROWS, f"{ADVICE}.")
    names = (*COLUMNS, *(["corpus"] if any("corpus" in row for row in rows) else []))
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in names})
