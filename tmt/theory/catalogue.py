"""The models by their names on the command line, and sweeps over channels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from tmt.core.errors import UsageError
from tmt.theory import printed
from tmt.theory.arq import arq, no_scheme
from tmt.theory.bursts import mean_burst_length
from tmt.theory.fec import fec
from tmt.theory.harq import harq
from tmt.theory.harq_processes import FeedbackFaults, blind_repetition, harq_processes
from tmt.theory.rlc import rlc
from tmt.theory.rlc_over_harq import rlc_over_harq_processes
from tmt.theory.sliding_window import sliding_window
from tmt.theory.tetrys import tetrys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tmt.theory.channel import TwoStateChannel
    from tmt.theory.link import Performance, RegularLink

Formula = Literal["exact", "printed"]
Parameters = dict[str, int | float | str | None]
Row = dict[str, float]


@dataclass(frozen=True, slots=True)
class SchemeModel:
    """A scheme's formulas, and the printed ones if the paper has them."""

    exact: Callable[..., Performance]
    printed: Callable[..., Performance] | None


def _harq_processes(
    channel: TwoStateChannel,
    link: RegularLink,
    *,
    processes: int = 16,
    max_transmissions: int = 4,
    retransmission: str = "asynchronous",
    repetitions: int | None = None,
    missed_feedback: float = 0.0,
    false_feedback: float = 0.0,
) -> Performance:
    if repetitions is not None:
        return blind_repetition(channel, link, repetitions)
    faults = FeedbackFaults(missed_feedback, false_feedback)
    synchronous = retransmission == "synchronous"
    return harq_processes(channel, link, processes, max_transmissions, faults, synchronous=synchronous)


MODELS = {
    "none": SchemeModel(no_scheme, None),
    "fec": SchemeModel(fec, printed.fec),
    "arq": SchemeModel(arq, printed.arq),
    "harq": SchemeModel(harq, printed.harq),
    "harq-processes": SchemeModel(_harq_processes, None),
    "sliding-window": SchemeModel(sliding_window, None),
    "tetrys": SchemeModel(tetrys, None),
    "rlc": SchemeModel(rlc, None),
    "rlc-over-harq-processes": SchemeModel(rlc_over_harq_processes, None),
}
"""The model of each scheme."""


def evaluate(
    scheme: str,
    channel: TwoStateChannel,
    link: RegularLink,
    parameters: Parameters,
    formula: Formula = "exact",
) -> Performance:
    """Return the performance of the scheme named `scheme`, by the exact or the printed formulas.

    Parameters
    ----------
    scheme
        A name in `MODELS`.
    parameters
        Arguments of the scheme's model by name, such as ``{"data": 10, "repair": 2}``; times in nanoseconds.
    formula
        ``exact``, or ``printed`` for the formulas as Kuhn 2014 prints them.

    Raises
    ------
    UsageError
        When the paper prints no formula for the scheme or the parameters, or a parameter is impossible.
    """
    model = MODELS[scheme]
    compute = model.exact if formula == "exact" else model.printed
    if compute is None:
        raise UsageError(f"scheme is {scheme}: the paper prints formulas for fec, arq and harq only")
    return compute(channel, link, **parameters)


def sweep(
    scheme: str,
    channels: Iterable[TwoStateChannel],
    link: RegularLink,
    parameters: Parameters,
    formula: Formula = "exact",
) -> list[Row]:
    """Return one row per channel: its parameters, its derived figures, and the scheme's performance.

    Parameters
    ----------
    scheme, parameters, formula
        As for `evaluate`.
    channels
        The channels, in the order of the rows.

    Returns
    -------
    Rows with the attributes of `TwoStateChannel`, ``erasure_probability``, ``memory`` (rho),
    ``memory_after_feedback`` (rho^k), ``mean_burst_slots``, and the attributes of `Performance`.

    Raises
    ------
    UsageError
        As for `evaluate`.
    """
    return [
        {
            **asdict(channel),
            "erasure_probability": channel.erasure_probability,
            "memory": channel.memory,
            "memory_after_feedback": channel.memory**link.feedback_slots,
            "mean_burst_slots": mean_burst_length(channel),
            **asdict(evaluate(scheme, channel, link, parameters, formula)),
        }
        for channel in channels
    ]
