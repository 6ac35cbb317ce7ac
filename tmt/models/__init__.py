"""Analytic efficiency, delay and loss of link-layer schemes on a Gilbert-Elliott channel.

The models are an oracle for the conversions: they import no kernels, schemes or channels, and share no code
with them.
"""

from tmt.models import printed
from tmt.models.arq import arq, delivered_by_transmission, no_scheme
from tmt.models.block import BlockLaw, block_law
from tmt.models.bursts import (
    burst_length_law,
    burst_length_moments,
    gap_length_law,
    mean_burst_length,
    mean_gap_length,
)
from tmt.models.channel import TwoStateChannel
from tmt.models.erasures import conditional_count_laws, erasure_count_law
from tmt.models.fec import fec
from tmt.models.harq import harq
from tmt.models.harq_processes import FeedbackFaults, blind_repetition, harq_processes, utilisation
from tmt.models.link import Performance, RegularLink
from tmt.models.neyman_a import ClusteredErrors, error_count_law
from tmt.models.rlc import Bursts, rlc, rlc_acknowledged, rlc_recovery_slots, rlc_unacknowledged
from tmt.models.rlc_over_harq import rlc_over_harq_processes
from tmt.models.sliding_window import sliding_window
from tmt.models.tetrys import tetrys

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
