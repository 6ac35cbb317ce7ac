"""Queue/Clift in ns-2: packets' fates and times, trace files, monitors, refusals."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import assert_answer, cases
from link_traces import sent_once

from tests.ns2.conftest import Datagrams
from tests.ns2.queue_twin import Options, outcomes
from tmt.core.trace import LinkTrace, PhyTrace

pytestmark = pytest.mark.ns2

MS = 1_000_000
DELAY_NS = 10 * MS
CONTRACT = Path(__file__).resolve().parents[2] / "traces" / "contract"


@pytest.mark.parametrize("seed", range(36))
def test_queue__does_what_its_definition_says(seed: int, send_datagrams: Datagrams) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1 if seed >= 24 else 2, 600 if seed < 30 else 3))
    # Rows at even nanoseconds, packets at odd ones: the order of two events at one moment is undefined.
    tx = 2 * np.cumsum(rng.integers(1, 1000 * MS, n) // rng.integers(1, 200, n) + 1)
    delay = rng.integers(0, 50 * MS, n) * rng.integers(0, 2, n)
    unsettled = rng.random(n) < 0.05
    delay[unsettled] = -1
    delivered = (rng.random(n) < 0.9) & ~unsettled
    sizes = rng.integers(1, 4000, n).astype(np.uint32) if rng.random() < 0.6 else None
    trace = LinkTrace(tx, delay, delivered, np.ones(n, np.uint8), size_bytes=sizes)
    times = 2 * np.cumsum(rng.integers(1, 20 * MS, 300)) + 1
    sendings = list(zip(times.tolist(), rng.integers(1, 3000, 300).tolist(), strict=True))
    options = Options(
        lldu_bytes=int(rng.integers(1, 2000)),
        limit=int(rng.integers(1, 20)),
        packed=bool(rng.random() < 0.5),
        loop=n > 1 and bool(rng.random() < 0.7),
        offset_ns=int(rng.integers(0, tx[-1] // 2) // 2) * 2,
        in_order=bool(rng.random() < 0.6),
        hold_ns=int(rng.integers(0, 3)) * 10 * MS,
    )
    if rng.random() < 0.5:
        options = replace(options, **random_length(rng, tx.tolist()))
    run = send_datagrams(
        trace,
        sendings,
        delay_s=DELAY_NS / 1e9,
        duration_s=1e6,
        begin_=f"{options.begin_ns / 1e9:.9f}",
        length_=f"{options.length_ns / 1e9:.9f}",
        lldu_bytes_=options.lldu_bytes,
        limit_=options.limit,
        packed_=int(options.packed),
        loop_=int(options.loop),
        offset_=f"{options.offset_ns / 1e9:.9f}",
        in_order_=int(options.in_order),
        hold_=f"{options.hold_ns / 1e9:.9f}",
    )
    assert run.status == 0, run.stderr
    expected = outcomes(trace, sendings, DELAY_NS, options)
    assert run.fates() == expected
    counted = Counter(event for event, _ in expected.values())
    assert {
        "received": run.counters["packets_delivered"],
        "link_lost": run.counters["packets_lost"],
        "link_unsettled": run.counters["packets_unsettled"],
        "queue_dropped": run.counters["packets_overflowed"],
    } == {name: counted[name] for name in ("received", "link_lost", "link_unsettled", "queue_dropped")}
    assert run.counters["packets_queued"] == len(sendings) - len(expected)


def random_length(rng: np.random.Generator, tx: list[int]) -> dict[str, int]:
    """Return a length with outages at both ends, and an offset, which may lie in the last outage."""
    begin = int(rng.integers(0, tx[0] + 1) // 2) * 2
    outage = int(rng.integers(0, 500 * MS)) * 2
    length = tx[-1] + 2 - begin + outage
    offset = int(rng.integers(length - outage if rng.random() < 0.3 else 0, length + 1) // 2) * 2
    return {"begin_ns": begin, "length_ns": length, "offset_ns": min(offset, length - 2)}


@pytest.mark.parametrize(("queue", "scheme"), [("Clift", {}), ("Clift/Online", {"scheme": "none"})])
def test_length__plays_outages_and_repeats_one_row(
    queue: str, scheme: dict[str, str], send_datagrams: Datagrams
) -> None:
    """One row at 30 ms of 10 to 60 ms, from an offset of 25 ms on: rows at 45, 95 and 145 ms."""
    row = sent_once([30 * MS]) if queue == "Clift" else PhyTrace(np.array([30 * MS]), np.array([1]))
    run = send_datagrams(
        row,
        [(MS, 1000), (MS + 2, 1000), (96 * MS, 1000)],
        queue=queue,
        duration_s=0.18,
        loop_=1,
        begin_=0.01,
        length_=0.05,
        offset_=0.025,
        **scheme,
    )
    assert run.status == 0, run.stderr
    decode_ns = 0 if queue == "Clift" else 1
    assert run.fates() == {i: ("received", (55 + 50 * i) * MS + decode_ns) for i in range(3)}
    # The trace starts again at 25, 75, 125 and 175 ms.
    assert [run.counters[name] for name in ("rows_offered", "trace_repeats")] == [3, 4]


@pytest.mark.parametrize("discipline", ["droptail", "codel"])
@pytest.mark.parametrize("last_ms", [1, 50])  # it waits when the trace ends, or comes to an empty queue later
def test_link__stops_at_the_end_of_the_length(
    discipline: str, last_ms: int, send_datagrams: Datagrams
) -> None:
    run = send_datagrams(
        sent_once([10 * MS, 20 * MS]),
        [(MS, 1000), (MS, 1000), (last_ms * MS, 1000)],
        discipline=discipline,
        begin_=0.002,
        length_=0.05,
        offset_=0.003,
    )
    assert run.fates() == {0: ("received", 15 * MS), 1: ("received", 25 * MS)}
    assert run.counters["stopped_at_ns"] == 47 * MS
    assert run.stderr.count("the trace ends at 0.047 s of simulated time") == 1


def test_beginning__at_a_row_years_after_the_epoch_is_that_row(send_datagrams: Datagrams) -> None:
    """A double holds such a time in seconds to 200 ns only."""
    first_ns = 1_700_000_000_123_456_789
    run = send_datagrams(
        sent_once([first_ns, first_ns + 2 * MS]),
        [(MS, 1000), (3 * MS, 1000)],
        loop_=1,
        begin_=f"{first_ns // 10**9}.{first_ns % 10**9}",
        length_=0.005,
    )
    assert run.fates() == {0: ("received", 12 * MS), 1: ("received", 15 * MS)}


def test_rows__that_pass_an_empty_queue_are_wasted(send_datagrams: Datagrams) -> None:
    # Two rows a packet. The first takes 10 and 20 ms; 30 and 40 pass; the second, sent at 45, has 50 and 60.
    trace = sent_once([10 * MS, 20 * MS, 30 * MS, 40 * MS, 50 * MS, 60 * MS, 70 * MS])
    run = send_datagrams(trace, [(5 * MS, 1500), (45 * MS, 1500)], duration_s=0.065 + 0.01, lldu_bytes_=1000)
    assert run.fates() == {0: ("received", 30 * MS), 1: ("received", 70 * MS)}
    assert [run.counters[f"rows_{what}"] for what in ("offered", "used", "unused")] == [7, 4, 3]


def test_trace_file__tells_link_losses_from_queue_drops(send_datagrams: Datagrams) -> None:
    # Four packets at once: the queue holds three. Rows at 10, 20 and 30 ms: delivered, lost, unsettled.
    trace = sent_once([10 * MS, 20 * MS, 30 * MS], [2 * MS, 5 * MS, -1], lost=(1,))
    run = send_datagrams(trace, [(MS, 1000)] * 4, limit_=3)
    seen = [(line.split()[0], float(line.split()[1]), int(line.split()[-1])) for line in run.lines]
    assert seen == [
        ("+", 0.001, 0),
        ("+", 0.001, 1),
        ("+", 0.001, 2),
        ("+", 0.001, 3),
        ("d", 0.001, 3),
        ("-", 0.01, 0),
        ("-", 0.02, 1),
        ("r", 0.022, 0),
        ("-", 0.03, 2),
        ("l", 0.035, 1),
        ("u", 0.04, 2),
    ]
    monitored = [run.counters[f"monitor_{name}_"] for name in ("parrivals", "pdepartures", "pdrops", "pkts")]
    assert monitored == [4, 3, 1, 0]


def test_end_of_trace__stops_the_link_and_says_so_once(send_datagrams: Datagrams) -> None:
    run = send_datagrams(sent_once([10 * MS, 20 * MS]), [(MS, 1000)] * 6, limit_=4, offset_=0.005)
    assert run.fates() == {
        0: ("received", 15 * MS),
        1: ("received", 25 * MS),
        4: ("queue_dropped", MS),
        5: ("queue_dropped", MS),
    }
    assert run.counters["packets_queued"] == 2
    assert run.counters["stopped_at_ns"] == 15 * MS
    assert run.stderr.count("the trace ends at 0.015 s of simulated time") == 1


def test_equal_release_times__keep_the_order(send_datagrams: Datagrams) -> None:
    # The first packet's long delay holds all others back: they are released at one moment, in order.
    tx = [7 * MS * i + 13 for i in range(1, 200)]
    run = send_datagrams(
        sent_once(tx, [3000 * MS, *[0] * 198]),
        [(MS + 2 * i, 1000) for i in range(199)],
        in_order_=1,
        limit_=300,
    )
    received = run.packets[run.packets["event"] == 1]
    assert np.array_equal(received["uid"], np.arange(199))
    assert set(received["time_ns"]) == {3017 * MS + 13}


def test_equal_release_times__keep_the_order_where_the_delay_falls(send_datagrams: Datagrams) -> None:
    """Both packets arrive at the end of the trace; the second one leaves 1 ns before, over a shorter link.

    The first one arrives 10 ms later, and so does the second one then.
    """
    run = send_datagrams(
        sent_once([2 * MS, 9 * MS], [7 * MS + 1, 1]),
        [(MS, 1000), (8 * MS, 1000)],
        at="0.005 {[[$ns link $from $to] link] set delay_ 0}",
    )
    assert run.fates() == {0: ("received", 19 * MS + 1), 1: ("received", 19 * MS + 1)}


@pytest.mark.parametrize(("queue", "early", "dropped"), [("Clift", 5, [2, 3, 4]), ("Clift/Online", 2, [1])])
def test_reset__drops_packets(queue: str, early: int, dropped: list[int], send_datagrams: Datagrams) -> None:
    """Rows every 10 ms; two packets have left by 25 ms. Online, the second one awaits its retransmission.

    Later packets have the next rows.
    """
    times, decode = np.arange(1, 20, dtype=np.int64) * 10 * MS, np.full(19, MS)
    decode[1] = 0
    run = send_datagrams(
        sent_once(times.tolist(), [MS] * 19) if queue == "Clift" else PhyTrace(times, decode),
        [(MS + i, 1000) for i in range(early)] + [(45 * MS + i, 1000) for i in range(3)],
        duration_s=0.15,
        queue=queue,
        at="0.025 {$queue reset}",
        **({} if queue == "Clift" else {"scheme": "arq"}),
    )
    assert run.status == 0, run.stderr
    fates = run.fates()
    assert [fates[early + i] for i in range(3)] == [("received", (61 + 10 * i) * MS) for i in range(3)]
    assert [uid for uid, fate in sorted(fates.items()) if fate == ("queue_dropped", 25 * MS)] == dropped
    assert run.counters["packets_overflowed"] == len(dropped)
    assert run.counters["packets_arrived"] == early + 3 == len(fates)


@cases(__file__, "bad_trace_variables.txt")
def test_bad_variable__is_refused(case: list[str], send_datagrams: Datagrams) -> None:
    words, answer = case
    variables: dict[str, Any] = dict(word.split("=") for word in words.split())
    run = send_datagrams(sent_once([10 * MS]), [(MS, 1000)], **variables)
    assert run.status == 2
    assert_answer(run.stderr, f"{answer}\n")


def test_bad_file__ends_in_one_line(send_datagrams: Datagrams, tmp_path: Path) -> None:
    bad = CONTRACT / "unsorted-times.npy"
    run = send_datagrams(bad, [(MS, 1000)])
    assert run.status == 2
    assert run.stderr == (
        f"{bad}:row 3: tx_time_ns is 1499999, earlier than 1500000 in the row before; times must increase\n"
    )
    run = send_datagrams(tmp_path / "none.npy", [(MS, 1000)])
    assert (run.status, run.stderr) == (2, f"{tmp_path}/none.npy: No such file or directory\n")


def test_missing_load__ends_in_one_line(send_datagrams: Datagrams) -> None:
    run = send_datagrams(None, [(MS, 1000)])
    assert run.status == 2
    assert run.stderr == "Queue/Clift: there is no link trace; call `load FILE.npy` before packets arrive\n"
