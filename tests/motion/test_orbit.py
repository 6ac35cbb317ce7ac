"""Round-trip times over circular orbits against 3GPP's tables and hand arithmetic."""

import math

import numpy as np
import pytest

from tmt import Orbit
from tmt.core.errors import UsageError

C_KM = 299_792.458
R = 6371.0
S = 10**9


@pytest.mark.parametrize(
    ("altitude_km", "has_station", "rtt_ms"),
    [
        (600, True, 25.77),
        (1200, True, 41.77),
        (600, False, 12.89),
        (1200, False, 20.89),
        (35786, True, 541.46),
    ],
)
def test_most_rtt__is_that_of_tr_38_821(altitude_km: float, has_station: bool, rtt_ms: float) -> None:
    """Table 7.1-1: maximum round-trip delay at an elevation of 10 degrees of user and gateway.

    For GEO the table takes a gateway at 5 degrees of elevation on one side, hence the tolerance.
    """
    station = {"station_latitude_deg": 0, "station_longitude_deg": 0} if has_station else {}
    orbit = Orbit(altitude_km, 0, 0, 0, mask_deg=10, **station)
    assert 1000 * orbit.most_rtt == pytest.approx(rtt_ms, rel=0.003 if altitude_km > 2000 else 0.001)


def test_series__begins_overhead_with_twice_the_height() -> None:
    assert Orbit(550, 53, 0, 0).series(0, S)["rtt_ns"][0] == round(2e9 * 550 / C_KM)
    with_station = Orbit(550, 53, 0, 0, station_latitude_deg=0, station_longitude_deg=0)
    assert with_station.series(0, S)["rtt_ns"][0] == round(4e9 * 550 / C_KM)


@pytest.mark.parametrize(("inclination_deg", "sign"), [(0, -1), (180, 1)])
def test_series__follows_the_law_of_cosines_over_the_equator(inclination_deg: float, sign: int) -> None:
    """A satellite above the equator moves by its own rate, less or plus that of the Earth below it."""
    r = R + 550
    rate = math.sqrt(398_600.4418 / r**3) + sign * 7.292115e-5
    series = Orbit(550, inclination_deg, 0, 0).series(0, 100 * S)
    for row in series[::200]:
        angle = rate * int(row["time_ns"]) / S
        expected_ns = 2e9 * math.sqrt(R * R + r * r - 2 * R * r * math.cos(angle)) / C_KM
        assert row["rtt_ns"] == pytest.approx(expected_ns, abs=1)


def test_series__over_a_pole_turns_the_user_away() -> None:
    """A quarter of a turn after it has crossed the node, a polar satellite is above the pole."""
    r = R + 1000
    quarter_ns = round(S * math.pi / 2 / math.sqrt(398_600.4418 / r**3))
    orbit = Orbit(1000, 90, 90, 0, mask_deg=0)
    assert orbit.series(quarter_ns, quarter_ns + 1)["rtt_ns"][0] == pytest.approx(2e9 * 1000 / C_KM, abs=1)


def test_single_satellite__is_seen_for_its_pass_only() -> None:
    """The pass takes twice the angle acos(R cos e / r) - e; afterwards one line says that it is gone."""
    r, mask = R + 550, math.radians(10)
    half = math.acos(R * math.cos(mask) / r) - mask
    rate = math.sqrt(398_600.4418 / r**3) - 7.292115e-5
    orbit = Orbit(550, 0, 0, 0, argument_deg=-math.degrees(half) + 1e-9)
    pass_s = 2 * half / rate
    ((_, begin_ns, end_ns),) = orbit.passes(0, int((pass_s - 1) * S))
    assert (begin_ns, end_ns) == (0, int((pass_s - 1) * S))
    with pytest.raises(
        UsageError, match=rf"orbit: at {math.ceil(10 * pass_s) / 10:g} s the user sees no"
    ) as found:
        orbit.series(0, 2 * int(pass_s) * S)
    remedy = "a lower mask_deg, more planes or satellites, or another time may give one"
    assert str(found.value).endswith(f"no satellite that is 10 degrees above the horizon; {remedy}")


def test_handovers__are_at_the_period_and_to_the_highest() -> None:
    orbit = Orbit(550, 53, 40, 10, mask_deg=25, planes=72, satellites=22, phasing=17, handover_period=15)
    passes = orbit.passes(7 * S, 120 * S)
    assert [begin_ns for _, begin_ns, _ in passes] == [7 * S, *range(15 * S, 120 * S, 15 * S)]
    every = np.arange(72 * 22)
    for satellite, begin_ns, end_ns in passes:
        _, sine = orbit.look(np.array([begin_ns, end_ns]) / S, every)
        seen = (sine[0] >= math.sin(math.radians(25))).all(axis=1)
        assert seen[satellite]
        assert sine[0, satellite, 0] == sine[0, seen, 0].max()
    series = orbit.series(7 * S, 120 * S)
    assert (np.diff(series["time_ns"]) >= 0).all()
    assert np.count_nonzero(np.diff(series["time_ns"]) == 0) == len(passes) - 1


def test_rows__are_dense_enough_for_straight_lines() -> None:
    """Half way between two rows the range is within a nanosecond of the line between them."""
    orbit = Orbit(300, 0, 0, 0)
    series = orbit.series(0, 20 * S)
    half_s = (series["time_ns"][:-2] + 5 * 10**7) / S
    range_km, _ = orbit.look(half_s, np.array([0]))
    line_ns = (series["rtt_ns"][:-2] + series["rtt_ns"][1:-1]) / 2
    assert np.abs(2e9 * range_km[0, 0] / C_KM - line_ns).max() < 3
