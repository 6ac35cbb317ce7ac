"""quinn as a program of its own beside stack `quic`: the same library, once in a kernel's processes."""

import json
from pathlib import Path

import pytest

from tmt import Experiment, Path as LinkPath, PlainLink, Traffic
from tmt.core.errors import SimulatorError
from tmt.run import load_backend
from tmt.run.experiment import run
from tmt.spec.programs import Measure, Program

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
ROOT, TRANSFER = SCENARIOS / "out/programs.tar", SCENARIOS / "out/bin/quinn_transfer"
NO_BOUND_PACKETS = 20_000


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel, quinn's program and its root; tests are skipped without them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for path in (ROOT, TRANSFER):
        if not path.exists():
            pytest.skip(f"{path} is not made; docs/programs-compared.md says how")
    try:
        load_backend("programs").program()
    except SimulatorError as error:
        pytest.skip(f"{error}")


@pytest.mark.usefixtures("quic")
@pytest.mark.parametrize(
    ("rate", "rtt", "size"),
    [
        *((5e6, 0.1, 2_000_000), (20e6, 0.1, 2_000_000), (20e6, 0.04, 2_000_000)),
        *((50e6, 0.02, 2_000_000), (2e6, 0.5, 10_000_000)),
    ],
)
def test_program__takes_as_long_as_the_stack(rate: float, rtt: float, size: int) -> None:
    certificate = SCENARIOS / "programs/certificate.sh"
    program = Program(
        server=f". $FILES/{certificate.name}; exec $FILES/{TRANSFER.name} server {size} cubic",
        ready="udp:443",
        client=f"$FILES/{TRANSFER.name} client",
        root=str(ROOT),
        files=(str(TRANSFER), str(certificate)),
        duration=100,
        measure=(Measure("took_s", json="time_total"),),
    )
    row = run(Experiment(PlainLink(rate), LinkPath(rtt=rtt), program)).row
    took_s = json.loads(str(row["measures"]))["took_s"]["value"]
    path = LinkPath(rtt=rtt, window_packets=NO_BOUND_PACKETS)
    alone = run(Experiment(PlainLink(rate), path, Traffic("cubic", "quic", transfer_bytes=size))).row
    # The program's server sends when the client asks for it: its data are half a round trip later.
    assert took_s - rtt / 2 == pytest.approx(alone["completion_s"], rel=0.02)
