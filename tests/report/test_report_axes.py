"""What a campaign varied, found in its rows."""

from __future__ import annotations

import pytest
from made import frame, run

from tmt.report.axes import find_axes


@pytest.mark.parametrize(
    ("names", "axes"),
    [
        (["one"], []),
        (["internet 5 dB", "internet 6.5 dB"], [("internet", "dB", (5, 6.5))]),
        (["Es/N0 12 dB", "Es/N0 5 dB"], [("Es/N0", "dB", (5, 12))]),
        (
            ["ge(alpha=0.99, beta=0.1)", "ge(alpha=0.9, beta=0.1)", "ge(alpha=0.9, beta=0.5)"],
            [("alpha", "", (0.9, 0.99)), ("beta", "", (0.1, 0.5))],
        ),
        (["sample.parquet /10", "sample.parquet /2"], [("parquet", "", (2, 10))]),
        (["lte.csv", "starlink.csv"], [("trace", "", ("lte.csv", "starlink.csv"))]),
    ],
)
def test_find_axes__takes_numbers_out_of_trace_names(names: list[str], axes: list[object]) -> None:
    runs = frame([run(trace=name) for name in names])
    found = find_axes(runs)
    assert [(axis.label, axis.unit, axis.levels) for axis in found] == axes
    for axis in found:
        assert set(runs[axis.column]) == set(axis.levels)


def test_find_axes__leaves_out_what_follows_from_another_axis() -> None:
    # A queue of one bandwidth-delay product follows from the RTT; the number of flows is varied on its own.
    runs = frame(
        [
            run(rtt_s=rtt, queue_packets=round(40 * rtt), flows=flows)
            for rtt in (0.25, 0.5)
            for flows in (1, 2)
        ]
    )
    assert [axis.column for axis in find_axes(runs)] == ["rtt_s", "flows"]


def test_find_axes__leaves_out_what_follows_from_the_scheme() -> None:
    runs = frame([run(scheme=scheme, queue_packets=queue) for scheme, queue in (("ARQ", 20), ("none", 30))])
    assert find_axes(runs) == ()


def test_find_axes__takes_no_value_for_a_level() -> None:
    runs = frame([run(hold_s=hold) for hold in (None, 0.5)])
    (axis,) = find_axes(runs)
    assert axis.levels == (0.5, None)
    assert not axis.is_numeric
    assert list(runs["hold_s"]) == [None, 0.5], "each run's level is one of the axis's"


def test_find_axes__does_not_take_a_proxy_s_parameters_for_what_its_presence_says() -> None:
    runs = frame(
        [
            run(proxy=buffer is not None, proxy_tcp=buffer and "cubic", proxy_buffer_packets=buffer)
            for buffer in (None, 10.0, 20.0)
        ]
    )
    axes = find_axes(runs)
    assert [(axis.label, axis.levels) for axis in axes] == [
        ("proxy", ("off", "on")),
        ("proxy's buffer", (10, 20, None)),
    ]
    assert list(runs["proxy_buffer_packets"]) == [None, 10, 20]


def test_find_axes__takes_no_text_for_a_level() -> None:
    runs = frame([run(proxy=tcp is not None, proxy_tcp=tcp) for tcp in (None, "bbr", "cubic")])
    axes = find_axes(runs)
    assert [(axis.label, axis.levels) for axis in axes] == [
        ("proxy", ("off", "on")),
        ("proxy's TCP", ("bbr", "cubic", None)),
    ]
    assert list(runs["proxy_tcp"]) == [None, "bbr", "cubic"]
