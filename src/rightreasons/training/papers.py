"""How each network was trained for its paper, and how its small preset is trained on a CPU in minutes.

What the papers leave open is chosen here: how many epochs there are at most for SPINN, CH, BiLSTM, CBOW and jiant,
SPINN's clipping, and that jiant's vectors stay as they are. The NYU code of SPINN draws its numbers from ranges: these
are the middle of each. NB was checked every 9,000 batches, then every 100; here it is four times an epoch. BiLSTM and
CBOW asked for a gain of 0.04% before weights counted as better, and SPINN for 1% fewer errors; here any gain counts.
Dropout is the network's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rightreasons.core.errors import UnknownNameError
from rightreasons.training.recipe import Recipe

if TYPE_CHECKING:
    from rightreasons.nets.table import Preset


class Paper(NamedTuple):
    """A recipe, whether the word vectors are trained as well, and whether they are brought to a mean length of 1."""

    recipe: Recipe
    trained_vectors: bool = False
    unit_vectors: bool = False


# Without a warm-up, decay, clipping or patience unless a network has one.
_PLAIN = Recipe(
    optimiser="adam", schedule="constant", warmup=0.0, weight_decay=0.0, clip=0.0, checks=1, patience=0
)
_NYU = replace(_PLAIN, learning_rate=4e-4, batch_size=32, epochs=30, checks=25, patience=60)

PAPERS: dict[str, Paper] = {
    "da": Paper(
        replace(
            _PLAIN,
            optimiser="adagrad",
            learning_rate=0.01,
            batch_size=64,
            clip=5.0,
            clip_by="value",
            epochs=140,
            patience=20,
        )
    ),
    "esim": Paper(
        replace(
            _PLAIN, learning_rate=4e-4, batch_size=64, clip=10.0, schedule="plateau", epochs=75, patience=5
        ),
        trained_vectors=True,
    ),
    "spinn": Paper(
        replace(
            _PLAIN,
            optimiser="sgd",
            learning_rate=0.3,
            batch_size=32,
            clip=5.0,
            schedule="plateau",
            weight_decay=1e-7,
            epochs=20,
            checks=12,
            patience=50,
        ),
        trained_vectors=True,
    ),
    "nb": Paper(
        replace(_PLAIN, learning_rate=2e-4, batch_size=32, schedule="two-epochs", epochs=6, checks=4),
        trained_vectors=True,
    ),
    "ch": Paper(replace(_PLAIN, learning_rate=4e-4, batch_size=32, clip=10.0, schedule="reload", epochs=100)),
    "rc": Paper(replace(_PLAIN, learning_rate=1e-3, batch_size=128, clip=5.0, epochs=10)),
    "infersent": Paper(
        replace(
            _PLAIN,
            optimiser="sgd",
            learning_rate=0.1,
            batch_size=64,
            clip=5.0,
            schedule="infersent",
            epochs=20,
        )
    ),
    "bilstm": Paper(_NYU, trained_vectors=True),
    "cbow": Paper(_NYU, trained_vectors=True),
    "jiant": Paper(
        replace(
            _PLAIN,
            optimiser="amsgrad",
            learning_rate=1e-4,
            batch_size=32,
            clip=5.0,
            schedule="two-flat-checks",
            epochs=20,
            checks=12,
            patience=5,
        )
    ),
}


def _small(name: str, *, unit_vectors: bool = False, **changes: object) -> Paper:
    """Train a small network for a few epochs, in which it must learn faster than its paper's recipe lets it.

    The vectors stay as they are: to train them takes longer than all the rest.
    """
    brief: dict[str, object] = {"epochs": 5.0, "checks": 2, "patience": 4, **_FAST, **changes}
    return Paper(replace(PAPERS[name].recipe, **brief), unit_vectors=unit_vectors)  # type: ignore[arg-type]


_FAST = {
    "optimiser": "adam",
    "learning_rate": 1e-3,
    "batch_size": 32,
    "clip": 5.0,
    "clip_by": "norm",
    "schedule": "plateau",
    "weight_decay": 0.0,
}
# Sums of words grow with the sentence: with vectors as long as GloVe's, DA and CBOW learn nothing in so few steps.
SMALL: dict[str, Paper] = {
    "da": _small("da", unit_vectors=True, epochs=6.0),
    "esim": _small("esim"),
    "spinn": _small("spinn"),
    "nb": _small("nb"),
    "ch": _small("ch"),
    "rc": _small("rc"),
    "infersent": _small("infersent"),
    "bilstm": _small("bilstm", learning_rate=2e-3),
    "cbow": _small("cbow", unit_vectors=True, epochs=16.0),
    "jiant": _small("jiant"),
}


def paper_of(name: str, preset: Preset) -> Paper:
    """Find how a network is trained in the sizes of its paper, or of its small preset."""
    table = SMALL if preset == "small" else PAPERS
    if name not in table:
        raise UnknownNameError("network", name, table)
    return table[name]
