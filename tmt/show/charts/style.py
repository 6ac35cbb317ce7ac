"""Style of every figure: one colour and marker per TCP variant, one colour, marker and dash per scheme.

Colours are those of Okabe and Ito (Color Universal Design, 2008), which people with any of the common kinds
of colour blindness tell apart; markers and dashes say the same once more for print in grey.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.errors import UsageError
from tmt.core.schemes.registry import SCHEMES
from tmt.io.atomic import check_place, staged
from tmt.spec.tcp import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
)
INK, MUTED, PALE = "#222222", "#7A7A7A", "#D9D9D9"

FORMATS = ("png", "svg", "pdf")
"""Endings of the files that a figure can be saved to."""


DARK_STRENGTH = 0.72
"""Part of a colour that is kept on a dark page; the rest is white."""


@dataclass(frozen=True, slots=True)
class MemberStyle:
    """Label and drawing style of a TCP variant or a scheme.

    `colour` is #rrggbb; `marker` is matplotlib's letter, `dash` matplotlib's sign.
    """

    label: str
    colour: str
    marker: str
    dash: str

    @property
    def dark_colour(self) -> str:
        """The colour on a dark page."""
        if self.colour == INK:
            return "#e8edf1"
        parts = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return "#" + "".join(f"{round(255 - (255 - part) * DARK_STRENGTH):02x}" for part in parts)


Look = tuple[str, str, str]
"""Colour, marker and dash."""

OTHER_TCP_DASH = "-."
"""Dash of variants that are not declared."""

_TCP_LOOKS: dict[str, Look] = {
    "newreno": (MUTED, "o", ":"),
    "westwood": (ORANGE, "s", "-."),
    "hybla": (GREEN, "^", "--"),
    "cubic": (BLUE, "D", "-"),
    "compound": (PURPLE, "v", "--"),
    "bbr": (VERMILLION, "P", "-"),
    "bbr3": (SKY, "X", "-."),
    "fectcp": (INK, "h", "-"),
    "bic": (MUTED, "*", "-."),
    "cdg": (ORANGE, "<", "-."),
    "dctcp": (GREEN, ">", "-."),
    "highspeed": (BLUE, "d", "-."),
    "htcp": (PURPLE, "p", "-."),
    "illinois": (VERMILLION, "H", "-."),
    "lp": (SKY, "8", "-."),
    "nv": (INK, "o", "-."),
    "scalable": (MUTED, "s", "-."),
    "vegas": (ORANGE, "^", "-."),
    "veno": (GREEN, "D", "-."),
    "yeah": (BLUE, "v", "-."),
}
_SCHEME_LOOKS: dict[str, Look] = {
    "none": (MUTED, "o", ":"),
    "fec": (GREEN, "s", "-."),
    "arq": (VERMILLION, "^", "--"),
    "harq": (BLUE, "D", "-"),
    "harq-processes": (PURPLE, "P", "-"),
    "sliding-window": (ORANGE, "X", "--"),
    "tetrys": (SKY, "v", "-."),
    "rlc": (INK, "*", ":"),
    "rlc-over-fec": (GREEN, "p", ":"),
    "rlc-over-arq": (VERMILLION, "<", ":"),
    "rlc-over-harq": (BLUE, ">", ":"),
    "rlc-over-harq-processes": (ORANGE, "d", "-"),
    "rlc-over-sliding-window": (SKY, "h", "-"),
    "rlc-over-tetrys": (PURPLE, "H", "--"),
}
"""Looks by name, so that a new member does not move those of others."""

_SPARE_COLOURS = (PURPLE, SKY, GREEN, BLUE, MUTED, INK)
_SPARE_DASH = "--"
_MARKERS = "os^DvPXh*<>dpH8"


def looks_of(names: Iterable[str], own: Mapping[str, Look]) -> dict[str, Look]:
    """Return the look of each name: its own one, or else the next free one; unused markers come first."""
    taken = {look[:2] for look in own.values()}
    used = {marker for _, marker, _ in own.values()}
    markers = sorted(_MARKERS, key=lambda marker: marker in used)
    spare = (pair for pair in zip(cycle(_SPARE_COLOURS), cycle(markers), strict=False) if pair not in taken)
    return {name: own[name] if name in own else (*next(spare), _SPARE_DASH) for name in names}


TCP_STYLES = {
    name: MemberStyle(VARIANTS[name].label, *look) for name, look in looks_of(VARIANTS, _TCP_LOOKS).items()
}
SCHEME_STYLES = {
    name: MemberStyle(name if name == "none" else name.upper(), *look)
    for name, look in looks_of(SCHEMES, _SCHEME_LOOKS).items()
}


def tcp_label(name: str) -> str:
    """Return a TCP variant as people write it."""
    return TCP_STYLES[name].label if name in TCP_STYLES else name


LINE_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"color": colour, "marker": marker}
    for colour, marker in zip((BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK), "oDs^vXP", strict=True)
)
"""Colour and marker of lines that are neither TCP variants nor schemes."""

RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "figure.dpi": 120,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "tmt",
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
"""Settings under which every figure is drawn; the hash salt makes an SVG the same in every run."""


@contextmanager
def new_figure(width_in: float = 7.2, height_in: float = 4.2) -> Iterator[Figure]:
    """Give an empty figure in the house style, which holds while the block draws it.

    Parameters
    ----------
    width_in, height_in
        Size in inches; 7.2 is the width of a printed page's text.
    """
    import matplotlib as mpl  # noqa: PLC0415  (takes half a second; the colours are needed without it)
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(RC):
        yield Figure(figsize=(width_in, height_in), layout="constrained")


def check_format(path: str | PathLike[str]) -> str:
    """Return the format that the file's ending names, one of `FORMATS`.

    Raises
    ------
    UsageError
        When the ending is none of them, or no file can be there.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(f"{path}: a figure's file must end in .{', .'.join(FORMATS)}")
    check_place(path)
    return ending


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure in the format that the file's ending names, the same bytes for the same drawing.

    Raises
    ------
    UsageError
        When the ending is none of `FORMATS`, or no file can be there.
    OutputError
        When the file cannot be written; nothing half-written stays behind.
    """
    import matplotlib as mpl  # noqa: PLC0415

    ending = check_format(path)
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[ending]
    with mpl.rc_context(RC), staged(path) as temporary:
        figure.savefig(temporary, format=ending, metadata=undated)
