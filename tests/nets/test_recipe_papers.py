"""The recipes of the papers, written out by hand beside those that networks are trained by."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rightreasons.nets import NETS


class Wanted(NamedTuple):
    """What a paper or its code says of training; a clip or patience of 0 is none."""

    optimiser: str
    learning_rate: float
    batch_size: int
    clip: float
    clip_by: str
    schedule: str
    epochs: float
    patience: int  # in checks, of which there are so many an epoch
    checks: int
    weight_decay: float
    trained_vectors: bool


# MultiNLI has 392,702 training pairs, 12,272 batches of 32: 12 checks an epoch are one in 1,000 steps, 25 one in 500.
WANTED = {
    "da": Wanted("adagrad", 0.01, 64, 5.0, "value", "constant", 140, 20, 1, 0.0, trained_vectors=False),
    "esim": Wanted("adam", 4e-4, 64, 10.0, "norm", "plateau", 75, 5, 1, 0.0, trained_vectors=True),
    # The middle of the NYU ranges; 50,000 steps without a better check. A norm of 5 and 20 epochs are our choice.
    "spinn": Wanted("sgd", 0.3, 32, 5.0, "norm", "plateau", 20, 50, 12, 1e-7, trained_vectors=True),
    # Checked every 9,000 batches, then every 100: four times an epoch here. All six epochs are run.
    "nb": Wanted("adam", 2e-4, 32, 0.0, "norm", "two-epochs", 6, 0, 4, 0.0, trained_vectors=True),
    # It ends by its halvings, which the schedule counts: any number of epochs that is never reached will do.
    "ch": Wanted("adam", 4e-4, 32, 10.0, "norm", "reload", 100, 0, 1, 0.0, trained_vectors=False),
    "rc": Wanted("adam", 1e-3, 128, 5.0, "norm", "constant", 10, 0, 1, 0.0, trained_vectors=False),
    "infersent": Wanted("sgd", 0.1, 64, 5.0, "norm", "infersent", 20, 0, 1, 0.0, trained_vectors=False),
    # 30,000 steps without a best; the code has no last epoch. Vectors are trained as its sample commands ask for.
    "bilstm": Wanted("adam", 4e-4, 32, 0.0, "norm", "constant", 30, 60, 25, 0.0, trained_vectors=True),
    "cbow": Wanted("adam", 4e-4, 32, 0.0, "norm", "constant", 30, 60, 25, 0.0, trained_vectors=True),
    # Its code leaves open whether vectors are trained, and the epochs; GLUE's baselines keep GloVe as it is.
    "jiant": Wanted(
        "amsgrad", 1e-4, 32, 5.0, "norm", "two-flat-checks", 20, 5, 12, 0.0, trained_vectors=False
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_a_network_is_trained_as_its_paper_says(name: str) -> None:
    paper = NETS[name].paper
    recipe = paper.recipe
    facts = {field: getattr(recipe, field) for field in Wanted._fields if field != "trained_vectors"}
    assert Wanted(**facts, trained_vectors=paper.trained_vectors) == WANTED[name]
    # No paper warms up or rescales its vectors, and all keep the weights that the dev set likes best.
    assert (recipe.warmup, paper.unit_vectors, recipe.keep) == (0.0, False, "best")
