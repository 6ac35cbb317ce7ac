"""Options of version 0.2 for which a new name alone will not do; they work, and warn, for one version."""

from __future__ import annotations

from itertools import pairwise

from tmt.core.declaration import declared
from tmt.core.schemes import SCHEMES
from tmt.spec.options import flag_of

Renewed = tuple[list[str], str | None]
"""Arguments in the form of today, and a warning where they had another one."""

_RLC = {"--rlc-mode": "--mode", "--rlc-window": "--window-pdus"}


def flat_rlc(flag: str, args: list[str]) -> Renewed:
    """Take ``FLAG rlc-over-harq --data 10`` as ``FLAG rlc --below harq --below-data 10``."""
    words = _split(args)
    flat = [name for before, name in pairwise(words) if before == flag and name.startswith("rlc-over-")]
    if not flat and not _RLC.keys() & set(words):
        return args, None
    below = flat[0].removeprefix("rlc-over-") if flat else ""
    of_below = {flag_of(("", key)) for key in declared(SCHEMES[below])} if below in SCHEMES else set()
    found: list[str] = []
    for before, word in pairwise(["", *words]):
        if before == flag and word in flat:
            found += ["rlc", "--below", below]
        else:
            found.append(f"--below-{word[2:]}" if word in of_below else _RLC.get(word, word))
    return found, f"this is written as {' '.join(found)} now"


def set_by_name(args: list[str]) -> Renewed:
    """Take ``--set speed_kmh=90`` as ``--speed-kmh 90``."""
    words = _split(args)
    found: list[str] = []
    for before, word in pairwise(["", *words]):
        if before == "--set":
            name, _, value = word.partition("=")
            found[-1:] = [f"--{name.replace('_', '-')}", value]
        else:
            found.append(word)
    return (args, None) if found == words else (found, "--set NAME=VALUE is written as --NAME VALUE now")


def _split(args: list[str]) -> list[str]:
    return [part for one in args for part in (one.split("=", 1) if one.startswith("--") else [one])]
