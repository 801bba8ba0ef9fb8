"""The fuzz suite: seeded malformed inputs against the whole command line, with an oracle for scores.

    python -m fuzz                              all cases, ten minutes at most
    python -m fuzz --area predictions --case 7  one case, with its command, its files and what came of it

A case is made from the seed, the name of its area and its number alone, so it is the same whatever the number of
workers, the order of hashing and the number of cases.
"""
