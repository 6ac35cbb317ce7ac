"""Botos, Polgar and Bota: FECTCP on a wireless LAN, simulated in ns-2, beside their statements."""
