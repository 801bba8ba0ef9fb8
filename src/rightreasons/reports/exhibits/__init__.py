"""The tables of a report, one file for each question; every form of the report shows the same."""
