"""The table of colours, markers and hatches covers every drawn name and distinguishes them."""

from __future__ import annotations

from tmt.core.schemes.registry import SCHEMES
from tmt.show.charts.style import SCHEME_STYLES, TCP_STYLES, looks_of
from tmt.spec.tcp import TCP_VARIANTS


def test_styles__cover_every_tcp_variant_and_scheme() -> None:
    assert set(TCP_STYLES) == set(TCP_VARIANTS)
    assert set(SCHEME_STYLES) == set(SCHEMES)


def test_styles__tell_apart_in_colour_and_in_grey() -> None:
    variants, schemes = TCP_STYLES.values(), SCHEME_STYLES.values()
    for marks in (
        [style.colour for style in list(variants)[:8]],
        [(style.colour, style.marker) for style in variants],
        [style.marker for style in list(variants)[:15]],
        [style.label for style in variants],
        [style.colour for style in list(schemes)[:6]],
        [(style.colour, style.marker) for style in schemes],
        [style.marker for style in schemes],
        [(style.colour, style.dash) for style in schemes],
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
    looks = {name: (style.colour, style.marker) for name, style in SCHEME_STYLES.items()}
    assert (looks["harq"], looks["arq"]) == (("#0072B2", "D"), ("#D55E00", "^"))
