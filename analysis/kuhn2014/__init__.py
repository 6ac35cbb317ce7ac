"""The three scenarios of Kuhn et al. 2014, sections 5 to 7, beside the numbers that the paper prints.

`scenarios/` defines the runs, `published.csv` holds the paper's numbers, `docs/reproduction.md` the results.
"""
