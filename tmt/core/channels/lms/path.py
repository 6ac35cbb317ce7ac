"""Complex gain of a receiver that moves through shadows, on a grid of times, block by block.

All random numbers come from four sources that advance by whole blocks. The gain therefore does not depend on
the pieces in which slots are requested, on the code or on Es/N0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]

POINTS_PER_DOPPLER_PERIOD = 32
"""Resolution of the grid: linear interpolation keeps 99.5 % of the amplitude of the fastest component."""

SPECTRUM_POINTS = 1 << 14
FADE_POINTS = 1 << 10
BLOCK_POINTS = SPECTRUM_POINTS - FADE_POINTS
"""Points of a block; the last `FADE_POINTS` of each random spectrum overlap the next block."""


@dataclass(frozen=True, slots=True)
class Shadow:
    """Shadowing along the route, by distance; each array has one row per state.

    Attributes
    ----------
    loo_db : [n_states, 3], mean and deviation of the direct path, and power of the multipath
    frames_m : [n_states], distance from one move of the chain to the next
    moves : [n_states, n_states], probability of each move, staying included
    transition_m, correlation_m
        Length of the transition to a new state's triplet, and correlation length of the shadowing.
    slow_psi_db, slow_correlation_m
        Standard deviation and correlation length of the slow level, which scales the whole gain.
    """

    loo_db: FloatArray
    frames_m: FloatArray
    moves: FloatArray
    transition_m: float
    correlation_m: float
    slow_psi_db: float = 0.0
    slow_correlation_m: float = 100.0

    def embedded_law(self) -> FloatArray:
        """Return the stationary law of the chain, counted in frames (NaN if it is not unique)."""
        states = len(self.moves)
        balance = np.vstack([self.moves.T - np.eye(states), np.ones(states)])
        if np.linalg.matrix_rank(balance[:-1], tol=1e-12) < states - 1:
            return np.full(states, np.nan)
        law = np.linalg.lstsq(balance, np.append(np.zeros(states), 1.0), rcond=None)[0]
        law = np.where(law > 1e-12, law, 0.0)
        stationary: FloatArray = law / law.sum()
        return stationary

    def occupancy(self) -> FloatArray:
        """Return the share of the route in each state: [n_states]."""
        way_m = self.embedded_law() * self.frames_m
        share: FloatArray = way_m / way_m.sum()
        return share


def clarke_spectrum(points: int, cycles: float) -> FloatArray:
    """Return the power in each bin of a discrete spectrum under Clarke's law: [points], summing to 1.

    Clarke (Bell System Technical Journal 47, 1968): arrivals from all sides of the horizontal plane give the
    density ``1 / (pi f_d sqrt(1 - (f / f_d)**2))``, whose integral is an arcsine. f_d is `cycles`, in bins.
    """
    edges = np.clip((np.arange(-points // 2, points // 2 + 1) - 0.5) / cycles, -1.0, 1.0)
    power = np.diff(np.arcsin(edges)) / np.pi
    return np.fft.ifftshift(power)


class Multipath:
    """Complex Gaussian noise of unit power with Clarke's spectrum, in blocks.

    Each block is the Fourier transform of Gaussian amplitudes times the square root of the spectrum (Young
    and Beaulieu, IEEE Trans. Commun. 48(7), 2000). Blocks are cross-faded with weights whose squares sum to
    one. The process is therefore Gaussian with unit power everywhere. Its autocorrelation is Clarke's, except
    for a factor of cos(pi lag / 2 `FADE_POINTS`) at the border of two blocks.
    """

    def __init__(self, source: np.random.Generator) -> None:
        self._source = source
        power = clarke_spectrum(SPECTRUM_POINTS, SPECTRUM_POINTS / POINTS_PER_DOPPLER_PERIOD)
        self._bins = np.flatnonzero(power)
        self._amplitude = np.sqrt(power[self._bins] / 2.0) * SPECTRUM_POINTS
        angle = (np.arange(FADE_POINTS) + 0.5) * (np.pi / 2.0 / FADE_POINTS)
        self._fade_in, self._fade_out = np.sin(angle), np.cos(angle)
        self._ahead = self._transform()[:FADE_POINTS]

    def next_block(self) -> ComplexArray:
        """Return the next block: [`BLOCK_POINTS`]."""
        field = self._transform()
        block = field[:BLOCK_POINTS]
        block[:FADE_POINTS] = self._fade_in * block[:FADE_POINTS] + self._fade_out * self._ahead
        self._ahead = field[BLOCK_POINTS:]
        return block

    def _transform(self) -> ComplexArray:
        draws = self._source.standard_normal(2 * len(self._bins))
        spectrum = np.zeros(SPECTRUM_POINTS, np.complex128)
        spectrum[self._bins] = self._amplitude * (draws[::2] + 1j * draws[1::2])
        return np.fft.ifft(spectrum)


class Visits:
    """The states along the route; the start has the stationary law."""

    def __init__(self, shadow: Shadow, source: np.random.Generator) -> None:
        self._entries = self._walk(shadow, source)
        self._known = [next(self._entries), next(self._entries)]

    def between(self, first_m: float, last_m: float) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        """Return the starts and the states of visits, [n_visits] each, for successive stretches.

        The first visit is the last one that ended before `first_m`; the last visit reaches beyond `last_m`.
        """
        while self._known[-1][0] <= last_m:
            self._known.append(next(self._entries))
        while self._known[2:] and self._known[2][0] <= first_m:
            del self._known[0]
        starts, states = zip(*self._known, strict=True)
        return np.array(starts, np.float64), np.array(states, np.int64)

    @staticmethod
    def _walk(shadow: Shadow, source: np.random.Generator) -> Iterator[tuple[float, int]]:
        """Yield the start and the state of each visit; the first one starts before distance 0.

        Three uniform numbers decide the state at distance 0, the position within its frame, and the state
        before that frame. Each visit then uses two, for its length and for the next state.
        """
        law, frames_m = shadow.embedded_law(), shadow.frames_m
        state = _draw(np.cumsum(shadow.occupancy()), source)
        start_m = -source.random() * float(frames_m[state])
        before = _draw(np.cumsum(law * shadow.moves[:, state] / law[state]), source)
        yield -math.inf, before
        yield (-math.inf if before == state else start_m), state
        leave = 1.0 - np.diagonal(shadow.moves)
        away = np.cumsum(np.where(np.eye(len(law)), 0.0, shadow.moves), axis=1)
        while True:
            start_m += _frames(float(leave[state]), source.random()) * float(frames_m[state])
            state = _draw(away[state] / max(away[state, -1], 1e-300), source)
            yield start_m, state


def _frames(leave: float, uniform: float) -> float:
    """Return the number of frames of a visit that ends after each frame with probability `leave`."""
    if leave <= 0.0:
        return math.inf
    return 1.0 if leave >= 1.0 else 1.0 + math.floor(math.log1p(-uniform) / math.log1p(-leave))


def _draw(cumulative: FloatArray, source: np.random.Generator) -> int:
    """Draw an index from a cumulative law."""
    return min(int(np.searchsorted(cumulative, source.random(), side="right")), len(cumulative) - 1)


class SlowLevel:
    """Slow level along the route: a first-order autoregression, normal in dB with deviation `psi_db`.

    `memory` is the correlation of the level over one step.
    """

    def __init__(self, psi_db: float, memory: float, source: np.random.Generator) -> None:
        self._psi_db, self._memory, self._source = psi_db, memory, source
        self._level = float(source.standard_normal())

    def apply(self, field: ComplexArray) -> None:
        """Scale the next points of the gain: [n_points]."""
        if self._psi_db == 0.0:
            return
        from tmt.core.channels.lms.kernel import autoregression  # noqa: PLC0415  (numba takes long to import)

        levels = self._source.standard_normal(len(field))
        self._level = autoregression(levels, self._level, self._memory)
        field *= 10.0 ** (self._psi_db * levels / 20.0)


class ReceiverPath:
    """The complex gain along the route, relative to the unobstructed direct path, on a grid of times."""

    def __init__(
        self,
        shadow: Shadow,
        *,
        speed_m_s: float,
        doppler_hz: float,
        direct_doppler_hz: float,
        sources: list[np.random.Generator],
    ) -> None:
        self.step_ns = max(1, round(1e9 / (POINTS_PER_DOPPLER_PERIOD * doppler_hz)))
        multipath, shadowing, states, slow = sources
        self._shadow = shadow
        self._multipath = Multipath(multipath)
        self._shadowing = shadowing
        self._visits = Visits(shadow, states)
        self._level = float(shadowing.standard_normal())
        self._step_m = speed_m_s * self.step_ns / 1e9
        self._slow = SlowLevel(shadow.slow_psi_db, math.exp(-self._step_m / shadow.slow_correlation_m), slow)
        self._cycles_per_step = direct_doppler_hz * self.step_ns / 1e9
        self._next_point = 0

    def next_block(self) -> ComplexArray:
        """Return the gain at the next points: [`BLOCK_POINTS`]."""
        from tmt.core.channels.lms.kernel import loo_gain  # noqa: PLC0415  (numba takes long to import)

        field = self._multipath.next_block()
        first = self._next_point
        self._next_point += BLOCK_POINTS
        starts_m, states = self._visits.between(first * self._step_m, self._next_point * self._step_m)
        cycles = math.fmod(first * self._cycles_per_step, 1.0)
        self._level = loo_gain(
            field,
            self._shadowing.standard_normal(BLOCK_POINTS),
            self._level,
            math.exp(-self._step_m / self._shadow.correlation_m),
            first,
            self._step_m,
            starts_m,
            states,
            self._shadow.loo_db,
            self._shadow.transition_m,
            complex(np.exp(2j * np.pi * cycles)),
            complex(np.exp(2j * np.pi * self._cycles_per_step)),
        )
        self._slow.apply(field)
        return field
