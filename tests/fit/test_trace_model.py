"""Models of whole traces: known sources are recovered, and what a model cannot know is refused.

Numbers of replicates and tolerances are those of each test; the seeds are fixed.
"""

import json
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from scipy.stats import nbinom

import tmt
from tmt.cli.fit_command import command
from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import read_trace, write_trace
from tmt.results.stretches import compare_goodput, number_of_runs
from tmt.theory.fit.resemblance import Comparison, figures
from tmt.theory.fit.semi_markov import Dwell, fit_dwell, fit_semi_markov, model_of, stays_of
from tmt.theory.fit.trace_model import fit_model
from tmt.theory.fit.windows import Windows, usual_window_ns

MS = 1_000_000
WINDOW_NS = 100 * MS
ROWS, LOST, DECODE_MS = (5, 20, 60), (0.3, 0.02, 0.0), (40, 20, 10)
"""What the states of `_source` are like: mean rows of a window, lost share of them, decode time."""
MEAN_DWELLS = 8.0, 15.0, 30.0

States = npt.NDArray[np.int64]


def _trace(rows: States, seed: int, lost: npt.NDArray[np.float64], decode_ms: States) -> PhyTrace:
    """Put so many rows at random places into each window; `lost` and `decode_ms` are those of windows."""
    rng = np.random.default_rng([seed, 1])
    window = np.repeat(np.arange(len(rows)), rows)
    tx_time_ns = np.unique(window * WINDOW_NS + rng.integers(0, WINDOW_NS, len(window)))
    window = tx_time_ns // WINDOW_NS
    decode_ns = np.where(rng.random(len(window)) < lost[window], 0, decode_ms[window] * MS)
    about = {"kind": "phy", "lldu_bytes": 1500, **Extent(0, len(rows) * WINDOW_NS).metadata}
    return PhyTrace(tx_time_ns, decode_ns, about)


def _source(seed: int, windows: int = 600) -> tuple[PhyTrace, States]:
    """Make a trace of three states, each as likely after another one as the third, and its states."""
    rng = np.random.default_rng([seed, 2])
    path: list[int] = []
    state = 0
    while len(path) < windows:
        mean_more = MEAN_DWELLS[state] - 1
        path += [state] * (1 + int(rng.negative_binomial(2, 2 / (2 + mean_more))))
        state = (state + int(rng.integers(1, 3))) % 3
    states = np.array(path[:windows])
    rows = rng.poisson(np.array(ROWS)[states])
    return _trace(rows, seed, np.array(LOST)[states], np.array(DECODE_MS)[states]), states


def _noise(seed: int, windows: int = 300) -> PhyTrace:
    """Make a trace whose windows are independent, of a law with a long tail."""
    rows = np.random.default_rng([seed, 3]).geometric(1 / 20, windows)
    return _trace(rows, seed, np.full(windows, 0.05), np.full(windows, 10))


def _cycle(period: int = 8, windows: int = 400) -> PhyTrace:
    """Make a trace whose rate is high and low in turn, for half a period each."""
    is_high = np.arange(windows) % period < period // 2
    return _trace(np.where(is_high, 60, 5), 1, np.zeros(windows), np.full(windows, 10))


def test_semi_markov__recovers_a_known_source() -> None:
    """In 8 traces of about 10 stays of each state, the estimated means lie within four standard errors."""
    dwells, recognised, right = np.zeros((8, 3)), [], 0
    for seed in range(8):
        trace, states = _source(seed)
        model = fit_model(trace, window_ns=WINDOW_NS)
        if len(model.law.dwells) != 3:
            continue
        right += 1
        recognised.append((model.law.states == states).mean())
        dwells[seed] = [dwell.mean for dwell in model.law.dwells]
        like = model.states()
        for state in range(3):
            assert like[state]["rate_per_s"] == pytest.approx(8 * 1500 * ROWS[state] * 10, rel=0.15)
            assert like[state]["lost"] == pytest.approx(LOST[state], abs=0.07)
            assert like[state]["delay_s"] == pytest.approx(DECODE_MS[state] / 1000)
    assert right >= 6
    assert min(recognised) > 0.97
    found = dwells[dwells[:, 0] > 0]
    # A stay's variance is m + m^2 / 2 for the mean m of its windows behind the first one.
    for state, mean in enumerate(MEAN_DWELLS):
        error = np.sqrt((mean - 1 + (mean - 1) ** 2 / 2) / (10 * len(found)))
        assert found[:, state].mean() == pytest.approx(mean, abs=4 * error)


def test_check__accepts_traces_of_a_semi_markov_source() -> None:
    """Of 3 traces all are accepted; one would be rejected in fewer than 1 of 20."""
    for seed in range(3):
        assert fit_model(_source(seed)[0], window_ns=WINDOW_NS).check().adequate, seed


def test_semi_markov__finds_one_state_in_white_noise() -> None:
    found = [fit_semi_markov(Windows.of(_noise(seed), WINDOW_NS).features()) for seed in range(6)]
    assert sum(len(model.follows) == 1 for model in found) >= 5
    assert found[0].parameters == 0
    assert fit_model(_noise(0), window_ns=WINDOW_NS).check().adequate


@pytest.mark.parametrize("period", [8, 20])
def test_check__rejects_a_deterministic_cycle(period: int) -> None:
    check = fit_model(_cycle(period), window_ns=WINDOW_NS).check()
    assert not check.adequate
    assert "autocorrelation of the rate" in check.verdict


def test_dwell__is_one_and_a_negative_binomial_number() -> None:
    law, windows = Dwell(3.5, 0.7, 2), np.arange(1, 60)
    reference = nbinom(0.7, 0.7 / 4.2)
    assert law.log_probability(windows) == pytest.approx(reference.logpmf(windows - 1))
    assert law.at_least(windows) == pytest.approx(reference.sf(windows - 2))
    assert law.mean == 4.5
    rng = np.random.default_rng(1)
    drawn = np.array([law.draw(rng) for _ in range(4000)])
    assert drawn.mean() == pytest.approx(4.5, abs=4 * np.sqrt(3.5 + 3.5**2 / 0.7) / np.sqrt(4000))
    # What is left of a stay at a random time: d windows with probability P(stay >= d) / mean.
    rest = np.array([law.draw_rest(rng, 5) for _ in range(4000)])
    assert (rest == 1).mean() == pytest.approx(1 / 4.5, abs=0.03)
    assert (rest == 2).mean() == pytest.approx(reference.sf(0) / 4.5, abs=0.03)
    assert rest.max() == 5


def test_fit_dwell__by_hand() -> None:
    # Geometric: windows behind the first ones, 2 + 0 + 1 + 1, over whole stays, 3.
    law = fit_dwell(np.array([3, 1, 2]), np.array([2]))
    assert (law.mean, law.shape, law.parameters) == (1 + 4 / 3, 1.0, 1)
    always = fit_dwell(np.full(30, 1), np.array([1]))
    assert always.log_likelihood(np.full(30, 1), np.array([1])) == 0
    assert always.draw(np.random.default_rng(1)) == 1


def test_model_of__has_the_likelihood_of_its_path() -> None:
    states = np.array([0, 0, 1, 2, 2, 2, 0, 1, 1, 0, 2, 0, 0, 1, 2, 1, 0, 0])
    model = model_of(states, 3, 1)
    assert model is not None
    # From the definition: what each stay and each step has as its probability, over independent windows.
    visited = [0, 1, 2, 0, 1, 0, 2, 0, 1, 2, 1, 0]
    lengths = [2, 1, 3, 1, 2, 1, 1, 2, 1, 1, 1, 2]
    assert [list(each) for each in stays_of(states)] == [visited, lengths]
    steps = list(pairwise(visited))
    total = 0.0
    for number, (state, length) in enumerate(zip(visited, lengths, strict=True)):
        law = nbinom(model.dwells[state].shape, 1 / model.dwells[state].mean)  # geometric: shape 1
        is_cut = number in (0, len(visited) - 1)
        total += log(law.sf(length - 2) if is_cut else law.pmf(length - 1))
    for step in steps:
        total += log(steps.count(step) / sum(before == step[0] for before, _ in steps))
    total -= sum(log((states == state).mean()) for state in states[1:].tolist())
    assert [dwell.shape for dwell in model.dwells] == [1, 1, 1]
    assert model.log_likelihood == pytest.approx(total)
    # Five kinds of step (0 to 1 and 2, 1 to 0 and 2, 2 to 0 and 1 make six), one of each row is not free.
    assert model.parameters == len(set(steps)) - 3 + 3


def test_draw__fills_stays_with_runs_of_their_state() -> None:
    trace, _ = _source(1)
    law = fit_model(trace, window_ns=WINDOW_NS).law
    drawn = law.draw(np.random.default_rng(4), 5000)
    path = law.draw_states(np.random.default_rng(4), 5000)
    assert (law.states[drawn] == path).all()
    follows = (np.diff(drawn) == 1).mean()
    assert follows > 0.5


def test_joined__takes_each_row_of_each_window() -> None:
    trace = _trace(np.array([3, 0, 2, 4] * 30), 5, np.full(120, 0.3), np.arange(120) + 1)
    windows = Windows.of(trace, WINDOW_NS)
    order, length_ns = np.array([2, 0, 0, 1, 3]), 5 * WINDOW_NS - 30 * MS
    made = windows.joined(order, length_ns)
    expected = [
        (time - old * WINDOW_NS + new * WINDOW_NS, decode)
        for new, old in enumerate(order.tolist())
        for time, decode in zip(trace.tx_time_ns.tolist(), trace.decode_time_ns.tolist(), strict=True)
        if old * WINDOW_NS <= time < (old + 1) * WINDOW_NS
    ]
    kept = [row for row in expected if row[0] < length_ns]
    assert list(zip(made.tx_time_ns.tolist(), made.decode_time_ns.tolist(), strict=True)) == kept
    assert Extent.of(made) == Extent(0, length_ns)
    cut = windows.cut()
    assert (cut.tx_time_ns == trace.tx_time_ns).all()


def test_windows__are_described_by_hand() -> None:
    # Two windows of 1 s from 5 s on: three rows of 1000 bytes, two of them lost in a burst; and none.
    times_ns = np.array([5.0, 5.2, 5.4]) * 1e9
    about = {"lldu_bytes": 1000, "begin_ns": 5 * 10**9, "length_ns": 200 * 10**9}
    windows = Windows.of(PhyTrace(times_ns.astype(np.int64), np.array([0, 0, 7 * MS]), about), 10**9)
    assert len(windows) == 200
    assert windows.rates_bps()[:2].tolist() == [24_000, 0]
    assert windows.loss_shares()[:2] == pytest.approx([2 / 3, 0])
    assert windows.median_delays_ns()[0] == 7 * MS
    assert windows.features()[0] == pytest.approx([np.sqrt(200), np.sqrt(2 / 3), np.sqrt(1 / 3), 0])
    assert windows.features()[1] == pytest.approx([0, 0, 0, 0])


def test_figures__by_hand() -> None:
    # Windows of 1 s with 2, 0, 1 and 1 rows of 125 kB (1 Mbit); the third row is lost.
    trace = PhyTrace(
        np.array([0, 500, 2500, 3000]) * MS, np.array([4, 6, 0, 8]) * MS, {"lldu_bytes": 125_000}
    )
    found = figures(trace, 4000 * MS, 1000 * MS)
    assert found["rate, mean, Mbit/s"] == pytest.approx(3 / 4)
    assert found["gaps of 1 s or more, share of the time"] == pytest.approx((2500 + 1000) / 4000)
    assert found["lost, share of the rows"] == 0.25
    assert found["burst of lost rows, mean"] == 1
    assert found["delay, 50 %, ms"] == 6
    # Rates 2, 0, 0, 1: apart from their mean by 1.25, -0.75, -0.75, 0.25; the mean product of neighbours.
    products = (1.25 * -0.75 + 0.75 * 0.75 - 0.75 * 0.25) / 3
    variance = (1.25**2 + 2 * 0.75**2 + 0.25**2) / 4
    assert found["autocorrelation of the rate, 1 windows"] == pytest.approx(products / variance)


def test_comparison__takes_both_directions() -> None:
    # The model of the first half is at 12, the other half at 14; that of the second at 13, the first at 10.
    drawn = np.array([11.0, 13.0]), np.array([12.0, 14.0])
    found = Comparison.of("rate", (10.0, 14.0), *drawn)
    assert found.off == pytest.approx(((12 - 14) + (13 - 10)) / 2)
    assert found.allowed == pytest.approx(3 * np.sqrt(2) / 2 + 0.05 * 12)
    assert found.apart_allowed == pytest.approx(3 * np.sqrt(2) + 0.05 * 12)
    assert found.fits
    assert found.is_steady
    assert not Comparison.of("rate", (10.0, 20.0), *drawn).is_steady
    assert Comparison.of("rate", (10.0, 10.0), *drawn).outcome == ""
    assert Comparison.of("rate", (5.0, 5.0), *drawn).outcome == "off"


def test_generate__is_the_same_for_a_seed_and_of_the_same_kind() -> None:
    phy, _ = _source(2)
    link = tmt.convert_trace(phy, "none")
    link.metadata.update(Extent(0, 60 * 10**9).metadata)
    model = tmt.fit_trace(link, "semi-markov", window=0.1)
    two, three = model.generate(2, seed=3), model.generate(3, seed=3)
    assert isinstance(two[1], LinkTrace)
    assert (two[1].tx_time_ns == three[1].tx_time_ns).all()
    assert (two[1].delay_ns == three[1].delay_ns).all()
    assert len(two[0]) != len(two[1])
    assert Extent.of(two[0]) == Extent(0, 60 * 10**9)
    assert two[0].metadata["scheme"]["name"] == "none"
    assert two[0].metadata["generator"]["name"] == "semi-markov"
    assert (two[0].metadata["seed"], two[1].metadata["trace_number"]) == (3, 2)
    assert Extent.of(model.generate(1, duration=7.25)[0]) == Extent(0, 7_250 * MS)
    with pytest.raises(UsageError, match="number is 0; it must be from 1 to 10000"):
        model.generate(0)


def test_windows__leave_out_time_whose_fate_is_open() -> None:
    phy, _ = _source(2)
    delay_ns = np.where(phy.tx_time_ns >= 59 * 10**9, UNSETTLED, 5)
    ones = np.ones(len(phy), np.uint8)
    link = LinkTrace(phy.tx_time_ns, delay_ns, delay_ns > 0, ones, dict(phy.metadata))
    model = fit_model(link, window_ns=WINDOW_NS)
    assert len(model.windows) == 590
    first_open_ns = int(phy.tx_time_ns[np.argmax(phy.tx_time_ns >= 59 * 10**9)])
    assert model.windows.open_ns == 60 * 10**9 - first_open_ns
    assert model.notes[0].startswith("the last 0.9")
    assert not (model.generate(1)[0].delay_ns == UNSETTLED).any()


def test_usual_window__follows_from_length_and_rows() -> None:
    assert usual_window_ns(120 * 10**9, 500_000) == 200 * MS  # 600 windows; 100 ms would give 1200
    assert usual_window_ns(58 * 10**9, 1_200) == 500 * MS  # 10.3 rows in each of 116 windows
    with pytest.raises(UsageError, match="holds 900 settled rows, too few"):
        usual_window_ns(58 * 10**9, 900)


def test_fit_command__writes_traces_of_adequate_models_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_trace("noise.parquet", _noise(1))
    write_trace("cycle.csv", _cycle())
    run = CliRunner().invoke
    result = run(command, ["noise.parquet", "--generate", "2", "--window", "0.1", "--json"])
    found = json.loads(result.stdout)
    assert found["check"]["adequate"]
    assert found["files"] == ["noise-1.parquet", "noise-2.parquet"]
    made = read_trace("noise-2.parquet")
    assert made.metadata["source"]["name"] == "noise.parquet"
    again = tmt.fit_trace("noise.parquet", "semi-markov", window=0.1).generate(2)[1]
    assert (made.tx_time_ns == again.tx_time_ns).all()
    result = run(command, ["cycle.csv", "--generate", "2", "--window", "0.1"])
    assert "Not adequate" in result.stdout
    assert "nothing is written; --model resample" in str(result.exception)
    assert not Path("cycle-1.csv").exists()
    options = ["--output", "blocks.npy", "--duration", "90", "--model", "resample", "--window", "0.1"]
    result = run(command, ["cycle.csv", "--generate", "1", *options])
    assert result.exception is None
    assert "blocks of 40 windows out of 400 measured ones" in " ".join(result.stdout.split())
    assert "traces of 90 s are longer than the measured 40 s" in result.stderr
    assert Extent.of(read_trace("blocks-1.npy")) == Extent(0, 90 * 10**9)


def test_resampling__keeps_runs_of_measured_windows() -> None:
    law = fit_model(_cycle(), "resample", WINDOW_NS).law
    drawn = law.draw(np.random.default_rng(1), 90)
    assert len(drawn) == 90
    assert (np.diff(drawn[:40]) == 1).all()
    assert (np.diff(drawn[40:80]) == 1).all()
    assert drawn.max() < 400


@pytest.mark.ns2
def test_compare_goodput__pairs_measured_and_modelled_stretches(simulator: Path) -> None:
    del simulator
    model = fit_model(_source(3, windows=200)[0], window_ns=WINDOW_NS)
    done: list[int] = []
    found = compare_goodput(model, 0.05, done.append)
    assert sum(done) == number_of_runs(model) == 2 * 2 * 2 * 2  # halves of 10 s: two stretches of 5 s
    assert [one.tcp for one in found] == ["cubic", "bbr"]
    for one in found:
        assert one.difference.count == 4
        assert one.difference.mean == pytest.approx(one.model_bps - one.measured_bps)
        assert 0 < one.measured_bps < 8 * 1500 * 60 * 10
        assert "4 pairs" in one.sentence
