"""Sizes of erased and decoded slots: pairs counted one by one, and the rate of false alarms."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tmt.cli.fit_command import command
from tmt.core.trace import PhyTrace
from tmt.io import write_trace
from tmt.theory.fit.goodness import size_dependence


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
