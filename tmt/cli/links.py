"""The two links of one run, from the options of `tmt replay` and `tmt emulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Count, Param, Rate, Seconds, Spec, ns
from tmt.core.problems import Problem, Refused
from tmt.core.schema import Packing
from tmt.spec.experiment import Link, PlainLink, TraceLink

if TYPE_CHECKING:
    from tmt.core.declaration import Rules
    from tmt.core.schemes.scheme import Scheme

OLD_NAMES = {
    "--forward-rate": "--rate",
    "--forward-lldu-bytes": "--lldu-bytes",
    "--forward-offset": "--offset",
    "--queue": "--queue-packets",
    "--any-order": "--no-in-order",
    "--keep": "--output",
}
"""Names of version 0.2."""

LEAST_USUAL_BPS = 1000
"""A full packet then takes 12 s."""


class Links(Spec):
    """The forward link, which is a trace unless it has a rate, and the return link."""

    rate: Annotated[Rate | None, "use a forward link of this constant rate", Param(absent="the trace's")] = (
        None
    )
    lldu_bytes: Annotated[
        Count | None, "useful bytes of an LLDU", Param("byte", absent="those of the trace, or 1500")
    ] = None
    offset: Annotated[Seconds, "where in the trace the run starts"] = 0
    packing: Annotated[
        Packing | None,
        "how packets lie in rows: each begins in a new row, or bytes follow each other over rows",
        Param(absent="that of the trace, or padded"),
    ] = None
    return_: Annotated[
        str | None, "link trace of the return link", Param(absent="a constant rate", is_path=True)
    ] = None
    return_rate: Annotated[
        Rate | None, "constant rate of the return link", Param(absent="the forward link's mean rate")
    ] = None
    return_lldu_bytes: Annotated[
        Count | None, "as --lldu-bytes", Param("byte", absent="those of the trace, or 1500")
    ] = None
    return_offset: Annotated[Seconds, "as --offset"] = 0

    def rules(self) -> Rules:
        """Refuse a rate beside the return trace, and settings of a trace that is not given."""
        if self.return_ is not None and self.return_rate is not None:
            yield "return_rate", "none with --return, which has a rate of its own"
        for key, usual in (("return_lldu_bytes", None), ("return_offset", 0)):
            if self.return_ is None and getattr(self, key) != usual:
                yield key, "--return", "has no meaning without a return trace"

    def forward(self, trace: str | None, scheme: Scheme | None = None) -> Link:
        """Return the forward link; `trace` is the argument TRACE (Refused)."""
        if trace is not None and self.rate is not None:
            allowed = "none with TRACE, which has a rate of its own"
            raise Refused([Problem(("rate",), self.rate, "rule", allowed)])
        if trace is not None:
            return TraceLink(trace, self.lldu_bytes, ns(self.offset), scheme, self.packing)
        if self.rate is None:
            raise Refused([Problem(("rate",), None, "missing", "TRACE, or a link of constant rate")])
        needing = {
            "lldu_bytes": self.lldu_bytes,
            "offset": self.offset or None,
            "online": None if scheme is None else scheme.name,
        }
        for key, value in needing.items():
            if value is not None:
                raise Refused([Problem((key,), value, "rule", "TRACE", "needs a trace")])
        return PlainLink(self.rate)

    def notes(self) -> list[str]:
        """Note rates that are probably meant in Mbit/s."""
        given = {"--rate": self.rate, "--return-rate": self.return_rate}
        return [
            f"{flag} is {rate:g} bit/s; {rate:g} Mbit/s is {rate:g}e6"
            for flag, rate in given.items()
            if rate is not None and rate < LEAST_USUAL_BPS
        ]

    def back(self) -> Link | None:
        """Return the return link; None for the default one."""
        if self.return_ is not None:
            offset_ns = ns(self.return_offset)
            return TraceLink(self.return_, self.return_lldu_bytes, offset_ns, packing=self.packing)
        return None if self.return_rate is None else PlainLink(self.return_rate)
