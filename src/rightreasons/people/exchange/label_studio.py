"""Label Studio's JSON: tasks with annotations are read, and tasks for its import are written.

A task has the item in `data.item`, or the id of its pair in `data.id`. The `from_name` of a result is the name of a
question; a result without a question of that name is an error.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from rightreasons.core.errors import InputError
from rightreasons.core.json_shapes import ANY, FLAG, Fields, Items, Maybe, ShapeMismatchError, Values
from rightreasons.people.exchange.imported_rows import ImportedRow
from rightreasons.people.simulation import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from rightreasons.people.study import Study

_RESULT = Fields({"value": Values(ANY)}, {"from_name": ANY, "type": ANY})
_ANNOTATION = Fields(
    {"result": Items(_RESULT)},
    {"completed_by": ANY, "lead_time": ANY, "created_at": ANY, "was_cancelled": Maybe(FLAG)},
)
_TASK = Fields({"data": Values(ANY)}, {"annotations": Items(_ANNOTATION), "id": ANY})
_VALUES = ("choices", "text")  # the keys of a value that hold answers


def read_label_studio(values: list[Any], path: Path) -> Iterator[ImportedRow]:
    """Read the rows of an export of Label Studio; cancelled annotations are skipped."""
    for number, task in enumerate(values, start=1):
        where = f"{path}, task {number}"
        try:
            _TASK.check(task, "")
        except ShapeMismatchError as error:
            raise InputError(f"{where}: {error}. Export the project of Label Studio as JSON.") from error
        item = next((task["data"][name] for name in ("item", "id") if name in task["data"]), None)
        if item is None:
            raise InputError(
                f"{where}: its data have neither `item` nor `id`. Import tasks into Label Studio as "
                "rightreasons study export writes them."
            )
        for place, annotation in enumerate(task.get("annotations", []), start=1):
            if not annotation.get("was_cancelled"):
                yield from _read_annotation(annotation, str(item), f"{where}, annotation {place}")


def _read_annotation(annotation: dict[str, Any], item: str, where: str) -> Iterator[ImportedRow]:
    worker = _name_worker(annotation.get("completed_by"))
    seconds = annotation.get("lead_time")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise InputError(f"{where}: lead_time is {seconds!r}, not a number. Export the project again.")
    judged = _parse_time(annotation.get("created_at"), where)
    simulated = annotation.get(SIMULATED) is True
    for result in annotation["result"]:
        found = [result["value"][name] for name in _VALUES if name in result["value"]]
        answer = found[0] if found else None
        answer = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
        if not isinstance(answer, str):
            raise InputError(
                f"{where}: the answer to {result.get('from_name')!r} is {answer!r}. Each question needs one choice or "
                "text."
            )
        question = str(result.get("from_name"))
        yield ImportedRow(where, worker, item, question, answer, seconds, judged, simulated)


def _name_worker(value: object) -> str:
    """Name who completed an annotation: a number, or an object with one."""
    if isinstance(value, dict):
        value = next((value[name] for name in ("id", "email") if value.get(name) is not None), None)
    return "" if value is None else str(value)


def _parse_time(value: object, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(str(value))
        return parsed.replace(tzinfo=parsed.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{where}: created_at is {value!r}, not a time. Export the project again."
        ) from error


def render_label_studio_tasks(items: pl.DataFrame, answers: pl.DataFrame) -> str:
    """Render the items as tasks, with the judgements that there are; gold answers are not among the data."""
    by_item: dict[str, dict[str, dict[str, Any]]] = {}
    for row in answers.iter_rows(named=True):
        of_item = by_item.setdefault(row["item"], {})
        annotation = of_item.setdefault(
            row["participant"],
            {
                "completed_by": row["number"],
                "lead_time": row["seconds"],
                "was_cancelled": False,
                **({SIMULATED: True} if row["source"] == SIMULATED else {}),
                "result": [],
            },
        )
        annotation["result"].append(
            {
                "from_name": row["question"],
                "to_name": "hypothesis",
                "type": "textarea" if row["is_text"] else "choices",
                "value": {"text": [row["answer"]]} if row["is_text"] else {"choices": [row["answer"]]},
            }
        )
    tasks = [
        {"data": data, "annotations": list(by_item.get(data["item"], {}).values())}
        for data in items.select("item", "premise", "hypothesis").iter_rows(named=True)
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def render_labeling_config(study: Study) -> str:
    """Render the labeling configuration of a project with the questions of a study."""
    lines = [
        "<View>",
        '  <Text name="premise" value="$premise"/>',
        '  <Text name="hypothesis" value="$hypothesis"/>',
    ]
    for question in study.protocol.questions:
        lines.append(f"  <Header value={quoteattr(question.text)}/>")
        name, required = quoteattr(question.name), str(question.required).lower()
        if question.kind == "text":
            lines.append(f'  <TextArea name={name} toName="hypothesis" required="{required}"/>')
            continue
        lines.append(f'  <Choices name={name} toName="hypothesis" choice="single" required="{required}">')
        for choice in question.choices:
            text, value, key = map(quoteattr, (choice.text, choice.value, choice.key))
            lines.append(f"    <Choice value={text} alias={value} hotkey={key}/>")
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])
