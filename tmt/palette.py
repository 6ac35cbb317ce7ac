"""Colours of all figures, those of Okabe and Ito (Color Universal Design, 2008).

People with any of the common kinds of colour blindness tell them apart.
"""

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, YELLOW = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#F0E442",
)
INK, MUTED, PALE = "#222222", "#7A7A7A", "#D9D9D9"
