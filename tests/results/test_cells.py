"""Means, intervals and differences of a campaign's cells; sentences on the use of traces."""

from typing import Any

import pytest
from result_rows import frame, run

from tmt.results.cells import Summary, best
from tmt.results.dataset import Published, Results, find_axes, matches, trace_uses


def _results(published: tuple[Published, ...] = ()) -> Results:
    # Two variants, three seeds, two rates of loss; the second variant is 10, 10 and 13 kbit/s better.
    rows = [
        run(
            tcp=tcp,
            seed=seed,
            trace_parameters=f'{{"loss": {loss}}}',
            goodput_bps=1000.0 * (base + gain - 50 * loss),
            delay_p95_s=0.001 * (base + gain - 50 * loss),
        )
        for loss in (1, 2)
        for seed, base in ((1, 300), (2, 320), (3, 310))
        for tcp, gain in (("newreno", 0), ("cubic", 10 if seed < 3 else 13))
    ]
    runs = frame(rows)
    return Results("made", "", runs, find_axes(runs), published=published)


def _cell(summary: Summary, tcp: str, point: int) -> int:
    place = summary.tcps.index(tcp)
    return next(i for i, cell in enumerate(summary.cells) if (cell.tcp, cell.point) == (place, point))


def test_summarise__gives_the_mean_and_students_interval_in_kbits() -> None:
    summary = _results().cells
    interval = summary.cells[_cell(summary, "newreno", 0)].intervals["goodput_bps"]
    # 250, 270, 260: mean 260, deviation 10; t(0.975, 2) = 4.303 (any table), so 4.303 * 10 / sqrt(3).
    assert interval.mean == pytest.approx(260)
    assert interval.half_width == pytest.approx(24.84, abs=0.01)


def test_summarise__keeps_intervals_where_the_measure_can_be() -> None:
    rows = [
        run(seed=seed, goodput_bps=1000.0 * goodput, fairness=fairness, retransmission_ratio=0.1 * seed)
        for seed, goodput, fairness in ((1, 0.0, 1.0), (2, 1.0, 0.7), (3, 8.0, 1.0))
    ]
    runs = frame(rows)
    (cell,) = Results("made", "", runs, find_axes(runs)).cells.cells
    # 0, 1, 8: mean 3, deviation sqrt(19); 4.303 * sqrt(19 / 3) = 10.83, so [-7.83, 13.83] without the bound.
    goodput = cell.intervals["goodput_bps"]
    assert (goodput.low, goodput.high) == (0, pytest.approx(13.83, abs=0.01))
    # 1, 0.7, 1: mean 0.9, 4.303 * sqrt(0.03 / 3) = 0.43; 10, 20, 30 %: 20 +- 4.303 * 10 / sqrt(3) = 24.84.
    fairness, ratio = cell.intervals["fairness"], cell.intervals["retransmission_ratio"]
    assert (fairness.low, fairness.high) == (pytest.approx(0.47, abs=0.001), 1)
    assert (ratio.low, ratio.high) == (0, pytest.approx(44.84, abs=0.01))


def test_summarise__pairs_runs_of_one_seed() -> None:
    summary = _results().cells
    (difference,) = [
        d for d in summary.differences if (d.point, d.among, d.measure.column) == (0, "tcp", "goodput_bps")
    ]
    # Differences -10, -10, -13: mean -11, standard deviation sqrt(3), so +-4.303 * sqrt(3) / sqrt(3).
    assert difference.difference.mean == pytest.approx(-11)
    assert difference.difference.half_width == pytest.approx(4.303, abs=0.001)
    # t = 11 on 2 degrees of freedom: p = 0.0082 two-sided (p = 1 - t / sqrt(t^2 + 2)).
    assert difference.p_adjusted == pytest.approx(1 - 11 / 123**0.5, abs=1e-6)


def test_summarise__letters_say_that_paired_runs_differ_though_their_intervals_overlap() -> None:
    summary = _results().cells
    first, second = (summary.cells[_cell(summary, tcp, 0)] for tcp in ("newreno", "cubic"))
    assert first.intervals["goodput_bps"].high > second.intervals["goodput_bps"].low
    assert (first.letters["goodput_bps"]["tcp"], second.letters["goodput_bps"]["tcp"]) == ("b", "a")


def test_less_delay__is_better() -> None:
    """The delays in ms are the goodputs in kbit/s, so that the order of the variants turns round."""
    results = _results()
    summary = results.cells
    newreno, cubic = (summary.cells[_cell(summary, tcp, 0)] for tcp in ("newreno", "cubic"))
    assert (newreno.letters["delay_p95_s"]["tcp"], cubic.letters["delay_p95_s"]["tcp"]) == ("a", "b")
    assert (newreno.among_best["delay_p95_s"], cubic.among_best["delay_p95_s"]) == (True, False)
    delay = next(measure for measure in summary.measures if measure.column == "delay_p95_s")
    assert best(results.runs, [cubic, newreno], delay) == (newreno, [])


def test_best__names_the_greatest_and_none_that_can_be_told_from_it() -> None:
    results = _results()
    summary = results.cells
    cells = [cell for cell in summary.cells if cell.point == 1]
    winner = best(results.runs, cells, summary.measures[0])
    assert summary.tcps[winner[0].tcp] == "cubic"
    assert winner[1] == []


def test_matches__finds_the_cell_of_a_published_value() -> None:
    published = (
        Published("goodput_bps", "cubic", "ARQ", {"trace.loss": 2}, 200_000.0, 4000.0, "somebody"),
        Published("goodput_bps", "cubic", "HARQ(10/12)", {}, 200_000.0, 4000.0, "not run"),
        Published("goodput_bps", "cubic", "ARQ", {"trace.loss": 9}, 200_000.0, 4000.0, "no such loss"),
        Published("fairness", "cubic", "ARQ", {}, 1.0, 0.0, "not measured"),
    )
    results = _results(published)
    summary = results.cells
    (match,) = matches(results, summary)
    assert (match.value, match.error, match.source) == (200, 4, "somebody")
    # Ours at 2 %: 210, 230 and 223, so 221.
    assert match.deviation == pytest.approx(221 / 200 - 1)


def test_frames__have_a_row_for_each_cell_and_measure_with_axes_as_columns() -> None:
    results = _results()
    frame_of_cells = results.cells.to_frame().set_index(["tcp", "trace.loss", "measure"]).sort_index()
    assert len(frame_of_cells) == len(results.cells.cells) * len(results.cells.measures) == 8
    # 250, 270, 260 kbit/s; see above.
    one = frame_of_cells.loc["newreno", 1, "goodput_bps"]
    assert (one["mean"], one["runs"], one["unit"], one["scheme"]) == (pytest.approx(260), 3, "kbit/s", "ARQ")
    assert one["high"] - one["low"] == pytest.approx(2 * 24.84, abs=0.02)
    assert frame_of_cells["tcp_letters"].notna().all()
    assert results.to_frame().equals(results.runs)


@pytest.mark.parametrize(
    ("starts_s", "repeats", "sentence"),
    [
        ((0.0, 0.0), (0, None), "every run starts at the beginning; no run repeats it"),
        ((2.5, 2.5), (1, 1), "every run starts at 2.5 s; it repeats once in a run"),
        ((2.5, 2.5), (0, 1), "every run starts at 2.5 s; it repeats at most once in a run"),
        (
            (1.0, 2.0, 2.0),
            (1, 3, 2),
            "runs start at 2 places from 1 to 2 s; it repeats 1 to 3 times in a run",
        ),
    ],
)
def test_trace_uses__tell_starts_and_repeats(starts_s: Any, repeats: Any, sentence: str) -> None:
    runs = frame(
        [
            run(trace="t", forward_offset_s=start_s, forward_trace_repeats=count)
            for start_s, count in zip(starts_s, repeats, strict=True)
        ]
    )
    assert trace_uses(runs) == [("t", sentence)]


def test_trace_uses__tell_those_of_return_links_last() -> None:
    both = {"return_offset_s": 3.0, "return_trace_repeats": 2}
    used = {"forward_offset_s": 0.0, "forward_trace_repeats": 0}
    runs = frame([run(trace="a", **used, **both), run(trace="b", **used)])
    assert trace_uses(runs) == [
        ("a", "every run starts at the beginning; no run repeats it"),
        ("b", "every run starts at the beginning; no run repeats it"),
        ("a, return link", "every run starts at 3 s; it repeats 2 times in a run"),
    ]
