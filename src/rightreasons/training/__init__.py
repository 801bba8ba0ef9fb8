"""Training: pairs in, a model folder out.

run                  `train`: read pairs, train, write the folder
data                 training, dev and test pairs: read, checked, edited, searched for overlap
edits                what can be done to training pairs
network_trainer      trains any declared network over word vectors
transformer          fine-tunes a pretrained encoder
pretrained_encoders  pretrained encoders with a head for our labels
pretraining          trains jiant's encoder on another task; with `pretraining_data` and `pretraining_targets`
initialization       what a network starts from
learner              a network with its pairs: what the loop trains
loop                 the training loop
optimization         optimisers, clipping, schedules of the learning rate
checkpoints          checkpoints of interrupted runs
debiasing            losses against a bias model
bias_models          logistic regressions on the hypothesis, or on the overlap
model_folder         card, log and plot in the model folder
"""

from __future__ import annotations

from rightreasons.training.run import train_model

__all__ = ["train_model"]
