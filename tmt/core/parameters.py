"""Declarations of parameters: unit, bounds, meaning and names of a setting stand once, beside its field.

A settings class annotates each field with its `Parameter`. Checks, options of the command line, keys of
scenario files, result columns, arguments of backends and tables of the documentation follow from that.
Fields whose names end in ``_ns`` are times: people type and read seconds, and columns end in ``_s``.
"""

import re
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_type_hints

from tmt.core.errors import UsageError
from tmt.core.units import MAX_TIME_NS

Kind = Literal["time", "int", "float", "str", "bool"]

_UNIT = re.compile("_(ns|packets|bps|bytes|segments)$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """Declaration of a setting.

    Attributes
    ----------
    meaning
        A noun phrase, or a clause with "whether" for a flag.
    unit
        Symbol of the unit; of times it is s.
    least, most
        Bounds, in the field's own unit; times have 0 and `MAX_TIME_NS` where nothing is said.
    choices
        Allowed words; empty where any is allowed, or a check of the class's own decides.
    flag
        Option of the command line, if that is not the field's name without unit; of a flag that can be on by
        default ``--on/--off``.
    table
        Table of a scenario file; empty where scenarios do not have the setting.
    key
        Its key there, if that is not the field's name without unit.
    absent
        Meaning of None.
    label
        Title of an axis, if that is not the field's name without unit.
    counts, null
        As in `tmt.spec.run_columns.ResultColumn`.
    """

    meaning: str
    unit: str = ""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    flag: str = ""
    table: str = ""
    key: str = ""
    absent: str = ""
    label: str = ""
    counts: str = ""
    null: str = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter with the field that it stands at.

    Attributes
    ----------
    group
        Field of `Settings` that holds the class with this field; empty for a field of `Settings` itself.
    prefix
        Beginning of the column's name.
    is_optional
        Whether the value may be None.
    """

    parameter: Parameter
    name: str
    kind: Kind
    default: Any
    group: str
    prefix: str
    is_optional: bool

    @property
    def column(self) -> str:
        """The result column, which is also the backends' name of the setting."""
        return self.prefix + (f"{self.name.removesuffix('_ns')}_s" if self.kind == "time" else self.name)

    @property
    def key(self) -> str:
        """The key in a scenario file."""
        return self.parameter.key or self.name.removesuffix("_ns")

    @property
    def unit(self) -> str:
        """The unit in which people read the value."""
        return "s" if self.kind == "time" else self.parameter.unit

    @property
    def is_required(self) -> bool:
        """Whether the field has no default."""
        return self.default is MISSING


@cache
def declared(
    settings: type[Any], *, group: str = "", prefix: str = "", **shared: str
) -> tuple[Declared, ...]:
    """Return the parameters that a settings class declares, in the order of its fields.

    `shared` are attributes of those parameters that do not have them by themselves.
    """
    hints = get_type_hints(settings, include_extras=True)
    found = []
    for field in fields(settings):
        parameter = _parameter(hints[field.name])
        if parameter is None:
            continue
        kind = _kind(field.name, hints[field.name])
        words = prefix + _UNIT.sub("", field.name)
        usual: dict[str, Any] = {
            **shared,
            "flag": f"--{words.replace('_', '-')}",
            "label": words.replace("_", " "),
        }
        if kind == "time":
            usual |= {"least": 0, "most": MAX_TIME_NS}
        absent = {name: value for name, value in usual.items() if not getattr(parameter, name)}
        parameter = replace(parameter, **absent)
        is_optional = NoneType in get_args(get_args(hints[field.name])[0])
        found.append(Declared(parameter, field.name, kind, field.default, group, prefix, is_optional))
    return tuple(found)


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Refuse a value that is no number from `least` to `most` (UsageError)."""
    # Written so that NaN is refused as well.
    if isinstance(value, bool) or not least <= value <= most:
        raise UsageError(
            f"{name.removesuffix('_ns')} is {value}; "
            f"it must be from {least:.15g} to {most:.15g}{' ns' * name.endswith('_ns')}"
        )


def check_bounds(settings: Any) -> None:
    """Refuse a value out of its parameter's bounds.

    Raises
    ------
    UsageError
        Naming the parameter, its value and the allowed values.
    """
    for one in declared(settings.__class__):
        value, least, most = getattr(settings, one.name), one.parameter.least, one.parameter.most
        if value is not None and least is not None and most is not None:
            check_range(one.name, value, least, most)


def _parameter(hint: Any) -> Parameter | None:
    return next((note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Parameter)), None)


def _kind(name: str, hint: Any) -> Kind:
    value = get_args(hint)[0]
    kind: Kind = next(kind for kind in get_args(value) or (value,) if kind is not NoneType).__name__
    return "time" if name.endswith("_ns") else kind
