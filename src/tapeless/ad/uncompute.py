"""Loops that are run backwards: the return sweep keeps nothing, and brings back each state from the one after it.

    forward:  for i < n:  y = body(i, y)
    return:   for i = n-1 ... 0:  y = inverse(i, y);  run body(i, y) again;  y_adj, free_adj = back through it

The memory does not depend on the number of iterations. In floats a state that is brought back differs from what it was
by rounding, as `inversion.undo` says, and what the inverse does to small differences it does to these. So it is done
where it is asked for (`memory="reversible"`, `@tp.reversible`); and where states do not fit, if the loop comes back to
where it began: it is run backwards once on trial, and unless its first state is found again to within `DRIFT` of the
largest number in it, the return sweep runs from the states that were kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..inversion.inverse import inverse_step
from ..inversion.solving import CannotInvert
from ..ir.build import Builder
from ..ir.core import For, Lambda, Reduce, Stm
from ..ir.types import F32, F64, I64, Atom, Lit, Type, Var, boolean, i64
from ..ir.walk import fresh, inline, substitute
from .adjoints import ArmScope, Scope
from .announce import announce_backwards, announce_irreversible
from .bits import Backwards, keeping_bits
from .branches import join
from .iteration import run_back
from .planner import Plan
from .sweep import Sweep

# How far a number of the first state may be off, relative to the largest of its array.
DRIFT = {F64: 1e-8, F32: 1e-4}


def inverse_of(sweep: Sweep, stm: Stm) -> Backwards | None:
    """One iteration backwards; None when it cannot be found."""
    expr = stm.expr
    assert isinstance(expr, For)
    try:
        return Backwards(inverse_step(expr, sweep.before))
    except CannotInvert:
        return None


def forward(sweep: Sweep, stm: Stm, counted: Stm, plan: Plan) -> Backwards | None:
    """Emit a loop that is to run backwards, if it can; one iteration of it backwards.

    Unless that is forbidden, it keeps a bit of each iteration for a branch of which nothing tells which way was taken.
    """
    expr = stm.expr
    assert isinstance(expr, For)
    try:
        found = Backwards(inverse_step(expr, sweep.before))
    except CannotInvert as problem:
        kept = None if plan.strict else keeping_bits(sweep, counted)
        if kept is None:
            announce_irreversible(plan, stm.pos, problem.what)
        return kept
    sweep.emit(counted)
    return found


def back(
    sweep: Sweep, scope: Scope, stm: Stm, found: Backwards, adjoints: Sequence[Atom | None], plan: Plan
) -> dict[int, Var]:
    """Emit the return sweep of a loop; the carried arrays as they were before it."""
    expr = stm.expr
    assert isinstance(expr, For)

    def begin(b: Builder, i: Var, carried: Sequence[Var]) -> tuple[list[Var], Callable[[Scope], Sequence[Atom]]]:
        block = substitute(inline(found.inverse, (i, *carried)), scope.restorations())
        start = [_named(b, atom) for atom in b.splice(block)]
        return start[: len(stm.vars)], lambda child: [child.primal(x) for x in start]

    finals = (*(scope.primal(var) for var in stm.vars), *found.places)
    run = run_back(sweep, scope, stm, adjoints, plan, finals, begin)
    announce_backwards(plan, stm.pos, expr.count, [var.type for var in stm.vars], DRIFT[F64])
    return {k: var for k, var in enumerate(run.memory[: len(stm.vars)]) if var.type.shape}


def back_unless_it_drifts(
    sweep: Sweep,
    scope: Scope,
    stm: Stm,
    inverse: Backwards,
    adjoints: Sequence[Atom | None],
    plan: Plan,
    otherwise: Callable[[Scope], dict[int, Var]],
) -> dict[int, Var]:
    """As `back` where the loop comes back to its first state, else what `otherwise` emits."""
    found = _comes_back(scope, stm, inverse.inverse)
    arms = [ArmScope(scope.b.child(), scope.varied, set(), scope) for _ in range(2)]
    ends = [back(sweep, arms[0], stm, inverse, adjoints, plan), otherwise(arms[1])]
    arrays = list(ends[1])
    made = join(scope, found, arms, [[end[k] for k in arrays] for end in ends])
    return dict(zip(arrays, made, strict=True))


def _comes_back(scope: Scope, stm: Stm, inverse: Lambda) -> Atom:
    """Run the loop backwards on trial: is every number near enough to what it was?"""
    expr, b = stm.expr, scope.b
    assert isinstance(expr, For)
    turn, inner = fresh("turn", Type(I64)), b.child()
    lasts = [fresh("last", var.type) for var in stm.vars]
    i = inner.apply("sub", inner.apply("sub", expr.count, i64(1)), turn, hint="i")
    starts = inner.splice(substitute(inline(inverse, (i, *lasts)), scope.restorations()))
    loop = For(expr.count, tuple(scope.primal(var) for var in stm.vars), Lambda((turn, *lasts), inner.block(starts)))
    found = b.bind([var.type for var in stm.vars], loop, "first")
    near: Atom = boolean(True)
    for first, start in zip(found, expr.init, strict=True):
        if first.type.dtype.is_float:
            near = b.apply("and", near, _is_near(b, first, scope.primal(start)))
    return near


def _is_near(b: Builder, found: Atom, expected: Atom) -> Atom:
    """Is each element within `DRIFT` of the largest one?"""

    def magnitude(b: Builder, x: Atom) -> Atom:
        return b.apply("abs", x)

    def difference(b: Builder, x: Atom, y: Atom) -> Atom:
        return b.apply("abs", b.apply("sub", x, y))

    dtype = expected.type.dtype
    limit = b.apply("mul", _largest(b, (expected,), magnitude), Lit(DRIFT[dtype], dtype))
    return b.apply("le", _largest(b, (found, expected), difference), limit)


def _largest(b: Builder, arrays: Sequence[Atom], value: Callable[..., Atom]) -> Atom:
    """The largest value of corresponding elements; NaN if there is one."""
    if not arrays[0].type.shape:
        return value(b, *arrays)
    dtype = arrays[0].type.dtype

    def row(inner: Builder, i: Var) -> Atom:
        return _largest(inner, [inner.apply("index", array, i) for array in arrays], value)

    i, inner = fresh("i", Type(I64)), b.child()
    body = Lambda((i,), inner.block((row(inner, i),)))
    expr = Reduce(arrays[0].type.shape[0], b.operator("max", (Type(dtype),)), (Lit(0.0, dtype),), body)
    return b.bind((Type(dtype),), expr)[0]


def _named(b: Builder, atom: Atom) -> Var:
    """The value by a name of its own, which its adjoint goes by."""
    if atom.type.shape:
        return b.apply("reshape", atom, *atom.type.shape)
    return b.apply("convert", atom, attrs=(atom.type.dtype,))
