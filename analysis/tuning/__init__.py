"""Checks of `tmt tune` against exhaustive search, Barakat's optimum and Kuhn's switch of schemes."""
