"""Analytic efficiency, delay and loss of link-layer schemes on a Gilbert-Elliott channel, and sweeps by name.

The models check the conversions, so they share no code with them: they import no kernels, schemes or
channels.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from tmt.core.errors import UsageError
from tmt.theory import printed
from tmt.theory.arq import (
    FeedbackFaults,
    arq,
    blind_repetition,
    delivered_by_transmission,
    harq_processes,
    no_scheme,
    utilisation,
)
from tmt.theory.block_codes import BlockLaw, block_law, fec, harq
from tmt.theory.channel import (
    Performance,
    RegularLink,
    TwoStateChannel,
    burst_length_law,
    burst_length_moments,
    conditional_count_laws,
    erasure_count_law,
    gap_length_law,
    mean_burst_length,
)
from tmt.theory.neyman_a import ClusteredErrors
from tmt.theory.rlc import (
    Bursts,
    rlc,
    rlc_acknowledged,
    rlc_over_harq_processes,
    rlc_recovery_slots,
    rlc_unacknowledged,
)
from tmt.theory.sliding_window import sliding_window
from tmt.theory.tetrys import tetrys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "BlockLaw",
    "Bursts",
    "ClusteredErrors",
    "FeedbackFaults",
    "Performance",
    "RegularLink",
    "TwoStateChannel",
    "arq",
    "blind_repetition",
    "block_law",
    "burst_length_law",
    "burst_length_moments",
    "conditional_count_laws",
    "delivered_by_transmission",
    "erasure_count_law",
    "fec",
    "gap_length_law",
    "harq",
    "harq_processes",
    "mean_burst_length",
    "no_scheme",
    "printed",
    "rlc",
    "rlc_acknowledged",
    "rlc_over_harq_processes",
    "rlc_recovery_slots",
    "rlc_unacknowledged",
    "sliding_window",
    "tetrys",
    "utilisation",
]


Formula = Literal["exact", "printed"]
Parameters = dict[str, int | float | str | None]
Row = dict[str, float]


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


MODELS: dict[str, Callable[..., Performance]] = {
    "none": no_scheme,
    "fec": fec,
    "arq": arq,
    "harq": harq,
    "harq-processes": _harq_processes,
    "sliding-window": sliding_window,
    "tetrys": tetrys,
    "rlc": rlc,
    "rlc-over-harq-processes": rlc_over_harq_processes,
}
"""The exact model of each scheme."""

PRINTED: dict[str, Callable[..., Performance]] = {
    "fec": printed.fec,
    "arq": printed.arq,
    "harq": printed.harq,
}


def evaluate(
    scheme: str,
    channel: TwoStateChannel,
    link: RegularLink,
    parameters: Parameters,
    formula: Formula = "exact",
) -> Performance:
    """Return the performance of a scheme of `MODELS`, exactly, or by the formulas that Kuhn 2014 prints.

    `parameters` are arguments of the scheme's model by name, such as ``{"data": 10, "repair": 2}``; times in
    nanoseconds. UsageError where the paper prints no formula.
    """
    models = MODELS if formula == "exact" else PRINTED
    if scheme not in models:
        raise UsageError(f"scheme is {scheme}: the paper prints formulas for {', '.join(PRINTED)} only")
    return models[scheme](channel, link, **parameters)


def sweep(
    scheme: str,
    channels: Iterable[TwoStateChannel],
    link: RegularLink,
    parameters: Parameters,
    formula: Formula = "exact",
) -> list[Row]:
    """Return one row per channel: its parameters, its derived figures, and the scheme's performance.

    The derived figures are ``erasure_probability``, ``memory`` (rho), ``memory_after_feedback`` (rho^k) and
    ``mean_burst_slots``. Other arguments, and errors, are those of `evaluate`.
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
