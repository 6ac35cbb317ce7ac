"""`tmt share` and the scenario's table: every slot to one user, the old share as round robin, refusals."""

from pathlib import Path

import numpy as np
import pytest
from naive import sharing as naive

from tmt import Bernoulli, GilbertElliott
from tmt.core.convert import Share
from tmt.core.generate import Line
from tmt.core.sharing import ProportionalFair, RoundRobin, Scheduler, Sharing, Weighted
from tmt.core.trace import PhyTrace
from tmt.io import base, generation, read_phy, write_trace
from tmt.io.sharing import share

LINE = Line.at_rate(1_000_000, 125, 5_000_000)
SECOND = 1_000_000_000


def equal(one: PhyTrace, other: PhyTrace) -> bool:
    """Whether two traces have the same slots."""
    return one.columns == other.columns and all(
        np.array_equal(getattr(one, column.name), getattr(other, column.name)) for column in one.columns
    )


@pytest.fixture
def users(tmp_path: Path) -> list[Path]:
    """Three users who could have every slot of one line, in two formats."""
    found = [tmp_path / name for name in ("a.parquet", "b.csv", "c.parquet")]
    for seed, path in enumerate(found, 1):
        generation.generate(path, Bernoulli(0.1), LINE, duration_ns=2 * SECOND, seed=seed, lldu_bytes=125)
    return found


@pytest.mark.parametrize("scheduler", [RoundRobin(), Weighted((1, 3, 2))])
def test_share__gives_each_slot_to_one_user_whatever_the_chunks(
    scheduler: Scheduler, users: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [tmp_path / f"own-{path.name}" for path in users]
    monkeypatch.setattr(base, "CHUNK_ROWS", 333)
    numbers = share(users, own, scheduler)
    found = [read_phy(path) for path in own]
    assert numbers == [len(one) for one in found]
    assert np.array_equal(
        np.sort(np.concatenate([one.tx_time_ns for one in found])), LINE.tx_times_ns(0, 2000)
    )
    for alone, one in zip(users, found, strict=True):
        whole = read_phy(alone)
        kept = np.isin(whole.tx_time_ns, one.tx_time_ns)
        assert np.array_equal(whole.decode_time_ns[kept], one.decode_time_ns)
        assert (one.metadata["begin_ns"], one.metadata["length_ns"]) == (0, 2 * SECOND)
    assert found[2].metadata["sharing"] == {"scheduler": scheduler.describe(), "users": 3, "user": 3}


def test_share__round_robin_is_every_nth_slot(users: list[Path], tmp_path: Path) -> None:
    share(users, [tmp_path / f"own-{path.name}" for path in users], RoundRobin())
    assert equal(read_phy(tmp_path / "own-a.parquet"), Share(3).of(read_phy(users[0])))


def test_share__proportional_fair_compares_what_slots_carry(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    sizes = random.integers(100, 9000, (2, 400))
    tx_ns, decode_ns = np.arange(400) * 1_000_000, np.full(400, 5_000_000)
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for path, own in zip(paths, sizes, strict=True):
        write_trace(path, PhyTrace(tx_ns, decode_ns, size_bytes=own.astype(np.uint32)))
    share(paths, [tmp_path / "own1.parquet", tmp_path / "own2.parquet"], ProportionalFair(20))
    second = np.array(naive.by_rate(sizes.tolist(), 20)) == 1
    own = read_phy(tmp_path / "own2.parquet")
    assert np.array_equal(own.tx_time_ns, tx_ns[second])
    assert own.size_bytes is not None
    assert np.array_equal(own.size_bytes, sizes[1][second])


@pytest.mark.parametrize("channel", [Bernoulli(0.3), GilbertElliott(0.9, 0.5)])
def test_generate__round_robin_equals_the_old_share(
    channel: Bernoulli | GilbertElliott, tmp_path: Path
) -> None:
    # `tmt generate --every 5` has a line with a fifth of the rate.
    paths = [tmp_path / "old.parquet", tmp_path / "new.parquet"]
    old = Line.at_rate(1_000_000, 125, 5_000_000, share=5)
    generation.generate(paths[0], channel, old, duration_ns=SECOND, seed=3)
    generation.generate(paths[1], channel, LINE, duration_ns=SECOND, seed=3, sharing=Sharing(5))
    assert equal(*map(read_phy, paths))


def test_generate__gives_users_of_a_line_disjoint_slots_that_are_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "CHUNK_SLOTS", 77)
    slots = []
    for user in (1, 2):
        path = tmp_path / f"{user}.parquet"
        sharing = Sharing(2, user, Weighted((1, 4)))
        made = generation.generate(path, Bernoulli(0.1), LINE, duration_ns=SECOND, seed=1, sharing=sharing)
        assert made == [200, 800][user - 1]
        slots.append(read_phy(path).tx_time_ns)
    assert [len(one) for one in slots] == [200, 800]
    assert np.array_equal(np.sort(np.concatenate(slots)), LINE.tx_times_ns(0, 1000))
