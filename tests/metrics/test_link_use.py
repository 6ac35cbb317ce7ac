"""Capacity and queue length of a link over time, by hand and against a queue that moves row by row."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from result_rows import run

from tmt.core.errors import InputError
from tmt.core.measure.link_use import PlainInTime, RowsInTime, link_use
from tmt.core.schema import LINK_TRACE, PACKET_EVENTS, PACKET_RECORDS, PHY_TRACE


def _sent(time_ns: list[int], dropped: tuple[int, ...] = (), size_bytes: Any = 100) -> np.ndarray:
    """Packets with ascending numbers, some of them dropped when they arrive."""
    table = np.zeros(len(time_ns) + len(dropped), PACKET_RECORDS.dtype)
    table["time_ns"] = time_ns + [time_ns[uid] for uid in dropped]
    table["uid"] = [*range(len(time_ns)), *dropped]
    table["size_bytes"] = np.broadcast_to(size_bytes, len(time_ns))[table["uid"]]
    table["event"] = PACKET_EVENTS.index("sent")
    table["event"][len(time_ns) :] = PACKET_EVENTS.index("queue_dropped")
    return table


def _rows(time_ns: np.ndarray, row_bytes: Any = 50, packing: str = "padded") -> RowsInTime:
    return RowsInTime(time_ns, np.ones(len(time_ns), bool), row_bytes, packing, has_queue=True)


def test_queue_length__follows_the_rows_that_packets_take() -> None:
    # Rows of 50 bytes every 10 ns: a packet takes two. Packet 0 arrives at 5, takes the rows at 10 and 20;
    # packet 1 arrives at 6 and takes 30 and 40; 2 is dropped; 3 arrives at 55 and takes 60 and 70.
    found = _rows(np.arange(0, 200, 10)).queue_length(_sent([5, 6, 7, 55], dropped=(2,)))
    time_s, length = found
    assert list(np.round(time_s * 1e9)) == [5, 6, 20, 40, 55, 70]
    assert list(length) == [1, 2, 1, 0, 1, 0]


def test_queue_length__keeps_a_packet_that_finds_too_few_rows() -> None:
    found = _rows(np.arange(0, 40, 10)).queue_length(_sent([5, 6]))
    assert list(found[1]) == [1, 2, 1], (
        "rows at 10 and 20 carry the first packet, 30 alone cannot carry the second"
    )


def test_queue_length__lets_packets_leave_before_others_arrive_at_the_same_moment() -> None:
    # Packets 0 and 1 take the rows at 10 and 20. Packet 2 arrives at 20 and takes 30. Packet 3 takes 40, the
    # last row; packet 4 arrives at 40 and finds none.
    found = _rows(np.arange(0, 50, 10), 100).queue_length(_sent([5, 6, 20, 35, 40]))
    time_s, length = found
    assert list(np.round(time_s * 1e9)) == [5, 6, 10, 20, 20, 30, 35, 40, 40]
    assert list(length) == [1, 2, 1, 0, 1, 0, 1, 0, 1]


def test_queue_length__of_a_plain_link_serves_one_packet_after_the_other() -> None:
    # 100 bytes at 8 Mbit/s take 100 us.
    found = PlainInTime(8e6, has_queue=True).queue_length(_sent([0, 50_000, 300_000]))
    assert list(np.round(found[0] * 1e6)) == [0, 50, 100, 200, 300, 400]
    assert list(found[1]) == [1, 2, 1, 0, 1, 0]


def _leave_ns(
    time_ns: list[int], row_bytes: list[int], packing: str, packets: list[tuple[int, int]]
) -> list[int]:
    """Move row by row: the head of the queue takes bytes of each row that is not before its arrival."""
    waiting = [[arrival, size] for arrival, size in packets]
    left = []
    for moment, size in zip(time_ns, row_bytes, strict=True):
        room = size
        while room and waiting and waiting[0][0] <= moment:
            taken = min(room, waiting[0][1])
            waiting[0][1] -= taken
            room -= taken
            if waiting[0][1] == 0:
                left.append(moment)
                waiting.pop(0)
                if packing == "padded":
                    break
    return left


@settings(max_examples=200)
@given(
    gaps_ns=st.lists(st.integers(1, 9), min_size=1, max_size=40),
    sizes=st.lists(st.integers(1, 9), min_size=40, max_size=40),
    packets=st.lists(st.tuples(st.integers(0, 6), st.integers(1, 20)), max_size=20),
    packing=st.sampled_from(["padded", "packed"]),
    has_sizes=st.booleans(),
)
def test_queue_length__agrees_with_a_queue_that_moves_row_by_row(
    gaps_ns: list[int], sizes: list[int], packets: list[tuple[int, int]], packing: str, has_sizes: bool
) -> None:
    time_ns = np.cumsum(gaps_ns)
    of_rows = sizes[: len(gaps_ns)] if has_sizes else [sizes[0]] * len(gaps_ns)
    arrivals = np.cumsum([wait for wait, _ in packets], dtype=np.int64).tolist()
    sent = [(arrival, size) for arrival, (_, size) in zip(arrivals, packets, strict=True)]
    link = _rows(time_ns, np.array(of_rows, np.int64) if has_sizes else sizes[0], packing)
    found = link.queue_length(_sent(arrivals, size_bytes=[size for _, size in packets]))
    time_s, length = found
    change = np.diff(length, prepend=0)
    left_ns = np.round(time_s[change < 0] * 1e9).astype(int).tolist()
    assert left_ns == _leave_ns(time_ns.tolist(), of_rows, packing, sent)


def _trace(folder: Path, table: Any = LINK_TRACE, **columns: Any) -> Path:
    """Four rows in 30 ms, of which the third is lost."""
    trace = np.zeros(4, table.dtype)
    trace["tx_time_ns"] = 7 + np.arange(4) * 10_000_000
    for name, values in columns.items():
        trace[name] = values
    np.save(folder / "a.npy", trace)
    return folder / "a.npy"


DELIVERED = [True, True, False, True]

REPEATED = {
    "forward_trace": "a.npy",
    "forward_lldu_bytes": 125,
    "forward_packing": "padded",
    "forward_offset_s": 0.015,
    "simulated_s": 0.06,
    "forward_trace_repeats": 1,
    "proxy": False,
}


def test_link_use__repeats_the_trace_from_its_offset(tmp_path: Path) -> None:
    # A repetition lasts 40 ms. From 15 ms on: 20, 30, 40 (again 0), 50, ... are sent.
    link = link_use(run(**REPEATED), _trace(tmp_path, delivered=DELIVERED))
    assert list(link.time_ns // 1_000_000) == [5, 15, 25, 35, 45, 55]
    assert list(link.delivered) == [False, True, True, True, False, True]
    # Of 125 bytes each, a row every 10 ms carries 100 kbit/s; one of three is lost.
    assert list(link.capacity_bps(np.array([0, 0.03, 0.06]))) == pytest.approx([200e3 / 3, 200e3 / 3])
    assert list(link.lost_share(np.array([0, 0.03, 0.06]))) == pytest.approx([1 / 3, 1 / 3])


def test_link_use__repeats_the_trace_after_its_length(tmp_path: Path) -> None:
    # From 2 ns before the first row, 50 ms long: rows at 0, 10, 20, 30, 50, 60 ... ms, from 15 ms on.
    length = {"forward_begin_s": 5e-9, "forward_length_s": 0.05}
    link = link_use(run(**REPEATED | length), _trace(tmp_path, delivered=DELIVERED))
    assert list(link.time_ns) == [at * 1_000_000 + 2 for at in (5, 15, 35, 45, 55)]


def test_link_use__repeats_one_row_after_its_length(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([(7, 0, True, 1)], LINK_TRACE.dtype))
    length = {"forward_begin_s": 0.0, "forward_length_s": 0.02, "forward_trace_repeats": 3}
    link = link_use(run(**REPEATED | length), tmp_path / "a.npy")
    assert list(link.time_ns) == [5_000_007, 25_000_007, 45_000_007]
    assert link_use(run(**REPEATED), tmp_path / "a.npy") is None


def test_link_use__counts_the_bytes_of_rows_with_sizes(tmp_path: Path) -> None:
    dtype = np.dtype([*LINK_TRACE.dtype.descr, ("size_bytes", "<u4")])
    trace = np.zeros(4, dtype)
    trace["tx_time_ns"], trace["delivered"] = np.arange(4) * 10_000_000, DELIVERED
    trace["size_bytes"] = [100, 200, 300, 400]
    np.save(tmp_path / "a.npy", trace)
    link = link_use(run(**REPEATED | {"forward_lldu_bytes": None}), tmp_path / "a.npy")
    # Rows of 300 (lost), 400 and 100 bytes, then of 200, 300 (lost) and 400.
    assert list(link.capacity_bps(np.array([0, 0.03, 0.06]))) == pytest.approx([4e3 / 0.03, 4.8e3 / 0.03])


def test_link_use__of_an_online_scheme_shows_the_slots_but_no_queue(tmp_path: Path) -> None:
    trace = _trace(tmp_path, PHY_TRACE, decode_time_ns=[5, 5, 0, 5])
    link = link_use(run(**REPEATED | {"forward_online": "arq"}), trace)
    assert list(link.lost_share(np.array([0, 0.03, 0.06]))) == pytest.approx([1 / 3, 1 / 3])
    assert link.queue_length(_sent([1])) is None


def test_link_use__of_a_trace_that_is_not_at_hand_is_none(tmp_path: Path) -> None:
    assert link_use(run(**REPEATED), None) is None
    assert link_use(run(**REPEATED), tmp_path / "absent.npy") is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an array"),
        (b"PK\x05\x06" + bytes(18), "not an array"),
        (b"\x93NUMPY", "not an array"),
        (None, "Is a directory"),
    ],
)
def test_link_use__names_a_trace_that_is_damaged(content: bytes | None, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "link.npy"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(InputError, match=rf"link\.npy: .*{reason}"):
        link_use(run(**REPEATED), path)


def test_link_use__of_an_array_without_rows_names_it(tmp_path: Path) -> None:
    np.save(tmp_path / "link.npy", np.arange(5))
    with pytest.raises(InputError, match=r"link\.npy: is damaged"):
        link_use(run(**REPEATED), tmp_path / "link.npy")
