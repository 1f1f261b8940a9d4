"""Functions with rules of their own (`tp.custom_jvp`, `tp.custom_vjp`), in both modes.

A rule for tangents serves forward mode as it is, and reverse mode by pulling back through it: it is linear in the
tangents, so the point at which they are taken does not matter. A rule for adjoints serves reverse mode only.
Differentiating again goes through the rules, which are ordinary programs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DerivativeError, Place
from ..ir.build import Builder
from ..ir.core import Apply, Custom, Lambda, Pos, Stm
from ..ir.types import Atom, Var, boolean, zero
from ..ir.walk import fresh, inline, substitute
from .adjoints import Scope
from .again import again_rule
from .jvp_tangents import MaybeAtoms, Tangents
from .sweep import Back, Pull, Sweep, nothing, pulled
from .values import rerun, zeros


def push_custom(t: Tangents, b: Builder, vars: Sequence[Var], expr: Custom) -> None:
    """Forward mode: the rule computes the values and the tangents."""
    if all(t.of(arg) is None for arg in expr.args):
        b.stms.append(Stm(tuple(vars), expr, b.pos))
        return
    if expr.backward is not None:
        raise DerivativeError(
            "a function with tp.custom_vjp cannot be differentiated in forward mode",
            place=place(b.pos),
            why="its rule says how adjoints are pulled back, not how tangents are pushed forward",
            fix="use reverse mode (tp.grad, tp.vjp, tp.jacrev), or give the rule with tp.custom_jvp",
        )
    assert expr.forward is not None  # a scope without a rule is pushed as it is
    tangents = [t.filled(b, arg) for arg in _floats(expr.args)]
    results = b.splice(inline(expr.forward, (*expr.args, *tangents)))
    _bind(b, vars, results)
    smooth = [var for var in vars if var.type.dtype.is_float]
    for var, x_dot in zip(smooth, results[len(vars) :], strict=True):
        t.define(var, x_dot)


def custom_rule(sweep: Sweep, stm: Stm) -> Back:
    """Reverse mode: the rule for adjoints, or the adjoint of the rule for tangents."""
    expr = stm.expr
    assert isinstance(expr, Custom)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    if expr.forward is None:
        return again_rule(sweep, stm, expr.body)
    dual, masked = expr.forward, any(var.name in sweep.masked for var in stm.vars)
    if expr.backward is None:
        sweep.emit(stm)
        return lambda scope: _back(scope, stm, expr, _transposed(sweep, scope, expr.args, dual, masked))
    results = sweep.b.splice(inline(expr.forward, expr.args))
    _bind(sweep.b, stm.vars, results)
    kept, rule = results[len(stm.vars) :], expr.backward
    return lambda scope: _back(scope, stm, expr, _applied(scope, rule, kept), unless_zero=masked)


def _back(scope: Scope, stm: Stm, expr: Custom, pull: Pull, *, unless_zero: bool = False) -> None:
    """Add to the adjoints of the arguments what the rule answers for those of the results."""
    smooth = [var for var in stm.vars if var.type.dtype.is_float]
    seeds = [scope.take(var) for var in smooth]
    if all(seed is None for seed in seeds):
        return
    args = _floats(expr.args)
    if unless_zero:
        answers = _unless_zero(scope.b, pull, seeds, args)
    else:
        answers = pull(scope.b, seeds)
    for arg, x_adj in zip(args, answers, strict=True):
        scope.add(arg, x_adj)


def _transposed(sweep: Sweep, scope: Scope, operands: Sequence[Atom], dual: Lambda, masked: bool) -> Pull:
    """The adjoint of a rule for tangents, whose own products let zeros win where adjoints may be `masked`."""

    def pull(b: Builder, seeds: Sequence[Atom | None]) -> MaybeAtoms:
        args = tuple(scope.primal(arg) for arg in operands)
        tangents = tuple(fresh("x_dot", arg.type) for arg in _floats(args))
        rule = inline(dual, (*args, *tangents))
        inner, again = b.child(), rerun(substitute(rule, scope.restorations()))
        chosen = [x.name for x in again.results if isinstance(x, Var)] if masked else ()
        back = pulled(inner, sweep.rules, again, tangents, sweep.plan, chosen)
        answers = back(inner, [None] * (len(rule.results) - len(seeds)) + list(seeds))
        points = {x_dot: zeros(b, x_dot.type) for x_dot in tangents}
        made = iter(b.splice(substitute(inner.block(x for x in answers if x is not None), points)))
        return tuple(None if x is None else next(made) for x in answers)

    return pull


def _applied(scope: Scope, rule: Lambda, kept: Sequence[Atom]) -> Pull:
    """A rule for adjoints, applied to what the forward sweep kept."""

    def pull(b: Builder, seeds: Sequence[Atom | None]) -> MaybeAtoms:
        wanted = rule.params[len(kept) :]
        full = [zeros(b, param.type) if x is None else x for x, param in zip(seeds, wanted, strict=True)]
        block = inline(rule, (*(scope.primal(x) for x in kept), *full))
        return b.splice(substitute(block, scope.restorations()))

    return pull


def _unless_zero(b: Builder, pull: Pull, seeds: Sequence[Atom | None], args: Sequence[Atom]) -> MaybeAtoms:
    """Where all adjoints are zero so are the answers, whatever the rule multiplies them with."""
    some: Atom = boolean(False)
    for seed in seeds:
        if seed is not None:
            some = b.apply("or", some, _any(b, seed))

    def taken(b: Builder) -> Sequence[Atom]:
        answers = pull(b, seeds)
        return [zeros(b, arg.type) if x is None else x for x, arg in zip(answers, args, strict=True)]

    return b.if_(some, taken, lambda b: [zeros(b, arg.type) for arg in args])


def _any(b: Builder, x: Atom) -> Atom:
    """Is any element other than zero?"""
    if not x.type.is_array:
        return b.apply("ne", x, zero(x.type.dtype))
    size = x.type.shape[0]
    return b.reduce(size, "or", (boolean(False),), lambda b, i: (_any(b, b.apply("index", x, i)),))[0]


def _bind(b: Builder, vars: Sequence[Var], atoms: Sequence[Atom]) -> None:
    """Let the variables be the atoms, by operations that change nothing."""
    for var, atom in zip(vars, atoms, strict=False):
        same = (
            Apply("reshape", (atom, *var.type.shape))
            if var.type.is_array
            else Apply("convert", (atom,), (var.type.dtype,))
        )
        b.stms.append(Stm((var,), same, b.pos))


def _floats(atoms: Sequence[Atom]) -> list[Atom]:
    return [atom for atom in atoms if atom.type.dtype.is_float]


def place(pos: Pos | None) -> Place | None:
    """A position as errors show it."""
    return Place(pos.file, pos.line, pos.col, pos.end_col) if pos else None
