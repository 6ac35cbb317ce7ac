"""The kernels of the land-mobile-satellite channel against their slow twins and against integrals."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import lms as naive
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import ncx2

from tmt.core.channels.lms.kernel import autoregression, decode, equal_gain, loo_gain, mutual_information

H = (0.3073, 0.8935, 1.1064)
QPSK = 4.0
STATES = [(-1.0, 0.5, -13.0), (-3.7, 0.98, -12.2), (-15.0, 5.9, -13.0)]


def erasures(
    field: NDArray[np.complex128],
    step_ns: int,
    time_ns: NDArray[np.int64],
    offsets_ns: list[float],
    uniform: NDArray[np.float64],
    *,
    es_n0_db: float,
    width: float = 0.7,
    jitter_ns: float = 0.0,
    places: NDArray[np.float64] | None = None,
    first_point: int = 0,
    effective_gain: NDArray[np.float64] | None = None,
) -> NDArray[np.bool_]:
    """Call the kernel with a threshold of 2 dB."""
    needed = 10 ** ((2.0 - width * ndtri(uniform) - es_n0_db) / 10)
    if places is None:
        places = np.zeros((0, len(offsets_ns)))
    erased = np.empty(len(time_ns), np.bool_)
    offsets, snr = np.array(offsets_ns), 10 ** (es_n0_db / 10)
    effective = np.empty(0) if effective_gain is None else effective_gain
    decode(
        *(field, first_point, step_ns, time_ns, offsets, jitter_ns, places, needed, snr, QPSK, *H),
        *(erased, effective),
    )
    return erased


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    segments=st.integers(1, 6),
    jitter=st.sampled_from([0.0, 0.5, 1.0]),
    es_n0_db=st.sampled_from([0.0, 3.0, 5.0, 9.0]),
)
def test_decode__equals_the_twin(seed: int, segments: int, jitter: float, es_n0_db: float) -> None:
    random = np.random.default_rng(seed)
    field = random.normal(size=200) + 1j * random.normal(size=200)
    time_ns = np.sort(random.integers(500, 15_000, 40))
    distance_ns = 3000 / segments
    middles = [(k + 0.5) * distance_ns for k in range(segments)]
    uniform, places = random.random(40), random.random((40, segments))
    erased = erasures(
        field,
        100,
        time_ns,
        middles,
        uniform,
        es_n0_db=es_n0_db,
        jitter_ns=jitter * distance_ns,
        places=places,
        first_point=4,
    )
    for slot in range(40):
        at_ns = [int(m + jitter * distance_ns * (places[slot, k] - 0.5)) for k, m in enumerate(middles)]
        gains = [naive.gain_at(field, (int(time_ns[slot]) + at) / 100 - 4) for at in at_ns]
        probability = naive.erasure_probability(gains, es_n0_db, QPSK, H, 2.0, 0.7)
        # Both sides round: a uniform number this close to the probability may fall either way.
        if abs(uniform[slot] - probability) > 1e-9:
            assert erased[slot] == (uniform[slot] < probability)


def test_loo_gain__is_that_of_the_twin_across_transitions() -> None:
    # 300 points of 0.05 m: 15 m with visits to deep at 3 m and to moderate at 9.1 m, transitions of 2.2 m.
    random = np.random.default_rng(5)
    multipath = (random.normal(size=300) + 1j * random.normal(size=300)) / math.sqrt(2)
    draws, memory, level = random.normal(size=300), 0.9, 0.3
    shadow, last = [], level
    for draw in draws:
        last = memory * last + math.sqrt(1 - memory**2) * draw
        shadow.append(last)
    visits = [(-math.inf, STATES[0]), (3.0, STATES[2]), (9.1, STATES[1])]
    expected = naive.gains(list(multipath), shadow, 0.05, visits, 2.2, 0.0123)
    field = multipath.copy()
    starts, states = np.array([-np.inf, -np.inf, 3.0, 9.1, 40.0]), np.array([2, 0, 2, 1, 0])
    turn = complex(np.exp(2j * np.pi * 0.0123))
    end = loo_gain(
        field, draws, level, memory, 0, 0.05, starts, states, np.array(STATES), 2.2, complex(1.0), turn
    )
    assert end == pytest.approx(shadow[-1])
    np.testing.assert_allclose(field, expected, rtol=1e-10)


def test_loo_gain__changes_at_once_without_transition() -> None:
    field = np.zeros(4, np.complex128)
    starts, states = np.array([-np.inf, -np.inf, 2.0]), np.array([1, 0, 2])
    table = np.array([(-6.0, 0.0, -99.0), (0.0, 0.0, -99.0), (-20.0, 0.0, -99.0)])
    loo_gain(field, np.zeros(4), 0.0, 0.5, 0, 1.0, starts, states, table, 0.0, 1 + 0j, 1 + 0j)
    np.testing.assert_allclose(20 * np.log10(np.abs(field)), [-6.0, -6.0, -20.0, -20.0])


def test_mutual_information__is_that_of_qpsk() -> None:
    # Per bit of QPSK the log-likelihood ratio is Gaussian with variance 4 SNR and half of that as its mean;
    # I = 1 - E[log2(1 + exp(-L))]. Brannstrom, Rasmussen and Grant give constants for a fit of that.
    for snr_db in np.arange(-12.0, 12.1, 1.5):
        variance = 4 * 10 ** (snr_db / 10)
        deviation = math.sqrt(variance)

        def lost(x: float, deviation: float = deviation, variance: float = variance) -> float:
            ratio = variance / 2 + deviation * x
            return math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * np.logaddexp(0.0, -ratio) / math.log(2)

        exact = 1 - quad(lost, -12, 12, epsabs=1e-10)[0]
        assert mutual_information(variance, *H) == pytest.approx(exact, abs=0.0012)


@pytest.mark.parametrize("es_n0_db", [3.0, 5.0, 8.0])
def test_decode__has_the_packet_error_rate_of_the_integral_over_rice_fading(es_n0_db: float) -> None:
    # Rice power with factor 10 and unit direct path: 20 g is non-central chi-squared with 2 degrees of
    # freedom and non-centrality 20. 20 000 code words of one segment, fading independent; four standard
    # deviations.
    random = np.random.default_rng(17)
    slots = 20_000
    field = 1.0 + math.sqrt(0.05) * (random.normal(size=slots + 1) + 1j * random.normal(size=slots + 1))
    erased = erasures(field, 1, np.arange(slots), [0.0], random.random(slots), es_n0_db=es_n0_db)
    law = ncx2(2, 20.0)

    def weighted(gain: float) -> float:
        return 20 * law.pdf(20 * gain) * float(ndtr((2.0 - es_n0_db - 10 * math.log10(gain)) / 0.7))

    expected = quad(weighted, 1e-9, 5.0, limit=200)[0]
    assert erased.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / slots))


def test_decode__has_the_packet_error_rate_of_the_double_integral_over_two_segments() -> None:
    # As above with two independent segments at 4 dB, their mutual information averaged. The integral runs
    # over both gains by Gauss-Legendre quadrature of 200 nodes each.
    random = np.random.default_rng(18)
    slots, es_n0_db = 20_000, 4.0
    field = 1 + math.sqrt(0.05) * (random.normal(size=2 * slots + 2) + 1j * random.normal(size=2 * slots + 2))
    time_ns = 2 * np.arange(slots)
    erased = erasures(field, 1, time_ns, [0.0, 1.0], random.random(slots), es_n0_db=es_n0_db)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    gains = 1.75 * (nodes + 1)
    density = 1.75 * weights * 20 * ncx2(2, 20.0).pdf(20 * gains)
    assert density.sum() == pytest.approx(1.0, abs=1e-4)
    snr = 10 ** (es_n0_db / 10)
    information = (1 - 2 ** (-H[0] * (QPSK * snr * gains) ** H[1])) ** H[2]
    mean = (information[:, None] + information[None, :]) / 2
    effective = (-np.log2(1 - mean ** (1 / H[2])) / H[0]) ** (1 / H[1]) / QPSK
    expected = density @ ndtr((2.0 - 10 * np.log10(effective)) / 0.7) @ density
    assert erased.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / slots))
    assert 0.02 < expected < 0.3


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99999, 1.0])
def test_autoregression__is_a_recursive_filter(memory: float) -> None:
    from scipy.signal import lfilter  # its import takes a second of each process of tests

    draws = np.random.default_rng(5).standard_normal(20_000)
    expected, _ = lfilter([math.sqrt(1 - memory**2)], [1.0, -memory], draws, zi=[memory * 0.3])
    values = draws.copy()
    last = [autoregression(values[:7], 0.3, memory)]
    last.append(autoregression(values[7:], last[0], memory))
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert last == [values[6], values[-1]]


@settings(max_examples=60)
@given(
    gains=st.lists(st.floats(1e-3, 20.0), min_size=1, max_size=6), variance=st.sampled_from([0.05, 4.0, 25.0])
)
def test_equal_gain__has_the_mean_information_of_the_gains(gains: list[float], variance: float) -> None:
    """With 80 digits: what the equal gain lacks of the information is the mean of what the gains lack."""
    found = equal_gain(np.array(gains), variance, *H)
    assert min(gains) * (1 - 1e-9) <= found <= max(gains) * (1 + 1e-9)
    h1, h2, h3 = map(Decimal, H)

    def lacking(gain: float) -> Decimal:
        return 1 - (1 - Decimal(2) ** (-h1 * (Decimal(variance) * Decimal(gain)) ** h2)) ** h3

    with localcontext(prec=80):
        mean = sum(map(lacking, gains), Decimal(0)) / len(gains)
        assert abs(lacking(found) / mean - 1) < Decimal("1e-9")


def test_decode__returns_effective_gains_without_changing_erasures() -> None:
    random = np.random.default_rng(3)
    field = random.normal(size=300) + 1j * random.normal(size=300)
    time_ns, uniform = np.arange(0, 20_000, 100), random.random(200)
    alone = erasures(field, 100, time_ns, [50.0, 900.0, 2500.0], uniform, es_n0_db=4.0)
    gain = np.empty(200)
    both = erasures(field, 100, time_ns, [50.0, 900.0, 2500.0], uniform, es_n0_db=4.0, effective_gain=gain)
    assert (alone == both).all()
    # A code word is erased exactly when its effective gain is below what it needs.
    assert (both == (gain < 10 ** ((2.0 - 0.7 * ndtri(uniform) - 4.0) / 10))).all()


def test_equal_gain__at_the_ends() -> None:
    # A gain of 0 informs of nothing; at a variance of 40,000 nothing lacks in floating point.
    assert equal_gain(np.zeros(3), QPSK, *H) == 0.0
    assert equal_gain(np.full(3, 10_000.0), QPSK, *H) == math.inf
    assert equal_gain(np.full(4, 40.0), QPSK, *H) == pytest.approx(40.0, rel=1e-9)
