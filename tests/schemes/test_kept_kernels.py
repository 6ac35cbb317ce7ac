"""Compiled kernels are cached, and compiled again when a file that they hold parts of has changed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tmt

KERNELS = sorted((Path(tmt.__file__).parent / "kernels").glob("[!_]*.py"))

COMPILE = """
import numpy as np
from tmt.kernels.fec import decode_runs
tx, decode = np.arange(3), np.ones(3, np.int64)
decode_runs(tx, decode, 2, 1, 1, 0, (tx.copy(), tx.copy(), np.ones(3, np.bool_), np.ones(3, np.uint8)))
print(sum(decode_runs.stats.cache_misses.values()))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_kernel__is_compiled_again_when_its_file_has_changed(tmp_path: Path) -> None:
    shutil.copytree(Path(tmt.__file__).parent, tmp_path / "tmt", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}

    def compilations() -> int:
        command = [sys.executable, "-c", COMPILE]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert [compilations(), compilations()] == [1, 0]
    source = tmp_path / "tmt" / "kernels" / "fec.py"
    source.write_text(source.read_text() + "\n")
    assert [compilations(), compilations()] == [1, 0]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel__holds_parts_of_no_other_file(path: Path) -> None:
    # Numba compares only the kernel's own file with the cache: parts of another file would go stale.
    class Imports(ast.NodeVisitor):
        def __init__(self) -> None:
            self.modules: set[str] = set()

        def visit_Import(self, node: ast.Import) -> None:
            self.modules |= {alias.name for alias in node.names}

        def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
            self.modules.add(f"{node.module}")

        def visit_If(self, node: ast.If) -> None:
            if ast.unparse(node.test) != "TYPE_CHECKING":
                self.generic_visit(node)

    imports = Imports()
    imports.visit(ast.parse(path.read_text()))
    assert imports.modules <= {"__future__", "math", "numpy", "numpy.typing", "tmt.kernels._jit", "typing"}
