"""The way of the receiver against theory: Clarke, Rice, Loo, the chain of states.

Seeds are fixed. Tolerances are four standard deviations of the estimate or more, as said at each.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import i0e, j0
from scipy.stats import ncx2, norm

from tmt import Lms
from tmt.core.channels.lms.path import BLOCK_POINTS, FADE_POINTS, POINTS_PER_DOPPLER_PERIOD, Multipath, Visits


def multipath(blocks: int, seed: int) -> NDArray[np.complex128]:
    source = Multipath(np.random.default_rng(seed))
    return np.concatenate([source.next_block() for _ in range(blocks)])


def path(blocks: int, seed: int, **values: float) -> tuple[Lms, NDArray[np.complex128], float]:
    """Return a channel always in line of sight, without slow level; its gain; the time between points."""
    channel = Lms(
        es_n0_db=0.0,
        los_to_deep=0.0,
        deep_to_los=1.0,
        moderate_to_los=1.0,
        moderate_to_deep=0.0,
        slow_psi_db=0.0,
        **values,
    )
    found = channel.path(seed)
    return channel, np.concatenate([found.next_block() for _ in range(blocks)]), found.step_ns / 1e9


def correlation(series: NDArray[np.complex128], lags: range) -> NDArray[np.float64]:
    power = np.mean(np.abs(series) ** 2)
    return np.array(
        [np.mean((series[lag:] * series[: len(series) - lag].conj()).real) / power for lag in lags]
    )


def test_multipath__is_gaussian_with_unit_power() -> None:
    # 60 blocks are 28 800 Doppler periods; the power of half a period is about independent of the next:
    # standard deviation of the mean power 1 / sqrt(57 600) = 0.0042.
    power = np.abs(multipath(60, 1)) ** 2
    assert power.mean() == pytest.approx(1.0, abs=0.017)
    for level in (0.05, 0.5, 1.0, 2.0, 4.0):
        assert (power > level).mean() == pytest.approx(math.exp(-level), abs=0.012)


def test_multipath__has_the_same_power_where_blocks_meet() -> None:
    # 400 meetings of 32 Doppler periods each: standard deviation below 1 / sqrt(12 800) = 0.0088.
    source = Multipath(np.random.default_rng(2))
    power = np.mean([np.abs(source.next_block()[:FADE_POINTS]) ** 2 for _ in range(400)])
    assert power == pytest.approx(1.0, abs=0.035)


def test_multipath__has_clarkes_autocorrelation() -> None:
    # J0(2 pi f_d lag) up to ten Doppler periods; over 28 800 periods a lag's estimate has a standard
    # deviation of about 1 / sqrt(28 800) = 0.006.
    lags = range(0, 10 * POINTS_PER_DOPPLER_PERIOD, 5)
    found = correlation(multipath(60, 3), lags)
    expected = j0(2 * np.pi * np.array(lags) / POINTS_PER_DOPPLER_PERIOD)
    assert np.abs(found - expected).max() < 0.025


def test_multipath__has_clarkes_spectrum() -> None:
    # The share of the power below a frequency is 1/2 + asin(f / f_d) / pi. Each of 80 blocks gives a
    # periodogram under a Hann window, of 480 bins within the Doppler band on either side.
    source = Multipath(np.random.default_rng(4))
    window = np.hanning(BLOCK_POINTS)
    power = np.zeros(BLOCK_POINTS)
    for _ in range(80):
        power += np.abs(np.fft.fft(window * source.next_block())) ** 2
    frequency = np.fft.fftfreq(BLOCK_POINTS) * POINTS_PER_DOPPLER_PERIOD
    order = np.argsort(frequency)
    share = np.cumsum(power[order]) / power.sum()
    expected = 0.5 + np.arcsin(np.clip(frequency[order], -1, 1)) / np.pi
    assert np.abs(share - expected).max() < 0.02
    assert power[np.abs(frequency) > 1.01].sum() / power.sum() < 1e-4


@pytest.mark.parametrize("azimuth_deg", [90.0, 0.0])
def test_path__crosses_levels_and_fades_as_rice_says(azimuth_deg: float) -> None:
    # Rice factor 10 dB: alpha 0, MP -10 dB, no shadowing. Rice (Bell System Technical Journal 27, 1948) in
    # the form of Paetzold, Killat and Laue (IEEE Trans. Veh. Tech. 47, 1998), which allows for a Doppler
    # shift of the direct path. 60 blocks are 28 800 Doppler periods; crossings are nearly Poisson where rare.
    # Four of their standard deviations, and 1 % for the grid, which misses the shortest fades.
    channel, field, step_s = path(
        60, 6, los_alpha_db=0.0, los_psi_db=0.0, los_mp_db=-10.0, azimuth_deg=azimuth_deg, elevation_deg=40.0
    )
    envelope = np.abs(field)
    duration_s = len(envelope) * step_s
    half_power, doppler = 0.05, channel.doppler_hz
    curvature = 2 * (np.pi * doppler) ** 2 * half_power
    shift = 2 * np.pi * channel.direct_doppler_hz / math.sqrt(2 * curvature)
    assert shift == pytest.approx(
        0.0 if azimuth_deg else channel.direct_doppler_hz / doppler / math.sqrt(0.05)
    )
    for level in (0.5, 0.7, 1.0):
        crossings = np.count_nonzero((envelope[1:] < level) & (envelope[:-1] >= level))

        def integrand(theta: float, level: float = level) -> float:
            across = shift * math.sin(theta)
            rate = math.exp(-(across**2)) + math.sqrt(math.pi) * across * math.erf(across)
            # cosh and the exponential of the Rice density, taken together so that neither overflows
            apart = (
                (
                    math.exp(-((level - math.cos(theta)) ** 2) / (2 * half_power))
                    + math.exp(-((level + math.cos(theta)) ** 2) / (2 * half_power))
                )
                / 2
                * math.exp(-(math.sin(theta) ** 2) / (2 * half_power))
            )
            return apart * rate

        rate_hz = (
            level
            * math.sqrt(2 * curvature)
            / (math.pi**1.5 * half_power)
            * quad(integrand, 0, math.pi / 2)[0]
        )
        expected = rate_hz * duration_s
        assert crossings == pytest.approx(expected, abs=4 * math.sqrt(expected) + 0.01 * expected)
        below = ncx2(2, 1 / half_power).cdf(level**2 / half_power)
        fade_s = np.count_nonzero(envelope < level) * step_s / crossings
        assert fade_s == pytest.approx(below / rate_hz, rel=0.05)


def test_level_crossing_formula__is_the_common_one_without_doppler_shift() -> None:
    # Hand check of the integral above at shift 0: sqrt(2 pi (K + 1)) f_d rho exp(-K - (K + 1) rho^2)
    # I0(2 rho sqrt(K (K + 1))) with rho relative to the rms envelope (Stueber, Principles of Mobile
    # Communication, eq. 2.112).
    k, level, doppler, half_power = 10.0, 0.7, 100.0, 0.05
    rho = level / math.sqrt(1.1)
    bessel = 2 * rho * math.sqrt(k * (k + 1))
    common = math.sqrt(2 * math.pi * (k + 1)) * doppler * rho
    common *= math.exp(-k - (k + 1) * rho**2 + bessel) * i0e(bessel)
    curvature = 2 * (np.pi * doppler) ** 2 * half_power
    integral = quad(lambda t: math.cosh(level / half_power * math.cos(t)), 0, math.pi / 2)[0]
    ours = level * math.sqrt(2 * curvature) / (math.pi**1.5 * half_power) * integral
    assert ours * math.exp(-(level**2 + 1) / (2 * half_power)) == pytest.approx(common, rel=1e-9)


def test_path__shadowing_is_lognormal_and_forgets_exponentially() -> None:
    # No multipath; 60 blocks are 3.9 km, 39 000 correlation lengths of 0.1 m: standard deviations of
    # mean and deviation about psi sqrt(2 / 39 000) = 0.021 and 0.015 dB, of a correlation at most 0.005.
    channel, field, step_s = path(60, 7, los_psi_db=3.0, los_mp_db=-200.0, correlation_m=0.1)
    level_db = 20 * np.log10(np.abs(field))
    assert level_db.mean() == pytest.approx(-1.0, abs=0.085)
    assert level_db.std() == pytest.approx(3.0, abs=0.06)
    step_m = channel.speed_kmh / 3.6 * step_s
    lags = range(1, 150, 12)
    found = correlation((level_db - level_db.mean()).astype(np.complex128), lags)
    assert np.abs(found - np.exp(-np.array(lags) * step_m / 0.1)).max() < 0.02
    for level in (-7.0, -4.0, -1.0, 2.0, 5.0):
        assert (level_db < level).mean() == pytest.approx(norm.cdf((level + 1.0) / 3.0), abs=0.012)


def test_path__has_loos_distribution() -> None:
    # Deep shadow of the published table, with a correlation of 0.1 m so that 3.9 km hold 39 000 independent
    # levels: standard deviation of a distribution function at most 0.5 sqrt(2 / 39 000) = 0.0036.
    # Expected: Rice given the direct amplitude, integrated over its lognormal law.
    _, field, _ = path(60, 8, los_alpha_db=-15.0, los_psi_db=5.9, los_mp_db=-13.0, correlation_m=0.1)
    envelope = np.abs(field)
    half_power = 10**-1.3 / 2
    for level_db in (-25.0, -18.0, -14.0, -11.0, -7.0, -3.0):
        level = 10 ** (level_db / 20)

        def weighted(x: float, level: float = level) -> float:
            direct = 10 ** ((-15.0 + 5.9 * x) / 20)
            return float(norm.pdf(x) * ncx2.cdf(level**2 / half_power, 2, direct**2 / half_power))

        expected = quad(weighted, -7, 7, limit=200)[0]
        assert (envelope < level).mean() == pytest.approx(expected, abs=0.015)


def test_shadow__has_the_occupancies_of_the_published_matrix() -> None:
    # The published matrix, to the power of 10 000, and the published frames.
    shadow = Lms("perez-fontan-suburban-40", es_n0_db=5.0).shadow
    matrix = np.array([[0.8177, 0.1715, 0.0108], [0.1544, 0.7997, 0.0459], [0.14, 0.1433, 0.7167]])
    np.testing.assert_allclose(shadow.moves, matrix, atol=1e-9)
    law = np.linalg.matrix_power(matrix / matrix.sum(axis=1, keepdims=True), 10_000)[0]
    way = law * [5.2, 3.7, 3.0]
    np.testing.assert_allclose(shadow.occupancy(), way / way.sum(), rtol=1e-9)


def test_visits__have_the_stated_occupancies_and_mean_lengths() -> None:
    # 20 seeds of 20 km: about 600 km / 80 m visits of each state; four standard errors over the seeds.
    shadow = Lms("perez-fontan-suburban-40", es_n0_db=5.0).shadow
    shares, means = [], []
    for seed in range(20):
        starts, states = Visits(shadow, np.random.default_rng(seed)).between(0.0, 20_000.0)
        ends = np.clip(starts[1:], 0.0, 20_000.0)
        lengths = ends - np.clip(starts[:-1], 0.0, 20_000.0)
        shares.append([lengths[states[:-1] == state].sum() / 20_000.0 for state in range(3)])
        whole = slice(2, -1)
        means.append([lengths[whole][states[:-1][whole] == state].mean() for state in range(3)])
        assert np.all(states[1:][1:] != states[1:][:-1])
    # The published frames, and the matrix's diagonal: in deep shadow 3.0 m / (1 - .7167) = 10.6 m.
    expected_m = np.array([5.2, 3.7, 3.0]) / (1 - np.array([0.8177, 0.7997, 0.7167]))
    for found, expected in ((shares, shadow.occupancy()), (means, expected_m)):
        error = np.std(found, axis=0, ddof=1) / math.sqrt(20)
        assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error)


def test_visits__start_in_the_stationary_law() -> None:
    # 4000 seeds; four binomial standard deviations. The residual way in deep shadow has the mean of
    # E[L^2] / 2 E[L] with L geometric in frames of 3 m: 3 (2 - q) / (2 q), q = .2833; its deviation is below
    # 10 m.
    shadow = Lms("perez-fontan-suburban-40", es_n0_db=5.0).shadow
    states, residual = [], []
    for seed in range(4000):
        starts, visited = Visits(shadow, np.random.default_rng(seed)).between(0.0, 0.0)
        states.append(visited[1])
        if visited[1] == 2:
            residual.append(starts[2])
    for state, share in enumerate(shadow.occupancy()):
        assert np.mean(np.array(states) == state) == pytest.approx(
            share, abs=4 * math.sqrt(share * (1 - share) / 4000)
        )
    assert np.mean(residual) == pytest.approx(
        3 * (2 - 0.2833) / (2 * 0.2833), abs=4 * 10 / math.sqrt(len(residual))
    )


def test_visits__that_are_never_left_go_on_for_ever() -> None:
    channel = Lms(es_n0_db=0.0, los_to_deep=0.0)
    starts, states = Visits(channel.shadow, np.random.default_rng(1)).between(0.0, 1e9)
    assert states[1] == 0
    assert starts[2] == math.inf
