"""Values whose adjoint may be an exact zero because the program chose another value, or a part, or nothing.

A `select`, the smallest of many, an element that is overwritten: each passes the adjoint to what was chosen and zero to
the rest. An arm that is not taken and a loop that does not run use nothing of what was computed before them; reading an
element uses nothing of the others. In a derivative of a derivative a product with an adjoint that was masked (`scale`)
is such a choice as well.

`masked(block, results)` are the names of the float variables, at any depth, of which *every* use is a choice, or goes
to a variable that is masked itself. One other use gives the adjoint no reason to be zero: what a partial makes of it
there is what it makes of any adjoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..ir.core import Apply, Block, Custom, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var
from ..passes.turned import runs_through
from ..records import dataclass, field
from .masks import floats

_CHOOSES = frozenset({"select", "min", "max", "fmin", "fmax"})
# Of the first operand.
_REPLACES = frozenset({"update", "update_slice", "scale"})


def masked(block: Block, results: Iterable[str]) -> set[str]:
    """What may be chosen against, given the results of which the rest of the program may make such a choice."""
    walk, chosen = _Walk(), set(results)
    for stm in block.stms:
        walk.statement(stm)
    for name in floats(block.results):
        if name not in chosen:
            walk.use(name, ())
    return walk.masked()


@dataclass(slots=True)
class _Arm:
    """The arm of a branch around a place."""

    branch: int
    which: int


@dataclass(slots=True)
class _Walk:
    """The uses of each variable that are no choices: where its value goes. One is masked where one of those is.

    `around` are the blocks around a place that may not run, an arm or (None) a loop; `depths` says how many of them
    there are where a variable is bound. An arm's use of a variable from outside is that of a variable of the arm's own,
    `x@branch.arm`, and x is used by the branch where both of these are. `merged` are variables masked with others.
    `counts` says how often an index runs, `made` what an index is.
    """

    uses: dict[str, list[Sequence[str]]] = field(default_factory=lambda: defaultdict(list))
    merged: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    depths: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    around: list[_Arm | None] = field(default_factory=list["_Arm | None"])
    counts: dict[str, Atom] = field(default_factory=dict[str, Atom])
    made: dict[str, Apply] = field(default_factory=dict[str, Apply])
    branches: int = 0

    def masked(self) -> set[str]:
        """The least set that agrees with the uses. What has none is in it: its adjoint is zero, or there is none."""
        users: dict[str, list[str]] = defaultdict(list)
        for name, uses in self.uses.items():
            for goes_to in uses:
                for out in goes_to:
                    users[out].append(name)
        found, work = set[str](), [name for name, uses in self.uses.items() if not uses]
        while work:
            name = work.pop()
            if name not in found:
                found.add(name)
                work += self.merged.get(name, ())
                work += [user for user in users[name] if _all_masked(self.uses[user], found)]
        return found

    def statement(self, stm: Stm) -> None:
        expr, outs = stm.expr, floats(stm.vars)
        self.bind(stm.vars)
        match expr:
            case Apply():
                self.apply(expr, stm.vars[0])
            case If(_, then, orelse):
                self.branches += 1
                branch = self.branches
                for which, arm in enumerate((then, orelse)):
                    self.block(_Arm(branch, which), (), arm, [(var.name,) for var in stm.vars])
            case For(count, init, body):
                runs = isinstance(count, Lit) and int(count.value) > 0
                self.loop(stm.vars, init, body, ran=runs, count=count)
            case While(init, _, body):
                self.loop(stm.vars, init, body, ran=False)
            case Map(size, body):
                self.run_through(body, size)
                self.lambda_(body, [(var.name,) for var in stm.vars])
            case Reduce(size, op, neutral, body) | Scan(size, op, neutral, body):
                everywhere = (*outs, *floats(op.params))
                self.run_through(body, size)
                self.use_all(neutral, everywhere)
                self.lambda_(op, [everywhere] * len(op.body.results))
                self.lambda_(body, [everywhere] * len(body.body.results))
            case Hist(op=op, neutral=neutral, dest=dest, body=body):
                self.use_all((*neutral, *dest), None)
                self.lambda_(op)
                self.lambda_(body)
            case Scatter(dest=dest, body=body):
                self.use_all((dest,), None)
                self.lambda_(body)
            case Custom(args, body, None):
                for arg, param in zip(args, body.params, strict=True):
                    self.use_all((arg,), (param.name,))
                self.lambda_(body, [(var.name,) for var in stm.vars])
            case Custom(args):
                self.use_all(args, outs)
            case _:
                pass

    def bind(self, vars: Iterable[Var]) -> None:
        for var in vars:
            self.depths[var.name] = len(self.around)
            if var.type.dtype.is_float:
                self.uses[var.name] = []

    def apply(self, expr: Apply, out: Var) -> None:
        self.made[out.name] = expr
        if not out.type.dtype.is_float:
            return  # a comparison has no adjoint
        for k, atom in enumerate(expr.args):
            chosen = expr.op in _CHOOSES or (k == 0 and (expr.op in _REPLACES or self.reads_part(expr)))
            if not _passes_nothing(expr, k):
                self.use_all((atom,), None if chosen else (out.name,))

    def loop(
        self, vars: Sequence[Var], init: Sequence[Atom], body: Lambda, *, ran: bool, count: Atom | None = None
    ) -> None:
        """What a loop carries is one with what comes out of it: the result of a round goes to either."""
        carried = body.params[-len(vars) :] if vars else ()
        for var, start, param in zip(vars, init, carried, strict=True):
            self.use_all((start,), (var.name,))
            self.merged[param.name].append(var.name)
        if count is not None:
            self.run_through(body, count)
        outs = [(var.name,) for var in vars]
        if ran:
            self.lambda_(body, outs)
        else:
            self.block(None, body.params, body.body, outs)

    def run_through(self, body: Lambda, count: Atom) -> None:
        self.counts[body.params[0].name] = count

    def lambda_(self, lam: Lambda, outs: Sequence[Sequence[str]] = ()) -> None:
        """A block that runs; without `outs` there is a choice among its results."""
        self.bind(lam.params)
        for stm in lam.body.stms:
            self.statement(stm)
        for result, goes_to in zip(lam.body.results, outs, strict=bool(outs)):
            self.use_all((result,), goes_to)

    def block(self, arm: _Arm | None, params: Iterable[Var], block: Block, outs: Sequence[Sequence[str]]) -> None:
        """A block that may not run."""
        self.around.append(arm)
        self.lambda_(Lambda(tuple(params), block), outs)
        self.around.pop()

    def use_all(self, atoms: Iterable[Atom], goes_to: Sequence[str] | None) -> None:
        """A use of each of them; None where it is a choice."""
        for name in floats(atoms):
            self.uses.setdefault(name, [])
            if goes_to is not None:
                self.use(name, goes_to)

    def use(self, name: str, goes_to: Sequence[str]) -> None:
        for arm in self.around[self.depths[name] :]:
            if arm is None:
                return
            both = [f"{name}@{arm.branch}.{which}" for which in (0, 1)]
            if both not in self.uses[name]:
                self.uses[name].append(both)
                for own in both:
                    self.uses.setdefault(own, [])
            name = both[arm.which]
        self.uses[name].append(goes_to)

    # -- reading a part -----------------------------------------------------------------------------

    def reads_part(self, expr: Apply) -> bool:
        """Is this a read that leaves out elements, whatever the indices around it run through?"""
        if expr.op == "slice":
            return True
        if expr.op != "index":
            return False
        sizes = expr.args[0].type.shape
        through = [runs_through(x, size, self.counts, self.made) for x, size in zip(expr.args[1:], sizes, strict=False)]
        return None in through or len(set(through)) < len(through)


def _passes_nothing(expr: Apply, k: int) -> bool:
    """Has the program zero for the partial of an operation by operand k, whatever the values are?"""
    match expr:
        case Apply("mul" | "fma", (x, y, *_)) if k < 2:
            other = (y, x)[k]
            return isinstance(other, Lit) and other.value == 0
        case Apply("copysign"):
            return k == 1
        case _:
            return lookup(expr.op).partials == "constant"


def _all_masked(uses: Iterable[Sequence[str]], found: set[str]) -> bool:
    return all(any(out in found for out in goes_to) for goes_to in uses)
