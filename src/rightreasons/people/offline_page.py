"""The page of an expert who works offline: one HTML file with its style, script and items; it contacts nobody."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

from rightreasons.people.offline_judgements import OFFLINE_FORMAT, VERSION, sign_item
from rightreasons.people.web.pages import FOLDER, read_static_file, render_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.people.questions import Question
    from rightreasons.people.study import Study

_SCRIPT = "offline.js"


def render_offline_page(study: Study, participant: str, items: Sequence[str]) -> str:
    """Render the page with the items of a participant."""
    from markupsafe import Markup

    script = (FOLDER / _SCRIPT).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return render_page(
        "offline.html",
        policy=policy,
        title=study.protocol.texts.get("title") or "Study",
        instructions=study.protocol.texts["instructions"],
        debriefing=study.protocol.texts["debriefing"],
        participant=participant,
        style=Markup(read_static_file("style.css")[0].decode()),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        data=Markup(_encode_page_data(_collect_data(study, participant, items))),  # noqa: S704 - escaped for its place
    )


def _collect_data(study: Study, participant: str, items: Sequence[str]) -> dict[str, Any]:
    """Collect what the script needs: neither gold labels nor the names of items."""
    rows = {row["item"]: row for row in study.items.select("item", "premise", "hypothesis").to_dicts()}
    return {
        "format": OFFLINE_FORMAT,
        "version": VERSION,
        "digest": study.digest,
        "participant": participant,
        "pause": study.protocol.pause_seconds,
        "show": study.protocol.show,
        "questions": [_describe_question(question) for question in study.protocol.questions],
        "items": [
            {
                "item": sign_item(study, item),
                "premise": rows[item]["premise"],
                "hypothesis": rows[item]["hypothesis"],
            }
            for item in items
        ],
    }


def _describe_question(question: Question) -> dict[str, Any]:
    choices = [{"value": each.value, "text": each.text, "key": each.key} for each in question.choices]
    return {
        "name": question.name,
        "text": question.text,
        "kind": question.kind,
        "required": question.required,
        "choices": choices,
    }


def _encode_page_data(value: Any) -> str:
    """Write JSON inside a script element, which ends at the first `</script`, wherever it is."""
    text = json.dumps(value, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
