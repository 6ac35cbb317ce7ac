"""Models that make more traces like a measured one: they are fitted, judged on a held-out half, and drawn
from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tmt.core import provenance
from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.seeds import check_seed, uniform_sources
from tmt.core.trace import make_trace
from tmt.core.units import MAX_TIME_NS, ns_to_seconds
from tmt.core.words.html_table import html_table, spelled_number
from tmt.theory.fit.resemblance import REPLICATES, Resemblance, compare, figures
from tmt.theory.fit.semi_markov import SemiMarkov, fit_semi_markov
from tmt.theory.fit.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.core.trace import Int64Array, Metadata, Trace

Kind = Literal["semi-markov", "resample"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""There are two kinds: a semi-Markov model of states, and blocks of the measured trace in random order."""

BLOCK_SHARE = 0.1
"""Length of a resampled block: this share of the measured trace."""

MOST_TRACES = 10_000

CHECKED_TRACES = 2 * REPLICATES

_CHECK_SEED = 1


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of `block` consecutive windows of the trace, each from a random window on."""

    windows: int
    block: int

    name = "resample"
    title = "Block resampling"

    @property
    def described(self) -> str:
        """Size of the law in words."""
        return f"blocks of {self.block} windows out of {self.windows} measured ones, no parameter"

    def draw(self, rng: np.random.Generator, windows: int) -> Int64Array:
        """Draw indices of measured windows: [windows], int64."""
        first = rng.integers(self.windows - self.block + 1, size=-(-windows // self.block))
        return (first[:, None] + np.arange(self.block)).ravel()[:windows]

    def to_json(self) -> dict[str, Any]:
        """Return the law without its windows."""
        return {"name": self.name, "block_windows": self.block, "parameters": 0}


@dataclass(frozen=True, slots=True)
class TraceModel:
    """A model of one trace.

    Attributes
    ----------
    windows : the measured trace, cut into windows
    law : in which order windows follow each other
    source : name and hash of the measured trace's file, if it has one
    """

    windows: Windows
    law: SemiMarkov | Blocks
    source: Metadata | None = None

    @property
    def described(self) -> str:
        """The model in a sentence."""
        window_s = ns_to_seconds(self.windows.window_ns)
        return f"{self.law.title} of windows of {window_s:g} s: {self.law.described}."

    @property
    def notes(self) -> list[str]:
        """What was left out."""
        if not self.windows.open_ns:
            return []
        left_s = ns_to_seconds(self.windows.open_ns)
        return [f"the last {left_s:.3g} s are left out: the fate of LLDUs is open in them"]

    def generate(self, number: int, duration: float | None = None, seed: int = 1) -> list[Trace]:
        """Return traces like the measured one; equal seeds give equal traces, whatever their number.

        Parameters
        ----------
        number
            Number of traces.
        duration
            Length of each in seconds; default: that of the measured windows.
        seed
            0 or more.

        Raises
        ------
        UsageError
            When a value is not allowed.
        """
        length_ns = None if duration is None else round(duration * 1e9)
        return list(self.drawn(number, length_ns, seed))

    def drawn(self, number: int, length_ns: int | None = None, seed: int = 1) -> Iterator[Trace]:
        """Yield the traces of `generate` one after the other."""
        check_seed(seed)
        if not 1 <= number <= MOST_TRACES:
            raise UsageError(f"number is {number}; it must be from 1 to {MOST_TRACES}")
        length_ns = self.windows.length_ns if length_ns is None else length_ns
        if not 0 < length_ns <= MAX_TIME_NS:
            raise UsageError(f"duration is {length_ns} ns; it must be within (0, {MAX_TIME_NS}]")
        return self._drawn(number, length_ns, seed)

    def _drawn(self, number: int, length_ns: int, seed: int) -> Iterator[Trace]:
        for place, rng in enumerate(uniform_sources(seed, number), 1):
            order = self.law.draw(rng, -(-length_ns // self.windows.window_ns))
            trace = self.windows.joined(order, length_ns)
            if not len(trace):
                raise UsageError(
                    f"trace {place} of {ns_to_seconds(length_ns):g} s would be an outage without rows; "
                    "a longer duration is needed"
                )
            columns = {column.name: getattr(trace, column.name) for column in trace.columns}
            yield make_trace(trace.table, columns, self._metadata(length_ns, seed, place))

    def _metadata(self, length_ns: int, seed: int, place: int) -> Metadata:
        measured = self.windows.trace
        law = self.law.to_json()
        kept = ("name", "states", "parameters", "block_windows")
        how = provenance.inherited(measured.metadata) | Extent(0, length_ns).metadata
        return provenance.record(
            measured.table.kind,
            **how,
            **{key: measured.metadata[key] for key in ("scheme", "every") if key in measured.metadata},
            **({} if self.source is None else {"source": self.source}),
            generator={key: law[key] for key in kept if key in law} | {"window_ns": self.windows.window_ns},
            seed=seed,
            trace_number=place,
        )

    def halves(self) -> tuple[Windows, Windows]:
        """Return the windows of the first and of the second half of the trace, equally many."""
        half = len(self.windows) // 2
        return self.windows.part(0, half), self.windows.part(len(self.windows) - half, len(self.windows))

    def of_half(self, half: Windows) -> TraceModel:
        """Return the model of the same kind and number of states that is fitted to one of the `halves`."""
        if isinstance(self.law, Blocks):
            return TraceModel(half, Blocks(len(half), min(self.law.block, len(half))), self.source)
        return TraceModel(half, fit_semi_markov(half.features(), len(self.law.follows)), self.source)

    def check(self, progress: Callable[[int], None] = lambda _: None) -> Resemblance:
        """Fit each half, and compare `REPLICATES` traces of its model with the other half.

        The models have the same number of states as this one. `progress` is called with 1 for each of
        `CHECKED_TRACES`.
        """

        def counted(trace: Trace) -> dict[str, float]:
            found = figures(trace, half_ns, window_ns)
            progress(1)
            return found

        halves = self.halves()
        half_ns, window_ns = halves[0].length_ns, halves[0].window_ns
        first, second = (figures(half.cut(), half_ns, window_ns) for half in halves)
        of_first, of_second = (
            [counted(trace) for trace in self.of_half(half).drawn(REPLICATES, half_ns, _CHECK_SEED)]
            for half in halves
        )
        return compare(first, second, of_first, of_second)

    def states(self) -> list[dict[str, float]]:
        """Return a description of each state: its share of the windows, its dwell, and means over its
        windows.
        """
        if isinstance(self.law, Blocks):
            return []
        rates, losses = self.windows.rates_bps(), self.windows.loss_shares()
        delay_ns, rows = self.windows.median_delays_ns(), []
        for state in range(len(self.law.follows)):
            ours = self.law.states == state
            delays = delay_ns[ours & np.isfinite(delay_ns)]
            dwell = self.law.dwells[state] if self.law.dwells else None
            rows.append(
                {
                    "share": float(ours.mean()),
                    "dwell_s": ns_to_seconds(self.windows.window_ns) * (dwell.mean if dwell else np.nan),
                    "rate_per_s": float(rates[ours].mean()),
                    "lost": float(losses[ours].mean()),
                    "delay_s": float(np.median(delays)) / 1e9 if len(delays) else np.nan,
                }
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return the model as a JSON object."""
        return {
            "window_s": ns_to_seconds(self.windows.window_ns),
            "windows": len(self.windows),
            "model": self.law.to_json(),
            "states": self.states(),
            "text": self.described,
        }

    def _repr_html_(self) -> str:
        states = self.states()
        rows = [(str(i), *map(spelled_number, state.values())) for i, state in enumerate(states, 1)]
        return html_table(self.described, rows, ("state", *(states[0] if states else ())))


def fit_model(
    trace: Trace, kind: Kind = "semi-markov", window_ns: int | None = None, source: Metadata | None = None
) -> TraceModel:
    """Fit a model of rate, loss and delay to a trace (UsageError where it is too short for the windows).

    `window_ns` is the length of windows, by default the usual one.
    """
    windows = Windows.of(trace, window_ns)
    if kind == "resample":
        return TraceModel(windows, Blocks(len(windows), max(1, round(BLOCK_SHARE * len(windows)))), source)
    return TraceModel(windows, fit_semi_markov(windows.features()), source)
