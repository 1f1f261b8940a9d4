"""What a variable is where two paths meet: at the end of an if, at the head of a loop.

`meet` compares the values of a variable on the two paths and returns the shape (`shapes`) by which it crosses. Names
bound to different arrays on the two paths get a new cell; it is marked as possibly the same as every array that some
other name still holds, so that later writes are refused when they matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ..ir.types import Type, Var
from ..records import dataclass, field, replace
from .context import Context, describe
from .frame import CONTROL, RESULT, RETURNED, End
from .shapes import Anything, Array, Fixed, Many, Perhaps, Shape, Whole, common_number, contained, inside, is_number
from .values import (
    ArrayRef,
    Cell,
    Clash,
    Closure,
    DictRef,
    Grown,
    ListRef,
    Maybe,
    Method,
    ObjectRef,
    RangeValue,
    Ref,
    Scalar,
    Stale,
    Undefined,
    Value,
    Zipped,
    is_tuple,
)
from .views import layer_shape, view_atoms

Place: TypeAlias = str | Ref
Pair: TypeAlias = tuple[ArrayRef | None, ArrayRef | None]


@dataclass(slots=True)
class Side:
    """The state at the end of one path, and whether the path goes on from there."""

    names: dict[str, Value]
    store: dict[Ref, Any]
    end: End = End.OPEN
    loop_live: frozenset[str] = frozenset()

    def value(self, name: str) -> Value:
        value = self.names.get(name, Undefined())
        return Anything() if name == RESULT and isinstance(value, Undefined) else value

    def lost(self, name: str) -> bool:
        """Can nothing after the meeting point see this name as the path left it?"""
        if self.end is End.LEFT and name not in CONTROL:
            return self.names[RETURNED] is True or name not in self.loop_live
        return self.end is End.STOPPED


@dataclass(slots=True)
class Meeting:
    """The comparison of two states; `local` are the variables that only one of the paths knows."""

    c: Context
    left: Side
    right: Side
    local: Collection[Var] = ()
    pairs: list[Pair] = field(default_factory=list["Pair"])
    uses: Counter[int] = field(default_factory=Counter[int])

    def meet(self, x: Value, y: Value) -> Shape:
        """The shape of a variable that is `x` on the left path and `y` on the right one."""
        match x, y:
            case (Anything(), Anything()):
                return Fixed(Undefined())
            case (Clash(), _) | (_, Clash()):
                return Fixed(x if isinstance(x, Clash) else y)
            case (Undefined() | Maybe(), _) | (_, Undefined() | Maybe()):
                return self._perhaps(x, y)
            case _ if same(x, y):
                return Fixed(x)
            case (Anything(), bool() | int() | float()):
                return Fixed(y)
            case (bool() | int() | float(), Anything()):
                return Fixed(x)
            case (Anything(), ArrayRef()) if self._known(y, self.left):
                return Fixed(y)
            case (ArrayRef(), Anything()) if self._known(x, self.right):
                return Fixed(x)
            case (Anything() | ArrayRef(), Anything() | ArrayRef()):
                return self._arrays(x, y)
            case (Anything(), _) | (_, Anything()) if is_number(x) or is_number(y):
                return common_number(x, y)
            case _ if is_number(x) and is_number(y):
                return common_number(x, y)
            case _:
                return self._parts(x, y)

    def _perhaps(self, x: Value, y: Value) -> Shape:
        if isinstance(x, Undefined | Anything) and isinstance(y, Undefined | Anything):
            return Fixed(Undefined())
        if isinstance(x, Maybe) and isinstance(y, Maybe) and same(x.value, y.value) and x.defined == y.defined:
            return Fixed(x)
        inner = self.meet(inside(x), inside(y))
        return inner if isinstance(inner, Fixed) and isinstance(inner.value, Clash) else Perhaps(inner)

    def _known(self, array: ArrayRef, side: Side) -> bool:
        """Does an array exist on the other path too, so that it can be the same one on both?"""
        contents = side.store.get(array.cell)
        return isinstance(contents, Var) and not any(atom in self.local for atom in view_atoms(array.view))

    def _arrays(self, x: Value, y: Value) -> Shape:
        left, right = (v if isinstance(v, ArrayRef) else None for v in (x, y))
        known = right if left is None else left
        assert known is not None
        rank = self.c.rank(known)
        if left and right and (left.dtype is not right.dtype or rank != self.c.rank(right)):
            return Fixed(Clash(f"it is {describe(left)} on one path and {describe(right)} on another"))
        if (left, right) not in self.pairs:
            self.pairs.append((left, right))
        group = self.pairs.index((left, right))
        self.uses[group] += 1
        return Array(group, known.dtype, rank)

    def _parts(self, x: Value, y: Value) -> Shape:
        left, right = self._opened(x, self.left), self._opened(y, self.right)
        if left is None and right is None:
            return Fixed(y if isinstance(x, Anything) else x) if Anything() in (x, y) else _clash(x, y)
        if left is None and isinstance(x, Anything) and right:
            left = right[0], (x,) * len(right[1])
        if right is None and isinstance(y, Anything) and left:
            right = left[0], (y,) * len(left[1])
        if left is None or right is None or len(left[1]) != len(right[1]):
            if left is not None and right is not None and left[0] is right[0] is ListRef:
                return _lengths(len(left[1]), len(right[1]))
            return _clash(x, y)
        if isinstance(left[0], Grown) and isinstance(right[0], Grown):
            # Python numbers on one path and NumPy's on the other meet in NumPy's.
            weak = tuple(a and b for a, b in zip(left[0].weak, right[0].weak, strict=True))
            left, right = (replace(left[0], weak=weak), left[1]), (replace(right[0], weak=weak), right[1])
        if left[0] != right[0]:
            return _clash(x, y)
        return Many(left[0], tuple(self.meet(a, b) for a, b in zip(left[1], right[1], strict=True)))

    def _opened(self, value: Value, side: Side) -> tuple[Any, tuple[Value, ...]] | None:
        match value:
            case _ if is_tuple(value):
                return type(value), value
            case ListRef() if isinstance(grown := side.store[value], Grown):
                return (ListRef, _frame(grown)), (*grown.columns, grown.length)
            case Grown():
                return _frame(value), (*value.columns, value.length)
            case ListRef():
                return ListRef, side.store[value]
            case DictRef():
                return (DictRef, tuple(side.store[value])), tuple(side.store[value].values())
            case ObjectRef(cls):
                return (ObjectRef, cls, tuple(side.store[value])), tuple(side.store[value].values())
            case _:
                return None

    def places(self, names: Iterable[str]) -> dict[Place, Shape]:
        """The shapes of these names and of all contents of mutable objects that both paths know."""
        shapes: dict[Place, Shape] = {name: self._name(name) for name in names}
        for ref, contents in self.left.store.items():
            if ref in self.right.store and self.right.store[ref] is not contents:
                shapes[ref] = self._contents(ref, contents, self.right.store[ref])
        return shapes

    def _name(self, name: str) -> Shape:
        x, y = self.left.value(name), self.right.value(name)
        if not same(x, y):
            x = Anything() if self.left.lost(name) else x
            y = Anything() if self.right.lost(name) else y
        uses = Counter(self.uses)
        shape = self.meet(x, y)
        if name == RESULT:
            # What is returned is not read again before the function is left: it holds no array.
            self.uses = uses
        return shape

    def _contents(self, ref: Ref, x: Any, y: Any) -> Shape:
        if isinstance(ref, Cell):
            if isinstance(x, Stale) or isinstance(y, Stale):
                return Fixed(x if isinstance(x, Stale) else y)
            return Fixed(x) if x == y else Whole(ref)
        x = Anything() if self.left.end is End.STOPPED else x
        y = Anything() if self.right.end is End.STOPPED else y
        if isinstance(x, dict) and isinstance(y, dict):
            return self._fields(x, y)  # type: ignore[arg-type]
        if isinstance(ref, ListRef) and is_tuple(x) and is_tuple(y) and len(x) != len(y):
            return _lengths(len(x), len(y))
        return self.meet(x, y)

    def _fields(self, x: dict[Any, Value], y: dict[Any, Value]) -> Shape:
        if tuple(x) != tuple(y):
            return Fixed(Clash(f"its keys are {list(x)} on one path and {list(y)} on another"))
        return Many((dict, tuple(x)), tuple(self.meet(x[k], y[k]) for k in x))

    def type(self, group: int) -> Type:
        """The type of the arrays of a group, on the first path that has one."""
        known = next(ref for ref in self.pairs[group] if ref)
        return Type(known.dtype, self.c.shape(known))

    def cells(self, types: Mapping[int, Type], live: Collection[str]) -> dict[int, Cell]:
        """A new cell per pair of arrays, with the arrays it may be the same as."""
        if not types:
            return {}
        held = [_holders(self.c, side, live) for side in (self.left, self.right)]
        cells: dict[int, Cell] = {}
        for group, type in types.items():
            origins: set[Cell] = set()
            for count, ref in zip(held, self.pairs[group], strict=True):
                if ref is not None:
                    shared = count[ref.cell] > self.uses[group] or ref.view
                    origins |= {ref.cell, *ref.cell.origins} if shared else ref.cell.origins
            name = next((r.cell.name for r in self.pairs[group] if r and r.cell.name), "")
            cells[group] = Cell(type, name, frozenset(origins))
        return cells


def _holders(c: Context, side: Side, live: Collection[str]) -> Counter[Cell]:
    """How many names and objects hold each array."""
    found: Counter[Cell] = Counter(c.roots)
    values = [value for frame in c.frames[:-1] for value in frame.names.values()]
    values += [value for name, value in side.names.items() if name in live and name != RESULT]
    for value in values:
        found.update(ref.cell for ref in array_refs(value, side.store))
    return found


def array_refs(value: Value, store: Mapping[Ref, Any]) -> Iterator[ArrayRef]:
    """All arrays that a value holds."""
    match value:
        case ArrayRef():
            yield value
        case Maybe(inner):
            yield from array_refs(inner, store)
        case Zipped(_, parts):
            yield from array_refs(parts, store)
        case tuple() | ListRef() | DictRef() | ObjectRef():
            for item in contained(value, store):
                yield from array_refs(item, store)
                # The arrays in a list of run-time length are held by it too.
                if isinstance(value, ListRef) and isinstance(store[value], Grown) and isinstance(item, ArrayRef):
                    yield from (ArrayRef(origin) for origin in item.cell.origins)
        case _:
            pass


def same(x: Value, y: Value) -> bool:
    """Surely the same value?"""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    match x:
        case float():
            return repr(x) == repr(y)
        case _ if is_tuple(x):
            return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y, strict=True))
        case Closure():
            return x.node is y.node and x.scope == y.scope
        case (
            Scalar()
            | ArrayRef()
            | int()
            | str()
            | RangeValue()
            | Zipped()
            | Method()
            | Undefined()
            | Clash()
            | Fixed()
            | Grown()
        ):
            return bool(x == y)
        case _:
            return False


def kind(value: Value) -> object:
    """What of a value decides the types of what is computed from it; hashable."""
    match value:
        case Scalar(_, weak):
            return value.dtype, weak
        case ArrayRef(cell, view):
            return value.dtype, len(layer_shape(view[-1])) if view else cell.type.rank
        case _ if is_tuple(value):
            return type(value), tuple(kind(item) for item in value)
        case Closure(node):
            return node
        case Maybe(inner):
            return Maybe, kind(inner)
        case bool() | int() | float():
            return type(value), repr(value)
        case _:
            return id(value) if value.__hash__ is None else value


def _frame(grown: Grown) -> Grown:
    """What must agree of two lists of run-time length."""
    return replace(grown, columns=(), length=None)


def _lengths(x: int, y: int) -> Shape:
    return Fixed(Clash(f"it is a list of {x} on one path and a list of {y} on another"))


def _clash(x: Value, y: Value) -> Shape:
    return Fixed(Clash(f"it is {describe(x)} on one path and {describe(y)} on another"))
