"""Files: tables, whole-or-absent outputs, locks, the cache folder, downloads, signals."""
