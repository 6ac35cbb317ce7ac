"""The fingerprint of settings: a hash of everything that they say about a result, in domain units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.provenance import digest
from tmt.spec.links import TraceLink
from tmt.spec.settings import values_of

if TYPE_CHECKING:
    from tmt.spec.links import Link
    from tmt.spec.settings import Settings


def fingerprint(settings: Settings, *contents: str) -> str:
    """Return a hash of settings and of their links' contents; names of files are not in it.

    Parameters
    ----------
    contents
        Hashes of the traces of forward and return link, and of the programs.
    """
    values = {f"{one.prefix}{one.name}": value for one, value in values_of(settings)}
    links = [_described(link) for link in (settings.forward_link, settings.return_link)]
    return digest(values, settings.proxy is not None, links, contents)


def _described(link: Link | None) -> dict[str, Any] | None:
    if link is None:
        return None
    if isinstance(link, TraceLink):
        scheme = None if link.scheme is None else link.scheme.describe()
        return {"lldu_bytes": link.lldu_bytes, "offset_ns": link.offset_ns, "scheme": scheme}
    return {"rate_bps": link.rate_bps}
