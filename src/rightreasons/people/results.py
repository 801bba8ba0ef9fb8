"""All results of a study: exclusions and what they change, accuracy, agreement, labels, and the participants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.people.answer_accuracy import AnswerAccuracy
from rightreasons.people.exclusion import measure_participants
from rightreasons.people.question_labels import QuestionLabels
from rightreasons.people.retained import RetainedJudgements, apply_exclusions
from rightreasons.people.study import ITEM
from rightreasons.scoring.cells import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.questions import Question
    from rightreasons.people.study import Study

RETAINED, EXCLUDED = "retained", "excluded"
PLANNED, NO_EXCLUSIONS = "as planned", "no exclusions"


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The results of a study; each part is computed on first use."""

    judgements: RetainedJudgements

    @classmethod
    def from_judgements(cls, judgements: Judgements) -> StudyResults:
        """Apply the exclusions of the plan; a study that excludes everybody has no results."""
        found = apply_exclusions(judgements)
        if found.retained.answers.is_empty():
            raise InputError(
                f"The exclusion rules of the study {str(judgements.study.folder)!r} exclude all participants: "
                f"{', '.join(judgements.study.protocol.exclude)}. There are no judgements left to analyse."
            )
        return cls(found)

    @property
    def study(self) -> Study:
        """The study."""
        return self.judgements.study

    @cached_property
    def questions(self) -> tuple[QuestionLabels, ...]:
        """The answers to each question with choices, of the participants who were retained."""
        return tuple(
            QuestionLabels.from_judgements(self.judgements.retained, question)
            for question in self.study.protocol.questions
            if question.kind == "choice"
        )

    @cached_property
    def accuracies(self) -> dict[str, AnswerAccuracy]:
        """The accuracy of each question that has gold answers."""
        return {
            question.name: accuracy
            for question in self._list_gold_questions()
            for accuracy in (AnswerAccuracy.from_judgements(self.judgements.retained, question),)
            if not accuracy.answers.is_empty()
        }

    def _list_gold_questions(self) -> list[Question]:
        return [question for question in self.study.protocol.questions if question.gold]

    @cached_property
    def groups(self) -> pl.DataFrame:
        """The participants who were retained and excluded: how many, how long they took, how accurate they are."""
        excluded = self.judgements.excluded["participant"].unique().implode()
        inside = pl.col("participant").is_in(excluded)
        sides = {RETAINED: ~inside, EXCLUDED: inside, ALL: pl.lit(value=True)}
        measured = measure_participants(self.judgements.whole)
        return pl.DataFrame(
            [self._describe_group(name, condition, measured) for name, condition in sides.items()],
            infer_schema_length=None,
        )

    def _describe_group(self, name: str, condition: pl.Expr, measured: pl.DataFrame) -> dict[str, Any]:
        participants = self.judgements.whole.participants.filter(condition)
        answers = self._list_item_answers().filter(condition)
        times = answers.unique(["participant", "item"], maintain_order=True)
        row: dict[str, Any] = {
            "participants": name,
            "n": participants.height,
            "completed": (participants["status"] == "completed").sum(),
            "judged items": times.height,
            "mean seconds": times["seconds"].mean(),
            "median seconds": times["seconds"].median(),
            "controls wrong": measured.filter(condition)["controls_wrong"].mean(),
        }
        for question in self._list_gold_questions()[:1]:
            # From these judgements alone, as in all other tables, so that the same figure has the same interval.
            group = replace(self.judgements.whole, answers=answers)
            accuracy = AnswerAccuracy.from_judgements(group, question)
            row |= accuracy.measure().to_columns("accuracy")
        return row

    def _list_item_answers(self) -> pl.DataFrame:
        items = self.study.items.filter(pl.col("kind") == ITEM)["item"].implode()
        return self.judgements.whole.answers.filter(pl.col("item").is_in(items))

    @cached_property
    def exclusions(self) -> pl.DataFrame:
        """The excluded participants: the rules that hold for each, with the values."""
        table = self.judgements.excluded.group_by("participant", maintain_order=True).agg(
            rules=pl.col("rule").str.join("; "),
            values=pl.col("value").round(3).cast(pl.String).str.join("; "),
        )
        people = self.judgements.whole.participants.select("participant", "source", "status")
        return people.join(table, on="participant", how="inner", maintain_order="left")

    @cached_property
    def sensitivity(self) -> pl.DataFrame:
        """The main figures under other exclusions: none at all, and all rules but one."""
        return pl.DataFrame(
            [row for name, rules in self._list_rule_sets() for row in self._measure_rules(name, rules)],
            infer_schema_length=None,
        )

    def _list_rule_sets(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        planned = self.study.protocol.exclude
        yield PLANNED, planned
        if planned:
            yield NO_EXCLUSIONS, ()
        if len(planned) > 1:
            for place, rule in enumerate(planned):
                yield f"without {rule}", (*planned[:place], *planned[place + 1 :])

    def _measure_rules(self, name: str, rules: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        found = apply_exclusions(self.judgements.whole, rules)
        for question in self.study.protocol.questions:
            if question.kind != "choice":
                continue
            agreement = QuestionLabels.from_judgements(found.retained, question).agreement
            row: dict[str, Any] = {
                "exclusions": name,
                "participants": found.retained.participants.height,
                "question": question.name,
                **agreement.pairwise.to_columns("agreement"),
                **agreement.alpha.to_columns("alpha"),
            }
            accuracy = AnswerAccuracy.from_judgements(found.retained, question)
            golds = accuracy.make_table() if not accuracy.answers.is_empty() else pl.DataFrame()
            for figure in golds.iter_rows(named=True):
                # A gold answer may be called "all" only by mistake; the row over all answers comes last.
                column = (
                    "accuracy" if figure["gold"] == ALL or golds.height == 1 else f"accuracy {figure['gold']}"
                )
                row |= {f"{column}{end}": figure[f"accuracy{end}"] for end in ("", "_low", "_high")}
            yield row

    @cached_property
    def participants(self) -> pl.DataFrame:
        """Each participant: measures of the exclusion rules, and their reliability by each question."""
        table = self.judgements.whole.participants.select("participant", "source", "status").join(
            measure_participants(self.judgements.whole), on="participant", how="left", maintain_order="left"
        )
        for labels in self.questions:
            names = pl.Series("participant", labels.annotations.annotators, dtype=pl.String)
            reliability = pl.DataFrame(
                [
                    names,
                    pl.Series(f"{labels.question.name}: reliability", labels.dawid_skene.reliability),
                    pl.Series(f"{labels.question.name}: spamming", labels.mace.spamming),
                ]
            )
            table = table.join(reliability, on="participant", how="left", maintain_order="left")
        excluded = self.judgements.excluded["participant"].unique().implode()
        return table.with_columns(excluded=pl.col("participant").is_in(excluded))

    @cached_property
    def texts(self) -> pl.DataFrame:
        """The answers to free-text questions: item, question and answer, without blank ones."""
        names = [question.name for question in self.study.protocol.questions if question.kind == "text"]
        answers = self.judgements.retained.answers.filter(
            pl.col("question").is_in(names) & (pl.col("answer").str.strip_chars() != "")
        )
        return answers.select("item", "question", "answer")

    @cached_property
    def simulated(self) -> int:
        """The number of participants who were simulated."""
        return int((self.judgements.whole.participants["source"] == "simulated").sum())
