"""Wrong command lines of `tmt emulate`: one line, exit status 2, and no packet is sent."""

from typing import Any

import pytest

from tmt import Path as LinkPath, PlainLink, Wired
from tmt.core.errors import UsageError
from tmt.run.emulate.emulation import Emulation


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"command": ()}, "command: .* a list with at least one value"),
        ({"mtu_bytes": 67}, "mtu_bytes: 67 is not allowed"),
        ({"path": LinkPath(rtt=0, wired=Wired(1e6))}, "path.wired: .* an emulation has none"),
        ({"sysctls": ("net.core.rmem_max",)}, r"sysctls\[0\]: .* allowed: net.NAME=VALUE"),
    ],
)
def test_emulation__refuses_what_is_not_allowed(given: dict[str, Any], words: str) -> None:
    good: dict[str, Any] = {"command": ("true",), "forward": PlainLink(1e6), "path": LinkPath(rtt=0)}
    with pytest.raises(UsageError, match=words):
        Emulation(**(good | given))
