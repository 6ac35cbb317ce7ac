"""`python -m analysis.stale_pages [--list]`: pages and pictures that are older than their code, made anew.

Each page that a program writes has an identity: the hash of the program's sources, of the data and templates
that they name, of the scenarios that it runs, and of the simulator. `docs/identities.json` has the identity
with which each was made. A page whose identity has changed is stale. Stale pages are made anew by cost, and
each program goes on where it stopped. Cheap pages are not listed here: tests compare them with what their
programs write.

  --list    say which pages are stale; the exit status is 1 if there are any
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tmt.backend.ns2 import Ns2
from tmt.identity import deciding_files, source_hash

ROOT = Path(__file__).resolve().parents[1]
IDENTITIES = ROOT / "docs" / "identities.json"
IMPORTED = re.compile(r"^\s*from (tmt[\w.]*) import", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """What one program writes for the documentation.

    Attributes
    ----------
    module
        The program.
    files
        What it writes, from the root on.
    minutes
        About what it takes on two processors, without runs that are kept.
    inputs
        Files that it reads besides those beside its sources.
    arguments
        What makes it write to the documentation.
    """

    module: str
    files: tuple[str, ...]
    minutes: float
    inputs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ("--docs",)

    def identity(self) -> str:
        """Return the hash of everything that decides what it writes."""
        digest = hashlib.sha256(source_hash(self.module, package=ROOT / "analysis").encode())
        files = deciding_files(self.module, package=ROOT / "analysis")
        texts = [path.read_text(encoding="utf-8") for path in files if path.suffix == ".py"]
        used = {name for text in texts for name in IMPORTED.findall(text)}
        digest.update(source_hash(*sorted(used)).encode())
        for pattern in self.inputs:
            for path in sorted(ROOT.glob(pattern)):
                digest.update(path.read_bytes())
        digest.update(Ns2().stamp().encode())
        return digest.hexdigest()


PAGES = (
    Page("analysis.kuhn2014.readings", ("analysis/kuhn2014/readings.csv",), 6),
    Page("analysis.jin2006.__main__", ("docs/proxy-reproduction.md", "docs/images/proxy-figure*.png"), 8),
    Page("analysis.tcp.tcp_linux", ("docs/tcp-linux.md",), 10, ("clift-ns2/patches/*",)),
    Page(
        "analysis.kuhn2014.__main__",
        ("docs/reproduction.md", "docs/reproduction.csv", "docs/images/kuhn-*.png"),
        20,
        ("scenarios/distribution-*.toml", "scenarios/internet-*.toml"),
    ),
    Page(
        "analysis.barakat2003.__main__",
        ("docs/hybrid.md", "docs/images/hybrid-*.png"),
        30,
        ("clift-ns2/tcl/*.tcl",),
    ),
    Page(
        "analysis.botos.__main__",
        ("docs/fectcp-wlan.md", "docs/images/fectcp-*.png"),
        30,
        ("clift-ns2/tcl/*.tcl",),
    ),
    Page(
        "analysis.judge.__main__",
        ("docs/kernel.md", "docs/images/kernel-windows.png"),
        5,
        ("clift-ns2/tcl/*.tcl",),
        arguments=(),
    ),
)
"""Every page and picture whose program runs for minutes."""


def stale(recorded: dict[str, str]) -> list[Page]:
    """Return the pages that were not made with their present identity, the cheapest first."""
    changed = [page for page in PAGES if recorded.get(page.module) != page.identity()]
    return sorted(changed, key=lambda page: page.minutes)


def read_identities() -> dict[str, str]:
    """Return the identity with which each page was made, by its program."""
    return json.loads(IDENTITIES.read_text(encoding="utf-8")) if IDENTITIES.is_file() else {}


def record(page: Page, identity: str) -> None:
    """Keep the identity with which a page was made."""
    found = read_identities() | {page.module: identity}
    IDENTITIES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def make(page: Page) -> None:
    """Run a page's program, which goes on where it stopped, and keep the identity that it began with."""
    identity = page.identity()
    module = page.module.removesuffix(".__main__")
    subprocess.run([sys.executable, "-m", module, *page.arguments], cwd=ROOT, check=True)
    record(page, identity)


def main(arguments: list[str]) -> int:
    """List stale pages or make them anew; return the exit status."""
    if arguments not in ([], ["--list"]):
        print(f"stale_pages: {' '.join(arguments)} is not allowed; allowed: --list", file=sys.stderr)
        return 2
    pages = stale(read_identities())
    for page in pages:
        program = page.module.removesuffix(".__main__")
        print(f"stale: {program}, about {page.minutes:g} min: {', '.join(page.files)}")
    if arguments:
        return 1 if pages else 0
    for page in pages:
        make(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
