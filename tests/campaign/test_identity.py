"""The hash of sources covers every file that decides a result, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from naive import on_link

from tmt.campaign.link_traces import trace_sources
from tmt.campaign.replay_run import RUN_MODULES
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.identity import deciding_files, source_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSE = Path(__file__).resolve().parents[2]
LINK_TRACE = "tmt.campaign.link_traces"

DECIDES_A_RUN = (
    "kernels",
    "schemes",
    "convert",
    "generate.py",
    "schema.py",
    "trace.py",
    "units.py",
)
"""Layers that must be in the hash of a run; its channel is in the identity of its link trace."""
DECIDES_NO_RUN = ("cli", "report", "figures", "fit", "models")
"""Layers that must not be in the hash of a run."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package of a copy of the tree."""
    place = tmp_path_factory.mktemp("copy")
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HOUSE / "tmt", place / "tmt", ignore=skipped)
    shutil.copytree(HOUSE / "clift-ns2" / "tcl", place / "clift-ns2" / "tcl")
    return place / "tmt"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    source_hash.cache_clear()
    yield
    source_hash.cache_clear()


def _hash(package: Path, *modules: str) -> str:
    source_hash.cache_clear()
    return source_hash(*modules, package=package)


def _changed(file: Path) -> bytes:
    return file.read_bytes() + (b"\nADDED = 1\n" if file.suffix == ".py" else b"\nadded\n")


def test_every_deciding_file__changes_the_hash(package: Path) -> None:
    before = _hash(package, *RUN_MODULES)
    for file in deciding_files(*RUN_MODULES, package=package):
        old = file.read_bytes()
        file.write_bytes(_changed(file))
        assert _hash(package, *RUN_MODULES) != before, file
        file.write_bytes(old)


def test_other_files__do_not_change_the_hash(package: Path) -> None:
    before, deciding = _hash(package, *RUN_MODULES), deciding_files(*RUN_MODULES, package=package)
    others = {
        file: file.read_bytes()
        for file in package.rglob("*.*")
        if file not in deciding and "__pycache__" not in file.parts
    }
    assert len(others) > len(deciding)
    for file in others:
        file.write_bytes(_changed(file))
    assert _hash(package, *RUN_MODULES) == before
    for file, old in others.items():
        file.write_bytes(old)


def test_deciding_files__are_those_of_the_layers_that_compute(package: Path) -> None:
    deciding = {path.relative_to(package) for path in deciding_files(*RUN_MODULES, package=package)}
    for layer in DECIDES_A_RUN:
        found = [path for path in deciding if path.parts[0] == layer]
        assert found, layer
    assert not [path for path in deciding if path.parts[0] in DECIDES_NO_RUN]
    assert any(path.name == "code_overhead.csv" for path in deciding), "a table of measured values"


def test_link_traces__depend_on_their_own_channel_and_scheme(package: Path) -> None:
    modules = [LINK_TRACE, type(on_link.arq(rtt_ns=0)).__module__, GilbertElliott.__module__]
    found = {path.relative_to(package).as_posix() for path in deciding_files(*modules, package=package)}
    assert found >= {
        "kernels/arq.py",
        "kernels/gilbert_elliott.py",
        "convert/files.py",
        "io/parquet.py",
        "generate.py",
    }
    assert not found & {"metrics/transport.py", "run_columns.py", "experiment/measure.py"}
    assert not found & {"kernels/harq.py", "schemes/fec.py", "channels/lms.py", "schemes/registry.py"}
    assert trace_sources(on_link.arq(rtt_ns=0), GilbertElliott(0.9, 0.5)) == source_hash(*modules)


def test_deciding_files__hold_whatever_an_import_loads() -> None:
    script = (
        f"import sys, {', '.join(RUN_MODULES)}\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'tmt'))"
    )
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    loaded = {Path(name) for name in output.split()}
    assert len(loaded) > 40
    assert loaded <= set(deciding_files(*RUN_MODULES))


@pytest.mark.parametrize(
    ("text", "changed", "differs"),
    [
        ("x = 1\n", "# why\nx = (\n    1\n)\n", False),
        ("x = 1\n", "x = 2\n", True),
        ("x = 1\n", "x = 1.0\n", True),
        ('def f():\n    """Say."""\n    return 1\n', 'def f():\n    """Tell."""\n    return 1\n', False),
        ('x = 1\n"""Of this."""\n', 'x = 1\n"""Of that."""\n', False),
        ('x = "a"\n', 'x = "b"\n', True),
        ('raise ValueError("bad")\n', 'raise ValueError("is wrong")\n', False),
        ('raise ValueError(f"{y} is bad")\n', 'raise ValueError(f"wrong: {y!r}")\n', False),
        ('raise ValueError("bad")\n', 'raise KeyError("bad")\n', True),
        ("if TYPE_CHECKING:\n    import tmt.other\n", "if TYPE_CHECKING:\n    import json\n", False),
        ("x = 1\n", "x = 1\nimport tmt.other\n", True),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = ["x", "other.py"]\nx = 1\n', False),
        ('__all__ = ["x"]\nx = 1\n', "x = 1\n", False),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = ["x"]\nx = 2\n', True),
        ('__all__ = ["x"]\nx = 1\n', '__all__ = x = ["x"]\nx = 1\n', True),
    ],
)
def test_wording__is_not_part_of_it(tmp_path: Path, text: str, changed: str, differs: bool) -> None:
    package = tmp_path / "tmt"
    package.mkdir()
    for name in ("__init__.py", "other.py"):
        (package / name).write_text("y = 1\n")
    hashes = []
    for content in (text, changed):
        (package / "made.py").write_text(content)
        hashes.append(_hash(package, "tmt.made"))
    assert (hashes[0] != hashes[1]) is differs


@pytest.mark.parametrize(
    "line",
    [
        "import tmt.part.deep",
        "from tmt.part import deep",
        "from tmt.part.deep import value",
        "from .part import deep",
        "from .part.deep import value",
        "def f():\n    from tmt.part.deep import value",
        "try:\n    import tmt.part.deep\nexcept ImportError:\n    pass",
    ],
)
def test_imports__are_followed(tmp_path: Path, line: str) -> None:
    package = tmp_path / "tmt"
    (package / "part").mkdir(parents=True)
    for name in ("__init__.py", "part/__init__.py", "part/deep.py", "part/unused.py"):
        (package / name).write_text("value = 1\n")
    (package / "made.py").write_text(line + "\n")
    found = {path.relative_to(package).as_posix() for path in deciding_files("tmt.made", package=package)}
    assert found == {"__init__.py", "made.py", "part/__init__.py", "part/deep.py"}


def test_cache__is_not_believed_when_it_is_damaged(package: Path) -> None:
    before = _hash(package, *RUN_MODULES)
    (cached,) = (package / "__pycache__").glob("identity-*.json")
    for content in (b"", b"[1", b"\xff", b"[]", b"7"):
        cached.write_bytes(content)
        assert _hash(package, *RUN_MODULES) == before


def _keys(package: Path, folder: Path) -> tuple[str, str]:
    """Return the keys of a run and of its link trace, as the programs of a copy make them."""
    script = (
        "import json, sys\n"
        "from tmt.campaign.grid import expand\n"
        "from tmt.campaign.scenario import load\n"
        "(run,) = expand(load(sys.argv[1]))\n"
        "print(json.dumps([run.key, run.conversion.identity]))\n"
    )
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "CLIFT_NS": str(HOUSE / "clift-ns2" / "build" / "ns"),
    }
    result = subprocess.run(
        [sys.executable, "-c", script, folder / "s.toml"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=folder,
    )
    run, trace = json.loads(result.stdout)
    return run, trace


@pytest.mark.ns2
def test_keys__follow_scripts_kernels_and_metrics(package: Path, phy: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        f'[grid]\ntcp = ["cubic"]\nseeds = 1\n[[trace]]\nfile = "{phy}"\n[[scheme]]\nname = "arq"\n'
        "[link]\nrtt = 0.1\n[[traffic]]\nduration = 3\n"
    )
    before = _keys(package, tmp_path)
    for file, run_differs, trace_differs in (
        (package.parent / "clift-ns2" / "tcl" / "flows.tcl", True, False),
        (package / "metrics" / "transport.py", True, False),
        (package / "kernels" / "arq.py", True, True),
        (package / "kernels" / "harq.py", True, False),
        (package / "channels" / "lms.py", True, False),
        (package / "report" / "page.py", False, False),
    ):
        old = file.read_bytes()
        file.write_bytes(old + (b"\nADDED = 1\n" if file.suffix == ".py" else b"\nset added 1\n"))
        run, trace = _keys(package, tmp_path)
        file.write_bytes(old)
        assert (run != before[0], trace != before[1]) == (run_differs, trace_differs), file.name


def test_meaning_of_a_parameter__is_not_part_of_the_hash(package: Path) -> None:
    before, file = _hash(package, *RUN_MODULES), package / "settings" / "settings.py"
    text = file.read_text()
    assert "limit of the queue before each link" in text
    file.write_text(text.replace("limit of the queue before each link", "most packets that wait"))
    assert _hash(package, *RUN_MODULES) == before
    file.write_text(text.replace("] = 1500", "] = 1501"))
    assert _hash(package, *RUN_MODULES) != before
    file.write_text(text)
