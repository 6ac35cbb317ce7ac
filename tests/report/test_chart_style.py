"""TCP variants and schemes have styles that readers can distinguish."""

import pytest

from tmt.core.schemes import SCHEMES
from tmt.show.charts import style
from tmt.show.charts.style import SCHEME_STYLES, TCP_STYLES, MemberStyle, looks_of, scheme_styles, tcp_styles
from tmt.spec.traffic import VARIANTS

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


def test_styles__cover_every_tcp_variant_and_scheme() -> None:
    assert set(TCP_STYLES) == set(VARIANTS)
    assert set(SCHEME_STYLES) >= set(SCHEMES)


def test_styles__tell_apart_in_colour_and_in_grey() -> None:
    variants, schemes = TCP_STYLES.values(), SCHEME_STYLES.values()
    for marks in (
        [one.colour for one in list(variants)[:8]],
        [(one.colour, one.marker) for one in variants],
        [one.marker for one in list(variants)[:15]],
        [one.label for one in variants],
        [one.colour for one in list(schemes)[:6]],
        [(one.colour, one.marker) for one in schemes],
        [SCHEME_STYLES[name].marker for name in SCHEMES],
        [(one.colour, one.dash) for one in schemes],
    ):
        assert len(set(marks)) == len(marks)


def test_looks__of_others_stay_where_a_new_member_comes_first() -> None:
    own = {"arq": ("red", "o", "-"), "fec": ("green", "s", ":")}
    alone, joined = looks_of(own, own), looks_of(["new", "arq", "newer", "fec"], own)
    assert alone == own
    assert {name: joined[name] for name in own} == own
    assert not {joined[name][1] for name in ("new", "newer")} & {"o", "s"}
    assert len(set(joined.values())) == 4


def test_looks__of_shipped_schemes_are_those_of_the_published_figures() -> None:
    """Blue diamonds for HARQ, red triangles for ARQ: docs/images/quickstart.png and the papers' figures."""
    looks = {name: (one.colour, one.marker) for name, one in SCHEME_STYLES.items()}
    assert (looks["harq"], looks["arq"]) == (("#0072B2", "D"), ("#D55E00", "^"))
