"""The TCP of a real kernel as the judge of ns-2's: the same link traces under both, side by side."""
