"""The links that the judgement is about, each as a forward link trace or a plain rate."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tmt.backend.link_files import ready_link
from tmt.experiment import Link, PlainLink, TraceLink
from tmt.units import NS_PER_S

ROOT = Path(__file__).resolve().parents[2]
TMT = Path(sys.executable).with_name("tmt")
SAMPLE = ROOT / "traces" / "sample.parquet"

RTT_NS = NS_PER_S // 2
RATE_BPS = 2_000_000
PACKET_BYTES = 1500
DURATION_NS = 300 * NS_PER_S
LOSSY_REPEATS, MOBILE_REPEATS = 6, 3
SAMPLE_NS = 600 * NS_PER_S
HARQ = ("--data", "10", "--repair", "2")


@dataclass(frozen=True, slots=True)
class Case:
    """One link: what its table row is called, how its trace is made, whether it keeps packets in order.

    `commands` make the trace, the last word of each being the file that it writes; none for a plain link.
    The `repeats` of a run start `spacing_ns` apart in the trace.
    """

    name: str
    title: str
    commands: tuple[tuple[str, ...], ...] = ()
    in_order: bool = True
    repeats: int = 3
    spacing_ns: int = DURATION_NS

    def link(self, folder: Path, repeat: int) -> Link:
        """Return the forward link of a repeat; its trace is made in `folder` if it is not there."""
        if not self.commands:
            return PlainLink(RATE_BPS)
        for command in self.commands:
            made = folder / command[-1]
            if not made.exists():
                words = [str(folder / word) if word.startswith("made-") else word for word in command]
                subprocess.run([TMT, *words], check=True, capture_output=True)
        return TraceLink(folder / self.commands[-1][-1], offset_ns=repeat * self.spacing_ns)

    def fingerprint(self, folder: Path) -> str:
        """Return what tells apart links that would give other results."""
        trace = self.link(folder, 0)
        content = ready_link(trace).file.sha256 if isinstance(trace, TraceLink) else str(RATE_BPS)
        parts = (content, self.in_order, self.spacing_ns, RTT_NS, DURATION_NS, PACKET_BYTES)
        return sha256(repr(parts).encode()).hexdigest()[:12]


def _lossy(probability: str) -> Case:
    phy, link = f"made-phy-{probability}.parquet", f"made-loss-{probability}.parquet"
    slots = ("--lldu-bytes", str(PACKET_BYTES), "--rate-bps", str(RATE_BPS), "--decode-time", "1e-6")
    duration = ("--duration", str(LOSSY_REPEATS * DURATION_NS // NS_PER_S), "--seed", "1")
    return Case(
        f"loss-{probability}",
        f"GEO link, loss {probability}",
        (
            ("generate", "--channel", "bernoulli", "--probability", probability, *slots, *duration, phy),
            ("convert", "--scheme", "none", phy, link),
        ),
        repeats=LOSSY_REPEATS,
    )


def _satellite(name: str, title: str, *scheme: str, in_order: bool = True) -> Case:
    link = f"made-{scheme[0]}.parquet"
    convert = ("convert", "--rtt", "0.5", "--scheme", *scheme, str(SAMPLE), link)
    return Case(name, title, (convert,), in_order, spacing_ns=SAMPLE_NS // 3)


def _mobile(scheme: str, title: str, *options: str) -> Case:
    phy, link = "made-phy-lms.parquet", f"made-lms-{scheme}.parquet"
    channel = ("--channel", "lms", "--profile", "distribution", "--es-n0-db", "5")
    duration = ("--duration", str(MOBILE_REPEATS * DURATION_NS // NS_PER_S), "--seed", "1")
    return Case(
        f"lms-{scheme}",
        f"mobile channel, {title}",
        (
            ("generate", *channel, *duration, phy),
            ("convert", "--rtt", "0.5", "--scheme", scheme, *options, phy, link),
        ),
        repeats=MOBILE_REPEATS,
    )


CASES = (
    Case("geo-clean", "GEO link"),
    _lossy("0.001"),
    _lossy("0.005"),
    _lossy("0.01"),
    _satellite("arq", "sample trace, ARQ", "arq"),
    _satellite("harq", "sample trace, HARQ(10/12)", "harq", *HARQ),
    _satellite("arq-any-order", "sample trace, ARQ, any order", "arq", in_order=False),
    _mobile("arq", "ARQ"),
    _mobile("harq", "HARQ(10/12)", *HARQ),
)
