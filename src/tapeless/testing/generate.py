"""Typed random programs over the whole IR, with arguments.

    function, args = random_program(seed)

A program is grown by drawing productions from `TABLE` by weight; each emits statements that only mention
values in scope, and keeps them within known bounds (`scope`). The same seed gives the same program
everywhere. `features` multiplies weights by production name: `{"while": 0}` leaves while loops out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import ops as _ops  # registers the operations
from ..ir.build import Builder
from ..ir.core import Function
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type, Var, i64
from ..ir.walk import canonical, free_vars
from .control import CONTROL
from .dice import Dice
from .idioms import IDIOMS
from .indexing import INDEXING
from .parallel import PARALLEL
from .profile import GENERAL, Profile
from .scalars import SCALARS
from .scope import Production, Scope, Value, World
from .shapes import SHAPES

Argument: TypeAlias = "np.generic | NDArray[np.generic]"

assert _ops

TABLE: tuple[Production, ...] = (*SCALARS, *INDEXING, *SHAPES, *CONTROL, *IDIOMS, *PARALLEL)

NUMPY: dict[DType, type[np.generic]] = {BOOL: np.bool_, I32: np.int32, I64: np.int64, F32: np.float32, F64: np.float64}


def random_program(
    seed: int,
    size: int | None = None,
    *,
    features: Mapping[str, float] | None = None,
    audit: bool = False,
    profile: Profile = GENERAL,
    table: tuple[Production, ...] = TABLE,
) -> tuple[Function, list[Argument]]:
    """The program of this seed and arguments for it; `size` is about its number of outermost productions.

    With `audit` the program checks all that the generator believes of its values; `profile` is the kind of programs,
    `table` what they are grown from.
    """
    dice = Dice(seed)
    size = size or dice.between(*profile.size)
    floats = dice.weighted([types for types, _ in profile.floats], [weight for _, weight in profile.floats])
    may_fault = dice.chance(profile.faults)
    biased = {**profile.features, **(features or {}), **({"truth": 25.0} if may_fault else {})}
    world = World(dice, table, biased, floats, budget=6 * size, may_fault=may_fault, audit=audit, profile=profile)
    s = Scope(world, Builder())
    params, args = _parameters(s)
    s.grow(size)
    results, donated = _results(s, params)
    return canonical(Function("program", tuple(params), s.b.block(results), donated)), args


def _parameters(s: Scope) -> tuple[list[Var], list[Argument]]:
    """Two sizes at most, a few arrays over them, a few scalars."""
    sizes: list[Value] = []
    for name in ("n", "m")[: s.dice.between(1, 2)]:
        lengths = s.world.profile.lengths
        length = s.dice.weighted([n for n, _ in lengths], [w for _, w in lengths])
        sizes.append(Value(Var(name, Type(I64)), length, length))
        s.known[sizes[-1].atom] = sizes[-1]
    params: list[Var] = []
    args: list[Argument] = []
    for shape in _shapes(s, [size.atom for size in sizes]):
        dtype = s.any_type() if params else s.float_type()
        params.append(Var(f"x{len(params)}", Type(dtype, shape)))
        args.append(_array_argument(s, params[-1]))
    for size in sizes:
        if any(size.atom in param.type.shape for param in params):  # else no argument binds it
            s.add(size)
    for dtype in [I64, *(s.any_type() for _ in range(s.dice.between(0, 3)))]:
        params.append(Var(f"x{len(params)}", Type(dtype)))
        args.append(_scalar_argument(s, params[-1]))
    return params, args


def _shapes(s: Scope, sizes: list[Atom]) -> list[tuple[Atom, ...]]:
    """The shapes of the array parameters; the first is a vector."""
    shapes: list[tuple[Atom, ...]] = [(sizes[0],)]
    for _ in range(s.dice.between(0, 3)):
        rank = s.dice.weighted((1, 2, 3), (4, 4, 1))
        shape = tuple(s.dice.pick([*sizes, *sizes, i64(s.dice.between(1, 4))]) for _ in range(rank))
        count = 1
        for size in shape:
            count *= s.extent(size)[1]
        if count <= s.most_elements:
            shapes.append(shape)
    return shapes


def _array_argument(s: Scope, param: Var) -> Argument:
    dtype, shape = param.type.dtype, tuple(s.extent(size)[0] for size in param.type.shape)
    count = int(np.prod(shape))
    if dtype is BOOL:
        values = [s.dice.chance(0.5) for _ in range(count)]
        s.define(param, 0, 1)
    elif dtype.is_int:
        low, high = s.dice.pick(((-9, 9), (0, max(0, s.extent(param.type.shape[0])[0] - 1)), (0, 3)))
        values = [s.dice.between(low, high) for _ in range(count)]
        s.define(param, low, high)
    else:
        values = [s.dice.uniform(-3, 3) for _ in range(count)]
        if s.dice.chance(s.world.profile.ties):  # ties, for comparisons and sorting
            values = [round(2 * x) / 2 for x in values]
        first = not any(value.type.is_array for value in s.values)
        wild = s.dice.chance(s.world.profile.wild) and not first  # the first array is tame
        if wild:
            special = (float("nan"), float("inf"), float("-inf"), -0.0)
            values = [s.dice.pick(special) if s.dice.chance(0.3) else x for x in values]
        edge = float("inf") if wild else 3.0
        s.define(param, -edge, edge)
    return np.array(values, dtype=NUMPY[dtype]).reshape(shape)


def _scalar_argument(s: Scope, param: Var) -> Argument:
    low, high = (0, 9) if param.type.dtype is I64 else (-3, 3)
    value = s.literal(param.type.dtype, low, high).lo
    if param.type.dtype is BOOL:
        s.define(param, 0, 1)
    else:
        s.define(param, low, high)
    return NUMPY[param.type.dtype](value)


def _results(s: Scope, params: list[Var]) -> tuple[tuple[Atom, ...], tuple[tuple[int, int], ...]]:
    """A few results, unused values first, and which parameters' memory they take over."""
    used = {var for stm in s.b.stms for var in free_vars(stm.expr)}
    unused = [v.atom for v in s.values if isinstance(v.atom, Var) and v.atom not in used and v.atom not in params]
    results: list[Atom] = [*s.dice.shuffled(unused)[: s.dice.between(3, 12)]]
    for _ in range(s.dice.between(0, 2) if results else 2):
        results.append(s.dice.recent(s.values).atom)
    if s.dice.chance(0.05):
        results.append(s.literal(s.any_type()).atom)
    donated: list[tuple[int, int]] = []
    for k, param in enumerate(params):
        heirs = [
            r for r, atom in enumerate(results)
            if param.type.is_array and atom.type == param.type and r not in [taken for _, taken in donated]
        ]  # fmt: skip
        if heirs and s.dice.chance(0.5):
            donated.append((k, s.dice.pick(heirs)))
    return tuple(results), tuple(donated)
