"""Write the binary contract files: tiny traces that every reader accepts, or refuses with one reason.

Run as ``python -m traces.contract.maker`` after the schema changed, and look at the difference before it is
committed: the files are the agreement between TMT's readers and the simulator's. Files of text are written
by hand, and so is `expected.tsv`. It lists all files with what a reader that wants a trace of `kind` must
say: nothing in `place` and `reason` for a good file, else ``FILE:PLACE: REASON`` (``FILE: REASON`` where
there is no place). A reason that ends in ``...`` is completed by the library that reads the format.

`combining.tsv` lists erased transmissions of an LLDU by their Es/N0 with what a receiver that combines them
must decide, computed with fifty digits.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from traces.contract.maker.combining import combined_transmissions
from traces.contract.maker.npy_files import npy_files
from traces.contract.maker.parquet_files import parquet_files
from traces.contract.maker.rows import flipped

FOLDER = Path(__file__).parents[1]


def compressed_files(link_parquet: bytes) -> dict[str, bytes]:
    """Return compressed files, and files whose name says something else than their content."""
    phy = _zipped(_text("phy.txt"))
    return {
        "link.parquet.gz": _zipped(link_parquet),
        "link.csv.gz": _zipped(_text("link.csv")),
        "phy.txt.gz": phy,
        "empty.csv.gz": b"",
        "not-gzip.txt.gz": _text("phy.txt"),
        "gzip.txt": phy,
        "cut.txt.gz": phy[:-1],
        "wrong-checksum.txt.gz": flipped(phy, -5),
        "no-text.txt": bytes(64),
        "parquet-as.csv": link_parquet,
        "csv-as.parquet": _text("phy.csv"),
        "no-npy.npy": _text("link.csv"),
    }


def _text(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def _zipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def main(folder: Path) -> None:
    """Write the files."""
    files = npy_files() | parquet_files()
    files |= compressed_files(files["link.parquet"])
    files["combining.tsv"] = "".join(f"{line}\n" for line in combined_transmissions()).encode()
    for name, content in files.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
