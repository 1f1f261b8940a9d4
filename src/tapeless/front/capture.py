"""The front end's door: a call's arguments become a specialisation, a specialisation an IR function.

    specialise(f, args, kwargs)  ->  Call: the specs of the parameters (the key) and the leaves to pass
    lower(f, specs)              ->  Lowered: the IR function, the structure of its result, what it captured

The parameters of the IR function are the leaves of the arguments in order, then those of the captured values. Its
results are the leaves of the result, then the final contents of each array parameter that was written (`donated`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeAlias

from ..errors import CallError, Place
from ..ir.core import Function
from ..ir.types import Atom
from ..passes.notes import Notes
from ..records import dataclass
from . import (
    attributes,
    builtin_values,
    calls,
    comprehensions,
    conditions,
    expressions,
    fence,
    for_while,
    regions,
    statements,
)
from .annotations import ArrayType
from .captured import Captured, LateCaptureError, Parameters
from .context import Context
from .control import PathEndsError
from .fields import Field, assigned_fields, objects_in
from .numpy import library
from .rows import span_of
from .shared_sizes import SMALL, share
from .source import source_of
from .tree import Out, OutArgument, OutLeaf, OutNode, OutStatic, Rows, Spec, flatten
from .values import ArrayRef, Closure, DictRef, Grown, ListRef, ObjectRef, Scalar, SliceValue, Value, is_tuple

Specs: TypeAlias = tuple[tuple[str, Spec], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call: specs per parameter (hashable, the key of the specialisation), leaves, and as given.

    `apart` are the specs without what they say about equal sizes; `known` those with small sizes fixed, if there are
    any that are not, and `open` those without, if they are.
    """

    specs: Specs
    apart: Specs
    leaves: tuple[Any, ...]
    values: tuple[Any, ...]
    known: Specs | None = None
    open: Specs | None = None


@dataclass(frozen=True, slots=True)
class Lowered:
    """An IR function and how to call it.

    Where it assigns `fields` of its arguments, `out` is a tuple: the result, and then what they become.
    """

    function: Function
    out: Out
    captured: tuple[Captured, ...]
    notes: Notes
    fields: tuple[Field, ...] = ()

    def still_holds(self) -> bool:
        """Are the captured names bound to values that this code was made for?"""
        return all(entry.holds() for entry in self.captured)

    def hidden_leaves(self) -> list[Any]:
        """The captured numbers and arrays as they are now, to be passed after the arguments."""
        return [leaf for entry in self.captured for leaf in entry.leaves()]


def specialise(
    function: FunctionType, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, static_shapes: bool = False
) -> Call:
    """Bind and flatten the arguments of a call; annotations refine the specs."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise CallError(f"{function.__name__}: {error}") from None
    bound.apply_defaults()
    annotations = _annotations(function)
    specs: dict[str, Spec] = {}
    leaves: list[Any] = []
    for name, value in bound.arguments.items():
        spec, found = flatten(value, fixed=static_shapes, where=f"argument {name!r}")
        wanted = annotations.get(name)
        if wanted is not None:
            spec = wanted.refine(name, spec, getattr(value, "shape", ()), _place_of(function, name))
        specs[name] = spec
        leaves += found
    shared = known = share(list(specs.values()), leaves)
    if any(0 < size <= SMALL for leaf in leaves for size in getattr(leaf, "shape", ())):
        known = share(list(specs.values()), leaves, known=True)
    return Call(
        tuple(zip(specs, shared, strict=True)), tuple(specs.items()), tuple(leaves), tuple(bound.arguments.values()),
        tuple(zip(specs, known, strict=True)) if known != shared else None,
    )  # fmt: skip


def lower(
    function: FunctionType, specs: Specs, target: Value = None, orders: int = 0, *, asks: bool = False
) -> Lowered:
    """The IR of a function for arguments of these specs, or of a `target` that is called with its parameters.

    `orders` is how often it will be differentiated: functions with rules of their own keep them so long. With `asks`
    it may raise `KnownSizesWanted`.
    """
    early: list[LateCaptureError] = []
    while True:
        try:
            return _lower(function, specs, early, target, orders, asks)
        except LateCaptureError as late:
            early.append(late)


def _lower(
    function: FunctionType,
    specs: Specs,
    early: list[LateCaptureError],
    target: Value,
    orders: int,
    asks: bool,
) -> Lowered:
    c = Context(calls.call)
    c.orders, c.asks = orders, asks
    parameters = c.parameters = Parameters(c.store)
    closure = calls.closure_of(c, function)
    c.b.pos = c.position_in(closure, closure.node)
    arguments = {name: parameters.value(c, spec, name) for name, spec in specs}
    c.objects = tuple(objects_in(c, tuple(arguments.values())))
    before = [c.held(ref) for ref in c.objects]
    for name in early:
        parameters.capture(c, name.key, name.label, name.get)
    try:
        args, kwargs = _call(c, closure, arguments)
        result = c.call(closure if target is None else target, args, kwargs)
    except PathEndsError:
        result = None
    return _finish(c, function.__name__ if target is None else target.name, result, before)


def _call(c: Context, closure: Closure, arguments: dict[str, Value]) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """The arguments by Python's calling rules: starred parameters are taken apart again."""
    spec = closure.node.args
    positional = tuple(arguments.pop(a.arg) for a in (*spec.posonlyargs, *spec.args))
    if spec.vararg:
        positional += arguments.pop(spec.vararg.arg)
    if spec.kwarg:
        arguments |= c.held(arguments.pop(spec.kwarg.arg))
    return positional, arguments


def _finish(c: Context, name: str, result: Value, before: list[dict[str, Value]]) -> Lowered:
    """Take the result apart, add what assigned fields become, and the final contents of written parameters."""
    parameters = c.parameters
    outputs = _Outputs(c, parameters)
    out = outputs.take(result)
    fields, values = assigned_fields(c, before)
    if fields:
        out = OutNode(tuple, (), (out, *map(outputs.take, values)))
    donated: list[tuple[int, int]] = []
    for cell, index in parameters.cells.items():
        if c.store[cell] is not parameters.vars[index]:
            donated.append((index, len(outputs.results)))
            outputs.results.append(c.contents(cell))
    body = c.b.block(outputs.results)
    function = Function(name, tuple(parameters.vars), body, tuple(donated))
    return Lowered(function, out, tuple(parameters.captured), parameters.notes, fields)


class _Outputs:
    """Collects the results of the function while taking its value apart."""

    def __init__(self, c: Context, parameters: Parameters) -> None:
        self.c, self.parameters = c, parameters
        self.results: list[Atom] = []
        self.arrays: dict[ArrayRef, Out] = {}

    def take(self, value: Value) -> Out:
        c = self.c
        match value:
            case Scalar(atom, weak):
                return self._leaf(atom, OutLeaf(len(self.results), "python" if weak else "numpy"))
            case ArrayRef():
                return self._array(value)
            case _ if is_tuple(value):
                return OutNode(type(value), getattr(value, "_fields", ()), tuple(self.take(v) for v in value))
            case ListRef() if grown := c.grown(value):
                return self._rows(grown)
            case ListRef():
                return OutNode(list, (), tuple(self.take(v) for v in c.held(value)))
            case DictRef() | ObjectRef():
                kind = dict if isinstance(value, DictRef) else value.cls
                contents = c.held(value)
                return OutNode(kind, tuple(contents), tuple(self.take(v) for v in contents.values()))
            case Closure():
                c.refuse("a compiled function cannot return a function", fix="return what it computes")
            case _:
                return OutStatic(value)

    def _rows(self, grown: Grown) -> Out:
        """A list of run-time length: one array per column, taken apart by the runtime."""
        if any(lists and not weak for lists, weak in zip(grown.lists, grown.weak, strict=True)):
            self.c.refuse("lists of lists of NumPy numbers cannot be returned", fix="return an array: np.array(...)")
        used = SliceValue(None, grown.length, None)
        parts = tuple(self._array(span_of(self.c, column, used)) for column in grown.columns)
        if any(isinstance(part, OutArgument) for part in parts):
            self.c.refuse("this list is an argument", fix="return an array: np.array(...)")
        return OutNode(Rows, (grown.make, *grown.weak), parts)

    def _array(self, value: ArrayRef) -> Out:
        if value not in self.arrays:
            index = self.parameters.cells.get(value.cell)
            if index is not None and not value.view:
                self.arrays[value] = OutArgument(index)
            else:
                atom = self.c.read(value)
                self.arrays[value] = self._leaf(atom, OutLeaf(len(self.results), "array"))
        return self.arrays[value]

    def _leaf(self, atom: Atom, leaf: OutLeaf) -> OutLeaf:
        self.results.append(atom)
        return leaf


_signatures: dict[FunctionType, inspect.Signature] = {}
_annotation_cache: dict[FunctionType, dict[str, ArrayType]] = {}


def _signature(function: FunctionType) -> inspect.Signature:
    if function not in _signatures:
        _signatures[function] = inspect.signature(function)
    return _signatures[function]


def _annotations(function: FunctionType) -> dict[str, ArrayType]:
    if function not in _annotation_cache:
        try:
            found = inspect.get_annotations(function, eval_str=True)
        except (NameError, SyntaxError, TypeError, AttributeError):
            # Annotations that cannot be evaluated are somebody else's and say nothing to us.
            found = {}
        _annotation_cache[function] = {n: a for n, a in found.items() if isinstance(a, ArrayType)}
    return _annotation_cache[function]


def _place_of(function: FunctionType, parameter: str) -> Callable[[], Place]:
    """Finds where a parameter stands in the source: when it is needed, for it takes a while."""

    def place() -> Place:
        source = source_of(function)
        spec = source.node.args
        stars = [a for a in (spec.vararg, spec.kwarg) if a is not None]
        arg = next(a for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *stars) if a.arg == parameter)
        return Place(source.file, arg.lineno, arg.col_offset, arg.end_col_offset or 1 << 16, function.__name__)

    return place


# Importing these registers the handlers of syntax and the names of libraries.
HANDLERS: tuple[object, ...] = (
    attributes,
    builtin_values,
    comprehensions,
    conditions,
    expressions,
    fence,
    for_while,
    regions,
    statements,
    library,
)
