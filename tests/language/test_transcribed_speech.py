"""Transcripts of speech."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.language.transcribed_speech import is_transcribed_speech


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("yeah i think so too", True),
        ("uh-huh that's right", True),
        ("and they went to the store", True),
        ("he went to the store you know because it was late", True),
        ("we were there for a while and then the others came in and we all left", True),
        ("The judge saw the actor.", False),
        ("a man is waiting", False),
        ("they went home.", False),
        ("And then they left.", False),
        ("I think so.", False),
    ],
)
def test_speech_has_no_capitals_no_full_stop_or_fillers(text: str, spoken: bool) -> None:
    found = pl.DataFrame({"text": [text]}).select(is_transcribed_speech(pl.col("text"))).item()
    assert found is spoken


def test_a_missing_text_is_unknown() -> None:
    table = pl.DataFrame({"text": [None]}, schema={"text": pl.String})
    assert table.select(is_transcribed_speech(pl.col("text"))).item() is None
