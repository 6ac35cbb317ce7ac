"""`ErrorModel/NeymanA` inside ns-2 has the process of TMT's channel and of the formulas."""

import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.ns2.scripts import output_of, run_script
from tmt import NeymanA
from tmt.theory import ClusteredErrors

SCRIPT = Path(__file__).with_name("error_model.tcl")
PACKETS = 40_000


def run(
    simulator: Path, folder: Path, *words: object, packets: int = PACKETS, size: int = 1500
) -> subprocess.CompletedProcess[str]:
    return run_script(simulator, SCRIPT, folder, "ErrorModel/NeymanA", packets, size, *words)


def lost(simulator: Path, folder: Path, *words: object, size: int = 1500) -> npt.NDArray[np.bool_]:
    """Return whether each packet is lost: [PACKETS]; one is sent each millisecond."""
    done = run(simulator, folder, *words, size=size)
    assert done.returncode == 0, done.stderr
    fates = np.zeros(PACKETS, np.bool_)
    for line in (folder / "out.tr").read_text().splitlines():
        if line.startswith("d "):
            fates[int(float(line.split()[1]) * 1000)] = True
    return fates


def distance_cdf(fates: npt.NDArray[np.bool_], longest: int) -> npt.NDArray[np.float64]:
    distances = np.diff(np.flatnonzero(fates))
    return np.array([(distances <= k).mean() for k in range(1, longest + 1)])


@pytest.mark.parametrize(
    ("loss", "errors", "length"), [(0.1, 10, 0.0), (0.05, 10, 0.3), (0.2, 4, 2.5), (0.1, 20, 30.0)]
)
def test_error_model__loses_like_the_channel_and_the_formulas(
    simulator: Path, tmp_path: Path, loss: float, errors: float, length: float
) -> None:
    # Of 40,000 packets at least 2000 are lost, so that the CDF of their distances is known to 0.011; where
    # clusters of 20 errors lie over 30 packets there are few of them, and 4000 losses tell no more than 2000
    # would. Four standard deviations allowed, of one sample against the formulas.
    fates = lost(
        simulator, tmp_path, "rate_", loss, "errors_per_cluster_", errors, "cluster_packets_", length
    )
    theory = ClusteredErrors.with_loss(loss, errors, length).distance_cdf(40)
    assert fates.mean() == pytest.approx(loss, rel=0.2)
    assert distance_cdf(fates, 40) == pytest.approx(theory, abs=0.045)
    channel = NeymanA(loss, errors, length).erasures(1).next(PACKETS)
    assert distance_cdf(channel, 40) == pytest.approx(theory, abs=0.045)


def test_error_model__counts_bytes_in_unit_byte(simulator: Path, tmp_path: Path) -> None:
    # A tenth of a packet's bytes is hit with probability 1 - 0.8^0.1 = 0.0221; standard deviation 0.00073.
    words = ("unit", "byte", "rate_", 0.2)
    assert lost(simulator, tmp_path, *words, size=150).mean() == pytest.approx(0.0221, abs=0.003)
    assert lost(simulator, tmp_path, *words, size=1500).mean() == pytest.approx(0.2, abs=0.008)


def test_error_model__draws_from_the_variable_that_is_named(simulator: Path, tmp_path: Path) -> None:
    # If every number is 1e-9, clusters begin -log(1e-9) / 0.22315 = 92.865 packets apart (-log(1 - 0.2) over
    # 1 - exp(-10) of them begin in each), and each loses the packet in which it begins.
    script = tmp_path / "constant.tcl"
    script.write_text(
        "set value [new RandomVariable/Constant]\n$value set val_ 1e-9\n"
        f"lappend argv ranvar $value\nsource {SCRIPT}\n"
    )
    output_of(simulator, script, tmp_path, "ErrorModel/NeymanA", 500, 1500, "rate_", 0.2)
    lines = (tmp_path / "out.tr").read_text().splitlines()
    dropped = [int(float(line.split()[1]) * 1000) for line in lines if line.startswith("d ")]
    assert dropped == [92, 185, 278, 371, 464]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rate_", 1), "ErrorModel/NeymanA: rate_ is 1; allowed is a probability, from 0 to below 1"),
        (("rate_", "nan"), "rate_ is nan; allowed is a probability"),
        (("rate_", -0.1), "rate_ is -0.1; allowed is a probability"),
        (("errors_per_cluster_", 0), "errors_per_cluster_ is 0; allowed is a positive number"),
        (("cluster_packets_", -2), "cluster_packets_ is -2; allowed is 0 or more"),
        (("packet_bytes_", 0), "packet_bytes_ is 0; allowed is 1 or more"),
        (("unit", "time"), "unit must be pkt or byte"),
        (
            ("rate_", 0.5, "cluster_packets_", 1e9),
            "cluster_packets_ is 1000000000; allowed is a length at which no more than 100,000 clusters lie",
        ),
    ],
)
def test_error_model__refuses_in_one_line(
    simulator: Path, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    done = run(simulator, tmp_path, *words, packets=10)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
