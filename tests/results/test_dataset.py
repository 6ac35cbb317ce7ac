"""Sentences on the use of traces, by hand from the columns of runs."""

from typing import Any

import pytest
from result_rows import frame, run

from tmt.results.dataset import trace_uses


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
