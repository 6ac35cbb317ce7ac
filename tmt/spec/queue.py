"""Disciplines of the queue in front of a link: which packet is sent next, which are dropped or marked.

Bounds and defaults are those of `clift-ns2/core/aqm`, which a test compares.
"""

from __future__ import annotations

from typing import Annotated, Literal

from tmt.core.declaration import Spec, declared, ns
from tmt.core.units import seconds_text


class Discipline(Spec):
    """Discipline of the queue in front of each link."""

    @property
    def label(self) -> str:
        """The name with the parameters that are not the usual ones, such as ``codel target=0.01``."""
        return " ".join([self.name, *(f"{key}={getattr(self, key)}" for key in self.said())])

    def words(self) -> str:
        """Return name, keys and values as the programs of the backends read them; times are in seconds."""
        found = [self.name]
        for key, field in declared(type(self)).items():
            value = getattr(self, key)
            if value is not None:
                is_time = field.param.unit == "s"
                found += [key, seconds_text(ns(value)) if is_time else str(int(value) if field.kind is bool else value)]
        return " ".join(found)


class DropTail(Discipline):
    """First in, first out: a full queue drops the packet that arrives, or those at its head."""

    name = "droptail"

    drop: Annotated[Literal["tail", "head"], "where a full queue drops: what arrives, or what waits longest"] = "tail"


DISCIPLINES: dict[str, type[Discipline]] = Discipline.choose_from(DropTail)
"""Every discipline by the name that users type."""
