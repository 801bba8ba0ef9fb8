"""What a person reads of a run: figures as grids of text, sentences on them, terminal and markdown.

cells      one figure as text: counts rounded half up, bounds outwards
grids      score rows laid out with one column per model
verdicts   what a model goes by on the pairs of a heuristic
takeaways  one sentence per model, by a stated rule
asked      one line per model on how it was asked
prompts    how much the wording of the question matters
table      grids and sentences for the terminal
markdown   the same as a page
"""
