"""The measured LTE uplink of `traces/measured`, back in the form of its log."""

from pathlib import Path

from tmt.core.units import NS_PER_MS
from tmt.io import read_phy

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
