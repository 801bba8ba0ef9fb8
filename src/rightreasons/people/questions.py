"""Questions that a study asks about an item: their text, their choices, and the column with the gold answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightreasons.core.json_shapes import FLAG, NONEMPTY_TEXT, TEXT, Fields, Items, Kind, make_choice_kind

QuestionKind = Literal["choice", "text"]
# Names become columns of tables and fields of forms.
_NAME = Kind(
    "a name of lower-case letters, digits and hyphens",
    lambda value: isinstance(value, str) and value.replace("-", "").isalnum() and value == value.lower(),
)
CHOICE_SHAPE = Fields({"value": NONEMPTY_TEXT, "text": NONEMPTY_TEXT}, {"key": NONEMPTY_TEXT})
QUESTION_SHAPE = Fields(
    {"name": _NAME, "text": NONEMPTY_TEXT},
    {
        "kind": make_choice_kind("choice", "text"),
        "choices": Items(CHOICE_SHAPE, least=2),
        "gold": TEXT,
        "required": FLAG,
    },
)


@dataclass(frozen=True)
class Choice:
    """A possible answer: the value that is stored, its text, and the key that selects it."""

    value: str
    text: str
    key: str


@dataclass(frozen=True)
class Question:
    """A question about an item.

    `gold` names the column of the items with the gold answer, if there is one: answers to controls and practice items
    are compared with it, and the accuracy of participants is computed from it.
    """

    name: str
    text: str
    kind: QuestionKind = "choice"
    choices: tuple[Choice, ...] = ()
    gold: str = ""
    required: bool = True

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Question:
        """Read a question that has QUESTION_SHAPE; choices without a key are numbered from 1."""
        choices = tuple(
            Choice(each["value"], each["text"], each.get("key", str(place)))
            for place, each in enumerate(values.get("choices", ()), start=1)
        )
        kind = values.get("kind", "choice" if choices else "text")
        return cls(
            values["name"],
            values["text"],
            kind,
            choices,
            values.get("gold", ""),
            values.get("required", True),
        )

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the choices."""
        return tuple(choice.value for choice in self.choices)

    def is_valid_answer(self, answer: str) -> bool:
        """Return whether an answer is one of the choices, or, for a text, not missing if required."""
        if self.kind == "text":
            return bool(answer.strip()) or not self.required
        return answer in self.values or (not answer and not self.required)
