"""Axes are the columns that vary between runs with all else in common."""

import json
from typing import Any

import pytest
from result_rows import frame, run

from tmt.results.dataset import find_axes, scheme_order, tcp_order


@pytest.mark.parametrize(
    ("traces", "axes"),
    [
        ([{"channel": "lms", "es_n0_db": 5.0}], []),
        (
            [{"channel": "lms", "es_n0_db": 12.0}, {"channel": "lms", "es_n0_db": 5.0}],
            [("Es/N0", "dB", (5, 12))],
        ),
        (
            [{"alpha": 0.99, "beta": 0.1}, {"alpha": 0.9, "beta": 0.1}, {"alpha": 0.9, "beta": 0.5}],
            [("alpha", "", (0.9, 0.99)), ("beta", "", (0.1, 0.5))],
        ),
        ([{"every": 10, "file": "a", "sha256": "x"}, {"every": 2, "file": "a"}], [("every", "", (2, 10))]),
        ([{"file": "lte.csv"}, {"file": "starlink.csv"}], [("trace", "", ("trace 0", "trace 1"))]),
        ([{"margin": 1.0}, {"margin": 3.0}], [("margin", "dB", (1, 3))]),
        ([{"levels": [1, 2]}, {"levels": {"a": 1}}], [("levels", "", ("[1, 2]", '{"a": 1}'))]),
        (
            [{"channel": "lms", "los_frame_m": 3.5}, {"channel": "bernoulli"}],
            [("channel", "", ("bernoulli", "lms"))],
        ),
    ],
)
def test_find_axes__takes_parameters_of_traces(traces: list[dict[str, Any]], axes: list[object]) -> None:
    runs = frame(
        [run(trace=f"trace {i}", trace_parameters=json.dumps(trace)) for i, trace in enumerate(traces)]
    )
    found = find_axes(runs)
    assert [(axis.label, axis.unit, axis.levels) for axis in found] == axes
    for axis in found:
        assert set(runs[axis.column]) == set(axis.levels)


def test_find_axes__never_reads_a_number_out_of_a_name() -> None:
    runs = frame([run(trace=f"Es/N0 {level} dB") for level in (5, 6)])
    assert [(one.label, one.levels) for one in find_axes(runs)] == [("trace", ("Es/N0 5 dB", "Es/N0 6 dB"))]


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


def test_find_axes__takes_disciplines_of_the_queue() -> None:
    limits = {"droptail": None, "droptail drop=head": 0.1, "codel": None, "codel target=0.02": None}
    runs = frame([run(queue=queue, queue_time_s=limit) for queue, limit in limits.items()])
    (axis,) = find_axes(runs)
    assert (axis.label, axis.levels) == ("queue", tuple(sorted(limits)))


def test_find_axes__takes_no_setting_that_an_earlier_version_did_not_know() -> None:
    runs = frame([run(overtaking=overtakes) for overtakes in (None, False)])
    assert find_axes(runs) == ()
    (axis,) = find_axes(frame([run(overtaking=overtakes) for overtakes in (None, False, True)]))
    assert axis.levels == ("off", "on")


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


def test_scheme_order__is_the_registry_s_and_then_that_of_the_parameters() -> None:
    schemes = [
        ("own", "somebody's", {}),
        ("HARQ(10/15)", "harq", {"data": 10, "repair": 5, "rtt_ns": 1}),
        ("GBN(10)", "go-back-n", {"window_frames": 10}),
        ("HARQ(10/12)", "harq", {"data": 10, "repair": 2, "rtt_ns": 2}),
        ("GBN(8)", "go-back-n", {"window_frames": 8}),
        ("ARQ", "arq", {"max_transmissions": None}),
        ("ARQ(max 3)", "arq", {"max_transmissions": 3}),
        ("SR(9), online, of an old campaign", None, {}),
        ("none", "none", {}),
    ]
    runs = frame(
        [run(scheme=label, scheme_name=name, scheme_parameters=json.dumps(of)) for label, name, of in schemes]
    )
    found = scheme_order(runs)
    assert found[0] == "none"
    assert found.index("ARQ(max 3)") < found.index("ARQ") < found.index("HARQ(10/12)")
    assert found.index("HARQ(10/15)") == found.index("HARQ(10/12)") + 1
    assert found.index("GBN(10)") == found.index("GBN(8)") + 1
    assert found[-2:] == ["SR(9), online, of an old campaign", "own"]


def test_tcp_order__is_that_of_the_declaration_and_then_by_name() -> None:
    assert tcp_order(["own", "bbr", "cubic", "another", "newreno"]) == [
        "newreno",
        "cubic",
        "bbr",
        "another",
        "own",
    ]
