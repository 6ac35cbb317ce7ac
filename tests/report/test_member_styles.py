"""TCP variants and schemes have styles that readers can distinguish."""

from __future__ import annotations

import pytest

from tmt.show.charts import style
from tmt.show.charts.style import MemberStyle, scheme_styles, tcp_styles

OKABE_ITO = {style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.MUTED}


@pytest.mark.parametrize(
    "styles",
    [
        tcp_styles(["newreno", "westwood", "hybla", "cubic", "compound"]),
        tcp_styles(["bbr", "newreno", "vegas", "cubic"]),
        scheme_styles(
            ["none", "FEC(10/12)", "ARQ", "HARQ(10/12)", "HARQ(10/15)", "HARQ(50/52)"],
            ["none", "fec", "arq", "harq", "harq", "harq"],
        ),
        scheme_styles(["ARQ", "ARQ(max 3)", "own"], ["arq", "arq", ""]),
    ],
)
def test_styles__differ_in_marker_and_are_safe_for_the_colour_blind(styles: list[MemberStyle]) -> None:
    assert len({one.marker for one in styles}) == len({one.colour for one in styles}) == len(styles)
    assert {one.colour for one in styles} <= OKABE_ITO


def test_styles__do_not_depend_on_the_other_members() -> None:
    (alone,) = tcp_styles(["cubic"])
    assert alone == tcp_styles(["bbr", "cubic", "newreno"])[1]
    assert (alone.label, alone.colour) == ("CUBIC", style.TCP_STYLES["cubic"].colour)


def test_dark_colour__is_the_colour_mixed_with_white() -> None:
    # 0.72 of blue #0072b2 and 0.28 of white: 71.4, 153.5, 199.6.
    assert tcp_styles(["cubic"])[0].dark_colour == "#4799c8"
