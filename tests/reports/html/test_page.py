"""The page of a report: complete, closed to the network, and deaf to what its texts say."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from hand_made_report import HOSTILE, hostile_report, small_report
from rightreasons.reports.html.page import BODY, FOLDER, VENDORED, render_html

OPEN = {"meta", "link", "br", "wbr", "input", "img", "hr"}


class Reader(HTMLParser):
    """Reads a page as a browser would: elements with attributes, the text of each, and whether they are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.stack: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag not in OPEN:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = (attributes, before + data)
        elif "style" not in self.stack:
            self.words.append(data)

    @property
    def policy(self) -> str:
        return next(
            attributes["content"] or ""
            for tag, attributes in self.elements
            if tag == "meta" and attributes.get("http-equiv")
        )

    @property
    def running(self) -> list[str]:
        return [text for attributes, text in self.scripts if "type" not in attributes]

    def script(self, address: str) -> str:
        return next(text for attributes, text in self.scripts if attributes.get("id") == address)


def unpacked(text: str) -> str:
    return gzip.decompress(base64.b64decode(text)).decode()


@pytest.fixture(scope="module")
def small() -> Reader:
    return Reader(render_html(small_report()))


@pytest.fixture(scope="module")
def hostile() -> Reader:
    return Reader(render_html(hostile_report()))


def test_nothing_leads_out_of_the_page(small: Reader) -> None:
    for tag, attributes in small.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "audio", "video")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in (FOLDER / "style.css").read_text()
    assert "@import" not in (FOLDER / "style.css").read_text()


def test_the_policy_lets_only_the_pages_own_scripts_run(small: Reader) -> None:
    vendored = [
        unpacked(text) for attributes, text in small.scripts if attributes.get("class") == "rr-vendored"
    ]
    assert len(vendored) == len(VENDORED)
    for script in (*small.running, *vendored):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in small.policy
    rules = dict(rule.split(" ", 1) for rule in small.policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].count("sha256") == len(small.running) + len(vendored)
    assert "unsafe" not in rules["script-src"]
    assert rules["img-src"] == "data: blob:"
    assert not {"connect-src", "font-src", "frame-src", "worker-src"} & set(rules)


def test_every_element_is_closed_and_every_address_is_unique(small: Reader, hostile: Reader) -> None:
    for read in (small, hostile):
        assert read.stack == []
        found = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
        assert len(found) == len(set(found))
        links = {attributes["href"] for tag, attributes in read.elements if tag == "a"}
        assert {f"#{address}" for address in found} >= links


def test_hostile_texts_stay_texts(small: Reader, hostile: Reader) -> None:
    assert hostile.running == small.running
    assert {tag for tag, _ in hostile.elements} <= {tag for tag, _ in small.elements}
    known = {name for _, attributes in small.elements for name in attributes}
    assert {name for _, attributes in hostile.elements for name in attributes} <= known
    shown = "\n".join(hostile.words)
    for text in HOSTILE[:9]:
        assert text in shown
    assert "49" not in [word.strip() for word in hostile.words]


def test_letters_that_steer_are_replaced(hostile: Reader) -> None:
    shown = "".join(hostile.words)
    assert not re.search("[\x00-\x08\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", shown)
    assert "\N{REPLACEMENT CHARACTER}" in shown


def test_long_texts_are_cut(hostile: Reader) -> None:
    assert max(len(word) for word in hostile.words) < 3_000
    pairs = json.loads(unpacked(hostile.script("pairs-0")))
    last = len(pairs["premise"]) - 1
    assert len(pairs["premise"][last]) == 10_000
    assert pairs["lengths"]["premise"] == {str(last): 50_000}


def test_the_pairs_are_in_the_page(small: Reader) -> None:
    report = small_report()
    read = json.loads(unpacked(small.script("pairs-0")))
    assert read["premise"] == report.examples[0].pairs["premise"].to_list()
    assert read["total"] == 120
    tag = next(tag for tag in read["tags"] if tag["name"] == "subcase")
    assert [tag["values"][code] for code in tag["codes"]] == report.examples[0].pairs["subcase"].to_list()
    first = read["models"][0]
    given = report.examples[0].predictions["file:a/model_one"]
    assert [first["answer"]["values"][code] for code in first["answer"]["codes"]] == given[
        "prediction"
    ].to_list()
    assert [digit == "1" for digit in first["right"]] == given["right"].to_list()
    assert set(first["confidence"]) == {750, 400}
    assert read["models"][1]["confidence"] is None
    assert "Chosen evenly." in unpacked(small.script("pairs-1"))


def test_the_charts_have_their_rows(small: Reader) -> None:
    read = json.loads(unpacked(small.script("rr-exhibits")))["overview"]
    assert read["columns"]["accuracy"] == [0.25, 0.5, 0.75]
    assert read["chart"] == small_report().exhibits[0].chart
    assert read["csv"].splitlines()[0] == "model,n,accuracy,accuracy low,accuracy high"


def test_verdicts_are_words_and_not_colour_alone(small: Reader) -> None:
    shown = [word.strip() for word in small.words]
    follows = "Follows lexical overlap 97% of the time."
    for said in ("Reliable on 1 of 2 sets", "Fails", "Reliable", "Mixed", follows):
        assert said in shown
    assert "2026-01-02 03:04 UTC" in " ".join(shown)
    assert "second on small: all answers are the same." in shown


def test_a_report_of_next_to_nothing_has_a_page() -> None:
    empty = small_report(
        headlines=(),
        warnings=(),
        exhibits=(),
        examples=(),
        model_notes=(),
        provenance=(),
        remarks=(),
        rule="",
    )
    read = Reader(render_html(empty))
    assert read.stack == []
    assert not [text for attributes, text in read.scripts if attributes.get("class") == "rr-vendored"]


def test_the_same_report_gives_the_same_page() -> None:
    assert render_html(small_report()) == render_html(small_report())


def test_the_page_itself_weighs_little() -> None:
    bare = small_report(examples=(), exhibits=small_report().exhibits[:1])
    assert len(render_html(bare).encode()) < 480_000


def test_scripts_can_be_inlined() -> None:
    for name in (*BODY, "theme.js", *(f"vendor/{each}" for each in VENDORED)):
        text = (FOLDER / name).read_bytes()
        assert b"</script" not in text.lower(), name
        assert b"<!--" not in text, name
        assert b"\r" not in text, name
        assert b"\0" not in text, name


def test_the_noted_versions_are_the_shipped_ones() -> None:
    noted = (FOLDER / "vendor" / "VERSIONS.md").read_text()
    versions = dict(re.findall(r"^\| `([^`]+)` \|[^|]+\| ([0-9.]+) \|", noted, re.MULTILINE))
    assert set(versions) == set(VENDORED)
    for name, version in versions.items():
        assert version in (FOLDER / "vendor" / name).read_text()
    assert len(list((FOLDER / "vendor").glob("LICENSE-*"))) == len(VENDORED)


def test_importing_loads_no_template_engine() -> None:
    code = "import sys, rightreasons.reports.html; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
