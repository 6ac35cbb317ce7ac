"""Round-trip times over satellites with known TLE lines: SGP4 moves them, and the Earth rotates below.

SGP4 gives positions in the frame TEME. The sidereal time of 1982 rotates them into the frame of the Earth.
UTC replaces UT1, and polar motion is left out: together less than 0.5 km. Sites are on the ellipsoid WGS 84.
`tmt.core.orbit` uses the same terms for circular orbits.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from sgp4.api import Satrec, SatrecArray

from tmt.core.declaration import Param, PositiveSeconds, Spec, ns
from tmt.core.errors import InputError
from tmt.core.orbit import LIGHT_KM_PER_S, Angle, Latitude
from tmt.core.schema import RTT_SERIES
from tmt.core.units import NS_PER_S
from tmt.core.words.refusals import shown
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tmt.core.declaration import Rules
    from tmt.core.trace import BoolArray, FloatArray

LINES = (
    re.compile(
        r"1 [ \dA-Z][ \d]{4}[A-Z ] .{8} [ \d]{5}\.\d{8} [ +-]\.\d{8} [ +-][ \d]{5}[ +-]\d "
        r"[ +-][ \d]{5}[ +-]\d [ \d] [ \d]{4}\d"
    ),
    re.compile(
        r"2 [ \dA-Z][ \d]{4} [ \d]{3}\.\d{4} [ \d]{3}\.\d{4} [ \d]{7} [ \d]{3}\.\d{4} [ \d]{3}\.\d{4} "
        r"[ \d]{2}\.\d{8}[ \d]{5}\d"
    ),
)
"""The columns of the two lines."""

EQUATOR_KM, FLATTENING = 6378.137, 1 / 298.257223563
"""WGS 84."""

MOST_AGE = timedelta(days=14)
"""Greatest age of elements: SGP4's error grows by 1 to 3 km a day, faster in low orbits."""

MOST_TURNS_A_DAY = 17
"""Mean motion of an orbit at the Earth's surface."""

MOST_ROWS = 10_000_000

_SEARCH_STEP_S, _SEARCH_STEPS, _CHUNK = 10, 8640, 60

Height = Annotated[float, Param("m", -500, 100_000)]


class Elements(NamedTuple):
    """The lines of one satellite."""

    name: str
    epoch: datetime
    first: str
    second: str


def read_elements(path: str) -> list[Elements]:
    """Return the satellites of TLE lines, with or without a line of the name before them (InputError)."""
    found: list[Elements] = []
    name, first = "", ""
    for number, text, _ in text_lines(path):
        kind = 2 if first else 1
        if not text.startswith(f"{kind} "):
            if first or name or (text[:2] == "2 " and len(text) == 69):
                said = "not text" if {"\0", "\ufffd"} & set(text) else shown(text)
                raise InputError(path, f"this is {said}; needed is line {kind} of a TLE", number)
            name = text.removeprefix("0 ").strip()
            continue
        _check(path, number, text, kind)
        if kind == 1:
            first = text
            continue
        if text[2:7] != first[2:7]:
            reason = f"the satellite is {text[2:7].strip()}, that of the line before {first[2:7].strip()}"
            raise InputError(path, f"{reason}; the two lines of a TLE name the same one", number)
        year = int(first[18:20])
        day = timedelta(days=float(first[20:32]) - 1)
        epoch = datetime(year + (1900 if year >= 57 else 2000), 1, 1, tzinfo=UTC) + day
        found.append(Elements(name or first[2:7].strip(), epoch, first, text))
        name, first = "", ""
    if first or name or not found:
        missing = "line 2 of the last satellite is missing" if first else "there is no satellite"
        raise InputError(path, f"{missing}; needed are two lines for each, as CelesTrak gives them (TLE)")
    return found


def _check(path: str, number: int, text: str, kind: int) -> None:
    if not LINES[kind - 1].fullmatch(text):
        raise InputError(
            path, f"this is not line {kind} of a TLE: its 69 columns are {shown(text, 80)}", number
        )
    total = sum(int(one) if one.isdecimal() else one == "-" for one in text[:68]) % 10
    if total != int(text[68]):
        raise InputError(path, f"the checksum is {text[68]}; that of the line's digits is {total}", number)
    if kind == 1:
        return
    inclination_deg, turns_a_day = float(text[8:16]), float(text[52:63])
    if inclination_deg > 180:
        reason = f"the inclination is {inclination_deg:g} degrees; at most 180 are allowed"
        raise InputError(path, reason, number)
    if not 0 < turns_a_day < MOST_TURNS_A_DAY:
        allowed = f"more than 0 and less than {MOST_TURNS_A_DAY} are allowed"
        raise InputError(path, f"the mean motion is {turns_a_day:g} turns a day; {allowed}", number)


class Pass(NamedTuple):
    """A time in which one satellite serves."""

    name: str
    begin_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Served:
    """Round-trip times, and the serving satellites."""

    series: npt.NDArray[np.void]
    passes: tuple[Pass, ...]
    left_out: int
    """Satellites of the file whose elements are too old or too new."""


class TleOrbits(Spec):
    """Satellites with TLE lines that serve a user, one at a time."""

    start: Annotated[str, "time 0 of the series, UTC, such as 2026-11-27T12:00:00"]
    duration: Annotated[PositiveSeconds, "length of the series"]
    user_latitude_deg: Annotated[Latitude, "latitude of the user"]
    user_longitude_deg: Annotated[Angle, "longitude of the user"]
    user_height_m: Annotated[Height, "height of the user above the ellipsoid"] = 0
    station_latitude_deg: Annotated[
        Latitude | None, "latitude of the ground station", Param(absent="the satellite is the other end")
    ] = None
    station_longitude_deg: Annotated[
        Angle | None, "longitude of the ground station", Param(absent="the satellite is the other end")
    ] = None
    station_height_m: Annotated[Height, "height of the ground station above the ellipsoid"] = 0
    mask_deg: Annotated[
        float, "least elevation at which user and station see a satellite", Param("degree", 0, 89)
    ] = 10
    handover_period: Annotated[
        PositiveSeconds | None,
        "time between choices of the highest satellite",
        Param(least=1, absent="when the serving one falls below the mask"),
    ] = None
    step: Annotated[PositiveSeconds, "distance of rows"] = 0.1

    def rules(self) -> Rules:
        """Refuse a ground station with only one coordinate, a text that is no time, and too many rows."""
        if (self.station_latitude_deg is None) != (self.station_longitude_deg is None):
            yield "station_latitude_deg", "latitude and longitude of the station, or neither"
        try:
            datetime.fromisoformat(self.start)
        except ValueError:
            yield "start", "a date and time such as 2026-11-27T12:00:00", "is no time"
        if self.duration > self.step * MOST_ROWS:
            yield "step", f"at least the duration / {MOST_ROWS:,}", "makes too many rows"

    @property
    def start_time(self) -> datetime:
        """Time 0; a time without a zone is UTC."""
        time = datetime.fromisoformat(self.start)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)

    @cached_property
    def sites(self) -> list[tuple[FloatArray, FloatArray]]:
        """Position in km and vertical direction, of the user and of the station, if any."""
        places = [(self.user_latitude_deg, self.user_longitude_deg, self.user_height_m)]
        if self.station_latitude_deg is not None and self.station_longitude_deg is not None:
            places.append((self.station_latitude_deg, self.station_longitude_deg, self.station_height_m))
        return [_site(*place) for place in places]

    def serve(self, path: str) -> Served:
        """Return the round-trip times over the satellites of a file (InputError)."""
        nearest: dict[str, Elements] = {}
        for one in sorted(read_elements(path), key=lambda one: -abs(one.epoch - self.start_time)):
            nearest[one.first[2:7]] = one
        used = [one for one in nearest.values() if abs(one.epoch - self.start_time) <= MOST_AGE]
        if not used:
            best = min(nearest.values(), key=lambda one: abs(one.epoch - self.start_time))
            reason = f"the epoch nearest to the start is {best.epoch:%Y-%m-%dT%H:%M:%SZ} ({best.name})"
            raise InputError(path, f"{reason}; allowed: at most {MOST_AGE.days} days between them")
        sky = _Sky(self, path, used)
        parts, passes = [], []
        for satellite, begin_ns, end_ns in sky.passes():
            times_ns = np.append(np.arange(begin_ns, end_ns, ns(self.step)), end_ns)
            range_km, _ = sky.look(times_ns / NS_PER_S, [satellite])
            rows = np.empty(len(times_ns), RTT_SERIES.dtype)
            rows["time_ns"] = times_ns
            rows["rtt_ns"] = np.rint(2e9 * range_km.sum(axis=0)[0] / LIGHT_KM_PER_S)
            parts.append(rows)
            passes.append(Pass(used[satellite].name, begin_ns, end_ns))
        return Served(np.concatenate(parts), tuple(passes), len(nearest) - len(used))


def _site(latitude_deg: float, longitude_deg: float, height_m: float) -> tuple[FloatArray, FloatArray]:
    latitude, longitude = math.radians(latitude_deg), math.radians(longitude_deg)
    up = np.array(
        [
            math.cos(latitude) * math.cos(longitude),
            math.cos(latitude) * math.sin(longitude),
            math.sin(latitude),
        ]
    )
    squared = FLATTENING * (2 - FLATTENING)
    radius_km = EQUATOR_KM / math.sqrt(1 - squared * up[2] ** 2)
    return (radius_km * np.array([1, 1, 1 - squared]) + height_m / 1000) * up, up


def sidereal_angle(days: FloatArray) -> FloatArray:
    """Return the Earth's angle in rad (GMST of 1982), `days` after 2000-01-01 12:00 UT1."""
    centuries = days / 36525
    extra_s = 67_310.54841 + (8_640_184.812866 + (0.093104 - 6.2e-6 * centuries) * centuries) * centuries
    return 2 * np.pi * (np.mod(days, 1) + extra_s / 86_400)


@dataclass(frozen=True)
class _Sky:
    """The satellites of a file as the sites see them."""

    asked: TleOrbits
    path: str
    used: list[Elements]

    @cached_property
    def _records(self) -> list[Satrec]:
        return [Satrec.twoline2rv(one.first, one.second) for one in self.used]

    def look(self, time_s: FloatArray, satellites: list[int]) -> tuple[FloatArray, FloatArray]:
        """They are NaN for a satellite that has decayed according to SGP4.

        They are NaN for a satellite that SGP4 finds decayed.
        """
        whole, rest_s = divmod(self.asked.start_time.timestamp(), 86_400)
        fraction = (rest_s + time_s) / 86_400
        day = np.full(len(time_s), 2_440_587.5 + whole)
        error, place_km, _ = SatrecArray([self._records[one] for one in satellites]).sgp4(day, fraction)
        place_km[error != 0] = np.nan
        angle = sidereal_angle(day - 2_451_545 + fraction)
        x, y, z = np.moveaxis(place_km, -1, 0)
        turned = np.stack(
            [x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle), z], axis=-1
        )
        ways = [(turned - site, up) for site, up in self.asked.sites]
        range_km = np.stack([np.linalg.norm(way, axis=-1) for way, _ in ways])
        return range_km, np.stack([way @ up for way, up in ways]) / range_km

    def _sees(self, sine: FloatArray) -> BoolArray:
        """Return which satellites all sites see: [n_satellites, n_times]."""
        return np.asarray((sine >= math.sin(math.radians(self.asked.mask_deg))).all(axis=0))

    def passes(self) -> Iterator[tuple[int, int, int]]:
        """Yield each serving satellite, one after the other: index, first and last time in ns."""
        at_ns, end_ns = 0, ns(self.asked.duration)
        period_ns = None if self.asked.handover_period is None else ns(self.asked.handover_period)
        while at_ns < end_ns:
            until_ns = at_ns if period_ns is None else min(end_ns, at_ns + period_ns)
            satellite = self._highest(at_ns / NS_PER_S, until_ns / NS_PER_S)
            if period_ns is None:
                until_ns = self._set_ns(satellite, at_ns, end_ns)
            yield satellite, at_ns, until_ns
            at_ns = until_ns

    def _highest(self, at_s: float, until_s: float) -> int:
        """Return the satellite that is highest for the user among those that all sites see at both times."""
        every = list(range(len(self.used)))
        _, sine = self.look(np.array([at_s, until_s]), every)
        height = np.where(self._sees(sine).all(axis=1), sine[0, :, 0], -2)
        if height.max() == -2:
            raise InputError(self.path, self._none_in_sight(at_s, until_s - at_s, every))
        return int(height.argmax())

    def _none_in_sight(self, at_s: float, span_s: float, every: list[int]) -> str:
        """Return what is wrong, and the next time without this problem."""
        next_s = None
        later_s = at_s + _SEARCH_STEP_S * np.arange(1, _SEARCH_STEPS + 1)
        for some_s in np.split(later_s, _SEARCH_STEPS // _CHUNK):
            begin, end = (self._sees(self.look(one, every)[1]) for one in (some_s, some_s + span_s))
            seen = (begin & end).any(axis=0)
            if seen.any():
                next_s = float(some_s[seen.argmax()])
                break
        who = "user sees" if len(self.asked.sites) == 1 else "user and station together see"
        found = "none in the day behind it" if next_s is None else f"the next one is at {self._clock(next_s)}"
        return (
            f"at {self._clock(at_s)} ({at_s:g} s) the {who} no satellite {self.asked.mask_deg:g} degrees "
            f"above the horizon{f' for {span_s:g} s' if span_s else ''}; {found}"
        )

    def _clock(self, time_s: float) -> str:
        return f"{self.asked.start_time + timedelta(seconds=time_s):%Y-%m-%dT%H:%M:%SZ}"

    def _set_ns(self, satellite: int, at_ns: int, end_ns: int) -> int:
        """Return the first step at which a visible satellite falls below the mask."""
        times_ns = np.arange(at_ns + ns(self.asked.step), end_ns, ns(self.asked.step))
        for some_ns in np.array_split(times_ns, max(1, len(times_ns) // 4096)):
            gone = ~self._sees(self.look(some_ns / NS_PER_S, [satellite])[1])[0]
            if gone.any():
                return int(some_ns[gone.argmax()])
        return end_ns
