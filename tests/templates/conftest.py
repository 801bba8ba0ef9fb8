"""The templates of HANS in both modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rightreasons.sets.hans import hans

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar


@pytest.fixture(scope="session", params=hans.MODES)
def hans_grammar(request: pytest.FixtureRequest) -> Grammar:
    return hans.load_hans_grammar(request.param)
