"""A small trace, and scenarios over it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tmt import GilbertElliott
from tmt.core.generate import Line
from tmt.io.generation import generate


@pytest.fixture(scope="session")
def phy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty seconds of a bursty line of 2 Mbit/s with LLDUs of 1500 bytes."""
    path = tmp_path_factory.mktemp("traces") / "phy.parquet"
    line = Line.at_rate(2_000_000, 1500, 1_000_000)
    channel = GilbertElliott(0.99, 0.5)
    generate(path, channel, line, duration_ns=20_000_000_000, seed=1, lldu_bytes=1500)
    return path


@pytest.fixture(scope="session")
def write_scenario(phy: Path, simulator: Path) -> Callable[..., Path]:
    """Give a function that writes a scenario of short runs over the small trace."""

    def write(path: Path, *, tcp: str, seeds: int, duration_s: float = 3, grid: str = "") -> Path:
        path.write_text(
            f"""
seeds = {seeds}
{grid}
trace = {{ file = "{phy}" }}
scheme = {{ name = ["none", "arq"] }}
path = {{ rtt = 0.1 }}
[[traffic]]
tcp = {tcp}
duration = {duration_s}
"""
        )
        return path

    return write
