"""Array operations: reading, writing, reshaping. They move values and do not change them.

Values never change: a write yields a new array. Indices are zero-based, within range, and of type
i64; the front end emits a `Check` before each access that may be out of range. Sizes of results
are operands, so that the type of a result mentions the atoms the program computes with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ..ir.op import Op, TypeRule, register
from ..ir.types import BOOL, I64, Atom, Type, i64
from . import array_meaning as meaning
from .record import ALL, NUMBERS, misuse


def _register(name: str, rule: TypeRule, value: Callable[..., Any], lowering: str, cost: float, doc: str) -> None:
    partials = "constant" if name in ("iota", "argsort") else "structural"
    dtypes = {"accumulate": NUMBERS, "iota": (I64,)}.get(name, ALL)
    register(Op(name, None, rule, value, partials, dtypes, lowering=lowering, cost=cost, doc=doc))


def _is_index(atom: Atom) -> bool:
    return atom.type == Type(I64)


def _require(holds: bool, name: str, wanted: str, args: Sequence[Atom], attrs: tuple[Any, ...]) -> None:
    if not holds:
        raise misuse(name, wanted, args, attrs)


def _index(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    indices = args[1:]
    holds = bool(indices) and len(indices) <= args[0].type.rank and all(map(_is_index, indices)) and not attrs
    _require(holds, "index", "an array and at most one i64 index per dimension", args, attrs)
    return args[0].type.drop(len(indices))


def _slice(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    triples = args[1:]
    holds = bool(triples) and len(triples) % 3 == 0 and all(map(_is_index, triples)) and not attrs
    holds = holds and len(triples) // 3 <= args[0].type.rank
    _require(holds, "slice", "an array and a triple start, size, step of i64 per leading dimension", args, attrs)
    source = args[0].type
    return Type(source.dtype, (*triples[1::3], *source.shape[len(triples) // 3 :]))


def _written(name: str) -> TypeRule:
    def rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
        indices = args[2:]
        holds = bool(indices) and len(indices) <= args[0].type.rank and all(map(_is_index, indices)) and not attrs
        holds = holds and args[1].type == args[0].type.drop(len(indices))
        holds = holds and not (name == "accumulate" and args[0].type.dtype is BOOL)
        _require(holds, name, "an array, what stands at an index, and that index (i64 each)", args, attrs)
        return args[0].type

    return rule


def _update_slice(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    wanted = "an array, a part of the same type and rank, and a pair start, step of i64 per leading dimension"
    pairs = args[2:]
    holds = bool(pairs) and len(pairs) % 2 == 0 and all(map(_is_index, pairs)) and not attrs
    _require(holds, "update_slice", wanted, args, attrs)
    whole, part, dims = args[0].type, args[1].type, len(pairs) // 2
    holds = whole.dtype is part.dtype and whole.rank == part.rank >= dims and whole.shape[dims:] == part.shape[dims:]
    _require(holds, "update_slice", wanted, args, attrs)
    return whole


def _transpose(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    holds = len(args) == 1 and args[0].type.is_array and sorted(attrs) == list(range(args[0].type.rank))
    _require(holds, "transpose", "an array and a permutation of its dimensions as attributes", args, attrs)
    source, axes = args[0].type, cast(tuple[int, ...], attrs)
    return Type(source.dtype, tuple(source.shape[axis] for axis in axes))


def _reshape(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    holds = len(args) > 1 and args[0].type.is_array and all(map(_is_index, args[1:])) and not attrs
    _require(holds, "reshape", "an array and at least one i64 size", args, attrs)
    return Type(args[0].type.dtype, tuple(args[1:]))


def _replicate(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    # As `scratch`, each copy is written before it is read: it need not be there.
    holds = len(args) > 1 and all(map(_is_index, args[1:])) and attrs in ((), ("scratch",))
    _require(holds, "replicate", "a value and at least one i64 size", args, attrs)
    return Type(args[0].type.dtype, (*args[1:], *args[0].type.shape))


def _concat(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    wanted = "arrays that differ only in one dimension, then its size in the result (i64); attribute: the dimension"
    holds = len(args) > 1 and _is_index(args[-1]) and len(attrs) == 1 and isinstance(attrs[0], int)
    _require(holds, "concat", wanted, args, attrs)
    first, axis = args[0].type, attrs[0]
    _require(0 <= axis < first.rank, "concat", wanted, args, attrs)

    def resized(type: Type) -> Type:
        return Type(type.dtype, (*type.shape[:axis], args[-1], *type.shape[axis + 1 :]))

    holds = all(part.type.rank == first.rank and resized(part.type) == resized(first) for part in args[:-1])
    _require(holds, "concat", wanted, args, attrs)
    return resized(first)


def _stack(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    holds = bool(args) and all(part.type == args[0].type for part in args) and not attrs
    _require(holds, "stack", "at least one value, all of one type", args, attrs)
    return args[0].type.stacked(i64(len(args)))


def _iota(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    _require(len(args) == 1 and _is_index(args[0]) and not attrs, "iota", "one i64 size", args, attrs)
    return Type(I64, (args[0],))


def _argsort(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    _require(len(args) == 1 and args[0].type.is_array and not attrs, "argsort", "one array", args, attrs)
    return Type(I64, args[0].type.shape)


_register("index", _index, meaning.index, "load", 2, "The element, or the sub-array, at the leading indices.")
_register("slice", _slice, meaning.slice, "view", 1, "Element k of a sliced dimension is a[start + k * step].")
_register("update", _written("update"), meaning.update, "store", 2, "The array with a[i, ...] = v.")
_register("update_slice", _update_slice, meaning.update_slice, "store", 2, "The array with a[start + k*step] = v[k].")
_register("accumulate", _written("accumulate"), meaning.accumulate, "store", 4, "The array with a[i, ...] += v.")
_register("transpose", _transpose, meaning.transpose, "view", 1, "Dimension d of the result is dimension p[d] of a.")
_register("reshape", _reshape, meaning.reshape, "view", 1, "The same elements in row-major order, other sizes.")
_register("replicate", _replicate, meaning.replicate, "store", 1, "Copies of a value along new leading dimensions.")
_register("concat", _concat, meaning.concat, "store", 1, "Arrays one after another along a dimension.")
_register("stack", _stack, meaning.stack, "store", 1, "Values side by side along a new leading dimension.")
_register("iota", _iota, meaning.iota, "store", 1, "0, 1, ..., n - 1.")
_register("argsort", _argsort, meaning.argsort, "sort", 40, "Stable order along the last dimension, NaN last.")
