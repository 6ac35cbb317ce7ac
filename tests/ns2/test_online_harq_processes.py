"""HARQ processes in Queue/Clift/Online: stalls, faults of feedback, counters and refusals."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ns2.conftest import Datagrams
from tmt.core.trace import PhyTrace
from tmt.theory.arq import FeedbackFaults, harq_processes, utilisation
from tmt.theory.channel import RegularLink, TwoStateChannel

pytestmark = pytest.mark.ns2

MS = 1_000_000
SLOTS = 20_000
LINK = RegularLink(20 * MS, MS, MS, MS)
"""The feedback of a slot arrives with slot 21 after it."""


def _regular_slots(loss: float) -> PhyTrace:
    decode_ns = np.where(np.random.default_rng(3).random(SLOTS) < loss, 0, MS).astype(np.int64)
    return PhyTrace(np.arange(1, SLOTS + 1, dtype=np.int64) * MS, decode_ns)


def _send_without_a_break(send_datagrams: Datagrams, loss: float, **words: Any) -> dict[str, int]:
    run = send_datagrams(
        _regular_slots(loss),
        [(1 + i, 1500) for i in range(SLOTS + 500)],
        scheme="harq-processes",
        detection_delay_=0.001,
        limit_=SLOTS + 500,
        **words,
    )
    assert run.status == 0, run.stderr
    counters = run.counters
    fates = ("overflowed", "queued", "under_way", "delivered", "lost")
    assert counters["packets_arrived"] == SLOTS + 500 == sum(counters[f"packets_{fate}"] for fate in fates)
    assert counters["rows_offered"] == SLOTS == counters["rows_used"] + counters["rows_stalled"]
    assert counters["rows_used"] == counters["units_data"] + counters["units_repeated"]
    return counters


@pytest.mark.parametrize("processes", [1, 8, 32])
def test_stalls__leave_the_utilisation_of_the_law(processes: int, send_datagrams: Datagrams) -> None:
    counters = _send_without_a_break(send_datagrams, 0.0, processes_=processes)
    assert utilisation(LINK, processes) == min(1.0, processes / 21)
    assert counters["rows_used"] == pytest.approx(SLOTS * min(1.0, processes / 21), abs=21)


@pytest.mark.parametrize(
    ("processes", "synchronous", "missed", "false"), [(32, 0, 0.1, 0.05), (5, 1, 0.0, 0.2), (8, 0, 0.3, 0.0)]
)
def test_faults__have_the_effect_of_the_law(
    processes: int, synchronous: int, missed: float, false: float, send_datagrams: Datagrams
) -> None:
    """Four standard errors of the number of delivered packets, and of lost ones."""
    loss, most = 0.2, 3
    counters = _send_without_a_break(
        send_datagrams,
        loss,
        processes_=processes,
        synchronous_=synchronous,
        max_transmissions_=most,
        missed_feedback_=missed,
        false_feedback_=false,
    )
    channel = TwoStateChannel(0.5, 0.5, loss, loss)
    law = harq_processes(
        channel, LINK, processes, most, FeedbackFaults(missed, false), synchronous=bool(synchronous)
    )
    delivered, lost = counters["packets_delivered"], counters["packets_lost"]
    error = math.sqrt(SLOTS * law.efficiency * (1 - law.efficiency))
    assert abs(delivered - SLOTS * law.efficiency) < 4 * error
    ended = delivered + lost
    error = math.sqrt(ended * law.residual_loss * (1 - law.residual_loss))
    assert abs(lost - ended * law.residual_loss) < 4 * error
    # Without the faults the results are far outside these bounds.
    right = harq_processes(channel, LINK, processes, most, synchronous=bool(synchronous))
    assert abs(right.efficiency - law.efficiency) > 0.02


def test_combining__needs_a_trace_with_es_n0(send_datagrams: Datagrams, tmp_path: Path) -> None:
    words = {"scheme": "harq-processes", "combining_": 2}
    run = send_datagrams(_regular_slots(0.1), [(MS, 1000)], **words)
    line = f"{tmp_path}/trace.npy: there is no column es_n0_mdb, which combining_ 2 needs\n"
    assert (run.status, run.stderr) == (2, line)


def test_combining__needs_a_threshold(send_datagrams: Datagrams) -> None:
    slots = replace(_regular_slots(0.1), es_n0_mdb=np.zeros(SLOTS, np.int32))
    for value, given in [(-1000, {}), (-101, {"combining_threshold_db_": -101})]:
        words = {"scheme": "harq-processes", "combining_": 1, **given}
        run = send_datagrams(slots, [(MS, 1000)], **words)
        allowed = "-100 to 100, in dB, which combining_ needs (-1000: not set)"
        line = f"Queue/Clift/Online: combining_threshold_db_ is {value}; allowed is {allowed}\n"
        assert (run.status, run.stderr) == (2, line)
