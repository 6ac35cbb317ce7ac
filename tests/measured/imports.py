"""Imports by the name of a format, as the command line does them, of whole and of damaged files."""

from os import PathLike
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tmt import importers
from tmt.core.channels.snr.tables import read_error_rates, read_signal_series
from tmt.core.checks import Checker
from tmt.core.errors import TmtError
from tmt.core.trace import Trace
from tmt.core.units import NS_PER_MS
from tmt.importers import AUTO, all_importers, importer as files
from tmt.io import read_phy
from tmt.spec.points import one_of


def import_trace(
    name: str, source: str | PathLike[str], target: str | PathLike[str] | None = None, **parameters: Any
) -> Trace:
    """Import a file in the format `name`; ``auto`` detects it by the content."""
    kind = files.recognised(str(source)) if name == AUTO else all_importers()[name]
    return files.import_trace(one_of(kind, {"name": kind.name, **parameters}), source, target)


def written(folder: Path, content: str | bytes, name: str = "log") -> str:
    """Write a file, and return its name."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(folder / name)


SNR_INPUTS = {"signal_series": read_signal_series, "error_rates": read_error_rates}


def read(importer: str, source: str | PathLike[str]) -> Trace:
    """Import a file by an importer such as ``Table(time="t")``, or read it as an input of channel snr."""
    name, _, _ = importer.partition("(")
    if name in SNR_INPUTS:
        return SNR_INPUTS[name](str(source))
    return files.import_trace(eval(importer, {name: getattr(importers, name)}), source)


Damage = list[tuple[float, int, str]]
"""Of each piece: its place as a share of the text, the length of the text that it replaces, and the piece."""

_PIECES = ["", "9" * 25, "-1", "1e9", "1e400", "nan", "null", "None", *'\t\n\0,:=<"[{}\u00b2']
DAMAGE: SearchStrategy[Damage] = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(_PIECES)), min_size=1, max_size=5
)


def damaged(text: str, damage: Damage) -> str:
    """Return the text with pieces replaced."""
    for place, length, piece in damage:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    return text


def check(kind: str, path: Path, **options: Any) -> None:
    """Import a file: the result is a refusal in one line, or rows that a trace may have."""
    said, defect = "", None
    try:
        trace = import_trace(kind, path, **options)
        defect = Checker(trace.table).check(trace)
    except TmtError as refused:
        said = str(refused)
    assert len(said.splitlines()) <= 1
    assert defect is None


TRACE = Path(__file__).resolve().parents[2] / "traces" / "measured" / "lte-uplink.parquet"


def log_of_gallery(folder: Path) -> Path:
    """Write the log that the trace tells: an attempt 8 ms after an erased one repeats its block.

    The two attempts of size 0 are not in the trace.
    """
    trace = read_phy(TRACE)
    lines = ["log_ms,sfn,subframe,attempt,tb_bytes"]
    repeated: dict[int, int] = {}
    for time_ns, decode_ns, size in zip(
        trace.tx_time_ns.tolist(), trace.decode_time_ns.tolist(), trace.size_bytes.tolist(), strict=True
    ):
        time_ms = time_ns // NS_PER_MS
        attempt = 1 + repeated.get(time_ms - 8, 0)
        if decode_ns == 0:
            repeated[time_ms] = attempt
        lines.append(f"{time_ms},{time_ms // 10 % 1024},{time_ms % 10},{attempt},{size}")
    path = folder / "lte_ul_pusch_harq.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
