"""Programs at the ends of a path, and the numbers that they report."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from tmt.core.declaration import Count, Param, PositiveSeconds, Rate, Spec
from tmt.core.problems import number as spelled
from tmt.core.schemes.scheme import RoundTrip
from tmt.spec.path import Packets
from tmt.spec.stacks import LINUX
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Rules

PROGRAMS: Final = "programs"
"""The backend of programs: the kernel in simulated time, with processes."""

STDOUT, STDERR = "stdout", "stderr"
"""Outputs of a program; any other word is a file that it has written to ``$OUT``."""

_COLUMN = re.compile(r"[a-z][a-z0-9_]{0,59}")
_READY = re.compile(r"(tcp|udp):([1-9][0-9]{0,4})")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=(?s:.*)")
_SYSCTL = re.compile(r"net\.[A-Za-z0-9_./-]+=.*")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

MOST_WORD_BYTES = 131_071
"""Longest argument or variable that Linux passes to a program (MAX_ARG_STRLEN without the NUL)."""

LEAST_OUTPUT_BYTES, MOST_OUTPUT_BYTES = 1024, 1 << 30


class Measure(Spec):
    """A number that a program reports: in JSON, after a pattern, or as its exit status."""

    column: Annotated[str, "name of the result, with its unit at the end, such as time_total_s"]
    program: Annotated[str, "program that says it: client, client2, ..., server, server2, ..."] = "client"
    output: Annotated[str, "where it says it: stdout, stderr, or a file in $OUT"] = STDOUT
    json: Annotated[
        str | None,
        "way to the number in JSON, such as end.sum_received.bits_per_second or runs.0.time; of several "
        "lines the last one that is JSON counts",
        Param(absent="the exit status, unless there is a pattern"),
    ] = None
    pattern: Annotated[
        str | None,
        "regular expression; its first group, or all of it, is the number; the last match counts",
        Param(absent="the exit status, unless there is json"),
    ] = None
    scale: Annotated[float, "factor by which the number is multiplied", Param("", -1e300, 1e300)] = 1
    unit: Annotated[str | None, "unit of the result", Param(absent="it has none")] = None
    better: Annotated[
        Literal["more", "less"] | None, "direction that is better", Param(absent="there is none")
    ] = None

    def rules(self) -> Rules:
        """Refuse invalid names, two sources of the number, and an output for an exit status."""
        if not _COLUMN.fullmatch(self.column):
            yield "column", "small letters, digits and _, a letter first"
        if self.output not in (STDOUT, STDERR) and not _FILE.fullmatch(self.output):
            yield "output", "stdout, stderr, or the name of a file in $OUT"
        if self.json is not None and self.pattern is not None:
            yield "pattern", "json or pattern", "is a second way to the number"
        if self.takes_status and self.output != STDOUT:
            yield "output", "json or pattern with it", "has no meaning for an exit status"
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                yield "pattern", f"a regular expression ({error})"

    @property
    def takes_status(self) -> bool:
        """Whether the number is the exit status, so that one other than 0 is no failure."""
        return self.json is None and self.pattern is None


class SecondPath(Spec):
    """A second path between the ends; the programs' TCP uses both at once (MPTCP)."""

    rtt: Annotated[RoundTrip, "round-trip propagation time of the second path"]
    trace: Annotated[
        str | None,
        "PHY trace of its forward link, without a scheme; it repeats, and each seed begins at another place",
        Param(absent="a constant rate", is_path=True),
    ] = None
    rate: Annotated[Rate | None, "rate of its forward link, which loses nothing", Param(absent="a trace")] = (
        None
    )
    lldu_bytes: Annotated[
        Count | None, "useful bytes of one LLDU", Param("byte", absent="those of the trace")
    ] = None
    queue_packets: Annotated[
        Packets | None,
        "limit of the queue before each of its links",
        Param(absent="one bandwidth-delay product, at least 10 packets"),
    ] = None

    def rules(self) -> Rules:
        """Refuse both kinds of link at once, neither, and sizes for a constant rate."""
        if self.rate is not None and self.trace is not None:
            yield "rate", "none with a trace, which has a rate of its own"
        if self.rate is None and self.trace is None:
            yield "rate", "a rate, or a trace", "is missing"
        if self.lldu_bytes is not None and self.trace is None:
            yield "lldu_bytes", "none without a trace", "has no meaning for a constant rate"


_UNUSED = (
    *("transfer_bytes", "pause", "flows", "return_flows", "start", "start_spread", "slow_start", "resume"),
    *("code", "block_segments", "backend", "flow"),
)
"""Settings of flows, which programs make themselves."""


class Program(Traffic):
    """Unmodified programs at the two ends of a path, in simulated time: servers and clients."""

    stack: Annotated[Literal["linux"], "TCP stack: that of the kernel in which the programs run"] = LINUX
    _: KW_ONLY
    client: Annotated[
        tuple[str, ...],
        "shell command of the client, or several; the forward link ends there. The run ends with the last",
    ]
    server: Annotated[
        tuple[str, ...], "shell command of the server, or several; the forward link begins there"
    ] = ()
    ready: Annotated[
        tuple[str, ...], "ports that a server must have opened before the clients start: tcp:80, udp:443"
    ] = ()
    files: Annotated[
        tuple[str, ...], "files and folders that the programs find in $FILES", Param(is_path=True)
    ] = ()
    environment: Annotated[tuple[str, ...], "variables NAME=VALUE of all programs"] = ()
    sysctls: Annotated[tuple[str, ...], "kernel settings net.NAME=VALUE of both ends"] = ()
    root: Annotated[
        str | None,
        "folder or tar file of the files that programs see, such as one of `tmt root`",
        Param(absent="the host's own files, read-only", is_path=True),
    ] = None
    second: Annotated[
        SecondPath | None,
        "second path, over which MPTCP sends, too: trace or rate, rtt, lldu_bytes, queue_packets",
        Param(absent="one path, and TCP"),
    ] = None
    measure: Annotated[tuple[Measure, ...], "numbers that the programs say, as results"] = ()
    processor_time: Annotated[
        PositiveSeconds, "processor time of the host that kernel and programs of a run may take together"
    ] = 300
    output_bytes: Annotated[
        int,
        "bound of each program's stdout and stderr, and of all files in $OUT",
        Param("byte", LEAST_OUTPUT_BYTES, MOST_OUTPUT_BYTES),
    ] = 16 << 20
    memory_bytes: Annotated[
        int, "memory of the machine in which the programs run", Param("byte", 64 << 20, 64 << 30)
    ] = 256 << 20
    label: Annotated[
        str | None, "name in tables and figures", Param(absent="the commands and their settings")
    ] = None

    @property
    def carrier(self) -> str:
        """The backend that runs programs."""
        return PROGRAMS

    @property
    def commands(self) -> dict[str, str]:
        """The shell commands by the programs' names, servers first."""
        return dict([*_named("server", self.server), *_named("client", self.client)])

    @property
    def title(self) -> str:
        """The label, or the clients' commands with those settings of the programs that differ from the
        defaults.
        """
        if self.label is not None:
            return self.label
        own = [key for key in self.said() if key in _OWN and key not in ("client", "measure")]
        return " ".join([" & ".join(self.client), *(f"{key}={_text(getattr(self, key))}" for key in own)])

    def filled(self, key: str, value: Any) -> Any:
        """Return one measure as a tuple."""
        return (value,) if isinstance(value, Measure) else super().filled(key, value)

    def is_like(self, other: Program) -> bool:
        """Whether two runs of programs differ in nothing that other traffic lacks."""
        return all(getattr(self, key) == getattr(other, key) for key in _OWN)

    def rules(self) -> Rules:
        """Refuse settings of flows, and values that the programs' machine does not support."""
        yield from super().rules()
        for key in _UNUSED:
            if getattr(self, key) != self.usual(key):
                yield key, "none: the programs make their flows", "has no meaning for programs"
        if self.delayed_acks is False:
            yield "delayed_acks", "none: the kernel's own rule holds"
        yield from self._of_words()
        for key, form, allowed in (
            ("ready", _READY, "tcp:PORT or udp:PORT with a port from 1 to 65535"),
            ("environment", _VARIABLE, "NAME=VALUE"),
            ("sysctls", _SYSCTL, "net.NAME=VALUE"),
        ):
            for at, value in enumerate(getattr(self, key)):
                found = form.fullmatch(value)
                if not found or (form is _READY and int(found[2]) > 65_535):
                    yield (key, at), allowed
        if self.ready and not self.server:
            yield "ready", "a server with it", "has no meaning without a server"
        yield from self._of_files()
        seen = set()
        for at, one in enumerate(self.measure):
            if one.program not in self.commands:
                yield ("measure", at, "program"), tuple(self.commands)
            if one.column in seen:
                yield ("measure", at, "column"), "each name once", "is there already"
            seen.add(one.column)

    def _of_words(self) -> Rules:
        """Refuse blank texts, and texts that are too long for an argument or a variable."""
        for key in ("client", "server", "environment"):
            for at, value in enumerate(getattr(self, key)):
                if not value.strip():
                    yield (key, at), "text that is not blank"
                elif (size := len(value.encode())) > MOST_WORD_BYTES:
                    allowed = f"texts of up to {MOST_WORD_BYTES:,} bytes"
                    yield (key, at), allowed, f"has {size:,} bytes"

    def _of_files(self) -> Rules:
        """Refuse two files of one name."""
        names = [one.rstrip("/").rpartition("/")[2] for one in self.files]
        for at, name in enumerate(names):
            if name in names[:at]:
                yield ("files", at), "files of different names", "has the name of another one"


_OWN = frozenset(Program.__annotations__) - {"stack", "_"}
"""Settings that other traffic does not have."""


def _text(value: object) -> str:
    if isinstance(value, SecondPath):
        given = {key: getattr(value, key) for key in value.said()}
        return ", ".join(
            f"{key} {one if isinstance(one, str) else spelled(one)}" for key, one in given.items()
        )
    return " & ".join(value) if isinstance(value, tuple) else str(value)


def _named(role: str, commands: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for number, command in enumerate(commands, 1):
        yield role if number == 1 else f"{role}{number}", command
