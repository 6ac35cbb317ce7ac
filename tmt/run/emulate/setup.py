"""An emulation with nothing left open: checked traces, a computed queue, the emulator's arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.declaration import ns
from tmt.run.link_files import link_settings
from tmt.run.setup import link_notes, queue_for, ready_path

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.run.emulate.parameters import Emulation
    from tmt.run.setup import ReadyPath


@dataclass(frozen=True, slots=True)
class EmulationSetup:
    """A prepared emulation: the settings, the checked links and the queue."""

    emulation: Emulation
    path: ReadyPath
    queue_packets: int

    def arguments(self, folder: Path, *, record: bool) -> list[str]:
        """Return the emulator's arguments before ``--``: alternating keys and values."""
        emulation = self.emulation
        settings: list[tuple[str, object]] = [
            *link_settings("forward", self.path.forward).items(),
            *link_settings("return", self.path.back).items(),
            ("loop", int(emulation.path.loop)),
            ("in_order", int(emulation.path.in_order)),
            ("hold_ns", 0 if emulation.path.hold is None else ns(emulation.path.hold)),
            ("rtt_ns", ns(emulation.path.rtt)),
            ("queue_packets", self.queue_packets),
            ("mtu_bytes", emulation.mtu_bytes),
            ("record", int(record)),
            ("folder", folder),
            ("server", emulation.server or ""),
            *(("port", way.port) for way in emulation.ways_out),
            *(("sysctl", sysctl) for sysctl in emulation.sysctls),
        ]
        return [str(word) for item in settings for word in item]

    def notes(self) -> list[str]:
        """Return notes on the traces for the user."""
        links = ("forward", self.path.forward), ("return", self.path.back)
        rtt = self.emulation.path.rtt
        return [note for direction, link in links for note in link_notes(direction, link, rtt)]


def set_up(emulation: Emulation) -> EmulationSetup:
    """Check the traces of an emulation and compute the queue where none is given, as an experiment does.

    Raises
    ------
    InputError, UsageError
        When a trace cannot be used; see `tmt.run.link_files.ready_link`.
    """
    path = ready_path(emulation.forward, emulation.back, emulation.path, emulation.mtu_bytes)
    return EmulationSetup(emulation, path, emulation.path.queue_packets or queue_for(path))
