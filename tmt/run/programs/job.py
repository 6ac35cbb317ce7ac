"""The files that describe the programs to the kernel: settings, commands, copies of files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.run.programs.roots import root_folder
from tmt.run.programs.second_path import SECOND, second_text, set_up_second
from tmt.run.settings_file import SETTINGS, send_buffer_bytes, settings_text
from tmt.spec.stacks import LINUX, RECEIVE_BUFFER_BYTES, control_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.run.setup import Setup
    from tmt.spec.programs import Program

JOB = "programs.txt"
FILES = "files"
"""Folder of the copies that programs find in ``$FILES``."""

BEGIN_NS = 1_767_225_600_000_000_000
"""Start of the programs' clock and time of the copies: the start of 2026."""

FIRST_BUFFER_BYTES = 131_072
"""Initial receive buffer of a connection, Linux's default."""


UDP_BUFFER_BYTES = 32 << 20
"""Largest buffer that a program may request: QUIC programs request several megabytes."""


def write_job(setup: Setup, program: Program, directory: Path) -> None:
    """Write the files of a run into its directory.

    InputError when the second path's trace cannot be used (nothing is written then), or one of `files` cannot
    be copied.
    """
    second = None
    if program.second is not None:
        second = set_up_second(program, program.second, setup.experiment.seed)
        (directory / SECOND).write_text(second_text(second, directory))
    lines = settings_text(setup, directory).splitlines(keepends=True)
    (directory / SETTINGS).write_text("".join(line for line in lines if not line.startswith("flow ")))
    if program.files:
        copy_files(program.files, directory / FILES)
    lines = [f"{key} {_escaped(value)}\n" for key, value in _lines(setup, second, program, directory)]
    (directory / JOB).write_text("".join(lines))


def copy_files(names: tuple[str, ...], folder: Path) -> None:
    """Copy files and folders, following links, all with the same times (InputError)."""
    folder.mkdir()
    for name in names:
        source, target = Path(name), folder / Path(name).resolve().name
        try:
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        except OSError as error:
            raise InputError(name, f"cannot be copied: {error.strerror or error}") from error
    for place, _, inside in os.walk(folder):
        for path in (place, *(f"{place}/{one}" for one in inside)):
            os.utime(path, ns=(BEGIN_NS, BEGIN_NS))


def _lines(
    setup: Setup, second: Setup | None, program: Program, directory: Path
) -> Iterator[tuple[str, object]]:
    yield "root", "/" if program.root is None else root_folder(program.root)
    if program.files:
        yield "files", directory.absolute() / FILES
    for sysctl in (*_sysctls(setup, second, program), *program.sysctls):
        yield "sysctl", sysctl
    for port in program.ready:
        yield "ready", port
    yield "processor_s", f"{program.processor_time:g}"
    yield "output_bytes", program.output_bytes
    for name, command in program.commands.items():
        yield "program", name
        yield "end", "near" if name.startswith("server") else "far"
        yield "command", command
        for variable in program.environment:
            yield "env", variable


def _sysctls(setup: Setup, second: Setup | None, program: Program) -> Iterator[str]:
    """Return the kernel's settings that runs of flows also have; programs can still request others."""
    most = program.receive_buffer_bytes or RECEIVE_BUFFER_BYTES
    send_buffer = sum(send_buffer_bytes(path) for path in (setup, second) if path is not None)
    yield f"net.core.rmem_max={UDP_BUFFER_BYTES}"
    yield f"net.core.wmem_max={UDP_BUFFER_BYTES}"
    yield f"net.ipv4.tcp_congestion_control={control_of(program.tcp, LINUX)}"
    yield f"net.ipv4.tcp_ecn={int(program.ecn != 'off')}"
    yield f"net.ipv4.tcp_rmem=4096 {min(FIRST_BUFFER_BYTES, most)} {most}"
    yield f"net.ipv4.tcp_wmem=4096 16384 {max(most, send_buffer)}"


def _escaped(value: object) -> str:
    r"""Return a value on one line: ``\n`` is a newline, ``\\`` a backslash."""
    return str(value).replace("\\", "\\\\").replace("\n", "\\n")
