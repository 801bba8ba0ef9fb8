"""Training: pairs in, a model folder out.

verb             reads the pairs, has a trainer learn them, and writes its model folder
material         the pairs of a run: read, checked, edited
overlap          test pairs inside the training data
edits            what can be done to training pairs
networks         the trainers of networks over word vectors, by name
transformer      a sequence-pair classifier from a pretrained encoder
papers           how each network was trained for its paper
recipe           the numbers that say how to train
loop             the one loop for all networks
batching         which pairs go together, as a pure function of seed and epoch
schedules        how the rate goes, as pure functions of the step and the dev checks
optimisers       optimisers by name, and clipping
checkpoints      where a run can be taken up again after a kill
network_learner  a network with its pairs: what the loop trains
word_pairs       pairs as words
trained_words    the table of words while it is trained
beginnings       what a network starts from
losses           what is minimised: plainly, or against a bias model
debiasing        training against a bias model
bias_models      what can be guessed from the hypothesis, or from the overlap
logistic         what the bias models are
threads          how many threads torch has
folder           the card, the log and the plot in a model folder
log              the log as a table and a plot
"""

from __future__ import annotations

from rightreasons.training.run import train

__all__ = ["train"]
