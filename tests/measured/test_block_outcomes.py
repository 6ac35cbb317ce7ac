"""Sequences of block outcomes and of received sequence numbers."""

from pathlib import Path

from tests.measured.imports import written
from tmt.core.trace import PhyTrace
from tmt.importers.block_outcomes import Bler
from tmt.importers.importer import Measurement


def decoded(measurement: Measurement) -> list[bool]:
    assert isinstance(measurement.trace, PhyTrace)
    return [time_ns > 0 for time_ns in measurement.trace.decode_time_ns.tolist()]


def test_outcomes__of_harq_feedback_leave_out_slots_in_which_nothing_was_sent(tmp_path: Path) -> None:
    path = written(tmp_path, "# Sionna\r\n1 -1 0\r\n1, 1\n\n")
    measurement = Bler(slot_interval=5e-7, decode_time=7e-9, lldu_bytes=100).read(path)
    assert measurement.trace.tx_time_ns.tolist() == [0, 1000, 1500, 2000]
    assert measurement.trace.decode_time_ns.tolist() == [7, 0, 7, 7]
    assert measurement.notes == (
        "read as outcomes: 1 decoded, 0 not decoded",
        "in 1 slot nothing was sent (-1)",
    )


def test_sequence_numbers__that_are_missing_are_losses(tmp_path: Path) -> None:
    """By hand: 5, 6 and 9 arrive; 7 is marked with a strength of 128; 8 is missing."""
    blocks = Bler(slot_interval=1.0).read(written(tmp_path, "5 10\n6 9\n7 128\n9 4\n"))
    assert decoded(blocks) == [True, True, False, False, True]
    assert "1 line is marked as lost (signal strength 128)" in blocks.notes


def test_sequence_numbers__wrap_at_sixteen_bits(tmp_path: Path) -> None:
    blocks = Bler(slot_interval=1.0).read(written(tmp_path, "65533\n65535\n0\n2\n"))
    assert (blocks.trace.tx_time_ns // 10**9).tolist() == [0, 1, 2, 3, 4, 5]
    assert decoded(blocks) == [True, False, True, True, False, True]


def test_sequence_numbers__of_a_measurement_are_counted(measured_data: Path) -> None:
    """The file has 299 lines with the numbers 0 to 300 but for two; none is marked."""
    path = measured_data / "formats" / "rutgers_sdec1-6.txt"
    numbers = {int(line.split()[0]) for line in path.read_text().splitlines()}
    blocks = Bler(slot_interval=1.0).read(str(path))
    received = {number for number, is_good in enumerate(decoded(blocks)) if is_good}
    assert (len(blocks.trace), received) == (301, numbers)
