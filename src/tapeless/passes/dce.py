"""Dead code: what no result and no check needs goes away, also carried values that only feed themselves.

Marking is by need: a result of a loop needs the body's result, which needs what it is computed from; a parameter
of a loop body that is needed needs its initial value and its next value. A scratch array that is overwritten before
it is read is needed by nobody, and so is not carried. Sweeping then removes statements and results unmarked.
Checks are roots, and keep the forms that they stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..ir.core import (
    Apply,
    Block,
    Check,
    Custom,
    Expr,
    For,
    Function,
    Hist,
    If,
    Lambda,
    Map,
    Reduce,
    Scan,
    Scatter,
    Stm,
    While,
)  # fmt: skip
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, fresh, lambdas, map_lambdas, refresh
from ..records import dataclass, field
from .notes import Notes


def run(function: Function, _notes: Notes) -> Function:
    """The function without dead code. Parameters stay."""
    return Function(function.name, function.params, live(function.body), function.donated)


def live(block: Block) -> Block:
    """What the results of a block need, and its checks."""
    marks = _Marks()
    marks.index(block, None)
    marks.need(block.results)
    marks.finish()
    return _sweep(block, marks, range(len(block.results)))


def needs(stm: Stm, wanted: Sequence[Var]) -> Iterable[Var]:
    """The variables from outside that some results of a statement need."""
    if isinstance(stm.expr, Apply):
        return [arg for arg in stm.expr.args if isinstance(arg, Var)]
    return free_vars(Block(live(Block((stm,), tuple(wanted))).stms, ()))


def part(stm: Stm, wanted: Sequence[Var]) -> Stm:
    """A statement for some of its results, under names of its own inside."""
    (kept,) = live(Block((stm,), tuple(wanted))).stms
    vars = tuple(var if var in wanted else fresh(var.name, var.type) for var in kept.vars)
    return Stm(vars, map_lambdas(kept.expr, refresh), kept.pos)


class _Site(NamedTuple):
    """Where a variable is bound: result or parameter number `k` of a statement that has bodies."""

    stm: Stm
    k: int
    role: str  # "result", "param", or "operator" for the parameters of an associative operator


_Operation: TypeAlias = tuple[int, tuple[Atom, ...], Stm | None]


@dataclass(slots=True)
class _Marks:
    """Which variables are needed, and which statements hold something needed."""

    live: set[str] = field(default_factory=set[str])
    kept: set[int] = field(default_factory=set[int])
    # Operations by what they bind: the statement, its operands, the form around it. And where all else is bound.
    operations: dict[str, _Operation] = field(default_factory=dict[str, _Operation])
    sites: dict[str, _Site] = field(default_factory=dict[str, _Site])
    parents: dict[int, Stm | None] = field(default_factory=dict[int, "Stm | None"])
    work: list[str] = field(default_factory=list[str])

    def index(self, block: Block, parent: Stm | None) -> None:
        """Record where everything is bound; keep the checks."""
        operations = self.operations
        for stm in block.stms:
            expr = stm.expr
            if type(expr) is Apply:
                operations[stm.vars[0].name] = id(stm), expr.args, parent
                continue
            self.parents[id(stm)] = parent
            for k, var in enumerate(stm.vars):
                self.sites[var.name] = _Site(stm, k, "result")
            for lam in lambdas(expr):
                role = "operator" if isinstance(expr, Reduce | Scan | Hist) and len(lam.params) > 1 else "param"
                for k, param in enumerate(lam.params):
                    self.sites[param.name] = _Site(stm, k, role)
                self.index(lam.body, stm)
            if isinstance(expr, Check):
                self.keep(stm)

    def keep(self, form: Stm | None) -> None:
        """The form stays; so do those around it, and what decides whether and how often they run."""
        while form is not None and (number := id(form)) not in self.kept:
            self.kept.add(number)
            self.need(_controls(form.expr))
            form = self.parents[number]

    def need(self, atoms: Iterable[Atom]) -> None:
        live = self.live
        for atom in atoms:
            if type(atom) is Var and atom.name not in live:
                live.add(atom.name)
                self.work.append(atom.name)
                if atom.type.shape:
                    self.need(atom.type.shape)

    def finish(self) -> None:
        """Follow needs to the end."""
        work, operations, kept = self.work, self.operations, self.kept
        while work:
            name = work.pop()
            found = operations.get(name)
            if found is not None:
                number, args, parent = found
                kept.add(number)
                self.need(args)
                self.keep(parent)
            elif (site := self.sites.get(name)) is not None:
                self.keep(site.stm)
                self._follow(site)

    def _follow(self, site: _Site) -> None:
        k, expr = site.k, site.stm.expr
        match expr:
            case For(init=init, body=body):
                k = k - 1 if site.role == "param" else k
                if k >= 0:
                    self._carried(site.stm, k, init[k], body)
            case While(init, _, body):
                self._carried(site.stm, k, init[k], body)
            case If(_, then, orelse):
                self.need((then.results[k], orelse.results[k]))
            case Map(_, body) if site.role == "result":
                self.need((body.body.results[k],))
            case Reduce() | Scan() if site.role != "param":
                self._component(expr, k % len(expr.neutral), 0)
            case Hist() if site.role != "param":
                k %= len(expr.neutral)
                self._component(expr, k, expr.keys)
                self.need((*expr.body.body.results[: expr.keys], expr.dest[k], site.stm.vars[k]))
            case Scatter(_, dest, _, body) if site.role == "result":
                self.need((dest, *body.body.results))
            case _:
                pass

    def _carried(self, stm: Stm, k: int, init: Atom, body: Lambda) -> None:
        offset = len(body.params) - len(stm.vars)
        self.need((init, body.body.results[k], body.params[k + offset]))
        if isinstance(stm.expr, While):
            self.need((stm.expr.cond.params[k],))
        self.need(stm.vars[k].type.shape)

    def _component(self, expr: Reduce | Scan | Hist, k: int, keys: int) -> None:
        count = len(expr.neutral)
        self.need((expr.neutral[k], expr.op.body.results[k], expr.body.body.results[keys + k]))
        self.need((expr.op.params[k], expr.op.params[count + k]))


def _controls(expr: Expr) -> tuple[Atom, ...]:
    match expr:
        case Apply(_, args) | Check(_, args):
            return args
        case If(cond):
            return (cond,)
        case For(count):
            return (count,)
        case While(_, cond):
            return cond.body.results
        case Map(size) | Reduce(size) | Scan(size) | Hist(size) | Scatter(size):
            return (size,)
        case Custom(args):
            return (*args, *(result for lam in lambdas(expr) for result in lam.body.results))


def _sweep(block: Block, marks: _Marks, wanted: Iterable[int]) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if id(stm) in marks.kept:
            stms.append(stm if type(stm.expr) is Apply else _shrink(stm, marks))
    return Block(tuple(stms), tuple(block.results[k] for k in wanted))


def _shrink(stm: Stm, marks: _Marks) -> Stm:
    """The statement with its dead results and carried values removed."""
    expr = stm.expr
    live = marks.live

    def body(lam: Lambda, wanted: Iterable[int], params: tuple[Var, ...] | None = None) -> Lambda:
        return Lambda(lam.params if params is None else params, _sweep(lam.body, marks, wanted))

    keep = [k for k, var in enumerate(stm.vars) if var.name in live]
    match expr:
        case If(cond, then, orelse):
            new: Expr = If(cond, _sweep(then, marks, keep), _sweep(orelse, marks, keep))
        case For(count, init, lam):
            keep = [k for k, param in enumerate(lam.params[1:]) if param.name in live or stm.vars[k].name in live]
            params = (lam.params[0], *(lam.params[k + 1] for k in keep))
            new = For(count, tuple(init[k] for k in keep), body(lam, keep, params))
        case While(init, cond, lam):
            keep = [
                k for k, (p, q) in enumerate(zip(lam.params, cond.params, strict=True))
                if p.name in live or q.name in live or stm.vars[k].name in live
            ]  # fmt: skip
            conds = body(cond, (0,), tuple(cond.params[k] for k in keep))
            new = While(tuple(init[k] for k in keep), conds, body(lam, keep, tuple(lam.params[k] for k in keep)))
        case Map(size, lam):
            new = Map(size, body(lam, keep))
        case Scatter(size, _, _, lam) if not keep:  # only checks are left
            new = Map(size, body(lam, ()))
        case Scatter(size, dest, keys, lam):
            new = Scatter(size, dest, keys, body(lam, range(len(lam.body.results))))
        case Reduce() | Scan() | Hist():
            return _shrink_components(stm, expr, marks)
        case Custom():
            keep = range(len(stm.vars))
            new = map_lambdas(expr, lambda lam: body(lam, range(len(lam.body.results))))
        case Apply() | Check():
            return stm
    return Stm(tuple(stm.vars[k] for k in keep), new, stm.pos)


def _shrink_components(stm: Stm, expr: Reduce | Scan | Hist, marks: _Marks) -> Stm:
    count = len(expr.neutral)
    keep = [
        k for k in range(count)
        if any(v.name in marks.live for v in (stm.vars[k], expr.op.params[k], expr.op.params[count + k]))
    ]  # fmt: skip
    if not keep:  # only checks are left: run them for every index
        return Stm((), Map(expr.size, Lambda(expr.body.params, _sweep(expr.body.body, marks, ()))), stm.pos)
    params = tuple(expr.op.params[k] for k in (*keep, *(count + k for k in keep)))
    op = Lambda(params, _sweep(expr.op.body, marks, keep))
    neutral = tuple(expr.neutral[k] for k in keep)
    vars = tuple(stm.vars[k] for k in keep)
    if isinstance(expr, Hist):
        wanted = (*range(expr.keys), *(expr.keys + k for k in keep))
        lam = Lambda(expr.body.params, _sweep(expr.body.body, marks, wanted))
        dest = tuple(expr.dest[k] for k in keep)
        return Stm(vars, Hist(expr.size, op, neutral, dest, expr.keys, lam), stm.pos)
    lam = Lambda(expr.body.params, _sweep(expr.body.body, marks, keep))
    form = Reduce if isinstance(expr, Reduce) else Scan
    return Stm(vars, form(expr.size, op, neutral, lam), stm.pos)
