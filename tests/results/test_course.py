"""Records of a run as a picture holds them."""

from __future__ import annotations

import numpy as np
import pytest

from tmt.results.course import BINS, LEVELS, delay_quantiles_s, panels
from tmt.results.dataset import RunRecords
from tmt.schema import PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

KBIT, MS = ("kbit/s", 1e-3), ("ms", 1e3)


def _records(packets: int = 1000, changes: int = 50_000) -> RunRecords:
    """One packet of 1500 bytes every 10 ms, later by 1 us each; every 100th is lost, its copy sent again."""
    table = np.zeros(packets, PACKET_RECORDS.dtype)
    table["time_ns"] = np.arange(packets) * 10_000_000
    table["event"] = PACKET_EVENTS.index("received")
    table["event"][::100] = PACKET_EVENTS.index("link_lost")
    table["event"][50::100] = PACKET_EVENTS.index("sent")
    table["transmission"] = 1
    table["transmission"][50::100] = 2
    table["size_bytes"] = 1500
    table["delay_ns"] = 250_000_000 + np.arange(packets) * 1000
    windows = np.zeros(changes, WINDOW_RECORDS.dtype)
    windows["time_ns"] = np.linspace(0, packets * 10_000_000 - 1, changes).astype(np.int64)
    windows["cwnd_packets"] = 10 + np.arange(changes) % 7
    windows["cwnd_packets"][12_345], windows["cwnd_packets"][31_234] = 99, 1
    return RunRecords(0, table, windows)


def test_delay_quantiles__are_those_of_arrivals_only() -> None:
    quantiles = delay_quantiles_s(_records())
    assert len(quantiles) == len(LEVELS)
    assert quantiles[0] == pytest.approx(0.250001)
    assert quantiles[-1] == pytest.approx(0.250999)


def test_delay_quantiles__of_a_run_that_delivered_nothing_are_none() -> None:
    records = _records()
    records.packets["event"] = PACKET_EVENTS.index("sent")
    assert len(delay_quantiles_s(records)) == 0


def test_panels__keep_the_windows_extremes_in_few_points() -> None:
    window, *_ = panels(_records(), 10.0, KBIT, MS)
    values = [value for _, value in window.layers[0].data]
    assert len(values) < 2500
    assert (min(values), max(values)) == (1, 99)
    assert window.layers[0].data[-1][0] == 10.0


def test_panels__count_every_byte_that_arrives() -> None:
    _, arrivals, *_ = panels(_records(), 10.0, KBIT, MS)
    rates = [rate for _, rate in arrivals.layers[0].data]
    # 980 arrivals of 1500 bytes: 1176 kbit/s over 10 s.
    assert sum(rates) / BINS == pytest.approx(980 * 1500 * 8 / 10 / 1000)


def test_panels__tell_losses_and_retransmissions_apart() -> None:
    *_, losses = panels(_records(), 10.0, KBIT, MS)
    assert [layer.label for layer in losses.layers] == [
        "lost on the link (10)",
        "dropped by the queue (0)",
        "sent again by TCP (10)",
    ]
    assert losses.layers[0].data[1] == pytest.approx(1.0, abs=0.01)


def test_panels__show_a_run_without_any_record() -> None:
    nothing = RunRecords(0, np.zeros(0, PACKET_RECORDS.dtype), np.zeros(0, WINDOW_RECORDS.dtype))
    assert [panel.layers[0].data for panel in panels(nothing, 10.0, KBIT, MS)][0::2] == [[], []]
