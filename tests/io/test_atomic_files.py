"""Files appear completely or not at all, however writing is stopped."""

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import current_thread, main_thread

import numpy as np
import pytest
from processes import execute

from tmt.core.errors import InputError, OutputError, UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import copy_trace, create_trace, endings, open_trace, read_phy, write_trace
from tmt.io.atomic import check_not_source, own_folder, staged
from tmt.io.base import WAITING, Behind, ahead

SLOTS = PhyTrace(np.arange(20_000) ** 2, np.arange(20_000) * 7919 % 1_000_003)


@pytest.mark.parametrize("ending", endings())
def test_full_disk__ends_in_one_line_and_leaves_nothing(ending: str, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: beyond it a write fails with EFBIG.

    It would hit pytest's own files too, so the writing happens in a process of its own, which keeps no
    bytecode: cut files of it would stop later processes.
    """
    path = tmp_path / f"phy{ending}"
    script = (
        "import resource, numpy as np\n"
        "from tmt.core.errors import OutputError\n"
        "from tmt.io import write_trace\n"
        "from tmt.core.trace import PhyTrace\n"
        "decode = np.random.default_rng(1).integers(0, 10**15, 20_000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n"
        f"    write_trace({str(path)!r}, PhyTrace(np.arange(20_000), decode))\n"
        "except OutputError as error:\n"
        "    print(error)\n"
    )
    result = execute(sys.executable, "-B", "-c", script, check=True)
    assert result.stdout == f"{path}: cannot be written: {os.strerror(27)}\n"
    assert result.stderr == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", endings())
@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError, MemoryError])
def test_interrupted_writing__keeps_files(ending: str, stop: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / f"phy{ending}"
    path.write_bytes(b"what was there")
    with pytest.raises(stop):
        _write_and_stop(path, stop)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"what was there"


def _write_and_stop(path: Path, stop: type[BaseException]) -> None:
    with create_trace(path, PHY_TRACE, {}) as writer:
        writer.write(SLOTS)
        raise stop


def test_bad_input__leaves_no_output(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("0 1\n1 1\n1 1\n")
    with pytest.raises(InputError, match=r"bad\.txt:3: "):
        copy_trace(str(tmp_path / "bad.txt"), str(tmp_path / "good.parquet"))
    assert [file.name for file in tmp_path.iterdir()] == ["bad.txt"]


def test_staged__says_why_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    for path, why in [
        (tmp_path / "none" / "phy.npy", f"there is no folder {tmp_path / 'none'}"),
        (tmp_path / "folder.npy", "this is not a regular file"),
        ("/dev/null", "this is not a regular file"),
    ]:
        with pytest.raises(UsageError, match=f"cannot be written: {why}"), staged(path) as part:
            part.touch()
    with pytest.raises(OutputError, match=r"nowhere://x/phy\.npy: cannot be written: "):
        write_trace("nowhere://x/phy.npy", SLOTS)
    with pytest.raises(OutputError, match=r"cannot be written: "):
        write_trace(f"{(tmp_path / 'none').as_uri()}/phy.npy", SLOTS)


@pytest.mark.parametrize("name", ["file", "file/in/it"])
def test_own_folder__is_refused_where_a_file_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match=f"{name}: cannot be made: a file is in its place or on the way"):
        own_folder(tmp_path / name, "a run")
    assert (tmp_path / "file").read_text() == "mine"


def test_source__is_not_overwritten_under_any_name(tmp_path: Path) -> None:
    source, other_name, link = (tmp_path / name for name in ("phy.csv", "other.csv", "link.csv"))
    source.write_text("")
    other_name.hardlink_to(source)
    link.symlink_to(source)
    for path in (source, other_name, link):
        with pytest.raises(UsageError, match="itself, which would be overwritten"):
            check_not_source(path, tmp_path / "absent.csv", source)
    check_not_source(tmp_path / "new.csv", source)


def test_staged__writes_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "link.npy").symlink_to(tmp_path / "target.npy")
    write_trace(tmp_path / "link.npy", SLOTS)
    assert (tmp_path / "link.npy").is_symlink()
    assert len(read_phy(tmp_path / "target.npy")) == len(SLOTS)


def test_staged__gives_new_files_the_usual_rights(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.npy", SLOTS)
    (tmp_path / "plain").touch()
    assert (tmp_path / "phy.npy").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_long_trace__is_copied_in_little_memory(tmp_path: Path) -> None:
    """Eight million slots are 128 MB as arrays; what the process takes on top of its libraries is bounded."""
    with create_trace(tmp_path / "phy.parquet", PHY_TRACE, {}) as writer:
        for start in range(0, 8_000_000, 1_000_000):
            tx = np.arange(start, start + 1_000_000)
            writer.write(PhyTrace(tx, tx % 1009))
    script = (
        "from tmt.io import copy_trace\n"
        f"copy_trace({str(tmp_path / 'phy.parquet')!r}, {str(tmp_path / 'copy.parquet')!r})\n"
        # Not ru_maxrss, which begins at the peak of the process that started this one.
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    result = execute(sys.executable, "-B", "-c", script, check=True)
    assert int(result.stdout) < 230 * 1024, f"{int(result.stdout) / 1024:.0f} MiB"
    assert (tmp_path / "copy.parquet").read_bytes() == (tmp_path / "phy.parquet").read_bytes()


def test_ahead__keeps_the_order_and_fetches_in_a_thread() -> None:
    def items() -> Iterator[int]:
        for item in range(100):
            assert current_thread() is not main_thread()
            yield item

    assert list(ahead(items())) == list(range(100))


def test_ahead__yields_what_came_before_an_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("no third")

    fetched = ahead(items())
    assert [next(fetched), next(fetched)] == [1, 2]
    with pytest.raises(ValueError, match="no third"):
        next(fetched)


def test_ahead__when_abandoned__fetches_no_more_than_may_wait() -> None:
    fetched = count()
    items = ahead(iter(fetched))
    assert next(items) == 0
    items.close()
    assert next(fetched) <= 1 + WAITING


def test_behind__calls_in_order() -> None:
    behind, called = Behind(), []
    for item in range(100):
        behind.call(called.append, item)
    behind.join()
    behind.stop()
    assert called == list(range(100))


def test_behind__raises_the_error_of_a_call_at_the_latest_when_joined() -> None:
    def fail(item: int) -> None:
        raise OSError(f"call {item}")

    behind = Behind()
    behind.call(fail, 1)
    with pytest.raises(OSError, match="call 1"):
        behind.join()
    behind.stop()


@pytest.mark.parametrize("ending", ["parquet", "npy"])
def test_reader__closed_after_the_first_chunk__ends(tmp_path: Path, ending: str) -> None:
    slots = 1 << 19
    path = tmp_path / f"phy.{ending}"
    write_trace(path, PhyTrace(np.arange(slots) * 1_000_000, np.full(slots, 500_000)))
    with open_trace(path) as reader:
        chunks = iter(reader)
        assert len(next(chunks)) < slots
    assert list(chunks) == []
