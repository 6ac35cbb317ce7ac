"""The judgement, small: kernel and ns-2 over one short link, and the page's tables from rows made by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.judge import bbr3, report
from analysis.judge.__main__ import MARKER, REAL_TIME, main, table as real_time_table
from analysis.judge.report import SCENARIOS, read_campaign
from analysis.runs import run
from tmt import Bernoulli, ErrorFree, Scenario

PLACES = "".join(
    f"<!-- {name} -->\n<!-- end -->\n"
    for name in ("runs of make judge", "written by make judge", "BBRv3", "beside CUBIC", MARKER)
)


def row(stack: str, seed: int, goodput_bps: float, retransmissions: int) -> dict[str, Any]:
    """A finished run over one link."""
    return {
        "tcp": "newreno",
        "stack": stack,
        "link": "GEO link",
        "seed": seed,
        "duration_s": 100.0,
        "goodput_bps": goodput_bps,
        "retransmissions": retransmissions,
        "segments_sent": 1000,
        "cwnd_mean_packets": 80.0,
    }


def test_scenarios__hold_twelve_links_three_of_them_with_both_kinds_of_receivers() -> None:
    scenarios = [Scenario.read(path) for path in SCENARIOS]
    assert sum(len(one.trace) * len(one.scheme) * len(one.path) for one in scenarios) == 12
    both = [one for one in scenarios if {use.delayed_acks for use in one.traffic} == {True, False}]
    assert len(both) == 3


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_links__are_told_apart_by_their_receivers(tmp_path: Path) -> None:
    asked = Scenario.read(SCENARIOS[-1])
    uses = [replace(one, duration=2) for one in asked.traffic if (one.tcp, one.stack) == ("bbr", "modern")]
    scenario, kept = tmp_path / "both.toml", tmp_path / "both"
    replace(asked, seeds=1, traffic=tuple(uses)).write(scenario)
    run(scenario, kept)
    link = "5 % erasures, 30 ms, ARQ"
    assert set(read_campaign(kept)["link"]) == {link, f"{link}, an ACK for each packet"}


def test_tables__compare_with_the_kernel_on_the_same_seeds() -> None:
    kernel, modern = (1e6, 2e6, 3e6), (1.1e6, 2.4e6, 3.7e6)
    rows = [row("linux", seed, goodput, 10) for seed, goodput in enumerate(kernel)]
    rows += [row("modern", seed, goodput, 25) for seed, goodput in enumerate(modern)]
    rows += [row("2009", 2, 3.1e6, 5)]
    cells = report.of_cells(pd.DataFrame(rows))
    # By hand: t(0.975, 2) = 4.303, standard deviations 1000 and 1300, over sqrt(3). 2009 has one seed alone,
    # on which the kernel had 3000. Differences 100, 400, 700 over 2000: standard deviation 15 %.
    assert cells.round(1).drop(columns=["variant", "link"]).map(str).to_numpy().tolist() == [
        ["linux", "2000", "2484", "0.0", "0.0", "1.00", "80"],
        ["modern", "2400", "3229", "20.0", "37.3", "2.50", "80"],
        ["2009", "3100", "nan", "3.3", "nan", "0.50", "80"],
    ]
    assert report.table(cells).splitlines()[-1] == "| GEO link | 2000, **+20** / +3 |"


def test_bbr3__is_compared_with_the_kernels_on_common_seeds() -> None:
    def rows(goodputs: tuple[float, ...]) -> pd.DataFrame:
        found = [row("linux", seed, goodput, 0) for seed, goodput in enumerate(goodputs)]
        return pd.DataFrame(found).assign(tcp="bbr", retransmission_ratio=0.01)

    judged, kernel, ours = rows((1e6,)), rows((1e6, 2e6, 3e6)), rows((1.1e6, 2.4e6, 3.7e6))
    # By hand, as above.
    line = "| GEO link | 1000 | 2000 | 2400 | **+20.0 ± 37.3 %** | 1.0 / 1.0 / 1.0 |"
    assert bbr3.links_table(judged, kernel, ours).splitlines()[-1] == line


def test_cross_check__has_both_kernels() -> None:
    assert {use.backend for use in Scenario.read(REAL_TIME).traffic} == {None, "emulate"}


def test_cross_check__compares_both_kernels() -> None:
    rows = [
        row("linux", seed, goodput, 0) | {"backend": backend}
        for backend, goodputs in {"linux": (1e6, 2e6, 3e6), "emulate": (1.1e6, 2.1e6, 3.1e6)}.items()
        for seed, goodput in enumerate(goodputs)
    ]
    head, _, line = real_time_table(pd.DataFrame(rows), "6.18").splitlines()
    assert "real time, Linux 6.18" in head
    # By hand, as above: t(0.975, 2) = 4.303, a standard deviation of 1000 over sqrt(3).
    assert line == "| New Reno | GEO link | 2000 ± 2484 | 2100 ± 2484 | +5.0% |"


@pytest.mark.ns2
@pytest.mark.usefixtures("kernel", "simulator")
def test_judge__writes_page_and_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Scenario.read(SCENARIOS[0])
    few = (ErrorFree(), Bernoulli(0.01))
    traces = tuple(replace(one, length=20) for one in asked.trace if one.channel in few)
    traffic = [replace(one, duration=5, seeds=2) for one in asked.traffic if one.tcp in ("cubic", "bbr")]
    scenario, page, figure = (tmp_path / name for name in ("losses.toml", "page.md", "windows.png"))
    replace(asked, seeds=2, records=(1,), trace=traces, traffic=tuple(traffic)).write(scenario)
    page.write_text(PLACES)
    monkeypatch.setattr(report, "DRAWN_LINKS", ("GEO link", "GEO link, loss 0.01"))
    monkeypatch.setattr(report, "DRAWN_VARIANTS", ("cubic", "bbr"))
    asked = Scenario.read(bbr3.BESIDE[0])
    pair = [replace(one, duration=5) for one in asked.traffic if len(one.flow) > 1][:2]
    missing, pairs = (tmp_path / name for name in ("real-time.toml", "pairs.toml"))
    replace(asked, seeds=2, trace=asked.trace[:1], traffic=tuple(pair)).write(pairs)
    main(tmp_path, [scenario], page, figure, missing, [pairs])
    written = page.read_text()
    assert (
        "The tables hold 20 runs of 5 s. Seeds: 2 of stack linux, 2 of stack modern, 2 of stack 2009."
        in written
    )
    assert "| GEO link, loss 0.01 | " in written
    assert "| LTE in a car | " in written
    assert len(page.with_suffix(".csv").read_text().splitlines()) == 1 + 5 * 2
    assert figure.stat().st_size > 10_000
