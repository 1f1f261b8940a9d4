"""What is known of integers at a point of the program, and proofs of `form >= 0` from it.

Facts are affine forms known not to be negative: counters are within their loops, sizes are not negative, a check that
passed or a branch that was taken told something. A goal is proved by eliminating its youngest variable with a fact of
the same sign (one step of Fourier and Motzkin), or by cases when that variable is a `select`, `min` or `max`; failing
that, by trying all rounds of the loops around, when they are few (`grids`).

Forms are about true integers, while variables wrap around at 2^64. So a variable is expanded into its definition only
when the variables in it are *tame*: sizes, counters and what was checked against them, which stay below 2^48 because
memory and time do; coefficients are limited so that no sum reaches 2^63. An integer of the user is not tame, and stays
an unknown of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from ..ir.core import Apply, Expr
from ..ir.types import BOOL, I64, Atom, Lit, Var
from ..records import dataclass, field
from .affine import ZERO, Affine, form_of, variable
from .grids import Grid, Unknown

_STEPS = 60
_MAX_WEIGHT = 1 << 12  # of a form that is expanded
_MAX_CHOICE = 1 << 4  # of an operand of min, max, mod, ..., whose result is a variable of its own
_MAX_CONST = 1 << 60
_MAX_USED = 4  # facts used before no more cases are distinguished


@dataclass(slots=True)
class Facts:
    """`defs` are the definitions of the variables in scope, `births` the order in which they were bound."""

    defs: Mapping[str, Expr]
    births: Mapping[str, int]
    tame: set[str] = field(default_factory=set[str])
    _facts: dict[str, list[Affine]] = field(default_factory=dict[str, list[Affine]])
    _unequal: list[Affine] = field(default_factory=list[Affine])
    _trail: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    _forms: dict[str, Affine] = field(default_factory=dict[str, Affine])
    _counts: dict[str, Atom] = field(default_factory=dict[str, Atom])
    _steps: int = 0

    # -- learning -----------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Generator[None]:
        """What is learnt inside is forgotten at the end."""
        mark = len(self._trail)
        yield
        for undo, name in reversed(self._trail[mark:]):
            if undo == "fact":
                self._facts[name].pop()
            elif undo == "unequal":
                self._unequal.pop()
            elif undo == "tame":
                self.tame.discard(name)
            elif undo == "count":
                self._counts.pop(name, None)
            else:
                self._forms.pop(name, None)
        del self._trail[mark:]

    def size(self, atom: Atom) -> None:
        """The atom is the size of an array that exists."""
        if isinstance(atom, Var) and atom.name not in self.tame:
            self._tame(atom.name)
            self.learn(self.form(atom))

    def counter(self, counter: Var, count: Atom) -> None:
        """The counter runs from 0 below `count`; so inside the loop `count` is positive."""
        self._tame(counter.name)
        self._counts[counter.name] = count
        self._trail.append(("count", counter.name))
        own, end = variable(counter.name), self.form(count)
        self.learn(own)
        self.learn(end.plus(own, -1).shifted(-1))
        self.learn(end.shifted(-1))

    def counted(self, var: Var) -> None:
        """The variable moves by a constant from a tame start, at most once per iteration."""
        self._tame(var.name)

    def learn(self, form: Affine) -> None:
        """The form is not negative."""
        for name in form.terms:
            self._facts.setdefault(name, []).append(form)
            self._trail.append(("fact", name))

    def _tame(self, name: str) -> None:
        if name not in self.tame:
            self.tame.add(name)
            self._trail.append(("tame", name))

    def learn_equal(self, x: Affine, y: Affine) -> None:
        self.learn(x.plus(y, -1))
        self.learn(y.plus(x, -1))

    def learn_within(self, index: Atom, size: Atom) -> None:
        """0 <= index < size."""
        low, end = self.form(index), self.form(size)
        self.learn(low)
        self.learn(end.plus(low, -1).shifted(-1))
        if isinstance(index, Var):
            self._tame(index.name)

    def assume(self, cond: Atom, truth: bool) -> None:
        """A condition holds, or does not."""
        for fact in self._meaning(cond, truth):
            self.learn(fact)
        for difference in self._differences(cond, truth):
            self._unequal.append(difference)
            self._trail.append(("unequal", ""))

    def are_unequal(self, x: Affine, y: Affine) -> bool:
        """Was it said that these differ?"""
        difference = x.plus(y, -1)
        return any(difference in (known, known.times(-1)) for known in self._unequal)

    def _differences(self, cond: Atom, truth: bool) -> list[Affine]:
        """What is not 0 if a condition holds, or does not."""
        match self.defs.get(cond.name) if isinstance(cond, Var) else None:
            case Apply("not", (x,)):
                return self._differences(x, not truth)
            case Apply("and" | "or" as op, (x, y)) if truth == (op == "and") and x.type.dtype is BOOL:
                return [*self._differences(x, truth), *self._differences(y, truth)]
            case Apply("ne" | "eq" as op, (x, y)) if truth == (op == "ne") and x.type.dtype is I64:
                return [form_of(x, self.defs).plus(form_of(y, self.defs), -1)]
            case _:
                return []

    def _meaning(self, cond: Atom, truth: bool) -> list[Affine]:
        expr = self.defs.get(cond.name) if isinstance(cond, Var) else None
        if not isinstance(expr, Apply):
            return []
        match expr.op, truth:
            case "not", _:
                return self._meaning(expr.args[0], not truth)
            case ("and", True) | ("or", False):
                if expr.args[0].type.dtype is BOOL:
                    return self._meaning(expr.args[0], truth) + self._meaning(expr.args[1], truth)
                return []
            case _:
                return self._comparison(expr, truth)

    def _comparison(self, expr: Apply, truth: bool) -> list[Affine]:
        if expr.op not in _NEGATED or expr.args[0].type.dtype is not I64:
            return []
        x, y = self.form(expr.args[0]), self.form(expr.args[1])
        match expr.op if truth else _NEGATED[expr.op]:
            case "lt":
                return [y.plus(x, -1).shifted(-1)]
            case "le":
                return [y.plus(x, -1)]
            case "gt":
                return [x.plus(y, -1).shifted(-1)]
            case "ge":
                return [x.plus(y, -1)]
            case "eq":
                return [x.plus(y, -1), y.plus(x, -1)]
            case _:
                return []

    # -- forms --------------------------------------------------------------------------------

    def form(self, atom: Atom) -> Affine:
        """The atom as a form over true integers."""
        if isinstance(atom, Lit):
            return Affine(int(atom.value), {})
        known = self._forms.get(atom.name)
        if known is None:
            known = form_of(atom, self.defs, self._opaque)
            if _weight(known) > _MAX_WEIGHT or abs(known.const) > _MAX_CONST:
                known = variable(atom.name)
            self._forms[atom.name] = known
            self._trail.append(("form", atom.name))
        return known

    def _opaque(self, name: str) -> bool:
        """Not to be expanded: one operand of its definition is wild."""
        expr = self.defs.get(name)
        return not isinstance(expr, Apply) or not all(self.is_tame(arg) for arg in expr.args)

    def is_tame(self, atom: Atom) -> bool:
        """Is the atom small enough for sums of it not to overflow?"""
        if isinstance(atom, Lit):
            return atom.dtype is I64 and abs(atom.value) < _MAX_CONST
        if atom.name in self.tame:
            return True
        expr = self.defs.get(atom.name)
        if not isinstance(expr, Apply) or atom.type.dtype is not I64:
            return False
        match expr.op:
            case "add" | "sub" | "neg":
                tame = all(self.is_tame(arg) for arg in expr.args)
            case "mul":
                tame = isinstance(expr.args[1], Lit) and self.is_tame(expr.args[0])
            case "min" | "max" | "floordiv":
                tame = all(self._is_light(arg) for arg in expr.args)
            case "mod":
                tame = self._is_light(expr.args[1])
            case "select":
                tame = all(self._is_light(arg) for arg in expr.args[1:])
            case "convert":
                tame = not expr.args[0].type.dtype.is_float
            case _:
                tame = False
        if (tame and self.form(atom) != variable(atom.name)) or (tame and expr.op not in ("add", "sub", "neg", "mul")):
            self._tame(atom.name)
            return True
        return False

    def _is_light(self, atom: Atom) -> bool:
        return self.is_tame(atom) and _weight(self.form(atom)) <= _MAX_CHOICE

    # -- proving ------------------------------------------------------------------------------

    def within(self, index: Atom, size: Atom) -> bool:
        """Is 0 <= index < size on every run?"""
        low = self.form(index)
        return self.proves(low) and self.proves(self.form(size).plus(low, -1).shifted(-1))

    def decide(self, op: str, x: Atom, y: Atom) -> bool | None:
        """The outcome of an i64 comparison, when it is the same on every run."""
        difference = self.form(y).plus(self.form(x), -1)
        match op:
            case "lt":
                return self._outcome(difference.shifted(-1), difference.times(-1))
            case "le":
                return self._outcome(difference, difference.times(-1).shifted(-1))
            case "gt":
                return self._outcome(difference.times(-1).shifted(-1), difference)
            case "ge":
                return self._outcome(difference.times(-1), difference.shifted(-1))
            case "eq" | "ne":
                return self._equal(difference, op == "eq")
            case _:
                return None

    def _outcome(self, yes: Affine, no: Affine) -> bool | None:
        return True if self.proves(yes) else False if self.proves(no) else None

    def _equal(self, difference: Affine, wanted: bool) -> bool | None:
        if self.proves(difference.shifted(-1)) or self.proves(difference.times(-1).shifted(-1)):
            return not wanted
        same = self.proves(difference) and self.proves(difference.times(-1))
        return wanted if same else None

    def proves(self, goal: Affine, steps: int = _STEPS) -> bool:
        """Is the form never negative? Looked for in so many steps."""
        self._steps = steps
        return self._nonneg(goal, ()) or self._in_every_round(goal)

    def _in_every_round(self, goal: Affine) -> bool:
        """What is not linear in the counters of short loops is tried."""
        if not self._counts or all(name in self._counts for name in goal.terms):
            return False
        try:
            return Grid(self.defs, self._counts).never_negative(goal)
        except Unknown:
            return False

    def _nonneg(self, goal: Affine, used: tuple[Affine, ...]) -> bool:
        if not goal.terms:
            return goal.const >= 0
        self._steps -= 1
        if self._steps < 0:
            return False
        name = max(goal.terms, key=self._age)
        coefficient = goal.terms[name]
        for fact in (*self._facts.get(name, ()), *self._defining(name)):
            a = fact.terms.get(name, 0)
            if a * coefficient > 0 and not any(fact is f for f in used):
                # goal >= 0 when |a| * goal > -|a|: these are integers.
                rest = goal.times(abs(a)).shifted(abs(a) - 1).plus(fact, -abs(coefficient))
                if self._nonneg(rest, (*used, fact)):
                    return True
        return self._by_cases(goal, name, used)

    def _age(self, name: str) -> tuple[int, str]:
        return self.births.get(name, -1), name

    def _defining(self, name: str) -> Iterable[Affine]:
        """Facts that follow from the definition of a variable."""
        expr = self.defs.get(name)
        if not isinstance(expr, Apply):
            return ()
        own = variable(name)
        match expr.op, expr.args:
            case "mod", (_, y):
                end = self.form(y)
                return (own, end.plus(own, -1).shifted(-1)) if self._nonneg(end.shifted(-1), ()) else ()
            case "floordiv", (x, Lit(int(divisor))) if divisor > 0 and self.is_tame(x):
                rest = self.form(x).plus(own, -divisor)
                return (rest, rest.times(-1).shifted(divisor - 1))
            case "min", (x, y):
                return (self.form(x).plus(own, -1), self.form(y).plus(own, -1))
            case "max", (x, y):
                return (own.plus(self.form(x), -1), own.plus(self.form(y), -1))
            case "index", (Var(array), *at):
                order = self.defs.get(array)
                if isinstance(order, Apply) and order.op == "argsort" and len(at) == order.args[0].type.rank:
                    return (own, self.form(order.args[0].type.shape[-1]).plus(own, -1).shifted(-1))
                return ()
            case _:
                return ()

    def _by_cases(self, goal: Affine, name: str, used: tuple[Affine, ...]) -> bool:
        expr = self.defs.get(name)
        if not isinstance(expr, Apply) or len(used) > _MAX_USED:
            return False
        match expr.op, expr.args:
            case "select", (cond, x, y):
                cases = [(self._meaning(cond, True), x), (self._meaning(cond, False), y)]
            case (("min" | "max"), (x, y)):
                difference = self.form(y).plus(self.form(x), -1).times(1 if expr.op == "min" else -1)
                cases = [([difference], x), ([difference.times(-1)], y)]
            case _:
                return False
        rest, own = goal.without(name), variable(name)
        for assumptions, value in cases:
            gap = own.plus(self.form(value), -1).times(-1 if expr.op == "min" else 1)
            if expr.op != "select" and self._nonneg(gap.shifted(-1), (*used, *[ZERO] * _MAX_USED)):
                continue  # it is known to be the other operand
            with self.scope():
                for assumption in assumptions:
                    self.learn(assumption)
                if not self._nonneg(rest.plus(self.form(value), goal.terms[name]), (*used, ZERO)):
                    return False
        return True


def _weight(form: Affine) -> int:
    return sum(abs(coefficient) for coefficient in form.terms.values())


_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
