"""What a backend with our link core makes of its packets, beside ns-2's Queue/Clift."""

from pathlib import Path

import numpy as np
from link_traces import sent_once

from tests.ns2.conftest import Datagrams
from tmt.core.schema import PACKET_EVENTS
from tmt.core.units import NS_PER_MS
from tmt.io import write_trace
from tmt.run.experiment import ExperimentResult


def write_lossy_trace(folder: Path) -> Path:
    """Write 5000 rows of 1500 bytes, 6 ms apart, of which 1 % are lost and others come up to 50 ms late."""
    random = np.random.default_rng(1)
    rows = 5000
    delay_ns, lost = random.integers(0, 50 * NS_PER_MS, rows), random.random(rows) <= 0.01
    trace = sent_once(np.arange(rows) * 6 * NS_PER_MS, delay_ns, np.flatnonzero(lost), lldu_bytes=1500)
    write_trace(folder / "lossy.parquet", trace)
    write_trace(folder / "lossy.npy", trace)
    return folder / "lossy.parquet"


def check_fates(run: ExperimentResult, trace: Path, in_order: bool, send_datagrams: Datagrams) -> None:
    """Send the packets of a run over `trace`, RTT 0.5 s, once more at their times through Queue/Clift."""
    packets = run.packets[(run.packets["direction"] == 0) & (run.packets["uid"] >= 0)]
    ended = packets[packets["event"] > 0]
    sent = packets[(packets["event"] == 0) & np.isin(packets["uid"], ended["uid"])]
    assert len(sent) > 100
    order = {int(uid): number for number, uid in enumerate(sent["uid"])}
    fates = {order[int(row["uid"])]: (PACKET_EVENTS[row["event"]], int(row["time_ns"])) for row in ended}
    there = send_datagrams(
        trace.with_suffix(".npy"),
        [(int(row["time_ns"]), int(row["size_bytes"])) for row in sent],
        delay_s=0.25,
        limit_=30,
        in_order_=int(in_order),
        loop_=1,
    )
    assert there.fates() == fates
