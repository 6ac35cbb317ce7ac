"""Analytic efficiency, delay and loss of link-layer schemes on a Gilbert-Elliott channel.

The models are an oracle for the conversions: they import no kernels, schemes or channels, and share no code
with them.
"""

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
    TwoStateChannel,
    burst_length_law,
    burst_length_moments,
    conditional_count_laws,
    erasure_count_law,
    gap_length_law,
    mean_burst_length,
    mean_gap_length,
)
from tmt.theory.link import Performance, RegularLink
from tmt.theory.neyman_a import ClusteredErrors, error_count_law
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
    "error_count_law",
    "fec",
    "gap_length_law",
    "harq",
    "harq_processes",
    "mean_burst_length",
    "mean_gap_length",
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
