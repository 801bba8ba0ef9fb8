"""Judgements from other systems, and the export of a study to them."""
