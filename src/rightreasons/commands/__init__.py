"""The commands of the command line, one per file: each reads files, calls one verb, writes files."""
