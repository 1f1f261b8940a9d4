"""Sets of inputs through first-order operations.

A scalar operation depends on what its operands depend on. Operations that move values move their sets; where an index
is not fixed, every place that it could mean is united.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Stm
from ..ir.types import Atom, Type, Var
from .values import plus
from .words import Words, everything, everywhere, union, united


def apply_fixed(w: Words, b: Builder, stm: Stm, expr: Apply) -> None:
    """Emit an operation on fixed values as it is, its indices tested where they must be."""
    if not w.guarded or expr.op not in ("index", "update", "accumulate"):
        b.stms.append(stm)
        return
    array, *rest = expr.args
    if expr.op == "index":
        w.read(b, array, rest)
    else:
        value, *keys = rest
        if expr.op == "accumulate":
            value = plus(b, w.read(b, array, keys), value)
        w.write(b, array, value, keys)
    # What was emitted last is this statement under its own name.
    b.stms.append(Stm(stm.vars, b.stms.pop().expr, stm.pos))


def apply_words(w: Words, b: Builder, expr: Apply, var: Var) -> Atom | None:
    """The sets of the result of an operation that varies."""
    args, type = expr.args, w.type(var)
    match expr.op:
        case "select":
            return _select(w, b, args)
        case "index":
            return _index(w, b, args[0], args[1:])
        case "update" | "accumulate":
            return _written(w, b, expr.op, args[0], args[1], args[2:])
        case "update_slice" if w.is_fixed(*args[2:]):
            return b.apply("update_slice", w.filled(b, args[0]), w.filled(b, args[1]), *args[2:])
        case "slice" if w.is_fixed(*args[1:]):
            return _moved(w, b, expr)
        case "transpose" | "reshape" | "replicate":
            return _moved(w, b, expr)
        case "concat":
            parts = [w.filled(b, part) for part in args[:-1]]
            return b.apply("concat", *parts, args[-1], attrs=expr.attrs)
        case "stack":
            return b.apply("stack", *(w.filled(b, part) for part in args))
        case _:
            return _joined(w, b, args, type)


def _joined(w: Words, b: Builder, args: Sequence[Atom], type: Type) -> Atom | None:
    """Every element depends on what any element of an operand depends on."""
    return everywhere(b, union(b, *(everything(b, w.of(arg)) for arg in args)), type)


def _moved(w: Words, b: Builder, expr: Apply) -> Atom | None:
    word = w.of(expr.args[0])
    return None if word is None else b.apply(expr.op, word, *expr.args[1:], attrs=expr.attrs)


def _select(w: Words, b: Builder, args: Sequence[Atom]) -> Atom | None:
    cond, x, y = args
    if w.is_fixed(cond):
        return b.apply("select", cond, w.filled(b, x), w.filled(b, y))
    return union(b, w.of(x), w.of(y))


def _index(w: Words, b: Builder, array: Atom, keys: Sequence[Atom]) -> Atom | None:
    word = w.of(array)
    if word is None:
        return None
    fixed = next((k for k, key in enumerate(keys) if not w.is_fixed(key)), len(keys))
    return united(b, w.read(b, word, keys[:fixed]), len(keys) - fixed)


def _written(w: Words, b: Builder, op: str, array: Atom, value: Atom, keys: Sequence[Atom]) -> Atom | None:
    old, new = w.filled(b, array), w.of(value)
    if not w.is_fixed(*keys):
        return union(b, old, everywhere(b, everything(b, new), old.type))
    if op == "update":
        return w.write(b, old, w.filled(b, value), keys)
    return old if new is None else w.write(b, old, union(b, w.read(b, old, keys), new) or new, keys)
