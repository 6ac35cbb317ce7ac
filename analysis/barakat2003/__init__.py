"""Barakat and Al Fawal (2003): hybrid FEC/ARQ-SR, simulated online in ns-2, beside their model."""
