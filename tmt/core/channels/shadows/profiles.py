"""Profiles of the channel of equal shadows: each value with its origin (published, assumed or fitted)."""

from __future__ import annotations

from tmt.core.profile import LineDefaults, Origin, Profile, Sourced

_KUHN = Origin("published", "Kuhn et al. 2014, section 4.1")
_ASSUMED = Origin("assumed", "not stated in Kuhn et al. 2014")
_FIT = Origin("fitted", "to tables 1 and 2 and figure 8 of Kuhn et al. 2014")

PROFILES = {
    "distribution": Profile(
        "the up-link of the papers' Distribution scenario, all of it for one user",
        {
            "spacing_ns": Sourced(10_300_000_000, _FIT),
            "spacing_spread": Sourced(0.6, _FIT),
            "crown_ns": Sourced(230_000_000, _FIT),
            "crown_error": Sourced(0.083, _FIT),
            "trunk_ns": Sourced(2_500_000, _FIT),
            "interleaver_depth_ns": Sourced(36_000_000, _KUHN),
            "processing_time_ns": Sourced(100_000, _ASSUMED),
        },
        LineDefaults(
            rate_bps=Sourced(2_340_000, _KUHN), lldu_bytes=Sourced(33, _KUHN), share=Sourced(1, _KUHN)
        ),
    ),
}
"""Profiles by name; the first is the default."""
