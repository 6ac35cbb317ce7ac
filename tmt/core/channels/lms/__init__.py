"""The land-mobile-satellite channel: states of shadowing, Loo fading, an interleaver and a code.

The gain relative to an unobstructed direct path is ``|a exp(2 pi j f_los t) + m|**2`` (Loo, IEEE Trans. Veh.
Tech. 34(3), 1985): a is lognormal, m complex Gaussian with Clarke's spectrum. Their parameters follow a
semi-Markov chain of three states along the way (Perez-Fontan et al., IEEE Trans. Veh. Tech. 50(6), 2001). The
segments of a code word are spread over the interleaver's depth. Their mean mutual information gives an
effective SNR, which is compared with the code's threshold, Gaussian in dB.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from tmt.core.channels.base import UNSET, BoolArray, Channel, FloatArray, Int64Array, Profile, Realisation
from tmt.core.channels.lms.path import ReceiverPath, Shadow
from tmt.core.channels.lms.profiles import PROFILES
from tmt.core.declaration import Param, Probability, Rules, Seconds, ns
from tmt.core.seeds import uniform_sources

SPEED_OF_LIGHT_M_S = 299_792_458.0


STATES = ("los", "moderate", "deep")
"""States of shadowing, in the order of the rows of every table."""

Amplitude = Annotated[float, Param("dB", -100, 20)]
Deviation = Annotated[float, Param("dB", 0, 50)]
Multipath = Annotated[float, Param("dB", -200, 20)]
Distance = Annotated[float, Param("m", 0.01, 1e6)]
Width = Annotated[float, Param("dB", 0, 100)]
Depth = Annotated[Seconds, Param(most=10)]


class Lms(Channel):
    """A receiver that moves through shadows; a slot is erased if its code word cannot be decoded.

    The profile gives the parameters that are left out. The direct
    path's Doppler frequency is ``f_d cos(elevation) cos(azimuth)``, with f_d from speed and carrier; the
    mutual information of a part with a given SNR is ``(1 - 2**(-h1 * (llr_variance * SNR)**h2))**h3``; a
    code word is erased with probability ``Phi((threshold - effective SNR) / width)``.
    """

    name: ClassVar[str] = "lms"
    has_es_n0: ClassVar[bool] = True
    profiles: ClassVar[Mapping[str, Profile]] = PROFILES

    profile: Annotated[
        Literal["internet", "perez-fontan-suburban-40", "distribution"],
        "set of values for the other parameters",
    ] = "internet"
    es_n0_db: Annotated[float, "Es/N0 of an unobstructed direct path", Param("dB", -100, 100)] = UNSET
    speed_kmh: Annotated[float, "speed of the receiver", Param("km/h", 0.001, 2000)] = UNSET
    carrier_ghz: Annotated[float, "carrier frequency", Param("GHz", 0.01, 100)] = UNSET
    elevation_deg: Annotated[float, "the satellite's angle above the horizon", Param("degree", 0, 90)] = UNSET
    azimuth_deg: Annotated[
        float, "the satellite's direction, from that of travel", Param("degree", 0, 360)
    ] = UNSET
    los_alpha_db: Annotated[Amplitude, "line of sight: mean of the direct path's amplitude"] = UNSET
    los_psi_db: Annotated[Deviation, "line of sight: standard deviation of that amplitude"] = UNSET
    los_mp_db: Annotated[Multipath, "line of sight: power of the diffuse multipath"] = UNSET
    los_frame_m: Annotated[Distance, "line of sight: distance from one move to the next"] = UNSET
    los_to_moderate: Annotated[Probability, "line of sight: probability that the move is to `moderate`"] = (
        UNSET
    )
    los_to_deep: Annotated[Probability, "line of sight: probability that the move is to `deep`"] = UNSET
    moderate_alpha_db: Annotated[Amplitude, "moderate shadow: mean of the direct path's amplitude"] = UNSET
    moderate_psi_db: Annotated[Deviation, "moderate shadow: standard deviation of that amplitude"] = UNSET
    moderate_mp_db: Annotated[Multipath, "moderate shadow: power of the diffuse multipath"] = UNSET
    moderate_frame_m: Annotated[Distance, "moderate shadow: distance from one move to the next"] = UNSET
    moderate_to_los: Annotated[Probability, "moderate shadow: probability that the move is to `los`"] = UNSET
    moderate_to_deep: Annotated[Probability, "moderate shadow: probability that the move is to `deep`"] = (
        UNSET
    )
    deep_alpha_db: Annotated[Amplitude, "deep shadow: mean of the direct path's amplitude"] = UNSET
    deep_psi_db: Annotated[Deviation, "deep shadow: standard deviation of that amplitude"] = UNSET
    deep_mp_db: Annotated[Multipath, "deep shadow: power of the diffuse multipath"] = UNSET
    deep_frame_m: Annotated[Distance, "deep shadow: distance from one move to the next"] = UNSET
    deep_to_los: Annotated[Probability, "deep shadow: probability that the move is to `los`"] = UNSET
    deep_to_moderate: Annotated[Probability, "deep shadow: probability that the move is to `moderate`"] = (
        UNSET
    )
    transition_m: Annotated[
        float, "distance in which a new state's triplet takes over (L_trans)", Param("m", 0, 1e6)
    ] = UNSET
    correlation_m: Annotated[
        float, "distance over which the shadowing's correlation falls to 1/e (L_corr)", Param("m", 0.001, 1e6)
    ] = UNSET
    slow_psi_db: Annotated[
        Deviation, "standard deviation of the slow level along the route, on the whole gain"
    ] = UNSET
    slow_correlation_m: Annotated[
        float, "distance over which that level's correlation falls to 1/e", Param("m", 0.001, 1e6)
    ] = UNSET
    llr_variance: Annotated[
        float, "variance of the log-likelihood ratios over SNR: 4 QPSK, 8 BPSK", Param("", 1e-06, 100)
    ] = UNSET
    mi_h1: Annotated[float, "constant of the mutual information", Param("", 1e-06, 100)] = UNSET
    mi_h2: Annotated[float, "exponent of the mutual information", Param("", 1e-06, 100)] = UNSET
    mi_h3: Annotated[float, "exponent of the mutual information", Param("", 1e-06, 100)] = UNSET
    interleaver_depth: Annotated[Depth, "time over which a code word is sent; 0: no interleaver"] = UNSET
    segments: Annotated[int, "number of equal parts in which a code word is sent", Param("", 1, 1000)] = UNSET
    segment_jitter: Annotated[Probability, "range in which a part lies at random, in spacings of parts"] = (
        UNSET
    )
    processing_time: Annotated[Depth, "decoding time beyond the interleaver's depth"] = UNSET
    code_threshold_db: Annotated[
        float, "effective SNR at which half of the code words are erased", Param("dB", -100, 100)
    ] = UNSET
    code_width_db: Annotated[Width, "standard deviation of that threshold from word to word"] = UNSET

    def rules(self) -> Rules:
        """Refuse moves without a unique stationary law, overlapping transitions, and a decode time of 0."""
        for state in STATES:
            moves = [f"{state}_to_{other}" for other in STATES if other != state]
            if sum(getattr(self, name) for name in moves) > 1:
                yield moves[0], f"{' + '.join(moves)} of at most 1"
                return
        if self.decode_time_ns <= 0:
            yield "processing_time", "more than 0 s without an interleaver (0 would mean erased)"
        shortest_m = float(self.shadow.frames_m.min())
        if self.transition_m > shortest_m:
            yield "transition_m", f"at most the shortest frame, {shortest_m:g} m"
        if np.isnan(self.shadow.embedded_law()).any():
            yield "los_to_moderate", "moves with at most one absorbing state"

    @cached_property
    def interleaver_depth_ns(self) -> int:
        """Time over which a code word is sent, in nanoseconds."""
        return ns(self.interleaver_depth)

    @property
    def decode_time_ns(self) -> int:
        """Depth of the interleaver plus processing time."""
        return self.interleaver_depth_ns + ns(self.processing_time)

    @property
    def doppler_hz(self) -> float:
        """Maximum Doppler frequency f_d."""
        return self.speed_kmh / 3.6 * self.carrier_ghz * 1e9 / SPEED_OF_LIGHT_M_S

    @property
    def direct_doppler_hz(self) -> float:
        """Doppler frequency of the direct path."""
        towards = math.cos(math.radians(self.elevation_deg)) * math.cos(math.radians(self.azimuth_deg))
        return self.doppler_hz * towards

    @property
    def shadow(self) -> Shadow:
        """Tables of the shadowing states, by distance."""
        moves = np.zeros((len(STATES), len(STATES)))
        for row, state in enumerate(STATES):
            for column, other in enumerate(STATES):
                if other != state:
                    moves[row, column] = getattr(self, f"{state}_to_{other}")
            moves[row, row] = 1.0 - moves[row].sum()
        return Shadow(
            loo_db=np.array(
                [[getattr(self, f"{s}_{name}_db") for name in ("alpha", "psi", "mp")] for s in STATES]
            ),
            frames_m=np.array([getattr(self, f"{state}_frame_m") for state in STATES], np.float64),
            moves=moves,
            transition_m=self.transition_m,
            correlation_m=self.correlation_m,
            slow_psi_db=self.slow_psi_db,
            slow_correlation_m=self.slow_correlation_m,
        )

    def path(self, seed: int) -> ReceiverPath:
        """Start the gain of `seed`; Es/N0, interleaver and code do not change it."""
        return self._path(_sources(seed))

    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed` at the first slot that it is given.

        One uniform number per slot, from a separate source, decides its fate. Equal seeds give the same gain
        and the same numbers at every Es/N0, so that a slot that is erased at one Es/N0 is also erased at
        every lower one.
        """
        sources = _sources(seed)
        return _CodeWords(self, self._path(sources), *sources[3:5])

    def _path(self, sources: list[np.random.Generator]) -> ReceiverPath:
        return ReceiverPath(
            self.shadow,
            speed_m_s=self.speed_kmh / 3.6,
            doppler_hz=self.doppler_hz,
            direct_doppler_hz=self.direct_doppler_hz,
            sources=[*sources[:3], sources[5]],
        )


def _sources(seed: int) -> list[np.random.Generator]:
    """Return the generators of multipath, shadowing, states, code words, segments and slow level."""
    return uniform_sources(seed, 6)


class _CodeWords:
    """The code words of slots along a path, decoded in pieces."""

    def __init__(
        self, channel: Lms, path: ReceiverPath, fates: np.random.Generator, places: np.random.Generator
    ) -> None:
        self._channel, self._path, self._fates, self._places = channel, path, fates, places
        distance_ns = channel.interleaver_depth_ns / channel.segments
        self._offsets_ns = (np.arange(channel.segments, dtype=np.float64) + 0.5) * distance_ns
        self._jitter_ns = channel.segment_jitter * distance_ns
        self._field = path.next_block()
        self._first_point = 0
        self._start_ns: int | None = None

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        return self._decoded(tx_time_ns, np.empty(0))

    def faded(self, tx_time_ns: Int64Array) -> tuple[BoolArray, FloatArray]:
        """Return erasures and the effective Es/N0: the one that gives each segment the mean information."""
        gain = np.empty(len(tx_time_ns))
        erased = self._decoded(tx_time_ns, gain)
        with np.errstate(divide="ignore"):  # a gain of 0 is minus infinity in dB
            es_n0_db: FloatArray = self._channel.es_n0_db + 10.0 * np.log10(gain)
        return erased, es_n0_db

    def _decoded(self, tx_time_ns: Int64Array, effective_gain: FloatArray) -> BoolArray:
        """Return the erasures; fill in the effective gains where there is an entry for each slot."""
        from tmt.core.channels.lms.kernel import decode  # noqa: PLC0415  (numba takes long to import)

        erased = np.empty(len(tx_time_ns), np.bool_)
        if not len(tx_time_ns):
            return erased
        if self._start_ns is None:
            self._start_ns = int(tx_time_ns[0])
        channel, step_ns = self._channel, self._path.step_ns
        time_ns = tx_time_ns - self._start_ns
        deviation = _normal(self._fates.random(len(time_ns)))
        needed_db = channel.code_threshold_db - channel.code_width_db * deviation
        needed_gain = 10.0 ** ((needed_db - channel.es_n0_db) / 10.0)
        places = self._places.random((len(time_ns) if self._jitter_ns else 0, channel.segments))
        done = 0
        while True:
            last_point = self._first_point + len(self._field) - 1
            whole_until_ns = last_point * step_ns - channel.interleaver_depth_ns
            ready = int(np.searchsorted(time_ns, whole_until_ns, side="left"))
            decode(
                self._field,
                self._first_point,
                step_ns,
                time_ns[done:ready],
                self._offsets_ns,
                self._jitter_ns,
                places[done:ready],
                needed_gain[done:ready],
                10.0 ** (channel.es_n0_db / 10.0),
                channel.llr_variance,
                channel.mi_h1,
                channel.mi_h2,
                channel.mi_h3,
                erased[done:ready],
                effective_gain[done:ready],
            )
            done = ready
            if done == len(time_ns):
                return erased
            self._extend(int(time_ns[done]) // step_ns)

    def _extend(self, needed_point: int) -> None:
        """Add a block to the field, and drop the points before the one that is needed next."""
        drop = min(needed_point - self._first_point, len(self._field))
        self._field = np.concatenate([self._field[drop:], self._path.next_block()])
        self._first_point += drop


def _normal(uniform: FloatArray) -> FloatArray:
    """Return the normal quantiles of uniform numbers."""
    from scipy.special import ndtri  # noqa: PLC0415  (scipy takes long to import)

    quantiles: FloatArray = ndtri(uniform)
    return quantiles
