"""Ranges: run-time checks and comparisons of integers that always turn out the same way are decided now.

A simplifying walk that carries `Facts`: a loop tells the range of its counter, a branch its condition, a check what it
checked, a type that its sizes are not negative. `min` and `max` of integers are decided along with comparisons, and a
remainder whose quotient is known (0, 1 or -1: an index that wraps around) becomes a difference.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ..ir.core import Apply, Check, Expr, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import I64, Atom, Type, Var, boolean
from ..ir.walk import inline
from . import algebra, dce, views
from .affine import Affine, form_of, variable
from .control import forms
from .facts import Facts
from .notes import Notes
from .rewrite import Form, Rewriter, Rule

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_BASE = algebra.RULES | views.RULES


def run(function: Function, notes: Notes) -> Function:
    """The function without the checks and comparisons that can be decided."""
    walk = Walk()
    return dce.run(walk.function(function), notes)


class Walk:
    """A rewriter together with what it knows of integers; `first` may deal with a structured form by itself."""

    def __init__(self, first: Form | None = None) -> None:
        self._first = first
        rules: dict[str, Rule] = dict(_BASE)
        for op in _COMPARISONS:
            rules[op] = self._compare
        for op in ("min", "max"):
            rules[op] = self._extreme
        rules["mod"] = self._remainder
        self._forms = forms(lambda _r, _expr, trips: trips == 1)
        self.r = Rewriter(rules, self._form)
        self.facts = Facts(self.r.defs, self.r.births)
        self.r.observe = self._observe
        self.r.entering = self._entering

    def function(self, function: Function) -> Function:
        for param in function.params:
            for size in param.type.shape:
                self.facts.size(size)
        return self.r.function(function)

    def _observe(self, var: Var) -> None:
        """An array exists: its sizes are not negative, up to one that may be 0. Of no rows the size means nothing."""
        for size in var.type.shape:
            self.facts.size(size)
            if var.type.rank > 1 and not self.facts.proves(self.facts.form(size).shifted(-1)):
                return

    # -- operations ---------------------------------------------------------------------------

    def _compare(self, r: Rewriter, e: Apply, type: Type) -> Atom | Apply | None:
        new = _BASE[e.op](r, e, type)
        if new is not None or e.args[0].type.dtype is not I64:
            return new
        verdict = self.facts.decide(e.op, e.args[0], e.args[1])
        return None if verdict is None else boolean(verdict)

    def _extreme(self, r: Rewriter, e: Apply, type: Type) -> Atom | Apply | None:
        new = _BASE[e.op](r, e, type)
        if new is not None or type.dtype is not I64:
            return new
        x, y = e.args
        if (first := self.facts.decide("le" if e.op == "min" else "ge", x, y)) is not None:
            return x if first else y
        return None

    def _remainder(self, r: Rewriter, e: Apply, type: Type) -> Atom | Apply | None:
        new = _BASE["mod"](r, e, type)
        if new is not None or type.dtype is not I64:
            return new
        x, y = e.args
        dividend, divisor = self.facts.form(x), self.facts.form(y)
        for quotient in (0, 1, -1):
            rest = dividend.plus(divisor, -quotient)
            if self.facts.proves(rest) and self.facts.proves(divisor.plus(rest, -1).shifted(-1)):
                return Apply("sub" if quotient > 0 else "add", (x, y)) if quotient else x
        return None

    # -- structured forms ---------------------------------------------------------------------

    def _form(self, r: Rewriter, stm: Stm) -> bool:
        if isinstance(stm.expr, Check):
            return self._check(r, stm.expr)
        return (self._first is not None and self._first(r, stm)) or self._forms(r, stm)

    @contextmanager
    def _entering(self, expr: Expr, k: int, lam: Lambda) -> Generator[None]:
        """A sub-block sees the branch taken, the range of its counter, the direction of its carried integers."""
        facts = self.facts
        with facts.scope():
            match expr:
                case If(cond):
                    facts.assume(cond, truth=k == 0)
                case For(count, init):
                    facts.counter(lam.params[0], count)
                    self._directions(init, lam.params[1:], lam)
                case Map(size) | Scatter(size):
                    facts.counter(lam.params[0], size)
                case Reduce(size) | Scan(size) | Hist(size) if k == 1:
                    facts.counter(lam.params[0], size)
                case While(init, cond):
                    self._directions(init, lam.params, expr.body)
                    if k == 1:
                        facts.assume(self._condition(cond, lam.params), truth=True)
                case _:
                    pass
            yield

    def _condition(self, cond: Lambda, params: tuple[Var, ...]) -> Atom:
        """The condition of a loop over the parameters of its body, defined for the facts only."""
        block = inline(cond, params)
        for stm in block.stms:
            if isinstance(stm.expr, Apply):
                self.r.defs[stm.vars[0].name] = Apply(stm.expr.op, self.r.atoms(stm.expr.args), stm.expr.attrs)
        return self.r.atom(block.results[0])

    def _directions(self, init: Sequence[Atom], params: Sequence[Var], body: Lambda) -> None:
        """A carried integer that never goes down stays above its initial value."""
        defs = {stm.vars[0].name: stm.expr for stm in body.body.stms if len(stm.vars) == 1}
        carried = body.params[len(body.params) - len(init) :]
        for start, seen, param, result in zip(init, params, carried, body.body.results, strict=True):
            if param.type.dtype is not I64 or param.type.shape:
                continue
            step = form_of(result, defs).plus(variable(param.name), -1)
            if step.terms or abs(step.const) > 1 << 10 or not self.facts.is_tame(start):
                continue
            self.facts.counted(seen)
            difference = variable(seen.name).plus(self.facts.form(start), -1)
            self.facts.learn(difference if step.const >= 0 else difference.times(-1))

    def _check(self, r: Rewriter, check: Check) -> bool:
        args = r.atoms(check.args)
        if self._proved(check.kind, args) or self._forms(r, Stm((), check, r.pos)):
            return True
        self.check_here(Check(check.kind, args, check.info))
        return True

    def check_here(self, check: Check) -> list[Affine]:
        """Emit a check and learn what it tells; returns, of an index, the forms that are not negative after it."""
        self.r.emit((), check)
        self._learn(check.kind, check.args)
        if check.kind != "bounds":
            return []
        index, size = map(self.facts.form, check.args)
        return [index, size.plus(index, -1).shifted(-1)]

    def _proved(self, kind: str, args: tuple[Atom, ...]) -> bool:
        facts = self.facts
        match kind:
            case "bounds":
                return facts.within(args[0], args[1])
            case "equal":
                return facts.decide("eq", args[0], args[1]) is True
            case "nonneg":
                return facts.proves(facts.form(args[0]))
            case "nonempty":
                return facts.proves(facts.form(args[0]).shifted(-1))
            case "nonzero" if args[0].type.dtype is I64:
                form = facts.form(args[0])
                return facts.proves(form.shifted(-1)) or facts.proves(form.times(-1).shifted(-1))
            case _:
                return False

    def _learn(self, kind: str, args: tuple[Atom, ...]) -> None:
        facts = self.facts
        match kind:
            case "bounds":
                facts.learn_within(args[0], args[1])
            case "equal":
                facts.learn_equal(facts.form(args[0]), facts.form(args[1]))
            case "nonneg":
                facts.learn(facts.form(args[0]))
            case "nonempty":
                facts.learn(facts.form(args[0]).shifted(-1))
            case "assert" | "raise" | "domain" | "overflow":
                facts.assume(args[0], truth=True)
            case _:
                pass
