"""Recovery of known parameters, how often intervals hold the truth, and the rejections of the test of fit.

Numbers of replicates and the tolerances on them are chosen so that a sound method fails with probability
below 0.002 in each check; the seeds are fixed.
"""

import json
from collections import Counter
from itertools import pairwise, product
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from tmt import Bernoulli, GilbertElliott
from tmt.cli.fit_command import command
from tmt.core.channels.base import Channel
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.theory.fit import bernoulli, channel_correlation, fit, gilbert, gilbert_elliott_model
from tmt.theory.fit.goodness import size_dependence
from tmt.theory.fit.likelihood import (
    ErasureRuns,
    RunLikelihood,
    autocorrelation,
    fit_gilbert,
    length_counts,
    proportion,
)

FIT = {"bernoulli": bernoulli, "gilbert": gilbert, "gilbert-elliott": gilbert_elliott_model}
REPLICATES = 30
SLOTS = 20_000


def _likelihood(channel: Channel, seed: int) -> RunLikelihood:
    return RunLikelihood(ErasureRuns.of(channel.erasures(seed).next(SLOTS)))


def _bursts(lengths: npt.NDArray[np.int64], seed: int, mean_gap: float = 40.0) -> npt.NDArray[np.bool_]:
    """Put bursts of these lengths between gaps of a geometric law."""
    gaps = np.random.default_rng(seed).geometric(1 / mean_gap, len(lengths))
    return np.repeat(np.tile([False, True], len(lengths)), np.column_stack((gaps, lengths)).ravel())


@pytest.mark.jit
@pytest.mark.parametrize(
    ("channel", "model"),
    [
        (Bernoulli(0.05), "bernoulli"),
        (GilbertElliott(0.98, 0.4), "gilbert"),
        (GilbertElliott(0.99, 0.9, 0.002, 0.6), "gilbert-elliott"),
        (GilbertElliott(0.99, 0.5, 0.01, 0.8), "gilbert-elliott"),
    ],
    ids=["bernoulli", "gilbert", "long bad states", "short bad states"],
)
def test_fit__covers_the_truth_and_accepts_the_true_model(channel: Channel, model: str) -> None:
    covered: Counter[str] = Counter()
    rejected = 0
    for seed in range(REPLICATES):
        result = FIT[model](_likelihood(channel, seed))
        for name, estimate in result.parameters.items():
            covered[name] += estimate.low <= getattr(channel, name) <= estimate.high
        rejected += result.test.rejected
    # 95 % intervals: of 30, fewer than 24 with probability 0.0006. Level 1 %: more than 2 with 0.0033.
    for name, times in covered.items():
        assert times >= 24, f"{name}: {times} of {REPLICATES} intervals hold the truth"
    assert rejected <= 2


@pytest.mark.jit
def test_fit__p_values_of_a_true_model_are_uniform() -> None:
    # Of 200 p-values the share below 0.2 has standard deviation 0.028, that below 0.5 has 0.035; three each.
    channel = GilbertElliott(0.97, 0.6)
    p_values = np.array([gilbert(_likelihood(channel, seed)).test.p_value for seed in range(200)], float)
    assert np.mean(p_values < 0.2) == pytest.approx(0.2, abs=0.085)
    assert np.mean(p_values < 0.5) == pytest.approx(0.5, abs=0.106)


@pytest.mark.jit
def test_fit__estimates_close_in_on_the_truth() -> None:
    # A million slots hold some 28 000 bursts. The width of a 95 % interval is four standard deviations.
    channel = GilbertElliott(0.99, 0.9, 0.002, 0.6)
    report = fit(channel.erasures(1).next(1_000_000))
    assert report.adequate == "gilbert-elliott"
    for name, estimate in report.models["gilbert-elliott"].parameters.items():
        assert estimate.high - estimate.low < 0.02
        assert estimate.value == pytest.approx(getattr(channel, name), abs=estimate.high - estimate.low)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("channel", "model"),
    [
        (Bernoulli(0.1), "bernoulli"),
        (GilbertElliott(0.95, 0.6), "gilbert"),
        (GilbertElliott(0.98, 0.9, 0.005, 0.5), "gilbert-elliott"),
    ],
    ids=["bernoulli", "gilbert", "gilbert-elliott"],
)
def test_fit__names_the_simplest_model_that_fits(channel: Channel, model: str) -> None:
    report = fit(channel.erasures(3).next(8_000))
    assert report.adequate == model
    assert report.verdict.startswith({"bernoulli": "Bernoulli", "gilbert": "simple"}.get(model, "Gilbert-E"))


@pytest.mark.jit
@pytest.mark.parametrize("kind", ["fixed", "heavy tail", "three states", "alternating"])
def test_fit__rejects_bursts_of_another_kind(kind: str) -> None:
    rejected = 0
    for seed in range(4):
        draw = np.random.default_rng(1000 + seed)
        if kind == "fixed":
            lengths = np.full(600, 5)
        elif kind == "heavy tail":  # P(length > x) falls like x ** -1.2, cut at 3000
            lengths = np.minimum(np.ceil(draw.random(3000) ** (-1 / 1.2)), 3000).astype(np.int64)
        elif kind == "three states":  # means 1.1, 12 and 400 slots
            mean = draw.choice([1.1, 12.0, 400.0], 4000, p=[0.5, 0.3, 0.2])
            lengths = draw.geometric(1 / mean)
        else:  # short and long in turn: the right mixture, in an order that no two states give
            lengths = draw.geometric(np.where(np.arange(2000) % 2, 1 / 20, 1 / 1.5))
        report = fit(_bursts(lengths, seed))
        rejected += report.adequate is None
        if report.adequate is None:
            assert report.verdict.startswith("No two-state model")
    assert rejected == 4


@pytest.mark.parametrize("erased", [np.zeros(50, np.bool_), np.arange(100) == 7, np.ones(9, np.bool_)])
def test_fit__refuses_too_few_bursts(erased: npt.NDArray[np.bool_]) -> None:
    with pytest.raises(UsageError, match=r"holds [01] erasure bursts, a fit needs 5 or more"):
        fit(erased)


def test_fit__of_a_short_trace_does_not_judge() -> None:
    report = fit(np.tile([False, False, False, True], 6))
    assert not report.judged
    assert report.verdict.startswith("Too few bursts")
    assert report.models["gilbert"].parameters["beta"].value == 0.0


@pytest.mark.jit
def test_fit_command__prints_json_tables_and_a_picture(tmp_path: Path) -> None:
    erased = GilbertElliott(0.95, 0.6).erasures(1).next(4_000)
    path, picture = tmp_path / "phy.parquet", tmp_path / "fit.svg"
    write_trace(path, PhyTrace(np.arange(len(erased)), np.where(erased, 0, 7)))
    result = CliRunner().invoke(command, [str(path), "--plot", str(picture)])
    assert result.exception is None
    assert "error_bad" in result.output
    assert "simple Gilbert: the simplest model" in result.output
    assert "Autocorrelation of erasures" in picture.read_text()
    result = CliRunner().invoke(command, [str(path), "--json"])
    report = json.loads(result.output)
    assert report["verdict"]["model"] == "gilbert"
    assert report["models"]["gilbert"]["parameters"]["alpha"]["low"] < 0.95


def test_fit_command__refuses_a_trace_without_bursts_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "phy.csv"
    write_trace(path, PhyTrace(np.arange(9), np.full(9, 7)))
    result = CliRunner().invoke(command, [str(path)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == f"{path}: holds 0 erasure bursts, a fit needs 5 or more"


def test_size_dependence__by_hand() -> None:
    # Erased: 10 and 30; decoded: 20, 30 and 40. Of six pairs the erased slot is larger in one, equal in one.
    found = size_dependence(np.array([1, 0, 1, 0, 0], bool), np.array([10, 20, 30, 30, 40], np.uint32))
    assert (found.erased_mean_bytes, found.decoded_mean_bytes) == (20, 30)
    assert found.erased_byte_share == pytest.approx(40 / 130)
    assert found.larger_share == pytest.approx(1.5 / 6)


def test_size_dependence__counts_every_pair_and_seldom_raises_a_false_alarm() -> None:
    rng = np.random.default_rng(15)
    alarms = 0
    for _ in range(200):
        erased, sizes = rng.random(60) < 0.3, rng.integers(1, 30, 60).astype(np.uint32)
        found = size_dependence(erased, sizes)
        pairs = list(product(sizes[erased].astype(int), sizes[~erased].astype(int)))
        larger = sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)
        assert found.larger_share == pytest.approx(larger)
        alarms += found.p_value < 0.05
    # 10 are expected; 20 or more have a probability of 0.3 %.
    assert 2 <= alarms < 20


@pytest.mark.jit
@pytest.mark.parametrize("depends", [False, True])
def test_fit_command__says_whether_erasures_depend_on_the_size(depends: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(40, 1500, 3000).astype(np.uint32)
    erased = rng.random(3000) < (sizes / 5000 if depends else 0.15)
    tx_time_ns = np.arange(3000) * 1_000_000
    decode_ns = np.where(erased, 0, 1000)
    write_trace(tmp_path / "phy.parquet", PhyTrace(tx_time_ns, decode_ns, {"kind": "phy"}, sizes))
    said = " ".join(CliRunner().invoke(command, [str(tmp_path / "phy.parquet")]).output.split())
    assert ("Erasures depend on the size" in said) == depends
    assert ("The size is not seen to matter" in said) != depends
    sized = json.loads(CliRunner().invoke(command, [str(tmp_path / "phy.parquet"), "--json"]).output)["sizes"]
    assert sized["rejected"] == depends
    assert sized["erased_byte_share"] == pytest.approx(sizes[erased].sum() / sizes.sum())
    write_trace(tmp_path / "alike.parquet", PhyTrace(tx_time_ns, decode_ns))
    alike = json.loads(CliRunner().invoke(command, [str(tmp_path / "alike.parquet"), "--json"]).output)
    assert alike["sizes"] is None


CHANNEL = GilbertElliott(0.9, 0.6, 0.15, 0.7)


def _probability(channel: GilbertElliott, erased: tuple[bool, ...]) -> float:
    """Add up the probabilities of all state paths; from the definition."""
    bad = (1 - channel.alpha) / (2 - channel.alpha - channel.beta)
    move = [[channel.alpha, 1 - channel.alpha], [1 - channel.beta, channel.beta]]
    error = [channel.error_good, channel.error_bad]
    total = 0.0
    for path in product((0, 1), repeat=len(erased)):
        term = [1 - bad, bad][path[0]]
        for before, after in pairwise(path):
            term *= move[before][after]
        for state, lost in zip(path, erased, strict=True):
            term *= error[state] if lost else 1 - error[state]
        total += term
    return total


@pytest.mark.parametrize("channel", [CHANNEL, GilbertElliott(0.8, 0.3), GilbertElliott(0.5, 0.5, 0.2, 0.2)])
def test_likelihood__is_the_sum_over_all_paths(channel: GilbertElliott) -> None:
    for erased in product((False, True), repeat=7):
        found = RunLikelihood(ErasureRuns.of(np.array(erased)))(channel)
        assert found == pytest.approx(log(_probability(channel, erased)), abs=1e-12)


def test_good_share__is_the_filter_by_its_definition() -> None:
    erased = (False, False, True, True, True, False)
    runs = ErasureRuns.of(np.array(erased))
    found = RunLikelihood(runs).good_share(CHANNEL)
    # P(next slot erased | slots so far) is linear in the wanted share: solve for it.
    for run, slot in ((0, 0), (1, 2), (2, 5)):
        past = erased[: slot + 1]
        here, longer = _probability(CHANNEL, past), _probability(CHANNEL, (*past, True))
        to_erased_good = CHANNEL.alpha * CHANNEL.error_good + (1 - CHANNEL.alpha) * CHANNEL.error_bad
        to_erased_bad = (1 - CHANNEL.beta) * CHANNEL.error_good + CHANNEL.beta * CHANNEL.error_bad
        share = (longer / here - to_erased_bad) / (to_erased_good - to_erased_bad)
        assert found[run] == pytest.approx(share, abs=1e-12)


def test_likelihood__of_long_runs_neither_underflows_nor_overflows() -> None:
    # Simple Gilbert: states are seen. A gap of 10 ** 6, a burst of 3, a gap of 1: stationary start, then
    # alpha ** (10 ** 6 - 1), leave, beta ** 2, leave.
    erased = np.zeros(1_000_004, np.bool_)
    erased[1_000_000:1_000_003] = True
    channel = GilbertElliott(0.999, 0.4)
    exact = log(0.6 / 0.601) + 999_999 * log(0.999) + log(0.001) + 2 * log(0.4) + log(0.6)
    assert RunLikelihood(ErasureRuns.of(erased))(channel) == pytest.approx(exact, rel=1e-12)


def test_runs__by_hand() -> None:
    runs = ErasureRuns.of(np.array([1, 1, 0, 0, 0, 1, 0], np.bool_))
    assert runs.first_erased
    assert runs.lengths.tolist() == [2, 3, 1, 1]
    assert (runs.bursts.tolist(), runs.gaps.tolist()) == ([2, 1], [3, 1])
    assert (runs.slots, runs.erased) == (7, 3)
    assert length_counts(runs.gaps) == {1: 1, 3: 1}


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score without continuity correction).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_proportion__has_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    estimate = proportion(successes, trials)
    assert estimate.value == successes / trials
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("sequence", ["0010110001", "1100101110", "0011010", "1010110"])
def test_closed_forms__count_transitions(sequence: str) -> None:
    runs = ErasureRuns.of(np.array([slot == "1" for slot in sequence]))
    pairs = [sequence[i : i + 2] for i in range(len(sequence) - 1)]
    stay_good, stay_bad = pairs.count("00"), pairs.count("11")
    gilbert = fit_gilbert(runs)
    assert gilbert["alpha"].value == pytest.approx(stay_good / (stay_good + pairs.count("01")))
    assert gilbert["beta"].value == pytest.approx(stay_bad / (stay_bad + pairs.count("10")))
    assert proportion(runs.erased, runs.slots).value == sequence.count("1") / len(sequence)


def test_autocorrelation__of_a_period_is_a_period() -> None:
    # Every other slot erased: +1 at even lags, -1 at odd ones.
    lags, correlation = autocorrelation(np.arange(1000) % 2 == 0)
    assert correlation == pytest.approx(np.where(lags % 2 == 0, 1.0, -1.0), abs=0.02)


def test_autocorrelation__of_a_channel_is_that_of_its_slots() -> None:
    # In 10 ** 5 slots such correlations scatter by about 0.01.
    channel = GilbertElliott(0.98, 0.9, 0.05, 0.7)
    lags, correlation = autocorrelation(channel.erasures(8).next(100_000))
    near = lags <= 30
    assert correlation[near] == pytest.approx(channel_correlation(channel, lags[near]), abs=0.04)
    # Two slots apart by hand: 0.65 ** 2 * (5/6 * 1/6) * 0.88 ** 2 / (p (1 - p)), p = 5/6 * 0.05 + 1/6 * 0.7.
    share = 0.95 / 6
    expected = 0.65**2 * 5 / 36 * 0.88**2 / (share * (1 - share))
    assert channel_correlation(channel, np.array([2]))[0] == pytest.approx(expected)
