"""Write the contract files: tiny traces that every reader accepts, and one for every reason to refuse.

Run as ``python -m traces.contract.maker`` after the refusals or the schema changed, and look at the
difference before it is committed: the files are the agreement between TMT's readers and the simulator's.

`expected.tsv` lists the files with what a reader that wants a trace of `kind` must say: nothing in `place`
and `reason` for a good file, else ``FILE:PLACE: REASON`` (``FILE: REASON`` where there is no place). A reason
that ends in ``...`` is completed by the library that reads the format.

`combining.tsv` lists erased transmissions of an LLDU by their Es/N0 with what a receiver that combines them
must decide, computed with fifty digits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from traces.contract.maker.bad_npy import bad_npy
from traces.contract.maker.bad_parquet import bad_parquet
from traces.contract.maker.bad_signal import bad_es_n0, bad_mode
from traces.contract.maker.bad_text import bad_text
from traces.contract.maker.combining import combined_transmissions
from traces.contract.maker.good import good, good_sized, good_with_es_n0, good_with_modes

if TYPE_CHECKING:
    from traces.contract.maker.content import Sample


def samples() -> list[Sample]:
    """Every contract file."""
    return [
        *(*good(), *good_sized(), *good_with_es_n0(), *good_with_modes()),
        *(*bad_npy(), *bad_text(), *bad_parquet(), *bad_es_n0(), *bad_mode()),
    ]


def main(folder: Path) -> None:
    """Write all files and the list of what is expected."""
    lines = ["file\tkind\tplace\treason"]
    for sample in samples():
        (folder / sample.name).write_bytes(sample.content)
        lines.append("\t".join((sample.name, sample.kind, sample.place, sample.reason)))
    (folder / "expected.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    combined = combined_transmissions()
    (folder / "combining.tsv").write_text("\n".join(combined) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
