"""Two campaigns beside each other: which runs are pairs, and hand arithmetic of their differences."""

from dataclasses import replace
from typing import Any

import pytest
from result_rows import frame, run

from tmt.core.errors import UsageError
from tmt.results.comparison import PairedCampaigns, compare, earlier_runs, identities, remarks, unpaired
from tmt.results.reading import results_of

NAMES = ("before", "after")


def _results(rows: list[dict[str, Any]]) -> Any:
    return results_of(frame([row | {"status": "done", "experiment": "e"} for row in rows]), "made")


def _compare(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> PairedCampaigns:
    return compare(_results(first), _results(second), NAMES)


def _grid(**values: Any) -> list[dict[str, Any]]:
    """Two variants and three seeds; kbit/s of seed 1, 2, 3: 300, 320, 310."""
    return [
        run(**{"tcp": tcp, "seed": seed, "goodput_bps": 1000.0 * kbps} | values)
        for tcp in ("newreno", "cubic")
        for seed, kbps in ((1, 300), (2, 320), (3, 310))
    ]


def _gained(rows: list[dict[str, Any]], gains: dict[tuple[str, int], float]) -> list[dict[str, Any]]:
    return [
        row | {"goodput_bps": row["goodput_bps"] + 1000.0 * gains.get((row["tcp"], row["seed"]), 0.0)}
        for row in rows
    ]


def test_compare__gives_paired_differences_with_students_interval_and_holms_correction() -> None:
    gains = {("cubic", 1): 10, ("cubic", 2): 10, ("cubic", 3): 13}
    found = _compare(_grid(), _gained(_grid(), gains))
    newreno, cubic = (by_measure["goodput_bps"] for by_measure in found.cells)
    assert found.summary.tcps == ["newreno", "cubic"]
    # Differences 10, 10, 13: mean 11, deviation sqrt(3), so t(0.975, 2) = 4.303 on 3 values gives +-4.303.
    assert cubic.difference.mean == pytest.approx(11)
    assert cubic.difference.half_width == pytest.approx(4.303, abs=0.001)
    assert (cubic.first.mean, cubic.second.mean, cubic.relative) == pytest.approx((310, 321, 11 / 310))
    # t = 11 on 2 degrees of freedom: p = 1 - t / sqrt(t^2 + 2); Holm doubles the smaller of two.
    assert cubic.p_adjusted == pytest.approx(2 * (1 - 11 / 123**0.5))
    assert (newreno.difference.mean, newreno.difference.half_width, newreno.p_adjusted) == (0, 0, 1)
    assert found.pairs.equal.tolist() == [True] * 3 + [False] * 3


def test_remarks__count_intervals_beside_0_that_the_test_does_not_confirm() -> None:
    # CUBIC gains 10, 10, 13: 11 +- 4.3, p = 0.0082; New Reno 10, 10, 16: 12 +- 8.6, p = 0.0267.
    # A third cell of large noise takes the second p to 2 * 0.0267 = 0.053 > 0.05.
    gains = {("cubic", 1): 10, ("cubic", 2): 10, ("cubic", 3): 13}
    gains |= {("newreno", 1): 10, ("newreno", 2): 10, ("newreno", 3): 16}
    gains |= {("bbr", 1): -50, ("bbr", 2): 0, ("bbr", 3): 60}
    before = [*_grid(), *(run(tcp="bbr", seed=seed, goodput_bps=3e5) for seed in (1, 2, 3))]
    (remark,) = remarks(_compare(before, _gained(before, gains)))
    assert remark.startswith("In 1 of 3 differences the interval excludes 0 and the test")


def test_frame__has_a_row_for_each_cell_and_measure() -> None:
    gains = {("cubic", 1): 10, ("cubic", 2): 10, ("cubic", 3): 13}
    table = _compare(_grid(), _gained(_grid(), gains)).to_frame().set_index(["tcp", "measure"])
    one = table.loc["cubic", "goodput_bps"]
    assert (one["first"], one["second"], one["difference"]) == pytest.approx((310, 321, 11))
    assert (one["pairs"], one["unit"], bool(one["significant"])) == (3, "kbit/s", True)
    assert not table.loc["newreno", "goodput_bps"]["significant"]


def test_compare__names_the_settings_that_differ_and_pairs_by_the_others() -> None:
    before = [row for rtt in (0.1, 0.5) for row in _grid(rtt_s=rtt, stack="2009")]
    after = [row for rtt in (0.5, 0.9) for row in _grid(rtt_s=rtt, stack="modern")]
    found = _compare(before, after)
    assert [(one.name, one.first, one.second, one.pairs) for one in found.pairs.settings] == [
        ("stack", ("2009",), ("modern",), 6)
    ]
    assert set(found.pairs.first["rtt_s"]) == set(found.pairs.second["rtt_s"]) == {0.5}
    assert [(name, cell) for name, cell, _ in unpaired(found)] == [
        ("before", "newreno over ARQ, RTT 0.1 s"),
        ("before", "cubic over ARQ, RTT 0.1 s"),
        ("after", "newreno over ARQ, RTT 0.9 s"),
        ("after", "cubic over ARQ, RTT 0.9 s"),
    ]


def test_unpaired__names_runs_by_the_axes_of_their_own_campaign() -> None:
    before = [row for rtt in (0.1, 0.5) for row in _grid(rtt_s=rtt)]
    found = _compare(before, [*_grid(rtt_s=0.5), run(seed=4, rtt_s=0.5)])
    assert unpaired(found)[-1] == ("after", "cubic over ARQ", [4])


def test_compare__pairs_the_axis_of_one_campaign_with_the_setting_of_the_other() -> None:
    before = [row for rtt in (0.1, 0.5) for row in _grid(rtt_s=rtt)]
    found = _compare(before, _grid(rtt_s=0.5))
    assert found.pairs.settings == ()
    assert (len(found.pairs.first), len(found.pairs.only_first), len(found.pairs.only_second)) == (6, 6, 0)


def test_compare__pairs_a_flag_that_one_campaign_varies() -> None:
    before = [row for acks in (False, True) for row in _grid(delayed_acks=acks)]
    found = _compare(before, _grid(delayed_acks=True))
    assert (len(found.pairs.first), set(found.pairs.first["delayed_acks"])) == (6, {"on"})


def test_compare__tells_the_parameters_of_traces_apart() -> None:
    def traces(profile: int) -> list[dict[str, Any]]:
        return [
            row
            for loss in (1, 2)
            for row in _grid(
                trace=f"t{loss}-{profile}", trace_parameters=f'{{"loss": {loss}, "profile": {profile}}}'
            )
        ]

    found = _compare(traces(7), traces(8))
    assert len(found.pairs.first) == 12
    assert {one.name: (one.first, one.second) for one in found.pairs.settings} == {
        "trace": (("t1-7", "t2-7"), ("t1-8", "t2-8")),
        "trace.profile": (("7",), ("8",)),
    }
    assert not found.pairs.same_channel.any()
    assert "In 12 of 12 pairs the two runs see other slots" in remarks(found)[0]


def test_compare__sees_starts_that_differ_in_the_last_digit() -> None:
    before = [row | {"forward_offset_s": 307.092834701} for row in _grid()]
    after = [row | {"forward_offset_s": 307.092834702} for row in _grid()]
    assert not _compare(before, after).pairs.same_channel.any()
    assert _compare(before, before).pairs.same_channel.all()


def test_compare__of_one_variant_with_another_names_both() -> None:
    found = _compare(_grid()[:3], [row | {"tcp": "bbr"} for row in _grid()[:3]])
    assert found.summary.tcps == ["newreno → bbr"]


def test_compare__counts_missing_values_as_equal_and_a_changed_digit_not() -> None:
    before = [row | {"completion_s": None, "timeouts": 3} for row in _grid()]
    after = [dict(row) for row in before]
    after[2]["goodput_bps"] += 1e-6
    after[3]["wall_time_s"] = 99.0
    found = _compare(before, after).pairs.equal.tolist()
    assert found == [True, True, False, True, True, True]


def test_compare__refuses_campaigns_without_a_common_place_and_says_why() -> None:
    with pytest.raises(UsageError, match=r"has a partner in the second: .* seed \(1, 2, 3 and 7\)"):
        _compare(_grid(), [row | {"seed": 7} for row in _grid()])
    one, other = ([row | {"tcp": tcp} for row in _grid() for tcp in two] for two in (("a", "b"), ("c", "d")))
    with pytest.raises(UsageError, match=r"nothing in common in tcp \(a, b and c, d\)"):
        _compare(one, other)


def test_compare__of_single_seeds_has_no_interval_and_says_so() -> None:
    found = _compare(_grid()[:1], _gained(_grid()[:1], {("newreno", 1): 5.0}))
    one = found.cells[0]["goodput_bps"]
    assert (one.difference.mean, one.p_adjusted) == (5, 1)
    assert remarks(found) == ["Every cell has one pair only: its difference has no interval and no test."]


def test_identities__name_programs_and_count_link_traces() -> None:
    before = [row | {"simulator": "s1", "forward_sha256": "a"} for row in _grid()]
    after = [row | {"simulator": "s2", "forward_sha256": "a"} for row in _grid()]
    after[0]["forward_sha256"] = "b"
    found = {what: (first, second) for what, first, second in identities(_compare(before, after))}
    assert found["simulator"] == ("s1", "s2")
    assert found["forward link traces"] == ("1, 1 of them in both", "2, 1 of them in both")
    assert found["tmt_version"] == ("0", "0")


def test_earlier_runs__are_the_last_of_each_place_before_the_latest() -> None:
    def version(number: int, day: int, kbps: float) -> list[dict[str, Any]]:
        about = {
            "experiment": f"e{number}",
            "finished_at": f"2026-01-0{day}T00:00:00+00:00",
            "status": "done",
        }
        return [row | about | {"goodput_bps": kbps * 1000} for row in _grid()]

    results = results_of(frame([*version(1, 1, 100), *version(2, 2, 200), *version(3, 3, 300)]), "made")
    earlier = earlier_runs(results)
    assert set(earlier.runs["goodput_bps"]) == {200_000.0}
    found = compare(earlier, results, ("earlier", "latest"))
    assert [one["goodput_bps"].difference.mean for one in found.cells] == [100, 100]
    with pytest.raises(UsageError, match="and it has none; name two"):
        earlier_runs(replace(results, older=None))
