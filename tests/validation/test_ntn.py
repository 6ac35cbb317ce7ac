"""5G over satellites: scenarios match the recipe, its arithmetic hand and model, its choices the runs."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.ntn import flows as flow_tables
from analysis.ntn.contenders import (
    HARQ,
    HARQ_NO_STALLS,
    OFF,
    OFF_RLC,
    ORBITS,
    PROCESSES,
    WINDOW,
    WINDOW_RLC,
    contenders,
    names_by_label,
)
from analysis.ntn.conversions import (
    ES_N0_DB,
    ISOLATED,
    ISOLATED_BURSTS,
    MEASURED,
    SATELLITE,
    by_hand,
    crossing_ms,
    law_of_use,
    line_bps,
    measure,
    slots,
)
from analysis.ntn.flows import MODERN, Flows
from tmt import Scenario
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_MS

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


@pytest.mark.parametrize("orbit", ORBITS)
def test_scenario__has_the_contenders_and_channels_of_the_conversions(orbit: str) -> None:
    scenario = Scenario.read(SCENARIOS / f"ntn-{orbit}.toml")
    rtt_s = ORBITS[orbit][1] / 1000
    assert {path.rtt for path in scenario.path} == {rtt_s}
    assert set(scenario.scheme) == set(contenders(rtt_s).values())
    assert {trace.label for trace in scenario.trace} == {SATELLITE, MEASURED}
    lms = next(trace for trace in scenario.trace if trace.label == SATELLITE)
    tx_time_ns = np.arange(2000, dtype=np.int64) * int(lms.line.interval_ns)
    erased = lms.channel.realisation(1).erased(tx_time_ns)
    ours = slots(SATELLITE, ES_N0_DB, 0, seconds=2)
    np.testing.assert_array_equal(ours.tx_time_ns, tx_time_ns)
    np.testing.assert_array_equal(ours.decode_time_ns == 0, erased)
    assert lms.line.decode_time_ns == ours.decode_time_ns.max() == NS_PER_MS


def test_names__tell_all_labels_apart() -> None:
    assert len(names_by_label()) == len(contenders(0))


@pytest.mark.parametrize(
    ("processes", "rtt_ms", "share"), [(8, 7, 1.0), (8, 15, 0.5), (16, 24, 0.64), (32, 540, 32 / 541)]
)
def test_use__is_that_of_hand_model_and_conversion(processes: int, rtt_ms: int, share: float) -> None:
    assert by_hand(processes, rtt_ms) == pytest.approx(share)
    assert law_of_use(processes, rtt_ms) == pytest.approx(share)
    phy = slots(ISOLATED_BURSTS, 0.0, 0, seconds=20)
    whole = len(phy) // (rtt_ms + 1) * (rtt_ms + 1)  # as many slots as feedback takes, many times
    phy = PhyTrace(phy.tx_time_ns[:whole], phy.decode_time_ns[:whole])
    assert measure(contenders(rtt_ms / 1000)[HARQ[processes]], phy, rtt_ms / 1000)["used"] == pytest.approx(
        share
    )


def test_measure__counts_repetitions_and_adds_half_a_round_trip() -> None:
    """Slots 0 to 5 of 1 ms, 1 to 3 erased: of three blocks sent twice the first and the last arrive."""
    ms = NS_PER_MS
    phy = PhyTrace(np.arange(6, dtype=np.int64) * ms, np.array([ms, 0, 0, 0, 0, ms], np.int64))
    found = measure(contenders(0.01)[OFF[2]], phy, 0.01)
    assert found["used"] == 1.0
    assert found["delivered"] == pytest.approx(2 / 6)
    assert found["lost"] == pytest.approx(1 / 3)
    assert found["delay_mean_s"] == pytest.approx(0.005 + (0.001 + 0.002) / 2)


def test_pieces_of_the_drive__cover_it_without_overlap() -> None:
    first, second = slots(MEASURED, ES_N0_DB, 0), slots(MEASURED, ES_N0_DB, 1)
    assert first.tx_time_ns[-1] < second.tx_time_ns[0]
    assert line_bps(MEASURED) == pytest.approx(500 * 8 * 263_000 / 264, rel=1e-6)


def test_crossing__of_a_stalling_scheme_and_a_level_line_is_exact() -> None:
    """8 / (RTT + 1) falls below 0.8 at 9 ms, and below 0.5 at 15 ms."""
    rows = [
        {"rtt_ms": rtt_ms, "seed": seed, "name": name, "delivered": delivered}
        for rtt_ms, seed in product((4, 7, 8, 12, 20), (0, 1))
        for name, delivered in (("own", min(1.0, 8 / (rtt_ms + 1))), ("other", (0.8, 0.5)[seed]))
    ]
    found = crossing_ms(pd.DataFrame(rows), "own", "other")
    assert found.mean == pytest.approx((9 + 15) / 2)
    assert found.count == 2
    best = [row | {"name": "best", "delivered": 0.64} for row in rows if row["name"] == "other"]
    found = crossing_ms(pd.DataFrame(rows + best), "own", "other", "best")
    assert found.mean == pytest.approx((9 + 11.5) / 2)  # 8 / 12.5 is 0.64


def made_up(kbps: Callable[[str], float], spread: float) -> Flows:
    """Return runs whose goodput depends on the contender, on three seeds."""
    labels = {name: scheme.label for name, scheme in contenders(0.54).items()}
    rows = [
        {
            "orbit": orbit,
            "trace": SATELLITE,
            "stack": MODERN,
            "tcp": "cubic",
            "scheme": labels[name],
            "seed": seed,
            "transfer_bytes": transfer,
            "goodput_bps": 1e3 * kbps(name) * (1 + spread * (seed - 2) * (place % 2)),
            "completion_s": 800 / kbps(name),
            "delay_p95_s": 1.0,
        }
        for (place, name), orbit, seed, transfer in product(
            enumerate(labels), ORBITS, (1, 2, 3), (None, 99_912)
        )
    ]
    return Flows(pd.DataFrame(rows).astype({"transfer_bytes": "Int64"}))


def test_choice__leaves_the_reference_out_and_names_ties() -> None:
    values = {HARQ_NO_STALLS: 3000.0, WINDOW: 2000.0, OFF_RLC: 1900.0}
    place = ("geo", SATELLITE, MODERN, "cubic")
    assert made_up(lambda name: values.get(name, 100.0), 0.0).choice(*place) == [WINDOW]
    # Seeds of every second contender differ by 20 %, so that their means cannot be told apart.
    assert made_up(lambda name: values.get(name, 100.0), 0.2).choice(*place) == [WINDOW, OFF_RLC]
    assert made_up(lambda name: values.get(name, 100.0), 0.0).choice(*place, transfer=True) == [WINDOW]


def test_cost_of_stalls__is_the_change_against_enough_processes() -> None:
    stalled = HARQ[PROCESSES[-1]]
    flows = made_up(lambda name: {HARQ_NO_STALLS: 4000.0, stalled: 1000.0}.get(name, 1.0), 0.0)
    place = ("geo", SATELLITE, MODERN, "cubic", stalled)
    assert flows.change_by_stalls(*place).mean == pytest.approx(-0.75)
    assert flows.delay_of_stalls_s(*place).mean == pytest.approx(0.8 - 0.2)


def test_short_of_seeds__counts_cells_whose_runs_are_missing() -> None:
    flows = made_up(lambda _: 100.0, 0.0)
    assert flows.short_of_seeds() == (0, 72)
    lacking = flows.runs.drop(index=flows.runs[flows.runs["transfer_bytes"].isna()].index[:1])
    assert Flows(lacking).short_of_seeds() == (1, 72)


def test_sentences__say_what_the_rows_of_the_tables_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, one in (("CHANNELS", (SATELLITE,)), ("STACKS", {MODERN: "ns-2"}), ("TCPS", ("cubic",))):
        monkeypatch.setattr(flow_tables, name, one)
    values = {HARQ_NO_STALLS: 3000.0, WINDOW: 2000.0, WINDOW_RLC: 2000.0, HARQ[32]: 750.0}
    flows = made_up(lambda name: values.get(name, 100.0), 0.0)
    cells, goodput = flow_tables.of_flows(flows), flow_tables.GOODPUT_RANK
    best = cells[cells[goodput] != ""]
    assert best["goodput_kbps"].tolist() == ["2000"] * 6
    assert flow_tables.leaders(cells, goodput, "GEO") == [WINDOW, WINDOW_RLC]
    cells.loc[(cells["orbit"] == "LEO") & (cells[goodput] != ""), goodput] = ""
    cells.loc[(cells["orbit"] == "LEO") & (cells["link_layer"] == HARQ[32]), goodput] = "1"
    others = "sliding window, with or without RLC AM"
    goodputs = flow_tables.best_options(cells).splitlines()[2]
    assert goodputs == f"| most goodput, CUBIC | HARQ, 32 processes | {others} | {others} |"
    stalls = flow_tables.of_stalls(flows)
    stalls = stalls[stalls["processes"] == "32"]
    assert stalls["goodput_change_percent"].tolist() == ["-75"] * 3
    stalls.loc[stalls["orbit"] == "LEO", "goodput_change_percent"] = "+0"
    assert flow_tables.costs_of_stalls(stalls) == "nothing over LEO, 75 % over MEO and 75 % over GEO"


def test_isolated_channel__erases_what_its_sentence_says() -> None:
    assert ISOLATED.erasure_probability == pytest.approx(0.057, abs=5e-4)
    assert 1 / (1 - ISOLATED.beta) == 2
