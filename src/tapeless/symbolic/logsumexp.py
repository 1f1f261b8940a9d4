"""Logarithms of sums of exponentials, from the largest term on: nothing overflows, and no digits are lost.

    log(e^x + e^y)            h + log1p(e^(l - h)), h and l the larger and the smaller
    log(sum of e^(x_i))       m + log1p(sum of e^(x_i - m)) with m = x_k the largest, and without the term of k

Sums are taken apart: terms are exponentials, positive constants, and reductions over exponentials. Where the user has
subtracted the largest exponent from all of them, the sum is stable already, and stays as it is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, Lambda, Map, Reduce
from ..ir.text import print_function
from ..ir.types import I64, Atom, Lit, Type, Var, i64, zero
from ..ir.walk import canonical, inline
from ..passes.cost import has_check
from ..passes.rewrite import Rewriter
from ..passes.sums import operators
from ..passes.uses import slice_for
from .tame import is_tame


def log_of_sum(r: Rewriter, b: Builder, atom: Atom, more: Lit | None = None) -> Atom | None:
    """The logarithm of an atom, and of `more` added to it; None where that is no sum of exponentials."""
    terms = _terms(r, atom)
    if terms is None or (more is None and len(terms) == 1 and not isinstance(terms[0], Reduce)):
        return None
    if all(isinstance(term, Lit) for term in terms):
        return None
    if _is_one_and_tame(r, terms, more):
        return None
    logs = [_log_of(r, b, term) for term in (*terms, *([] if more is None else [more]))]
    total = logs[0]
    for other in logs[1:]:
        total = _of_two(b, total, other)
    return total


def _is_one_and_tame(r: Rewriter, terms: Sequence[Apply | Reduce | Lit], more: Lit | None) -> bool:
    """Is it 1 + e^x with an x that is known not to be large? Then log1p does."""
    every = [*terms, *([] if more is None else [more])]
    powers = [term for term in every if isinstance(term, Apply)]
    ones = [term for term in every if isinstance(term, Lit) and term.value == 1]
    return len(every) == 2 and len(powers) == len(ones) == 1 and is_tame(r, powers[0].args[0])


def _terms(r: Rewriter, atom: Atom) -> list[Apply | Reduce | Lit] | None:
    """The terms of a sum of exponentials."""
    if isinstance(atom, Lit):
        return [atom] if atom.value > 0 and math.isfinite(atom.value) else None
    match r.definition(atom):
        case Apply("exp") as power:
            return None if _is_below(r, power.args[0]) else [power]
        case Apply("add", (x, y)):
            left, right = _terms(r, x), _terms(r, y)
            return None if left is None or right is None else [*left, *right]
        case Reduce() as found:
            exponent = _exponent(r, found)
            return None if exponent is None or _is_shifted(r, found.size, exponent) else [found]
        case _:
            return None


def _log_of(r: Rewriter, b: Builder, term: Apply | Reduce | Lit) -> Atom:
    match term:
        case Lit(value):
            return zero(term.type.dtype) if value == 1 else b.apply("log", term)
        case Apply(_, (x,)):
            return x
        case Reduce():
            exponent = _exponent(r, term)
            assert exponent is not None
            return _of_many(b, term.size, exponent)
        case _:
            raise AssertionError(term)


def _of_two(b: Builder, x: Atom, y: Atom) -> Atom:
    if y == zero(y.type.dtype):
        return _of_one(b, x, y)
    larger = b.apply("gt", x, y)
    high, low = b.apply("select", larger, x, y), b.apply("select", larger, y, x)
    rest = b.apply("log1p", b.apply("exp", _below(b, low, high)))
    return b.apply("add", high, rest)


def _of_one(b: Builder, x: Atom, nothing: Atom) -> Atom:
    """log(e^x + 1): the two cannot be the same infinity."""
    larger = b.apply("gt", x, nothing)
    high, below = b.apply("select", larger, x, nothing), b.apply("select", larger, b.apply("neg", x), x)
    return b.apply("add", high, b.apply("log1p", b.apply("exp", below)))


def _below(b: Builder, low: Atom, high: Atom) -> Atom:
    """low - high; 0 where both are the same infinity."""
    dtype = low.type.dtype
    finite = b.apply("lt", b.apply("abs", high), Lit(math.inf, dtype))
    differ = b.apply("or", finite, b.apply("ne", low, high))
    return b.apply("select", differ, b.apply("sub", low, high), zero(dtype))


def _is_below(r: Rewriter, atom: Atom) -> bool:
    """Was this made by `_below`, or by `_of_one`?"""
    made = r.operation(atom, "select")
    if made is None:
        return False
    condition, one, other = made.args
    if other == zero(atom.type.dtype):
        return r.operation(one, "sub") is not None
    return _is(r.operation(condition, "gt"), other, zero(atom.type.dtype)) and _is(r.operation(one, "neg"), other)


def _is(found: Apply | None, *args: Atom) -> bool:
    return found is not None and found.args == args


def _of_many(b: Builder, size: Atom, exponent: Lambda) -> Atom:
    """Also of nothing, of which it is minus infinity."""
    dtype = exponent.body.results[0].type.dtype
    least = Lit(-math.inf, dtype)

    def some(b: Builder) -> Sequence[Atom]:
        # Where nothing is larger than minus infinity, the first one is as good as any.
        place = b.apply("max", _largest(b, size, exponent), i64(0))
        (most,) = b.splice(inline(exponent, (place,)))

        def term(b: Builder, i: Var) -> Sequence[Atom]:
            (x,) = b.splice(inline(exponent, (i,)))
            power = b.apply("exp", _below(b, x, most))
            return (b.apply("select", b.apply("eq", i, place), zero(dtype), power),)

        (rest,) = b.reduce(size, "add", (zero(dtype),), term)
        return (b.apply("add", most, b.apply("log1p", rest)),)

    return b.if_(b.apply("gt", size, i64(0)), some, lambda _: (least,))[0]


def _largest(b: Builder, size: Atom, exponent: Lambda) -> Atom:
    """The place of the largest exponent, the first of equal ones; -1 where all are minus infinity or no numbers."""
    dtype = exponent.body.results[0].type.dtype

    def larger(b: Builder, x: Var, i: Var, y: Var, j: Var) -> Sequence[Atom]:
        tie = b.apply("and", b.apply("eq", x, y), b.apply("lt", j, i))
        takes = b.apply("or", b.apply("gt", y, x), b.apply("and", tie, b.apply("ge", j, i64(0))))
        return b.apply("select", takes, y, x), b.apply("select", takes, j, i)

    def pair(b: Builder, i: Var) -> Sequence[Atom]:
        return *b.splice(inline(exponent, (i,))), i

    combine = b.lam((Type(dtype), Type(I64), Type(dtype), Type(I64)), larger)
    return b.reduce(size, combine, (Lit(-math.inf, dtype), i64(-1)), pair)[1]


def _exponent(r: Rewriter, expr: Reduce) -> Lambda | None:
    """From the index of a sum over exponentials to the exponent."""
    if operators(expr) != ["add"] or expr.neutral != (zero(expr.neutral[0].type.dtype),):
        return None
    return _power(expr.body) or _power(_made_before(r, expr.body))


def _made_before(r: Rewriter, lam: Lambda) -> Lambda:
    """Where a function reads an element of the result of a map, the body of that."""
    element = _maker(lam.body, lam.body.results[0])
    if isinstance(element, Apply) and element.op == "index" and element.args[1:] == lam.params:
        source = r.definition(element.args[0])
        if isinstance(source, Map) and len(source.body.body.results) == 1:
            return source.body
    return lam


def _is_shifted(r: Rewriter, size: Atom, exponent: Lambda) -> bool:
    """Are the exponents x_i - m, where m is the largest of all x_i?"""
    exponent = _made_before(r, exponent)
    made = _maker(exponent.body, exponent.body.results[0])
    if not isinstance(made, Apply) or made.op != "sub":
        return False
    x, shift = made.args
    most = r.definition(shift)
    if not isinstance(most, Reduce) or operators(most) != ["max"] or most.size != size:
        return False
    return _same(Lambda(exponent.params, slice_for(exponent.body, (x,), checks=False)), most.body)


def _same(one: Lambda, other: Lambda) -> bool:
    """Do two functions consist of the same operations?"""
    first, second = (canonical(Function("f", lam.params, lam.body), hint="v") for lam in (one, other))
    return print_function(first) == print_function(second)


def _power(lam: Lambda) -> Lambda | None:
    (result,) = lam.body.results[:1]
    made = _maker(lam.body, result)
    if not isinstance(made, Apply) or made.op != "exp" or has_check(lam.body.stms):
        return None
    return Lambda(lam.params, Block(lam.body.stms, made.args))


def _maker(block: Block, result: Atom) -> object:
    return next((stm.expr for stm in block.stms if result in stm.vars), None)
