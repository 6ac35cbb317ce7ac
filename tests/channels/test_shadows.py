"""The channel of equal shadows: pieces, the law of the spacing, erasures, refusals."""

from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from naive import lms as naive

from tmt import Shadows
from tmt.cli.generate_command import command
from tmt.core.channels.shadows import PROFILES
from tmt.core.errors import UsageError
from tmt.io import read_phy

MS = 1_000_000
CHANNEL = Shadows(
    spacing=1,
    spacing_spread=0.5,
    crown=0.2,
    crown_error=0.3,
    trunk=0.02,
    interleaver_depth=0.036,
    processing_time=0.0001,
)


def middles_s(channel: Shadows, seed: int, duration_s: int) -> np.ndarray[Any, Any]:
    """Return the middles of the trunks, by slots of 1 ms."""
    bare = replace(channel, crown_error=0.0)
    erased = bare.realisation(seed).erased(np.arange(0, duration_s * 1000 * MS, MS, dtype=np.int64))
    slots = np.flatnonzero(erased)
    runs = np.split(slots, np.flatnonzero(np.diff(slots) > 1) + 1)
    return np.array([run.mean() / 1000 for run in runs])


@pytest.mark.parametrize("chunks", [[1] * 40, [3, 0, 17, 20], [4500, 1, 4499]])
def test_realisation__does_not_depend_on_the_cut(chunks: list[int]) -> None:
    tx_time_ns = 7 + np.arange(sum(chunks), dtype=np.int64) * 1_003_802
    whole = CHANNEL.realisation(5).erased(tx_time_ns)
    realisation = CHANNEL.realisation(5)
    pieces = [realisation.erased(tx_time_ns[a:b]) for a, b in pairwise(np.cumsum([0, *chunks]))]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_realisation__erases_what_its_slow_twin_erases() -> None:
    # The twin is told the middles, which the trunks show to within 1 ms. Slots nearer to an edge than that
    # are left out.
    tx_time_ns = np.arange(0, 30_000 * MS, MS, dtype=np.int64)
    middles_ns = middles_s(CHANNEL, 3, 30) * 1e9
    fates = np.random.Generator(np.random.PCG64(np.random.SeedSequence(3).spawn(2)[1])).random(30_000)
    expected = naive.erased(CHANNEL, tx_time_ns.tolist(), middles_ns.tolist(), fates.tolist())
    off_ns = np.abs(tx_time_ns[:, np.newaxis] - middles_ns).min(axis=1)
    edges = [CHANNEL.crown_ns / 2, CHANNEL.trunk_ns / 2]
    clear = np.min([np.abs(off_ns - edge) for edge in edges], axis=0) > 2 * MS
    inside = (tx_time_ns > middles_ns[0]) & (tx_time_ns < middles_ns[-1])
    found = CHANNEL.realisation(3).erased(tx_time_ns)
    assert (clear & inside).sum() > 25_000
    assert np.array_equal(found[clear & inside], np.array(expected)[clear & inside])


def test_spacing__is_uniform_around_its_mean() -> None:
    # 4000 spacings: standard deviation 0.5 / sqrt(3) = 0.289 s, that of the mean 0.0046 s; four of them are
    # allowed.
    spacing = np.diff(middles_s(CHANNEL, 1, 4000))
    assert spacing.mean() == pytest.approx(1.0, abs=0.0184)
    assert spacing.std() == pytest.approx(0.5 / np.sqrt(3), rel=0.05)
    assert spacing.min() >= 0.498
    assert spacing.max() <= 1.502


def test_first_shadow__comes_as_if_the_process_had_always_run() -> None:
    # The time from any moment to the next renewal has the mean E[X^2] / 2 E[X] = (1 + 1/12) / 2 s.
    # Its standard deviation is 0.34 s; 1500 seeds, four standard errors.
    first = [middles_s(CHANNEL, seed, 3)[0] for seed in range(1500)]
    assert np.mean(first) == pytest.approx((1 + 1 / 12) / 2, abs=0.036)


def test_erasures__have_the_stated_share() -> None:
    # (20 + 0.3 * 180) ms of 1000 ms are erased: 0.074.
    assert CHANNEL.erasure_probability == pytest.approx(0.074)
    erased = CHANNEL.realisation(8).erased(np.arange(0, 2_000_000 * MS, MS, dtype=np.int64))
    assert erased.mean() == pytest.approx(0.074, rel=0.03)


def test_shadows__are_the_same_at_another_rate_of_slots() -> None:
    bare = replace(CHANNEL, crown_error=0.0)
    coarse = bare.realisation(2).erased(np.arange(0, 60_000 * MS, 4 * MS, dtype=np.int64))
    fine = bare.realisation(2).erased(np.arange(0, 60_000 * MS, MS, dtype=np.int64))
    assert coarse.any()
    assert np.array_equal(fine[::4], coarse)


def test_profiles__name_every_parameter() -> None:
    for profile in PROFILES.values():
        assert set(profile.values) | {"profile"} == {field.name for field in fields(Shadows)}
    assert Shadows("distribution").decode_time_ns == 36_100_000


def test_generate__takes_profile_and_settings(tmp_path: Path) -> None:
    words = ["--channel", "shadows", "--crown", "1", "--crown-error", "1", "--duration", "60"]
    done = CliRunner().invoke(command, [*words, str(tmp_path / "phy.npy")], catch_exceptions=False)
    assert done.exit_code == 0
    trace = read_phy(tmp_path / "phy.npy")
    # 60 s of a line of 2.34 Mbit/s in words of 264 bits; about six shadows of a second.
    assert len(trace.tx_time_ns) == pytest.approx(60 * 2_340_000 / 264, abs=1)
    assert 0.06 < (trace.decode_time_ns == 0).mean() < 0.15
    refused = CliRunner().invoke(command, ["--channel", "shadows", "--profile", "internet", "phy.npy"])
    assert isinstance(refused.exception, UsageError)
    assert str(refused.exception) == "--profile: 'internet' is not allowed; allowed: distribution"
