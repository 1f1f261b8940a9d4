"""Facts about integers that are known while lowering: sizes, counters and sums of them.

Integer variables are remembered as linear forms `constant + sum of coefficient * variable`, so that equal
sizes get the same atom (`n - 1 + 1` is `n` again) and most indices are seen to be in range where they are used:
`lower` holds a constant that a variable is never below, `upper` linear forms that a loop counter is never above.
Facts hold in the block where they were learnt and in blocks inside it; `child` gives a copy for those.
"""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.types import Atom, Lit, Var, i64
from ..records import dataclass, field


@dataclass(frozen=True, slots=True)
class Linear:
    """`const + sum(coef * var)`, no coefficient zero, sorted by name."""

    const: int
    terms: tuple[tuple[Var, int], ...] = ()

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        terms = dict(self.terms)
        for var, coef in other.terms:
            terms[var] = terms.get(var, 0) + factor * coef
        kept = sorted(((v, k) for v, k in terms.items() if k), key=lambda item: item[0].name)
        return Linear(self.const + factor * other.const, tuple(kept))

    def times(self, factor: int) -> Linear:
        return Linear(0).plus(self, factor)


@dataclass(slots=True)
class Sizes:
    """The facts of one block."""

    forms: dict[Var, Linear] = field(default_factory=dict[Var, Linear])
    atoms: dict[object, Atom] = field(default_factory=dict[object, Atom])
    lower: dict[Var, int] = field(default_factory=dict[Var, int])
    upper: dict[Var, tuple[Linear, ...]] = field(default_factory=dict[Var, tuple[Linear, ...]])
    equal: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    not_one: set[Atom] = field(default_factory=set[Atom])

    def child(self) -> Sizes:
        """A copy for a block inside this one."""
        return Sizes(
            dict(self.forms), dict(self.atoms), dict(self.lower), dict(self.upper), dict(self.equal), self.not_one
        )

    def linear(self, atom: Atom) -> Linear:
        """An integer atom as a linear form."""
        atom = self.canonical(atom)
        if isinstance(atom, Lit):
            return Linear(int(atom.value))
        form = self.forms.get(atom)
        if form is None:
            return Linear(0, ((atom, 1),))
        for var, coef in form.terms:
            if var in self.equal:
                form = form.plus(Linear(0, ((var, 1),)), -coef).plus(self.linear(var), coef)
        return form

    def canonical(self, atom: Atom) -> Atom:
        """The representative of the atoms known to be equal to this one."""
        while isinstance(atom, Var) and atom in self.equal:
            atom = self.equal[atom]
        return atom

    def unify(self, m: Atom, n: Atom) -> Atom:
        """Record that two atoms are equal; literals represent, else the older one, but never one made of the other."""
        m, n = self.canonical(m), self.canonical(n)
        if isinstance(n, Lit) or self._is_made_of(m, n):
            m, n = n, m
        if isinstance(n, Var) and m != n and not self._is_made_of(m, n):
            self.equal[n] = m
        return m

    def _is_made_of(self, atom: Atom, part: Atom) -> bool:
        return atom != part and any(var == part for var, _ in self.linear(atom).terms)

    def same(self, m: Atom, n: Atom) -> bool:
        """Are the two known to be equal?"""
        return m == n or self.linear(m) == self.linear(n)

    # -- arithmetic with reuse ----------------------------------------------------------------

    def add(self, b: Builder, x: Atom, y: Atom) -> Atom:
        return self._sum(b, "add", x, y, self.linear(x).plus(self.linear(y)))

    def sub(self, b: Builder, x: Atom, y: Atom) -> Atom:
        return self._sum(b, "sub", x, y, self.linear(x).plus(self.linear(y), -1))

    def mul(self, b: Builder, x: Atom, y: Atom) -> Atom:
        left, right = self.linear(x), self.linear(y)
        if not right.terms:
            left, right, x, y = right, left, y, x
        if not left.terms:
            return self._sum(b, "mul", x, y, right.times(left.const))
        low, other = self.least(x), self.least(y)
        var = self.apply(b, "mul", x, y)
        if low is not None and other is not None and low >= 0 and other >= 0:
            self._learn(var, low * other)
        return var

    def max(self, b: Builder, x: Atom, y: Atom) -> Atom:
        if self.at_least(x, y):
            return x
        if self.at_least(y, x):
            return y
        var = self.apply(b, "max", x, y)
        known = [low for low in (self.least(x), self.least(y)) if low is not None]
        if known:
            self._learn(var, max(known))
        return var

    def min(self, b: Builder, x: Atom, y: Atom) -> Atom:
        if self.at_least(x, y):
            return y
        if self.at_least(y, x):
            return x
        var = self.apply(b, "min", x, y)
        low, other = self.least(x), self.least(y)
        if low is not None and other is not None:
            self._learn(var, min(low, other))
        return var

    def apply(self, b: Builder, op: str, *args: Atom) -> Atom:
        """A pure integer operation, computed once per block."""
        key = (op, tuple(self.canonical(a) for a in args))
        if key not in self.atoms:
            self.atoms[key] = b.apply(op, *args)
        return self.atoms[key]

    def first_time(self, fact: str, *args: Atom) -> bool:
        """Was this not yet asked in this block or around it? Remembers that it was."""
        key = (fact, args)
        known = key in self.atoms
        self.atoms.setdefault(key, i64(0))
        return not known

    def _sum(self, b: Builder, op: str, x: Atom, y: Atom, form: Linear) -> Atom:
        if not form.terms:
            return i64(form.const)
        if form.const == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
            return form.terms[0][0]
        if form not in self.atoms:
            var = b.apply(op, x, y)
            self.forms[var] = form
            self.atoms[form] = var
        return self.atoms[form]

    def _learn(self, atom: Atom, low: int) -> None:
        if isinstance(atom, Var):
            self.lower[atom] = max(low, self.lower.get(atom, low))

    # -- bounds -------------------------------------------------------------------------------

    def at_least_constant(self, atom: Atom, low: int) -> None:
        """Record that a variable is never below a constant."""
        self._learn(self.canonical(atom), low)

    def below(self, counter: Atom, *limits: Atom) -> None:
        """Record that a counter is in [0, limit) for each limit."""
        if isinstance(counter, Var):
            self.lower[counter] = 0
            self.upper[counter] = tuple(self.linear(limit).plus(Linear(-1)) for limit in limits)

    def least(self, atom: Atom) -> int | None:
        """A constant that the atom is never below, when one is known."""
        return self._least(self.linear(atom))

    def at_least(self, x: Atom, y: Atom) -> bool:
        """Is x >= y on every run?"""
        low = self._least(self.linear(x).plus(self.linear(y), -1))
        return low is not None and low >= 0

    def decide(self, op: str, x: Atom, y: Atom) -> bool | None:
        """The comparison `x op y` (named as in `ast`) where it has one answer on every run."""
        above, below = self.at_least(x, y), self.at_least(y, x)
        strictly_above = self._at_least_by(x, y, 1)
        strictly_below = self._at_least_by(y, x, 1)
        match op:
            case "Lt" | "GtE":
                known = True if strictly_below else False if above else None
                return known if op == "Lt" or known is None else not known
            case "Gt" | "LtE":
                known = True if strictly_above else False if below else None
                return known if op == "Gt" or known is None else not known
            case _:
                different = strictly_above or strictly_below or self._is_not_one(x, y) or self._is_not_one(y, x)
                known = True if self.same(x, y) else False if different else None
                return known if op == "Eq" or known is None else not known

    def _at_least_by(self, x: Atom, y: Atom, margin: int) -> bool:
        low = self._least(self.linear(x).plus(self.linear(y), -1))
        return low is not None and low >= margin

    def _is_not_one(self, x: Atom, y: Atom) -> bool:
        return self.canonical(x) in self.not_one and y == i64(1)

    def in_range(self, index: Atom, size: Atom) -> bool:
        """Is 0 <= index < size on every run?"""
        low, room = self.least(index), self._least(self.linear(size).plus(self.linear(index), -1))
        return low is not None and low >= 0 and room is not None and room >= 1

    def _least(self, form: Linear, depth: int = 4) -> int | None:
        negative = [(var, coef) for var, coef in form.terms if coef < 0]
        if not negative:
            if any(var not in self.lower for var, _ in form.terms):
                return None
            return form.const + sum(coef * self.lower[var] for var, coef in form.terms)
        if depth == 0 or any(var not in self.upper for var, _ in negative):
            return None
        # The order of elimination matters: the bound of one counter may mention another.
        found: list[int] = []
        for var, coef in negative:
            rest = form.plus(Linear(0, ((var, 1),)), -coef)
            lows = (self._least(rest.plus(bound, coef), depth - 1) for bound in self.upper[var])
            found += [low for low in lows if low is not None]
        return max(found, default=None)
