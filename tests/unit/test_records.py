"""Our own `dataclass` makes the classes that the standard library's makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from tapeless.records import dataclass, replace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float = 2.0
    label: str = field(default="p", compare=False)


@dataclass(slots=True)
class Bag:
    absent: str  # a name that the template of `__init__` uses itself
    items: list[int] = field(default_factory=list[int])
    names: dict[str, int] = field(default_factory=dict[str, int], repr=False)


@dataclass(frozen=True, slots=True)
class Solid(Point):
    z: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    value: int


@dataclass(frozen=True, slots=True)
class One:
    value: object


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(slots=True)
class Counted(Generic[T]):
    given: T
    made: int = 0

    def __post_init__(self) -> None:
        self.made += 1


@dataclass(frozen=True, slots=True)
class Table(Mapping[str, int]):
    rows: dict[str, int]

    def __getitem__(self, key: str) -> int:
        return self.rows[key]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Odd:
    """Its own equality: everything odd is alike."""

    value: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and self.value % 2 == other.value % 2

    def __hash__(self) -> int:
        return self.value % 2


def _standard(cls: type, **options: bool) -> Any:
    """The class that the standard library makes of the same fields."""
    parts = [(name, object, copy.copy(part)) for name, part in cls.__record_fields__.items()]  # type: ignore[attr-defined]
    return dataclasses.make_dataclass(cls.__name__, parts, slots=True, **options)


def test_arguments_defaults_and_factories() -> None:
    point = Point(1.0)
    assert (point.x, point.y, point.label) == (1.0, 2.0, "p")
    assert Point(label="q", y=5.0, x=4.0).y == 5.0
    first, second = Bag("a"), Bag("b", names={"k": 1})
    first.items.append(1)
    assert (first.absent, first.items, first.names) == ("a", [1], {})
    assert (second.absent, second.items, second.names) == ("b", [], {"k": 1})


@pytest.mark.parametrize(("args", "names"), [((), {}), ((1, 2, 3, 4), {}), ((1,), {"x": 1}), ((1,), {"w": 1})])
def test_wrong_arguments_are_refused_as_by_the_standard_library(args: tuple[int, ...], names: dict[str, int]) -> None:
    messages: list[str] = []
    for cls in (Point, _standard(Point, frozen=True)):
        with pytest.raises(TypeError) as refused:
            cls(*args, **names)
        messages.append(str(refused.value).split(".")[-1])
    assert messages[0] == messages[1]


def test_equality_and_hash_are_those_of_the_compared_fields() -> None:
    assert Point(1.0, label="a") == Point(1.0, label="b") != Point(2.0)
    assert hash(Point(1.0, label="a")) == hash(Point(1.0, label="b"))
    assert Point(1.0) != Solid(1.0)
    assert Same(1) != Same(1)
    assert One((1, 2)) == One((1, 2)) != One(3)
    nan = float("nan")
    assert One(nan) == One(nan)  # as tuples: the same object is equal to itself
    assert One(nan) != One(float("nan"))
    assert Nothing() == Nothing() != Point(1.0)
    assert len({Nothing(), Nothing()}) == 1
    assert Odd(1) == Odd(3)
    assert hash(Odd(5)) == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag("a"))


@pytest.mark.parametrize("record", [Point(1.0), Bag("a", [1]), Solid(1.0), Nothing(), One("x")])
def test_text_and_patterns_are_those_of_the_standard_library(record: Any) -> None:
    cls = type(record)
    twin = _standard(cls)(*[getattr(record, name) for name in cls.__match_args__])
    assert repr(record) == repr(twin)
    assert cls.__match_args__ == type(twin).__match_args__
    assert not hasattr(record, "__dict__")


def test_inherited_fields_come_first() -> None:
    solid = Solid(1.0, 5.0, "s", 7.0)
    assert (solid.x, solid.y, solid.label, solid.z) == (1.0, 5.0, "s", 7.0)
    match solid:
        case Solid(x, _, _, z):
            assert (x, z) == (1.0, 7.0)
    assert Solid.__slots__ == ("z",)
    assert isinstance(solid, Point)


def test_what_runs_afterwards_and_what_is_inherited_from_others() -> None:
    assert Counted("a", 3).made == 4
    assert Counted[int](1).made == 1
    assert dict(Table({"a": 1})) == {"a": 1}
    assert "a" in Table({"a": 1})


def test_replace_changes_some_fields() -> None:
    assert replace(Point(1.0, 4.0, "q"), x=3.0) == Point(3.0, 4.0)
    assert replace(Point(1.0, 4.0, "q"), x=3.0).label == "q"
    assert replace(_standard(Point)(1.0, 4.0), y=0.0).y == 0.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        replace(Point(1.0), w=1.0)


def test_copies_and_pickles() -> None:
    for record in (Point(1.0, label="q"), Bag("a", [1]), Solid(2.0)):
        for made in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert made == record
            assert repr(made) == repr(record)
