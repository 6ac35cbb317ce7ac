"""Agent/TCP/Fectcp in the simulator: sending times, effects of losses, shares of a link.

A packet takes 1 ms and each way 50 ms unless a test says otherwise; the handshake takes 0.027 ms.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.ns2.scripts import output_of, run_script

SCRIPT = Path(__file__).with_name("fectcp.tcl")
HANDSHAKE_S = 0.1 + 40 * 8 / 12e6
PACKET_BITS = 12_000


class Run:
    """The counters of a simulation, and the packets sent and lost, in order."""

    def __init__(self, simulator: Path, folder: Path, **settings: object) -> None:
        printed = output_of(simulator, SCRIPT, folder, **settings).splitlines()
        self.counters = {name: float(value) for name, value in map(str.split, printed)}
        lines = [line.split() for line in (folder / "out.tr").read_text().splitlines()]
        self.sent = [(float(words[1]), int(words[10])) for words in lines if words[0] == "+"]
        self.lost = [int(words[10]) for words in lines if words[0] == "d"]

    def __getitem__(self, name: str) -> float:
        return self.counters[name]

    def goodput_bps(self, flow: int = 0) -> float:
        return 8 * self[f"{flow}.bytes"] / self["end_s"]


def drops(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def test_first_round_trip__is_a_handshake_and_three_even_segments(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=100)
    assert [time_s for time_s, number in run.sent if number < 4] == pytest.approx(
        [0, HANDSHAKE_S, HANDSHAKE_S * 4 / 3, HANDSHAKE_S * 5 / 3], abs=2e-6
    )
    assert run["0.decoded_symbols"] == 100
    assert run["0.bytes"] == 100 * 1448


def test_no_loss__needs_no_more_than_the_code_does(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=1000, block=1000, overhead="5%", window=20)
    assert run["0.reductions"] == 0
    assert (run["0.decoded_symbols"], run["0.overhead_symbols"]) == (1000, 50)
    numbers = [number for _, number in run.sent]
    assert len(set(numbers)) == len(numbers)


def test_single_losses__are_ignored(simulator: Path, tmp_path: Path) -> None:
    single = list(range(30, 3000, 3))
    run = Run(simulator, tmp_path, segments=2000, window=21, drops=drops(single))
    assert len(run.lost) > 500
    assert run["0.reductions"] == 0
    assert run["0.cwnd"] == 20


def test_ten_percent_losses__reduce_the_rate_only_if_consecutive(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=0, window=21, error=0.1, duration=60)
    pairs = sum(after == before + 1 for before, after in pairwise(run.lost))
    assert len(run.lost) > 500
    # Each reduction has its pair, and pairs within one round trip reduce once.
    assert 0.5 * pairs < run["0.reductions"] <= pairs


def test_congestion__reduces_the_rate_before_many_are_dropped(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=0, queue=10, duration=100)
    assert run["0.reductions"] > 5
    assert len(run.lost) < 0.01 * run["0.sent"]
    assert run.goodput_bps() > 0.7 * 12e6


def test_lost_final_acks__are_said_again(simulator: Path, tmp_path: Path) -> None:
    # ACK 100 is that of the 100th segment, after which every segment that arrives asks again.
    run = Run(simulator, tmp_path, segments=100, window=21, ack_drops=drops(list(range(100, 160))))
    assert run["end_s"] < 5
    assert run["0.decoded_symbols"] == 100
    assert run["0.surplus"] >= 60


@pytest.mark.parametrize("error", [0.3, 0.7])
def test_rough_ways__do_not_stop_a_transfer(simulator: Path, tmp_path: Path, error: float) -> None:
    run = Run(simulator, tmp_path, segments=500, error=error, ack_error=error, duration=2000, block=100)
    assert run["end_s"] < 2000
    assert run["0.decoded_symbols"] == 500


def test_several_flows__share_a_link(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=0, rate=2e6, queue=50, flows=4, duration=100, block=50)
    goodputs = [run.goodput_bps(flow) for flow in range(4)]
    assert min(goodputs) > 0.8 * max(goodputs)
    assert sum(goodputs) > 0.85 * 2e6


def test_tcp_beside_it__gets_its_share(simulator: Path, tmp_path: Path) -> None:
    run = Run(
        simulator, tmp_path, segments=0, rate=1e6, queue=50, rival="tcp", rival_s=50, duration=300, block=50
    )
    rival_bps = run["rival.acknowledged"] * PACKET_BITS / 250
    assert 0.25e6 < rival_bps < 0.8e6
    assert run.goodput_bps() > 0.25e6


def test_udp_beside_it__makes_it_yield(simulator: Path, tmp_path: Path) -> None:
    run = Run(simulator, tmp_path, segments=0, rate=1e6, queue=50, rival="udp", duration=200, block=50)
    lost_ratio = len(run.lost) / run["0.sent"]
    assert lost_ratio < 0.01
    assert 0.6e6 < run.goodput_bps() < 0.84e6


@pytest.mark.parametrize(
    ("overhead", "reason"), [("five", "not an overhead"), ("5:1,3:1", "rising"), ("-5%", "not an overhead")]
)
def test_bad_overhead__is_refused(simulator: Path, tmp_path: Path, overhead: str, reason: str) -> None:
    done = run_script(simulator, SCRIPT, tmp_path, overhead=overhead)
    assert done.returncode == 2
    assert done.stderr.startswith("Agent/TCP/Fectcp: ")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
