"""The names of frames."""

from __future__ import annotations

from rightreasons.language.frame_names import FRAMES, INCLUDED, INTRANSITIVE, OBJECT, PP


def test_frames_include_others_that_are_frames_too() -> None:
    assert all(
        frame in FRAMES for frame in (*INCLUDED, *(part for parts in INCLUDED.values() for part in parts))
    )
    assert INCLUDED[INTRANSITIVE] == (INTRANSITIVE, PP)
    # No occurrence counts twice for a frame, and each frame counts itself.
    assert all(frame in parts and len(set(parts)) == len(parts) for frame, parts in INCLUDED.items())
    assert OBJECT in INCLUDED


def test_each_frame_is_described_once() -> None:
    assert len(set(FRAMES.values())) == len(FRAMES) == 16
