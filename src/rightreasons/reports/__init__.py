"""Reports: runs become one `Report`, which every renderer shows.

build        from runs to a report, and the files it is written to
report       the report as data
exhibits     its tables, one file for each question
verdicts     verdicts on accuracies and heuristics, with their rules
takeaways    one sentence per model and set
headlines    one verdict per model over all sets
choice       which of several models to choose
provenance   how the models were run, and what it takes to reproduce the runs
published    figures from papers
leaderboard  many runs in one ranking
renderers    terminal, markdown, CSV, LaTeX
html         the page for the browser
"""
