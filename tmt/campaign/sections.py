"""The tables of a scenario file: their keys, types and bounds; times are seconds.

Keys of schemes and channels are those of their parameters, without ``_ns``, so that a scheme or a channel
that is added elsewhere can be named here at once.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from tmt.core.channels.registry import CHANNELS
from tmt.core.channels.snr import Snr
from tmt.core.parameters import declared
from tmt.core.schema import Packing  # noqa: TC001  (pydantic reads it)
from tmt.core.schemes.parameters import OnlineScheme
from tmt.core.schemes.registry import ALL_SCHEMES
from tmt.core.units import MAX_TIME_NS, NS_PER_S
from tmt.run import BACKENDS
from tmt.spec.links import MOST_RATE_BPS
from tmt.spec.settings import MAX_SEED, PARAMETERS
from tmt.spec.tcp import TCP_VARIANTS

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.core.parameters import Declared

Seconds = Annotated[float, Field(ge=0, lt=MAX_TIME_NS / NS_PER_S, allow_inf_nan=False)]
Start = Seconds | Literal["drawn"]
"""Start of runs in a trace: a time, or a place that the seed draws."""

PositiveSeconds = Annotated[float, Field(gt=0, lt=MAX_TIME_NS / NS_PER_S, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, lt=2**31)]
Rate = Annotated[float, Field(ge=1, le=MOST_RATE_BPS)]
Seed = Annotated[int, Field(ge=1, le=MAX_SEED)]
Tcp = Literal[TCP_VARIANTS]  # type: ignore[valid-type]


class Section(BaseModel):
    """A table whose keys are all known, each of the very type that is declared."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Grid(Section):
    """``[grid]``: TCP variants and seeds; each seed sees another piece of the channel."""

    tcp: Annotated[tuple[Tcp, ...], Field(min_length=1, strict=False)]
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, strict=False)]
    records: Annotated[tuple[Seed, ...], Field(strict=False)] = ()
    timeout: PositiveSeconds = 600.0
    max_runs: Count | None = None


class TraceFile(Section):
    """``[[trace]]`` with `file`: a PHY trace that exists, of which every `every`-th slot is this user's."""

    file: Annotated[str, Field(min_length=1)]
    lldu_bytes: Count | None = None
    packing: Packing | None = None
    every: Count = 1
    offset: Start | None = None
    label: str | None = None


def _parameter_keys(table: str) -> dict[str, Any]:
    """Return the keys of a table that are parameters of an experiment, with their types and defaults."""
    return {
        one.key: (_parameter_type(one), ... if one.is_required else _parameter_default(one))
        for one in PARAMETERS
        if one.parameter.table == table
    }


def _parameter_default(one: Declared) -> Any:
    """Return None for parameters of FECTCP only: a scenario that names one must have such flows."""
    return None if one.group == "coding" else one.default


def _parameter_type(one: Declared) -> Any:
    parameter = one.parameter
    kind: Any
    if parameter.choices:
        kind = Literal[parameter.choices]
    elif one.kind == "time":
        kind = PositiveSeconds if parameter.least else Seconds
    else:
        kind = {"int": int, "float": float, "str": str, "bool": bool}[one.kind]
        if parameter.least is not None:
            kind = Annotated[kind, Field(ge=parameter.least, le=parameter.most)]
    return kind if one.is_required else kind | None


class _LinkKeys(Section):
    return_link: Literal["plain", "unprotected", "protected"] = "plain"
    return_rate: Rate | None = None
    return_trace: Annotated[str, Field(min_length=1)] | None = None
    proxy: bool = False


class _TrafficKeys(Section):
    backend: Literal[tuple(BACKENDS)] | None = None  # type: ignore[valid-type]
    seeds: Seed | None = None


Link: Any = create_model("Link", __base__=_LinkKeys, **_parameter_keys("link"))
"""``[link]``: the path between sender and receiver."""

Wired: Any = create_model("Wired", __base__=Section, **_parameter_keys("wired"))
"""``[wired]``: a hop between the senders and the node before the link."""

ProxySection: Any = create_model("ProxySection", __base__=Section, **_parameter_keys("proxy"))
"""``[proxy]``: the proxy that splits connections, where ``[link]`` has ``proxy = true``."""

Traffic: Any = create_model("Traffic", __base__=_TrafficKeys, **_parameter_keys("traffic"))
"""``[[traffic]]``: the flows, their TCP stack and FECTCP's code."""


class GeneratedTrace(Section):
    """``[[trace]]`` with `channel`: a line of slots, or an existing trace, under a channel model.

    Every seed is another realisation of the channel, or one of `realisations`, which the seeds take in turn.
    """

    channel: str
    over: str | None = None
    rate: Rate | None = None
    share: Count | None = None
    decode_time: PositiveSeconds | None = None
    length: PositiveSeconds | None = None
    realisations: Count | None = None
    lldu_bytes: Count | None = None
    packing: Packing | None = None
    every: Count = 1
    offset: Start | None = None
    label: str | None = None


GENERATED_KEYS = frozenset(GeneratedTrace.model_fields)


class SchemeSection(Section):
    """``[[scheme]]``: its name; the sections made from `ALL_SCHEMES` add its parameters."""

    name: str
    online: bool = False


def _scheme_section(kind: type[Any]) -> type[BaseModel]:
    """Return the section of a scheme's parameters but the RTT, which the link gives."""
    keys = {key: value for key, value in _keys(kind).items() if key != "rtt"}
    return create_model(kind.__name__, __base__=SchemeSection, **keys)


def _channel_section(kind: type[Any]) -> type[BaseModel]:
    """Return the section of a channel's parameters; where it has profiles, one gives the absent values."""
    keys = _keys(kind)
    if kind.profiles:
        optional = {key: (of_type | None, None) for key, (of_type, _) in keys.items()}
        keys = {"profile": (str, next(iter(kind.profiles))), **optional}
    return create_model(kind.__name__, __base__=GeneratedTrace, **keys)


def _keys(kind: type[Any]) -> dict[str, Any]:
    """Return type and default of the key of each parameter; times lose their ``_ns``."""
    return {one.name.removesuffix("_ns"): (_key_type(kind, one), _key_default(one)) for one in fields(kind)}


def _key_type(kind: type[Any], field: Any) -> Any:
    """Return the type of a key from the parameter's declaration, or from the text of its type."""
    for one in declared(kind) if issubclass(kind, OnlineScheme) else ():
        if one.name == field.name:
            plain = _scheme_type(one)
            return plain | None if one.default is None else plain
    text = Seconds if field.name.endswith("_ns") else {"int": int, "float": float}[field.type.split()[0]]
    return text | None if "None" in field.type else text


def _key_default(field: Any) -> Any:
    """Return the default of a key, in seconds for times; ``...`` if it is required."""
    if field.default is MISSING:
        return ...
    return field.default / NS_PER_S if field.name.endswith("_ns") and field.default else field.default


def _scheme_type(one: Declared) -> Any:
    if one.parameter.choices:
        return Literal[one.parameter.choices]
    return Seconds if one.kind == "time" else {"int": int, "float": float}[one.kind]


SCHEME_SECTIONS = {name: _scheme_section(kind) for name, kind in ALL_SCHEMES.items()}
CHANNEL_SECTIONS = {
    name: _channel_section(kind)
    for name, kind in CHANNELS.items()
    if kind is not Snr  # its files would need paths of their own; a scenario names the trace that it made
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file, checked; lists inside its tables are expanded.

    Attributes
    ----------
    path
        The file; paths in it are relative to its folder.
    published
        Published values to show beside ours (`docs/report.md`), or None.
    traces
        `TraceFile`, or a section of `CHANNEL_SECTIONS`.
    schemes
        Sections of `SCHEME_SECTIONS`.
    wireds, proxies
        Empty without such a table.
    tune
        The table ``[tune]`` as it was read, empty without one; only `tmt tune` checks and uses it.
    """

    path: Path
    title: str
    description: str
    published: Path | None
    grid: Grid
    traces: tuple[Any, ...]
    schemes: tuple[Any, ...]
    links: tuple[Link, ...]
    traffics: tuple[Traffic, ...]
    wireds: tuple[Wired, ...] = ()
    proxies: tuple[ProxySection, ...] = ()
    tune: dict[str, Any] = field(default_factory=dict)

    def resolve(self, name: str) -> Path:
        """Return the path that `name` means in this file."""
        return self.path.parent / name

    def named_files(self) -> list[str]:
        """Return the names of the traces' files, as they stand in this file."""
        named = [section.file if isinstance(section, TraceFile) else section.over for section in self.traces]
        return [name for name in (*named, *(link.return_trace for link in self.links)) if name is not None]
