"""Values of declared classes, drawn by Hypothesis from the declarations themselves."""

from typing import Any

from hypothesis import assume, strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tmt import Refused
from tmt.core.declaration import Field, Spec, declared

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp"]), min_size=1, max_size=8)
FILES = st.sampled_from(["phy.parquet", "in/a b.csv", "../up.parquet", "/far/away.parquet", 'q".parquet'])


@st.composite
def values(draw: DrawFn, family: type[Spec], without: frozenset[str] = frozenset()) -> Any:
    """Draw an object of one of a family's classes; keys that rules refuse are left out."""
    kind = draw(st.sampled_from([one for name, one in family.kinds().items() if name not in without]))
    given = {
        name: draw(value_of(field, without))
        for name, field in declared(kind).items()
        if field.is_required or draw(st.integers(0, 2)) == 0
    }
    for _ in range(8):
        try:
            return kind(**given)
        except Refused as refused:
            blamed = {str(one.place[0]) for one in refused.problems}
            asked = {name for name in blamed if declared(kind)[name].is_required or name not in given}
            given = {name: value for name, value in given.items() if name not in blamed - asked}
            given |= {name: draw(value_of(declared(kind)[name], without)) for name in asked}
    assume(False)
    return None


def value_of(field: Field, without: frozenset[str]) -> SearchStrategy[Any]:
    """Return what a field may have."""
    if field.is_nested:
        one: SearchStrategy[Any] = values(field.kind, without | ({"rlc"} if field.name == "below" else set()))
    elif field.kind is bool:
        one = st.booleans()
    elif field.kind is str:
        free = FILES if field.param.is_path else TEXTS
        one = st.sampled_from(field.choices) if field.choices else free
    elif field.kind is int:
        one = st.integers(max(field.param.least, -(2**63)), min(field.param.most, 2**63))
    else:
        least, most = max(field.param.least, -1e9), min(field.param.most, 1e9)
        one = st.floats(least, most) | st.sampled_from([0.1, 0.3, 1.0, 7.25]).filter(
            lambda number: least <= number <= most
        )
    if field.kind is not str and field.choices:
        one |= st.sampled_from(field.choices)
    if field.is_many:
        many = st.lists(one, min_size=1, max_size=3, unique=True).map(tuple)
        one = one | many if field.takes_one else many
    return one | st.none() if field.is_optional else one
