"""`tmt doctor`: what is installed, what is missing, and the command that fixes it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from tmt import __version__
from tmt.cli.lazy import imported_when_used
from tmt.cli.options import JSON, json_text
from tmt.cli.progress import say
from tmt.core.errors import TmtError
from tmt.run import load_backend
from tmt.spec.experiment import Experiment, PlainLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.programs import Program

with imported_when_used():
    from tmt.run import experiment as experiments

LIBRARIES = dict.fromkeys(
    ("numpy", "pandas", "pyarrow", "numba", "scipy", "pydantic", "altair"), "tmt-clift"
) | {"distributed": "tmt-clift[cluster]", "optuna": "tmt-clift[tune]"}
"""Libraries, and what installs each; only some commands need the last ones."""

TRIAL_LIMIT_S = 60
"""Wall time after which the test of the kernel for programs is given up."""

NAMESPACE = ("unshare", "--user", "--map-root-user", "--net", "true")
"""Command that the system must allow for the emulator, if it does not run as root."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the list."""

    what: str
    present: bool
    found: str
    """Version or hash if it is present; otherwise what is missing and the command that fixes it."""


@click.command()
@JSON
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List what is installed and what is missing, with the command that fixes it.

    Add the list to every bug report. The exit status is 1 if the simulator cannot run; the
    kernels, the program of stack quic and the emulator are optional.

    \b
    What do I have?
      tmt doctor
    """
    findings = [
        Finding("tmt", True, f"{__version__}, in {Path(__file__).parents[1]}"),
        Finding("Python", True, f"{platform.python_version()}, {sys.executable}"),
        Finding("system", True, f"{platform.platform()}, {os.cpu_count()} processors"),
        *_other_program(),
        *map(_library, LIBRARIES),
    ]
    simulator = _backend("ns2", "simulator")
    findings += [simulator, _backend("linux", "kernel of stack linux")]
    findings += [_programs()]
    findings += [_backend("quic", "program of stack quic"), _emulator()]
    if as_json:
        say(json_text({"findings": [asdict(finding) for finding in findings]}))
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            mark = "ok     " if finding.present else "missing"
            say(f"{mark}  {finding.what:{width}}  {finding.found}")
    context.exit(0 if simulator.present else 1)


def _other_program() -> list[Finding]:
    """Look for the package `tmt` of the package index, whose import and command have the same name."""
    try:
        version = importlib.metadata.version("tmt")
    except importlib.metadata.PackageNotFoundError:
        return []
    reason = f"another program called tmt, {version}, is installed, too: `pip uninstall tmt` removes it"
    return [Finding("no other tmt", False, reason)]


def _library(name: str) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, f'pip install "{LIBRARIES[name]}"')


def _backend(name: str, what: str) -> Finding:
    """Look for a backend's program; its stamp identifies the build."""
    try:
        return Finding(what, True, f"build {load_backend(name).stamp()[:16]}")
    except TmtError as error:
        return Finding(what, False, str(error))


def _programs() -> Finding:
    """Look for the kernel with processes, and let it run the shortest program: hosts may forbid it."""
    found = _backend("programs", "kernel for programs")
    if found.present:
        trial = Experiment(PlainLink(1e6), LinkPath(0.1), Program(client=("true",), duration=1))
        try:
            experiments.run(trial, timeout_s=TRIAL_LIMIT_S)
        except TmtError as error:
            return Finding(found.what, False, str(error).partition("\n")[0])
    return found


def _emulator() -> Finding:
    what, found = "emulator", _backend("emulate", "emulator")
    if not found.present:
        return found
    if not Path("/dev/net/tun").exists():
        return Finding(what, False, "/dev/net/tun is missing: `modprobe tun` as root makes it")
    if os.geteuid() != 0:
        try:
            allowed = subprocess.run(NAMESPACE, capture_output=True, check=False).returncode == 0
        except OSError:
            allowed = False
        if not allowed:
            reason = "this system allows no unprivileged user namespaces: run `tmt emulate` as root"
            return Finding(what, False, reason)
    return found
