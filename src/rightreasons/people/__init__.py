"""Studies with participants: plan them, collect judgements, and compare people with models."""
