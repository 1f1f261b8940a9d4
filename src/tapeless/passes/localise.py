"""Localising an array that a loop writes one place of per iteration.

Let `a` be carried through a loop with counter i, and let every read and write of it in the body, also inside
inner loops and branches, be at the same leading indices e(i) = c*i + invariant, c not 0. Then iteration i only
concerns a[e(i)], and every version of the array in the body is `a` with one place changed. The body becomes

    x = a[e(i)];  ... versions replaced by versions of x ...;  a' = a with [e(i)] = x'

so that the loop is a map from places to places. The place may be a scalar, a row, or a sub-array. When e does not
depend on i, the loop may carry the place instead of the array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..ir.core import Apply, Block, Expr, For, If, Lambda, Pos, Stm, While
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import fresh, lambdas, operands, rebuild, substitute
from .affine import Affine, emit_form, form_of

_ACCESSES = {"index": 1, "update": 2, "accumulate": 2}


@dataclass(frozen=True, slots=True)
class Place:
    """The leading indices at which an array is touched; `moving` when the last depends on the counter."""

    forms: tuple[Affine, ...]
    moving: bool

    @property
    def dims(self) -> int:
        return len(self.forms)


class NotLocal(Exception):
    """The array is touched in more than one place per iteration; says how, and in which statement."""

    def __init__(self, reason: str, stm: Stm | None) -> None:
        super().__init__(reason)
        self.reason, self.stm = reason, stm


@dataclass(slots=True)
class _Access:
    indices: tuple[Atom, ...]
    stm: Stm
    certain: bool
    inner: bool  # inside an inner loop


@dataclass(slots=True)
class _Finder:
    """Collects the accesses to all versions of one array."""

    versions: set[str]
    accesses: list[_Access] = field(default_factory=list[_Access])
    writes: int = 0
    depth: int = 0

    def block(self, block: Block, certain: bool) -> None:
        for stm in block.stms:
            self.statement(stm, certain)

    def statement(self, stm: Stm, certain: bool) -> None:
        expr = stm.expr
        match expr:
            case Apply(op, args) if op in _ACCESSES:
                if any(_name(arg) in self.versions for arg in args[1:]):
                    raise NotLocal("the whole array is used", stm)
                if _name(args[0]) in self.versions:
                    self.accesses.append(_Access(args[_ACCESSES[op] :], stm, certain, self.depth > 0))
                    if op != "index":
                        self.writes += 1
                        self.versions.add(stm.vars[0].name)
            case If(_, then, orelse):
                for arm in (then, orelse):
                    self.block(arm, certain=False)
                self._join(stm, then.results, orelse.results)
            case For(_, init, body) | While(init, _, body):
                self._loop(stm, expr, init, body)
            case _:
                if any(_name(atom) in self.versions for atom in operands(expr)):
                    raise NotLocal("the whole array is used", stm)
                for lam in lambdas(expr):
                    self.block(lam.body, certain=False)
                    if any(_name(result) in self.versions for result in lam.body.results):
                        raise NotLocal("the whole array is used", stm)

    def _join(self, stm: Stm, left: Sequence[Atom], right: Sequence[Atom]) -> None:
        for var, x, y in zip(stm.vars, left, right, strict=True):
            same = (_name(x) in self.versions, _name(y) in self.versions)
            if same == (True, True):
                self.versions.add(var.name)
            elif True in same:
                raise NotLocal("the array is exchanged for another one", stm)

    def _loop(self, stm: Stm, expr: For | While, init: Sequence[Atom], body: Lambda) -> None:
        params = body.params[len(body.params) - len(init) :]
        conds = expr.cond.params if isinstance(expr, While) else params
        carried = [k for k, atom in enumerate(init) if _name(atom) in self.versions]
        for k in carried:
            self.versions.update((params[k].name, conds[k].name, stm.vars[k].name))
        self.depth += 1
        if isinstance(expr, While):
            self.block(expr.cond.body, certain=False)
        self.block(body.body, certain=False)
        self.depth -= 1
        for k, result in enumerate(body.body.results):
            if (_name(result) in self.versions) != (k in carried):
                raise NotLocal("the array is exchanged for another one", stm)


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Var) else ""


@dataclass(frozen=True, slots=True)
class Found:
    """Where an array is touched.

    `first` is the first statement of the body that does, `certain` whether it does so in every iteration, `single`
    whether parts of the place are only written one element at a time outside inner loops.
    """

    place: Place
    first: int
    certain: bool
    versions: frozenset[str]
    single: bool


def find_place(
    body: Block, result: Atom, param: Var, counter: Var, defs: Mapping[str, Expr], bound: set[str]
) -> Found:
    """The one place at which the body touches the array; raises `NotLocal`."""
    finder = _Finder({param.name})
    first: int | None = None
    for number, stm in enumerate(body.stms):
        finder.statement(stm, certain=True)
        if first is None and finder.accesses:
            first = number
    if _name(result) not in finder.versions:
        raise NotLocal("the array is exchanged for another one", None)
    if first is None or not finder.writes:
        raise NotLocal("the array is not written", None)
    candidates = [_place(access, counter, defs, bound) for access in finder.accesses]
    place = min(candidates, key=lambda candidate: (not candidate.moving, candidate.dims))
    if not place.dims:
        raise NotLocal("the place that is touched is computed in the loop", finder.accesses[0].stm)
    for access in finder.accesses:
        here = [form_of(atom, defs) for atom in access.indices[: place.dims]]
        if tuple(here) != place.forms:
            raise NotLocal(_conflict(access, place, here, counter), access.stm)
    for access in finder.accesses:
        expr = access.stm.expr
        assert isinstance(expr, Apply)
        if expr.op == "accumulate" and expr.args[1].type.shape and len(access.indices) == place.dims:
            raise NotLocal("rows are accumulated", access.stm)
    return Found(place, first, finder.accesses[0].certain, frozenset(finder.versions), _is_single(finder, place))


def _is_single(finder: _Finder, place: Place) -> bool:
    writes = [a for a in finder.accesses if isinstance(a.stm.expr, Apply) and a.stm.expr.op != "index"]
    return all(len(access.indices) > place.dims and not access.inner for access in writes)


def _place(access: _Access, counter: Var, defs: Mapping[str, Expr], bound: set[str]) -> Place:
    """The leading indices up to the counter's, or as far as they are invariant."""
    forms: list[Affine] = []
    for atom in access.indices:
        form = form_of(atom, defs)
        if any(name in bound and name != counter.name for name in form.terms):
            break
        forms.append(form)
        if form.coefficient(counter.name):
            return Place(tuple(forms), moving=True)
    return Place(tuple(forms), moving=False)


def _conflict(access: _Access, place: Place, here: Sequence[Affine], counter: Var) -> str:
    kind = "read" if isinstance(access.stm.expr, Apply) and access.stm.expr.op == "index" else "written"
    if len(here) == place.dims and all(f.terms == g.terms for f, g in zip(here, place.forms, strict=True)):
        distance = [f.const - g.const for f, g in zip(here, place.forms, strict=True)][-1]
        step = place.forms[-1].coefficient(counter.name)
        which = "an earlier" if distance * step < 0 else "a later"
        return f"the element of {which} iteration is {kind} ({abs(distance)} away)"
    return f"the array is also {kind} at other places"


# -- rewriting ------------------------------------------------------------------------------------


def localised(
    body: Block, result: Atom, param: Var, found: Found, defs: dict[str, Expr]
) -> tuple[Block, Atom]:
    """The body over the place alone, whose old value it reads from `param`; and the new value of the place."""
    rewriter = _Localiser(param, found, defs)
    for number, stm in enumerate(body.stms):
        if number == found.first:
            rewriter.pos = stm.pos
            rewriter.read(param, found.place)
        rewriter.statement(stm)
    return Block(tuple(rewriter.out), tuple(rewriter.atom(x) for x in body.results)), rewriter.atom(result)


def without_read(body: Block, param: Var, element: Var) -> Block:
    """A localised body in which the old value of the place is given, not read from the array."""
    number = next(n for n, stm in enumerate(body.stms) if param in operands(stm.expr))
    read = body.stms[number]
    rest = Block((*body.stms[:number], *body.stms[number + 1 :]), body.results)
    return substitute(rest, {read.vars[0]: element})


class _Localiser:
    """Replaces versions of an array by versions of one place of it."""

    def __init__(self, param: Var, found: Found, defs: dict[str, Expr]) -> None:
        self.dims = found.place.dims
        self.type = param.type.drop(self.dims)
        self.versions, self.defs = found.versions, defs
        self.local: dict[str, Atom] = {}
        self.out: list[Stm] = []
        self.pos: Pos | None = None

    def read(self, param: Var, place: Place) -> None:
        """The old value of the place."""
        indices = [emit_form(form, self._integer) for form in place.forms]
        self.local[param.name] = self._bind(self.type, Apply("index", (param, *indices)))

    def _integer(self, op: str, *args: Atom) -> Var:
        return self._bind(Type(I64), Apply(op, args))

    def _bind(self, type: Type, expr: Apply) -> Var:
        var = fresh("t", type)
        self.out.append(Stm((var,), expr, self.pos))
        self.defs[var.name] = expr
        return var

    def atom(self, atom: Atom) -> Atom:
        return self.local.get(atom.name, atom) if isinstance(atom, Var) else atom

    def statement(self, stm: Stm) -> None:
        self.pos = stm.pos
        expr = stm.expr
        if isinstance(expr, Apply) and expr.op in _ACCESSES and _name(expr.args[0]) in self.versions:
            self._access(stm, expr)
            return
        new = rebuild(expr, self.atom, self._lam)
        vars = tuple(self._var(var) for var in stm.vars)
        self.out.append(Stm(vars, new, stm.pos))
        for var in vars:
            self.defs[var.name] = new

    def _access(self, stm: Stm, expr: Apply) -> None:
        (var,), base = stm.vars, self.atom(expr.args[0])
        value = [self.atom(arg) for arg in expr.args[1 : _ACCESSES[expr.op]]]
        rest = [self.atom(arg) for arg in expr.args[_ACCESSES[expr.op] + self.dims :]]
        if rest:
            new = Apply(expr.op, (base, *value, *rest))
            bound = self._var(var)
            self.out.append(Stm((bound,), new, stm.pos))
            self.defs[bound.name] = new
        elif expr.op == "index":
            self.local[var.name] = base
        elif expr.op == "update":
            self.local[var.name] = value[0]
        else:
            self.local[var.name] = self._bind(self.type, Apply("add", (base, value[0])))

    def _var(self, var: Var) -> Var:
        if var.name not in self.versions:
            return var
        new = fresh(var.name, self.type)
        self.local[var.name] = new
        return new

    def _lam(self, lam: Lambda) -> Lambda:
        outer, self.out = self.out, []
        params = tuple(self._var(param) for param in lam.params)
        for stm in lam.body.stms:
            self.statement(stm)
        block = Block(tuple(self.out), tuple(self.atom(x) for x in lam.body.results))
        self.out = outer
        return Lambda(params, block)
