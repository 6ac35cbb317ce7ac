"""Read campaigns, compute cells (all seeds at one point of the grid), compare campaigns, and follow single
runs over time.
"""
