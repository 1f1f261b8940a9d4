"""How a value crosses from one block to another: the shapes of crossings, and both directions.

A *shape* is the recipe by which a variable crosses: not at all (`Fixed`, it is the same on both sides), as a number, as
an array, piecewise (`Many`), or with a flag that says whether it exists (`Perhaps`). `flatten` turns a value into the
atoms its shape asks for, `build` makes the value on the other side from variables again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ..ir.build import Builder
from ..ir.types import BOOL, Atom, DType, Type, boolean, i64, zero
from ..records import dataclass, replace
from .context import Context
from .promote import promote
from .values import ArrayRef, Cell, DictRef, Grown, ListRef, Maybe, ObjectRef, Ref, Scalar, Undefined, Value


@dataclass(frozen=True, slots=True)
class Anything:
    """The value on a path that never gets here: any other will do."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same on both paths."""

    value: Value


@dataclass(frozen=True, slots=True)
class Number:
    dtype: DType
    weak: bool


@dataclass(frozen=True, slots=True)
class Whole:
    """The contents of a cell that both paths know."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Array:
    """Different arrays on the two paths; equal `group`s are the same pair of arrays."""

    group: int
    dtype: DType
    rank: int


@dataclass(frozen=True, slots=True)
class Many:
    """A tuple, list, dict or object, part by part; `make` is its constructor from the parts."""

    kind: Any
    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A value that exists when a flag holds."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Late:
    """A value that a counted loop's body always sets before reading: it exists when the body ran at all."""

    shape: Shape


Shape: TypeAlias = Fixed | Number | Whole | Array | Many | Perhaps | Late


def flatten(c: Context, value: Value, shape: Shape, done: set[int], filler: Callable[[Array], Atom]) -> Iterator[Atom]:
    """The atoms of a value that its shape asks for; each group of arrays once. Emits into the current block."""
    match shape:
        case Fixed():
            return
        case Number(dtype):
            yield zero(dtype) if isinstance(value, Anything | Undefined) else c.atom(value, dtype)
        case Whole():
            yield value
        case Array(group):
            if group not in done:
                done.add(group)
                yield c.read(value) if isinstance(value, ArrayRef) else filler(shape)
        case Perhaps(inner):
            yield from flatten(c, inside(value), inner, done, filler)
            yield _defined(value)
        case Late(inner):
            yield from flatten(c, inside(value), inner, done, filler)
        case Many(_, parts):
            items = _items(c, value, len(parts))
            for item, part in zip(items, parts, strict=True):
                yield from flatten(c, item, part, done, filler)


def build(c: Context, shape: Shape, atoms: Iterator[Atom], cells: Mapping[int, Cell], done: set[int]) -> Value:
    """The merged value from the variables that carry it, in the order of `flatten`."""
    match shape:
        case Fixed(value):
            return value
        case Number(_, weak):
            return Scalar(next(atoms), weak)
        case Whole():
            return next(atoms)
        case Array(group):
            if group not in done:
                done.add(group)
                c.store[cells[group]] = next(atoms)
            return ArrayRef(cells[group])
        case Perhaps(inner):
            value = build(c, inner, atoms, cells, done)
            return Maybe(value, next(atoms))
        case Late(inner):
            return build(c, inner, atoms, cells, done)
        case Many(kind, parts):
            return _assemble(c, kind, [build(c, part, atoms, cells, done) for part in parts])


def _assemble(c: Context, kind: Any, parts: list[Value]) -> Value:
    match kind:
        case type() if kind is ListRef:
            return c.new_list(parts)
        case Grown():
            return replace(kind, columns=tuple(parts[:-1]), length=parts[-1])
        case (first, Grown() as kind) if first is ListRef:
            return c.new_list(_assemble(c, kind, parts))
        case type():
            return tuple(parts) if kind is tuple else kind._make(parts)  # type: ignore[attr-defined]
        case (first, keys) if first is dict:
            return dict(zip(keys, parts, strict=True))
        case (first, keys) if first is DictRef:
            return c.new_object(DictRef(), dict(zip(keys, parts, strict=True)))
        case (_, cls, keys):
            return c.new_object(ObjectRef(cls), dict(zip(keys, parts, strict=True)))
        case _:
            raise AssertionError(kind)


def _items(c: Context, value: Value, count: int) -> Iterable[Value]:
    if isinstance(value, Anything | Undefined):
        return (Anything(),) * count
    return contained(value, c.store)


def contained(value: Any, store: Mapping[Ref, Any]) -> Iterable[Value]:
    """The parts of a container or of the contents of one."""
    contents = store.get(value, value) if isinstance(value, ListRef | DictRef | ObjectRef) else value
    if isinstance(contents, Grown):
        return *contents.columns, contents.length
    return contents.values() if hasattr(contents, "values") else contents


def leaves(shapes: Iterable[Shape]) -> Iterator[Number | Whole | Array]:
    """What crosses, in the order of `flatten`."""
    done: set[int] = set()
    todo = list(shapes)[::-1]
    while todo:
        match shape := todo.pop():
            case Number() | Whole():
                yield shape
            case Array(group):
                if group not in done:
                    done.add(group)
                    yield shape
            case Perhaps(inner):
                todo += [Number(BOOL, True), inner]
            case Late(inner):
                todo.append(inner)
            case Many(_, parts):
                todo += parts[::-1]
            case Fixed():
                pass


def filling(b: Callable[[], Builder], types: Mapping[int, Type], local: Collection[Atom]) -> Callable[[Array], Atom]:
    """Makes the arrays of paths that never get here: empty where the size is not known outside."""

    def make(shape: Array) -> Atom:
        sizes = (i64(0) if n in local else n for n in types[shape.group].shape)
        return b().apply("replicate", zero(shape.dtype), *sizes)

    return make


def widest(old: Shape | None, new: Shape) -> Shape:
    """The shape that can carry what either can: between two trials of a loop, types only grow."""
    match old, new:
        case (Number(), Number()):
            return common_number(old, new)
        case (Number(), Fixed(value)) if is_number(value):
            return common_number(old, value)
        case (Perhaps(x), Perhaps(y)):
            return Perhaps(widest(x, y))
        case (Late(x), Late(y)):
            return Late(widest(x, y))
        case (Many(kind, left), Many(other, right)) if kind == other:
            return Many(kind, tuple(widest(a, b) for a, b in zip(left, right, strict=True)))
        case _:
            return new


def common_number(x: Value, y: Value) -> Number:
    """The type that holds two numbers, or the one that is there."""
    known = [v for v in (x, y) if not isinstance(v, Anything)]
    weak = [number_shape(v) for v in known]
    strong = [n.dtype for n in weak if not n.weak]
    return Number(promote(strong, [n.dtype for n in weak if n.weak]), not strong)


def number_shape(value: Value) -> Number:
    """The shape of a number by itself."""
    match value:
        case Number():
            return value
        case Scalar(_, weak):
            return Number(value.dtype, weak)
        case bool():
            return Number(BOOL, True)
        case int():
            return Number(DType.I64, True)
        case _:
            return Number(DType.F64, True)


def is_number(value: Value) -> bool:
    return isinstance(value, Scalar | Number | bool | int | float)


def inside(value: Value) -> Value:
    """The value that exists perhaps."""
    match value:
        case Maybe(inner):
            return inner
        case Undefined():
            return Anything()
        case _:
            return value


def _defined(value: Value) -> Atom:
    match value:
        case Maybe(_, defined):
            return defined
        case _:
            return boolean(not isinstance(value, Undefined | Anything))
