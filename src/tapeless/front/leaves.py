"""Values of the front end as trees of numbers and arrays: taken apart, put together, compared.

    take(c, value)          ->  the tree of its structure, and the atoms of its leaves in order
    make(c, tree, values)   ->  a value of this structure with other leaves
    matched(c, tree, value) ->  the leaves of a value that must have the structure and types of another

Structure is that of `tree` for arguments: tuples, named tuples, lists, dicts and dataclasses are taken apart, numbers
and arrays are the leaves, everything else stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..errors import DerivativeError
from ..ir.types import Atom, Type
from ..records import dataclass
from .captured import container
from .context import Context, describe
from .numpy.arguments import contents
from .values import ArrayRef, DictRef, ListRef, ObjectRef, Scalar, Value, is_tuple


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array; `weak` marks a Python number."""

    type: Type
    weak: bool = False

    @property
    def is_float(self) -> bool:
        return self.type.dtype.is_float


@dataclass(frozen=True, slots=True)
class Fixed:
    """Something that is neither: None, a function, a string."""

    value: Value


@dataclass(frozen=True, slots=True)
class Container:
    """A container: the class of its value, its keys or field names, its parts."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Tree, ...]


Tree: TypeAlias = Leaf | Fixed | Container


def take(c: Context, value: Value) -> tuple[Tree, list[Atom]]:
    """The structure of a value, and the atoms of its leaves; arrays are read now."""
    atoms: list[Atom] = []
    return _take(c, value, atoms), atoms


def _take(c: Context, value: Value, atoms: list[Atom]) -> Tree:
    match value:
        case Scalar() | bool() | int() | float():
            atoms.append(c.atom(value))
            return Leaf(atoms[-1].type, c.is_weak(value))
        case ArrayRef():
            atoms.append(c.read(value))
            return Leaf(atoms[-1].type)
        case ListRef() if c.grown(value) is not None:
            c.refuse(
                "a list whose length is known only at run time cannot be differentiated as it is",
                error=DerivativeError,
                why="a derivative has a place for each element of a list, while it is compiled",
                fix="make an array of it: return np.array(the_list), or pass an array",
            )
        case _:
            opened = opened_value(c, value)
            if opened is None:
                return Fixed(value)
            kind, keys, parts = opened
            return Container(kind, keys, tuple(_take(c, part, atoms) for part in parts))


def make(c: Context, tree: Tree, values: Iterator[Value]) -> Value:
    """A new value of this structure whose leaves are the given values, in order."""
    match tree:
        case Leaf():
            return next(values)
        case Fixed(value):
            return value
        case Container(kind, keys, parts):
            return container(c, kind, keys, [make(c, part, values) for part in parts])


def from_atoms(c: Context, tree: Tree, atoms: Sequence[Atom | None]) -> Value:
    """A new value of this structure with the given leaves, Python numbers where the tree has them; None stays None."""
    pairs = zip(leaves(tree), atoms, strict=True)
    return make(c, tree, iter([None if atom is None else c.fresh(atom, leaf.weak) for leaf, atom in pairs]))


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The leaves, in order."""
    match tree:
        case Leaf():
            yield tree
        case Container(parts=parts):
            for part in parts:
                yield from leaves(part)
        case Fixed():
            pass


def copied(c: Context, value: Value) -> Value:
    """The value with arrays and containers of its own, so that writing into it changes nothing else."""
    if isinstance(value, ArrayRef):
        return c.fresh(c.read(value))
    if isinstance(value, ListRef) and c.grown(value) is not None:
        return value
    opened = opened_value(c, value)
    if opened is None:
        return value
    kind, keys, parts = opened
    return container(c, kind, keys, [copied(c, part) for part in parts])


def matched(c: Context, tree: Tree, value: Value, what: str) -> list[Atom | None]:
    """The leaves of a tangent or cotangent (`what`) of a value with this structure.

    Each has exactly the type of its leaf: Python numbers are converted, sizes are compared at run time. What is not a
    float has none, whatever stands there.
    """
    pairs = _paired(c, tree, value, what)
    return [_fitted(c, leaf.type, item, what) if leaf.is_float else None for leaf, item in pairs]


def conformed(c: Context, tree: Tree, value: Value, what: str) -> list[Atom]:
    """All leaves of a value that must have the structure and types of another."""
    return [_fitted(c, leaf.type, item, what) for leaf, item in _paired(c, tree, value, what)]


def _paired(c: Context, tree: Tree, value: Value, what: str) -> Iterator[tuple[Leaf, Value]]:
    """The leaves of a tree with the parts of a value in their places."""
    match tree:
        case Fixed():
            pass
        case Leaf():
            yield tree, value
        case Container(kind, keys, parts):
            opened = opened_value(c, value)
            if opened is None or opened[:2] != (kind, keys) or len(opened[2]) != len(parts):
                c.refuse(
                    f"the {what} is {describe(value)} where {_words(tree)} is needed",
                    error=DerivativeError,
                    fix="give it the structure of the value it belongs to",
                )
            for part, item in zip(parts, opened[2], strict=True):
                yield from _paired(c, part, item, what)


def _fitted(c: Context, type: Type, value: Value, what: str) -> Atom:
    """A number or array as an atom of exactly this type."""
    numeric = c.is_array(value) or c.is_scalar(value)
    if not numeric or c.rank(value) != type.rank or not _fits(c, type, value):
        c.refuse(
            f"the {what} is {describe(value)} where {_words(Leaf(type))} is needed",
            error=DerivativeError,
            why="it has the type and shape of the value it belongs to",
        )
    if not type.is_array:
        return c.atom(value, type.dtype)
    for given, wanted in zip(c.shape(value), type.shape, strict=True):
        c.equal_sizes(given, wanted)
    return contents(c, value, type.dtype, type.shape)


def _fits(c: Context, type: Type, value: Value) -> bool:
    return c.dtype(value) is type.dtype or (c.is_weak(value) and type.dtype.is_float)


def _words(tree: Tree) -> str:
    match tree:
        case Leaf(Type(dtype, shape)):
            return f"a {len(shape)}-dimensional array of {dtype!r}" if shape else f"a number of type {dtype!r}"
        case Fixed(value):
            return describe(value)
        case Container(kind, _, parts):
            return f"a {kind.__name__} of {len(parts)}"


# -- containers -----------------------------------------------------------------------------------


def opened_value(c: Context, value: Value) -> tuple[Any, tuple[Any, ...], Sequence[Value]] | None:
    """The class, keys and parts of a container, or None for anything else."""
    match value:
        case ListRef():
            return list, (), c.held(value)
        case DictRef():
            contents = c.held(value)
            return dict, tuple(contents), tuple(contents.values())
        case ObjectRef(cls):
            contents = c.held(value)
            return cls, tuple(contents), tuple(contents.values())
        case _ if is_tuple(value):
            return type(value), getattr(value, "_fields", ()), value
        case _:
            return None
