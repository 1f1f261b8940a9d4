"""Roots: operations that are finite where their slope is not, and what flows into them.

The square root at 0 has an infinite slope, and a distance that is 0 takes the root of a sum of squares, whose slope is
0 there. The product of the two is not a number in IEEE 754; we promise 0, in both modes (`docs/conventions.md`):
what does not move, to first order, does not move its root.

* Where the operand is zero only where its slope is zero (`flat`: squares, absolute values, sums and products of such),
  the slope of the root at 0 is 0. This costs a select beside the root, and nothing elsewhere.
* Any other root meets a tangent that is 0 at run time with a product that lets the zero win (`scale`). In reverse mode
  the adjoint of its operand may be infinite (`steep`), and it is the partials before the root that may be 0: there the
  zero of a partial wins.

A value that is itself infinite (`1 / x`, `log(x)` at 0) has no such promise. An infinite slope that meets a zero
behind the root stays NaN: `sqrt(x) * sqrt(x)` at 0 has slope 1, not 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import inf

from ..ir.build import Builder
from ..ir.core import Apply, Block, Custom, Stm
from ..ir.types import Atom, Lit, Var, zero
from ..ir.walk import free_vars, lambdas, operands, statements
from .masks import edges, floats, reached

_ROOTS = frozenset({"sqrt", "cbrt", "pow", "asin", "acos", "acosh"})
_AT_ZERO = frozenset({"sqrt", "cbrt", "pow"})

# Never negative; where they are 0, so is their slope, by convention or because they underflow.
_ALWAYS = frozenset({"abs", "hypot", "exp", "exp2", "cosh"})
# Zero where an operand is, or where all are; their slopes are then made of those of the operands that are.
_AS_OPERANDS = frozenset({
    "add", "mul", "scale", "div", "fma", "min", "max", "fmin", "fmax", "select", "sqrt", "cbrt", "expm1", "log1p",
    "sinh", "tanh", "asinh", "atan", "erf", "stop_gradient", "index", "slice", "update", "update_slice", "accumulate",
    "transpose", "reshape", "replicate", "concat", "stack",
})  # fmt: skip
# The operands whose partial cannot be zero where the operation is finite.
_NEVER_FLAT = frozenset({
    ("div", 0), ("exp", 0), ("exp2", 0), ("sqrt", 0), ("cbrt", 0), ("log", 0), ("log2", 0), ("log10", 0), ("log1p", 0),
    ("expm1", 0), ("sinh", 0), ("asinh", 0), ("atan", 0), ("tan", 0),
})  # fmt: skip


def is_root(expr: Apply) -> bool:
    """May its slope by the first operand be infinite where its value is finite?"""
    if expr.op == "pow" and isinstance(expr.args[1], Lit):
        return float(expr.args[1].value) < 1.0
    return expr.op in _ROOTS


def is_flat_root(expr: Apply, flat: Iterable[str]) -> bool:
    """Is its slope infinite only at 0, where the operand is flat?"""
    x = expr.args[0]
    return expr.op in _AT_ZERO and isinstance(x, Var) and x.name in flat


def level_at_zero(b: Builder, expr: Apply, partial: Atom, flat: Iterable[str]) -> Atom:
    """The partial by the first operand: 0 at the root of a flat value that is 0."""
    if not is_root(expr) or not is_flat_root(expr, flat):
        return partial
    nil = zero(partial.type.dtype)
    return b.apply("select", b.apply("eq", expr.args[0], nil), nil, partial)


def may_vanish(op: str, k: int) -> bool:
    """May the partial by operand k be zero?"""
    return (op, k) not in _NEVER_FLAT


def has_roots(block: Block) -> bool:
    return any(isinstance(stm.expr, Apply) and is_root(stm.expr) for stm in statements(block))


def flat(block: Block, known: Iterable[str] = ()) -> set[str]:
    """The float variables, at any depth, that are never negative and have slope 0 where they are 0.

    `known` are free variables of this kind. Nothing is looked for where there are no roots.
    """
    if not has_roots(block):
        return set(known)
    known, stms = set(known), list(statements(block))
    sizes = {size.name for stm in stms for var in stm.vars for size in var.type.shape if isinstance(size, Var)}
    sizes |= {size.name for var in free_vars(block) for size in var.type.shape if isinstance(size, Var)}
    spoils: dict[str, list[str]] = defaultdict(list)
    steep = {var.name for var in free_vars(block)} - known
    bound: set[str] = set()
    for stm in stms:
        for out, needed in _needs(stm, sizes):
            bound.add(out)
            if needed is None:
                steep.add(out)
            for name in needed or ():
                spoils[name].append(out)
    return (known | bound) - reached(steep, spoils)


def steep(block: Block, results: Iterable[str], flat: set[str], masked: set[str]) -> set[str]:
    """What flows into a root that is not that of a flat value, or into the named variables.

    A root by which the program divides, and not in an arm that may not be taken (`masked`), is left alone: where it is
    0, the program's own value is not finite.
    """
    sources: dict[str, list[str]] = defaultdict(list)
    roots = set(results)
    divisors = _divisors(block, masked)
    for stm in statements(block):
        if isinstance(stm.expr, Apply) and is_root(stm.expr) and not is_flat_root(stm.expr, flat):
            names = floats(stm.expr.args[:1])
            if stm.expr.op not in _AT_ZERO or divisors.isdisjoint((*names, stm.vars[0].name)):
                roots.update(names)
    if not roots:
        return roots
    for stm in statements(block):
        for out, made_of in edges(stm):
            sources[out] += made_of
    return reached(roots, sources)


def _divisors(block: Block, masked: set[str]) -> set[str]:
    """By what the statements of a block divide, whatever is chosen."""
    certain = [stm.expr for stm in block.stms if stm.vars and stm.vars[0].name not in masked]
    return {
        name for expr in certain if isinstance(expr, Apply) and expr.op == "div" for name in floats(expr.args[1:])
    }  # fmt: skip


def _needs(stm: Stm, sizes: set[str]) -> list[tuple[str, list[str] | None]]:
    """For each variable the values that must be flat for it to be; None where it is not in any case."""
    match stm.expr:
        case Apply() as expr:
            return [(stm.vars[0].name, _operands(expr, sizes))]
        case Custom(_, _, forward) if forward is not None:
            return [(var.name, None) for var in stm.vars]
        case _:
            negative = any(_is_negative(x) for x in _handed_in(stm))
            return [(out, None if negative else needed) for out, needed in edges(stm)]


def _handed_in(stm: Stm) -> list[Atom]:
    """What a structured statement starts from, and what its blocks answer."""
    return [*operands(stm.expr), *(x for lam in lambdas(stm.expr) for x in lam.body.results)]


def _is_negative(atom: Atom) -> bool:
    """Is it a negative number? The neutral element of a maximum counts as none: a sum with it is not zero."""
    return isinstance(atom, Lit) and atom.type.dtype.is_float and -inf < float(atom.value) < 0.0


def _operands(expr: Apply, sizes: set[str]) -> list[str] | None:
    op, args = expr.op, expr.args
    if op in _ALWAYS or (op in ("mul", "scale") and args[0] == args[1]):
        return []
    if op == "convert" and not args[0].type.dtype.is_float:
        return [] if isinstance(args[0], Var) and args[0].name in sizes else None
    if op == "fma" and args[0] == args[1]:
        args = args[2:]
    elif op == "pow":
        if not isinstance(args[1], Lit) or float(args[1].value) <= 0.0:
            return None
        return [] if float(args[1].value) % 2.0 == 0.0 else _all(args[:1])
    elif op not in _AS_OPERANDS and op != "convert":
        return None
    return _all(args)


def _all(args: Iterable[Atom]) -> list[str] | None:
    args = list(args)
    return None if any(_is_negative(x) for x in args) else floats(args)
