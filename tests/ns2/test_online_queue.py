"""Queue/Clift/Online in ns-2: beside the offline conversions, and beside the laws of its channel."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import cases

from tests.ns2.conftest import Datagrams
from tests.ns2.online import DELAY_S, MS, RTT_S, bursty_trace, check_equals_offline
from tests.ns2.scripts import run_script
from tmt import Arq, Fec, Harq, HarqProcesses, NoScheme, SlidingWindow, Tetrys
from tmt.core.convert import convert
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace
from tmt.theory.hybrid import HybridLink

pytestmark = pytest.mark.ns2

SCHEMES: dict[str, Scheme] = {
    "none": NoScheme(),
    "arq": Arq(),
    "arq, 3 transmissions": Arq(3, 0.003),
    "fec": Fec(5, 2),
    "fec, interleaved": Fec(4, 3, depth=6),
    "harq": Harq(5, 2, extra=1, rounds=2),
    "harq, no extra": Harq(10, 0, extra=0, rounds=3, detection_delay=0.001),
    "processes": HarqProcesses(8),
    "many processes": HarqProcesses(32, max_transmissions=None, detection_delay=0.005),
    "processes, 2 transmissions": HarqProcesses(7, max_transmissions=2, detection_delay=0.009),
    "synchronous processes": HarqProcesses(11, retransmission="synchronous", detection_delay=0.001),
    "synchronous processes, slot time": HarqProcesses(retransmission="synchronous", slot_time=0.003),
    "2 repetitions": HarqProcesses(repetitions=2, detection_delay=0.002),
    "chase combining": HarqProcesses(
        32, detection_delay=0.001, combining="chase", combining_threshold_db=2.5
    ),
    "incremental redundancy, synchronous": HarqProcesses(
        11,
        max_transmissions=None,
        retransmission="synchronous",
        detection_delay=0.003,
        combining="incremental",
        combining_threshold_db=1.25,
    ),
    "2 repetitions, combined": HarqProcesses(
        repetitions=2, detection_delay=0.002, combining="incremental", combining_threshold_db=3
    ),
    **{
        f"sliding window, W {window}, k {interval}": SlidingWindow(window, interval)
        for window, interval in [(2, 1), (3, 7), (10, 2), (40, 5)]
    },
    **{
        f"tetrys, W {window}, k {interval}, detection {delay_ms} ms": Tetrys(
            window, interval, detection_delay=delay_ms / 1000
        )
        for window, interval, delay_ms in [(20, 1, 0), (30, 3, 5), (40, 8, 0), (40, 1000, 12), (200, 4, 0)]
    },
}


IN_ORDER = (
    *("none", "arq, 3 transmissions", "fec, interleaved", "harq", "processes, 2 transmissions"),
    *("sliding window, W 10, k 2", "tetrys, W 30, k 3, detection 5 ms"),
)
"""All schemes have one resequencer: for order, one of each kind is enough."""


@pytest.mark.parametrize(
    ("name", "in_order", "hold_s"),
    [
        *((name, 0, 0) for name in SCHEMES),
        *((name, 1, hold_s) for name in IN_ORDER for hold_s in (0, 0.015)),
    ],
)
def test_online__equals_offline_on_a_link_that_is_never_idle(
    name: str, in_order: int, hold_s: float, send_datagrams: Datagrams
) -> None:
    scheme = SCHEMES[name]
    phy = bursty_trace(np.random.default_rng(len(name) + in_order))
    online = check_equals_offline(
        send_datagrams, scheme, phy, np.random.default_rng(5), 500, in_order_=in_order, hold_=hold_s
    )
    if isinstance(scheme, HarqProcesses | Tetrys):
        converter = scheme.converter(RTT_S)
        converter.feed(phy)
        assert online.counters["rows_stalled"] == converter.counts.stalled_slots
    if "combin" in name:  # otherwise it would make no difference
        plain = convert(phy, replace(scheme, combining="none", combining_threshold_db=None), RTT_S)
        assert plain.delivered.sum() < convert(phy, scheme, RTT_S).delivered.sum() - 20


def test_online__sends_only_when_there_is_something_to_send(send_datagrams: Datagrams) -> None:
    # Slots every ms; slots 10 and 31 are erased; one-unit packets at 9.5 and 29.5 ms. Slot 10 is reported
    # at 10 + 20 ms: slot 30 repeats it, before the packet of 29.5 ms, which has slot 31 and then 51.
    tx = np.arange(100, dtype=np.int64) * MS
    decode = np.full(100, MS // 2, np.int64)
    decode[[10, 31]] = 0
    run = send_datagrams(
        PhyTrace(tx, decode),
        [(9_500_000, 1000), (29_500_000, 1000)],
        delay_s=DELAY_S,
        duration_s=0.09,
        scheme="arq",
    )
    assert run.fates() == {0: ("received", 40_500_000), 1: ("received", 61_500_000)}
    assert [run.counters[f"units_{what}"] for what in ("data", "repair", "repeated", "erased")] == [
        2,
        0,
        2,
        2,
    ]


def test_tetrys__recovers_a_lone_packet_by_feedback(send_datagrams: Datagrams) -> None:
    """Slots every ms; slots 10 and 11 are erased: the packet of 9.5 ms and its early repair unit.

    The sender knows of the second erasure at 11 + 20 ms: slot 31 carries a requested repair unit.
    """
    tx = np.arange(100, dtype=np.int64) * MS
    decode = np.full(100, MS // 2, np.int64)
    decode[[10, 11]] = 0
    run = send_datagrams(
        PhyTrace(tx, decode), [(9_500_000, 1000)], delay_s=DELAY_S, duration_s=0.09, scheme="tetrys"
    )
    assert run.fates() == {0: ("received", 41_500_000)}
    assert [run.counters[f"units_{what}"] for what in ("data", "repair", "erased")] == [1, 2, 2]


def test_go_back__takes_the_slots_that_hand_work_says(send_datagrams: Datagrams) -> None:
    """Frames of 0.6 ms and 0.001 ms of processing, as Jin and Yang have them, so slots of 0.601 ms.

    Packets of two frames, three frames under way, a failed one repeated two slots after its end, and a
    channel that is good and bad in turn. A frame that fails in slot s is sent again in slot s + 3, a good
    one; the frame after it has the slot behind that, a bad one, and so on. Frame i arrives in slot 4 i, or
    4 i + 3 where slot 0 is bad.
    """
    slot_ns, packets, found = 601_000, 20, []
    for waited in (0, 1):  # a slot that passes in which nothing is sent turns the channel
        run = send_datagrams(
            None,
            [(waited * slot_ns + i, 150) for i in range(packets)],
            delay_s=0.01e-3,
            scheme="go-back-n",
            unit_bytes_=75,
            window_=3,
            timeout_=2 * slot_ns / 1e9,
            processing_=0.001e-3,
            alpha_=0,
            beta_=0,
            limit_=packets + 1,
        )
        found.append([(fate, time_ns - waited * slot_ns) for fate, time_ns in run.fates().values()])

    def timeline(bad_first: bool) -> list[tuple[str, int]]:
        slots = [4 * (2 * packet + 1) + 3 * bad_first for packet in range(packets)]
        return [("received", (slot + 1) * slot_ns + 10_000) for slot in slots]

    assert sorted(found) == sorted([timeline(False), timeline(True)])


def test_trace_file__shows_what_the_link_loses(send_datagrams: Datagrams) -> None:
    # At 1 Mbit/s 1000 bytes take 8 ms. Every unit is lost, and given up when the last one has been sent.
    run = send_datagrams(None, [(MS, 1000)] * 2, queue="Clift/Online", unit_bytes_=1000, error_good_=1)
    seen = [(line.split()[0], float(line.split()[1]), int(line.split()[-1])) for line in run.lines]
    assert seen == [
        ("+", 0.001, 0),
        ("+", 0.001, 1),
        ("-", 0.009, 0),
        ("-", 0.017, 1),
        ("l", 0.019, 0),
        ("l", 0.027, 1),
    ]


@pytest.mark.parametrize("delay_s", [0, 0.01])
@pytest.mark.parametrize(
    "scheme",
    [
        *("arq", "hybrid", "go-back-n", "tetrys", "harq-processes"),
        *("rlc-over-harq-processes", "rlc-over-tetrys"),
    ],
)
def test_online__ends_if_every_unit_is_lost(scheme: str, delay_s: float, send_datagrams: Datagrams) -> None:
    """Retransmissions without an end keep to the link's rate: one unit of 100 bytes per 0.4 ms."""
    run = send_datagrams(
        None,
        [(i * MS, 1500) for i in range(200)],
        delay_s=delay_s,
        duration_s=5,
        limit_=100,
        scheme=scheme,
        unit_bytes_=100,
        data_=20,
        error_good_=1.0,
    )
    assert run.counters["packets_delivered"] == run.counters["packets_lost"] == 0
    sent = sum(run.counters[f"units_{kind}"] for kind in ("data", "repair", "repeated"))
    assert sent == run.counters["units_erased"] <= 105 / 0.0004 + 100


@pytest.mark.parametrize("scheme", ["none", "fec", "arq", "go-back-n", "tetrys", "harq-processes", "rlc"])
def test_online__takes_units_longer_than_time_lasts(scheme: str, send_datagrams: Datagrams) -> None:
    """Each unit of 2 GB takes 544 years at 1 bit/s, which is more than 2^63 ns."""
    run = send_datagrams(None, [(MS, 1000)] * 3, rate_bps=1, scheme=scheme, unit_bytes_=2**31 - 1)
    assert run.status == 0, run.stderr
    assert run.counters["packets_queued"] == run.counters["packets_arrived"] == 3


@pytest.mark.parametrize(("repair", "persistency", "loss"), [(0, 1, 0.01), (1, 0, 0.05), (2, 2, 0.2)])
def test_online__loses_and_wastes_what_the_model_says(
    repair: int, persistency: int, loss: float, send_datagrams: Datagrams
) -> None:
    """20,000 packets, a link that is never idle, one stream: four standard errors of P, 1 % of alpha."""
    packets = 20_000
    run = send_datagrams(
        None,
        [(i + 1, 1500) for i in range(packets)],
        delay_s=0.2,
        duration_s=1e5,
        limit_=packets + 1,
        scheme="hybrid",
        unit_bytes_=25,
        data_=10,
        repair_=repair,
        persistency_=persistency,
        error_good_=loss,
    )
    model = HybridLink(loss, 10 + repair, persistency=persistency)
    lost = run.counters["packets_lost"]
    assert lost + run.counters["packets_delivered"] == packets
    error = math.sqrt(packets * model.packet_loss * (1 - model.packet_loss))
    assert abs(lost - packets * model.packet_loss) < 4 * error
    units = sum(run.counters[f"units_{what}"] for what in ("data", "repair", "repeated"))
    useful = 60 * run.counters["packets_delivered"] / units
    assert useful == pytest.approx(model.efficiency, rel=0.01)


@cases(__file__, "bad_variables.txt")
def test_online__refuses_in_one_line(case: list[str], send_datagrams: Datagrams) -> None:
    words, answer = case
    variables: dict[str, Any] = dict(word.split("=") for word in words.split())
    run = send_datagrams(None, [(MS, 1000)], queue="Clift/Online", **variables)
    assert (run.status, run.stderr) == (2, f"{answer}\n")


def test_online__refuses_all_but_numbers(simulator: Path, tmp_path: Path, send_datagrams: Datagrams) -> None:
    """Every variable of the queue, also those that ns-2 reads as times, where nan would be 0."""
    shown = tmp_path / "variables.tcl"
    shown.write_text("puts [concat [Queue/Clift info vars] [Queue/Clift/Online info vars]]")
    names = [one for one in run_script(simulator, shown, tmp_path).stdout.split() if one.endswith("_")]
    assert {"offset_", "alpha_", "processes_", "status_prohibit_"} <= set(names)
    for value, variable in [("nan", one) for one in names] + [("inf", "hold_"), ("-inf", "limit_")]:
        run = send_datagrams(None, [(MS, 1000)], queue="Clift/Online", **{variable: value})
        allowed = "allowed is a number from -1e300 to 1e300"
        assert (run.status, run.stderr) == (2, f"Queue/Clift/Online: {variable} is {value}; {allowed}\n")
