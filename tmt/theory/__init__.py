"""Analytic efficiency, delay and loss of link-layer schemes on a Gilbert-Elliott channel.

The models are an oracle for the conversions: they import no kernels, schemes or channels, and share no code
with them.
"""

from tmt.theory import printed
from tmt.theory.arq import arq, delivered_by_transmission, no_scheme
from tmt.theory.block import BlockLaw, block_law
from tmt.theory.bursts import (
    burst_length_law,
    burst_length_moments,
    gap_length_law,
    mean_burst_length,
    mean_gap_length,
)
from tmt.theory.channel import TwoStateChannel
from tmt.theory.erasures import conditional_count_laws, erasure_count_law
from tmt.theory.fec import fec
from tmt.theory.harq import harq
from tmt.theory.harq_processes import FeedbackFaults, blind_repetition, harq_processes, utilisation
from tmt.theory.link import Performance, RegularLink
from tmt.theory.neyman_a import ClusteredErrors, error_count_law
from tmt.theory.rlc import Bursts, rlc, rlc_acknowledged, rlc_recovery_slots, rlc_unacknowledged
from tmt.theory.rlc_over_harq import rlc_over_harq_processes
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
