"""Which small arrays become scalars, one variable for each element.

The versions of an array (written by `update`, handed on by branches, loops and reductions, seen through slices and
transposes) form a group that stands or falls together. It is chosen when it has few elements, every access is at
literal indices, and memory is touched less often for it:

    gained   each access; all elements where the array is made from scratch or leaves a branch or a reduction
    lost     all elements where it comes from memory (a parameter, the row of a matrix, the result of a `map`),
             and where it has to be an array again (a result of the function or of a `map`, an operand of a sort)

each times the estimated number of times that it happens. The result of a reduction may be accessed in other ways as
well: it is made an array again once, right after the reduction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..ir.core import Apply, Block, Expr, For, Function, If, Pos, Reduce, Stm, While
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import lambdas, operands
from ..records import dataclass, field
from .cost import trips
from .notes import Notes
from .rewrite import literal
from .views import element_count

LIMIT = 64
# Through a loop that stays a loop: this many values are live all the time.
CARRIED_LIMIT = 36
# All accumulators of a reduction together.
REDUCED_LIMIT = 128


def is_small_array(type: Type) -> bool:
    """Has it few enough elements for one variable each?"""
    return bool(type.shape) and 0 < (element_count(type) or 0) <= LIMIT


@dataclass(frozen=True, slots=True)
class Choice:
    """The names of the arrays that become scalars; and of those among them that are needed as arrays too."""

    scalars: set[str]
    stacked: set[str]


def choose(function: Function, notes: Notes) -> Choice:
    """The arrays that become scalars."""
    groups = _Groups()
    _visit(groups, function.body, 1.0)
    groups.leave(function.body.results, 1.0)
    scalars = groups.chosen(notes)
    return Choice(scalars, groups.stacked & scalars)


# -- groups ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Groups:
    """Versions joined into groups; everything else is noted by the name of a version."""

    leaders: dict[str, str] = field(default_factory=dict[str, str])
    vars: dict[str, tuple[Var, Pos | None]] = field(default_factory=dict[str, "tuple[Var, Pos | None]"])
    accesses: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    balance: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    spoiled: set[str] = field(default_factory=set[str])
    # The results of reductions that are arrays as well, and what that costs.
    outcomes: dict[str, float] = field(default_factory=dict[str, float])
    stacked: set[str] = field(default_factory=set[str])

    def make(self, var: Var, pos: Pos | None, gain: float = 0.0) -> None:
        """A version whose elements are known where it is bound; `gain` for each of them."""
        self.leaders[var.name] = var.name
        self.vars[var.name] = var, pos
        self.balance[var.name] += gain * (element_count(var.type) or 0)

    def has(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.leaders

    def access(self, atom: Atom, times: float) -> None:
        """An element is read or written."""
        if isinstance(atom, Var) and atom.name in self.leaders:
            self.accesses[atom.name] += times
            self.balance[atom.name] += times

    def enter(self, atom: Atom, var: Var, times: float) -> None:
        """The array `atom` becomes the version `var`."""
        if isinstance(atom, Var) and atom.name in self.leaders:
            self.leaders[self.leader(atom.name)] = self.leader(var.name)
        else:
            self.balance[var.name] -= times * (element_count(var.type) or 0)

    def leave(self, atoms: Sequence[Atom], times: float) -> None:
        """The atoms that are versions are needed as arrays."""
        for atom in atoms:
            if isinstance(atom, Var) and atom.name in self.leaders:
                self.balance[atom.name] -= times * (element_count(atom.type) or 0)

    def spoil(self, atom: Atom) -> None:
        """This version is needed in memory, and with it its group unless it is the result of a reduction."""
        if not isinstance(atom, Var):
            return
        if atom.name not in self.outcomes:
            self.spoiled.add(atom.name)
        elif atom.name not in self.stacked:
            self.stacked.add(atom.name)
            self.balance[atom.name] -= self.outcomes[atom.name]

    def leader(self, name: str) -> str:
        while (above := self.leaders[name]) != name:
            self.leaders[name] = self.leaders[above]
            name = above
        return name

    def chosen(self, notes: Notes) -> set[str]:
        """The versions of all groups that are worth it."""
        spoiled = {self.leader(name) for name in self.spoiled if name in self.leaders}
        accesses, balance = (defaultdict[str, float](float) for _ in range(2))
        members: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.leaders:
            leader = self.leader(name)
            members[leader].append(name)
            accesses[leader] += self.accesses[name]
            balance[leader] += self.balance[name]
        found: set[str] = set()
        for leader, names in members.items():
            if leader not in spoiled and accesses[leader] > 0 and balance[leader] >= 0:
                found.update(names)
                var, pos = self.vars[names[0]]
                notes.add(pos, "array", f"{element_count(var.type)} scalars", "every access is at literal indices")
        return found


# -- statements -----------------------------------------------------------------------------------


def _visit(groups: _Groups, block: Block, times: float) -> None:
    for stm in block.stms:
        match stm.expr:
            case Apply():
                _operation(groups, stm, stm.expr, times)
            case If():
                _branch(groups, stm, stm.expr, times)
            case For() | While():
                _loop(groups, stm, stm.expr, times)
            case Reduce():
                _reduction(groups, stm, stm.expr, times)
            case _:
                _other(groups, stm.expr, times)


def _operation(groups: _Groups, stm: Stm, expr: Apply, times: float) -> None:
    var, base = stm.vars[0], expr.args[0]
    small = is_small_array(var.type)
    match expr.op:
        case "stack" | "replicate" | "iota" if small:
            groups.make(var, stm.pos, times)
        case "concat" if small and all(is_small_array(part.type) for part in expr.args[:-1]):
            groups.make(var, stm.pos, times)
        case "index" | "slice" | "transpose" | "reshape" if groups.has(base):
            if not _is_static(expr):
                groups.spoil(base)
                return
            if small:
                groups.make(var, stm.pos)
                groups.enter(base, var, times)
            elif var.type.shape:
                groups.leave((base,), times)
            groups.access(base, times)
        case "update" | "accumulate" | "update_slice" if small:
            if _is_static(expr):
                groups.make(var, stm.pos)
                groups.enter(base, var, times)
                groups.access(var, times)
            else:
                groups.spoil(base)
        case _:
            groups.leave(expr.args, times)


def _branch(groups: _Groups, stm: Stm, expr: If, times: float) -> None:
    for arm in (expr.then, expr.orelse):
        _visit(groups, arm, times)
    for var, *sides in zip(stm.vars, expr.then.results, expr.orelse.results, strict=True):
        if is_small_array(var.type) and all(side.type == var.type for side in sides):
            groups.make(var, stm.pos, times)
            for side in sides:
                groups.enter(side, var, times)
        else:
            groups.leave(sides, times)


def _loop(groups: _Groups, stm: Stm, expr: For | While, times: float) -> None:
    carried = [k for k, var in enumerate(stm.vars) if is_small_array(var.type)]
    bodies = lambdas(expr)
    for k in carried:
        groups.make(stm.vars[k], stm.pos)
        groups.enter(expr.init[k], stm.vars[k], times)
        for lam in bodies:
            _tie(groups, stm, lam.params[k + isinstance(expr, For)], k)
        if (element_count(stm.vars[k].type) or 0) > CARRIED_LIMIT:
            groups.spoil(stm.vars[k])
    inner = times * trips(expr)
    for lam in bodies:
        _visit(groups, lam.body, inner)
    for k in carried:
        groups.enter(expr.body.body.results[k], stm.vars[k], inner)


def _reduction(groups: _Groups, stm: Stm, expr: Reduce, times: float) -> None:
    arrays = [k for k, var in enumerate(stm.vars) if is_small_array(var.type)]
    inner = times * trips(expr)
    counts = {k: element_count(stm.vars[k].type) or 0 for k in arrays}
    for k in arrays:
        if sum(counts.values()) > REDUCED_LIMIT:
            groups.spoil(stm.vars[k])
        groups.outcomes[stm.vars[k].name] = times * counts[k]
        groups.make(stm.vars[k], stm.pos, inner)
        groups.enter(expr.neutral[k], stm.vars[k], times)
        for param in (expr.op.params[k], expr.op.params[k + len(stm.vars)]):
            _tie(groups, stm, param, k)
    for lam in (expr.op, expr.body):
        _visit(groups, lam.body, inner)
        for k in arrays:
            groups.enter(lam.body.results[k], stm.vars[k], inner)


def _tie(groups: _Groups, stm: Stm, param: Var, k: int) -> None:
    """A parameter and result k of the form are versions of one array."""
    groups.make(param, stm.pos)
    groups.enter(param, stm.vars[k], 0.0)


def _other(groups: _Groups, expr: Expr, times: float) -> None:
    groups.leave(operands(expr), times)
    inner = times * trips(expr)
    for lam in lambdas(expr):
        _visit(groups, lam.body, inner)
        groups.leave(lam.body.results, inner)


def _is_static(expr: Apply) -> bool:
    """Is a small array accessed at literal places, all of them inside?"""
    args, one = expr.args, i64(1)
    match expr.op:
        case "index":
            spans = [(i, one, one) for i in args[1:]]
        case "update" | "accumulate":
            spans = [(i, one, one) for i in args[2:]]
        case "slice":
            spans = list(zip(args[1::3], args[2::3], args[3::3], strict=True))
        case "update_slice":
            spans = list(zip(args[2::2], args[1].type.shape, args[3::2], strict=False))
        case _:
            spans = []
    return all(_is_inside(size, *span) for size, span in zip(args[0].type.shape, spans, strict=False))


def _is_inside(size: Atom, *span: Atom) -> bool:
    if not all(isinstance(atom, Lit) for atom in (size, *span)):
        return False
    length, start, count, step = (int(literal(atom) or 0) for atom in (size, *span))
    last = start + (count - 1) * step
    return count > 0 and 0 <= start < length and 0 <= last < length
