"""Sequences of block outcomes and of received sequence numbers."""

from pathlib import Path

from tests.measured.imports import written
from tmt.importers.block_outcomes import Bler, read_blocks


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
    blocks = read_blocks(written(tmp_path, "5 10\n6 9\n7 128\n9 4\n"))
    assert blocks.decoded.tolist() == [True, True, False, False, True]
    assert "1 line is marked as lost (signal strength 128)" in blocks.notes


def test_sequence_numbers__wrap_at_sixteen_bits(tmp_path: Path) -> None:
    blocks = read_blocks(written(tmp_path, "65533\n65535\n0\n2\n"))
    assert blocks.number.tolist() == [0, 1, 2, 3, 4, 5]
    assert blocks.decoded.tolist() == [True, False, True, True, False, True]


def test_sequence_numbers__of_a_measurement_are_counted(measured_data: Path) -> None:
    """The file has 299 lines with the numbers 0 to 300 but for two; none is marked."""
    path = measured_data / "formats" / "rutgers_sdec1-6.txt"
    numbers = {int(line.split()[0]) for line in path.read_text().splitlines()}
    blocks = read_blocks(str(path))
    assert (len(blocks.number), int(blocks.decoded.sum())) == (301, len(numbers))
    assert {int(n) for n, ok in zip(blocks.number, blocks.decoded, strict=True) if ok} == numbers
