"""Profiles of the channel of equal shadows: each value with its origin (published, assumed or fitted)."""

from __future__ import annotations

from tmt.core.channels.base import LineDefaults, Origin, Profile, Sourced

_KUHN = Origin("published", "Kuhn et al. 2014, section 4.1")
_ASSUMED = Origin("assumed", "not stated in Kuhn et al. 2014")
_FIT = Origin("fitted", "to tables 1 and 2 and figure 8 of Kuhn et al. 2014")

PROFILES = {
    "distribution": Profile(
        "the up-link of the papers' Distribution scenario, all of it for one user",
        {
            "spacing": Sourced(10.3, _FIT),
            "spacing_spread": Sourced(0.6, _FIT),
            "crown": Sourced(0.23, _FIT),
            "crown_error": Sourced(0.083, _FIT),
            "trunk": Sourced(0.0025, _FIT),
            "interleaver_depth": Sourced(0.036, _KUHN),
            "processing_time": Sourced(0.0001, _ASSUMED),
        },
        LineDefaults(
            rate_bps=Sourced(2_340_000, _KUHN), lldu_bytes=Sourced(33, _KUHN), share=Sourced(1, _KUHN)
        ),
    ),
}
"""Profiles by name; the first is the default."""
