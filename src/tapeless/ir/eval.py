"""The meaning of the language: a reference interpreter over any number tower.

`evaluate(function, args)` gives the results as a list. Scalars are NumPy scalars of the exact type
(or the tower's numbers), arrays are `np.ndarray` (of objects, where the tower has its own numbers). Values are
never changed. Everything happens in order, one index after another, and a failed `Check` raises
the plain Python exception.

A program is first linked: each variable and literal gets a slot of one flat frame (names are
unique, and there is no recursion), and each statement becomes a Python function of the frame. So
running a statement costs one call and the operation itself. The shape of every array that is
bound is compared with its type; a mismatch is a bug of whatever built the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import IRError
from .core import (
    Apply,
    Block,
    Check,
    Custom,
    For,
    Function,
    Hist,
    If,
    Lambda,
    Map,
    Reduce,
    Scan,
    Scatter,
    Stm,
    While,
)
from .faults import condition, exception
from .numbers import NUMPY, Tower
from .op import lookup
from .types import Atom, Lit, Type, Var, extents

Frame: TypeAlias = list[Any]
Values: TypeAlias = list[Any]
Step: TypeAlias = Callable[[Frame], None]
Run: TypeAlias = Callable[[Frame], Values]
Call: TypeAlias = Callable[[Frame, Sequence[Any]], Values]
Watch: TypeAlias = Callable[[Stm, Step], Step]


def evaluate(function: Function, args: Sequence[Any], tower: Tower = NUMPY, watch: Watch | None = None) -> list[Any]:
    """The results of a function for these arguments; `watch` may put something around the steps of statements."""
    return interpreter(function, tower, watch)(args)


def interpreter(
    function: Function, tower: Tower = NUMPY, watch: Watch | None = None
) -> Callable[[Sequence[Any]], list[Any]]:
    """The function as a Python callable from the arguments to the results."""
    linker = _Linker(tower, watch)
    sizes = {size: linker.slot(size) for size in function.sizes}
    params = [(param, linker.slot(param)) for param in function.params]
    run = linker.block(function.body)

    def call(args: Sequence[Any]) -> list[Any]:
        if len(args) != len(params):
            raise ValueError(f"{function.name} takes {len(params)} arguments, got {len(args)}")
        frame = linker.frame.copy()
        for (param, slot), arg in zip(params, args, strict=True):
            frame[slot] = _argument(param, arg, tower)
            _bind_sizes(param, frame[slot], frame, sizes)
        with np.errstate(all="ignore"):
            return [x.copy() if type(x) is np.ndarray else x for x in run(frame)]

    return call


def _argument(param: Var, arg: Any, tower: Tower) -> Any:
    """An argument as a value of the tower; arrays are copied, so the caller's stay as they are."""
    dtype, storage = param.type.dtype, tower.storage(param.type.dtype)
    if not param.type.is_array:
        return tower.scalar(arg, dtype)
    array = np.asarray(arg)
    if array.ndim != param.type.rank:
        raise ValueError(f"{param.name}: {param.type!r} got an array of rank {array.ndim}")
    if storage is not object:
        return array.astype(storage, casting="safe")
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [tower.scalar(x, dtype) for x in array.flat]
    return result


def _bind_sizes(param: Var, value: Any, frame: Frame, sizes: dict[Var, int]) -> None:
    for atom, size in zip(param.type.shape, getattr(value, "shape", ()), strict=True):
        expected = atom.value if isinstance(atom, Lit) else frame[sizes[atom]]
        if expected is not None and expected != size:
            raise ValueError(f"{param.name}: {param.type!r} got shape {value.shape}, where {atom!r} is {expected}")
        if isinstance(atom, Var):
            frame[sizes[atom]] = np.int64(size)


class _Linker:
    """Turns blocks into functions of a frame."""

    def __init__(self, tower: Tower, watch: Watch | None) -> None:
        self.tower = tower
        self.watch = watch
        self.frame: Frame = []
        self._slots: dict[str | Lit, int] = {}

    def slot(self, atom: Atom) -> int:
        key = atom.name if isinstance(atom, Var) else atom
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = len(self.frame)
            self.frame.append(self.tower.scalar(atom.value, atom.dtype) if isinstance(atom, Lit) else None)
        return slot

    def slots(self, atoms: Sequence[Atom]) -> list[int]:
        return [self.slot(atom) for atom in atoms]

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, block: Block) -> Run:
        steps = [self.statement(stm) for stm in block.stms]
        results = self.slots(block.results)

        def run(frame: Frame) -> Values:
            for step in steps:
                step(frame)
            return [frame[slot] for slot in results]

        return run

    def lam(self, lam: Lambda) -> Call:
        params, run = self.slots(lam.params), self.block(lam.body)

        def call(frame: Frame, values: Sequence[Any]) -> Values:
            for slot, value in zip(params, values, strict=True):
                frame[slot] = value
            return run(frame)

        return call

    def indexed(self, size: Atom, lam: Lambda) -> Callable[[Frame], Any]:
        """An iterator over the body's results at 0, 1, ..., size - 1."""
        count, param, run = self.slot(size), self.slot(lam.params[0]), self.block(lam.body)

        def iterate(frame: Frame) -> Any:
            for i in range(extents([frame[count]])[0]):
                frame[param] = np.int64(i)
                yield run(frame)

        return iterate

    # -- statements -----------------------------------------------------------------------------

    def statement(self, stm: Stm) -> Step:
        match stm.expr:
            case Apply() as expr:
                step = self.apply(expr, self.slot(stm.vars[0]))
            case Check(kind, args, info):
                step = self.check(kind, args, info)
            case Custom() if not stm.vars:
                return lambda _: None
            case expr:
                step = self.form(stm, self.values(expr, [var.type for var in stm.vars]))
        step = step if self.watch is None else self.watch(stm, step)
        return self.verified(stm, step) if any(var.type.shape for var in stm.vars) else step

    def apply(self, expr: Apply, out: int) -> Step:
        function = self.tower.operation(lookup(expr.op))
        args, attrs = self.slots(expr.args), expr.attrs

        def general(frame: Frame) -> None:
            frame[out] = function(*[frame[slot] for slot in args], *attrs)

        if attrs or len(args) > 2:
            return general
        first, second = args[0], args[-1]

        def unary(frame: Frame) -> None:
            frame[out] = function(frame[first])

        def binary(frame: Frame) -> None:
            frame[out] = function(frame[first], frame[second])

        return unary if len(args) == 1 else binary

    def check(self, kind: str, args: Sequence[Atom], info: str) -> Step:
        holds, slots = condition(kind), self.slots(args)

        def step(frame: Frame) -> None:
            values = [frame[slot] for slot in slots]
            if not holds(*values):
                raise exception(kind, values, info)

        return step

    def form(self, stm: Stm, values: Run) -> Step:
        outs = self.slots(stm.vars)

        def step(frame: Frame) -> None:
            for slot, value in zip(outs, values(frame), strict=True):
                frame[slot] = value

        return step

    def verified(self, stm: Stm, step: Step) -> Step:
        arrays = [(self.slot(var), self.slots(var.type.shape)) for var in stm.vars if var.type.shape]

        def checked(frame: Frame) -> None:
            step(frame)
            for slot, dims in arrays:
                shape = tuple([frame[dim] for dim in dims])
                if frame[slot].shape != shape and frame[slot].shape != extents(shape):
                    found = f"{frame[slot].shape} where their types say {tuple(map(int, shape))}"
                    raise IRError(f"{', '.join(f'{var.name}: {var.type!r}' for var in stm.vars)} got shape {found}")

        return checked

    # -- structured forms -----------------------------------------------------------------------

    def values(self, expr: Any, types: Sequence[Type]) -> Run:
        """The results of a structured form, whose results have the given types."""
        match expr:
            case If(cond, then, orelse):
                test, arms = self.slot(cond), (self.block(orelse), self.block(then))
                return lambda frame: arms[bool(frame[test])](frame)
            case For(count, init, body):
                return self.for_(count, init, body)
            case While(init, cond, body):
                return self.while_(init, cond, body)
            case Map(size, body):
                return self.map_(size, body, types)
            case Reduce(size, op, neutral, body):
                return self.reduce(size, op, neutral, body)
            case Scan(size, op, neutral, body):
                return self.scan(size, op, neutral, body, types)
            case Hist(size, op, _, dest, keys, body):
                return self.hist(size, op, dest, keys, body)
            case Scatter(size, dest, _, body):
                return self.scatter(size, dest, body)
            case Custom(args, body):
                given, call = self.slots(args), self.lam(body)
                return lambda frame: call(frame, [frame[slot] for slot in given])
            case _:
                raise IRError(f"not an expression: {expr!r}")

    def for_(self, count: Atom, init: Sequence[Atom], body: Lambda) -> Run:
        trips, start, call = self.slot(count), self.slots(init), self.lam(body)

        def run(frame: Frame) -> Values:
            carried = [frame[slot] for slot in start]
            for i in range(int(frame[trips])):
                carried = call(frame, [np.int64(i), *carried])
            return carried

        return run

    def while_(self, init: Sequence[Atom], cond: Lambda, body: Lambda) -> Run:
        start, test, call = self.slots(init), self.lam(cond), self.lam(body)

        def run(frame: Frame) -> Values:
            carried = [frame[slot] for slot in start]
            while test(frame, carried)[0]:
                carried = call(frame, carried)
            return carried

        return run

    def filled(self, types: Sequence[Type], rows: Callable[[Frame], Any]) -> Run:
        """Arrays of the given types whose k-th elements are the k-th values of `rows`."""
        shapes = [(self.slots(type.shape), self.tower.storage(type.dtype)) for type in types]

        def run(frame: Frame) -> Values:
            arrays = [np.empty(extents([frame[dim] for dim in dims]), storage) for dims, storage in shapes]
            for i, values in enumerate(rows(frame)):
                for array, value in zip(arrays, values, strict=True):
                    if array.ndim > 1 and value.shape != array.shape[1:]:
                        raise IRError(f"an element of shape {value.shape} of an array of shape {array.shape}")
                    array[i] = value
            self.tower.written(arrays)
            return arrays

        return run

    def map_(self, size: Atom, body: Lambda, types: Sequence[Type]) -> Run:
        return self.filled(types, self.indexed(size, body))

    def reduce(self, size: Atom, op: Lambda, neutral: Sequence[Atom], body: Lambda) -> Run:
        start, rows, combine = self.slots(neutral), self.indexed(size, body), self.lam(op)

        def run(frame: Frame) -> Values:
            total = [frame[slot] for slot in start]
            for values in rows(frame):
                total = combine(frame, [*total, *values])
            return total

        return run

    def scan(self, size: Atom, op: Lambda, neutral: Sequence[Atom], body: Lambda, types: Sequence[Type]) -> Run:
        start, rows, combine = self.slots(neutral), self.indexed(size, body), self.lam(op)

        def prefixes(frame: Frame) -> Any:
            total = [frame[slot] for slot in start]
            for values in rows(frame):
                total = combine(frame, [*total, *values])
                yield total

        return self.filled(types, prefixes)

    def hist(self, size: Atom, op: Lambda, dest: Sequence[Atom], keys: int, body: Lambda) -> Run:
        targets, rows, combine = self.slots(dest), self.indexed(size, body), self.lam(op)

        def run(frame: Frame) -> Values:
            arrays = [frame[slot].copy() for slot in targets]
            for values in rows(frame):
                key, news = tuple(values[:keys]), values[keys:]
                if _within(key, arrays[0].shape):
                    for place in np.ndindex(np.shape(news[0])):
                        olds = [array[key + place] for array in arrays]
                        news_here = [new[place] if place else new for new in news]
                        for array, value in zip(arrays, combine(frame, [*olds, *news_here]), strict=True):
                            array[key + place] = value
            self.tower.written(arrays)
            return arrays

        return run

    def scatter(self, size: Atom, dest: Atom, body: Lambda) -> Run:
        target, rows = self.slot(dest), self.indexed(size, body)

        def run(frame: Frame) -> Values:
            array = frame[target].copy()
            for *key, value in rows(frame):
                if _within(key, array.shape):
                    array[tuple(key)] = value
            self.tower.written([array])
            return [array]

        return run


def _within(key: Sequence[Any], shape: Sequence[int]) -> bool:
    return all(0 <= k < n for k, n in zip(key, shape, strict=False))
