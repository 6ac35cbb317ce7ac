"""`python -m analysis [FOLDER]`: every figure and table of the papers that is reproduced."""

from __future__ import annotations

from pathlib import Path

from analysis import offline_online
from analysis.barakat2003.__main__ import main as barakat2003
from analysis.botos import coding_place
from analysis.botos.__main__ import main as botos
from analysis.channel import channel_check
from analysis.jin2006.__main__ import main as jin2006
from analysis.kuhn2014 import theory_figures
from analysis.kuhn2014.__main__ import main as kuhn2014
from analysis.measured import gallery
from analysis.pages import start
from analysis.tcp import congestion_controls

RECIPES = {
    "Kuhn 2014, figures 5 and 6": theory_figures.main,
    "Kuhn 2014, figures 7 to 11, tables 1 to 3": kuhn2014,
    "Barakat and Al Fawal 2003, figures 3 to 16": barakat2003,
    "Botos, Polgar and Bota, figures 1 and 3 to 6": botos,
    "Coding in the transport or in the link": coding_place.main,
    "Jin and Yang 2006, figures 3 to 6": jin2006,
    "Offline against online": offline_online.main,
    "Channel lms against theory": channel_check.main,
    "Congestion controls of the modern sender": congestion_controls.main,
    "Gallery of measured links": gallery.main,
}


def main(folder: Path) -> str:
    """Run each recipe; its pictures and data go into `folder`, its findings to standard output."""
    for title, recipe in RECIPES.items():
        print(f"{title}\n{recipe(folder)}\n", flush=True)
    return f"Pictures and data: {folder}"


if __name__ == "__main__":
    start(main)
