"""Our YAML against a real reader, whatever the texts are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.formatting import plain
from rightreasons.exports.yaml import shown

yaml = pytest.importorskip("yaml")

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text(), inner, min_size=1)
)


def held(value: object) -> object:
    """Say what of a value YAML can hold: unprintable characters are replaced."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [held(one) for one in value]
    return {plain(key): held(one) for key, one in value.items()} if isinstance(value, dict) else value


@settings(max_examples=50)
@given(VALUES.filter(lambda value: isinstance(value, dict | list)))
def test_what_is_written_is_read_back(value: object) -> None:
    if isinstance(value, dict) and len({plain(key) for key in value}) < len(value):
        return
    assert yaml.safe_load(shown(value)) == held(value)


def test_it_is_pleasant_to_read() -> None:
    text = shown({"task": ["a", {"b": 1, "0": "no"}], "no": None})
    assert text == 'task:\n  - "a"\n  - b: 1\n    "0": "no"\n"no": null\n'
