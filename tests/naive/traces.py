"""Random traces, parameters and cuts for the comparison of kernels with their slow twins."""

from itertools import accumulate

import numpy as np
from hypothesis import strategies as st

from naive import on_link, rlc, schemes as naive
from naive.on_link import OnLink
from naive.sliding_window import sliding_window
from naive.tetrys import tetrys
from tmt import Arq, Fec, Harq, HarqProcesses, NoScheme, Rlc, SlidingWindow, Tetrys
from tmt.core.converter import Counts
from tmt.core.declaration import ns
from tmt.core.schemes.scheme import Scheme
from tmt.core.seeds import uniform_source
from tmt.core.trace import LinkTrace, PhyTrace

DELAYS = st.sampled_from([0, 1, 3, 7, 20, 50])
DATA = st.integers(1, 6) | st.integers(7, 40)
REPAIR = st.integers(0, 5) | st.integers(6, 20)


@st.composite
def slots(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw `tx` and `decode` with irregular spacing, varying decode times, outages, all or nothing erased."""
    n = draw(st.integers(0, 120))
    gaps = draw(st.lists(st.sampled_from([1, 1, 2, 5, 40]), min_size=n, max_size=n))
    tx = [start - 1 for start in accumulate(gaps)]
    decode_times = draw(st.sampled_from([[4], [1, 2, 90], [5, 6, 7]]))
    good = st.sampled_from(decode_times)
    weight = draw(st.sampled_from([0, 1, 3, 10]))
    kind = draw(st.sampled_from(["scattered", "outage", "all erased"]))
    if kind == "all erased":
        return tx, [0] * n
    decode = [
        0 if erased == 0 else time
        for erased, time in zip(
            draw(st.lists(st.integers(0, weight), min_size=n, max_size=n)) if weight else [1] * n,
            draw(st.lists(good, min_size=n, max_size=n)),
            strict=True,
        )
    ]
    if kind == "outage" and n:
        first, last = sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n))))
        decode[first:last] = [0] * (last - first)
    return tx, decode


RLC = {
    "rtt_ns": DELAYS,
    "mode": st.sampled_from(["acknowledged", "acknowledged", "unacknowledged"]),
    "delivery": st.sampled_from(["in-order", "any-order"]),
    "max_retransmissions": st.sampled_from([0, 1, 2, 8]),
    "window_pdus": st.sampled_from([1, 2, 5, 30, 2048]),
    "poll_pdus": st.sampled_from([1, 2, 4, 16]),
    "poll_retransmit_ns": st.sampled_from([None, 1, 15, 90]),
    "reassembly_ns": DELAYS,
    "status_prohibit_ns": DELAYS,
}

COMBINING = {
    "combining": st.sampled_from(["chase", "incremental"]),
    "combining_threshold_db": st.sampled_from([-7.00037, 2.50053, 11.00071]),
}
"""Thresholds that no sum of qualities meets but for rounding."""

SCHEMES = st.one_of(
    st.builds(on_link.rlc, **RLC),
    st.builds(
        on_link.rlc,
        below=st.builds(
            HarqProcesses,
            processes=st.sampled_from([2, 8]),
            max_transmissions=st.sampled_from([1, 3]),
            false_feedback=st.sampled_from([0.0, 0.2]),
        ),
        **RLC,
    ),
    st.builds(on_link.rlc, below=st.just(Arq(2)), **RLC),
    st.builds(on_link.rlc, below=st.builds(Harq, st.integers(1, 4), st.integers(0, 2)), **RLC),
    st.builds(
        on_link.rlc,
        below=st.builds(
            on_link.tetrys,
            coding_window=st.sampled_from([1, 3, 9, 60]),
            repair_interval=st.sampled_from([1, 3, 65_535]),
            rtt_ns=st.just(0),
            detection_delay_ns=DELAYS,
        ),
        **RLC,
    ),
    st.builds(on_link.none, detection_delay_ns=DELAYS),
    st.builds(on_link.fec, data=DATA, repair=REPAIR, depth=st.integers(1, 4), detection_delay_ns=DELAYS),
    st.builds(
        on_link.arq,
        rtt_ns=DELAYS,
        max_transmissions=st.sampled_from([None, 1, 2, 3]),
        detection_delay_ns=DELAYS,
    ),
    st.builds(
        on_link.harq,
        data=DATA,
        repair=REPAIR,
        rtt_ns=DELAYS,
        extra=st.integers(0, 2),
        rounds=st.integers(0, 3),
        detection_delay_ns=DELAYS,
    ),
    st.builds(
        on_link.harq_processes,
        rtt_ns=DELAYS,
        processes=st.sampled_from([1, 2, 3, 4, 8, 40]),
        max_transmissions=st.sampled_from([None, 1, 2, 4]),
        missed_feedback=st.sampled_from([0.0, 0.0, 0.3]),
        false_feedback=st.sampled_from([0.0, 0.0, 0.2]),
        feedback_seed=st.integers(0, 3),
        detection_delay_ns=DELAYS,
    ),
    st.builds(
        on_link.harq_processes,
        rtt_ns=DELAYS,
        processes=st.integers(1, 9),
        max_transmissions=st.sampled_from([None, 3]),
        retransmission=st.just("synchronous"),
        slot_time_ns=st.sampled_from([0, 1, 2, 5]),
        missed_feedback=st.sampled_from([0.0, 0.3]),
        detection_delay_ns=DELAYS,
    ),
    st.builds(
        on_link.on_link,
        st.just(SlidingWindow),
        coding_window=st.sampled_from([1, 2, 3, 5, 9]),
        repair_interval=st.sampled_from([1, 2, 3, 6]),
    ),
    st.builds(
        on_link.tetrys,
        coding_window=st.sampled_from([1, 2, 3, 5, 9, 60]),
        repair_interval=st.sampled_from([1, 2, 3, 6, 65_535]),
        rtt_ns=DELAYS,
        detection_delay_ns=DELAYS,
    ),
    st.builds(
        on_link.harq_processes, rtt_ns=DELAYS, repetitions=st.integers(1, 5), detection_delay_ns=DELAYS
    ),
    st.builds(
        on_link.harq_processes,
        rtt_ns=DELAYS,
        repetitions=st.integers(1, 5),
        detection_delay_ns=DELAYS,
        **COMBINING,
    ),
    st.builds(
        on_link.harq_processes,
        rtt_ns=DELAYS,
        processes=st.sampled_from([1, 3, 8]),
        max_transmissions=st.sampled_from([None, 1, 2, 4]),
        retransmission=st.sampled_from(["asynchronous", "synchronous"]),
        missed_feedback=st.sampled_from([0.0, 0.0, 0.3]),
        false_feedback=st.sampled_from([0.0, 0.0, 0.2]),
        detection_delay_ns=DELAYS,
        **COMBINING,
    ),
    st.builds(
        on_link.rlc, below=st.builds(HarqProcesses, processes=st.sampled_from([2, 8]), **COMBINING), **RLC
    ),
)


def by_twin(  # noqa: PLR0911
    chosen: OnLink, tx: list[int], decode: list[int], es_n0_mdb: list[int] | None = None
) -> naive.Converted:
    """Convert with the slow twin of a scheme."""
    scheme, rtt_ns = chosen.scheme, ns(chosen.rtt)
    detection_delay_ns = ns(getattr(scheme, "detection_delay", 0))
    match scheme:
        case Rlc():
            below = by_twin(OnLink(scheme.below, chosen.rtt), tx, decode, es_n0_mdb)
            return rlc.above(below, rlc.Settings.of(scheme, rtt_ns))
        case NoScheme():
            return naive.none(tx, decode, detection_delay_ns)
        case Fec():
            return naive.fec(tx, decode, scheme.data, scheme.repair, scheme.depth, detection_delay_ns)
        case Arq():
            return naive.arq(tx, decode, rtt_ns, scheme.max_transmissions, detection_delay_ns)
        case Harq():
            return naive.harq(
                tx,
                decode,
                scheme.data,
                scheme.repair,
                scheme.extra,
                scheme.rounds,
                rtt_ns,
                detection_delay_ns,
            )
        case SlidingWindow():
            return sliding_window(tx, decode, scheme.coding_window, scheme.repair_interval)
        case Tetrys():
            return tetrys(
                tx, decode, scheme.coding_window, scheme.repair_interval, rtt_ns, detection_delay_ns
            )
        case HarqProcesses():
            combining = None
            if scheme.combining_threshold_db is not None:
                combining = naive.Combining(scheme.combining, scheme.combining_threshold_db, es_n0_mdb or [])
            if scheme.repetitions is not None:
                return naive.repetition(tx, decode, scheme.repetitions, detection_delay_ns, combining)
            return naive.harq_processes(
                tx,
                decode,
                scheme.processes,
                rtt_ns,
                scheme.max_transmissions,
                ns(scheme.slot_time) if scheme.retransmission == "synchronous" else None,
                feedback_faults(scheme, len(tx)),
                detection_delay_ns,
                combining,
            )
    raise AssertionError(f"no twin for {scheme}")


def feedback_faults(scheme: HarqProcesses, n_slots: int) -> list[str]:
    """Draw the fault of each slot's feedback: missed below one bound, false below the next."""
    missed, false = scheme.missed_feedback, scheme.false_feedback
    drawn = uniform_source(scheme.feedback_seed).random(n_slots)
    return ["missed" if u < missed else "false" if u < missed + false else "" for u in drawn]


def phy_trace(
    tx: list[int], decode: list[int], sizes: list[int] | None = None, es_n0_mdb: list[int] | None = None
) -> PhyTrace:
    """Make a PHY trace of plain lists."""
    return PhyTrace(
        np.array(tx, np.int64),
        np.array(decode, np.int64),
        size_bytes=None if sizes is None else np.array(sizes, np.uint32),
        es_n0_mdb=None if es_n0_mdb is None else np.array(es_n0_mdb, np.int32),
    )


def rows_of(link: LinkTrace) -> list[naive.Row]:
    """Turn a link trace into plain rows."""
    columns = (link.tx_time_ns, link.delay_ns, link.delivered, link.transmissions)
    return [naive.Row(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def converted(scheme: OnLink | Scheme, tx: list[int], decode: list[int]) -> tuple[list[naive.Row], Counts]:
    """Convert a PHY trace of plain lists; return plain rows, and what was counted."""
    converter = scheme.converter()
    rows = rows_of(converter.feed(phy_trace(tx, decode))) + rows_of(converter.finish())
    return rows, converter.counts
