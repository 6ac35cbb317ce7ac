"""The three scenarios of Kuhn et al. 2014, sections 5 to 7, beside the numbers that the paper prints.

`scenarios/` says what is run, `published.csv` what the paper prints, `docs/reproduction.md` what came of it.
"""
