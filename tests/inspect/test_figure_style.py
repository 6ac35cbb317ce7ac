"""The table of colours, markers and hatches covers every drawn name and distinguishes them."""

from __future__ import annotations

from tmt.figures.style import SCHEME_STYLES, TCP_STYLES
from tmt.schemes import SCHEMES
from tmt.settings.tcp import TCP_VARIANTS


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
