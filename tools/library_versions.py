"""Compare what `tmt` writes with other versions of its libraries: ``python tools/library_versions.py``.

Every channel, every scheme and a fit run in an environment of its own for each set of versions; a table says
which files differ from those of the pinned versions. The exit status is 1 where one does.
"""

import hashlib
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HOUSE = Path(__file__).parents[1]

SETS = {
    "pinned": [],
    "oldest allowed": ["numpy==2.2.*", "numba==0.63.*", "pyarrow==23.*", "pandas==2.3.*", "scipy==1.16.*"],
    "older numpy alone": ["numpy==2.2.*"],
    "older numba alone": ["numba==0.63.*"],
    "older pyarrow alone": ["pyarrow==23.*"],
}
"""Requirements of each set, which replace those of `constraints.txt`."""

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
    """Print how many files differ for each set, and their names."""
    differs = False
    with tempfile.TemporaryDirectory(prefix="tmt-versions-") as place:
        expected: dict[str, str] = {}
        print("| libraries | versions | files that differ |\n| --- | --- | --- |", flush=True)
        for number, (name, requirements) in enumerate(SETS.items()):
            folder = Path(place, str(number))
            python = _environment(folder, requirements)
            found = _hashes(folder / "work", python)
            expected = expected or found
            others = [file for file in expected if found[file] != expected[file]]
            differs |= bool(others)
            told = ", ".join(others) or f"none of {len(expected)}"
            print(f"| {name} | {_versions(python)} | {told} |", flush=True)
    return int(differs)


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
    names = ("numpy", "numba", "pyarrow", "pandas", "scipy")
    code = f"from importlib.metadata import version\nfor n in {names}: print(n, version(n))"
    return ", ".join(_run(python, "-c", code).splitlines())


def _run(*words: object, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
