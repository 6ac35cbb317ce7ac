"""Round-trip times over satellites on circular orbits, in closed form.

A satellite at height h moves on a circle of radius r = R + h with the angular rate sqrt(mu / r^3); the Earth
is a sphere that rotates below it. With the angle c between satellite and site, seen from the Earth's centre,
the distance is d = sqrt(R^2 + r^2 - 2 R r cos c), and the elevation e of the satellite has sin e = (r cos c -
R) / d. Several planes are a Walker delta pattern.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Count, Number, Param, PositiveSeconds, Spec, ns
from tmt.core.errors import UsageError
from tmt.core.schema import RTT_SERIES
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.declaration import Rules
    from tmt.core.trace import BoolArray, FloatArray

EARTH_KM = 6371.0
"""Mean radius (TR 38.821, section 6.1)."""

MU_KM3_PER_S2 = 398_600.4418
"""The Earth's gravitational parameter (IERS conventions 2010)."""

TURN_PER_S = 7.292115e-5
"""Angular rate of the Earth in rad/s (IERS conventions 2010)."""

LIGHT_KM_PER_S = 299_792.458

STEP_NS = NS_PER_S // 10
"""Time between rows. Between two rows the range differs from a straight line by less than 0.2 m at 500 km."""

Angle = Annotated[float, Param("degree", -360, 360)]
Latitude = Annotated[float, Param("degree", -90, 90)]


class Orbit(Spec):
    """Satellites on circular orbits that serve a user, one at a time."""

    altitude_km: Annotated[float, "height of the satellites", Param("km", 160, 50_000)]
    inclination_deg: Annotated[float, "inclination of the orbits", Param("degree", 0, 180)]
    user_latitude_deg: Annotated[Latitude, "latitude of the user"]
    user_longitude_deg: Annotated[Angle, "longitude of the user"]
    station_latitude_deg: Annotated[
        Latitude | None, "latitude of the ground station", Param(absent="the satellite is the other end")
    ] = None
    station_longitude_deg: Annotated[
        Angle | None, "longitude of the ground station", Param(absent="the satellite is the other end")
    ] = None
    mask_deg: Annotated[
        float, "least elevation at which user and station see a satellite", Param("degree", 0, 89)
    ] = 10
    planes: Annotated[Count, "orbital planes, evenly spaced", Param(most=1000)] = 1
    satellites: Annotated[Count, "satellites of a plane, evenly spaced", Param(most=1000)] = 1
    phasing: Annotated[
        Number, "Walker's F: from plane to plane, satellites are F / (all satellites) of a turn ahead"
    ] = 0
    node_deg: Annotated[Angle, "longitude of the first plane's ascending node at time 0"] = 0
    argument_deg: Annotated[
        Angle, "angle from that node to the plane's first satellite at time 0, along its motion"
    ] = 0
    handover_period: Annotated[
        PositiveSeconds | None,
        "time between choices of the highest satellite",
        Param(least=1, absent="when the serving one falls below the mask"),
    ] = None

    def rules(self) -> Rules:
        """Refuse a ground station with only one coordinate."""
        if (self.station_latitude_deg is None) != (self.station_longitude_deg is None):
            yield "station_latitude_deg", "latitude and longitude of the station, or neither"

    @property
    def sites(self) -> FloatArray:
        """Unit vectors from the Earth's centre to the user and the station, if any: [n_sites, 3]."""
        places = [(self.user_latitude_deg, self.user_longitude_deg)]
        if self.station_latitude_deg is not None and self.station_longitude_deg is not None:
            places.append((self.station_latitude_deg, self.station_longitude_deg))
        latitude, longitude = np.radians(places).T
        return np.stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1
        )

    @property
    def most_rtt(self) -> float:
        """Upper bound on the round-trip time in seconds: user and station see the satellite at the elevation
        mask.
        """
        sine, radius_km = math.sin(math.radians(self.mask_deg)), EARTH_KM + self.altitude_km
        range_km = math.sqrt(radius_km**2 - EARTH_KM**2 * (1 - sine**2)) - EARTH_KM * sine
        return 2 * len(self.sites) * range_km / LIGHT_KM_PER_S

    def look(self, time_s: FloatArray, satellites: npt.NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        """Return distance in km and sine of the elevation, [n_sites, n_satellites, n_times] each."""
        radius_km = EARTH_KM + self.altitude_km
        plane, place = np.divmod(satellites, self.satellites)
        ahead = place / self.satellites + self.phasing * plane / (self.planes * self.satellites)
        rate = math.sqrt(MU_KM3_PER_S2 / radius_km**3)
        along = (math.radians(self.argument_deg) + 2 * np.pi * ahead)[:, None] + rate * time_s
        node = (math.radians(self.node_deg) + 2 * np.pi * plane / self.planes)[:, None] - TURN_PER_S * time_s
        tilt = math.radians(self.inclination_deg)
        east, north = np.sin(along) * math.cos(tilt), np.sin(along) * math.sin(tilt)
        towards = np.stack(
            [
                np.cos(node) * np.cos(along) - np.sin(node) * east,
                np.sin(node) * np.cos(along) + np.cos(node) * east,
                north,
            ]
        )
        cosine = np.tensordot(self.sites, towards, 1)
        range_km = np.sqrt(EARTH_KM**2 + radius_km**2 - 2 * EARTH_KM * radius_km * cosine)
        return range_km, (radius_km * cosine - EARTH_KM) / range_km

    def _sees(self, sine: FloatArray) -> BoolArray:
        """Return which satellites all sites see: [n_satellites, n_times]."""
        return np.asarray((sine >= math.sin(math.radians(self.mask_deg))).all(axis=0))

    def passes(self, begin_ns: int, end_ns: int) -> list[tuple[int, int, int]]:
        """Return number, first and last time in ns of each serving satellite, one after the other.

        UsageError at a time at which user and station see no satellite together.
        """
        found: list[tuple[int, int, int]] = []
        at_ns = begin_ns
        while at_ns < end_ns:
            until_ns = end_ns
            if self.handover_period is not None:
                period_ns = ns(self.handover_period)
                until_ns = min(end_ns, (at_ns // period_ns + 1) * period_ns)
            satellite = self._highest(at_ns, until_ns if self.handover_period is not None else at_ns)
            if self.handover_period is None:
                until_ns = self._set_ns(satellite, at_ns, end_ns)
            found.append((satellite, at_ns, until_ns))
            at_ns = until_ns
        return found

    def _highest(self, at_ns: int, until_ns: int) -> int:
        """Return the satellite that is highest for the user among those that all sites see at both times."""
        every = np.arange(self.planes * self.satellites)
        _, sine = self.look(np.array([at_ns, until_ns]) / NS_PER_S, every)
        height = np.where(self._sees(sine).all(axis=1), sine[0, :, 0], -2)
        if height.max() == -2:
            together = "user" if len(sine) == 1 else "user and station together"
            raise UsageError(
                f"orbit: at {at_ns / NS_PER_S:g} s the {together} {'see' if len(sine) > 1 else 'sees'} no "
                f"satellite that is {self.mask_deg:g} degrees above the horizon; "
                "a lower mask_deg, more planes or satellites, or another time may give one"
            )
        return int(height.argmax())

    def _set_ns(self, satellite: int, at_ns: int, end_ns: int) -> int:
        """Return the first step at which a visible satellite falls below the mask."""
        times_ns = np.arange(at_ns + STEP_NS, end_ns, STEP_NS)
        for some_ns in np.array_split(times_ns, max(1, len(times_ns) // 4096)):
            _, sine = self.look(some_ns / NS_PER_S, np.array([satellite]))
            gone = ~self._sees(sine)[0]
            if gone.any():
                return int(some_ns[gone.argmax()])
        return end_ns

    def series(self, begin_ns: int, end_ns: int) -> npt.NDArray[np.void]:
        """Return the round-trip times between two times: rows of `tmt.core.schema.RTT_SERIES`.

        A handover is two rows at one time. Errors are those of `passes`.
        """
        parts = []
        for satellite, first_ns, last_ns in self.passes(begin_ns, end_ns):
            times_ns = np.append(np.arange(first_ns, last_ns, STEP_NS), last_ns)
            range_km, _ = self.look(times_ns / NS_PER_S, np.array([satellite]))
            rows = np.empty(len(times_ns), RTT_SERIES.dtype)
            rows["time_ns"] = times_ns
            rows["rtt_ns"] = np.rint(2e9 * range_km.sum(axis=0)[0] / LIGHT_KM_PER_S)
            parts.append(rows)
        return np.concatenate(parts)
