"""The run folder, its manifest, and the results of several runs."""
