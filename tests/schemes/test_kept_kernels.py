"""Compiled kernels are cached, and compiled again when the file of any kernel has changed."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from processes import copied_programs, execute

pytestmark = pytest.mark.jit

COMPILE = """
import numpy as np
from tmt.core.kernels.rows import sizes_of_rows
times, sizes = np.arange(3), np.ones(3, np.uint32)
sizes_of_rows(times, sizes, times, sizes)
print(sum(sizes_of_rows.stats.cache_misses.values()))
"""


def test_kernel__in_the_home_folder_is_compiled_again_when_a_kernel_has_changed(tmp_path: Path) -> None:
    copied_programs(tmp_path)
    # Not even root can make a folder where a file is.
    place = tmp_path / "tmt" / "core" / "kernels" / "__pycache__"
    shutil.rmtree(place, ignore_errors=True)
    place.touch()
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / "cache")}

    def compilations() -> int:
        command = [sys.executable, "-c", COMPILE]
        done = execute(*command, cwd=tmp_path, env=environment, check=True)
        return int(done.stdout)

    assert [compilations(), compilations()] == [1, 0]
    source = tmp_path / "tmt" / "core" / "kernels" / "gf256.py"
    source.write_text(source.read_text() + "\n")
    assert [compilations(), compilations()] == [1, 0]


CHANGED_IN_BETWEEN = """
import sys
from pathlib import Path
import numpy as np
import tmt.core.kernels
source = Path(tmt.core.kernels.__file__).with_name("rows.py")
old = source.read_text()
if len(sys.argv) > 1:
    source.write_text(old.replace("arrivals_ns[n - 1]", "arrivals_ns[n - 1] + 100"))
    assert source.read_text() != old
from tmt.core.schemes.fec.kernel import decode_runs
source.write_text(old)
tx, decode, delay = np.arange(3), np.array([1, 0, 1]), np.zeros(3, np.int64)
decode_runs(tx, decode, 2, 1, 1, 0, (tx.copy(), delay, np.ones(3, np.bool_), np.ones(3, np.uint8)))
print(delay[1])
"""


def test_kernel__that_holds_a_part_which_changed_meanwhile_is_not_kept(tmp_path: Path) -> None:
    """By hand: the block is recovered at 3, so the row of slot 1 takes 2."""
    copied_programs(tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    delays = [
        int(
            execute(
                sys.executable, "-c", CHANGED_IN_BETWEEN, *words, cwd=tmp_path, env=environment, check=True
            ).stdout
        )
        for words in (["changed"], [])
    ]
    assert delays == [102, 2]
