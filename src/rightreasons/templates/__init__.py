"""Trees with slots, the finite spaces they span, and the columns of pairs that are read off them.

notation    the text form of a tree with slots and phrases
lexicon     word lists
document    one set as it is written down; reading and subcases make it from TOML, entry and places tell what is wrong
            where
expansion   templates with every structural choice fixed: sub-variants
bundles     one premise with several hypotheses, whose words are drawn together
space       counting, ranking and unranking of what a sub-variant can say, from components
rendering   a tree as pieces of text, parse and binary parse
phrases     the table of all pieces; filling gathers columns of pairs from it
grammar     all of the above for one set in one mode
plan        which pairs a sample holds, by sizes and divisions
recognise   from text back to ranks, by patterns
collisions  templates that can yield the same pair twice, found by solving
"""
