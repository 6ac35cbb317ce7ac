"""The public interface of the land-mobile-satellite channel: pieces, seeds, sweeps, profiles, refusals."""

import importlib
import math
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tmt import Lms
from tmt.cli.generate_command import command
from tmt.core.channels.lms.path import SlowLevel
from tmt.core.channels.lms.profiles import PROFILES
from tmt.core.generate import Line
from tmt.core.trace import PhyTrace
from tmt.io import read_phy, write_trace
from tmt.io.generation import generate, overlay

DOCS = Path(__file__).resolve().parents[2] / "docs"
MS = 1_000_000


def times_ns(slots: int, interval_ns: float = 1_003_802.3) -> np.ndarray[Any, Any]:
    return (np.arange(slots) * interval_ns).astype(np.int64)


@pytest.mark.parametrize("profile", PROFILES)
def test_profile__gives_a_channel_that_erases_some_slots_and_not_most(profile: str) -> None:
    erased = Lms(profile, es_n0_db=7.0).realisation(4).erased(times_ns(20_000)).mean()
    assert 0.0005 < erased < 0.4


def test_profiles__leave_out_no_parameter_but_es_n0() -> None:
    for profile in PROFILES.values():
        assert set(profile.values) | {"profile", "es_n0_db"} == {field.name for field in fields(Lms)}


@pytest.mark.parametrize("chunks", [[1] * 40, [3, 0, 17, 20], [4500, 1, 4499]])
@pytest.mark.parametrize("jitter", [0.0, 1.0])
def test_realisation__does_not_depend_on_the_cut(chunks: list[int], jitter: float) -> None:
    # 9000 slots are 9 s, more than two blocks of the path.
    channel = Lms(es_n0_db=3.0, segment_jitter=jitter)
    tx_time_ns = times_ns(sum(chunks))
    whole = channel.realisation(5).erased(tx_time_ns)
    assert 0 < whole.sum() < len(whole)
    realisation = channel.realisation(5)
    cuts = np.cumsum([0, *chunks])
    pieces = [realisation.erased(tx_time_ns[a:b]) for a, b in pairwise(cuts)]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_realisation__counts_time_from_its_first_slot() -> None:
    channel = Lms(es_n0_db=4.0)
    late = channel.realisation(5).erased(times_ns(3000) + 10**15)
    assert np.array_equal(late, channel.realisation(5).erased(times_ns(3000)))


def test_realisation__crosses_a_long_gap() -> None:
    # Without width the code needs no numbers of its own: after a gap of 20 s the gain decides alone.
    channel = Lms(es_n0_db=4.0, code_width_db=0.0)
    tx_time_ns = times_ns(21_000)
    kept = (np.arange(21_000) < 100) | (np.arange(21_000) >= 20_000)
    whole = channel.realisation(3).erased(tx_time_ns)
    assert np.array_equal(channel.realisation(3).erased(tx_time_ns[kept]), whole[kept])
    assert 0 < whole[20_000:].sum() < 1000


@pytest.mark.parametrize("depth_ns", [0, 36 * MS])
def test_sweep__erases_at_a_higher_es_n0_only_what_it_erases_at_a_lower_one(depth_ns: int) -> None:
    tx_time_ns = times_ns(20_000)
    erased = [
        Lms(es_n0_db=es_n0_db, interleaver_depth=depth_ns / 1e9).realisation(8).erased(tx_time_ns)
        for es_n0_db in (4.0, 5.0, 6.0, 8.0, 14.0)
    ]
    assert erased[0].sum() > erased[2].sum() > 0
    for lower, higher in pairwise(erased):
        assert not (higher & ~lower).any()


def test_slow_level__scales_the_gain_and_leaves_all_else_as_it_is() -> None:
    with_it, without = (Lms("internet", es_n0_db=6.0, slow_psi_db=psi).path(3) for psi in (2.0, 0.0))
    ratio = np.concatenate([with_it.next_block() / without.next_block() for _ in range(3)])
    assert np.abs(ratio.imag).max() < 1e-9
    level_db = 20 * np.log10(ratio.real)
    assert np.abs(np.diff(level_db)).max() < 0.1, "4 mm of a memory of 100 m: steps of 0.02 dB"
    assert np.ptp(level_db) > 0.5, "three blocks are 196 m"


def test_slow_level__has_the_deviation_and_the_memory_that_are_asked_for() -> None:
    # 400 000 points with a memory of 50: 4000 independent ones, so that 5 % are three standard errors.
    level = SlowLevel(0.7, math.exp(-1 / 50), np.random.default_rng(1))
    field = np.ones((40, 10_000), np.complex128)
    for block in field:
        level.apply(block)
    level_db = 20 * np.log10(np.abs(field)).ravel()
    assert level_db.std() == pytest.approx(0.7, rel=0.05)
    correlation = np.corrcoef(level_db[:-50], level_db[50:])[0, 1]
    assert correlation == pytest.approx(math.exp(-1), abs=0.04)


def test_path__is_the_same_for_every_es_n0_interleaver_and_code() -> None:
    one = Lms(es_n0_db=5.0).path(3).next_block()
    other = Lms(es_n0_db=9.0, interleaver_depth=0, code_width_db=2.0, segments=7).path(3).next_block()
    assert np.array_equal(one, other)
    assert not np.array_equal(one, Lms(es_n0_db=5.0).path(4).next_block())


def test_generate__takes_the_decode_time_from_the_interleaver(tmp_path: Path) -> None:
    channel = Lms(es_n0_db=5.0)
    line = Line.at_rate(2_630_000, 33, channel.decode_time_ns, share=10)
    assert line.interval_ns == Fraction(264 * 10**10, 2_630_000)
    generate(tmp_path / "phy.parquet", channel, line, duration_ns=10**9, seed=3)
    trace = read_phy(tmp_path / "phy.parquet")
    assert len(trace) == 997
    assert set(trace.decode_time_ns) <= {0, 36_100_000}
    assert trace.metadata["generator"]["deep_psi_db"] == 5.9


def test_overlay__keeps_the_decode_times_of_the_trace(tmp_path: Path) -> None:
    tx_time_ns = times_ns(4000) + 10**12
    write_trace(tmp_path / "in.parquet", PhyTrace(tx_time_ns, np.full(4000, 7 * MS)))
    channel = Lms(es_n0_db=4.0)
    overlay(tmp_path / "in.parquet", tmp_path / "out.parquet", channel, seed=2)
    erased = channel.realisation(2).erased(tx_time_ns)
    assert np.array_equal(read_phy(tmp_path / "out.parquet").decode_time_ns, np.where(erased, 0, 7 * MS))


def test_command__takes_profile_line_and_settings(tmp_path: Path) -> None:
    arguments = "--channel lms --es-n0-db 6 --interleaver-depth 0 --segments 2 --duration 2 --seed 3"
    result = CliRunner().invoke(command, [*arguments.split(), str(tmp_path / "phy.parquet")])
    assert result.exception is None, result.output
    trace = read_phy(tmp_path / "phy.parquet")
    channel = Lms(es_n0_db=6.0, interleaver_depth=0, segments=2)
    assert trace.metadata["generator"] == channel.describe()
    assert trace.metadata["lldu_bytes"] == 33
    line = Line.at_rate(2_630_000, 33, 100_000, share=10)
    assert np.array_equal(trace.tx_time_ns, line.tx_times_ns(0, 1993))
    erased = channel.realisation(3).erased(trace.tx_time_ns)
    assert np.array_equal(trace.decode_time_ns, np.where(erased, 0, 100_000))


def test_page__is_what_its_maker_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS.with_name("tools"))
    page = (DOCS / "lms.md").read_text(encoding="utf-8")
    made = importlib.import_module("page_tables").filled(page, importlib.import_module("lms_tables").tables())
    assert made == page, "run `python tools/lms_tables.py`"
