"""Everything that people look at: charts, tables on the terminal, the page of a campaign."""
