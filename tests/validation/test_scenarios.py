"""Every scenario runs, in short, with one seed and one variant."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from tmt import Lms, Scenario, Trace
from tmt.core.errors import SimulatorError
from tmt.io import read_phy
from tmt.run import load_backend
from tmt.spec.programs import PROGRAMS
from tmt.spec.stacks import LINUX, QUIC

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(
    path
    for path in (ROOT / "scenarios").glob("*.toml")
    if not re.match("measured-|ntn-leo|ntn-meo|satellite-50-|satellite-250-3$", path.stem)
)
"""All but those over measured traces, which run below, and those that differ from others in numbers only."""


T = TypeVar("T")


def _ends(axis: Sequence[T]) -> list[T]:
    """Return the first and the last value: tests of queues and schemes have all."""
    different = list(dict.fromkeys(axis))
    return different[:: len(different) - 1 or 1]


def short(scenario: Scenario) -> Scenario:
    """Return a campaign of seconds: one seed, variant, Es/N0 and round trip; a scheme of each name."""
    first: dict[str, float] = {}
    traces = []
    for trace in scenario.trace:
        channel = trace.channel
        if isinstance(channel, Lms):
            channel = replace(channel, es_n0_db=first.setdefault(channel.profile, channel.es_n0_db))
        length = None if trace.length is None else 20
        realisations = None if trace.realisations is None else 1
        traces.append(replace(trace, channel=channel, length=length, realisations=realisations))
    cubic = {"tcp": "cubic", "code": None, "block_segments": None, "seeds": None, "duration": 4}
    traffic = [
        replace(
            one,
            **cubic,
            start=0,
            start_spread=min(one.start_spread, 1),
            flow=tuple(dict.fromkeys(replace(group, start=0) for group in one.flow)),
        )
        for one in scenario.traffic
    ]
    paths = [replace(one, rtt=scenario.path[0].rtt) for one in scenario.path]
    axes: dict[str, Sequence[object]] = {
        "trace": traces,
        "scheme": list({one.name: one for one in scenario.scheme}.values()),
        "traffic": _ends(traffic),
        "path": _ends(paths),
    }
    if scenario.program:  # a tenth of the bytes, in one order
        programs = [
            replace(one, server=tuple(command.replace("000000", "00000") for command in one.server))
            for one in scenario.program
        ]
        axes |= {"program": programs, "path": paths[:1], "scheme": _ends(scenario.scheme)}
    return replace(
        scenario, seeds=1, records=(), **{key: tuple(dict.fromkeys(axis)) for key, axis in axes.items()}
    )


@pytest.mark.ns2
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario__runs(path: Path, tmp_path: Path) -> None:
    scenario = Scenario.read(path)
    try:
        optional = {one.stack for one in scenario.traffic} & {LINUX, QUIC}
        for backend in sorted(optional | ({PROGRAMS} if scenario.program else set())):
            load_backend(backend).program()
    except SimulatorError as error:
        pytest.skip(f"{error}")
    needed = [Path(name) for one in scenario.program for name in (one.root, *one.files) if name is not None]
    if missing := [path for path in needed if not path.exists()]:
        pytest.skip(f"no {missing[0]}: docs/programs-compared.md has the commands that make it")
    rows = short(scenario).run(tmp_path / "out", jobs=1).runs
    assert (rows["status"] == "done").all()
    assert set(rows["tcp"]) == {"cubic"} or scenario.program or any(one.flow for one in scenario.traffic)
    arrived = "received_bps" if scenario.program else "goodput_bytes"  # programs over QUIC have no goodput
    protected = rows[rows["scheme"] != "none"]
    assert not len(protected) or (protected[arrived] > 0).mean() > 0.5, (
        "at 5 dB some schemes may deliver nothing in 4 s"
    )


@pytest.mark.ns2
@pytest.mark.parametrize(
    "path", sorted((ROOT / "scenarios").glob("measured-*.toml")), ids=lambda path: path.stem
)
def test_scenario__runs_over_its_measured_link(path: Path, simulator: Path, tmp_path: Path) -> None:
    """One seed, four seconds from the trace's beginning, the first and the last variant."""
    assert simulator.is_file()
    scenario = Scenario.read(path)
    brief = replace(
        scenario,
        seeds=1,
        trace=tuple(replace(one, offset=0.0) for one in scenario.trace),
        traffic=tuple(replace(one, duration=4) for one in _ends(scenario.traffic)),
    )
    rows = brief.run(tmp_path / "out", jobs=1).runs
    assert (rows["status"] == "done").all()
    assert (rows["goodput_bps"] > 0).all()
    assert (rows["goodput_bps"] <= max(map(offered_bps, Scenario.read(path).trace))).all()


def offered_bps(source: Trace) -> float:
    """Return the rate that the slots of the first four seconds carry."""
    if source.file is None:
        assert source.rate is not None
        return source.rate
    trace = read_phy(source.file)
    first = trace.tx_time_ns < 4 * 10**9
    sizes = trace.size_bytes
    if sizes is None:
        sizes = np.full(len(trace), trace.metadata["lldu_bytes"])
    return float(8 * sizes[first].sum() / 4)
