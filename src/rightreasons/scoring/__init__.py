"""Scores of predictions and their uncertainty.

accuracy             correct predictions by tags and gold label; predictions are aligned with pairs here
rule_choice          the rule that reduces three labels to two, the same for all models of a set
prediction_warnings  missing, constant and swapped labels
cells, sharing, clusters, intervals, proportion   what is counted, which pairs are related, confidence intervals
paired, families, ranks                           two models on one set, families of tests, ranks
confusions, accuracy_drops, reliance, calibration, thresholds, seeds   what reports show besides accuracy
"""
