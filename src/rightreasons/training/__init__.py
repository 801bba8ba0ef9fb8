"""Training: pairs in, a model folder out.

verb         reads the pairs, has a trainer learn them, and writes its model folder
batching     which pairs go together, as a pure function of seed and epoch
loop         the one loop for all networks
checkpoints  where a run can be taken up again after a kill
transformer  a sequence-pair classifier from a pretrained encoder
"""

from __future__ import annotations

from rightreasons.training.verb import train

__all__ = ["train"]
