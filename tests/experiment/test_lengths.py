"""Links whose trace says when it begins and how long it is: rates, settings, identities, and runs in ns-2."""

from pathlib import Path

import numpy as np
import pytest
from experiments import asker
from link_traces import sent_once

from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S as S
from tmt.io import write_trace
from tmt.run.link_files import link_figures, link_settings, ready_link
from tmt.run.ns2 import arguments
from tmt.run.setup import link_notes, set_up
from tmt.spec.experiment import PlainLink, TraceLink

replay = asker(tcp="cubic", rtt_ns=S // 50, queue_packets=100, back=PlainLink(1e7), duration_ns=30 * S)


def link(path: Path, tx_ns: list[int], begin_ns: int | None = None, length_ns: int | None = None) -> Path:
    about = {} if length_ns is None else {"begin_ns": begin_ns, "length_ns": length_ns}
    write_trace(path, sent_once(tx_ns, NS_PER_MS, lldu_bytes=1500, packing="packed", **about))
    return path


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_one_row_with_a_length__has_a_rate(ending: str, tmp_path: Path) -> None:
    """1500 bytes every 200 ms are 60 kbit/s."""
    path = link(tmp_path / f"one.{ending}", [150 * NS_PER_MS], 100 * NS_PER_MS, 200 * NS_PER_MS)
    found = ready_link(TraceLink(path, offset_ns=7), 1500)
    assert found.rate_bps == 60_000
    settings = link_settings("forward", found)
    assert settings["forward_begin_ns"] == 100 * NS_PER_MS
    assert settings["forward_length_ns"] == 200 * NS_PER_MS
    assert settings["forward_offset_ns"] == 7
    figures = link_figures("forward", found)
    assert (figures["forward_begin_s"], figures["forward_length_s"]) == (0.1, 0.2)
    words = arguments(set_up(*replay(forward=TraceLink(path, offset_ns=7))), Path())
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given["forward_begin_s"] == "0.1"
    assert given["forward_length_s"] == "0.2"
    assert given["forward_offset_s"] == "0.000000007"


def test_trace_without_a_length__begins_with_its_first_row(tmp_path: Path) -> None:
    found = ready_link(TraceLink(link(tmp_path / "a.npy", [40, 50_000, 60_000]), offset_ns=5), 1500)
    settings = link_settings("return", found)
    assert [settings[f"return_{name}_ns"] for name in ("begin", "length", "offset")] == [40, 0, 5]
    figures = link_figures("return", found)
    assert (figures["return_begin_s"], figures["return_length_s"]) == (None, None)


def test_offset__lies_inside_the_length(tmp_path: Path) -> None:
    path = link(tmp_path / "a.npy", [S, 2 * S], 0, 15 * S)
    assert ready_link(TraceLink(path, offset_ns=15 * S - 1), 1500).file.span_ns == 15 * S
    with pytest.raises(
        UsageError, match=r"the offset of 15\.0 s lies behind the trace, which is 15\.0 s long"
    ):
        ready_link(TraceLink(path, offset_ns=15 * S), 1500)


def test_notes__tell_the_length(tmp_path: Path) -> None:
    setup = set_up(*replay(forward=TraceLink(link(tmp_path / "a.npy", [S, 2 * S], 0, 15 * S))))
    assert setup.notes()[0] == "the forward trace ends after 15 s; the link then starts again"
    assert link_notes("forward", setup.forward, 16, 1500) == [
        "the forward trace lasts 15 s, less than one round trip of 16 s"
    ]


def test_identity__counts_a_length(tmp_path: Path) -> None:
    """Equal rows differ by their extent; a comment and metadata that say the same do not."""
    rows = [S, 2 * S]
    (tmp_path / "by-hand.txt").write_text("# begin=0 length=15\n1 0.001 true 1\n2 0.001 true 1\n")
    paths = [
        link(tmp_path / "rows.npy", rows),
        link(tmp_path / "early.npy", rows, 0, 15 * S),
        link(tmp_path / "later.npy", rows, 1, 15 * S),
        link(tmp_path / "longer.npy", rows, 0, 16 * S),
    ]
    found = [replay(forward=TraceLink(path)).fingerprint() for path in paths]
    assert len(set(found)) == len(paths)
    by_hand = TraceLink(tmp_path / "by-hand.txt", lldu_bytes=1500, packing="packed")
    in_metadata = TraceLink(paths[1], lldu_bytes=1500, packing="packed")
    assert replay(forward=by_hand).fingerprint() == replay(forward=in_metadata).fingerprint()


def test_run__over_ten_packets_every_200_ms_gets_their_rate(tmp_path: Path) -> None:
    """Ten packets of 1500 bytes every 200 ms are 0.6 Mbit/s: 1448 of their bytes are data, for 20 s."""
    last_ns = 200 * NS_PER_MS
    path = link(tmp_path / "a.npy", [last_ns - 10 + i for i in range(10)], 0, last_ns)
    result = replay(forward=TraceLink(path), duration_ns=20 * S).run()
    most = 600_000 * 1448 / 1500
    assert 0.7 * most < result.row["goodput_bps"] < most * 1.01
    assert result.row["forward_rate_bps"] == 600_000


def test_run__plays_outages_before_and_behind_the_rows(tmp_path: Path) -> None:
    """Rows of 1500 bytes in 5 s to 10 s of every 15 s: nothing arrives at other times."""
    tx_ns = np.arange(5 * S, 10 * S, 12 * NS_PER_MS)
    result = replay(forward=TraceLink(link(tmp_path / "a.npy", tx_ns.tolist(), 0, 15 * S))).run()
    packets = result.packets
    arrived = packets[(packets["direction"] == 0) & (packets["event"] == 1)]["time_ns"]
    assert len(arrived) > 100
    assert arrived[0] >= 5 * S
    in_turn = (arrived - S) % (15 * S)  # delays and half of the round trip are less than a second
    assert ((in_turn >= 4 * S) & (in_turn < 10 * S)).all()
