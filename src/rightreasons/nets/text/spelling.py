"""Words as rows of letters: numbers for the printable signs of ASCII, 0 past a word's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SPACE, _LAST = 32, 126
LETTERS = (
    _LAST - _SPACE + 2
)  # 96: padding, the space, which stands for all other signs, and 94 printable signs


def spell(words: Sequence[str], longest: int) -> NDArray[np.uint8]:
    """Spell words, each cut after its first letters: (words, longest)."""
    # The sign of number 0 is one of all other signs: only past its end is a word without letters.
    whole = [word.replace("\0", " ") for word in words]
    signs = np.array([*whole, ""], dtype=f"U{longest}").view(np.uint32).reshape(-1, longest)[:-1]
    letters = np.where((signs >= _SPACE) & (signs <= _LAST), signs, _SPACE) - (_SPACE - 1)
    return np.where(signs == 0, 0, letters).astype(np.uint8)
