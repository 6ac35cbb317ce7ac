"""A scheme that works inside the simulator, through `Experiment`: beside conversion and replay."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from experiments import Asked, asker

from tmt import Arq, Fec, GoBackN, HarqProcesses, Hybrid, Rlc, TraceLink
from tmt.core.convert import convert
from tmt.core.errors import InputError, UsageError
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.spec.queue import CoDel

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

S = 1_000_000_000


def phy_trace() -> PhyTrace:
    """One slot of 1500 bytes every 12 ms (1 Mbit/s) for 200 s, of which 3 % are erased."""
    rng = np.random.default_rng(3)
    decode = np.full(16_667, 5_000_000, np.int64)
    decode[rng.random(len(decode)) < 0.03] = 0
    return PhyTrace(12_000_000 * np.arange(len(decode)), decode)


ask = asker(tcp="cubic", rtt_ns=S // 5, queue_packets=200)


def replay(link: TraceLink) -> Asked:
    return ask(stack="2009", forward=link, duration_ns=150 * S)


def test_online__agrees_with_offline_where_the_link_is_hardly_ever_idle(tmp_path: Path) -> None:
    """One CUBIC flow that keeps the queue filled, in order: within 2 % (slow start and its end differ)."""
    phy = phy_trace()
    write_trace(tmp_path / "phy.parquet", phy)
    write_trace(tmp_path / "link.parquet", convert(phy, Arq(), 0.2))
    online = replay(TraceLink(tmp_path / "phy.parquet", scheme=Arq(online=True))).run()
    offline = replay(TraceLink(tmp_path / "link.parquet")).run()
    assert online.row["goodput_bps"] == pytest.approx(offline.row["goodput_bps"], rel=0.02)
    assert online.row["forward_utilisation"] > 0.97
    assert (online.row["forward_online"], offline.row["forward_online"]) == ("ARQ", None)


@pytest.mark.parametrize("scheme", [Arq(online=True), Rlc(online=True)])
def test_online__takes_packets_out_of_a_discipline(scheme: Scheme, tmp_path: Path) -> None:
    """A standing queue of up to 200 packets of 12 ms becomes one of CoDel's target; marks replace drops."""
    write_trace(tmp_path / "phy.parquet", phy_trace())
    link = TraceLink(tmp_path / "phy.parquet", scheme=scheme)
    full, dropped, marked = (
        ask(forward=link, duration_ns=60 * S, **more).run().row
        for more in ({}, {"queue": CoDel()}, {"queue": CoDel(), "ecn": "classic"})
    )
    assert full["forward_aqm_dropped"] == dropped["forward_marked"] == marked["forward_aqm_dropped"] == 0
    assert marked["forward_marked"] > 10
    assert 10 < dropped["forward_aqm_dropped"] <= dropped["retransmissions"]
    assert full["delay_median_s"] > 1
    assert dropped["delay_median_s"] < 0.4


def test_online__repeats_its_trace_and_says_when_it_stops(tmp_path: Path) -> None:
    phy = phy_trace()
    write_trace(tmp_path / "phy.npy", PhyTrace(phy.tx_time_ns[:500], phy.decode_time_ns[:500]))
    link = TraceLink(tmp_path / "phy.npy", scheme=Fec(data=5, repair=1, online=True))
    assert replay(link).run().row["forward_trace_repeats"] >= 24  # 150 s over 6 s
    result = ask(forward=link, duration_ns=20 * S, loop=False).run()
    assert result.packets["time_ns"][result.packets["event"] == 1].max() < 7 * S
    assert "the link then stops" in result.notes[1]


@pytest.mark.parametrize(
    ("scheme", "share"),
    [
        # A slot every 12 ms: feedback arrives with slot 18, or with slot 17 if the slot is erased.
        (HarqProcesses(9, max_transmissions=None, online=True), 1 / 2),
        # The least multiple of 12 slots that is not below 18 is 24.
        (HarqProcesses(12, retransmission="synchronous", online=True), 1 / 2),
        # Each LLDU takes two slots.
        (HarqProcesses(repetitions=2, online=True), 1),
    ],
)
def test_harq_processes__use_slots_by_the_law(scheme: HarqProcesses, share: float, tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.npy", phy_trace())
    row = replay(TraceLink(tmp_path / "phy.npy", scheme=scheme)).run().row
    assert row["forward_online"] == scheme.label
    assert row["forward_utilisation"] == pytest.approx(share, rel=0.03)


COMBINED = HarqProcesses(repetitions=2, combining="incremental", combining_threshold_db=3.0)


@pytest.mark.parametrize("ending", [".npy", ".parquet"])
@pytest.mark.parametrize("scheme", [replace(COMBINED, online=True), Rlc(COMBINED, online=True)])
def test_combining__takes_the_es_n0_of_a_file(scheme: Scheme, ending: str, tmp_path: Path) -> None:
    """Every slot is erased, and every second copy decoded: two slots of 12 ms for a packet."""
    phy, erased = phy_trace(), np.zeros(16_667, np.int64)
    phy = replace(phy, decode_time_ns=erased, es_n0_mdb=np.full(16_667, -1000, np.int32))
    path = tmp_path / f"phy{ending}"
    write_trace(path, phy)
    row = replay(TraceLink(path, scheme=scheme)).run().row
    assert row["forward_online"] == scheme.label
    assert row["goodput_bps"] == pytest.approx(1448 * 8 / 0.024, rel=0.03)


def test_combining__refuses_a_file_without_es_n0(tmp_path: Path) -> None:
    scheme = HarqProcesses(combining="chase", combining_threshold_db=2.0, online=True)
    for name in ("phy.npy", "phy.csv"):
        write_trace(tmp_path / name, phy_trace())
        with pytest.raises(InputError) as refused:
            replay(TraceLink(tmp_path / name, scheme=scheme)).run()
        assert str(refused.value) == (
            f"{tmp_path / name}: there is no column es_n0_mdb, which harq-processes with soft combining "
            "needs; `tmt generate --with-es-n0` and `tmt import table --es-n0` write it"
        )


@pytest.mark.parametrize("said", ["by the user", "by the trace"])
def test_frames__refuse_packets_that_share_rows(said: str, tmp_path: Path) -> None:
    phy = phy_trace()
    write_trace(
        tmp_path / "phy.npy", replace(phy, metadata={"packing": "packed"}) if "trace" in said else phy
    )
    link = TraceLink(
        tmp_path / "phy.npy", scheme=Hybrid(5, 1, online=True), packing="packed" if "user" in said else None
    )
    with pytest.raises(UsageError) as refused:
        replay(link).run()
    assert str(refused.value) == (
        f"{tmp_path / 'phy.npy'}: scheme hybrid does not go with packing = 'packed': its frames hold LLDUs "
        "of one packet; allowed: padded"
    )


def test_online__has_schemes_of_its_own(tmp_path: Path) -> None:
    """Beside selective repeat: go-back-N of one frame stops and waits, and limits leave losses."""
    write_trace(tmp_path / "phy.npy", phy_trace())

    def row(scheme: Scheme) -> dict[str, object]:
        return replay(TraceLink(tmp_path / "phy.npy", scheme=scheme)).run().row

    # 0.2 s for a report: a packet in every 17th slot.
    waits = row(GoBackN(window_frames=1, online=True))
    assert waits["forward_online"] == "GBN(1)"
    assert waits["goodput_bps"] == pytest.approx(1448 * 8 / 0.204 * 0.97, rel=0.03)
    assert waits["forward_link_lost"] == 0
    # Each error costs a window, of which 17 slots pass until the report: 1 - 0.03 * 18 / (1 + 0.03 * 17).
    windows = row(GoBackN(window_frames=40, online=True))
    assert windows["goodput_bps"] == pytest.approx(1448 * 8 / 0.012 * 0.97 / (1 + 0.03 * 17), rel=0.05)
    # Frames of one packet, sent again at once: selective repeat.
    assert row(Hybrid(online=True))["goodput_bps"] == row(Arq(online=True))["goodput_bps"]
    assert int(str(row(Hybrid(persistency=0, online=True))["forward_link_lost"])) > 20


def test_online__wants_a_phy_trace_and_a_scheme_that_works_online(tmp_path: Path) -> None:
    write_trace(tmp_path / "link.npy", convert(phy_trace(), Arq(), 0.2))
    with pytest.raises(InputError, match="its rows are of kind link; a phy trace is needed"):
        replay(TraceLink(tmp_path / "link.npy", scheme=Arq(online=True))).run()
    with pytest.raises(UsageError, match=r"scheme\.online: false .*; allowed: true: the scheme works inside"):
        TraceLink(tmp_path / "phy.parquet", scheme=Arq())
