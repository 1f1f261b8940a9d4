"""Random programs that are reversible by construction, with arguments.

    program = random_reversible(seed, Kind())

The first `state` parameters are changed, and the results are what they become; the others are constants. Each
production is a statement of a reversible language: a variable, an element or a part of an array is changed by an amount
that does not read it; variables are negated and exchanged; branches do not change what their conditions read; loops are
over such statements. Positions of statements name the production, so that a refusal can be put down to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import ops as _ops  # registers the operations
from ..ir.build import Builder
from ..ir.core import Function
from ..ir.numbers import NUMPY_TYPES
from ..ir.types import I64, Lit, Type, Var
from ..ir.walk import canonical
from .dice import Dice
from .reversible_nests import grow
from .reversible_values import LONGEST, Draft, Kind, some_type

assert _ops


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
