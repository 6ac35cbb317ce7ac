"""Schemes on live packets in Queue/Clift/Online, beside the conversion of the whole trace."""

from typing import Any

import numpy as np

from tests.ns2.conftest import Datagrams, Run
from tmt.core.convert import convert
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace
from tmt.run.ns2 import scheme_words

MS = 1_000_000
DELAY_S = 0.01
RTT_S, RTT_NS = 0.02, 20 * MS


def queue_variables(scheme: Scheme) -> dict[str, str]:
    """Return the commands and variables that set a scheme, as a replay does."""
    name, *words = scheme_words(scheme).split()
    return {"scheme": name} | {f"{word}_": value for word, value in zip(words[::2], words[1::2], strict=True)}


def bursty_trace(rng: np.random.Generator, slots: int = 4000) -> PhyTrace:
    """Return a trace with bursts of erasures, whose decode times reorder the slots."""
    tx = 2 * (5 * MS + np.cumsum(rng.integers(1, 2 * MS, slots)))
    decode = rng.integers(1, 9 * MS, slots)
    bursty = rng.random(slots) < np.where(np.arange(slots) // 50 % 4 == 0, 0.5, 0.05)
    decode[bursty] = 0
    es_n0_mdb = np.where(decode > 0, rng.integers(-1000, 9000, slots), rng.integers(-8000, 3000, slots))
    return PhyTrace(tx.astype(np.int64), decode.astype(np.int64), es_n0_mdb=es_n0_mdb.astype(np.int32))


def check_equals_offline(
    send_datagrams: Datagrams,
    scheme: Scheme,
    phy: PhyTrace,
    rng: np.random.Generator,
    least: int,
    **words: Any,
) -> Run:
    """Compare the fates of packets that keep a link busy; return the run on live packets."""
    sendings = [(1 + 2 * i, int(size)) for i, size in enumerate(rng.integers(1, 500, 3000))]
    common: dict[str, Any] = {"delay_s": DELAY_S, "limit_": 5000, **words}
    offline = send_datagrams(convert(phy, scheme, RTT_S), sendings, lldu_bytes_=100, **common)
    online = send_datagrams(phy, sendings, unit_bytes_=100, **queue_variables(scheme), **common)
    assert offline.status == online.status == 0, online.stderr
    # At the trace's end, in-order packets stand behind unsettled ones: offline until the last row.
    beyond = int(phy.tx_time_ns[-1]) - 2 * RTT_NS
    settled = {
        uid: fate
        for uid, fate in offline.fates().items()
        if fate[0] != "link_unsettled" and (not words["in_order_"] or fate[1] < beyond)
    }
    assert len(settled) > least
    found = online.fates()
    assert {uid: found.get(uid) for uid in settled} == settled, str(scheme)
    return online
