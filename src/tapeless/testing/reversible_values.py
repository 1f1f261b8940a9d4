"""What a reversible program is drafted with: state variables, what they may read, and random amounts.

A draft is one block of a program in the making. `now` says which atom each state variable is at this point; `fixed` are
constants, counters and temporaries. A statement changes one state variable by an amount that reads none of those it
changes: that is all that makes a program reversible. A careless draft now and then forgets about it.

Floats are of two sorts. Exact ones are small multiples of a power of two, amounts are multiples of 1/8 within [-2, 2]:
nothing is ever rounded, so that programs must run back to the very same bits. Smooth ones have random digits and go
through smooth functions: for derivatives, and for numbers of 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from ..ir.build import Builder
from ..ir.types import F32, F64, I32, I64, Atom, DType, Lit, Type, Var, i64
from ..records import replace
from .dice import Dice
from .scope import real

MOST_WORK = 60  # iterations of a nest of loops
LONGEST = 5  # arrays, loops
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
MIXING = ("add", "sub", "mul", "xor", "and", "or", "min", "max")
Names = Collection[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """The sort of floats, how often a draft forgets what it may not read, and whether arrays may be empty.

    Conditions are `loose` so often: they read what their branches change, and there are loops with conditions. With
    `whole`, integers also change by floats that are rounded.
    """

    smooth: bool = False
    careless: float = 0.0
    empty: bool = False
    loose: float = 0.0
    whole: bool = False


@dataclass(slots=True)
class Draft:
    """One block in the making; `closed` are the state variables that may only be read in it."""

    b: Builder
    dice: Dice
    kind: Kind
    now: dict[str, Atom]
    fixed: list[Atom]
    closed: frozenset[str] = frozenset()
    counters: dict[Atom, Atom] = field(default_factory=dict[Atom, Atom])
    work: int = 1
    depth: int = 0

    def inner(self, b: Builder, now: dict[str, Atom], trips: int = 1) -> Draft:
        """A block within this one that changes the variables of `now`."""
        closed = frozenset(self.now) - set(now)
        return replace(
            self, b=b, now=self.now | now, fixed=list(self.fixed), closed=closed, counters=dict(self.counters),
            work=self.work * trips, depth=self.depth + 1,
        )  # fmt: skip

    def open(self, test: Callable[[Type], bool] = lambda _: True) -> list[str]:
        """The variables that may be changed, of certain types."""
        return [name for name, atom in self.now.items() if name not in self.closed and test(atom.type)]

    def target(self, test: Callable[[Type], bool]) -> str | None:
        found = self.open(test)
        return self.dice.pick(found) if found else None

    def some(self, most: int) -> list[str]:
        """A few of the variables that may be changed."""
        return self.dice.shuffled(self.open())[: self.dice.between(1, most)]

    def readable(self, without: Names, test: Callable[[Type], bool]) -> list[Atom]:
        """What an amount may read that is added to the variables `without`."""
        forgets = self.dice.chance(self.kind.careless)
        state = [atom for name, atom in self.now.items() if forgets or name not in without]
        return [atom for atom in (*state, *self.fixed) if test(atom.type)]

    def place(self, size: Atom, without: Names) -> Atom | None:
        """An index of a dimension: a counter, a literal, or computed; None where the dimension may be empty."""
        counters = [i for i, bound in self.counters.items() if bound == size]
        if counters and self.dice.chance(0.6):
            return self.dice.pick(counters)
        if isinstance(size, Var) and self.kind.empty:
            return None
        if self.dice.chance(0.5):
            return i64(self.dice.below(int(size.value)) if isinstance(size, Lit) else 0)
        at = self.b.apply("mod", amount(self, I64, without, 1), size)
        if self.dice.chance(0.5):
            self.b.check("bounds", at, size)
        return at

    def places(self, shape: Sequence[Atom], without: Names) -> list[Atom] | None:
        """An index of each dimension; None where there may be none."""
        found = [self.place(size, without) for size in shape]
        return None if None in found else [at for at in found if at is not None]


def amount(d: Draft, dtype: DType, without: Names, depth: int = 2) -> Atom:
    """A random scalar that reads none of the variables `without`; floats are tame."""
    made = _expression(d, dtype, without, depth)
    if not dtype.is_float:
        return made
    if d.kind.smooth:
        bent = d.b.apply(d.dice.pick(("sin", "tanh", "atan")), made)
        return d.b.apply("mul", bent, real(dtype, d.dice.uniform(0.2, 0.9)))
    clipped = d.b.apply("min", d.b.apply("max", made, real(dtype, -2.0)), real(dtype, 2.0))
    return d.b.apply("mul", d.b.apply("rint", d.b.apply("mul", clipped, real(dtype, 8.0))), real(dtype, 0.125))


def rounded_amount(d: Draft, without: Names) -> Atom:
    """A random integer that is made of floats of all digits, whose last bit decides."""
    x, y, z = (d.b.apply("mul", _leaf(d, F64, without), real(F64, d.dice.uniform(0.1, 0.9))) for _ in range(3))
    mixed = d.b.apply(d.dice.pick(("add", "sub")), d.b.apply("mul", x, y), z)
    bent = d.b.apply(d.dice.pick(("sin", "tanh", "atan")), mixed) if d.dice.chance(0.7) else mixed
    least, most = real(F64, -4.0), real(F64, 4.0)
    tame = d.b.apply("min", d.b.apply("max", d.b.apply("add", d.b.apply("mul", bent, x), y), least), most)
    return d.b.apply("convert", d.b.apply("rint", d.b.apply("mul", tame, real(F64, 2.0**50))), attrs=(I64,))


def condition(d: Draft, without: Names) -> Atom:
    """A random bool that reads none of the variables `without`, unless conditions are loose."""
    if d.dice.chance(d.kind.loose):
        without = ()
    dtype = d.dice.pick((I64, I32, F64))
    x = _expression(d, dtype, without, 1)
    y = literal(d, dtype) if d.kind.smooth else _expression(d, dtype, without, 0)
    return d.b.apply(d.dice.pick(COMPARISONS), x, y)


def literal(d: Draft, dtype: DType) -> Lit:
    if not dtype.is_float:
        return Lit(d.dice.between(-9, 9), dtype)
    return real(dtype, d.dice.uniform(-2, 2) if d.kind.smooth else d.dice.between(-16, 16) / 8)


def _expression(d: Draft, dtype: DType, without: Names, depth: int) -> Atom:
    if depth == 0 or d.dice.chance(0.3):
        return _leaf(d, dtype, without)
    x, y = (_expression(d, dtype, without, depth - 1) for _ in range(2))
    if d.dice.chance(0.15):
        return d.b.apply("select", condition(d, without), x, y)
    if not dtype.is_float:
        if d.dice.chance(0.2):
            return d.b.apply(d.dice.pick(("mod", "floordiv", "shl", "shr")), x, Lit(d.dice.between(1, 7), dtype))
        return d.b.apply(d.dice.pick(MIXING), x, y)
    if d.dice.chance(0.2):
        return d.b.apply(d.dice.pick(("neg", "sin", "cos") if d.kind.smooth else ("neg", "abs", "floor")), x)
    return d.b.apply(d.dice.pick(("add", "sub", "mul", "min", "max")), x, y)


def _leaf(d: Draft, dtype: DType, without: Names) -> Atom:
    made: Atom | None = None
    match d.dice.below(6):
        case 0 | 1:
            made = _scalar(d, dtype, without)
        case 2 | 3:
            made = _element(d, dtype, without)
        case 4:
            made = _total(d, dtype, without)
        case _:
            pass
    return made or literal(d, dtype)


def _scalar(d: Draft, dtype: DType, without: Names) -> Atom | None:
    """A scalar in scope, converted; smooth floats never to integers, which would jump."""
    found = d.readable(without, lambda t: not t.shape and (dtype.is_float or not d.kind.smooth or t.dtype.is_int))
    if not found:
        return None
    x = d.dice.pick([x for x in found if x.type.dtype is dtype] or found)
    return x if x.type.dtype is dtype else d.b.apply("convert", x, attrs=(dtype,))


def _array(d: Draft, dtype: DType, without: Names) -> Atom | None:
    found = d.readable(without, lambda t: t.dtype is dtype and bool(t.shape))
    return d.dice.pick(found) if found else None


def _element(d: Draft, dtype: DType, without: Names) -> Atom | None:
    array = _array(d, dtype, without)
    if array is None:
        return None
    at = [d.place(size, without) if d.depth < 9 else None for size in array.type.shape]
    return None if None in at else d.b.apply("index", array, *(i for i in at if i is not None))


def _total(d: Draft, dtype: DType, without: Names) -> Atom | None:
    """A sum, or another reduction of integers, over a vector."""
    array = _array(d, dtype, without)
    if array is None or array.type.rank != 1 or d.work * LONGEST > MOST_WORK:
        return None
    op = d.dice.pick(("add", "add", "xor", "mul")) if dtype.is_int else "add"
    neutral = Lit({"add": 0, "xor": 0, "mul": 1}[op], dtype) if dtype.is_int else real(dtype, 0.0)
    other = _scalar(d, dtype, without) if d.dice.chance(0.4) else None

    def body(b: Builder, i: Var) -> tuple[Atom]:
        x = b.apply("index", array, i)
        return (b.apply(d.dice.pick(("add", "mul")), x, other) if other is not None else x,)

    return d.b.reduce(array.type.shape[0], op, (neutral,), body)[0]


def some_type(d: Dice, sizes: Sequence[Atom], *, smooth: bool) -> Type:
    """The type of a state variable or a constant."""
    weights = (1, 0.5, 5, 1.5) if smooth else (3, 2, 2, 1)
    dtype = d.weighted((I64, I32, F64, F32), weights)
    few = i64(d.between(2, 4))
    shapes: list[tuple[Atom, ...]] = [(), (d.pick(sizes),), (few,), (few, d.pick(sizes)), (d.pick(sizes), few)]
    return Type(dtype, d.weighted(shapes, (5, 3, 1.5, 0.5, 0.5)))
