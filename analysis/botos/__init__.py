"""Botos, Polgar and Bota: FECTCP on a wireless LAN, simulated in ns-2, beside what they say of it."""
