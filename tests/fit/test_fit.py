"""Recovery of known parameters, how often intervals hold the truth, and the rejections of the test of fit.

Numbers of replicates and the tolerances on them are chosen so that a sound method fails with probability
below 0.002 in each check; the seeds are fixed.
"""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numba
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
from tmt.theory.fit import bernoulli, fit, gilbert, gilbert_elliott_model
from tmt.theory.fit.goodness import size_dependence
from tmt.theory.fit.likelihood import ErasureRuns, RunLikelihood

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="hundreds of fits need compiled kernels")

FIT = {"bernoulli": bernoulli, "gilbert": gilbert, "gilbert-elliott": gilbert_elliott_model}
REPLICATES = 100
SLOTS = 20_000


def _likelihood(channel: Channel, seed: int) -> RunLikelihood:
    return RunLikelihood(ErasureRuns.of(channel.erasures(seed).next(SLOTS)))


def _bursts(lengths: npt.NDArray[np.int64], seed: int, mean_gap: float = 40.0) -> npt.NDArray[np.bool_]:
    """Put bursts of these lengths between gaps of a geometric law."""
    gaps = np.random.default_rng(seed).geometric(1 / mean_gap, len(lengths))
    return np.repeat(np.tile([False, True], len(lengths)), np.column_stack((gaps, lengths)).ravel())


@compiled
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
    # 95 % intervals: of 100, fewer than 88 with probability 0.0015. Level 1 %: more than 5 with 0.0005.
    for name, times in covered.items():
        assert times >= 88, f"{name}: {times} of {REPLICATES} intervals hold the truth"
    assert rejected <= 5


@compiled
def test_fit__p_values_of_a_true_model_are_uniform() -> None:
    # Of 200 p-values the share below 0.2 has standard deviation 0.028, that below 0.5 has 0.035; three each.
    channel = GilbertElliott(0.97, 0.6)
    p_values = np.array([gilbert(_likelihood(channel, seed)).test.p_value for seed in range(200)], float)
    assert np.mean(p_values < 0.2) == pytest.approx(0.2, abs=0.085)
    assert np.mean(p_values < 0.5) == pytest.approx(0.5, abs=0.106)


@compiled
def test_fit__estimates_close_in_on_the_truth() -> None:
    # A million slots hold some 28 000 bursts. The width of a 95 % interval is four standard deviations.
    channel = GilbertElliott(0.99, 0.9, 0.002, 0.6)
    report = fit(channel.erasures(1).next(1_000_000))
    assert report.adequate == "gilbert-elliott"
    for name, estimate in report.models["gilbert-elliott"].parameters.items():
        assert estimate.high - estimate.low < 0.02
        assert estimate.value == pytest.approx(getattr(channel, name), abs=estimate.high - estimate.low)


@pytest.mark.parametrize(
    ("channel", "model"),
    [
        pytest.param(Bernoulli(0.1), "bernoulli", marks=compiled),
        (GilbertElliott(0.95, 0.6), "gilbert"),
        (GilbertElliott(0.98, 0.9, 0.005, 0.5), "gilbert-elliott"),
    ],
    ids=["bernoulli", "gilbert", "gilbert-elliott"],
)
def test_fit__names_the_simplest_model_that_fits(channel: Channel, model: str) -> None:
    report = fit(channel.erasures(3).next(8_000))
    assert report.adequate == model
    assert report.verdict.startswith({"bernoulli": "Bernoulli", "gilbert": "simple"}.get(model, "Gilbert-E"))


@compiled
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
