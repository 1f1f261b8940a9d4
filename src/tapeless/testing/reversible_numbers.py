"""Statements of random reversible programs that change numbers: by amounts, in pairs, there and back."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.build import Builder
from ..ir.types import I64, Atom, Lit, Var
from .reversible_values import Draft, amount, condition, rounded_amount
from .scope import real


def changed(d: Draft, x: Atom, e: Atom) -> Var:
    """x plus, minus or exclusive-or e, in either order."""
    op = d.dice.pick(("add", "sub", "xor") if x.type.dtype.is_int else ("add", "sub"))
    return d.b.apply(op, e, x) if d.dice.chance(0.25) else d.b.apply(op, x, e)


def step(d: Draft) -> None:
    """A number changes by an amount."""
    if name := d.target(lambda t: not t.shape):
        d.now[name] = changed(d, d.now[name], amount(d, d.now[name].type.dtype, (name,)))


def turn(d: Draft) -> None:
    """A number is negated, or all of its bits are."""
    if name := d.target(lambda t: not t.shape):
        x = d.now[name]
        d.now[name] = d.b.apply(d.dice.pick(("neg", "not") if x.type.dtype.is_int else ("neg",)), x)


def swap(d: Draft) -> None:
    """Two variables of one type change places."""
    if name := d.target(lambda _: True):
        other = d.dice.pick(d.open(lambda t: t == d.now[name].type))
        d.now[name], d.now[other] = d.now[other], d.now[name]


def scale(d: Draft) -> None:
    """A float is multiplied by a literal; inside loops, where that would go far, it is multiplied back."""
    name = d.target(lambda t: not t.shape and t.dtype.is_float)
    if name is None:
        return
    x = d.now[name]
    factor = real(x.type.dtype, d.dice.pick((2.0, 0.5, -1.0, -2.0, 4.0)))
    there, back = d.dice.pick((("mul", "div"), ("div", "mul")))
    d.now[name] = d.b.apply(there, x, factor)
    if d.depth:
        step_of_another(d, name)
        d.now[name] = d.b.apply(back, d.now[name], factor)


def step_of_another(d: Draft, name: str) -> None:
    """Another number changes, by an amount that may read `name`."""
    if others := [x for x in d.open(lambda t: not t.shape) if x != name]:
        other = d.dice.pick(others)
        d.now[other] = changed(d, d.now[other], amount(d, d.now[other].type.dtype, (other,)))


def sandwich(d: Draft) -> None:
    """Compute, use, uncompute: x += e; y += f(x); x -= e."""
    name = d.target(lambda t: not t.shape)
    if name is None:
        return
    dtype = d.now[name].type.dtype
    others = [x for x in d.open(lambda t: not t.shape) if x != name]
    other = d.dice.pick(others) if others else name
    e = amount(d, dtype, (name, other))
    d.now[name] = d.b.apply("add", d.now[name], e)
    if other != name:
        d.now[other] = changed(d, d.now[other], amount(d, d.now[other].type.dtype, (other,)))
    d.now[name] = d.b.apply("sub", d.now[name], e)


def pair(d: Draft) -> None:
    """Two numbers of one type change at once, each by the other, as a system that has one solution."""
    if not (name := d.target(lambda t: not t.shape)):
        return
    x = d.now[name]
    others = [other for other in d.open(lambda t: t == x.type) if other != name]
    if others and (x.type.dtype.is_int or d.kind.smooth or not d.depth):
        other = d.dice.pick(others)
        e = amount(d, x.type.dtype, (name, other))
        d.now[name], d.now[other] = _mixed(d, x, d.now[other], e)


def _mixed(d: Draft, x: Atom, y: Atom, e: Atom) -> tuple[Atom, Atom]:
    """Integers by a matrix of determinant 1, floats by a rotation or a butterfly."""
    b = d.b
    if x.type.dtype.is_int:
        both = b.apply("add", b.apply("mul", e, e), Lit(1, x.type.dtype))
        first = b.apply("add", x, b.apply("mul", e, y))
        return first, b.apply("add", b.apply("mul", e, x), b.apply("mul", both, y))
    if not d.kind.smooth:
        return b.apply("add", b.apply("add", x, y), e), b.apply("sub", x, y)
    cosine, sine = b.apply("cos", e), b.apply("sin", e)
    first = b.apply("sub", b.apply("mul", cosine, x), b.apply("mul", y, sine))
    return first, b.apply("add", b.apply("mul", sine, x), b.apply("mul", cosine, y))


def choice(d: Draft) -> None:
    """One of two changes, without a branch."""
    if name := d.target(lambda t: not t.shape):
        x = d.now[name]
        e = amount(d, x.type.dtype, (name,))
        other = changed(d, x, amount(d, x.type.dtype, (name,), 1)) if d.dice.chance(0.5) else x
        d.now[name] = d.b.apply("select", condition(d, (name,)), changed(d, x, e), other)


def told(d: Draft) -> None:
    """An integer changes in one of two ways, by whether it is even: it stays so, or odd, as is asserted."""
    name = d.target(lambda t: not t.shape and t.dtype.is_int)
    if name is None:
        return
    x = d.now[name]
    one, zero = (Lit(k, x.type.dtype) for k in (1, 0))

    def arm(relation: str) -> Callable[[Builder], tuple[Atom]]:
        def body(b: Builder) -> tuple[Atom]:
            inner = d.inner(b, {name: x})
            after = changed(inner, x, b.apply("shl", amount(inner, x.type.dtype, (name,)), one))
            b.check("assert", b.apply(relation, b.apply("and", after, one), zero))
            return (after,)

        return body

    (d.now[name],) = d.b.if_(d.b.apply("eq", d.b.apply("and", x, one), zero), arm("eq"), arm("ne"))


def rounded(d: Draft) -> None:
    """An integer changes by a float that is rounded."""
    if d.kind.whole and (name := d.target(lambda t: not t.shape and t.dtype is I64)):
        d.now[name] = changed(d, d.now[name], rounded_amount(d, (name,)))
