"""How often a corpus shows each verb in each frame: with an object, without, with a clause, in the passive, ...

HANS uses only verbs that MultiNLI has at least 50 times in each frame that a template relies on, so that a model can't
fail because it never saw the frame (McCoy et al. 2019, section 3.1). This audit counts the same for any parsed corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.audits.frame_exhibits import make_frame_exhibits
from rightreasons.audits.heuristics import MNLI_TRAIN_PAIRS
from rightreasons.audits.verb_occurrences import SIDES, VerbOccurrences, add_count_interval
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.errors import InputError
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Audit
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.relied_frames import collect_relied_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.audits.audit_corpus import AuditCorpus

YES, UNCERTAIN, NO = "yes", "uncertain", "no"
SKIP, COUNT = "skip", "count"
_MILLION = 1_000_000
_WHOLE_NUMBERS = 10  # thresholds from here on are shown without decimals


@dataclass(frozen=True, kw_only=True)
class FramesAudit(Audit):
    """How often the corpus shows verbs in the frames that templates use them in."""

    name = "frames"
    needs_labels = False
    needs = tuple(SIDES.values())

    verbs: tuple[str, ...] | None = option(
        None, help="Base forms of the verbs to count. Default: the verbs of HANS and NP/S."
    )
    least: int = option(
        50, help=f"Occurrences of an attested verb in a frame, in {MNLI_TRAIN_PAIRS:,} pairs (MultiNLI)."
    )
    scale: bool = option(True, help="Scale the option least to the size of a smaller corpus.")
    speech: Literal["skip", "count"] = option(
        SKIP, help="Skip or count transcripts of speech, whose parses are unreliable."
    )
    examples: int = option(2, help="Number of sentences to show for each verb and frame.")
    sample: int = option(0, help="Number of random occurrences to list, to check their frames by hand.")
    seed: int = option(0, help="Seed of examples and sample.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("least", self.least, 1)
        require_at_least("examples", self.examples, 0)
        require_at_least("sample", self.sample, 0)
        for verb in self.verbs or ():
            if verb not in wordnet().base_forms(verb, "v"):
                raise InputError(
                    f"The option verbs has {verb!r}, which is not the base form of an English verb. "
                    "Use base forms, such as verbs=see,believe."
                )

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Count the verbs in their frames, and compare the counts with what the templates rely on."""
        relied = _list_relied_combinations(self.verbs)
        verbs = self.verbs or relied["verb"].unique(maintain_order=True).to_list()
        found = VerbOccurrences.from_corpus(corpus, verbs, speech=self.speech == COUNT)
        table = self._judge_combinations(relied, found)
        return AuditResult(
            make_frame_exhibits(corpus, found, table, self),
            tuple(_list_attested_figures(table)),
            _summarize_combinations(table),
            tuple(self._list_left_out(corpus, found)),
        )

    def compute_threshold(self, pairs: float) -> float:
        """Compute how many occurrences an attested verb needs in a corpus of some pairs."""
        share = min(1.0, max(1.0, pairs) / MNLI_TRAIN_PAIRS)
        return self.least * share if self.scale else float(self.least)

    def _judge_combinations(self, relied: pl.DataFrame, found: VerbOccurrences) -> pl.DataFrame:
        """Add counts, rates and whether each combination is attested.

        A scaled threshold stands for a corpus of which this is a sample, so the interval decides: of the threshold
        inside the interval nothing is certain.
        """
        threshold = self.compute_threshold(found.pairs)
        counts = found.count_frames(whole=True)
        missing = relied.select("verb", "frame").join(counts, on=["verb", "frame"], how="anti")
        none = add_count_interval(
            missing.with_columns(count=pl.lit(0, pl.Int64), squares=pl.lit(0, pl.Int64))
        )
        every = pl.concat([counts, none.with_columns(sentences=pl.lit(0, pl.Int64))], how="diagonal_relaxed")
        table = relied.join(every, on=["verb", "frame"], maintain_order="left")
        words = max(1, int(found.texts["words"].sum()))
        scale = MNLI_TRAIN_PAIRS / max(1.0, found.pairs)
        certain = threshold == self.least
        return table.with_columns(
            pl.lit(threshold).alias("threshold"),
            (pl.col("count") / words * _MILLION).alias("per million words"),
            (pl.col("count") * scale).round().cast(pl.Int64).alias("scaled"),
            (pl.col("count_low") * scale).round().cast(pl.Int64).alias("scaled_low"),
            (pl.col("count_high") * scale).round().cast(pl.Int64).alias("scaled_high"),
            pl.when(pl.col("count" if certain else "count_low") >= threshold)
            .then(pl.lit(YES))
            .when(pl.col("count" if certain else "count_high") < threshold)
            .then(pl.lit(NO))
            .otherwise(pl.lit(UNCERTAIN))
            .alias("attested"),
        )

    def _list_left_out(self, corpus: AuditCorpus, found: VerbOccurrences) -> list[str]:
        texts = f"of {2 * len(corpus):,} premises and hypotheses"
        remarks = []
        if found.unusable:
            remarks.append(
                f"{found.unusable:,} {texts} have no usable parse, and are left out of all counts."
            )
        if found.spoken:
            remarks.append(
                f"{found.spoken:,} {texts} look like transcripts of speech, whose parses are unreliable. Their verbs "
                "are not counted; frames.speech=count counts them."
            )
        return remarks


def _list_relied_combinations(verbs: tuple[str, ...] | None) -> pl.DataFrame:
    """List the verbs and frames that the sets rely on: one row each, with the sets and their subcases."""
    rows: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name, relied in collect_relied_frames().items():
        for key, subcases in relied.items():
            if verbs is None or key[0] in verbs:
                rows.setdefault(key, {})[name] = subcases
    table = [
        {
            "verb": verb,
            "frame": frame,
            "sets": ", ".join(by_set),
            "relied on by": "; ".join(_shorten_subcases(name, subcases) for name, subcases in by_set.items()),
            "subcases": ", ".join(subcase for subcases in by_set.values() for subcase in subcases),
        }
        for (verb, frame), by_set in sorted(rows.items())
    ]
    names = ("verb", "frame", "sets", "relied on by", "subcases")
    return pl.DataFrame(table, schema=dict.fromkeys(names, pl.String))


def _shorten_subcases(name: str, subcases: list[str]) -> str:
    few = len(subcases) <= 3  # noqa: PLR2004 - more would make the table too wide
    return f"{name}: {', '.join(subcases) if few else f'{len(subcases)} subcases'}"


def _list_attested_figures(table: pl.DataFrame) -> list[AuditFigure]:
    """List the share of combinations that reach the threshold, over all sets and for each set.

    The lower end is the share that is attested for certain, the upper end adds those that are uncertain.
    """
    sets = [name for name in collect_relied_frames() if table["sets"].str.contains(name).any()]
    tables = {"attested": table}
    if len(sets) > 1:
        tables |= {f"attested.{name}": table.filter(pl.col("sets").str.contains(name)) for name in sets}
    figures = []
    for name, some in tables.items():
        if n := some.height:
            reach = int((some["count"] >= some["threshold"]).sum())
            sure, not_sure = (int((some["attested"] == word).sum()) for word in (YES, UNCERTAIN))
            figures.append(AuditFigure(name, reach / n, n, sure / n, (sure + not_sure) / n, 1.0))
    return figures


def _summarize_combinations(table: pl.DataFrame) -> str:
    if table.is_empty():
        return "HANS and NP/S don't use these verbs, so only the counts are reported."
    counts = _count_verdicts(table)
    threshold = table["threshold"][0]
    least = f"{threshold:.2g}" if threshold < _WHOLE_NUMBERS else f"{threshold:,.0f}"
    return (
        f"Of the {table.height} combinations of verb and frame that HANS and NP/S rely on, {counts[YES]} certainly "
        f"reach the threshold of {least} occurrences, {counts[NO]} are certainly below it, and {counts[UNCERTAIN]} are "
        "uncertain."
    )


def _count_verdicts(table: pl.DataFrame) -> Mapping[str, int]:
    return {word: int((table["attested"] == word).sum()) for word in (YES, UNCERTAIN, NO)}
