"""Read a campaign's results, and compute cells (one place of the grid) and courses (one run over time)."""
