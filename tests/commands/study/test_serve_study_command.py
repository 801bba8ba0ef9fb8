"""`study serve`, `study invite`, `study forget` and `study page` on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from made_study import make_study
from study_client import StudyVisitor
from study_server import StudyServer

from command_line import inside

pytest.importorskip("sqlalchemy")
pytest.importorskip("starlette")

import httpx

from rightreasons.people.identifiers import hash_identifier
from rightreasons.people.store import open_store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--host", "0.0.0.0"], "--base-url"),  # noqa: S104 - refused
        (["--base-url", "study.example.org"], "--base-url"),
        (["--base-url", "https://study.example.org/?a=b"], "--base-url"),
        (["--completion-url", "javascript:alert(1)"], "--completion-url"),
        (["--database", "mysql://host/x"], "mysql"),
    ],
)
def test_wrong_options_are_refused_before_anything_starts(
    tmp_path: Path, words: list[str], part: str
) -> None:
    study = make_study(tmp_path / "study")
    code, _, stderr = inside("study", "serve", study.folder, "--port", 0, *words)
    assert code == 2
    assert part in stderr
    assert not (study.folder / "study.db").exists()


@pytest.mark.slow
def test_a_server_prints_its_links_and_stops(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    server = StudyServer(study.folder)
    server.start("--completion-url", "https://panel.example/complete?cc=X")
    try:
        links = re.findall(rf"{server.url}(/[sr]/\S+)", server.read_log())
        assert links == [server.study_link, server.researcher_link]
        with httpx.Client(base_url=server.url) as client:
            ann = StudyVisitor(client)
            ann.begin(f"{server.study_link}?PROLIFIC_PID=pid-of-ann")
            ann.judge()
            code, _, stderr = inside("study", "forget", study.folder, "pid-of-ann")
            assert (code, re.findall(r"\d+", stderr)) == (0, ["1"])
            assert ann.open().count("Open the link that you were given") == 1
    finally:
        server.stop()
    assert server.read_log().splitlines()[-1] == "Stopped."


def test_invitations_are_printed_one_per_line(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    code, stdout, _ = inside(
        "study", "invite", study.folder, "--count", 3, "--base-url", "https://x.example/a/"
    )
    assert code == 0
    assert len(set(re.findall(r"^https://x\.example/a/p/[\w-]{32}$", stdout, re.MULTILINE))) == 3


def test_participants_are_forgotten_by_identifier_or_name(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    salt = study.secrets.salt
    store = open_store(study)
    for name in ("ann", "bob"):
        store.create_participant(hash_identifier(salt, name), "prolific", None)
    store.close()
    assert inside("study", "forget", study.folder, hash_identifier(salt, "ann"))[0] == 0
    assert inside("study", "forget", study.folder, "bob")[0] == 0
    code, _, stderr = inside("study", "forget", study.folder, "bob")
    assert code == 2
    assert "bob" in stderr


def test_a_page_is_written_once(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    out = tmp_path / "ann.html"
    words = ("study", "page", study.folder, "--participant", "ann", "--out", out)
    assert inside(*words)[0] == 0
    page = out.read_text(encoding="utf-8")
    assert inside(*words)[0] == 2
    assert inside(*words, "--force")[0] == 0
    assert out.read_text(encoding="utf-8") == page
    assert inside("study", "page", study.folder, "--participant", " ", "--out", tmp_path / "x.html")[0] == 2
    assert not (tmp_path / "x.html").exists()
