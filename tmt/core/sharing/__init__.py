"""Slots of a link that users share: a scheduler gives each slot to one of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

from tmt.core.declaration import Count, Param, Rules, Spec

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int64Array

MAX_USERS = 1000
"""Most users of a link."""

SEED_STEP = 2_000_000
"""Difference between the seeds of consecutive users' channels; it exceeds the seeds of return links."""

Users = Annotated[int, Param("", 1, MAX_USERS)]


class Allocation(Protocol):
    """The slots of a link, given to users in order, in pieces of any size."""

    def next(self, slots: int, rates: FloatArray | None = None) -> Int64Array:
        """Return the user of each of the next `slots` slots, from 0: [slots], int64.

        `rates` : [users, slots], float64, not negative, what each user's mode would carry in each slot;
        needed if the scheduler `uses_rates`. The result does not depend on the pieces.
        """


class Scheduler(Spec):
    """A rule that gives each slot of a link to one of its users."""

    uses_rates: ClassVar[bool] = False
    """Whether the rule uses what each user's mode would carry in the slot."""

    @abstractmethod
    def allocation(self, users: int) -> Allocation:
        """Start an allocation among users 0 to ``users - 1``."""

    def fault(self, users: int) -> tuple[str, str, str] | None:
        """Return the field that conflicts with a number of users, the allowed values, and why; or None."""
        del users
        return None

    @property
    def label(self) -> str:
        """The name, with parameters that differ from the defaults."""
        return self.name

    def describe(self) -> dict[str, Any]:
        """Return name and parameters in the form of a trace's metadata."""
        return {"name": self.name}


class RoundRobin(Scheduler):
    """Each user in turn: of n users, user k has the slots k, k + n, k + 2 n, and so on."""

    name: ClassVar[str] = "round-robin"

    def allocation(self, users: int) -> Allocation:
        """Start with user 0."""
        from tmt.core.sharing.allocations import InTurn  # noqa: PLC0415  (commands' help needs no numpy)

        return InTurn(users)


class Weighted(Scheduler):
    """Slots in proportion to weights, evenly spread: of any W slots, W their sum, weight w gets w.

    Before each slot every user's credit grows by its weight. The user with the largest credit, the first one
    of equals, gets the slot, and its credit falls by W. This is the smooth weighted round robin of the web
    server nginx; equal weights give `RoundRobin`.
    """

    name: ClassVar[str] = "weighted"

    weights: Annotated[
        tuple[Annotated[int, Param("", 1, 1_000_000)], ...], "weight of each user, in their order"
    ]

    def allocation(self, users: int) -> Allocation:
        """Start with equal credits."""
        from tmt.core.sharing.allocations import ByWeight  # noqa: PLC0415

        return ByWeight(self.weights)

    def fault(self, users: int) -> tuple[str, str, str] | None:
        """Refuse a number of weights that differs from the number of users."""
        if len(self.weights) == users:
            return None
        return "weights", f"one for each user, {users}", f"has {len(self.weights)} weights"

    @property
    def label(self) -> str:
        """``weighted 1:3``."""
        return f"{self.name} {':'.join(map(str, self.weights))}"

    def describe(self) -> dict[str, Any]:
        """Return name and weights."""
        return {"name": self.name, "weights": list(self.weights)}


class ProportionalFair(Scheduler):
    """The slot goes to the user with the largest ratio of its rate in the slot to its own mean rate.

    The mean is exponential over `averaging_slots` slots and counts 0 in other users' slots, as in Jalali,
    Padovani and Pankaj (IEEE VTC 2000). A user without a mean comes first. Of equals the first one gets the
    slot.
    """

    name: ClassVar[str] = "proportional-fair"
    uses_rates: ClassVar[bool] = True

    averaging_slots: Annotated[Count, "slots over which a user's rate is averaged", Param("slots")] = 1000

    def allocation(self, users: int) -> Allocation:
        """Start without means."""
        from tmt.core.sharing.allocations import ByRate  # noqa: PLC0415

        return ByRate(users, self.averaging_slots)

    @property
    def label(self) -> str:
        """``proportional-fair``, with the averaging time if it differs from the default."""
        return f"{self.name} over {self.averaging_slots} slots" if self.said() else self.name

    def describe(self) -> dict[str, Any]:
        """Return name and averaging time."""
        return {"name": self.name, "averaging_slots": self.averaging_slots}


SCHEDULERS: dict[str, type[Scheduler]] = Scheduler.choose_from(RoundRobin, ProportionalFair, Weighted)
"""Every scheduler by its name on the command line and in scenarios."""


class Sharing(Spec):
    """Generated slots that users share, and the user whose slots the trace holds.

    Each user's channel has its own realisation.
    """

    users: Annotated[Users, "users of the line, each with a realisation of its own of the channel"]
    user: Annotated[
        Users | Literal["all"],
        "the user whose slots the trace has, from 1; all: a run has all users, and a slot goes, at its time, "
        "to one who has something to send",
    ] = 1
    scheduler: Annotated[Scheduler, "rule that gives each slot to a user"] = RoundRobin()

    def rules(self) -> Rules:
        """Refuse an unknown user, and a scheduler for another number of users."""
        if isinstance(self.user, int) and self.user > self.users:
            yield "user", f"up to users, {self.users}"
        if (fault := self.scheduler.fault(self.users)) is not None:
            field, *rest = fault
            yield ("scheduler", field), *rest  # type: ignore[misc]

    @property
    def is_one_run(self) -> bool:
        """Whether all users are in one run, in which each has the trace of a user who is alone."""
        return self.user == "all"

    @property
    def own_user(self) -> int:
        """The user whose slots the trace has."""
        assert isinstance(self.user, int), "all users are in one run"
        return self.user

    @property
    def label(self) -> str:
        """``user 1 of 4, round-robin``, or ``all 4 users, round-robin``."""
        who = f"all {self.users} users" if self.is_one_run else f"user {self.user} of {self.users}"
        return f"{who}, {self.scheduler.label}"

    def seed_of(self, user: int, seed: int) -> int:
        """Return the seed of a user's channel; the first user has the seed of the link."""
        return seed + SEED_STEP * (user - 1)

    def own_slots(self) -> OwnSlots:
        """Start with the link's first slot."""
        return OwnSlots(self)

    def describe(self) -> dict[str, Any]:
        """Return the parameters in the form of a trace's metadata."""
        return {"users": self.users, "user": self.user, "scheduler": self.scheduler.describe()}


class OwnSlots:
    """The slots of one user of a link, in pieces of any size."""

    def __init__(self, sharing: Sharing) -> None:
        self._user, self._allocation = sharing.own_user - 1, sharing.scheduler.allocation(sharing.users)

    def of(self, slots: int, rates: FloatArray | None = None) -> BoolArray:
        """Return which of the next `slots` slots are the user's own: [slots], bool; see `Allocation`."""
        own: BoolArray = self._allocation.next(slots, rates) == self._user
        return own
