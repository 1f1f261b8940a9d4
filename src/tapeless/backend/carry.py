"""The carried values of a loop: scalars in locals, arrays in memory that the loop holds.

A loop takes over the memory of an initial array that dies there, else it starts from a copy. At the
end of a round each array result is, in this order of preference, already in place; moved, by letting two
slots exchange their buffers (a new array per time step costs an exchange of pointers); or copied.
A carried array may change its size from round to round when that size is carried too.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Literal

from ..ir.types import Atom, Var
from ..records import replace
from . import affine, memory
from .emitter import Emitter
from .text import llvm_type
from .values import VARYING, Array, Region, Scalar, Value


class Carry:
    """Carried values under the names `params` inside the loop.

    Made inside `Emitter.repeated`, so that what the body reads from outside counts as alive.
    """

    def __init__(self, e: Emitter, params: Sequence[Var], init: Sequence[Atom]) -> None:
        self.e = e
        self.params = params
        self.held: list[str | Array] = []
        taken: set[Region] = set()
        for param, atom in zip(params, init, strict=True):
            value = e.value(atom)
            if isinstance(value, Scalar):
                local, _ = e.variable(value.dtype, self._varies(param))
                e.write(local, value, self._varies(param))
                self.held.append(local)
            else:
                array = self._adopt(param, value, taken)
                taken.add(array.region)
                self.held.append(array)
        for array in self._arrays():
            array.region.held += 1

    def _varies(self, param: Var) -> bool:
        return self.e.width > 1 and param in self.e.varying

    def _arrays(self) -> list[Array]:
        return [held for held in self.held if isinstance(held, Array)]

    def _adopt(self, param: Var, array: Array, taken: set[Region]) -> Array:
        e = self.e
        resized = any(size in self.params for size in param.type.shape)
        fits = array.packed and array.region not in taken and memory.is_exclusive(e, array)
        if fits and (not resized or memory.is_movable(e, array)):
            return array
        if not resized:
            return memory.duplicate(e, array)
        copy = memory.in_slot(e, memory.new_slot(e, (param.name, e.width)), array.dtype, array.dims)
        memory.copy(e, copy, array)
        return copy

    def bind(self, params: Sequence[Var] | None = None) -> None:
        """Bind the names of the carried values at the start of a round."""
        e, names = self.e, params or self.params
        for own, param, held in zip(self.params, names, self.held, strict=True):
            if isinstance(held, str):
                e.bind(param, e.read(held, param.type.dtype, self._varies(own)))
        for param, held in zip(names, self.held, strict=True):
            if isinstance(held, Array):
                e.bind(param, self._at_present(held, param))

    def _at_present(self, held: Array, var: Var) -> Array:
        e = self.e
        dims = e.sizes(var.type.shape)
        present = memory.current(e, held)
        if dims == held.dims:
            return present
        return replace(present, dims=dims, strides=affine.row_major(e, dims))

    @contextmanager
    def read_only(self) -> Generator[None, None, None]:
        """Inside, the arrays may be read only."""
        writable = [array.region.writable for array in self._arrays()]
        for array in self._arrays():
            array.region.writable = False
        yield
        for array, flag in zip(self._arrays(), writable, strict=True):
            array.region.writable = flag

    def update(self, results: Sequence[Value], active: str | None = None) -> None:
        """At the end of a round: keep the results, in the active lanes only."""
        e = self.e
        arrays: list[tuple[Array, Array]] = []
        scalars: list[tuple[str, Var, Scalar]] = []
        for param, held, result in zip(self.params, self.held, results, strict=True):
            if isinstance(held, Array):
                assert isinstance(result, Array)
                arrays.append((held, result))
            else:
                assert isinstance(result, Scalar)
                scalars.append((held, param, result))
        self._keep_arrays(arrays)
        for local, param, result in scalars:
            e.write(local, self._blended(local, param, result, active), self._varies(param))

    def _blended(self, local: str, param: Var, new: Scalar, active: str | None) -> Scalar:
        if active is None:
            return new
        e = self.e
        old = e.read(local, new.dtype, self._varies(param))
        type = llvm_type(new.dtype, e.width)
        text = e.w.op(f"select <{e.width} x i1> {active}, {type} {e.spread(new)}, {type} {e.spread(old)}")
        return Scalar(new.dtype, text, VARYING)

    def accumulators(self, adds: Literal["alone", "across"]) -> list[Array | None]:
        """The arrays as accumulators; None for scalars."""
        return [
            replace(memory.current(self.e, held), adds=adds) if isinstance(held, Array) else None for held in self.held
        ]

    def combine(self, names: Sequence[str], values: Sequence[Value | None], active: str | None = None) -> None:
        """Combine each scalar with a new value by an operation, in the active lanes only."""
        e = self.e
        for name, param, held, value in zip(names, self.params, self.held, values, strict=True):
            if isinstance(held, str):
                assert isinstance(value, Scalar)
                old = e.read(held, value.dtype, self._varies(param))
                new = e.apply(name, (old, value), value.dtype)
                e.write(held, self._blended(held, param, new, active), self._varies(param))

    def _keep_arrays(self, arrays: Sequence[tuple[Array, Array]]) -> None:
        e = self.e
        holders = {held.region for held, _ in arrays}
        moves: list[tuple[Array, Array]] = []
        copies: list[tuple[Array, Array]] = []
        claimed: set[Region] = {held.region for held, result in arrays if self._stands(held, result)}
        for held, result in arrays:
            if self._stands(held, result):
                continue
            free = result.region not in claimed and memory.is_exclusive(e, result)
            if free and memory.is_movable(e, result) and memory.is_movable(e, held):
                claimed.add(result.region)
                moves.append((held, result))
            else:
                # What stands in memory that is about to be overwritten is saved first.
                saved = memory.duplicate(e, result) if result.region in holders else result
                copies.append((held, saved))
        self._exchange(moves)
        for held, result in copies:
            if held.region.kind == "slot" and held.offset.literal == 0:
                target = memory.in_slot(e, held.region, held.dtype, result.dims)
            else:  # a part of a buffer, which does not change its size
                target = memory.current(e, held)
            memory.copy(e, target, result)

    def _stands(self, held: Array, result: Array) -> bool:
        """Is the result where it is to be kept?"""
        return held.region is result.region and result.packed and result.offset == held.offset

    def _exchange(self, moves: Sequence[tuple[Array, Array]]) -> None:
        """Bring each result's buffer into the slot of its holder; together a permutation of the slots."""
        where: dict[Region, Region] = {}
        for held, result in moves:
            source = where.get(result.region, result.region)
            memory.exchange(self.e, held.region, source)
            displaced = next((r for r, at in where.items() if at is held.region), held.region)
            where[displaced], where[result.region] = source, held.region

    def finish(self, vars: Sequence[Var]) -> None:
        """After the loop: bind the results."""
        e = self.e
        for var, param, held in zip(vars, self.params, self.held, strict=True):
            if isinstance(held, str):
                e.bind(var, e.read(held, var.type.dtype, self._varies(param)))
        for var, held in zip(vars, self.held, strict=True):
            if isinstance(held, Array):
                e.bind(var, self._at_present(held, var))
        self.release()

    def release(self) -> None:
        """Let go of the memory held."""
        for array in self._arrays():
            array.region.held -= 1
