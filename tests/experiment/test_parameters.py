"""Allowed settings of a replay, and the values computed from them before the run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from experiments import asker
from link_traces import sent_once

from tmt import PlainLink, TraceLink, Wired
from tmt.core.errors import InputError, UsageError
from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_MS
from tmt.core.words.values import ack_notes
from tmt.io import write_trace
from tmt.run.experiment import link_columns
from tmt.run.link_files import ready_link
from tmt.run.ns2 import arguments
from tmt.run.setup import set_up

S = 1_000_000_000
WIRED = Wired(rate=1e7)
NO_LOSSES = (
    "the forward trace holds no losses: only full queues drop packets, so TCP variants may look more alike "
    "than over the real link"
)


replay = asker(tcp="cubic", stack="2009", forward=PlainLink(2e6), rtt_ns=S // 2, duration_ns=10 * S)


def link_trace(rows: int, spacing_ns: int, first_ns: int = 0, delay_ns: int = 0) -> LinkTrace:
    return sent_once(first_ns + spacing_ns * np.arange(rows), delay_ns)


def test_set_up__computes_queue_and_window_from_the_bandwidth_delay_product() -> None:
    # 2 Mbit/s in packets of 1500 bytes are 166.7 a second; in 0.5 s, 83.3, rounded up.
    setup = set_up(*replay())
    assert (setup.path.queue_packets, setup.path.window_packets) == (84, 168)
    assert set_up(*replay(queue_packets=500)).path.window_packets == 584
    assert setup.back == PlainLink(2e6)


def test_set_up__counts_the_trace_s_delay_and_whole_rows(tmp_path: Path) -> None:
    # A row of 1000 bytes every 5 ms: a packet of 1500 bytes takes two, 100 packets a second. In 0.5 s of RTT
    # and 0.2 s of decoding, 70 packets.
    write_trace(tmp_path / "link.npy", link_trace(101, S // 200, delay_ns=S // 5))
    setup = set_up(*replay(forward=TraceLink(tmp_path / "link.npy", 1000)))
    assert (setup.path.queue_packets, setup.path.window_packets) == (70, 140)
    assert link_columns("forward", setup.forward)["forward_rate_bps"] == pytest.approx(1000 * 8 * 200)


def test_set_up__keeps_a_short_path_s_queue_useful() -> None:
    setup = set_up(*replay(rtt_ns=0))
    assert (setup.path.queue_packets, setup.path.window_packets) == (10, 10)


def test_run__notes_acknowledgements_that_fill_the_return_link() -> None:
    # 2 Mbit/s are 167 packets a second; with an ACK of 52 bytes for each, 69 kbit/s.
    narrow, wide = (
        replay(stack="modern", delayed_acks=False, back=PlainLink(rate)).run() for rate in (40e3, 2e6)
    )
    assert narrow.notes[-1].startswith("acknowledgements fill the return link: they take ")
    assert 0.9 < narrow.row["return_ack_load"] <= 1.05
    assert (wide.notes, wide.row["return_queue_dropped"]) == ([], 0)


@pytest.mark.parametrize(
    ("load", "dropped", "said"),
    [
        (0.97, 0, "acknowledgements fill the link: they take 97 % of it"),
        (0.9, 2, "acknowledgements fill the link: they take 90 % of it, and its queue dropped 2 of them"),
        (0.89, 0, None),
        (
            0.05,
            115,
            "the link: its queue dropped 115 acknowledgements, "
            "which take 5 % of it in the mean, and at times more than it carries",
        ),
        (None, 1, "the link: its queue dropped 1 acknowledgement"),
    ],
)
def test_ack_notes__tell_a_full_link_from_bursts(load: float | None, dropped: int, said: str | None) -> None:
    assert ack_notes("the link", load, dropped) == ([] if said is None else [said])


def test_set_up__refuses_a_path_that_holds_more_than_ns_2_counts() -> None:
    # 10^12 bit/s for 10^6 s are 8.3 * 10^13 packets.
    with pytest.raises(UsageError, match=r"83333333333334 packets.*queue.*at most 2147483647"):
        set_up(*replay(forward=PlainLink(1e12), rtt_ns=10**6 * S))


def test_arguments__write_times_exactly() -> None:
    words = arguments(set_up(*replay(rtt_ns=506_000_001, start_ns=1, duration_ns=1000 * S)), Path())
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert (given["rtt_s"], given["start_s"], given["duration_s"]) == ("0.506000001", "0.000000001", "1000")


def test_link__is_exported_once_with_its_lldu_size_and_the_hash_of_its_rows(tmp_path: Path) -> None:
    trace = link_trace(50, 1000, first_ns=7)
    write_trace(tmp_path / "a.npy", trace)
    named = LinkTrace(
        trace.tx_time_ns, trace.delay_ns, trace.delivered, trace.transmissions, {"lldu_bytes": 33}
    )
    write_trace(tmp_path / "a.parquet", named)
    mapped, exported = (
        ready_link(TraceLink(tmp_path / "a.npy"), 1500),
        ready_link(TraceLink(tmp_path / "a.parquet"), 1500),
    )
    assert mapped.file.npy == tmp_path / "a.npy"
    assert exported.file.npy.read_bytes() == (tmp_path / "a.npy").read_bytes()
    assert mapped.file.sha256 == exported.file.sha256
    assert (mapped.lldu_bytes, exported.lldu_bytes) == (1500, 33)
    assert (mapped.file.begin_ns, mapped.file.span_ns) == (7, 49_000)
    assert ready_link(TraceLink(tmp_path / "a.parquet", lldu_bytes=60), 1500).lldu_bytes == 60
    assert ready_link(TraceLink(tmp_path / "a.parquet"), 1500).file is exported.file


def test_link__whose_rows_carry_more_than_a_plain_link_may_is_refused(tmp_path: Path) -> None:
    # Eleven rows of 2^31 - 1 bytes in 10 us.
    write_trace(tmp_path / "link.npy", link_trace(11, 1000))
    with pytest.raises(UsageError, match=r"link\.npy: .* 23622320117 bytes in 1e-05 s, 1\.72e\+16"):
        ready_link(TraceLink(tmp_path / "link.npy", lldu_bytes=2**31 - 1), 1500)


def test_link__mean_delay_is_that_of_rows_in_order(tmp_path: Path) -> None:
    # Sent at 0, 1, 2, 3 and settled at 10, 100, 22, never: in order at 10, 100, 100, 100.
    delivered = np.array([True, False, True, False])
    trace = LinkTrace(np.arange(4), np.array([10, 99, 20, UNSETTLED]), delivered, np.ones(4, np.uint8))
    write_trace(tmp_path / "a.npy", trace)
    link = TraceLink(tmp_path / "a.npy", lldu_bytes=1)
    assert ready_link(link, 1500).file.mean_delay_ns == (10 + 99 + 98 + 97) / 4


def test_link__that_changed_on_disk_is_read_again(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.npy", link_trace(10, 1000))
    first = ready_link(TraceLink(tmp_path / "a.npy"), 1500).file
    write_trace(tmp_path / "a.npy", link_trace(20, 1000))
    assert (first.rows, ready_link(TraceLink(tmp_path / "a.npy"), 1500).file.rows) == (10, 20)


def test_packets_of_a_link__that_changed_on_disk_are_counted_again(tmp_path: Path) -> None:
    # Ten rows in 9 ms. A packet of 1500 bytes takes two rows of 750 bytes, or one of 1500.
    path = tmp_path / "a.npy"
    for row_bytes, packets in ((750, 5), (1500, 10)):
        write_trace(path, replace(link_trace(10, NS_PER_MS), size_bytes=np.full(10, row_bytes, np.uint32)))
        assert ready_link(TraceLink(path), 1500).rate_bps == pytest.approx(packets * 1500 * 8 / 0.01)


def test_link__whose_metadata_changed_on_disk_is_read_again(tmp_path: Path) -> None:
    path, beside = tmp_path / "a.npy", tmp_path / "a.npy.json"
    write_trace(path, replace(link_trace(10, NS_PER_MS), metadata={"lldu_bytes": 500}))
    assert ready_link(TraceLink(path), 1500).lldu_bytes == 500
    beside.write_text(beside.read_text().replace("500", "750"))
    assert ready_link(TraceLink(path), 1500).lldu_bytes == 750


def test_link__refuses_what_cannot_be_replayed(tmp_path: Path) -> None:
    write_trace(tmp_path / "one.npy", link_trace(1, 1000))
    with pytest.raises(UsageError, match="one row"):
        ready_link(TraceLink(tmp_path / "one.npy"), 1500)
    write_trace(tmp_path / "a.npy", link_trace(10, S))
    with pytest.raises(UsageError, match=r"the offset of 9\.5 s lies behind the trace, which is 9\.0 s"):
        ready_link(TraceLink(tmp_path / "a.npy", offset_ns=95 * S // 10), 1500)
    with pytest.raises(InputError, match=r"missing\.npy"):
        ready_link(TraceLink(tmp_path / "missing.npy"), 1500)


@pytest.mark.parametrize(
    ("lldu_bytes", "packing", "noted"),
    [
        (9000, "padded", "83 %"),  # 7500 of 9000
        (2000, None, "25 %"),
        (9000, "packed", ""),
        (1523, "padded", ""),  # 23 of 1523
        (33, "padded", ""),
    ],
)
def test_notes__tell_of_padding(lldu_bytes: int, packing: str | None, noted: str, tmp_path: Path) -> None:
    """By hand: one packet of 1500 bytes in each LLDU; the rest is padding."""
    write_trace(tmp_path / "a.npy", link_trace(7, S))
    link = TraceLink(tmp_path / "a.npy", lldu_bytes, packing=packing)
    notes = set_up(*replay(forward=link, duration_ns=6 * S)).notes()
    said = (
        f"the forward trace: {noted} of each LLDU of {lldu_bytes:,} bytes is padding beside a packet of "
        "1,500 bytes; with --packing packed, packets share LLDUs"
    )
    assert notes == [*([said] if noted else []), NO_LOSSES]


def test_notes__tell_of_delays_that_may_be_milliseconds(tmp_path: Path) -> None:
    slow = LinkTrace(np.arange(3) * S, np.full(3, 45 * S), np.ones(3, np.bool_), np.ones(3, np.uint8))
    write_trace(tmp_path / "a.npy", slow)
    notes = set_up(*replay(forward=TraceLink(tmp_path / "a.npy", 33), duration_ns=2 * S)).notes()
    slow_note = "the mean delay of the forward trace is 45 s; times are in seconds: 45 ms is 0.045"
    assert notes == [slow_note, NO_LOSSES]


def test_notes__tell_of_an_assumed_size_and_of_an_early_end(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.npy", link_trace(7, S))
    trace = tmp_path / "a.npy"
    assert set_up(*replay(forward=TraceLink(trace))).notes() == [
        "the forward trace does not say its LLDU size; 1500 bytes assumed",
        "the forward trace ends after 6 s; the link then starts again",
        NO_LOSSES,
    ]
    stopping = replay(forward=TraceLink(trace, 33, offset_ns=2 * S), loop=False)
    assert set_up(*stopping).notes() == ["the forward trace ends after 4 s; the link then stops", NO_LOSSES]
    assert set_up(*replay(forward=TraceLink(trace, 33), duration_ns=6 * S)).notes() == [NO_LOSSES]


@pytest.mark.parametrize(
    ("delivered", "transmissions", "noted"),
    [([1, 1, 1], [1, 1, 1], True), ([1, 0, 1], [1, 1, 1], False), ([1, 1, 1], [1, 2, 1], False)],
)
def test_notes__tell_of_a_trace_without_losses(
    delivered: list[int], transmissions: list[int], noted: bool, tmp_path: Path
) -> None:
    """Nothing was ever lost: no LLDU is given up, and none was sent again."""
    fates = np.array(delivered, np.bool_), np.array(transmissions, np.uint8)
    write_trace(tmp_path / "a.npy", LinkTrace(np.arange(3) * S, np.full(3, S // 10), *fates))
    notes = set_up(*replay(forward=TraceLink(tmp_path / "a.npy", 33), duration_ns=2 * S)).notes()
    assert notes == ([NO_LOSSES] if noted else [])
