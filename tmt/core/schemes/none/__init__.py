"""Scheme `none`: no retransmission, no redundancy."""

from __future__ import annotations

from typing import ClassVar

from tmt.core.schemes.scheme import DetectionDelay, Scheme


class NoScheme(Scheme):
    """Every slot carries a data LLDU, once; an erased one is lost."""

    name: ClassVar[str] = "none"
    uses_rtt: ClassVar[bool] = False

    detection_delay: DetectionDelay = 0
