"""Declared values: checked, complete, frozen; and problems that say all that is wrong."""

import math
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from answers import cases

import tmt
from tmt import (
    Experiment,
    Path as LinkPath,
    PlainLink,
    Proxy,
    Refused,
    Scenario,
    Trace,
    TraceLink,
    Traffic,
    Tune,
    Wired,
)
from tmt.core.channels import CHANNELS
from tmt.core.declaration import Count, Param, Probability, Rules, Seconds, Spec, declared
from tmt.core.problems import Problem
from tmt.core.schemes import SCHEMES
from tmt.run.emulate import Emulation
from tmt.spec.points import one_of, plain, points


class Fruit(Spec):
    """Something to choose."""


class Apple(Fruit):
    """An apple."""

    name: ClassVar[str] = "apple"

    weight: Annotated[float, "weight", Param("g", 1, 1000)] = 150


class Pair(Fruit):
    """Two in one."""

    name: ClassVar[str] = "pair"

    first: Annotated[Fruit, "the first"]
    second: Annotated[Fruit | None, "the second", Param(absent="the first again")] = None

    def rules(self) -> Rules:
        """Refuse a heavy pair."""
        if isinstance(self.first, Apple) and self.first.weight > 500:
            yield ("first", "weight"), "at most 500 g in a pair", "is too heavy"


Fruit.choose_from(Apple, Pair)


class Basket(Spec):
    """Every kind of parameter."""

    fruit: Annotated[tuple[Fruit, ...], "what is in it", Param(is_axis=True)]
    count: Annotated[Count | None, "how many", Param(absent="one")] = None
    share: Annotated[Probability, "share"] = 0.5
    wait: Annotated[Seconds, "time"] = 0
    ripe: Annotated[bool, "whether ripe"] = True
    colour: Annotated[Literal["red", "green"], "colour"] = "red"
    start: Annotated[Seconds | Literal["drawn"], "start"] = "drawn"
    label: Annotated[str | None, "label"] = None
    file: Annotated[str | None, "file", Param(is_path=True)] = None
    days: Annotated[Count | tuple[Count, ...], "days"] = 1
    notes: Annotated[tuple[str, ...], "notes"] = ()


APPLE = Apple()


def basket(**values: Any) -> Basket:
    return Basket(**{"fruit": (APPLE,)} | values)


def problems(make: Any) -> list[Problem]:
    with pytest.raises(Refused) as refused:
        make()
    return list(refused.value.problems)


@pytest.mark.parametrize(
    ("key", "given", "kept"),
    [
        ("count", np.int64(3), 3),
        ("share", 1, 1.0),
        ("share", np.float32(0.5), 0.5),
        ("wait", 0.1 + 0.2, 0.3),
        ("wait", 1e-10, 0.0),
        ("ripe", np.bool_(False), False),
        ("start", "drawn", "drawn"),
        ("start", 7, 7.0),
        ("file", Path("a/../b.csv"), "b.csv"),
        ("file", "s3://bucket/../b.csv", "s3://bucket/../b.csv"),
        ("days", [1, 2], (1, 2)),
        ("days", 4, 4),
        ("notes", ["a"], ("a",)),
        ("notes", "a", ("a",)),
        ("count", None, None),
    ],
)
def test_value__is_kept_in_one_form(key: str, given: Any, kept: Any) -> None:
    found = getattr(basket(**{key: given}), key)
    assert found == kept
    assert type(found) is type(kept)


@cases(__file__, "refused_baskets.txt")
def test_value__is_refused_with_what_is_allowed(case: list[str]) -> None:
    values, line = case
    with pytest.raises(Refused) as refused:
        basket(**eval(f"dict({values})", {"APPLE": APPLE, "math": math}))
    assert str(refused.value) == line


def test_refusal__says_all_that_is_wrong_and_survives_a_pickle() -> None:
    with pytest.raises(Refused) as refused:
        basket(count=0, share=2, notes=(1,))
    again = pickle.loads(pickle.dumps(refused.value))
    assert again.problems == refused.value.problems
    assert [one.place for one in again.problems] == [("count",), ("share",), ("notes", 0)]
    assert len(str(again).splitlines()) == 3


def test_rule__sees_only_values_that_are_allowed_and_says_why() -> None:
    (one,) = problems(lambda: Pair(Apple(600)))
    assert (one.place, one.value, one.kind) == (("first", "weight"), 600, "rule")
    assert str(one) == "600 is too heavy; allowed: at most 500 g in a pair"
    assert [one.kind for one in problems(lambda: Pair(Apple(600), 3))] == ["type"]


def test_object__is_frozen_hashed_by_value_and_shows_what_is_unusual() -> None:
    one = basket(count=3, fruit=(Pair(APPLE, Apple(2)),))
    assert one == basket(count=3, fruit=(Pair(Apple(150.0), Apple(2.0)),))
    assert len({one, replace(one, ripe=True)}) == 1
    assert one != replace(one, ripe=False)
    assert repr(one) == "Basket(fruit=(Pair(first=Apple(), second=Apple(weight=2.0)),), count=3)"
    assert eval(repr(one)) == one
    with pytest.raises(FrozenInstanceError):
        one.count = 4


def test_table__is_one_object_for_each_combination_of_its_lists() -> None:
    table = {"fruit": [{"name": ["apple"], "weight": [1, 2]}], "count": [1, "none"], "days": [[1, 2], 3]}
    found = points(Basket, table)
    assert len(found) == 4
    assert {one.count for one in found} == {1, None}
    assert {one.days for one in found} == {(1, 2), 3}
    assert all(one.fruit == (Apple(1), Apple(2)) for one in found)
    assert [one_of(Basket, plain(one)) for one in found] == found


@pytest.mark.parametrize(
    ("table", "place", "kind"),
    [
        ({"fruit": []}, ("fruit",), "range"),
        ({"fruit": [{"name": "apple"}, {"name": "aple"}]}, ("fruit", 1, "name"), "choice"),
        ({"fruit": {"name": "pair"}}, ("fruit", "first"), "missing"),
        (
            {"fruit": {"name": "pair", "first": {"name": "apple", "weight": [600, 2]}}},
            ("fruit", "first"),
            "rule",
        ),
        ({"fruit": [{"name": "apple"}] * 2}, ("fruit", 1), "rule"),
        ({"fruit": {"name": "apple"}, "share": [0.1, 0.1]}, ("share", 1), "repeated"),
        ({"fruit": {"name": "apple"}, "share": [0.1, 2]}, ("share", 1), "range"),
        ({"fruit": {"name": "apple"}, "share": [0.1, 0.2]}, ("share",), "type"),
        ({"fruit": {"name": "apple"}, "shore": 1}, ("shore",), "unknown"),
    ],
)
def test_table__is_refused_with_the_place(table: dict[str, Any], place: tuple[Any, ...], kind: str) -> None:
    (one,) = problems(lambda: one_of(Basket, table))
    assert one.place[: len(place)] == place
    assert one.kind == kind


OURS = [*SCHEMES.values(), *CHANNELS.values(), Trace, LinkPath, Wired, Proxy, Traffic, Tune, Scenario]
OURS += [PlainLink, TraceLink, Experiment, Emulation]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_class_of_ours__declares_every_parameter_completely(kind: type[Spec]) -> None:
    assert kind.__doc__
    for field in declared(kind).values():
        assert field.meaning, field.name
        assert not field.is_optional or field.is_nested or field.param.absent or field.name == "description"
        if field.kind in (int, float):
            assert math.isfinite(field.param.least + field.param.most), field.name


def test_public_values__can_be_held_printed_and_compared() -> None:
    made = tmt.Rlc(below=tmt.Arq(3), window_pdus=512)
    assert repr(made) == "Rlc(below=Arq(max_transmissions=3), window_pdus=512)"
    assert made == tmt.Rlc(tmt.Arq(3), window_pdus=512)
    internet = tmt.Lms(es_n0_db=7)
    assert repr(internet) == "Lms(es_n0_db=7.0)", "what the profile says is not said again"
    assert tmt.Lms(es_n0_db=7, speed_kmh=internet.speed_kmh) == internet
