"""TCP connections in captures: rates, round trips, retransmissions."""

import struct
from pathlib import Path

import numpy as np
import pytest

from tests.measured.capture_files import MS, ipv4, pcap, stamps, tcp
from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError
from tmt.importers.importer import recognised
from tmt.importers.pcap_tcp import PcapTcp
from tmt.importers.rate_series import RateSeries

CAPTURES = Path(__file__).with_name("captures")


def series(folder: Path, *packets: tuple[float, bytes]) -> RateSeries:
    """Read packets at times in ms, in intervals of 100 ms."""
    return PcapTcp().rates(written(folder, pcap([(round(at * MS), data) for at, data in packets])))


def test_tcp__has_the_rate_that_is_acknowledged(tmp_path: Path) -> None:
    """By hand: in 100 ms 1000 bytes, in the next 3000; round trips of 40, 50 and 60 ms, half of them delays.

    The last interval is not whole and is left out.
    """
    found = series(
        tmp_path,
        (0, tcp(1, 1, 1000)),
        (40, tcp(1, 1001, back=True)),
        (100, tcp(1001, 1, 1000)),
        (110, tcp(2001, 1, 2000)),
        (150, tcp(1, 2001, back=True)),
        (170, tcp(1, 4001, back=True)),
        (230, tcp(4001, 1, 500)),
        (280, tcp(1, 4501, back=True)),
    )
    assert found.rate_bps.tolist() == [80_000, 240_000]
    assert found.loss.tolist() == [0, 0]
    # The last round trip, of 50 ms, counts in the last whole interval: the median of 50, 60 and 50.
    assert (found.delay_ns / MS).tolist() == [20, 25]
    assert "the capture seems to be at the sender: 4 round trips by sequence numbers" in found.notes[4]


def test_tcp__counts_what_is_sent_again_as_lost(tmp_path: Path) -> None:
    """By hand: the second of three segments is lost and sent again; the third is acknowledged selectively.

    So 2000 bytes arrive in the first 100 ms, 1000 in the second, where as many are sent again.
    """
    sack = struct.pack(">4B2I", 1, 1, 5, 10, 2001, 3001)
    found = series(
        tmp_path,
        *[(at, tcp(1 + 1000 * at, 1, 1000)) for at in range(3)],
        (40, tcp(1, 1001, back=True)),
        (42, tcp(1, 1001, back=True, options=sack)),
        (120, tcp(1001, 1, 1000)),
        (160, tcp(1, 3001, back=True)),
        (210, tcp(1, 3001, back=True)),
        (220, tcp(3001, 1, 10)),
        (250, tcp(1, 3011, back=True)),
    )
    assert found.rate_bps.tolist() == [160_000, 160_000]
    assert found.loss.tolist() == [0, 0.5]
    # Karn: no round trip of a segment that was sent twice, or that was on its way then.
    assert (found.delay_ns / MS).tolist() == [20, 15]


@pytest.mark.parametrize("start", [1, 2**32 - 1500])
def test_tcp__at_the_receiver_sees_a_loss_as_a_hole_that_is_filled(start: int, tmp_path: Path) -> None:
    """By hand: the first interval has 2000 bytes, the second 1000, which filled a hole. Numbers may wrap.

    The receiver answers at once. Its stamp of 40 ms comes back with data 60 ms later.
    """
    found = series(
        tmp_path,
        (0, tcp(start, 1, 1000, options=stamps(7, 1))),
        (0.1, tcp(1, start + 1000, back=True, options=stamps(40, 7))),
        (40, tcp(start + 2000, 1, 1000, options=stamps(7, 1))),
        (
            40.1,
            tcp(
                1,
                start + 1000,
                back=True,
                options=stamps(80, 7)
                + struct.pack(">4B2I", 1, 1, 5, 10, *(edge % 2**32 for edge in (start + 2000, start + 3000))),
            ),
        ),
        (60.1, tcp(start + 1000, 1, 1000, options=stamps(99, 40))),
        (60.2, tcp(1, start + 3000, back=True, options=stamps(100, 99))),
        (201, tcp(start + 3000, 1, 1000, options=stamps(120, 100))),
        (201.1, tcp(1, start + 4000, back=True, options=stamps(240, 120))),
    )
    assert found.rate_bps.tolist() == [8 * 4000 * 10, 0]
    assert found.loss.tolist() == [0.25, 0]
    assert (
        "the capture seems to be at the receiver: 2 round trips by timestamps, least 60.000" in found.notes[4]
    )


def test_tcp__takes_headers_alone(tmp_path: Path) -> None:
    """A snapshot length of 40 bytes keeps the headers; IP's length tells the payload."""
    found = series(tmp_path, (0, tcp(1, 1, 1000, captured=40)), (100, tcp(1, 1001, back=True)))
    assert found.rate_bps.tolist() == [0]
    found = series(tmp_path, (0, tcp(1, 1, 1000, captured=40)), (50, tcp(1, 1001, back=True)))
    assert found.rate_bps.tolist() == [80_000]


@pytest.mark.parametrize(
    ("packets", "reason"),
    [
        ([ipv4(b"x")], "there is no TCP packet in this capture"),
        ([tcp(1, 1), tcp(1, 1, back=True)], "its TCP packets carry no payload"),
        ([tcp(1, 1, 9)], "it holds one direction only; acknowledgements are needed, too"),
        ([tcp(1, 1, 9), tcp(1, 1, back=True)], "no payload is acknowledged in this capture"),
    ],
)
def test_tcp__refuses_a_capture_without_a_connection(
    packets: list[bytes], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f": {reason}"):
        series(tmp_path, *enumerate(packets))


def test_tcp__refuses_more_intervals_than_fit(tmp_path: Path) -> None:
    path = written(tmp_path, pcap([(0, tcp(1, 1, 9)), (2**31 * 10**9, tcp(1, 10, back=True))]))
    with pytest.raises(InputError, match=r"its packets span 21474836480 intervals of --rate-interval 0\.1 s"):
        PcapTcp().rates(path)


def test_auto__tells_tcp_from_udp(tmp_path: Path) -> None:
    for data, name in ((tcp(1, 1, 100), "pcap-tcp"), (ipv4(bytes(200)), "pcap")):
        path = written(tmp_path, pcap([(0, tcp(1, 1, 1)), (1, ipv4(b"x")), (2, data)]))
        assert recognised(path).name == name


@pytest.mark.parametrize(
    ("end", "sent", "again", "trips", "least_ms", "median_ms"),
    [
        ("sender", 228_960, 28_960, 27, 42.664083, 82.345806),
        ("receiver", 200_000, 27_512, 99, 41.945809, 84.001121),
    ],
)
def test_tcp__agrees_with_counts_of_a_real_connection(
    end: str, sent: int, again: int, trips: int, least_ms: float, median_ms: float
) -> None:
    """Linux sends 200,000 bytes over `tmt emulate` (2 Mbit/s, 40 ms, 3 % lost); counted with a few lines.

    TCP_INFO of the sender told 20 retransmissions, of 1448 bytes each, and a least round trip of 42.699 ms.
    The emulator lost 6 packets and dropped 14, and its least delays were 21.84 ms and 20.06 ms.
    """
    found = PcapTcp().rates(str(CAPTURES / f"tcp-{end}.pcap.gz"))
    assert f" sends {sent:,} bytes of payload to 10.0.0.2:5001" in found.notes[0]
    assert found.notes[1].startswith(f"{again:,} bytes count as lost, seen again")
    assert found.notes[4].startswith(
        f"the capture seems to be at the {end}: {trips} round trips by timestamps, "
        f"least {least_ms:.3f} ms, median {median_ms:.3f} ms"
    )
    # Packets of 1500 bytes carry 1448: the link gave 1.93 Mbit/s of payload, and less at the beginning.
    assert 1.0e6 < np.median(found.rate_bps) < 2.0e6


def test_tcp__becomes_a_trace(tmp_path: Path) -> None:
    trace = import_trace("auto", CAPTURES / "tcp-receiver.pcap.gz", tmp_path / "a.parquet", rate_interval=0.2)
    assert trace.metadata["rate_interval_ns"] == 200 * MS
    assert trace.metadata["lldu_bytes"] == 1500
