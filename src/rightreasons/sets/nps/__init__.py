"""NP/S garden paths, from templates or from a corpus."""
