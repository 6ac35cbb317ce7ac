"""Modes of logs beside those of our rules, and measured links that adapt or are handed over."""
