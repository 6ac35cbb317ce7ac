"""A journal gives back exactly the rows that were written whole, wherever it was cut."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tmt.campaign.journal import JournalReader, JournalWriter, decode, encode, is_live
from tmt.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"key": f"{k:032x}", "goodput_bps": k / 3, "message": "two\nlines, ü"} for k in range(4)]


def _written(path: Path) -> bytes:
    writer = JournalWriter(path)
    for row in ROWS:
        writer.append(row)
    writer.close()
    return path.read_bytes()


def test_journal__gives_back_what_was_appended(tmp_path: Path) -> None:
    _written(tmp_path / "j")
    assert list(JournalReader(tmp_path / "j").new_rows()) == ROWS


def test_journal__cut_at_any_byte_keeps_the_rows_before(tmp_path: Path) -> None:
    content = _written(tmp_path / "j")
    ends = [0]
    for row in ROWS:
        ends.append(ends[-1] + len(encode(row)))
    for length in range(len(content) + 1):
        (tmp_path / "cut").write_bytes(content[:length])
        whole = sum(end <= length for end in ends[1:])
        assert list(JournalReader(tmp_path / "cut").new_rows()) == ROWS[:whole]


def test_journal__leaves_out_a_damaged_line_only(tmp_path: Path) -> None:
    content = bytearray(_written(tmp_path / "j"))
    content[len(encode(ROWS[0])) + 20] ^= 1
    (tmp_path / "j").write_bytes(content)
    assert list(JournalReader(tmp_path / "j").new_rows()) == [ROWS[0], *ROWS[2:]]


@pytest.mark.parametrize("line", [b"\n", b"zzz\n", b"00000000 {}\n", b"\xff\xfe\n"])
def test_decode__of_rubbish_is_no_row(line: bytes) -> None:
    assert decode(line) is None


def test_reader__gives_each_row_once_while_the_journal_grows(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "j")
    reader = JournalReader(tmp_path / "j")
    writer.append(ROWS[0])
    assert list(reader.new_rows()) == ROWS[:1]
    assert list(reader.new_rows()) == []
    with (tmp_path / "j").open("ab") as file:  # half a line: its writer is at it
        file.write(encode(ROWS[1])[:10])
        file.flush()
        assert list(reader.new_rows()) == []
        file.write(encode(ROWS[1])[10:])
    assert list(reader.new_rows()) == ROWS[1:2]
    writer.close()


def test_is_live__ends_with_the_writer_however_it_ends(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tmt.campaign.journal import JournalWriter\n"
        "w = JournalWriter(Path(sys.argv[1])); w.append({'key': 'a'}); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "j")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert is_live(tmp_path / "j")
        process.send_signal(signal.SIGKILL)
    assert not is_live(tmp_path / "j")
    assert list(JournalReader(tmp_path / "j").new_rows()) == [{"key": "a"}]


def test_append__without_room_leaves_no_half_line(tmp_path: Path) -> None:
    content = _written(tmp_path / "j")
    writer = JournalWriter(tmp_path / "j")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores SIGXFSZ, so that a write beyond the limit fails as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 10, hard))
    try:
        with pytest.raises(OutputError, match="File too large"):
            writer.append(ROWS[0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "j").read_bytes() == content
    writer.append(ROWS[0])
    assert list(JournalReader(tmp_path / "j").new_rows()) == [*ROWS, ROWS[0]]
    writer.close()
