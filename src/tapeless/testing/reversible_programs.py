"""Random programs that are reversible by construction, with arguments.

    program = random_reversible(seed, Kind())

The first `state` parameters are changed, and the results are what they become; the others are constants. Each
production is a statement of a reversible language: a variable, an element or a part of an array is changed by an amount
that does not read it; variables are negated and exchanged; branches do not change what their conditions read; loops are
over such statements. Positions of statements name the production, so that a refusal can be put down to one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import ops as _ops  # registers the operations
from ..ir.build import Builder
from ..ir.core import Function, Pos
from ..ir.numbers import NUMPY_TYPES
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import canonical
from .dice import Dice
from .reversible_values import LONGEST, MOST_WORK, Draft, Kind, amount, condition, literal, rounded_amount, some_type
from .scope import real

assert _ops

DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Reversible:
    """A program whose first `state` parameters are what it changes, and arguments to try it with."""

    function: Function
    state: int
    inputs: tuple[list[Any], ...]


def random_reversible(seed: int, kind: Kind, tries: int = 4) -> Reversible:
    """The program of this seed; a careless one may not be reversible."""
    dice = Dice(seed)
    sizes = [Var("n", Type(I64)), Var("m", Type(I64))][: dice.between(1, 2)]
    types = [some_type(dice, sizes, smooth=kind.smooth) for _ in range(dice.between(2, 5))]
    constants = [some_type(dice, sizes, smooth=kind.smooth) for _ in range(dice.between(0, 2))]
    constants += [Type(I64), Type(I64, (sizes[0],))]
    params = [Var(f"x{k}", type) for k, type in enumerate(types)]
    fixed = [Var(f"c{k}", type) for k, type in enumerate(constants)]
    b = Builder()
    bound = {size for param in (*params, *fixed) for size in param.type.shape if isinstance(size, Var)}
    d = Draft(b, dice, kind, {var.name: var for var in params}, [*fixed, *(n for n in sizes if n in bound)])
    grow(d, dice.between(2, 7))
    function = Function("program", (*params, *fixed), b.block(d.now[var.name] for var in params))
    inputs = tuple(_arguments(dice, function, kind) for _ in range(tries))
    return Reversible(canonical(function), len(params), inputs)


def _arguments(dice: Dice, function: Function, kind: Kind) -> list[Any]:
    lengths = {size: dice.between(0 if kind.empty else 1, LONGEST) for size in function.sizes}
    args: list[Any] = []
    for param in function.params:
        shape = tuple(int(n.value) if isinstance(n, Lit) else lengths[n] for n in param.type.shape)
        dtype = NUMPY_TYPES[param.type.dtype]
        count = int(np.prod(shape))
        if not param.type.dtype.is_float:
            large = dice.chance(0.2)
            values: list[Any] = [dice.raw() >> 1 if large else dice.between(-9, 9) for _ in range(count)]
            array = np.array(values, np.int64).astype(dtype)
        elif kind.smooth:
            array = np.array([dice.uniform(-2, 2) for _ in range(count)], dtype)
        else:
            array = np.array([dice.between(-64, 64) / 8 for _ in range(count)], dtype)
        args.append(array.reshape(shape)[()])
    return args


def grow(d: Draft, steps: int) -> None:
    """Add about so many statements."""
    table = [p for p in TABLE if d.depth < DEEPEST or p not in NESTED]
    for _ in range(steps):
        make = d.dice.weighted(table, [TABLE[p] for p in table])
        with d.b.at(Pos(make.__name__, 1, 0, 1, 0)):
            make(d)


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


def element(d: Draft) -> None:
    """An element of an array changes; by indexing and updating, or by accumulating."""
    name = d.target(lambda t: bool(t.shape))
    if name is None:
        return
    array = d.now[name]
    at = d.places(array.type.shape, (name,))
    if at is None:
        return
    e = amount(d, array.type.dtype, (name,))
    if d.dice.chance(d.kind.careless) and (other := d.places(array.type.shape, (name,))):
        e = d.b.apply("add", e, d.b.apply("index", array, *other))  # which may be the very same element
    if d.dice.chance(0.3):
        d.now[name] = d.b.apply("accumulate", array, e, *at)
    else:
        d.now[name] = d.b.apply("update", array, changed(d, d.b.apply("index", array, *at), e), *at)


def neighbour(d: Draft) -> None:
    """An element changes by another one of the same small array: a[1] += f(a[0])."""
    name = d.target(lambda t: bool(t.shape) and isinstance(t.shape[0], Lit))
    if name is None:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    to, source = d.dice.shuffled(range(size))[:2]
    rest = d.places(array.type.shape[1:], (name,))
    if rest is None:
        return
    d.fixed.append(d.b.apply("index", array, i64(source), *rest))
    e = amount(d, array.type.dtype, (name,))
    d.fixed.pop()
    d.now[name] = d.b.apply("update", array, changed(d, d.b.apply("index", array, i64(to), *rest), e), i64(to), *rest)


def chain(d: Draft) -> None:
    """Along a vector each element changes by its neighbour, one after the other."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST > MOST_WORK:
        return
    size = d.now[name].type.shape[0]
    count = d.b.apply("sub", size, i64(1))
    ahead = d.dice.chance(0.5)

    def body(b: Builder, i: Var, array: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = count
        after = b.apply("add", i, i64(1))
        to, source = (after, i) if ahead else (i, after)
        inner.fixed += [i, b.apply("index", array, source)]
        e = amount(inner, array.type.dtype, (name,))
        return (b.apply("update", array, changed(inner, b.apply("index", array, to), e), to),)

    (d.now[name],) = d.b.for_(count, (d.now[name],), body)


def whole(d: Draft) -> None:
    """All elements of an array change at once."""
    name = d.target(lambda t: bool(t.shape))
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    d.now[name] = _mapped(d, d.now[name], name)


def _mapped(d: Draft, array: Atom, name: str) -> Atom:
    size, mirrored = array.type.shape[0], d.dice.chance(0.1)

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: d.now[name]}, LONGEST)
        inner.counters[i] = size
        inner.fixed.append(i)
        row = b.apply("index", array, b.apply("sub", b.apply("sub", size, i64(1)), i) if mirrored else i)
        if row.type.shape:
            return (_mapped(inner, row, name),)
        if d.dice.chance(0.1):
            return (b.apply("neg", row),)
        return (changed(inner, row, amount(inner, row.type.dtype, (name,), 1)),)

    return d.b.map_(size, body)[0]


def span(d: Draft) -> None:
    """A part of a small array changes, perhaps by another part of it."""
    name = d.target(lambda t: bool(t.shape) and isinstance(t.shape[0], Lit) and int(t.shape[0].value) > 2)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    width = size // 2
    start = d.dice.below(size - width + 1)
    stride = d.dice.pick((1, 1, -1))
    first = start if stride == 1 else start + width - 1
    part = d.b.apply("slice", array, i64(first), i64(width), i64(stride))
    if start + 2 * width <= size:
        d.fixed.append(d.b.apply("slice", array, i64(start + width), i64(width), i64(1)))
    made = _mapped(d, part, name)
    if start + 2 * width <= size:
        d.fixed.pop()
    d.now[name] = d.b.apply("update_slice", array, made, i64(first), i64(stride))


def tally(d: Draft) -> None:
    """A histogram by addition; some keys are out of range."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST > MOST_WORK:
        return
    array = d.now[name]
    zero = Lit(0, array.type.dtype) if array.type.dtype.is_int else real(array.type.dtype, 0.0)
    bound = i64(d.dice.between(1, LONGEST))

    def body(b: Builder, i: Var) -> tuple[Atom, Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = bound
        inner.fixed.append(i)
        key = b.apply("sub", b.apply("mod", amount(inner, I64, (name,), 1), i64(LONGEST + 2)), i64(1))
        return key, amount(inner, array.type.dtype, (name,), 1)

    op = "max" if d.dice.chance(d.kind.careless) else "add"
    (d.now[name],) = d.b.hist(bound, op, (zero,), (array,), 1, body)


def pieces(d: Draft) -> None:
    """A small array is taken apart; its elements change by each other, and are put together again."""
    name = d.target(lambda t: t.rank == 1 and isinstance(t.shape[0], Lit))
    if name is None:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    parts: list[Atom] = [d.b.apply("index", array, i64(k)) for k in range(size)]
    for _ in range(d.dice.between(1, 3)):
        k = d.dice.below(size)
        others = [x for j, x in enumerate(parts) if j != k]
        d.fixed += others
        parts[k] = changed(d, parts[k], amount(d, array.type.dtype, (name,), 1))
        del d.fixed[-len(others) :]
    d.now[name] = d.b.apply("stack", *parts)


def shape(d: Draft) -> None:
    """A matrix changes in another order of its elements."""
    name = d.target(lambda t: t.rank == 2)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    if d.dice.chance(0.5):
        turned = d.b.apply("transpose", array, attrs=(1, 0))
        d.now[name] = d.b.apply("transpose", _mapped(d, turned, name), attrs=(1, 0))
    else:
        flat = d.b.apply("reshape", array, d.b.apply("mul", *array.type.shape))
        d.now[name] = d.b.apply("reshape", _mapped(d, flat, name), *array.type.shape)


def temporary(d: Draft) -> None:
    """Something is computed, used by other statements that do not change what it reads, and dropped."""
    names = _some(d, 2)
    vectors = d.readable(names, lambda t: t.rank == 1)
    if not names or not vectors or d.work * LONGEST > MOST_WORK:
        return
    source = d.dice.pick(vectors)
    size = source.type.shape[0]

    def body(b: Builder, i: Var) -> tuple[Atom]:
        return (b.apply("add", b.apply("index", source, i), literal(d, source.type.dtype)),)

    zero = Lit(0, source.type.dtype) if source.type.dtype.is_int else real(source.type.dtype, 0.0)
    made = d.b.scan(size, "add", (zero,), body) if d.dice.chance(0.5) else d.b.map_(size, body)
    inner = d.inner(d.b, {name: d.now[name] for name in names})
    inner.fixed.append(made[0])
    for make in d.dice.shuffled((step, element, whole))[:2]:
        make(inner)
    d.now |= {name: inner.now[name] for name in names}


def _some(d: Draft, most: int) -> list[str]:
    return d.dice.shuffled(d.open())[: d.dice.between(1, most)]


def choice(d: Draft) -> None:
    """One of two changes, without a branch."""
    if name := d.target(lambda t: not t.shape):
        x = d.now[name]
        e = amount(d, x.type.dtype, (name,))
        other = changed(d, x, amount(d, x.type.dtype, (name,), 1)) if d.dice.chance(0.5) else x
        d.now[name] = d.b.apply("select", condition(d, (name,)), changed(d, x, e), other)


def branch(d: Draft) -> None:
    """A few variables change, in one of two ways."""
    names = _some(d, 3)
    if not names:
        return

    def arm(b: Builder) -> list[Atom]:
        inner = d.inner(b, {name: d.now[name] for name in names})
        grow(inner, d.dice.between(0, 2))
        return [inner.now[name] for name in names]

    d.now |= zip(names, d.b.if_(condition(d, names), arm, arm), strict=True)


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


def loop(d: Draft) -> None:
    """A few variables change again and again; perhaps along with a counter of its own that is dropped."""
    names = _some(d, 3)
    if not names or d.work * LONGEST > MOST_WORK:
        return
    count = _count(d, names)
    own: list[Atom] = [Lit(0, I64)] if d.dice.chance(0.3) else []

    def body(b: Builder, i: Var, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)), LONGEST)
        inner.counters[i] = count
        inner.fixed += [i, *carried[len(names) :]]
        after: list[Atom] = []
        if own:
            constant = inner.inner(b, {})
            after.append(b.apply("add", carried[-1], amount(constant, I64, tuple(d.now), 1)))
        grow(inner, d.dice.between(1, 3))
        return [*(inner.now[name] for name in names), *after]

    finals = d.b.for_(count, [*(d.now[name] for name in names), *own], body)
    d.now |= zip(names, finals, strict=False)


def _count(d: Draft, names: Sequence[str]) -> Atom:
    """How often: a literal, the size of an array, or what some integer says."""
    sizes = [size for atom in d.now.values() for size in atom.type.shape]
    match d.dice.below(3):
        case 0:
            return i64(d.dice.between(0, 4))
        case 1 if sizes:
            return d.dice.pick(sizes)
        case _:
            return d.b.apply("mod", amount(d, I64, names, 1), i64(LONGEST))


def repeat(d: Draft) -> None:
    """A few variables change while a condition holds, which nothing tells afterwards; at most so often."""
    names = _some(d, 3)
    if not names or not d.kind.loose or d.work * LONGEST > MOST_WORK:
        return

    def goes_on(b: Builder, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)))
        return [b.apply("and", condition(inner, ()), b.apply("lt", carried[-1], i64(LONGEST)))]

    def body(b: Builder, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)), LONGEST)
        grow(inner, d.dice.between(1, 3))
        return [*(inner.now[name] for name in names), b.apply("add", carried[-1], i64(1))]

    finals = d.b.while_([*(d.now[name] for name in names), i64(0)], goes_on, body)
    d.now |= zip(names, finals, strict=False)


def rounded(d: Draft) -> None:
    """An integer changes by a float that is rounded."""
    if d.kind.whole and (name := d.target(lambda t: not t.shape and t.dtype is I64)):
        d.now[name] = changed(d, d.now[name], rounded_amount(d, (name,)))


def rounded_elements(d: Draft) -> None:
    """The elements of a vector of integers change by floats that are rounded."""
    name = d.target(lambda t: t.rank == 1 and t.dtype is I64)
    if name is None or not d.kind.whole or d.work * LONGEST > MOST_WORK:
        return
    array = d.now[name]

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = array.type.shape[0]
        inner.fixed.append(i)
        return (changed(inner, b.apply("index", array, i), rounded_amount(inner, (name,))),)

    (d.now[name],) = d.b.map_(array.type.shape[0], body)


NESTED = (branch, loop, repeat)
TABLE: dict[Callable[[Draft], None], float] = {
    step: 6, turn: 1, swap: 1, scale: 1, sandwich: 1.5, pair: 1.5, element: 4, neighbour: 1.5, chain: 1.5, whole: 2.5,
    span: 1, tally: 1.5, pieces: 1.5, shape: 1, temporary: 1, choice: 1.5, branch: 2, told: 1.5, loop: 4, repeat: 3,
    rounded: 3, rounded_elements: 2,
}  # fmt: skip
