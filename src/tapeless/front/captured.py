"""Free names of the user's functions: what they are bound to outside, read anew at each call.

Numbers and arrays that a function takes from its module or its closure become hidden parameters; functions, classes
and strings are constants of the specialisation, guarded by their getter. So are tuples of whole numbers, which are
tables: axes, offsets of neighbours, directions of a lattice. With these known, indices are known to be in range and
iterations to be independent. A captured integer that must be known while compiling (an axis, a size of a tuple) is
pinned: it stays a parameter, and the code holds only for this value.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from operator import getitem
from types import FunctionType, ModuleType
from typing import Any, cast

from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh
from ..passes.notes import Notes
from ..records import dataclass, field
from .context import Context
from .tree import Leaf, Node, Shared, Size, Spec, Static, flatten
from .values import ArrayRef, Cell, DictRef, ListRef, ObjectRef, Ref, Scalar, Undefined, Value

# Modules whose numbers are constants of nature rather than the user's settings.
_LIBRARIES = ("numpy", "math", "builtins", "tapeless", "scipy", "sys", "cmath")


@dataclass(slots=True)
class Captured:
    """A free name: `get` reads it, `spec` is what the code was made for; `pinned` when also its value matters."""

    label: str
    get: Callable[[], Any]
    spec: Spec
    pinned: int | None = None

    def holds(self) -> bool:
        """Is the code still right for what the name is bound to now?"""
        try:
            value = self.get()
        except (KeyError, ValueError, AttributeError):
            return False
        return spec_of(value, self.label) == self.spec and (self.pinned is None or value == self.pinned)

    def leaves(self) -> list[Any]:
        """The numbers and arrays to be passed: what the name is bound to now."""
        return [] if isinstance(self.spec, Static) else flatten(self.get())[1]


def spec_of(value: object, label: str) -> Spec:
    """What the code depends on when this value is captured."""
    spec, _ = flatten(value, where=f"captured name {label!r}")
    return Static(value) if is_table(value) else spec


def is_table(value: object) -> bool:
    """Is this a tuple of whole numbers and of such tuples?"""
    return type(value) is tuple and all(type(part) is int or is_table(part) for part in cast(tuple[object, ...], value))


class LateCaptureError(Exception):
    """An array or container of the caller's is first met inside a branch or loop, whose state ends with it.

    The function is then lowered again with this name captured at its beginning.
    """

    def __init__(self, key: object, label: str, get: Callable[[], Any]) -> None:
        super().__init__(label)
        self.key, self.label, self.get = key, label, get


@dataclass(slots=True)
class Parameters:
    """The parameters of the function being made, arguments first, then what was captured.

    `outermost` is the store outside all branches and loops; `notes` are decisions that were made while differentiating.
    """

    outermost: dict[Ref, Any]
    vars: list[Var] = field(default_factory=list[Var])
    cells: dict[Cell, int] = field(default_factory=dict[Cell, int])
    captured: list[Captured] = field(default_factory=list[Captured])
    seen: dict[object, Value] = field(default_factory=dict[object, Value])
    notes: Notes = field(default_factory=Notes)
    shared: dict[Shared, Var] = field(default_factory=dict[Shared, Var])

    def value(self, c: Context, spec: Spec, label: str) -> Value:
        """The value of a parameter tree, with new parameters for its leaves."""
        match spec:
            case Static(value):
                return value
            case Leaf():
                return self._leaf(c, spec, label)
            case Node(kind, keys, parts):
                names = [f"{label}_{k}" for k in (keys or range(len(parts)))]
                made: Value = container(c, kind, keys, [self.value(c, p, n) for p, n in zip(parts, names, strict=True)])
                if isinstance(made, ListRef | DictRef | ObjectRef):
                    c.external.add(made)
                return made

    def _leaf(self, c: Context, leaf: Leaf, label: str) -> Value:
        sizes = tuple(map(self._size, leaf.dims))
        for size in sizes:
            c.sizes.at_least_constant(size, 0)
        # A size of one would have been fixed.
        c.sizes.not_one.update(size for size in sizes if isinstance(size, Var))
        var = fresh(label if label.isidentifier() else "x", Type(leaf.dtype, sizes))
        self.vars.append(var)
        if not sizes:
            return Scalar(var, leaf.flavour == "python")
        cell = Cell(var.type, label)
        c.store[cell] = var
        self.cells[cell] = len(self.vars) - 1
        c.roots = (*c.roots, cell)
        return ArrayRef(cell)

    def _size(self, size: Size) -> Atom:
        match size:
            case None:
                return fresh("n", Type(I64))
            case Shared():
                return self.shared.setdefault(size, fresh("n", Type(I64)))
            case int():
                return i64(size)

    def capture(self, c: Context, key: object, label: str, get: Callable[[], Any]) -> Value:
        """The value of a free name, captured once."""
        if key not in self.seen:
            self.seen[key] = self._captured(c, key, label, get)
        return self.seen[key]

    def _captured(self, c: Context, key: object, label: str, get: Callable[[], Any]) -> Value:
        found = get()
        if isinstance(found, ModuleType) or getattr(builtins, label, None) is found:
            return found
        spec = spec_of(found, label)
        stored = isinstance(spec, Node) or (isinstance(spec, Leaf) and bool(spec.dims))
        if stored and c.store is not self.outermost:
            raise LateCaptureError(key, label, get)
        entry = Captured(label, get, spec)
        self.captured.append(entry)
        value = self.value(c, spec, label)
        if isinstance(value, Scalar) and isinstance(value.atom, Var) and isinstance(found, int):
            c.pins[value.atom] = lambda: _pin(entry, found)
        return value


def _pin(entry: Captured, value: int) -> int:
    entry.pinned = value
    return value


def container(c: Context, kind: Any, keys: tuple[Any, ...], parts: list[Value]) -> Value:
    """The value of a container with these parts."""
    if kind is list:
        return c.new_list(parts)
    if kind is dict:
        return c.new_object(DictRef(), dict(zip(keys, parts, strict=True)))
    if kind is tuple:
        return tuple(parts)
    if hasattr(kind, "_make"):
        return kind._make(parts)
    return c.new_object(ObjectRef(kind), dict(zip(keys, parts, strict=True)))


def scope_of(c: Context, function: FunctionType, *, internal: bool) -> Callable[[str], Value]:
    """Where a function's free names are looked up: its closure, its module, the builtins."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    names = function.__globals__

    def lookup(name: str) -> Value:
        if name in cells:
            cell = cells[name]
            return c.parameters.capture(c, id(cell), name, partial(getattr, cell, "cell_contents"))
        if name in names:
            if internal:
                return names[name]
            return c.parameters.capture(c, (id(names), name), name, partial(getitem, names, name))
        return getattr(builtins, name, Undefined())

    return lookup


def attribute_of(c: Context, owner: ModuleType | type, name: str) -> Value:
    """`module.name`, `cls.name`: a constant of a library, or something of the user's, read at each call."""
    home = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
    if home.split(".")[0] in _LIBRARIES:
        return getattr(owner, name)
    return c.parameters.capture(c, (id(owner), name), name, partial(getattr, owner, name))
