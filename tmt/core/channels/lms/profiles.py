"""Profiles of the land-mobile-satellite channel: every value with its origin (published, assumed or fitted).

No value comes from CNES's traces, which are not public: fitted values are fitted to goodputs that Kuhn et al.
printed.
"""

from __future__ import annotations

from tmt.core.channels.base import LineDefaults, Origin, Profile, Sourced

_PEREZ_FONTAN = Origin(
    "published", "Perez-Fontan et al., IEEE Trans. Veh. Tech. 50(6), 2001: S-band, suburban, elevation 40 deg"
)
_KUHN = Origin("published", "Kuhn et al. 2014, section 4.1")
_BRANNSTROM = Origin("published", "Brannstrom, Rasmussen, Grant, IEEE Trans. Inf. Theory 51(9), 2005")
_FIT = Origin("fitted", "to ten CUBIC goodputs of Kuhn et al. 2014, sections 6 and 7")
_FIT_TRANSFERS = Origin("fitted", "to these goodputs and table 3 of Kuhn et al. 2014 together")
_FIT_TABLE_1 = Origin("fitted", "to the retransmission probabilities of Kuhn et al. 2014, table 1")
_ASSUMED = Origin("assumed", "not stated in Kuhn et al. 2014")


def _all(origin: Origin, **values: float) -> dict[str, Sourced]:
    return {name: Sourced(value, origin) for name, value in values.items()}


_RECEIVER = (
    _all(_KUHN, speed_kmh=60.0, elevation_deg=40.0)
    | _all(_ASSUMED, carrier_ghz=2.2)
    | _all(_ASSUMED, llr_variance=4.0)
    | _all(_BRANNSTROM, mi_h1=0.3073, mi_h2=0.8935, mi_h3=1.1064)
    | _all(_KUHN, interleaver_depth=0.036)
    | _all(_ASSUMED, processing_time=0.0001)
    | _all(_ASSUMED, azimuth_deg=45.0)
    | _all(_FIT, segments=4, segment_jitter=0.0, code_width_db=0.7)
    | _all(_FIT_TRANSFERS, code_threshold_db=2.08)
)

_SUBURBAN_40 = _all(
    _PEREZ_FONTAN,
    los_alpha_db=-1.0,
    los_psi_db=0.5,
    los_mp_db=-13.0,
    los_frame_m=5.2,
    moderate_alpha_db=-3.7,
    moderate_psi_db=0.98,
    moderate_mp_db=-12.2,
    moderate_frame_m=3.7,
    deep_alpha_db=-15.0,
    deep_psi_db=5.9,
    deep_mp_db=-13.0,
    deep_frame_m=3.0,
    los_to_moderate=0.1715,
    los_to_deep=0.0108,
    moderate_to_los=0.1544,
    moderate_to_deep=0.0459,
    deep_to_los=0.14,
    deep_to_moderate=0.1433,
    transition_m=2.2,
    correlation_m=1.7,
) | _all(_ASSUMED, slow_psi_db=0.0, slow_correlation_m=100.0)

_INTERNET_LINE = LineDefaults(
    rate_bps=Sourced(2_630_000, _KUHN), lldu_bytes=Sourced(33, _KUHN), share=Sourced(10, _KUHN)
)

PROFILES = {
    "internet": Profile(
        "one of ten users of the forward link of the papers' Internet scenarios",
        _RECEIVER
        | _SUBURBAN_40
        | _all(
            _FIT,
            los_psi_db=0.3,
            los_mp_db=-14.0,
            los_to_moderate=0.0,
            los_to_deep=0.00698,
            deep_to_los=0.2833,
            deep_to_moderate=0.0,
        )
        | _all(_FIT_TRANSFERS, slow_psi_db=0.5),
        _INTERNET_LINE,
    ),
    "perez-fontan-suburban-40": Profile(
        "the same link with the published values of a suburban environment; only the code's are fitted",
        _RECEIVER | _SUBURBAN_40,
        _INTERNET_LINE,
    ),
    "distribution": Profile(
        "the down-link of the papers' Distribution scenario, all of it for one user",
        _RECEIVER
        | _SUBURBAN_40
        | _all(_KUHN, es_n0_db=14.0)
        | _all(
            _FIT_TABLE_1,
            los_to_moderate=0.0,
            los_to_deep=0.065,
            deep_alpha_db=-8.0,
            deep_psi_db=0.5,
            deep_to_los=1.0,
            deep_to_moderate=0.0,
            segments=1,
            segment_jitter=1.0,
        ),
        LineDefaults(
            rate_bps=Sourced(2_250_000, _KUHN), lldu_bytes=Sourced(1523, _KUHN), share=Sourced(1, _KUHN)
        ),
    ),
}
"""Profiles by name; the first is the default."""
