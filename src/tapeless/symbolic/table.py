"""The values of a run and the ways to compute them; and the statements of the ways that were chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Pos, Stm
from ..ir.op import lookup
from ..ir.types import F64, Atom, Lit, Var
from . import fingerprints as fp
from .classes import Classes, Value
from .dependence import Dependence
from .extract import Way
from .inventions import inventions, way_of
from .relations import related, samples
from .saturate import saturate

MANY = 80  # statements among which common factors are looked for in any case
# Finite where, and only where, their operands are. What others give may be infinite at a point, and may be finite where
# an operand is not, as 1 / (1 + x x) is: it depends on itself, not on what it is made of.
_ENTIRE = frozenset({"add", "sub", "mul", "neg", "sin", "cos", "abs"})


class Table:
    """The values of a run by name, their classes, and what is there already: inputs and constants."""

    def __init__(self, stms: Sequence[Stm], negations: Mapping[str, str]) -> None:
        self.stms = stms
        self.of: dict[str | Lit, Value] = {}
        self.given: dict[int, tuple[Atom, int]] = {}
        # Conditions: which other one each is, and whether it is that one or its negation.
        self.conditions = _conditions(stms, negations)
        bases = tuple(dict.fromkeys(base for base, _ in self.conditions.values()))
        self.classes = Classes(Dependence(bases))
        # What a quotient depends on by being one: its denominator may be zero. And how many there are.
        self.poles: dict[int, int] = {}
        self.quotients: Counter[int] = Counter()
        for place, stm in enumerate(stms):
            self._statement(place, stm)
        for k, count in self.quotients.items():
            if count > 1:
                self._reciprocal(k)

    def saturate(self) -> None:
        """Find further sums and products that are equal to values, by egglog."""
        saturate(self.classes, samples(self.stms, self.of, self.conditions, len(self.classes.prints)))

    def relate(self) -> None:
        """Find the sums and products of values that are values themselves."""
        classes = self.classes
        sizes = samples(self.stms, self.of, self.conditions, len(classes.prints))
        for k, way in list(related(classes, sizes)):
            classes.ways[k].append(way)
        if not self.has_choice() and len(self.stms) < MANY:
            return
        for new in inventions(classes, sizes):
            k, _ = classes.add(new.print_, new.place, new.inputs)
            classes.ways[k] += new.ways
            for use in new.uses:
                classes.ways[use.target].append(way_of(use, k))

    def has_choice(self) -> bool:
        """Can a value be computed in two ways, or two statements be one?"""
        computed = {self.of[stm.vars[0].name][0] for stm in self.stms}
        return len(computed) < len(self.stms) or any(len(ways) > 1 for ways in self.classes.ways)

    def emit(self, chosen: Mapping[int, Way], outputs: Sequence[Var], pos: Pos | None) -> list[Stm]:
        """The statements of the chosen ways, in order; outputs keep their names."""
        b, made, places = Builder(pos), dict(self.given), self.classes.places
        wanted = dict(self.of[var.name] for var in outputs)
        for k in sorted(chosen, key=lambda k: places[k]):
            made[k] = _emitted(b, chosen[k], made, self.stms[int(places[k])], wanted.get(k))
        names = {atom.name: var for var in outputs if (atom := self._bearer(var, made, chosen)) is not None}
        stms = [_named(stm, names) for stm in b.stms]
        for var in outputs:
            k, sign = self.of[var.name]
            atom, has = made[k]
            atom = names.get(atom.name, atom) if isinstance(atom, Var) else atom
            if atom is not var:
                # Adding -0.0 is a copy, which later passes take out.
                copy = Apply("neg", (atom,)) if has != sign else Apply("add", (atom, Lit(-0.0, F64)))
                stms.append(Stm((var,), copy, pos))
        return stms

    def _bearer(self, var: Var, made: Mapping[int, tuple[Atom, int]], chosen: Mapping[int, Way]) -> Var | None:
        """The new variable that may have the name of an output: it is that value, and computed here."""
        k, sign = self.of[var.name]
        atom, has = made[k]
        return atom if k in chosen and has == sign and isinstance(atom, Var) else None

    def _statement(self, place: int, stm: Stm) -> None:
        expr, classes = stm.expr, self.classes
        assert isinstance(expr, Apply)
        args = [self._atom(arg) for arg in _floats(expr)]
        fresh = len(classes.prints)
        print_ = self._print(expr, [classes.print_of(arg) for arg in args])
        k, sign = self.of[stm.vars[0].name] = classes.add(print_, place, self._inputs(expr, args))
        if k == fresh:
            classes.ways[k].append(_own(expr, args, sign))
            if expr.op in ("mul", "scale"):
                classes.factors[k] = classes.factors[args[0][0]] | classes.factors[args[1][0]]

    def _print(self, expr: Apply, args: Sequence[fp.Print]) -> fp.Print:
        if expr.op != "select":
            return fp.apply(expr.op, expr.attrs, args)
        base, holds = self._condition(expr)
        return fp.choice(base, *(args if holds else args[::-1]))

    def _inputs(self, expr: Apply, args: Sequence[Value]) -> int:
        dependence, inputs = self.classes.dependence, [self.classes.inputs[k] for k, _ in args]
        match expr.op:
            case "select":
                base, holds = self._condition(expr)
                return dependence.chosen(base, *(inputs if holds else inputs[::-1]))
            case "scale":
                return dependence.scaled(inputs[0], inputs[1], self.classes.factors[args[1][0]])
            case "div":
                return dependence.union(inputs[0], self._pole(args[1][0]))
            case op if op in _ENTIRE:
                whole = 0
                for part in inputs:
                    whole = dependence.union(whole, part)
                return whole
            case _:
                return dependence.new()

    def _pole(self, k: int) -> int:
        """The dependence of what is divided by a class."""
        self.quotients[k] += 1
        if k not in self.poles:
            self.poles[k] = self.classes.dependence.new()
        return self.poles[k]

    def _reciprocal(self, k: int) -> None:
        """One divided by a class by which several values are divided: a way for each of them by a product."""
        classes, (one, sign) = self.classes, self._atom(Lit(1.0, F64))
        print_ = fp.apply("div", (), [fp.ONE, classes.prints[k]])
        new, has = classes.add(print_, classes.places[k] + 0.5, self.poles[k])
        # It may be there, and be computed earlier.
        classes.places[new] = classes.places[k] + 0.5
        classes.ways[new] = [Way("div", (one, k), sign * has, cost=lookup("div").cost)]

    def _condition(self, choice: Apply) -> tuple[str, bool]:
        condition = choice.args[0]
        assert isinstance(condition, Var)
        return self.conditions[condition.name]

    def _atom(self, atom: Atom) -> Value:
        key = atom if isinstance(atom, Lit) else atom.name
        if key not in self.of:
            inputs = 0 if isinstance(atom, Lit) else self.classes.dependence.new()
            print_ = fp.constant(atom) if isinstance(atom, Lit) else fp.opaque("input", len(self.given))
            self.of[key] = k, sign = self.classes.add(print_, -1, inputs)
            if isinstance(atom, Lit) and atom.value:
                self.classes.factors[k] = frozenset()
            self.given.setdefault(k, (atom, sign))
        return self.of[key]


def _conditions(stms: Sequence[Stm], negations: Mapping[str, str]) -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for stm in stms:
        if isinstance(stm.expr, Apply) and stm.expr.op == "select" and isinstance(stm.expr.args[0], Var):
            name = stm.expr.args[0].name
            base, holds = name, True
            while base in negations:
                base, holds = negations[base], not holds
            found[name] = base, holds
    return found


def _floats(expr: Apply) -> Sequence[Atom]:
    return expr.args[1:] if expr.op == "select" else expr.args


def _own(expr: Apply, args: Sequence[Value], sign: int) -> Way:
    """An operation as it stands. Signs of factors go into the sign of the result."""
    classes, signs, cost = tuple(k for k, _ in args), [s for _, s in args], lookup(expr.op).cost
    match expr.op:
        case "mul" | "div" | "scale":
            return Way(expr.op, classes, sign * signs[0] * signs[1], cost=cost)
        case "add" | "sub":
            second = signs[1] if expr.op == "add" else -signs[1]
            return Way("add", classes, sign * signs[0], signs[0] * second)
        case _:
            return Way("own", classes, sign, signs=tuple(signs), cost=cost)


def _emitted(
    b: Builder, way: Way, made: Mapping[int, tuple[Atom, int]], stm: Stm, wanted: int | None
) -> tuple[Atom, int]:
    """The atom of a class computed in a way, and its sign: the wanted one, if that takes nothing more."""
    atoms = [made[k] for k in way.args]
    if way.op in ("mul", "div", "scale"):
        (x, left), (y, right) = atoms
        return b.apply(way.op, x, y), way.sign * left * right
    if way.op == "add":
        (x, left), (y, right) = atoms
        right *= way.second
        if left == right:
            return b.apply("add", x, y), way.sign * left
        sign = way.sign if wanted is None else wanted
        return b.apply("sub", *((x, y) if left * way.sign * sign > 0 else (y, x))), sign
    assert isinstance(stm.expr, Apply)
    exact = [x if has == wanted else b.apply("neg", x) for (x, has), wanted in zip(atoms, way.signs, strict=True)]
    conditions = stm.expr.args[: len(stm.expr.args) - len(exact)]
    return b.apply(stm.expr.op, *conditions, *exact, attrs=stm.expr.attrs), way.sign


def _named(stm: Stm, names: Mapping[str, Var]) -> Stm:
    assert isinstance(stm.expr, Apply)
    args = tuple(names.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in stm.expr.args)
    vars = tuple(names.get(var.name, var) for var in stm.vars)
    return Stm(vars, Apply(stm.expr.op, args, stm.expr.attrs), stm.pos)
