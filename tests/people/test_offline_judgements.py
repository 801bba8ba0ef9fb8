"""Experts who work offline: the items that are reserved for them, their page, and the file that they send back."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from made_study import make_study

pytest.importorskip("sqlalchemy")

from rightreasons.core.errors import InputError
from rightreasons.people.exchange.transfer import import_judgements
from rightreasons.people.identifiers import hash_identifier
from rightreasons.people.offline_judgements import reserve_offline_items
from rightreasons.people.offline_page import render_offline_page
from rightreasons.people.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.study import Study


def read_page_data(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return dict(json.loads(match[1]))


def answer_page(page: str) -> dict[str, Any]:
    """Make the file that someone saves who has answered everything."""
    data = read_page_data(page)
    judgements = [
        {
            "item": entry["item"],
            "answers": {"label": "entailment"},
            "seconds": 4.5,
            "judged": "2026-11-19T10:00:00.000Z",
        }
        for entry in data["items"]
    ]
    return {name: data[name] for name in ("format", "version", "digest", "participant")} | {
        "judgements": judgements
    }


def make_page(study: Study, name: str = "ann") -> str:
    store = open_store(study)
    try:
        return render_offline_page(study, name, reserve_offline_items(store, name))
    finally:
        store.close()


def test_an_expert_s_file_fills_the_reserved_items(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", timeout_minutes=0)
    page = make_page(study)
    assert make_page(study) == page  # written again: the same items
    other = make_page(study, "bob")
    mine, theirs = ({entry["premise"] for entry in read_page_data(each)["items"]} for each in (page, other))
    assert len(mine & theirs) == 1  # the control
    (tmp_path / "ann.json").write_text(json.dumps(answer_page(page)), encoding="utf-8")
    summary = import_judgements(study.folder, tmp_path / "ann.json")
    assert (summary.participants, summary.judgements, summary.added) == (1, 5, 5)
    assert import_judgements(study.folder, tmp_path / "ann.json").added == 0
    store = open_store(study)
    judgements = store.read_judgements()
    store.close()
    assert judgements.answers["item"].to_list() == study.forms.filter(form=0)["item"].to_list()
    assert judgements.answers["seconds"].to_list() == [4.5] * 5
    row = judgements.participants.filter(participant=hash_identifier(study.secrets.salt, "ann"))
    assert row.select("source", "status").rows() == [("offline", "completed")]


def test_the_page_reveals_neither_gold_labels_nor_names_of_items(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    data = read_page_data(make_page(study))
    text = json.dumps(data["items"])
    for secret in ("item-", "control", "pair-", "stratum", "entailment"):
        assert secret not in text


def test_the_page_has_no_way_out_for_a_hostile_text(tmp_path: Path) -> None:
    from made_study import make_forms, make_items, make_protocol_content

    from rightreasons.people.study import write_study

    hostile = "</script><script>hacked()</script><!--"
    study = write_study(
        tmp_path / "study",
        protocol_name="tests",
        protocol_content=make_protocol_content(),
        items=make_items(8, premise=hostile),
        forms=make_forms(8, 4, 2),
        card={"name": "hostile", "version": "1"},
    )
    page = make_page(study)
    assert "<script>hacked" not in page
    assert read_page_data(page)["items"][0]["premise"] == hostile
    assert re.search(r"default-src 'none'; script-src 'sha256-[\w+/=]+';", unescape(page))
    assert re.findall(r"https?://", page) == []


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    whole = answer_page(make_page(study))
    first = whole["judgements"][0]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"digest": "0" * 64}, "another plan"),
        ({"version": 2}, "version 2"),
        ({"judgements": [{**first, "item": "x"}]}, "judgement 1"),
        ({"judgements": [first, {**first, "judged": "yesterday"}]}, "judgement 2"),
        ({"judgements": [{**first, "seconds": -1}]}, "seconds"),
        ({"judgements": [{**first, "answers": {"label": "perhaps"}}]}, "perhaps"),
        ({"judgements": [{**first, "answers": {"label": ""}}]}, "label"),
        ({"participant": None}, "participant"),
    ]
    for changes, part in wrong:
        (tmp_path / "wrong.json").write_text(json.dumps({**whole, **changes}), encoding="utf-8")
        with pytest.raises(InputError, match=part):
            import_judgements(study.folder, tmp_path / "wrong.json")
    store = open_store(study)
    assert store.read_judgements().answers.is_empty()
    store.close()


def test_an_expert_for_whom_nothing_is_left_is_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=4, judgements=1)
    for name in ("ann", "bob"):
        make_page(study, name)
    with pytest.raises(InputError, match="cleo"):
        make_page(study, "cleo")
