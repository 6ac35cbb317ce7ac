"""Disks of a test's own, and libraries that stand between a program and the system."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def disk(folder: Path, *options: str) -> Iterator[Path]:
    """Give a new folder with a disk of its own, in memory; without root the test is skipped."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", *options, "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def make_read_only(folder: Path) -> None:
    """Let nobody write on a disk any more."""
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)


def preloaded(source: Path, folder: Path, **variables: str) -> dict[str, str]:
    """Compile a library; return the environment of a program that calls it in place of the system's."""
    library = folder / source.with_suffix(".so").name
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return os.environ | {"LD_PRELOAD": str(library)} | variables
