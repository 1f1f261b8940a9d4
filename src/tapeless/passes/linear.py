"""Which values are linear in a given one: f(x + y) = f(x) + f(y), and f(0) = 0.

Kinds of values: ZERO everywhere; CONSTANT, which does not change with the index; LINEAR in the given value; OTHER. A
sum of a linear and a constant value is OTHER, unless the constant is zero.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from ..ir.core import Apply, Block, Expr, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import free_vars
from .sums import operators

ZERO, CONSTANT, LINEAR, OTHER = "zero", "constant", "linear", "other"
_MOVES = ("index", "slice", "transpose", "reshape", "replicate")


class Kinds:
    """The kinds of the variables of a block: `moving` is the index, `given` is linear, `zeros` are zero arrays.

    With none given, all that changes with the index is OTHER.
    """

    def __init__(self, moving: Var, given: Var | None, zeros: Set[Var]) -> None:
        self.given = given
        self.of: dict[Var, str] = dict.fromkeys(zeros, ZERO) | {moving: OTHER}

    def atom(self, atom: Atom) -> str:
        """What comes from outside does not change."""
        if isinstance(atom, Lit):
            return ZERO if atom.value == 0 else CONSTANT
        return self.of.get(atom, CONSTANT)

    def block(self, block: Block) -> list[str]:
        """Look at all statements; the kinds of the results."""
        for stm in block.stms:
            for var, kind in zip(stm.vars, self._statement(stm), strict=True):
                self.of[var] = LINEAR if var == self.given else kind
        return [self.atom(result) for result in block.results]

    def _statement(self, stm: Stm) -> Sequence[str]:
        expr = stm.expr
        match expr:
            case Apply():
                return [self._operation(expr)]
            case Map(size, body) if self._fixed((size,)):
                return self._body(body)
            case Reduce(size, _, neutral, body) if self._fixed((size,)) and set(operators(expr) or "?") == {"add"}:
                return [_sum(self.atom(x), kind) for x, kind in zip(neutral, self._body(body), strict=True)]
            case _:
                kind = CONSTANT if self._is_constant(expr) else OTHER
                return [kind] * len(stm.vars)

    def _body(self, body: Lambda) -> list[str]:
        self.of[body.params[0]] = CONSTANT
        return self.block(body.body)

    def _is_constant(self, expr: Expr) -> bool:
        return self._fixed(tuple(free_vars(expr)))

    def _fixed(self, atoms: Sequence[Atom]) -> bool:
        return all(self.atom(atom) in (ZERO, CONSTANT) for atom in atoms)

    def _operation(self, expr: Apply) -> str:
        args = [self.atom(arg) for arg in expr.args]
        match expr.op:
            case "neg":
                return args[0]
            case "add" | "sub" if expr.args[0].type.dtype.is_float:
                return _sum(args[0], args[1])
            case "mul" | "scale" if LINEAR in args:
                return LINEAR if CONSTANT in args or ZERO in args else OTHER
            case "div" if args == [LINEAR, CONSTANT]:
                return LINEAR
            case op if op in _MOVES and self._fixed(expr.args[1:]):
                return args[0]
            case "update" | "update_slice" | "accumulate" if self._fixed(expr.args[2:]):
                return _sum(args[0], args[1])
            case _:
                return CONSTANT if self._fixed(expr.args) else OTHER


def _sum(x: str, y: str) -> str:
    """Of two values, added or one put into the other."""
    if ZERO in (x, y):
        return y if x == ZERO else x
    return x if x == y else OTHER
