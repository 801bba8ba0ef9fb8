"""Trees with slots, the finite spaces they span, and the columns of pairs that are read off them.

notation   the text form of a tree with slots and phrases
lexicon    word lists
document   one TOML file: word lists, phrases, subcases with their templates
expansion  templates with every structural choice fixed: sub-variants
space      counting, ranking and unranking of what a sub-variant can say
rendering  a tree as pieces of text, parse and binary parse
filling    ranks to columns of pairs
grammar    all of the above for one set in one mode
plan       which pairs a sample holds: quotas, splits, ranges
recognise  from text back to ranks
collisions templates that can yield the same pair twice
"""
