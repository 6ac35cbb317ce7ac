"""Users who adapt their modes: the slow twin, one user as without sharing, and what fairness gains."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import sharing as naive

from tmt import Lms
from tmt.core.generate import Line
from tmt.core.modes import Adaptation
from tmt.core.modes.adapter import new_rings, new_state
from tmt.core.modes.kernel import OLLA
from tmt.core.sharing import ProportionalFair, RoundRobin, Scheduler, Sharing
from tmt.core.sharing.adapted_kernel import adapt_users
from tmt.io import generation, read_phy
from tmt.io.generation import generate

MODES = naive.Modes([0.0, 4.0, 8.0, 12.0], [100, 200, 330, 400], [-0.5, 3.5, 7.5, 11.5], 0.5)


def by_kernel(
    times_ns: np.ndarray,
    es_n0_db: np.ndarray,
    uniform: np.ndarray,
    cuts: list[int],
    *,
    averaging_slots: int,
    margin_db: float,
    up_db: float,
    down_db: float,
    every_ns: int,
    delay_ns: int,
    is_idle: bool,
) -> list[tuple[int, int, bool]]:
    """Return user, mode and fate of each slot, called in pieces."""
    users, slots = es_n0_db.shape
    states = np.concatenate([new_state() for _ in range(users)])
    rings = [new_rings(delay_ns, 1000.0) for _ in range(users)]
    reports, feedback = np.stack([one[0] for one in rings]), np.stack([one[1] for one in rings])
    means = np.zeros(users)
    user, mode, erased = np.empty(slots, np.int64), np.zeros(slots, np.uint8), np.zeros(slots, np.bool_)
    for first, end in zip([0, *cuts], [*cuts, slots], strict=True):
        piece = slice(first, end)
        adapt_users(
            times_ns[piece],
            np.rint(1000 * es_n0_db[:, piece]).astype(np.int32),
            np.ascontiguousarray(uniform[:, piece]),
            np.empty((users, 0)),
            OLLA,
            1000 * np.array(MODES.needed_db),
            np.arange(4),
            np.array(MODES.size_bytes, np.int64),
            1000 * np.array(MODES.half_db),
            np.full(4, 1000 * MODES.width_db),
            np.empty(0),
            1000 * np.array([margin_db, up_db, down_db, 0.0]),
            every_ns,
            delay_ns,
            is_idle,
            states,
            reports,
            feedback,
            np.empty(0, np.int64),
            means,
            1 / averaging_slots,
            user[piece],
            mode[piece],
            erased[piece],
        )
    return list(zip(user.tolist(), mode.tolist(), erased.tolist(), strict=True))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    users=st.integers(1, 4),
    every_ns=st.sampled_from([1, 3000, 7000]),
    delay_ns=st.sampled_from([0, 500, 9000]),
    is_idle=st.booleans(),
)
def test_adapt_users__equals_the_twin(
    seed: int, users: int, every_ns: int, delay_ns: int, is_idle: bool
) -> None:
    random = np.random.default_rng(seed)
    times_ns = np.arange(80, dtype=np.int64) * 1000
    # Whole thousandths of a dB, as the column holds them; needs and steps are no multiples of a half.
    es_n0_db = np.round(6 + np.cumsum(random.normal(0, 1.2, (users, 80)), axis=1), 3)
    uniform = random.random((users, 80))
    how: dict[str, Any] = {"averaging_slots": 9, "margin_db": 0.37, "up_db": 0.0519, "down_db": 0.4671}
    how |= {"every_ns": every_ns, "delay_ns": delay_ns, "is_idle": is_idle}
    cuts = sorted(random.choice(np.arange(1, 80), 3, replace=False).tolist())
    expected = naive.adapted(times_ns.tolist(), es_n0_db.tolist(), uniform.tolist(), MODES, **how)
    assert by_kernel(times_ns, es_n0_db, uniform, cuts, **how) == expected


@pytest.mark.parametrize("scheduler", [RoundRobin(), ProportionalFair()])
@pytest.mark.parametrize("adapt", ["ideal", "margin", "olla"])
def test_one_user__adapts_as_without_sharing(scheduler: Scheduler, adapt: str, tmp_path: Path) -> None:
    channel = Lms(es_n0_db=12, interleaver_depth=0, processing_time=0.001)
    how = Adaptation("nr-1", adapt, report_delay=0.02, report_every=0.01, report_loss=0.1, resource_blocks=5)
    line = Line(Fraction(1_000_000), 5_000_000)
    found = []
    for number, sharing in enumerate((None, Sharing(1, 1, scheduler))):
        path = tmp_path / f"{number}.parquet"
        about = {"duration_ns": 2_000_000_000, "seed": 3, "adaptation": how, "sharing": sharing}
        assert generate(path, channel, line, **about) == 2000
        found.append(read_phy(path))
    assert found[0].columns == found[1].columns
    for column in found[0].columns:
        assert np.array_equal(*(getattr(one, column.name) for one in found))


def test_users__have_all_slots_and_the_target_on_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The published steady state of an outer loop: up / (up + down) = target, on the slots that teach it.
    channel = Lms(es_n0_db=12, interleaver_depth=0, processing_time=0.001, speed_kmh=3)
    how = Adaptation("nr-1", "olla", target=0.1, report_delay=0.02, report_every=0.01, resource_blocks=5)
    line = Line(Fraction(1_000_000), 5_000_000)
    slots = []
    for user in (1, 2):
        path = tmp_path / f"{user}.parquet"
        sharing = Sharing(2, user, ProportionalFair(200))
        generate(path, channel, line, duration_ns=20 * 10**9, seed=1, adaptation=how, sharing=sharing)
        found = read_phy(path)
        assert (found.decode_time_ns == 0).mean() == pytest.approx(0.1, abs=0.005)
        slots.append(found.tx_time_ns)
    assert np.array_equal(np.sort(np.concatenate(slots)), line.tx_times_ns(0, 20_000))
    monkeypatch.setattr(generation, "CHUNK_SLOTS", 777)
    sharing = Sharing(2, 2, ProportionalFair(200))
    generate(
        tmp_path / "c.parquet", channel, line, duration_ns=20 * 10**9, seed=1, adaptation=how, sharing=sharing
    )
    assert np.array_equal(read_phy(tmp_path / "c.parquet").tx_time_ns, slots[1])
