"""A campaign's results as one page for reading, and as figures for print."""
