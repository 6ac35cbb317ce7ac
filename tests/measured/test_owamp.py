"""Packets of owping, twping and perfSONAR, as their programs print them; values by hand."""

import json
from pathlib import Path

import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError
from tmt.core.trace import LinkTrace

SECOND = 2**32
"""Of an NTP stamp."""
BEGIN = 3_900_000_000 * SECOND
MS = 10**6


def raw(number: int, sent: int, received: int) -> str:
    """As `owping -R` prints a packet: "%lu %020lu %u %g %020lu %u %g %u"."""
    if received == 0:
        return f"{number} {sent:020} 1 1.5e-05 {0:020} 0 0 255"
    return f"{number} {sent:020} 1 1.5e-05 {received:020} 1 2e-05 252"


def link(path: Path, importer: str = "auto", **options: object) -> LinkTrace:
    return import_trace(importer, path, **options)


def rows(trace: LinkTrace) -> list[tuple[float, float, bool]]:
    return [
        (sent / MS, delay / MS, bool(delivered))
        for sent, delay, delivered in zip(
            trace.tx_time_ns.tolist(), trace.delay_ns.tolist(), trace.delivered.tolist(), strict=True
        )
    ]


def test_raw_packets__have_the_difference_of_their_stamps(tmp_path: Path) -> None:
    """Sent at 0, 125, 250 and 375 ms; 250 ms, lost, 62.5 ms under way; arrivals out of order, one twice."""
    eighth = SECOND // 8
    lines = [
        raw(2, BEGIN + 2 * eighth, BEGIN + 2 * eighth + SECOND // 16),
        raw(0, BEGIN, BEGIN + SECOND // 4),
        raw(2, BEGIN + 2 * eighth, BEGIN + 4 * eighth),
        raw(1, BEGIN + eighth, 0),
        raw(3, BEGIN + 3 * eighth, BEGIN + 4 * eighth),
    ]
    (tmp_path / "packets").write_text("\n".join(lines) + "\n")
    trace = link(tmp_path / "packets")
    assert rows(trace) == [
        (0, 250, True),
        (125, 156.25, False),
        (250, 62.5, True),
        (375, 125, True),
    ]
    assert trace.metadata["importer"] == "owamp"
    assert trace.metadata["lldu_bytes"] == 42
    assert trace.metadata["notes"][:2] == [
        "the clocks are taken to agree: least delay 62.500 ms",
        "1 duplicate is left out",
    ]


def test_raw_packets__of_clocks_that_differ_have_a_least_delay_of_1_ms(tmp_path: Path) -> None:
    """The receiver's clock is 2 s behind: -2 s + 125 ms and -2 s + 250 ms become 1 ms and 126 ms."""
    lines = [
        raw(n, BEGIN + n * SECOND, BEGIN + (n - 2) * SECOND + wait)
        for n, wait in enumerate((SECOND // 8, SECOND // 4))
    ]
    (tmp_path / "packets").write_text("\n".join(lines) + "\n")
    trace = link(tmp_path / "packets")
    assert rows(trace) == [(0, 1, True), (1000, 126, True)]
    assert "(-1.875000 s removed)" in trace.metadata["notes"][0]


def test_text__needs_the_times_of_unix(tmp_path: Path) -> None:
    text = (
        "Approximately 3.2 seconds until results available\n\n"
        "--- owping statistics from [one]:8774 to [192.168.0.19]:9071 ---\nSID:\tc0a80013e15246c8\n"
        "seq_no=0 delay=2.500000e+01 ms (sync, err=0.645 ms) sent=1571266073.682000 recv=1571266073.707000\n"
        "seq_no=1          *LOST*\n"
        "seq_no=2 delay=2.400000e+01 ms (sync, err=0.645 ms) sent=1571266074.182000 recv=1571266074.206000\n"
        "first:\t2019-10-16T22:47:53.682\nlast:\t2019-10-16T22:48:06.470\n"
        "3 sent, 1 lost (33.333%), 0 duplicates\n"
        "one-way delay min/median/max = 24/25/25 ms, (err=0.645 ms)\n"
    )
    (tmp_path / "text").write_text(text)
    assert rows(link(tmp_path / "text")) == [(0, 25, True), (250, 24.5, False), (500, 24, True)]
    (tmp_path / "text").write_text("seq_no=0          delay=25 ms\t(sync, err=0.645 ms)\n")
    with pytest.raises(InputError, match=r"has no sending time of owping; run it with -R, or with -v -U"):
        link(tmp_path / "text")
    (tmp_path / "text").write_text(text.replace("seq_no", "number"))
    with pytest.raises(InputError, match="there is no packet of owping; run it with -R, or with -v -U"):
        link(tmp_path / "text")


def test_twamp__gives_both_directions(tmp_path: Path) -> None:
    """There 125 ms, 31.25 ms in the reflector, back 62.5 ms; the second packet is lost."""
    there, turned, back = SECOND // 8, SECOND // 32, SECOND // 16
    arrived, left = BEGIN + there, BEGIN + there + turned
    zero = f"{0:020}"
    later = BEGIN + SECOND
    (tmp_path / "packets").write_text(
        f"{raw(0, BEGIN, arrived)} {raw(0, left, left + back)}\n"
        f"1 {BEGIN + SECOND // 2:020} 1 1e-05 {zero} 0 0 255 0 {zero} 0 0 {zero} 0 0 255\n"
        f"{raw(2, later, later + there)} {raw(1, later + there, later + there + back)}\n"
    )
    up, down = (link(tmp_path / "packets", direction=way) for way in ("up", "down"))
    assert up.metadata["importer"] == "twamp"
    assert rows(up) == [(0, 125, True), (500, 125, False), (1000, 125, True)]
    assert rows(down) == [(0, 62.5, True), (500, 62.5, False), (1000, 62.5, True)]
    assert any("1 loss of unknown direction" in note for note in down.metadata["notes"])


def test_twamp__reads_text(tmp_path: Path) -> None:
    line = (
        "seq_no={} fwd_delay=1.250000e+01 ms bck_delay=7.500000e+00 ms delay=2.000000e+01 ms "
        "proc_delay=3.000000e-03 ms (err=0.1 ms) sent={} recv=0 reflected=0 recv=0\n"
    )
    (tmp_path / "text").write_text(line.format(0, "9.000000") + line.format(1, "9.100000"))
    assert rows(link(tmp_path / "text", direction="up")) == [(0, 12.5, True), (100, 12.5, True)]
    assert rows(link(tmp_path / "text", direction="down")) == [(0, 7.5, True), (100, 7.5, True)]


def test_raw_packets__of_perfsonar_stand_in_a_result(tmp_path: Path) -> None:
    packets = [
        {"seq-num": 0, "src-ts": BEGIN, "dst-ts": BEGIN + SECOND // 8, "src-clock-sync": True, "ip-ttl": 255},
        {"seq-num": 1, "src-ts": BEGIN + SECOND, "dst-ts": 0},
    ]
    result = {"succeeded": True, "packets-sent": 2, "raw-packets": packets}
    for document in (result, {"result": result}, {"measurement": {"result": result}}):
        (tmp_path / "result.json").write_text(json.dumps(document))
        assert rows(link(tmp_path / "result.json")) == [(0, 125, True), (1000, 125, False)]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            [raw(0, BEGIN, BEGIN + SECOND), raw(0, BEGIN + 5, BEGIN + SECOND)],
            ":2: packet 0 occurs again",
        ),
        ([raw(0, BEGIN, BEGIN + SECOND), "1 2 3"], r":2: this line has 3 fields; 8"),
        (
            [raw(0, BEGIN, BEGIN + SECOND), raw(1, BEGIN, 2**64)],
            ":2: field 5 is 18446744073709551616; allowed are",
        ),
        ([raw(0, BEGIN, 0)], ": 1 packet is lost, and there is no other; no delay is known"),
        ([raw(0, BEGIN, 5)], ":1: its delay is -3.9e[+]09 s"),
    ],
)
def test_raw_packets__that_cannot_be_are_refused(lines: list[str], reason: str, tmp_path: Path) -> None:
    (tmp_path / "packets").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=reason):
        link(tmp_path / "packets", "owamp")


def test_raw_packets__lose_a_line_that_is_cut(tmp_path: Path) -> None:
    (tmp_path / "packets").write_text(raw(0, BEGIN, BEGIN + SECOND) + "\n1 0000")
    trace = link(tmp_path / "packets")
    assert len(trace) == 1
    assert "the last line is cut short and left out" in trace.metadata["notes"]
