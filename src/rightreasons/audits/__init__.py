"""What lies beneath the scores: what a training file shares with a set, and what kinds of error a model makes."""
