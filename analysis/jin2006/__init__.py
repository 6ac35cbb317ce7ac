"""Jin and Yang (2006): TCP with and without a proxy and go-back-N ARQ, in ns-2 and beside their model."""
