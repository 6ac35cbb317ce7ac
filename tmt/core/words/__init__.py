"""Words and tables for people, which decide no number."""
