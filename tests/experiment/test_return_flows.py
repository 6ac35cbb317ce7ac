"""Flows in the return direction: their effect on the forward flows, and the figures that leave them out."""

from typing import Any

import numpy as np
import pytest
from experiments import asked

from tmt import PlainLink
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run.experiment import ExperimentResult

FLOWS = 2


def result(stack: str, **settings: Any) -> ExperimentResult:
    """Two forward flows and one return flow over 2 Mbit/s each way."""
    path = {"forward": PlainLink(2e6), "rtt_ns": 100 * NS_PER_MS, "duration_ns": 20 * NS_PER_S}
    flows = {"tcp": "cubic", "stack": stack, "flows": FLOWS, "return_flows": 1}
    return asked(**(path | flows | settings)).run()


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("stack", ["modern", "2009"])
def test_return_flow__fills_its_link_and_is_counted_apart(stack: str) -> None:
    check(result(stack))


def check(run: ExperimentResult) -> None:
    row = run.row
    assert isinstance(row["return_goodput_bps"], float)
    assert isinstance(row["goodput_bps"], float)
    # A link of 2 Mbit/s carries data of one direction and the acknowledgements of the other.
    for goodput_bps in (row["goodput_bps"], row["return_goodput_bps"]):
        assert 0.5e6 < goodput_bps < 2e6 * 1448 / 1500
    packets = run.packets
    own = packets[packets["flow"] < FLOWS]
    data = own[(own["direction"] == 0) & (own["event"] == SENT)]
    assert row["segments_sent"] == len(data)
    other = packets[(packets["flow"] == FLOWS) & (packets["event"] == RECEIVED)]
    sizes = {way: int(other["size_bytes"][other["direction"] == way].max()) for way in (0, 1)}
    assert sizes[0] < 100, "acknowledgements go forward"
    assert sizes[1] == 1500, "data go back"
    in_order = np.unique(other["sequence"][(other["direction"] == 1) & (other["size_bytes"] == 1500)])
    assert in_order[0] == 1
    assert row["return_goodput_bps"] == pytest.approx(len(in_order) * 1448 * 8 / 20, rel=0.02)
