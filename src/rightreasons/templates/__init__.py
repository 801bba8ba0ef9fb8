"""Trees with slots, the finite spaces they span, and the columns of pairs that are read off them.

notation           the text form of a tree with slots and phrases
document           one set as it is written down: word lists, phrases, templates
toml_document      reads a document from TOML; toml_values names file and line of every value
expansion          templates with every structural choice fixed: sub-variants
rendering          a tree as pieces of text, parse and binary parse
slot_space         counting, ranking and unranking of what a sub-variant can say
grammar            all of the above for one set in one mode
filling            from ranks to columns of pairs
apportionment      how many rows each part of a sample gets (Webster's method)
permutation        seeded permutations that can be computed at any position
premise_splits     which premises are for evaluation and which for training
plan               which pairs a sample holds
text_patterns      sub-variants as rows of chunks; recognise maps texts back to ranks by them
collisions         templates that can yield the same pair twice, found by the constraint_solver
"""
