"""HANS, generated from templates, and the two released files."""
