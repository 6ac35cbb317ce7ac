"""Read campaigns, compute cells (one place of the grid), compare campaigns, follow single runs in time."""
