"""WordNet's words, senses, antonyms and base forms, and the index that makes them quick to load."""

from __future__ import annotations

import hashlib
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.language import wordnet_index
from rightreasons.language.wordnet import WordNet, wordnet
from rightreasons.language.wordnet_index import (
    VARIABLE,
    compile_index,
    find_dict_folder,
    load_shipped_index,
    pack_index,
)

if TYPE_CHECKING:
    from pathlib import Path

# Of all lines as they are read from the dict files of version 3.0.
CONTENT = "a79ec014ba83c7b126482363b0634ec3e3a12bd5125e10f29a5b635cbffb734d"


@pytest.fixture(scope="module")
def known() -> WordNet:
    return wordnet()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Write dict files of four adjectives: hot and cold, and a satellite of each."""
    folder = tmp_path / "dict"
    folder.mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        for name in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (folder / name).write_text("  1 a licence  \n", encoding="utf-8")
    lines = [
        '00000100 00 a 01 hot 0 002 ! 00000200 a 0101 & 00000300 a 0000 | of high heat; "a hot stove"  ',
        "00000200 00 a 02 cold 0 chilled(p) 0 002 ! 00000100 a 0101 & 00000400 a 0000 | of low heat  ",
        "00000300 00 s 01 torrid 0 001 & 00000100 a 0000 | extremely hot  ",
        "00000400 00 s 01 Arctic 0 001 & 00000200 a 0000 | extremely cold  ",
    ]
    index = ["arctic a 1 1 & 1 0 00000400", "cold a 1 2 ! & 1 0 00000200", "hot a 1 2 ! & 1 0 00000100"]
    index += ["chilled a 1 1 & 1 0 00000200", "torrid a 1 1 & 1 0 00000300"]
    (folder / "data.adj").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "index.adj").write_text(
        "\n".join(line + "  " for line in sorted(index)) + "\n", encoding="utf-8"
    )
    (folder / "adj.exc").write_text("hotter hot\r\nhottest hot\r\n", encoding="utf-8")
    (folder / "noun.exc").write_text("mice mouse\n", encoding="utf-8")
    return folder


def test_senses_come_in_the_order_of_frequency(known: WordNet) -> None:
    names = [known.name(synset) for synset in known.synsets("dog")]
    assert names[:3] == ["dog.n.01", "frump.n.01", "dog.n.03"]
    assert names[-1] == "chase.v.01"
    assert [known.name(synset) for synset in known.synsets("dogs", "v")] == ["chase.v.01"]


def test_a_synset_says_what_it_is(known: WordNet) -> None:
    hot = known.synsets("hot", "a")[0]
    assert (hot.key, hot.pos, hot.lexfile, hot.lemmas) == ("01247240-a", "a", "adj.all", ("hot",))
    assert hot.definition.startswith("used of physical heat; having a high")
    assert hot.examples[0] == "hot stove"
    assert known.synsets("man", "n")[0].lexfile == "noun.person"


def test_antonyms_belong_to_a_lemma_of_a_sense(known: WordNet) -> None:
    large = known.synsets("large", "a")[0]
    assert large.lemmas == ("large", "big")
    assert large.antonyms_of("large") == ("small",)
    assert large.antonyms_of("Big") == ("little",)
    assert large.antonyms_of("huge") == ()
    assert known.synset(large.antonyms[0][2]).lemmas == ("small", "little")


def test_satellites_know_their_heads(known: WordNet) -> None:
    huge = known.synsets("huge", "a")[0]
    assert huge.pos == "s"
    assert [known.name(head) for head in known.heads(huge)] == ["large.a.01"]
    assert known.heads(known.heads(huge)[0]) == ()
    assert known.synsets("huge", "s") == known.synsets("huge", "a")
    assert known.synsets("large", "s") != known.synsets("large", "a")


def test_base_forms_by_irregular_forms_and_endings(known: WordNet) -> None:
    assert known.base_forms("women", "n") == ["woman"]
    assert known.base_forms("wolves", "n") == ["wolf"]
    assert known.base_forms("hotter", "a") == ["hot"]
    assert known.base_forms("churches", "n") == ["church"]
    assert known.base_forms("denied", "v") == ["deny"]
    assert known.base_forms("aardwolves", "n") == ["aardwolf"]
    assert known.base_forms("xyzzy", "n") == []


def test_single_things_are_told_apart(known: WordNet) -> None:
    assert known.synsets("paris", "n")[0].is_instance
    assert not known.synsets("city", "n")[0].is_instance
    assert sum(1 for _ in known.instances()) == 7730


def test_counts_are_those_of_version_3_0(known: WordNet) -> None:
    assert sum(1 for _ in known.all_lemmas()) == 147_306
    assert not known.has("dog", "r")
    assert known.has("dog", "n")


@given(st.text())
def test_any_text_can_be_looked_up(word: str) -> None:
    for synset in wordnet().synsets(word):
        assert synset.lemmas


def test_own_dict_files_are_read(small: Path) -> None:
    own = wordnet(small)
    assert own.synsets("hottest")[0].antonyms == (("hot", "cold", 1),)
    assert own.synsets("chilled")[0].lemmas == ("cold", "chilled")  # the marker of its place is gone
    assert [head.lemmas for head in own.heads(own.synsets("arctic")[0])] == [("cold", "chilled")]
    assert own.name(own.synsets("ARCTIC")[0]) == "arctic.s.01"
    assert own.irregular_plurals == {"mouse": "mice"}
    assert list(own.all_irregular_forms()) == ["mice", "hotter", "hottest"]


def test_the_shipped_index_is_that_of_version_3_0() -> None:
    lines = "\x1d".join("\n".join(part) for part in load_shipped_index())
    assert hashlib.sha256(lines.encode()).hexdigest() == CONTENT


def test_a_packed_index_is_read_as_it_was(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = compile_index(small)
    monkeypatch.setattr(wordnet_index, "BLOCK", 3)
    monkeypatch.setattr(wordnet_index, "FILE", tmp_path / "packed.zip")
    pack_index(index, tmp_path / "packed.zip")
    pack_index(index, tmp_path / "again.zip")
    assert (tmp_path / "packed.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    found = load_shipped_index()
    assert [list(part) for part in found] == [list(part) for part in index]
    assert (found.synsets[-1], found.synsets[1:4]) == (index.synsets[-1], index.synsets[1:4])
    with pytest.raises(IndexError):
        found.synsets[4]


def test_nothing_is_written_and_synsets_wait_until_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    unpacked = []
    lines = wordnet_index._read_index_lines
    monkeypatch.setattr(
        wordnet_index,
        "_read_index_lines",
        lambda archive, name: unpacked.append(name) or lines(archive, name),
    )
    fresh = WordNet(load_shipped_index())
    assert fresh.base_forms("mice", "n") == ["mouse"]
    assert unpacked == ["lemmas", "irregular"]
    assert fresh.synsets("hot", "a")[0].lemmas == ("hot",)
    assert 0 < len(unpacked) - 2 < 5
    assert not (tmp_path / "cache").exists()


def test_a_folder_without_the_files_is_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"data\.noun.*RIGHTREASONS_WORDNET.*wordnet=FOLDER"):
        find_dict_folder(tmp_path)
    shutil.copytree(small, tmp_path / "part")
    (tmp_path / "part" / "adv.exc").unlink()
    with pytest.raises(InputError, match=r"adv\.exc"):
        find_dict_folder(tmp_path / "part")


def test_invalid_database_files_are_refused(small: Path) -> None:
    (small / "data.adj").write_text("this is no synset\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Error.*RIGHTREASONS_WORDNET"):
        compile_index(small)


def test_the_variable_names_a_folder(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert find_dict_folder() is None
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert find_dict_folder(small) == small  # an option goes before it
    with pytest.raises(InputError, match=r"data\.noun"):
        find_dict_folder()
    monkeypatch.setenv(VARIABLE, str(small))
    assert find_dict_folder() == small
    monkeypatch.setenv(VARIABLE, "")
    assert find_dict_folder() is None
