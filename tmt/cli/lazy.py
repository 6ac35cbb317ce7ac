"""Commands and modules that are imported at their first use, so that help answers at once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType


@contextmanager
def imported_when_used(*names: str) -> Iterator[None]:
    """Let a module of these names, or else of TMT or rich, run when its first attribute is asked for.

    The import of a module asks for an attribute of its package, a second import for one of the module itself.
    """
    finder = _Lazily(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Lazily:
    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as Python does, and put off its run; None for the others."""
        if fullname not in self._names if self._names else not fullname.startswith(("tmt.", "rich.")):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


class LazyGroup(click.Group):
    """A group that prints `lines`, a line for each command's name, and imports a called command by `find`."""

    def __init__(
        self,
        *,
        lines: Mapping[str, str],
        find: Callable[[str], click.Command],
        heading: str,
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._lines, self._find, self._heading = lines, find, heading

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order in which they were given."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, without numpy, which its help does not need; None for an unknown name."""
        with imported_when_used("numpy"):
            return self._find(cmd_name) if cmd_name in self._lines else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print the help if nothing follows the group's name."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names; a refusal suggests the nearest names."""
        name = args[0]
        if name not in self._lines and not name.startswith("-"):
            near = get_close_matches(name, self._lines)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(self._lines)}"
            ctx.fail(f"There is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lines."""
        with formatter.section(self._heading):
            formatter.write_dl(list(self._lines.items()))
