"""Mutants of the derivative rules (`rule_mutants`) that change nothing a law could see, each with the reason.

A mutant is named by its file, the change and the text that is changed. Most of them concern cost, which `counting`
judges, or the words of an explanation.
"""

from __future__ import annotations

from .rule_mutants import Mutant

COST = "chooses between two ways that give the same"
GUARD = "guards more products than need be"
DEAD = "what it makes besides is dead code"
PLAN = "says what is kept, not what is computed; the tests of the planner hold plans to their limits"
PLACE = "keeps an array in place; values are immutable, so the old array would do"
SAME = "both sides agree in what is asked"
NAMES = "names only"

EQUIVALENT: dict[str, dict[str, str]] = {
    "branches": {
        "condition negated: if mentions(deposit.value.type, inside):": "such a part is refused below too",
        "condition negated: if not entry.covers(size):": COST,
        "statement dropped: entries.append(entry)": "places that cover their dimension say no more than none",
        "statement dropped: restores(scope)": PLACE,
        "first operand dropped: restores or nothing": PLACE,
        "index off by one: extra[0]": SAME,
    },
    "functions": {
        "condition negated: atom.name.split('.', maxsplit=1)[0] if isinstance(atom, Var) else 't'": NAMES,
        "comparison changed: var not in sizes": "preparing asks what a block computes, not what it is given",
    },
    "jacobians": {
        "first operand dropped: _is_straight(block) and _is_short(block, len(results) - count)": COST,
        "second operand dropped: _is_straight(block) and _is_short(block, len(results) - count)": COST,
        "sign changed: len(results) - count": COST,
        "condition negated: plan if unrolled else plan.in_parallel()": PLAN,
        "first operand dropped: unrolled and (not row.side.is_whole)": COST,
        "second operand dropped: unrolled and (not row.side.is_whole)": COST,
    },
    "jvp_extrema": {
        "sign changed: count + k": "no associative operator reads one operand of an extremum alone",
    },
    "jvp_scatter": {
        "condition negated: if all((isinstance(stm.expr, Apply) for stm in again.stms)):": COST,
    },
    "jvp_tangents": {
        "first operand dropped: x_dot is not None and (not is_literal(x_dot, 0.0))": "None is no tangent either way",
        "second operand dropped: x_dot is not None and (not is_literal(x_dot, 0.0))": COST,
    },
    "local": {
        "condition negated: if isinstance(array, Var):": PLACE,
        "statement dropped: scope.restore(array, write_back(scope.b, expr, scope.primal(out), old))": PLACE,
        "comparison changed: k + 1 < len(parts)": DEAD,
        "sign changed: k + 1": DEAD,
    },
    "settled": {
        "first operand dropped: place.coefficient(counter.name) == 0 or not changing.isdisjoint(place.terms)": (
            "a place that does not move has nothing behind it"
        ),
        "comparison changed: place.coefficient(counter.name) == 0": COST,
        "index off by one: body.params[0]": COST,
        "sign changed: uses[param.name] - 1": COST,
        "first operand dropped: isinstance(stm.expr, Apply) and stm.expr.op == 'index' and "
        "(stm.expr.args[0] == array)": COST,
        "comparison changed: stm.expr.op == 'index'": COST,
        "comparison changed: stm.expr.args[0] == array": COST,
        "index off by one: stm.expr.args[0]": COST,
    },
    "sweep": {
        "condition negated: if back is nothing:": COST,
        "comparison changed: back is nothing": COST,
        "second operand dropped: isinstance(atom, Var) and atom.name in self.varied": DEAD,
        "first operand dropped: singular and stm.vars[0].name in self.masked": GUARD,
        "second operand dropped: singular and stm.vars[0].name in self.masked": GUARD,
        "second operand dropped: isinstance(x, Var) and x.name in self.unbounded": GUARD,
        "second operand dropped: isinstance(result, Var) and (unknown if var is None else var.name in names)": GUARD,
        "first operand dropped: stm.vars[0].name in self.steep and may_vanish(expr.op, k)": GUARD,
        "second operand dropped: stm.vars[0].name in self.steep and may_vanish(expr.op, k)": GUARD,
        "first operand dropped: plan or Plan()": PLAN,
        "first operand dropped: plan or self.plan": PLAN,
    },
}


def reason(mutant: Mutant) -> str:
    """Why the change means nothing; empty when it should be caught."""
    return EQUIVALENT.get(mutant.module, {}).get(mutant.change, "")
