"""Commands whose functions take objects of declared classes, each described by options.

For example::

    @click.command(cls=Values, values={"scheme": Scheme, "path": Path})
    def command(scheme: Scheme, path: Path) -> None: ...
"""

from __future__ import annotations

from contextlib import contextmanager
from difflib import get_close_matches
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import OutputPath
from tmt.cli.progress import say
from tmt.core.declaration import declared
from tmt.core.errors import UsageError
from tmt.core.problems import Refused, spelled
from tmt.core.schemes import SCHEMES
from tmt.spec import hints
from tmt.spec.option_types import ValueOption
from tmt.spec.options import Part, first_line, flag_of, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tmt.core.problems import Place
    from tmt.spec.options import Chosen

with imported_when_used():
    from tmt import io

Renewed = tuple[list[str], str | None]
"""Arguments in the present form, and a warning if they had an older one."""

CHOSEN, _OPTIONS = "tmt.chosen", "tmt.options"
"""Keys of click's `Context.meta`: the words after each option, and the options of the objects."""

REUSED = {"--queue"}
"""Old names of options that take a number; present options of the same name do not."""

_RLC = {"--rlc-mode": "--mode", "--rlc-window": "--window-pdus"}
"""Options of version 0.2 that `flat_rlc` renames."""


class Values(click.Command):
    """A command whose function takes objects.

    Each of `values` is a class, ``Class | None``, ``tuple[Class, ...]`` or a `Part`. Old names of options
    work, and a warning gives the new ones in `renamed`; `renew` translates calls for which new names are not
    enough. An `OutputPath` may be no file that another parameter names.
    """

    def __init__(
        self,
        *arguments: Any,
        values: Mapping[str, Any] | None = None,
        renamed: Mapping[str, str] | None = None,
        renew: Callable[[list[str]], Renewed] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*arguments, **attributes)
        self.parts = [
            hint if isinstance(hint, Part) else Part.of(key, hint) for key, hint in (values or {}).items()
        ]
        self.renamed, self.renew = dict(renamed or {}), renew

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the chosen classes before their options are known."""
        end = args.index("--") if "--" in args else len(args)
        own = [self._new_name(one, after, ctx) for one, after in pairwise([*args[:end], ""])]
        rest = args[end:]
        if self.renew is not None:
            own, warning = self.renew(own)
            _warn(ctx, warning)
        args = own + rest
        ctx.meta[CHOSEN] = self.chosen(own)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self.no_such_option(ctx, error) from None

    def chosen(self, args: list[str]) -> Chosen:
        """Return the words after each option."""
        found: Chosen = {}
        for flag, word in pairwise(_words(args)):
            found.setdefault(flag, []).append(word)
        return found

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options of the objects, and the command's own parameters."""
        if _OPTIONS not in ctx.meta:
            ctx.meta[_OPTIONS] = [option for part in self.parts for option in self._options(ctx, part)]
        return [*ctx.meta[_OPTIONS], *super().get_params(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by class, with the classes to choose from; then the command's own."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            heading = param.heading if isinstance(param, ValueOption) else "Options"
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                groups.setdefault(heading, []).append(record)
        for part in self.parts:
            if part.is_choice and not part.kinds(ctx.meta.get(CHOSEN, {})):
                rows = [(f"  {name}", first_line(kind)) for name, kind in part.choices.items()]
                groups[part.heading(part.family)] += rows
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Create the objects; each refused value gives one line."""
        options = [one for one in self.get_params(ctx) if isinstance(one, ValueOption)]
        given = {option.place: option.typed(ctx.params.pop(str(option.name))) for option in options}
        self._keep_inputs(ctx, [given[option.place] for option in options if option.names_files])
        lines = []
        for part in self.parts:
            try:
                ctx.params[str(part.place[0])] = part.value(given, ctx.meta[CHOSEN])
            except Refused as refused:
                lines += part.complaints(refused.problems, ctx.meta[CHOSEN])
        if lines:
            raise UsageError("\n".join(lines))
        return super().invoke(ctx)

    def _keep_inputs(self, ctx: click.Context, sources: list[Any]) -> None:
        """Refuse to write over a file that the command reads: one of `sources`, or of its own parameters."""
        outputs: list[Any] = []
        for one in self.params:
            if isinstance(one.type, click.Path):
                files = outputs if isinstance(one.type, OutputPath) else sources
                files.append(ctx.params[str(one.name)])
        for output in _each(outputs):
            io.atomic.check_not_source(output, *_each(sources))

    def _options(self, ctx: click.Context, part: Part) -> list[ValueOption]:
        try:
            return list(part.options(ctx.meta.get(CHOSEN, {})))
        except Refused as refused:
            if ctx.resilient_parsing:
                return []
            lines = part.complaints(refused.problems, ctx.meta.get(CHOSEN, {}))
            raise UsageError("\n".join(lines)) from None

    def _new_name(self, argument: str, after: str, ctx: click.Context) -> str:
        flag, equals, value = argument.partition("=")
        is_number = (value or after)[:1].isdigit()
        if flag not in self.renamed or (flag in REUSED and not is_number):
            return argument
        _warn(ctx, f"{flag} is called {self.renamed[flag]} now")
        return f"{self.renamed[flag]}{equals}{value}"

    def no_such_option(self, ctx: click.Context, error: click.NoSuchOption) -> click.UsageError:
        """Return a hint: the classes that have the option, or the nearest option of another class."""
        wanted = error.option_name
        every = [one for part in self.parts for one in part.every()]
        having = [(part, name) for flag, part, name in every if flag == wanted]
        if not having:
            own = [flag for param in self.get_params(ctx) for flag in param.opts]
            near = get_close_matches(wanted, [*own, *(flag for flag, *_ in every)], 1)
            names = [name for flag, _, name in every if flag in near]
            if set(near) & set(own) or not names:
                return error
            return click.UsageError(f"{error.message} Did you mean {near[0]} of {listed(names)}?", ctx)
        part, names = having[0][0], [name for _, name in having]
        chosen = [kind.name for kind in part.kinds(ctx.meta[CHOSEN])]
        if not chosen:
            return click.UsageError(f"{wanted} needs {part.flag} {listed(names)}", ctx)
        below = f"--below-{wanted[2:]}"
        hint = f"; did you mean {below}?" if any(below in one.opts for one in self.get_params(ctx)) else ""
        reason = f"is an option of {listed(names)}, not of {listed(chosen)}{hint}"
        return click.UsageError(f"{wanted} {reason}", ctx)


def _each(values: list[Any]) -> Iterator[str | PathLike[str]]:
    """Yield the files of parameters that name one file, several, or none."""
    for value in values:
        yield from [value] if isinstance(value, str | PathLike) else value or ()


def _warn(ctx: click.Context, warning: str | None) -> None:
    if warning is not None and not ctx.resilient_parsing:
        say(f"warning: {warning}", err=True)


@contextmanager
def by_options(moved: Mapping[Place, Place | str] | None = None) -> Iterator[None]:
    """Name options in refusals of an object that a command makes from others.

    `moved` gives a part's place among the command's values, or the option that names it, if they differ.
    """
    try:
        yield
    except Refused as refused:
        lines = [f"{_flag(one.place, moved or {})}: {hints.told(one)}" for one in refused.problems]
        raise UsageError("\n".join(lines)) from None


def _flag(place: Place, moved: Mapping[Place, Place | str]) -> str:
    for inner, outer in moved.items():
        if place[: len(inner)] == inner:
            rest = place[len(inner) :]
            if not isinstance(outer, str):
                return flag_of((*outer, *rest))
            return outer if all(isinstance(part, int) for part in rest) else f"{outer} {spelled(rest)}"
    return flag_of(place)


def flat_rlc(flag: str, args: list[str]) -> Renewed:
    """Read ``FLAG rlc-over-harq --data 10`` as ``FLAG rlc --below harq --below-data 10``."""
    words = _words(args)
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
    """Read ``--set speed_kmh=90`` as ``--speed-kmh 90``."""
    words = _words(args)
    found: list[str] = []
    for before, word in pairwise(["", *words]):
        if before == "--set":
            name, _, value = word.partition("=")
            found[-1:] = [f"--{name.replace('_', '-')}", value]
        else:
            found.append(word)
    return (args, None) if found == words else (found, "--set NAME=VALUE is written as --NAME VALUE now")


def _words(args: list[str]) -> list[str]:
    """Return the arguments, ``--FLAG=VALUE`` as two of them."""
    return [part for one in args for part in (one.split("=", 1) if one.startswith("--") else [one])]
