"""Planted bugs: each takes one protection out of the product, and the simulation must notice."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tmt.campaign import link_traces, opening, pool, store
from tmt.campaign.pool import Answer, Pool
from tmt.campaign.store import Store
from tmt.campaign.system import System
from tmt.campaign.tasks import Task


def _granted(self: Store, key: str) -> bool:
    self._connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, self.engine))
    return True


def _unchecked(_trace: Path, facts: Path, *_: object) -> Any:
    return json.loads(facts.read_bytes())


_look, _settle = Pool._look, Pool._settle
_believed: dict[int, Task] = {}


def _looked(self: Pool) -> list[tuple[str, str]]:
    wrong = _look(self)
    present = self._workers.present()
    self._fit |= {address: present[address] for address, _ in wrong if address in present}
    return []


def _settled(self: Pool, answer: Answer) -> tuple[Task, Answer] | None:
    if answer.ticket in self._given:
        _believed[answer.ticket] = self._given[answer.ticket].task
    elif answer.ticket in _believed and answer.error is None:
        return _believed[answer.ticket], answer
    return _settle(self, answer)


def _patches(*patches: Any) -> Callable[[], AbstractContextManager[object]]:
    def planted() -> ExitStack:
        with ExitStack() as stack:
            for one in patches:
                stack.enter_context(one)
            return stack.pop_all()

    return planted


MUTATIONS = {
    "a claim is granted though another engine has it": _patches(patch.object(Store, "claim", _granted)),
    "a second attempt adds a second row": _patches(
        patch.object(opening, "SCHEMA", opening.SCHEMA.replace(", UNIQUE (key)", "")),
        patch.object(store, "REPLACED", "DELETE FROM runs WHERE 0"),
    ),
    "a late row is accepted": _patches(patch.object(store, "LATE", "SELECT 1 WHERE 0")),
    "a worker that shows another simulator is accepted": _patches(patch.object(Pool, "_look", _looked)),
    "an answer is believed unchecked": _patches(patch.object(pool, "belongs", lambda *_: True)),
    "an entry of the cache is believed unchecked": _patches(
        patch.object(link_traces, "_checked_facts", _unchecked)
    ),
    "a doubled answer counts twice": _patches(patch.object(Pool, "_settle", _settled)),
    "a living engine is taken for dead": _patches(patch.object(System, "is_held", lambda *_: False)),
    "a dead engine is taken for alive": _patches(patch.object(System, "is_held", lambda *_: True)),
    "a lost task is forgotten": _patches(patch.object(Pool, "_try_again", lambda *_: None)),
    "a silent worker is waited for": _patches(patch.object(Pool, "_silent", lambda _: [])),
    "workers are left at the end": _patches(patch.object(Pool, "close", lambda _: None)),
}
"""Functions that plant a bug as long as their context lasts."""
