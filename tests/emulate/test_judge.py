"""The judgement, small: the kernel and ns-2 over one clean link for a few seconds, and the page's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.judge import cases, report, runs
from analysis.judge import store as store_module
from tmt.experiment import PlainLink
from tmt.units import NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    from pathlib import Path

CLEAN = cases.CASES[0]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transfers of 5 s with an RTT of 100 ms."""
    monkeypatch.setattr(runs, "DURATION_NS", 5 * NS_PER_S)
    monkeypatch.setattr(runs, "RTT_NS", 100 * NS_PER_MS)


@pytest.mark.ns2
@pytest.mark.usefixtures("emulator", "simulator", "short")
@pytest.mark.parametrize("variant", ["reno", "cubic", "bbr"])
def test_kernel__sends_over_the_case_s_link_and_is_measured(variant: str, tmp_path: Path) -> None:
    transfer = runs.run_kernel(CLEAN, variant, 0, tmp_path)
    assert isinstance(CLEAN.link(tmp_path, 0), PlainLink)
    # 2 Mbit/s carry 1448 of 1500 bytes as payload; a busy machine may start late.
    assert transfer.segments_sent > 50
    assert 0 < transfer.goodput_bps <= 2e6 * 1448 / 1500
    # The kernel begins with 10 segments (RFC 6928).
    assert transfer.windows[0][1] == 10
    assert transfer.link_lost == 0


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator", "short")
def test_ns2__is_measured_alike(tmp_path: Path) -> None:
    transfer = runs.run_ns2(CLEAN, "2009", "reno", 0, tmp_path)
    assert 1e6 < transfer.goodput_bps <= 2e6 * 1448 / 1500
    assert transfer.late_share == 0


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_table__compares_with_the_kernel_and_marks_what_is_far_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "CASES", (CLEAN,))
    monkeypatch.setattr(report, "VARIANTS", ("reno",))
    monkeypatch.setattr(report, "STACKS", ("2009",))

    def transfer(goodput_bps: float, again: int) -> runs.Transfer:
        return runs.Transfer(goodput_bps, 1000, again, 0, 0, 80.0, 0.0, [[0.0, 10.0], [1.0, 20.0]])

    monkeypatch.setattr(store_module, "CASES", (CLEAN,))
    store = store_module.Store(tmp_path)
    for repeat, (kernel, ns2) in enumerate([(1e6, 1.1e6), (2e6, 2.4e6), (3e6, 3.7e6)]):
        store.put(runs.KERNEL, CLEAN, "reno", repeat, transfer(kernel, 10))
        store.put("2009", CLEAN, "reno", repeat, transfer(ns2, 25))
    assert store.get("2009", CLEAN, "reno", 0) == transfer(1.1e6, 25)
    row = report.tables(store)[-2]
    # By hand: means 2000 and 2400, standard deviation of 1, 2, 3 is 1.
    assert row == f"| {CLEAN.title} | 2000 (1000) | 1.00% | 80 | **2400 (+20%)** | 2.50% | 80 |"
