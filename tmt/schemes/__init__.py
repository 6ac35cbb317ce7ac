"""Link-layer schemes: what they are called, their parameters, and how they turn slots into rows."""

from __future__ import annotations

from tmt.schemes.arq import Arq
from tmt.schemes.converter import Converter
from tmt.schemes.counts import Counts
from tmt.schemes.fec import Fec
from tmt.schemes.harq import Harq
from tmt.schemes.none import NoScheme
from tmt.schemes.parameters import Scheme

SCHEMES: dict[str, type[Scheme]] = {scheme.name: scheme for scheme in (NoScheme, Fec, Arq, Harq)}
"""Every scheme by the name that users type."""

__all__ = ["SCHEMES", "Arq", "Converter", "Counts", "Fec", "Harq", "NoScheme", "Scheme"]
