"""Backends: programs that carry experiments out. A new one is a package here and a line below."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from tmt.run.base import Backend

BACKENDS = {
    "ns2": "tmt.run.ns2",
    "linux": "tmt.run.linux",
    "emulate": "tmt.run.emulate",
}
"""Packages of the backends, each with its `BACKEND`, by the name that users type."""


def load_backend(name: str) -> Backend:
    """Return a backend; its package is imported only now."""
    backend: Backend = import_module(BACKENDS[name]).BACKEND
    return backend


def backend_name(stack: str, named: str | None = None) -> str:
    """Return the name of the backend that carries out experiments with a TCP stack.

    Raises
    ------
    UsageError
        When the backend that is `named` does not have the stack.
    """
    if named is None:
        return next(name for name in BACKENDS if stack in load_backend(name).stacks)
    if named not in BACKENDS:
        raise UsageError(f"backend is {named!r}; it must be one of {', '.join(BACKENDS)}")
    stacks = load_backend(named).stacks
    if stack not in stacks:
        raise UsageError(
            f"stack is {stack!r}, which backend {named} does not have; it has {', '.join(stacks)}"
        )
    return named
