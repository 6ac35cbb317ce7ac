"""Parameters of the land-mobile-satellite channel: meaning, unit and bounds."""

from __future__ import annotations

from dataclasses import dataclass

from tmt.core.units import NS_PER_S

STATES = ("los", "moderate", "deep")
"""States of shadowing, in the order of the rows of every table."""


@dataclass(frozen=True, slots=True)
class LmsParameter:
    """One parameter; the bounds `low` and `high` are inclusive."""

    name: str
    unit: str
    low: float
    high: float
    meaning: str


def _of_state(state: str) -> tuple[LmsParameter, ...]:
    called = {"los": "line of sight", "moderate": "moderate shadow", "deep": "deep shadow"}[state]
    others = [other for other in STATES if other != state]
    return (
        LmsParameter(f"{state}_alpha_db", "dB", -100, 20, f"{called}: mean of the direct path's amplitude"),
        LmsParameter(f"{state}_psi_db", "dB", 0, 50, f"{called}: standard deviation of that amplitude"),
        LmsParameter(f"{state}_mp_db", "dB", -200, 20, f"{called}: power of the diffuse multipath"),
        LmsParameter(f"{state}_frame_m", "m", 0.01, 1e6, f"{called}: distance from one move to the next"),
        *(
            LmsParameter(f"{state}_to_{o}", "", 0, 1, f"{called}: probability that the move is to `{o}`")
            for o in others
        ),
    )


PARAMETERS = (
    LmsParameter("es_n0_db", "dB", -100, 100, "Es/N0 of an unobstructed direct path"),
    LmsParameter("speed_kmh", "km/h", 0.001, 2000, "speed of the receiver"),
    LmsParameter("carrier_ghz", "GHz", 0.01, 100, "carrier frequency"),
    LmsParameter("elevation_deg", "degree", 0, 90, "the satellite's angle above the horizon"),
    LmsParameter("azimuth_deg", "degree", 0, 360, "the satellite's direction, from that of travel"),
    *(parameter for state in STATES for parameter in _of_state(state)),
    LmsParameter("transition_m", "m", 0, 1e6, "distance in which a new state's triplet takes over (L_trans)"),
    LmsParameter(
        "correlation_m",
        "m",
        0.001,
        1e6,
        "distance over which the shadowing's correlation falls to 1/e (L_corr)",
    ),
    LmsParameter(
        "slow_psi_db", "dB", 0, 50, "standard deviation of the slow level along the route, on the whole gain"
    ),
    LmsParameter(
        "slow_correlation_m", "m", 0.001, 1e6, "distance over which that level's correlation falls to 1/e"
    ),
    LmsParameter(
        "llr_variance", "", 1e-6, 100, "variance of the log-likelihood ratios over SNR: 4 QPSK, 8 BPSK"
    ),
    LmsParameter("mi_h1", "", 1e-6, 100, "constant of the mutual information"),
    LmsParameter("mi_h2", "", 1e-6, 100, "exponent of the mutual information"),
    LmsParameter("mi_h3", "", 1e-6, 100, "exponent of the mutual information"),
    LmsParameter(
        "interleaver_depth_ns",
        "s",
        0,
        10 * NS_PER_S,
        "time over which a code word is sent; 0: no interleaver",
    ),
    LmsParameter("segments", "", 1, 1000, "number of equal parts in which a code word is sent"),
    LmsParameter("segment_jitter", "", 0, 1, "range in which a part lies at random, in spacings of parts"),
    LmsParameter("processing_time_ns", "s", 0, 10 * NS_PER_S, "decoding time beyond the interleaver's depth"),
    LmsParameter(
        "code_threshold_db", "dB", -100, 100, "effective SNR at which half of the code words are erased"
    ),
    LmsParameter("code_width_db", "dB", 0, 100, "standard deviation of that threshold from word to word"),
)
"""Every parameter, in the order of the channel's fields. Times are stored in nanoseconds."""
