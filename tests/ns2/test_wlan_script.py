"""The wireless LAN: what its MAC carries by hand arithmetic, losses that it does not repair, refusals."""

from pathlib import Path

import pytest
from processes import execute

SCRIPT = Path(__file__).resolve().parents[2] / "analysis" / "botos" / "wlan.tcl"


def wlan(simulator: Path, **settings: object) -> dict[str, float]:
    words = [str(word) for item in settings.items() for word in item]
    done = execute(simulator, SCRIPT, *words, check=True)
    lines = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return {name: float(value) for name, value in lines}


def test_wlan__carries_what_802_11_at_1_mbit_s_can(simulator: Path) -> None:
    # Long preamble, no RTS (IEEE 802.11, section 15: slot 20 us, SIFS 10, DIFS 50, preamble and header 192):
    # DIFS, 15.5 slots of backoff in the mean, 192 us and (1500 + 28) bytes of data, SIFS, 192 us and 14 bytes
    # of acknowledgement are 13.09 ms a packet. Backoff of 4000 packets leaves 0.02 %; routing takes a little.
    results = wlan(simulator, flows="udp", udp_rate_bps=1.2e6, duration_s=52.36)
    packet_s = 50e-6 + 15.5 * 20e-6 + 192e-6 + 8e-6 * 1528 + 10e-6 + 192e-6 + 8e-6 * 14
    assert results["flow_0_packets"] == pytest.approx(52.36 / packet_s, rel=0.01)


def test_wlan__loses_segments_behind_the_mac(simulator: Path) -> None:
    # The MAC acknowledges what the transport never sees: as much goes over the air, of which 30 % are lost
    # (standard deviation 0.7 % of 4000 packets). Repetitions by the MAC would take that out of the rest.
    results = wlan(simulator, flows="udp", udp_rate_bps=1.2e6, duration_s=52.36, loss=0.3)
    assert results["flow_0_packets"] == pytest.approx(4000, rel=0.01)
    assert results["flow_0_packets_lost"] / results["flow_0_packets"] == pytest.approx(0.3, abs=0.029)


@pytest.mark.parametrize("stack", ["2009", "modern"])
@pytest.mark.parametrize("delay_s", [0.02, 0.1])
def test_wlan__lets_tcp_fill_what_the_mac_carries(simulator: Path, stack: str, delay_s: float) -> None:
    # 1448 bytes in 13.09 ms and an acknowledgement in 1.50 ms (52 bytes instead of 1500) would be 794 kbit/s
    # if they never met on the air. Two stations wait together, which saves, and collide, which costs.
    results = wlan(simulator, flows="cubic", stack=stack, delay_s=delay_s, transfer_bytes=4e6, duration_s=1e3)
    assert results["flow_0_acknowledged"] == 2763  # of 1448 bytes
    goodput_bps = 8 * 4e6 / results["elapsed_s"]
    assert goodput_bps == pytest.approx(794e3, rel=0.1)


def test_wlan__has_a_delay_of_one_way(simulator: Path) -> None:
    # Connection and one segment, each acknowledged: four times the wire's delay; on the air four frames, of
    # which each takes 0.9 ms or more, that with 1460 bytes 12.6.
    for delay_s in (0.02, 0.1):
        results = wlan(simulator, flows="newreno", delay_s=delay_s, transfer_bytes=1000, duration_s=10)
        assert 4 * delay_s + 0.012 < results["elapsed_s"] < 4 * delay_s + 0.023


def test_wlan__decodes_with_the_overhead_of_the_code(simulator: Path) -> None:
    # 691 segments of 1448 bytes; 5 % more have to arrive whatever is lost, and the handshake of 40 bytes.
    for loss in (0.0, 0.2):
        results = wlan(simulator, flows="fectcp", transfer_bytes=1e6, duration_s=1000, loss=loss)
        arrived = (results["flow_0_bytes_passed"] - 40) / 1500
        assert 691 * 1.05 <= arrived < 691 * 1.05 + 10
        assert results["elapsed_s"] < 1000


def test_wlan__samples_every_flow(simulator: Path) -> None:
    results = wlan(
        simulator, flows="newreno udp", start_s="0 10", duration_s=20, sample_s=5, udp_rate_bps=80e3
    )
    assert results["flow_1_bytes_at_10000_ms"] == 0
    # 80 kbit/s are 10,000 bytes a second, in packets of 1500; the access point's queue holds some of them.
    assert results["flow_1_bytes_at_15000_ms"] == pytest.approx(50_000, abs=15_000)
    assert results["flow_0_bytes_at_15000_ms"] > results["flow_0_bytes_at_10000_ms"] > 0


def test_wlan__is_the_same_for_the_same_seed(simulator: Path) -> None:
    same = {"flows": "westwood", "transfer_bytes": 3e5, "loss": 0.1, "cluster_packets": 2, "duration_s": 500}
    assert wlan(simulator, **same, seed=4) == wlan(simulator, **same, seed=4)
    assert wlan(simulator, **same, seed=4) != wlan(simulator, **same, seed=5)
