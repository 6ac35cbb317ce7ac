"""All tests whose output differs from the distribution's, because a patch mends a fault."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mended:
    """Stock tests whose output a patch changes, and why.

    Attributes
    ----------
    patch
        Number of the patch.
    suite, tests
        The tests, by ns-2's own names.
    why
        The fault of the distribution's program.
    """

    patch: str
    suite: str
    tests: tuple[str, ...]
    why: str


def _tcp_linux(*variants: str) -> tuple[str, ...]:
    return tuple(f"tcpLinux{queue}_{variant}" for variant in variants for queue in ("DropTail", "RED"))


MENDED: tuple[Mended, ...] = (
    Mended("0001", "misc", ("stats64",), "a queue monitor counts 2,982,684,040 bytes in 32 bits"),
    Mended(
        "0011",
        "tcpLinux",
        _tcp_linux("reno", "vegas", "lp", "compound", "illinois", "highspeed"),
        "parameters of one byte are written as four, over their neighbours",
    ),
    Mended(
        "0016",
        "tcpLinux",
        (
            "tcpLinuxBase",
            *_tcp_linux("htcp", "bic", "cubic", "hybla", "veno", "yeah", "westwood", "scalable"),
        ),
        "the window of a recovery exceeds the packets in flight",
    ),
)


def mended(suite: str) -> set[str]:
    """Return the tests of a suite that may differ."""
    return {test for one in MENDED if one.suite == suite for test in one.tests}
