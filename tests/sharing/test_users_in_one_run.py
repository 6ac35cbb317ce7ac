"""Users of a line in one run: its slots go, at their times, to who has something to send."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tmt
from tests.ns2.scripts import run_script
from tmt import Adaptation, Arq, Flow, Lms, NoScheme, Scenario, Trace, TraceLink, Traffic
from tmt.core.errors import UsageError
from tmt.core.measure.transport import RECEIVED
from tmt.core.sharing import ProportionalFair, RoundRobin, Scheduler, Sharing, Weighted
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.run.experiment import ExperimentResult

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

SCRIPT = Path(__file__).resolve().parents[2] / "clift-ns2" / "tcl" / "replay.tcl"
MS, S = 10**6, 10**9
SLOTS = 20_000
"""Slots of 1 ms, each for one packet: 12 Mbit/s."""


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three users' traces: 2 % of the slots of each are erased, independently."""
    rng, names = np.random.default_rng(1), []
    for user in range(3):
        decode_ns = np.where(rng.random(SLOTS) < 0.02, 0, 3 * MS)
        names.append(str(tmp_path_factory.mktemp("line") / f"user {user}.npy"))
        write_trace(names[-1], PhyTrace(MS * np.arange(SLOTS), decode_ns))
    return names


def run_of(link: TraceLink, *flow: Flow, **traffic: Any) -> ExperimentResult:
    path = tmt.Path(rtt=0.05, queue_packets=100)
    return tmt.replay_trace(link, path, Traffic(**{"duration": 15, "flow": flow} | traffic))


def shared(line: list[str], scheduler: Scheduler, **more: Any) -> TraceLink:
    return TraceLink(line[0], 1500, scheme=Arq(online=True), scheduler=scheduler, others=line[1:], **more)


def arrivals(run: ExperimentResult, flows: int = 1, begin_s: int = 5) -> list[int]:
    """Count the data packets of each group of `flows` that arrive from `begin_s` on."""
    packets = run.packets
    own = packets[(packets["event"] == RECEIVED) & (packets["direction"] == 0)]
    found: list[int] = np.bincount(own["flow"][own["time_ns"] >= begin_s * S] // flows).tolist()
    return found


def test_busy_users__get_what_a_fixed_schedule_gives(line: list[str], tmp_path: Path) -> None:
    run = run_of(shared(line, RoundRobin()), flows=2, flow=())
    groups = json.loads(str(run.row["groups"]))
    assert [one["group"] for one in groups] == [f"2 cubic user={user}" for user in (1, 2, 3)]
    assert [one["share"] for one in groups] == pytest.approx([1 / 3] * 3, rel=0.01)
    for user, name in enumerate(line):
        rows = np.load(name)[user::3]
        own = tmp_path / f"{user}.npy"
        write_trace(own, PhyTrace(rows["tx_time_ns"], rows["decode_time_ns"]))
        alone = run_of(TraceLink(str(own), 1500, scheme=Arq(online=True)), flows=2, flow=())
        # The slots have other fates where another user has retransmitted.
        assert arrivals(run, 2)[user] == pytest.approx(arrivals(alone, 2)[0], rel=0.01)


def test_busy_users_without_losses__get_a_fixed_schedules_packets(tmp_path: Path) -> None:
    name = str(tmp_path / "line.npy")
    write_trace(name, PhyTrace(MS * np.arange(SLOTS), np.full(SLOTS, 3 * MS)))
    link = TraceLink(name, 1500, scheme=NoScheme(online=True), scheduler=RoundRobin(), others=(name, name))
    run = run_of(link, tcp="newreno", flow=())
    assert arrivals(run) == pytest.approx([10_000 / 3] * 3, abs=1)


def test_user_alone__has_the_line_as_if_nobody_shared_it(line: list[str]) -> None:
    flow = Flow("cubic", 2, transfer_bytes=3_000_000)
    for scheduler in (RoundRobin(), Weighted((7, 1, 3)), ProportionalFair(100)):
        run = run_of(shared(line, scheduler), flow)
        alone = run_of(TraceLink(line[0], 1500, scheme=Arq(online=True)), flow)
        assert np.array_equal(run.packets, alone.packets)
        assert run.row["forward_utilisation"] == alone.row["forward_utilisation"]


def test_weights__divide_the_line(line: list[str]) -> None:
    run = run_of(shared(line, Weighted((2, 1, 5))), *(Flow("newreno", 8, user=user) for user in (1, 2)))
    first, second = arrivals(run, 8)
    assert first == pytest.approx(2 * second, rel=0.005)
    assert first + second > 0.97 * 10_000


def test_groups__are_of_the_users_that_they_name(line: list[str]) -> None:
    """Two groups of one user share its slots, half of the line."""
    flows = Flow("cubic", 4, user=3), Flow("newreno", 4, user=3), Flow("cubic", 4, user=1)
    first, second, alone = arrivals(run_of(shared(line, RoundRobin()), *flows), 4)
    assert first + second == pytest.approx(alone, rel=0.01)


def test_bursts__share_what_others_leave(tmp_path: Path) -> None:
    """`tmt run` of three users: in one run, and over a fixed schedule, in which each has its slots only."""
    channel = tmt.Bernoulli(0.02)
    starts = (0, 1, 4)
    bursts = tuple(Flow("cubic", start=start, transfer_bytes=4_000_000) for start in starts)
    common: dict[str, Any] = {"rate": 12e6, "lldu_bytes": 1500, "length": 30}

    def goodputs(sharing: Sharing, *flow: Flow) -> list[float]:
        """Return each group's goodput in a run that ends with the last burst."""
        own = tuple(flow)
        scenario = Scenario(
            trace=(Trace(channel=channel, sharing=sharing, **common),),
            scheme=(Arq(online=True),),
            path=(tmt.Path(rtt=0.1),),
            traffic=(Traffic(duration=30, flow=own),),
        )
        runs = scenario.run(tmp_path / f"{sharing.user}").runs
        assert list(runs["status"]) == ["done"]
        return [one["goodput_bps"] for one in json.loads(runs["groups"][0])]

    together = goodputs(Sharing(3, "all"), *bursts)
    fixed = [goodputs(Sharing(3, user), bursts[user - 1])[0] for user in (1, 2, 3)]
    assert len(together) == 3
    assert sum(together) > 1.2 * sum(fixed)


def test_proportional_fairness__gains_by_fading(tmp_path: Path) -> None:
    trace = {
        "channel": Lms(es_n0_db=12, interleaver_depth=0, processing_time=0.001, speed_kmh=3),
        "rate": 1e6,
        "lldu_bytes": 125,
        "length": 20,
        "adaptation": Adaptation("nr-1", resource_blocks=10, adapt="ideal"),
    }
    rules = RoundRobin(), ProportionalFair()
    scenario = Scenario(
        trace=tuple(Trace(**trace, sharing=Sharing(4, "all", rule)) for rule in rules),
        scheme=(Arq(online=True),),
        path=(tmt.Path(rtt=0.05),),
        traffic=(Traffic(duration=15),),
    )
    runs = scenario.run(tmp_path / "out").runs.set_index("trace")["goodput_bps"]
    by_rule = {name.rpartition(" ")[2]: goodput for name, goodput in runs.items()}
    assert by_rule["proportional-fair"] > 1.05 * by_rule["round-robin"]


def test_traces_of_other_slots__are_refused(line: list[str], tmp_path: Path, simulator: Path) -> None:
    rows = np.load(line[0])
    late, short = str(tmp_path / "late.npy"), str(tmp_path / "short.npy")
    times_ns = rows["tx_time_ns"].copy()
    times_ns[7] += 1
    write_trace(late, PhyTrace(times_ns, rows["decode_time_ns"]))
    write_trace(short, PhyTrace(times_ns[:-1], rows["decode_time_ns"][:-1]))
    reasons = {
        late: f"row 8: is sent at 7000001 ns, that of {line[0]} at 7000000 ns",
        short: f" has 19999 slots, {line[0]} has 20000",
    }
    for name, reason in reasons.items():
        words = ["forward", line[0], "forward_scheme", "none", "forward_scheduler", "round-robin"]
        done = run_script(simulator, SCRIPT, tmp_path, *words, "forward_users", name)
        assert done.returncode == 2
        assert done.stderr == f"{name}:{reason}; users share the slots of one line\n"


@pytest.mark.parametrize(
    ("scheduler", "said"),
    [
        ("first-come", "scheduler is first-come; allowed is round-robin, weighted WEIGHT ... with one for"),
        (
            "weighted 1",
            "scheduler is weighted 1; allowed is round-robin, weighted WEIGHT ... with one for each",
        ),
        ("weighted 1 0", "scheduler weighted is 0; allowed is weights from 1 to 1000000"),
    ],
)
def test_bad_scheduler__is_refused(
    line: list[str], tmp_path: Path, simulator: Path, scheduler: str, said: str
) -> None:
    words = ["forward", line[0], "forward_scheme", "none", "forward_users", f"{{{line[1]}}}"]
    done = run_script(simulator, SCRIPT, tmp_path, *words, "forward_scheduler", scheduler)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Clift/SharedLine: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"others": ("b.npy",)}, "scheduler: is missing: users share the slots; allowed: round-robin"),
        ({"scheduler": RoundRobin()}, "scheme: is missing: users share the slots of PHY traces; allowed: a"),
        (
            {"scheme": Arq(online=True), "scheduler": Weighted((1, 1))},
            "scheduler.weights: [1, 1] has 2 weights; allowed: one for each user, 1",
        ),
    ],
)
def test_bad_link__is_refused(link: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        TraceLink("a.npy", **link)
    assert str(refused.value).startswith(said)
