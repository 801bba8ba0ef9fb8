"""Words from their letters: convolutions over each word's spelling, the strongest answer of each filter kept."""

from __future__ import annotations

import torch
from torch.nn import functional

WIDTHS = (1, 3, 5)  # letters a filter sees at once


class Letters(torch.nn.Module):
    """Turns spellings into vectors of `3 * filters` numbers; letter 0 is padding."""

    def __init__(self, *, letters: int, size: int = 15, filters: int = 100) -> None:
        """Make room for so many letters, counted with the padding."""
        super().__init__()
        self.table = torch.nn.Embedding(letters, size, padding_idx=0)
        self.filters = torch.nn.ModuleList(
            torch.nn.Conv1d(size, filters, width, bias=False) for width in WIDTHS
        )

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        """Read the spelling of each word: (B, T, L) to (B, T, 3 * filters)."""
        # Frequent words stand many times in a batch: each spelling is read once.
        spellings, places = torch.unique(
            letters.flatten(0, 1), dim=0, return_inverse=True
        )  # (N, L), (B * T,)
        return self._read(spellings)[places].reshape(*letters.shape[:2], -1)

    def _read(self, spellings: torch.Tensor) -> torch.Tensor:
        spellings = functional.pad(spellings, (0, max(0, max(WIDTHS) - spellings.shape[1])))
        real = spellings > 0  # (N, L)
        vectors = (self.table(spellings) * real[:, :, None]).transpose(1, 2)  # (N, size, L)
        answers = [
            _strongest(part(vectors), real.sum(dim=1) - width + 1)
            for width, part in zip(WIDTHS, self.filters, strict=True)
        ]
        return torch.cat(answers, dim=1)  # (N, 3 * filters)


def _strongest(windows: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Keep the largest positive answer of each filter in a word's own windows: (N, F, W) to (N, F)."""
    # A word shorter than the filter has one window, which ends in padding; no word has more than its letters give,
    # however long the longest word of the batch is.
    places = torch.arange(windows.shape[2], device=windows.device)
    own = places[None, :] < counts.clamp(min=1)[:, None]  # (N, W)
    return (windows.relu() * own[:, None, :]).amax(dim=2)
