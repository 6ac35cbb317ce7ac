"""ns-2's own test suites agree with their references exactly where they do with the distribution's program.

A few suites run always; `make test-ns2` runs all of them.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.ns2.mended import mended
from tests.ns2.stock_suites import Verdict, suites, verdicts

pytestmark = pytest.mark.ns2

QUICK = ("rng", "simple", "simultaneous")
"""Random numbers, TCP and queues, event order with every scheduler."""


@pytest.mark.parametrize("suite", suites() if os.environ.get("TMT_NS2_SUITES") == "all" else QUICK)
def test_suite__agrees_with_its_references_where_the_distribution_s_does(
    suite: str, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours = verdicts(simulator, suite, tmp_path / "ours")
    theirs = verdicts(distribution_ns, suite, tmp_path / "theirs")
    shutil.rmtree(tmp_path)
    assert ours, "the suite has run no test"
    assert ours.keys() == theirs.keys()
    assert mended(suite) <= ours.keys()
    changed = {test: ours[test] for test in ours if ours[test] != theirs[test]}
    assert changed.keys() <= mended(suite), changed
    assert set(changed.values()) <= {Verdict.AGREES, Verdict.DIFFERS}
