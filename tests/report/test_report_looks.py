"""Variants and schemes that nobody takes for each other."""

from __future__ import annotations

import pytest

from tmt.figures import style
from tmt.report.looks import Look, scheme_looks, tcp_looks

OKABE_ITO = {style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.MUTED}


@pytest.mark.parametrize(
    "looks",
    [
        tcp_looks(["newreno", "westwood", "hybla", "cubic", "compound"]),
        tcp_looks(["bbr", "newreno", "vegas", "cubic"]),
        scheme_looks(["none", "FEC(10/12)", "ARQ", "HARQ(10/12)", "HARQ(10/15)", "HARQ(50/52)"]),
        scheme_looks(["ARQ", "ARQ(max 3)", "own"]),
    ],
)
def test_looks__differ_in_marker_and_are_safe_for_the_colour_blind(looks: list[Look]) -> None:
    assert len({look.marker for look in looks}) == len({look.colour for look in looks}) == len(looks)
    assert {look.colour for look in looks} <= OKABE_ITO


def test_looks__are_those_of_the_house_whatever_else_is_shown() -> None:
    (alone,) = tcp_looks(["cubic"])
    assert alone == tcp_looks(["bbr", "cubic", "newreno"])[1]
    assert (alone.label, alone.colour) == ("CUBIC", style.TCP_STYLES["cubic"].colour)
