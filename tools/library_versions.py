"""Compare what `tmt` writes with other versions of its libraries: ``python tools/library_versions.py``.

Channels, schemes, a fit and `inspect` run in one environment with the pinned versions and in one with the
oldest that the package allows. The exit status is 1 where an output differs.
"""

import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HOUSE = Path(__file__).parents[1]

LIBRARIES = ("numpy", "numba", "pyarrow", "pandas", "scipy")
"""Libraries that compute, read or write numbers."""

LINE = "--duration 300 --rate 1e6 --lldu-bytes 500 --seed 7"
COMMANDS = [
    f"generate --channel bernoulli --probability 0.05 {LINE} bernoulli.csv",
    f"generate --channel gilbert-elliott --alpha 0.99 --beta 0.8 {LINE} line.csv",
    "generate --channel neyman-a --probability 0.05 --errors-per-cluster 3 --cluster-slots 10"
    f" {LINE} neyman-a.csv",
    "generate --channel lms --es-n0-db 8 --duration 300 --seed 7 lms.csv",
    "generate --channel shadows --duration 300 --seed 7 shadows.csv",
    "convert line.csv none.csv --scheme none",
    "convert line.csv fec.csv --scheme fec --data 10 --repair 2 --depth 4",
    "convert line.csv arq.csv --scheme arq --rtt 0.5",
    "convert line.csv harq.csv --scheme harq --data 10 --repair 2 --rtt 0.5",
    "convert line.csv harq-processes.csv --scheme harq-processes --rtt 0.01 --missed-feedback 0.01",
    "convert line.csv sliding-window.csv --scheme sliding-window --coding-window 20 --repair-interval 5",
    "convert line.csv tetrys.csv --scheme tetrys --coding-window 200 --repair-interval 5 --rtt 0.5",
    "convert line.csv rlc.csv --scheme rlc --rtt 0.5",
    "fit line.csv --json",
    "inspect arq.csv --json",
]


def main() -> int:
    """Print for both sets of versions how many files differ from the pinned ones'."""
    expected: dict[str, str] = {}
    print("| libraries | files that differ |\n| --- | --- |", flush=True)
    with tempfile.TemporaryDirectory(prefix="tmt-versions-") as place:
        for number, requirements in enumerate([[], _oldest()]):
            python = _environment(Path(place, str(number)), requirements)
            found = _hashes(Path(place, f"work {number}"), python)
            expected = expected or found
            others = [name for name in expected if found[name] != expected[name]]
            print(f"| {_versions(python)} | {', '.join(others) or f'none of {len(expected)}'} |", flush=True)
    return int(bool(others))


def _oldest() -> list[str]:
    """Return requirements of the oldest versions that the package allows."""
    allowed = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]["dependencies"]
    least = dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(allowed), re.MULTILINE))
    return [f"{name}=={least[name]}.*" for name in LIBRARIES]


def _environment(folder: Path, requirements: list[str]) -> Path:
    """Make an environment with the pinned versions, but for those of `requirements`; return its Python."""
    uv, python = Path(sys.executable).with_name("uv"), folder / "bin" / "python"
    _run(uv, "venv", "--quiet", "--python", sys.executable, folder)
    install = (uv, "pip", "install", "--quiet", "--python", python)
    _run(*install, "--require-hashes", "--requirement", HOUSE / "constraints.txt")
    if requirements:
        _run(*install, *requirements)
    _run(*install, "--no-deps", "--no-build-isolation", "--editable", HOUSE)
    return python


def _hashes(work: Path, python: Path) -> dict[str, str]:
    """Return the hash of what each command writes, by its file or its words."""
    work.mkdir()
    found = {}
    for command in COMMANDS:
        words = shlex.split(command)
        said = _run(python.with_name("tmt"), *words, cwd=work)
        file = work / words[-1 if words[0] == "generate" else 2]
        content = said if "--json" in words else file.read_text()
        found[command if "--json" in words else file.name] = hashlib.sha256(content.encode()).hexdigest()
    return found


def _versions(python: Path) -> str:
    code = f"from importlib.metadata import version\nfor name in {LIBRARIES}: print(name, version(name))"
    return ", ".join(_run(python, "-c", code).splitlines())


def _run(*words: object, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
