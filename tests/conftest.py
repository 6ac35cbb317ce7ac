"""Fixtures that every area shares."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, nullcontext
from pathlib import Path
from typing import Any

import pytest
import rich.style  # noqa: F401  (its import draws a random number: Hypothesis, which touches lazy modules, refuses that)
from hypothesis import HealthCheck, settings
from local_cluster import Cluster

ROOT = Path(__file__).resolve().parents[1]

# Hypothesis draws the same values each time, and no test depends on how fast the machine is.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("fixed")

# Tests start hundreds of Python processes, each of which would compile its imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# OpenBLAS's threads wait by spinning: with matrices of four rows they take two thirds of a fit's CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Background jobs of a shell ignore SIGINT, and those of nohup SIGHUP; tests end programs with both.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def measured_data() -> Path:
    """Folder with the measured link data, which lies beside the checkout and never in it."""
    folder = Path(os.environ.get("TMT_MEASURED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no measured data at {folder} (set TMT_MEASURED_DATA to their folder)")
    return folder


@pytest.fixture(scope="session")
def simulator() -> Path:
    """Path of the built simulator."""
    path = Path(os.environ.get("CLIFT_NS", ROOT / "clift-ns2" / "build" / "ns"))
    if not path.is_file():
        pytest.fail(f"no simulator at {path}: run `make setup`")
    return path


@pytest.fixture(autouse=True, scope="session")
def no_progress_lines() -> Iterator[None]:
    """A slow machine prints no line on the progress of runs; tests and fixtures compare stderr."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tmt.cli.progress.LINE_EVERY_S", float("inf"))
        yield


@pytest.fixture(autouse=True, scope="session")
def usual_renderer() -> Iterator[Callable[..., object]]:
    """Let the process that draws charts stay for all tests, as its start takes a second; give what starts it.

    One that dies is replaced, as always.
    """
    from tmt.show.charts import files

    usual = files.renderer
    with usual() as render, pytest.MonkeyPatch.context() as patch:

        def render_at_home(*asked: Any) -> object:
            with chdir(ROOT):  # a process in a test's folder would keep it busy
                return render(*asked)

        patch.setattr(files, "renderer", lambda: nullcontext(render_at_home))
        yield usual


@pytest.fixture
def own_drawing_processes(usual_renderer: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw by a process each time, as users do: its charts have numbers, which their bytes hold."""
    monkeypatch.setattr("tmt.show.charts.files.renderer", usual_renderer)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A real scheduler of Dask on this machine; tests start its workers."""
    from local_cluster import Cluster

    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)
