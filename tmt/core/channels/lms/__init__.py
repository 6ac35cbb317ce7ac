"""The land-mobile-satellite channel: states of shadowing, Loo fading, an interleaver and a code.

The gain relative to an unobstructed direct path is ``|a exp(2 pi j f_los t) + m|**2`` (Loo, IEEE Trans. Veh.
Tech. 34(3), 1985): a is lognormal, m complex Gaussian with Clarke's spectrum. Their parameters follow a
semi-Markov chain of three states along the way (Perez-Fontan et al., IEEE Trans. Veh. Tech. 50(6), 2001).
A code word lies in segments over the interleaver's depth; their mutual information is averaged, mapped back
to an effective SNR, and compared with a code whose threshold is Gaussian in dB.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.channels.base import (
    BoolArray,
    Channel,
    FloatArray,
    Int64Array,
    Realisation,
    check_within,
)
from tmt.core.channels.lms.parameters import PARAMETERS, STATES
from tmt.core.channels.lms.path import Path, Shadow
from tmt.core.channels.lms.profiles import PROFILES
from tmt.core.errors import UsageError
from tmt.core.seeds import uniform_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.profile import Profile

SPEED_OF_LIGHT_M_S = 299_792_458.0


@dataclass(frozen=True, slots=True)
class Lms(Channel):
    """A receiver that moves through shadows; a slot is erased if its code word cannot be decoded.

    `Lms.of` takes missing values from a profile. `parameters.py` declares the parameters. The direct
    path's Doppler frequency is ``f_d cos(elevation) cos(azimuth)``, with f_d from speed and carrier; the
    mutual information of a part with a given SNR is ``(1 - 2**(-h1 * (llr_variance * SNR)**h2))**h3``; a
    code word is erased with probability ``Phi((threshold - effective SNR) / width)``.

    Raises
    ------
    UsageError
        When a parameter is out of its range, or the chain of states has no unique stationary law.
    """

    name: ClassVar[str] = "lms"
    has_es_n0: ClassVar[bool] = True
    profiles: ClassVar[Mapping[str, Profile]] = PROFILES

    es_n0_db: float
    speed_kmh: float
    carrier_ghz: float
    elevation_deg: float
    azimuth_deg: float
    los_alpha_db: float
    los_psi_db: float
    los_mp_db: float
    los_frame_m: float
    los_to_moderate: float
    los_to_deep: float
    moderate_alpha_db: float
    moderate_psi_db: float
    moderate_mp_db: float
    moderate_frame_m: float
    moderate_to_los: float
    moderate_to_deep: float
    deep_alpha_db: float
    deep_psi_db: float
    deep_mp_db: float
    deep_frame_m: float
    deep_to_los: float
    deep_to_moderate: float
    transition_m: float
    correlation_m: float
    slow_psi_db: float
    slow_correlation_m: float
    llr_variance: float
    mi_h1: float
    mi_h2: float
    mi_h3: float
    interleaver_depth_ns: int
    segments: int
    segment_jitter: float
    processing_time_ns: int
    code_threshold_db: float
    code_width_db: float

    def __post_init__(self) -> None:
        for parameter in PARAMETERS:
            check_within(parameter.name, getattr(self, parameter.name), parameter.low, parameter.high)
        for state in STATES:
            leave = sum(self._moves_from(state).values())
            if leave > 1.0:
                raise UsageError(
                    f"{' and '.join(self._moves_from(state))} sum to {leave:g}, at most 1 is allowed"
                )
        if self.decode_time_ns <= 0:
            raise UsageError(
                "processing_time_ns is 0 without an interleaver; it must be positive (0 means erased)"
            )
        shortest_m = float(self.shadow.frames_m.min())
        if self.transition_m > shortest_m:
            raise UsageError(
                f"transition_m is {self.transition_m:g}; it must be at most the shortest frame, "
                f"{shortest_m:g}"
            )
        if np.isnan(self.shadow.embedded_law()).any():
            raise UsageError("los_to_moderate and the other moves allow more than one absorbing state")

    @property
    def decode_time_ns(self) -> int:
        """Depth of the interleaver plus processing time."""
        return self.interleaver_depth_ns + self.processing_time_ns

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

    def path(self, seed: int) -> Path:
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

    def _path(self, sources: list[np.random.Generator]) -> Path:
        return Path(
            self.shadow,
            speed_m_s=self.speed_kmh / 3.6,
            doppler_hz=self.doppler_hz,
            direct_doppler_hz=self.direct_doppler_hz,
            sources=[*sources[:3], sources[5]],
        )

    def _moves_from(self, state: str) -> dict[str, float]:
        names = (f"{state}_to_{other}" for other in STATES if other != state)
        return {name: getattr(self, name) for name in names}


def _sources(seed: int) -> list[np.random.Generator]:
    """Return the generators of multipath, shadowing, states, code words, segments and slow level."""
    return uniform_sources(seed, 6)


class _CodeWords:
    """The code words of slots along a path, decoded in pieces."""

    def __init__(
        self, channel: Lms, path: Path, fates: np.random.Generator, places: np.random.Generator
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
        """Return erasures, and the effective Es/N0: as much at all segments informs as well on the mean."""
        gain = np.empty(len(tx_time_ns))
        erased = self._decoded(tx_time_ns, gain)
        with np.errstate(divide="ignore"):  # a gain of 0 has no end in dB
            es_n0_db: FloatArray = self._channel.es_n0_db + 10.0 * np.log10(gain)
        return erased, es_n0_db

    def _decoded(self, tx_time_ns: Int64Array, effective_gain: FloatArray) -> BoolArray:
        """Return the erasures; fill in the effective gains where there is an entry for each slot."""
        from tmt.core.channels.lms.decoding import decode  # noqa: PLC0415  (numba takes long to import)

        erased = np.empty(len(tx_time_ns), np.bool_)
        if not len(tx_time_ns):
            return erased
        if self._start_ns is None:
            self._start_ns = int(tx_time_ns[0])
        channel, step_ns = self._channel, self._path.step_ns
        time_ns = tx_time_ns - self._start_ns
        needed_db = channel.code_threshold_db - channel.code_width_db * _normal(
            self._fates.random(len(time_ns))
        )
        needed_gain = 10.0 ** ((needed_db - channel.es_n0_db) / 10.0)
        places = self._places.random((len(time_ns) if self._jitter_ns else 0, channel.segments))
        done = 0
        while True:
            whole_until_ns = (
                self._first_point + len(self._field) - 1
            ) * step_ns - channel.interleaver_depth_ns
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
