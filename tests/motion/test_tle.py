"""Round-trip times over satellites with TLE lines, against published places and closed forms.

The lines are made here; those of satellite 5 come with sgp4, whose places Vallado et al. publish in
"Revisiting Spacetrack Report 3" (AIAA 2006-6753).
"""

import json
import math
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sgp4.api import Satrec

from tests.in_process import tmt
from tmt import Orbit
from tmt.core.errors import InputError
from tmt.importers.tle import TleOrbits, _site, read_elements, sidereal_angle
from tmt.io.rtt_series import read_rtt_series

C_KM = 299_792.458
S = 10**9
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


def with_checksum(text: str) -> str:
    return text + str(sum(int(one) if one.isdigit() else one == "-" for one in text) % 10)


def lines(
    number: int, *, inclination: float = 0, node: float = 0, anomaly: float = 0, turns: float = 15.06,
    epoch: datetime = NOON,
) -> tuple[str, str]:  # fmt: skip
    """Return a circular orbit with `turns` a day."""
    day = (epoch - datetime(epoch.year, 1, 1, tzinfo=UTC)) / timedelta(days=1) + 1
    return (
        with_checksum(f"1 {number:05d}U 26001A   {epoch:%y}{day:012.8f}  .00000000  00000-0  00000-0 0    1"),
        with_checksum(
            f"2 {number:05d} {inclination:8.4f} {node % 360:8.4f} 0000000   0.0000 {anomaly % 360:8.4f} "
            f"{turns:11.8f}    0"
        ),
    )


def file_of(folder: Path, *text: str) -> str:
    (folder / "satellites.tle").write_text("\n".join(text) + "\n")
    return str(folder / "satellites.tle")


def seen_from(
    place_km: Any, time: datetime, latitude_deg: float, longitude_deg: float
) -> tuple[float, float]:
    """Return distance and sine of the elevation of a place in TEME, in other steps than the code's.

    Sidereal time by Meeus, chapter 12; the site by the parametric latitude.
    """
    days = (time - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1)
    centuries = days / 36525
    east = longitude_deg + 280.46061837 + 360.98564736629 * days + 0.000387933 * centuries**2
    angle, latitude = math.radians(east % 360), math.radians(latitude_deg)
    polar_km = 6378.137 * (1 - 1 / 298.257223563)
    reduced = math.atan2(polar_km * math.sin(latitude), 6378.137 * math.cos(latitude))
    flat_km = 6378.137 * math.cos(reduced)
    site = (flat_km * math.cos(angle), flat_km * math.sin(angle), polar_km * math.sin(reduced))
    way = [one - other for one, other in zip(place_km, site, strict=True)]
    up = (math.cos(latitude) * math.cos(angle), math.cos(latitude) * math.sin(angle), math.sin(latitude))
    range_km = math.hypot(*way)
    return range_km, sum(one * other for one, other in zip(way, up, strict=True)) / range_km


def test_places_of_satellite_5__are_the_published_ones(tmp_path: Path) -> None:
    """Table of the verification cases: at the epoch, and 360 minutes later."""
    text = files("sgp4").joinpath("SGP4-VER.TLE").read_text(encoding="ascii")
    first, second = (line[:69] for line in text.split("\n") if line[2:7] == "00005")
    (elements,) = read_elements(file_of(tmp_path, first, second))
    for minutes, place_km in (
        (0, (7022.46529266, -1400.08296755, 0.03995155)),
        (360, (-7154.03120202, -3783.17682504, -3536.19412294)),
    ):
        time = elements.epoch + timedelta(minutes=minutes)
        latitude = round(math.degrees(math.asin(place_km[2] / math.hypot(*place_km))))
        longitude = next(one for one in range(360) if seen_from(place_km, time, latitude, one)[1] > 0.9)
        orbits = TleOrbits(time.isoformat(), 1, latitude, longitude, mask_deg=0)
        range_km, _ = seen_from(place_km, time, latitude, longitude)
        rtt_ns = orbits.serve(file_of(tmp_path, first, second)).series["rtt_ns"][0]
        assert rtt_ns == pytest.approx(2e9 * range_km / C_KM, abs=200)  # 30 m: a few ms of the epoch's digits


def test_site__is_that_of_the_guidance_note() -> None:
    """EPSG guidance note 7-2, coordinate conversion 9602."""
    latitude, longitude = 53 + 48 / 60 + 33.820 / 3600, 2 + 7 / 60 + 46.380 / 3600
    place_km, _ = _site(latitude, longitude, 73.0)
    assert place_km == pytest.approx([3771.793968, 140.253342, 5124.304349], abs=1e-5)


def test_sidereal_angle__is_that_of_the_textbook() -> None:
    """Meeus, Astronomical Algorithms, examples 12.a and 12.b: 1987-04-10 at 0 h and at 19 h 21 min UT."""
    for hours, expected in ((0.0, 13 + 10 / 60 + 46.3668 / 3600), (19.35, 8 + 34 / 60 + 57.0896 / 3600)):
        days = np.array([2_446_895.5 + hours / 24 - 2_451_545])
        assert np.mod(sidereal_angle(days) * 12 / np.pi, 24) == pytest.approx(expected, abs=1e-8)


def test_circular_orbit__has_the_times_of_the_closed_form(tmp_path: Path) -> None:
    """The Earth's flatness moves a satellite at 570 km by up to 20 km from the circle of `tmt.Orbit`."""
    days = (NOON - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1)
    node = math.degrees(sidereal_angle(np.array([days]))[0])  # above longitude 0 at noon
    path = file_of(tmp_path, *lines(90001, inclination=53, node=node, anomaly=-5))
    radius_km = (398_600.4418 * (86_400 / (2 * math.pi * 15.06)) ** 2) ** (1 / 3)
    orbit = Orbit(radius_km - 6371, 53, 2, 3, argument_deg=-5, mask_deg=5)
    found = TleOrbits("2026-11-27T12:00", 200, 2, 3, mask_deg=5, step=10).serve(path).series
    expected = orbit.series(0, 200 * S)
    at = np.searchsorted(expected["time_ns"], found["time_ns"])
    assert found["rtt_ns"] == pytest.approx(expected["rtt_ns"][at], abs=2e9 * 20 / C_KM)
    assert np.ptp(found["rtt_ns"]) > 2e9 * 300 / C_KM


def test_geostationary_satellite__stands_still(tmp_path: Path) -> None:
    """From below it is 42,164 - 6,378 km away: 0.23874 s there and back, and as much again to a station."""
    days = (NOON - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1)
    node = math.degrees(sidereal_angle(np.array([days]))[0])
    path = file_of(tmp_path, "STILL", *lines(90002, node=node, turns=1.00273791))
    alone = TleOrbits("2026-11-27T12:00", 7200, 0, 0, step=600).serve(path).series["rtt_ns"]
    assert alone / 1e9 == pytest.approx(0.23874, abs=2e-5)
    station: Any = {"station_latitude_deg": 0, "station_longitude_deg": 0}
    both = TleOrbits("2026-11-27T12:00", 7200, 0, 0, step=600, **station).serve(path).series["rtt_ns"]
    assert both == pytest.approx(2 * alone, abs=1)
    high = TleOrbits("2026-11-27T12:00", 1, 0, 0, 3000, **station, station_height_m=500).serve(path).series
    assert both[0] - high["rtt_ns"][0] == pytest.approx(2e9 * 3.5 / C_KM, abs=2)


def constellation() -> list[str]:
    places = [(node, anomaly) for node in range(0, 360, 30) for anomaly in range(0, 360, 20)]
    named = (
        (f"SAMPLE-{at}", *lines(90000 + at, inclination=53, node=node, anomaly=anomaly + node / 4))
        for at, (node, anomaly) in enumerate(places)
    )
    return [text for one in named for text in one]


def test_handovers__are_at_the_period_and_to_the_highest(tmp_path: Path) -> None:
    text = constellation()
    orbits = TleOrbits("2026-11-27T12:00:12", 50, 47.4, 8.5, handover_period=15)
    served = orbits.serve(file_of(tmp_path, *text))
    assert [one.begin_ns for one in served.passes] == [0, 15 * S, 30 * S, 45 * S]
    assert served.passes[-1].end_ns == 50 * S
    for one in served.passes:
        times = [orbits.start_time + timedelta(seconds=at / S) for at in (one.begin_ns, one.end_ns)]
        heights = {}
        for name, first, second in zip(text[::3], text[1::3], text[2::3], strict=True):
            record = Satrec.twoline2rv(first, second)
            sines = []
            for time in times:
                day = (time - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1)
                _, place_km, _ = record.sgp4(2_451_545, day)
                sines.append(seen_from(place_km, time, 47.4, 8.5)[1])
            if min(sines) >= math.sin(math.radians(10)):
                heights[name] = sines[0]
        assert one.name == max(heights, key=heights.__getitem__)
    assert np.count_nonzero(np.diff(served.series["time_ns"]) == 0) == 3


def test_serving_satellite__is_kept_until_it_sets(tmp_path: Path) -> None:
    orbits = TleOrbits("2026-11-27T12:00:12", 600, 47.4, 8.5, step=1)
    served = orbits.serve(file_of(tmp_path, *constellation()))
    assert len({one.name for one in served.passes}) == len(served.passes) > 1
    mask_km = 0.0
    for one in served.passes[:-1]:
        row = served.series[np.searchsorted(served.series["time_ns"], one.end_ns)]
        mask_km = row["rtt_ns"] * C_KM / 2e9
        assert 1800 < mask_km < 1900  # sqrt(6937^2 - (6371 cos 10)^2) - 6371 sin 10 = 1854 km


def test_satellites_of_another_time__are_left_out(tmp_path: Path) -> None:
    """Of several lines of one satellite those nearest to the start count."""
    days = (NOON - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1)
    node = math.degrees(sidereal_angle(np.array([days]))[0])
    near = lines(90002, node=node, turns=1.00273791)
    turned = lines(90002, node=node + 10, turns=1.00273791, epoch=NOON - timedelta(days=2))
    old = lines(90003, node=node, turns=1.00273791, epoch=NOON - timedelta(days=15))
    alone = TleOrbits("2026-11-27T12:00", 1, 0, 0).serve(file_of(tmp_path, *near))
    served = TleOrbits("2026-11-27T13:00+01:00", 1, 0, 0).serve(file_of(tmp_path, *near, *old, *turned))
    assert served.left_out == 1
    assert served.series.tolist() == alone.series.tolist()
    with pytest.raises(InputError) as refusal:
        TleOrbits("2026-11-27T12:00", 1, 0, 0).serve(file_of(tmp_path, *old))
    assert str(refusal.value).endswith(
        "satellites.tle: the epoch nearest to the start is 2026-11-12T12:00:00Z (90003); "
        "allowed: at most 14 days between them"
    )


FIRST, SECOND = lines(90001)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ((FIRST,), ": line 2 of the last satellite is missing; needed are two lines for each, as CelesTrak gives them (TLE)"),  # noqa: E501
        (("# nothing",), ": there is no satellite; needed are two lines for each, as CelesTrak gives them (TLE)"),  # noqa: E501
        (("NAME", FIRST, "NAME", SECOND), ":3: this is NAME; needed is line 2 of a TLE"),
        (("NAME", "NAME", FIRST, SECOND), ":2: this is NAME; needed is line 1 of a TLE"),
        ((SECOND, FIRST), f":1: this is {SECOND[:40]}...; needed is line 1 of a TLE"),
        ((FIRST[:-1] + "0", SECOND), ":1: the checksum is 0; that of the line's digits is 3"),
        ((FIRST.replace("001A", "\u00b211A"), SECOND), ":1: the checksum is 3; that of the line's digits is 4"),  # noqa: E501
        ((FIRST, SECOND.replace("15.06", "16.06")), ":2: the checksum is 4; that of the line's digits is 5"),
        ((FIRST, SECOND.replace("  0.0000 ", "353.0000 ", 1)), ":2: the checksum is 4; that of the line's digits is 5"),  # noqa: E501
        (("\0\ufffd", "\0\ufffd"), ":2: this is not text; needed is line 1 of a TLE"),
        ((FIRST, SECOND[:-2]), f":2: this is not line 2 of a TLE: its 69 columns are {SECOND[:63]}"),
        (lines(90001, inclination=353), ":2: the inclination is 353 degrees; at most 180 are allowed"),
        (lines(90001, turns=25), ":2: the mean motion is 25 turns a day; more than 0 and less than 17 are allowed"),  # noqa: E501
        (lines(90001, turns=0), ":2: the mean motion is 0 turns a day; more than 0 and less than 17 are allowed"),  # noqa: E501
        ((FIRST, lines(90009)[1]), ":2: the satellite is 90009, that of the line before 90001; the two lines of a TLE name the same one"),  # noqa: E501
    ],
)  # fmt: skip
def test_wrong_lines__are_refused_with_their_number(tmp_path: Path, text: tuple[str, ...], line: str) -> None:
    path = file_of(tmp_path, *text)
    with pytest.raises(InputError) as refusal:
        read_elements(path)
    assert str(refusal.value) == path + line


SITES = ("--user-latitude-deg", "47.4", "--user-longitude-deg", "8.5")
START = ("--start", "2026-11-27T12:00:00", "--duration", "30")


def test_command__writes_a_series_that_paths_read(tmp_path: Path) -> None:
    path, out = file_of(tmp_path, *constellation()), tmp_path / "delay.csv.gz"
    result = tmt("orbit", path, out, *START, *SITES, "--handover-period", 15, "--json", folder=tmp_path)
    said = json.loads(result.out)
    rows = read_rtt_series(str(out))
    served = TleOrbits("2026-11-27T12:00:00", 30, 47.4, 8.5, handover_period=15).serve(path)
    assert rows.tolist() == served.series.tolist()
    assert (said["rows"], said["most_rtt"]) == (len(rows), rows["rtt_ns"].max() / 1e9)
    assert [one["satellite"] for one in said["passes"]] == [one.name for one in served.passes]
    human = tmt("orbit", path, out, *START, *SITES, folder=tmp_path).out
    least_rtt = float(human.split()[-1])
    assert least_rtt >= rows["rtt_ns"].max() / 1e9 - 1e-9
    refused = tmt("orbit", path, "-", *START, *SITES, folder=tmp_path)
    assert (refused.status, (tmp_path / "-").exists()) == (2, False)
    assert "'OUT': - is not a stream here; a file's name is needed." in refused.err


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ((FIRST, SECOND), (*START, *SITES), "{path}: at 2026-11-27T12:00:00Z (0 s) the user sees no satellite 10 degrees above the horizon; none in the day behind it"),  # noqa: E501
        (lines(90001, inclination=53), (*START, *SITES, "--handover-period", "15"), "{path}: at 2026-11-27T12:00:00Z (0 s) the user sees no satellite 10 degrees above the horizon for 15 s; the next one is at 2026-11-27T"),  # noqa: E501
        ((FIRST, SECOND), ("--start", "noon", "--duration", "30", *SITES), "--start: 'noon' is no time; allowed: a date and time such as 2026-11-27T12:00:00"),  # noqa: E501
        ((FIRST, SECOND), (*START, *SITES, "--step", "1e-9"), "--step: 1e-09 makes too many rows; allowed: at least the duration / 10,000,000"),  # noqa: E501
        ((FIRST, SECOND), (*START, *SITES, "--station-latitude-deg", "3"), "--station-latitude-deg: 3 does not go with the rest; allowed: latitude and longitude of the station, or neither"),  # noqa: E501
        (("NAME", "NAME"), (*START, *SITES), "{path}:2: this is NAME; needed is line 1 of a TLE"),
    ],
)  # fmt: skip
def test_wrong_requests__are_refused_in_one_line(
    tmp_path: Path, text: tuple[str, ...], options: tuple[str, ...], said: str
) -> None:
    path, out = file_of(tmp_path, *text), tmp_path / "delay.csv"
    result = tmt("orbit", path, out, *options, folder=tmp_path)
    assert result.status == 2
    assert result.err.startswith(said.format(path=path))
    assert result.err.count("\n") == 1
    assert not out.exists()
