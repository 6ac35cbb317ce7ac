"""OpenAirInterface: the statistics that its gNB prints every 128 frames (1.28 s), with the MAC at info level.

A print begins with ``[NR_MAC] Frame.Slot 640.0``, the frame modulo 1024. Lines of a terminal follow; their
counts start when it connected. ``UE 2460: dlsch_rounds A/B/C/D, dlsch_errors E, pucch0_DTX F`` has the
transmissions in each HARQ round, the blocks that were given up, and the transmissions without an answer;
``ulsch_rounds`` has the same for the uplink. ``UE 2460: MAC: TX n RX m bytes`` counts bytes; if it is
missing, a line for each logical channel (LCID) does. Source: openairinterface5g, ``doc/MAC/mac-usage.md``.
Its log has no line for each transport block.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.core.words.values import counted
from tmt.importers.attempts import one_user
from tmt.importers.harq_logs import FRAME_NS, FRAMES, UserOf
from tmt.importers.rate_series import RateSeries, TwoWayRateImporter
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from tmt.importers.importer import Direction

_FRAME = re.compile(r"\[NR_MAC\]\s+Frame\.Slot (?P<frame>\d{1,4})\.\d+")
_UE = re.compile(r"\bUE (?P<rnti>[0-9a-f]{1,4}): (?P<rest>.*)")
_ROUNDS = re.compile(
    r"(?P<way>[du])lsch_rounds (?P<rounds>\d{1,12}(/\d{1,12})*), [du]lsch_errors (?P<errors>\d{1,12}), "
    r"\w+_DTX (?P<silent>\d{1,12})\b"
)
_BYTES = re.compile(r"(?P<kind>MAC|LCID \d+):\s+TX\s+(?P<down>\d{1,18}) RX\s+(?P<up>\d{1,18}) bytes")
_MISSING = (
    "this log of OpenAirInterface has no counts of HARQ rounds (dlsch_rounds, ulsch_rounds): keep the "
    'standard output of the gNB, with nr_mac_log_level = "info" in log_config'
)


@dataclass(slots=True)
class _Counts:
    """Counts of a terminal in one print, since it connected."""

    time_ns: int
    line: int
    harq: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    """By direction: first transmissions, repeats, blocks given up, transmissions without an answer."""
    bytes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By MAC or logical channel: sent and received."""

    def of(self, direction: Direction) -> tuple[int, ...] | None:
        """Return the counts of one direction and its bytes; None where one is missing from the print."""
        harq, way = self.harq.get(direction[0]), int(direction == "up")
        if harq is None or not self.bytes:
            return None
        held = [self.bytes["MAC"]] if "MAC" in self.bytes else self.bytes.values()
        return (*harq, sum(count[way] for count in held))


class Oai(TwoWayRateImporter):
    """OpenAirInterface: statistics of the gNB (HARQ rounds, errors, bytes), a print every 1.28 s.

    --as phy gives the rate of all attempts, --as link that of new blocks. --user is the RNTI in the log. See
    docs/import/rates.md.

        tmt import oai gnb.log phy.parquet --as phy --user 2460 --line 5e7
    """

    name: ClassVar[str] = "oai"
    signs: ClassVar[tuple[bytes, ...]] = (rb"\[(NR_MAC|NR_PHY|GNB_APP|NR_RRC)\] |\bdlsch_rounds ",)

    user: UserOf = None

    def rates(self, path: str) -> RateSeries:
        """Return the traffic between the prints; InputError, with the line, if a count decreases."""
        direction = self.direction or "down"
        prints = _prints(path)
        if not prints:
            raise InputError(path, _MISSING)
        user = one_user(path, Counter({name: len(counts) for name, counts in prints.items()}), self.user)
        known = [(held, found) for held in prints[user] if (found := held.of(direction)) is not None]
        if len(known) < 2:
            raise InputError(path, f"there are {len(known)} prints of {user} {direction}; two are needed")
        rows = []
        for (before, old), (after, new) in pairwise(known):
            if min(steps := [now - then for now, then in zip(new, old, strict=True)]) < 0:
                raise InputError(path, f"a count of {user} falls; a file must hold one log", after.line)
            rows.append((after.time_ns - before.time_ns, *steps))
        duration, first, repeats, given_up, silent, size = np.array(rows, np.int64).T
        blocks, attempts = np.maximum(first, 1), np.maximum(first + repeats, 1)
        failed = np.minimum(repeats + given_up, first + repeats)
        rate = 8.0 * size * NS_PER_S / duration
        notes = [
            f"{given_up.sum():,} of {counted(first.sum(), 'block')} were given up, {failed.sum():,} of "
            f"{counted((first + repeats).sum(), 'attempt')} failed",
            "the bytes are what was sent, not what the cell can carry: --line sets a rate",
        ]
        if direction == "down" and silent.any():
            notes.append(f"{counted(silent.sum(), 'attempt')} had no answer (DTX), but may have been decoded")
        if self.as_ == "phy":
            return RateSeries(duration, rate * attempts / blocks, failed / attempts, None, tuple(notes))
        notes.append("the log does not tell the delays of repeats: --as phy leaves the repeats to a scheme")
        return RateSeries(duration, rate, np.minimum(given_up / blocks, 1.0), None, tuple(notes))


def _prints(path: str) -> dict[str, list[_Counts]]:
    """Return the counts of each terminal with HARQ rounds, in order of time."""
    found: dict[str, list[_Counts]] = {}
    time_ns, last_frame = -1, 0
    for line in text_lines(path):
        if begins := _FRAME.search(line.text):
            frame = int(begins["frame"])
            if frame >= FRAMES:
                raise InputError(path, f"the frame is {frame}; allowed are 0 to {FRAMES - 1}", line.number)
            passed = 0 if time_ns < 0 else (frame - last_frame - 1) % FRAMES + 1
            time_ns, last_frame = max(time_ns, 0) + passed * FRAME_NS, frame
        elif time_ns >= 0 and line.ended and (told := _UE.search(line.text)):
            counts = found.setdefault(told["rnti"], [])
            if not counts or counts[-1].time_ns < time_ns:
                counts.append(_Counts(time_ns, line.number))
            if rounds := _ROUNDS.match(told["rest"]):
                first, *repeats = (int(count) for count in rounds["rounds"].split("/"))
                kept = first, sum(repeats), int(rounds["errors"]), int(rounds["silent"])
                counts[-1].harq[rounds["way"]] = kept
            elif size := _BYTES.match(told["rest"]):
                counts[-1].bytes[size["kind"]] = int(size["down"]), int(size["up"])
    for counts in found.values():
        # A log that ends within a print lacks its last channels, so that their bytes would fall.
        *before, last = counts
        if before and "MAC" not in last.bytes and last.bytes.keys() < before[-1].bytes.keys():
            counts.pop()
    return {user: counts for user, counts in found.items() if any(one.harq for one in counts)}
