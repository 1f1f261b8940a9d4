"""Derivatives of a converted program, as programs over its parameters, ready for a back end.

The first `count` parameters vary. Results that are not floats have no derivative.

A program of few numbers is taken apart into scalars, whose Jacobian is accumulated by elimination. Everything else
stays in whole arrays for XLA, which is good at them; and in loops for a single run of machine code, which loses nothing
by short ones and is compiled in a third of the time. For lanes, with a point of a batch in each, small arrays are taken
apart as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ad.elements import Input, inputs_of
from ...ad.functions import jvp_function, vjp_function
from ...ad.jacobians import gradient
from ...ad.planner import Plan
from ...eliminate.jacobian import jacobian
from ...eliminate.methods import How
from ...ir.build import Builder
from ...ir.core import Apply, Block, Check, Custom, Expr, For, Function, If, Lambda, Stm, While
from ...ir.types import Atom, Lit
from ...ir.walk import free_vars, fresh, inline, lambdas, statements, substitute
from ...passes import forget, fuse, parallelise, scalarise, simplify, unroll, whole
from ...passes.notes import Notes
from ...passes.pipeline import Run
from ...passes.small_arrays import LIMIT
from ...passes.views import element_count

# XLA compiles more scalar code than this for too long.
LONGEST = 1500

_ARRAYS_BEFORE = (simplify.run, parallelise.run, simplify.run, whole.run, fuse.run, simplify.run)
_SCALARS_BEFORE = (
    simplify.run, parallelise.run, simplify.run, whole.run, fuse.run, unroll.run, scalarise.run, simplify.run,
)  # fmt: skip
_ARRAYS_AFTER = (forget.run, simplify.run, parallelise.run, simplify.run, fuse.run, simplify.run)
_SCALARS_AFTER = (
    forget.run, simplify.run, parallelise.run, simplify.run, fuse.run, unroll.run, scalarise.run, simplify.run,
    fuse.run, simplify.run,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """What a program is made of before and after it is differentiated."""

    before: tuple[Run, ...]
    after: tuple[Run, ...]

    def prepared(self, function: Function) -> Function:
        """The program in the form that is cheapest to differentiate; parameters are not overwritten."""
        for step in self.before:
            function = step(function, Notes())
        return Function(function.name, function.params, function.body)

    def tidied(self, function: Function) -> Function:
        """The program, simplified and fused; nothing in it is differentiated any more."""
        for step in self.after:
            function = step(function, Notes())
        return function

    def block(self, block: Block, kept: Sequence[Atom]) -> Block:
        """The same as `prepared` for a block, some of whose free variables are about to vary."""
        free = free_vars(block) | free_vars(*kept)
        return self.prepared(Function("block", tuple(free), block)).body


ARRAYS = Form(_ARRAYS_BEFORE, _ARRAYS_AFTER)
SCALARS = Form(_SCALARS_BEFORE, _SCALARS_AFTER)
# The compiler has passes of its own, which come later.
LANES = Form(_SCALARS_BEFORE, ())
LOOPS = Form(_ARRAYS_BEFORE, ())
# May be compiled by XLA as well.
PORTABLE = Form(_ARRAYS_BEFORE, (forget.run, simplify.run))


def has_while(block: Block) -> bool:
    """Is there a loop whose number of steps is not known before it runs? Derivatives by rules do not look inside."""
    return any(_is_or_has_while(stm.expr) for stm in block.stms)


def _is_or_has_while(expr: Expr) -> bool:
    match expr:
        case While():
            return True
        case Custom(forward=Lambda()):
            return False
        case _:
            return any(has_while(lam.body) for lam in lambdas(expr))


def is_small(function: Function, count: int, rows: Sequence[int]) -> bool:
    """Are all arrays of a program small, and the derivatives of some results by the first parameters too?

    XLA makes a kernel of its own of nearly every operation on them, each of which takes longer to call than to run.
    """
    sizes = [element_count(param.type) for param in function.params]
    columns = max((size or 0 for size in sizes[:count]), default=0)
    sizes += [columns * (element_count(function.result_types[k]) or LIMIT + 1) for k in rows]
    are_small = all(size is not None and size <= LIMIT for size in sizes)
    return are_small and all(_is_small(stm) for stm in statements(function.body))


def _is_small(stm: Stm) -> bool:
    match stm.expr:
        case Apply(op) if op.startswith("foreign"):
            return False
        case For(Lit() as count) if count.value > LIMIT:
            return False
        case While() | Custom():
            return False
        case _:
            return all((element_count(var.type) or LIMIT + 1) <= LIMIT for var in stm.vars if var.type.is_array)


def is_straight(function: Function) -> bool:
    """Is this straight-line code of our own operations on single numbers?"""
    return all(_is_step(stm.expr) for stm in statements(function.body))


def _is_step(expr: Expr) -> bool:
    match expr:
        case Apply(op, _, _):
            return not op.startswith("foreign")
        case Check() | If():
            return True
        case _:
            return False


def gradient_of(function: Function, count: int, scalar: int, form: Form) -> Function:
    """The results, and the derivative of one of them, a number, by each of the first parameters."""
    b = Builder()
    wrt = function.params[:count]
    # The number that is differentiated comes first.
    results = function.body.results
    order = (scalar, *(k for k in range(len(results)) if k != scalar))
    block = form.block(Block(function.body.stms, tuple(results[k] for k in order)), wrt)
    values, adjoints = gradient(b, block, wrt, Plan())
    back: list[Atom] = [values[order.index(k)] for k in range(len(results))]
    return form.tidied(Function("gradient", function.params, b.block((*back, *adjoints))))


def jacobian_of(
    function: Function, count: int, rows: Sequence[int], rest: Sequence[int], how: How, form: Form
) -> Function:
    """The results `rest`, then the derivative of each of `rows` by each of the first parameters."""
    types = [param.type for param in function.params[:count]]
    columns = inputs_of(types)
    few = _is_short(function.body) and not any(column.is_whole for column in columns)
    block = _block_of(function, columns, rows, LANES) if few or form is LANES else function.body
    if few and _is_scalar(block) and form is not LANES:
        form = LANES if form is LOOPS else SCALARS
    elif form is not LANES:
        columns = tuple(Input(type, (fresh("x", type),)) for type in types)
        block = _block_of(function, columns, rows, ARRAYS)
    inner = Builder()
    entries = jacobian(inner, block, columns, how, Plan())
    made = inner.block(entry for row in entries for entry in row)
    b = Builder()
    plain = b.splice(function.body) if rest else ()
    vars = [var for column in columns for var in column.vars]
    filled = b.splice(substitute(made, dict(zip(vars, _parts(b, function, columns), strict=True))))
    return form.tidied(Function("jacobian", function.params, b.block((*(plain[k] for k in rest), *filled))))


def _block_of(function: Function, columns: Sequence[Input], rows: Sequence[int], form: Form) -> Block:
    """The rows over the variables of the columns."""
    b = Builder()
    values = tuple(column.value(b) for column in columns)
    results = b.splice(inline(Lambda(function.params[: len(columns)], function.body), values))
    return form.block(b.block(results[k] for k in rows), [var for column in columns for var in column.vars])


def _is_short(block: Block) -> bool:
    """May this be short enough when it is written out?"""
    return sum(1 for _ in statements(block)) <= 2 * LONGEST


def _is_scalar(block: Block) -> bool:
    """Is this straight-line code of few numbers?"""
    return len(block.stms) <= LONGEST and all(isinstance(stm.expr, Apply | Check | If) for stm in statements(block))


def _parts(b: Builder, function: Function, columns: Sequence[Input]) -> list[Atom]:
    """What stands for the variables of the columns."""
    pairs = zip(columns, function.params, strict=False)
    return [part for column, param in pairs for part in column.parts(b, param)]


def pushed(function: Function, count: int, form: Form) -> Function:
    """The results, and the tangents of those that are floats, for tangents of the first parameters."""
    return form.tidied(jvp_function(form.prepared(function), range(count)))


def pulled(function: Function, count: int, form: Form) -> Function:
    """The results, and the adjoints of the first parameters, for cotangents of the results that are floats."""
    return form.tidied(vjp_function(form.prepared(function), range(count)))
