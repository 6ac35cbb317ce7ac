"""The page of disciplines: recovery from a fall by hand, and verdicts of planted figures."""

import numpy as np
import pandas as pd
import pytest

from analysis.bufferbloat import answers
from analysis.bufferbloat.runs import recovery
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS


def test_recovery__is_that_of_the_last_late_packet() -> None:
    """The least delay is 0.03 s. The last packet that waits for more than 0.2 s comes 2.5 s after 15 s.

    From 16 to 30 s 28 Mbit fit into 2 Mbit/s; 3 packets of 1250 bytes are 30 kbit.
    """
    arrivals_s = {1.0: 0.03, 14.0: 0.9, 15.5: 0.25, 16.5: 0.43, 17.5: 0.24, 20.0: 0.22}
    packets = np.zeros(len(arrivals_s) + 2, PACKET_RECORDS.dtype)
    packets["event"] = PACKET_EVENTS.index("received")
    packets["size_bytes"] = 1250
    packets["time_ns"][:6] = [1e9 * time_s for time_s in arrivals_s]
    packets["delay_ns"][:6] = [1e9 * delay_s for delay_s in arrivals_s.values()]
    # An acknowledgement, and a packet that is sent, do not count.
    packets[6:] = packets[5]
    packets["delay_ns"][6:] = 9e9
    packets["direction"][6] = 1
    packets["event"][7] = PACKET_EVENTS.index("sent")
    found = recovery(packets)
    assert found["recovery_s"] == pytest.approx(2.5)
    assert found["longest_s"] == pytest.approx(0.4)
    assert found["used"] == pytest.approx(30e3 / 28e6)


def test_recovery__of_a_short_queue_is_0() -> None:
    packets = np.zeros(2, PACKET_RECORDS.dtype)
    packets["event"] = PACKET_EVENTS.index("received")
    packets["time_ns"], packets["delay_ns"] = [1e9, 20e9], [3e7, 9e7]
    assert recovery(packets)["recovery_s"] == 0


@pytest.mark.parametrize(("shares", "is_taken"), [((0.5, 0.52, 0.48), True), ((0.9, 0.7, 1.1), False)])
def test_bursts__look_like_congestion_where_codel_keeps_less(
    shares: tuple[float, ...], is_taken: bool
) -> None:
    """Drop-tail has 100 everywhere; without erasures CoDel keeps 90, 91 and 92 %."""
    rows = [
        {
            "rtt_s": 0.5,
            "trace": trace,
            "in_order": in_order,
            "seed": seed,
            "queue": queue,
            "goodput_bps": value,
        }
        for trace, in_order, kept in (
            ("erasures", True, shares),
            ("erasures", False, (1.0, 1.0, 1.0)),
            ("no erasures", True, (0.9, 0.91, 0.92)),
        )
        for seed, share in enumerate(kept)
        for queue, value in (("droptail", 100.0), ("codel", 100.0 * share))
    ]
    (found,) = answers.bursts(pd.DataFrame(rows))
    assert found.is_taken is is_taken
    assert found.in_order.mean == pytest.approx(np.mean(shares))
    assert found.no_erasures.mean == pytest.approx(0.91)


def test_best__has_most_goodput_with_a_short_wait() -> None:
    waits_s = {"droptail": (0.3, 1.0), "codel": (0.02, 0.85), "dualpi2": (0.001, 0.5)}
    behind = {name: answers.Waiting(name, *one) for name, one in waits_s.items()}
    assert answers.best(behind).name == "codel"
    del behind["codel"], behind["dualpi2"]
    assert answers.best(behind).name == "droptail"
