"""Return sweeps of bodies that run once for each index: the bodies of maps, reductions, scans, histograms and scatters.

`indexed(sweep, scope, body)` emits, for every i below `body.size`, the body forward and back, where `body.seed(b, i,
values)` are the adjoints of the body's results at i. What the bodies contribute to a variable from outside becomes

* a map, when each i contributes to a place that moves with i (`x[i]`, `x[2*i+1]`, a row): the contributions side by
  side are a contribution to a span;
* a reduction, when all contribute to the same place;
* two maps, when the place moves with i and wraps around at the end (`x[(i-1) % n]`): the second one goes over the
  places and reads what i contributes there, so that each place is written once;
* a histogram, when the place is computed;

and when the places are not of these kinds, or an inner loop contributes to a large array, the whole becomes a loop
that carries the adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, Hist, Lambda, Map, Reduce, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64, zero
from ..ir.walk import fresh, refresh
from ..passes.affine import Affine, emit_form, form_of
from ..records import dataclass
from .adjoints import CannotRecord, Deposit, Entry, LoopScope, RecordScope, Scope, Span
from .iteration import run_carried
from .places import add_of_all
from .shared import keep_shared
from .sweep import Sweep, back_through
from .values import is_small, mentions, sum_operator, zeros

# Elements of contributions that are kept to be added up later; they stay in the nearest cache.
KEPT = 4096

Seed: TypeAlias = Callable[[Builder, Var, Sequence[Atom]], Sequence[Atom | None]]


@dataclass(frozen=True, slots=True)
class Body:
    """A body that runs for each index below `size`; `outer` are the variables its results go to (`Sweep.inner`)."""

    size: Atom
    lam: Lambda
    outer: Sequence[Var | None]
    seed: Seed


def indexed(sweep: Sweep, scope: Scope, body: Body) -> None:
    """Emit the return sweep of all indices."""
    b, i = scope.b.child(), fresh("i", Type(I64))
    try:
        block, placed = _recorded(sweep, scope, body, b, i)
    except CannotRecord:
        _looped(sweep, scope, body)
    else:
        _emit(scope, body.size, i, block, placed, keep=not sweep.plan.is_limited)


def _run(
    sweep: Sweep, scope: Scope, b: Builder, body: Body, i: Var, kind: type[LoopScope] | type[RecordScope]
) -> Scope:
    """The body at i, forward and back."""
    inner, block = sweep.inner(scope, b, body.lam, (i,), body.outer, sweep.plan.in_parallel())
    child = kind(b, inner.varied, inner.bound, scope)
    child.counters[i.name] = body.size
    backs = inner.run(block)
    for result, adjoint in zip(block.results, body.seed(b, i, block.results), strict=True):
        child.add(result, adjoint)
    back_through(backs, child)
    return child


def _looped(sweep: Sweep, scope: Scope, body: Body) -> None:
    """One index after another, carrying the adjoints of what is outside."""
    b, i = scope.b.child(), fresh("i", Type(I64))
    child = _run(sweep, scope, b, body, i, LoopScope)
    assert isinstance(child, LoopScope)
    results = [child.adjoints[var.name] for var in child.carried]
    run_carried(scope, child, body.size, (i, *child.carried.values()), (), b.block(results))


# -- recorded contributions ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Placed:
    """A deposit and where it goes outside: `kind` is span, rotated, sum or hist.

    Entry `moving` is that of the index; of a rotation it is how far that is shifted.
    """

    deposit: Deposit
    kind: str
    entries: tuple[Entry, ...]
    moving: int = -1


def _recorded(sweep: Sweep, scope: Scope, body: Body, b: Builder, i: Var) -> tuple[Block, list[_Placed]]:
    """The body as a block that returns its contributions, and where they go. The scope is left as it is."""
    child = _run(sweep, scope, b, body, i, RecordScope)
    assert isinstance(child, RecordScope)
    # Sizes of contributions that are computed in the body, but not from i, are computed outside.
    b.stms[:] = scope.b.hoist_sizes((i,), b.block([d.value for d in child.deposits])).stms
    local = {var.name for stm in b.stms for var in stm.vars} | {i.name}
    deposits = [_regular(b, deposit, local) for deposit in child.deposits]
    block = b.block([deposit.value for deposit in deposits])
    classify = _Classifier(scope, body.size, i, block, local)
    return block, [classify(deposit) for deposit in deposits]


def _regular(b: Builder, deposit: Deposit, local: set[str]) -> Deposit:
    """A contribution of one size for all indices: one to a part whose size varies becomes one to the whole."""
    if not mentions(deposit.value.type, local):
        return deposit
    whole, pairs, entries = list[Atom](), list[Atom](), list[Entry]()
    for entry, size in zip(deposit.entries, deposit.var.type.shape, strict=False):
        varying = isinstance(entry, Span) and isinstance(entry.size, Var) and entry.size.name in local
        if isinstance(entry, Span):
            whole.append(size if varying else entry.size)
            pairs += (entry.start, entry.step) if varying else (i64(0), i64(1))
        entries.append(Span(i64(0), size, i64(1)) if varying else entry)
    type = Type(deposit.value.type.dtype, (*whole, *deposit.var.type.shape[len(entries) :]))
    if mentions(type, local):
        raise CannotRecord
    value = b.apply("update_slice", zeros(b, type), deposit.value, *pairs)
    return Deposit(deposit.var, tuple(entries), value)


@dataclass(slots=True)
class _Classifier:
    """Says where deposits of a body go."""

    scope: Scope
    size: Atom
    i: Var
    block: Block
    local: set[str]

    def __call__(self, deposit: Deposit) -> _Placed:
        moving = [k for k, entry in enumerate(deposit.entries) if self._moves(entry)]
        if not moving:
            return _Placed(deposit, "sum", tuple(map(self._outside, deposit.entries)))
        entry = deposit.entries[moving[0]]
        if len(moving) == 1 and not isinstance(entry, Span):
            form = self._form(entry)
            if not self._computed(form):
                step, start = form.coefficient(self.i.name), form.without(self.i.name)
                entries = [self._outside(e) if k != moving[0] else e for k, e in enumerate(deposit.entries)]
                entries[moving[0]] = Span(emit_form(start, self.scope.b.apply), self.size, i64(step))
                return _Placed(deposit, "span", tuple(entries), moving[0])
            if (shift := self._wrapped(deposit, moving[0])) is not None:
                entries = [self._outside(e) if k != moving[0] else shift for k, e in enumerate(deposit.entries)]
                return _Placed(deposit, "rotated", tuple(entries), moving[0])
        return self._histogram(deposit)

    def _wrapped(self, deposit: Deposit, k: int) -> Atom | None:
        """The literal, if entry k is `(i + literal) % size`.

        Of what is more than rows a loop is made that writes each to its place: kept side by side, all of them would go
        through memory twice more.
        """
        defined = next((stm.expr for stm in self.block.stms if deposit.entries[k] in stm.vars), None)
        if not (isinstance(defined, Apply) and defined.op == "mod" and defined.args[1] == self.size):
            return None
        form = self._form(defined.args[0])
        if form.coefficient(self.i.name) != 1 or form.without(self.i.name).terms:
            return None
        if deposit.value.type.rank > 1 or any(isinstance(entry, Span) for entry in deposit.entries[:k]):
            raise CannotRecord
        return i64(form.const)

    def _histogram(self, deposit: Deposit) -> _Placed:
        """Indices lead, and what follows is whole; a histogram is made where the adjoint is at hand."""
        keys = [entry for entry in deposit.entries if not isinstance(entry, Span)]
        rest = zip(deposit.entries[len(keys) :], deposit.var.type.shape[len(keys) :], strict=False)
        whole = all(isinstance(entry, Span) and entry.covers(size) for entry, size in rest)
        if not whole or (self.scope.records(deposit.var) and not is_small(deposit.var.type)):
            raise CannotRecord
        return _Placed(deposit, "hist", tuple(keys))

    def _form(self, atom: Atom) -> Affine:
        defs = {var.name: stm.expr for stm in self.block.stms for var in stm.vars}
        return form_of(atom, defs)

    def _computed(self, form: Affine) -> bool:
        """Does it involve values of the body other than i?"""
        return any(name in self.local and name != self.i.name for name in form.terms)

    def _moves(self, entry: Entry) -> bool:
        atoms = (entry.start, entry.size, entry.step) if isinstance(entry, Span) else (entry,)
        return any(name in self.local for atom in atoms for name in self._form(atom).terms)

    def _outside(self, entry: Entry) -> Entry:
        """The same place in terms of what is known outside."""
        if isinstance(entry, Span):
            return Span(*(self._emitted(x) for x in (entry.start, entry.size, entry.step)))
        return self._emitted(entry)

    def _emitted(self, atom: Atom) -> Atom:
        if isinstance(atom, Lit) or atom.name not in self.local:
            return atom
        return emit_form(self._form(atom), self.scope.b.apply)


def _emit(scope: Scope, size: Atom, i: Var, block: Block, placed: Sequence[_Placed], *, keep: bool) -> None:
    """The operators that make the contributions, and the contributions; `keep` allows them to share what is costly."""
    if not placed:
        return
    large = [p for p in placed if p.kind == "sum" and not _fits(p.deposit.value.type, size)]
    small = [p for p in placed if p.kind == "sum" and p not in large]
    others = [p for p in placed if p.kind != "sum"]
    if not others:
        _reduced(scope, size, i, block, placed)
        return
    if len(others) == 1 == len(placed) and others[0].kind == "hist":
        _histogram(scope, size, others[0], Lambda((i,), Block(block.stms, _hist_results(others[0]))))
        return
    if large:
        if keep:
            first, second = ([atom for p in some for atom in _hist_results(p)] for some in (large, [*others, *small]))
            block = keep_shared(scope.b, size, i, block, (first, second))
        again = refresh(Lambda((i,), Block(block.stms, tuple(p.deposit.value for p in large))))
        _reduced(scope, size, again.params[0], again.body, large)
    _mapped(scope, size, i, block, [*others, *small])


def _fits(type: Type, size: Atom) -> bool:
    """May the contributions of all indices to one place be kept side by side, rather than running the body again?"""
    return is_small(type) or is_small(type.stacked(size), KEPT)


def _hist_results(p: _Placed) -> tuple[Atom, ...]:
    return (*(e for e in p.entries if not isinstance(e, Span)), p.deposit.value)


def _reduced(scope: Scope, size: Atom, i: Var, block: Block, placed: Sequence[_Placed]) -> None:
    """Contributions of all indices to one place each, added up."""
    b = scope.b
    types = [p.deposit.value.type for p in placed]
    results = tuple(block.results[k] for k in range(len(placed)))
    body = Lambda((i,), Block(block.stms, results))
    expr = Reduce(size, sum_operator(b, types), tuple(zeros(b, type) for type in types), body)
    for p, total in zip(placed, b.bind(types, expr, "adj"), strict=True):
        add_of_all(scope, size, p.deposit.var, total, p.entries)


def _mapped(scope: Scope, size: Atom, i: Var, block: Block, placed: Sequence[_Placed]) -> None:
    """The contributions of all indices side by side, then to where they go."""
    b = scope.b
    results = tuple(atom for p in placed for atom in (_hist_results(p) if p.kind == "hist" else (p.deposit.value,)))
    arrays = _side_by_side(b, size, i, block.stms, results)
    for p in placed:
        taken = [arrays.pop(0) for _ in range(len(p.entries) + 1 if p.kind == "hist" else 1)]
        if p.kind == "rotated":
            _rotated(scope, size, taken[0], p)
        elif p.kind == "span":
            add_of_all(scope, size, p.deposit.var, _moved(b, taken[0], p), p.entries)
        elif p.kind == "sum":
            _reduced(scope, size, *_reader(b, taken), [p])
        else:
            j, read = _reader(b, taken)
            _histogram(scope, size, p, Lambda((j,), read))


def _side_by_side(b: Builder, size: Atom, i: Var, stms: tuple[Stm, ...], results: Sequence[Atom]) -> list[Atom]:
    """Values of a body for all indices. Where that is an array from outside, read one after another, it is this."""
    outside = {out: array for stm in stms for out, array in _read_along(stm, size, i)}
    local = {var.name for stm in stms for var in stm.vars}
    known = [array if (array := outside.get(r)) is not None and array.name not in local else None for r in results]
    others = tuple(r for r, array in zip(results, known, strict=True) if array is None)
    made: list[Atom] = []
    if others:
        made += b.bind((r.type.stacked(size) for r in others), Map(size, Lambda((i,), Block(stms, others))), "adj")
    return [made.pop(0) if array is None else array for array in known]


def _read_along(stm: Stm, size: Atom, i: Var) -> Iterator[tuple[Atom, Var]]:
    """The element i that a statement reads of an array of this size, and the array."""
    match stm.expr:
        case Apply("index", (Var() as array, at)) if at == i and array.type.shape[0] == size:
            yield stm.vars[0], array
        case _:
            pass


def _reader(b: Builder, arrays: Sequence[Atom]) -> tuple[Var, Block]:
    def read(inner: Builder, j: Var) -> Sequence[Atom]:
        return [inner.apply("index", array, j) for array in arrays]

    lam = b.lam((Type(I64),), read, hints=("i",))
    return lam.params[0], lam.body


def _rotated(scope: Scope, size: Atom, value: Atom, p: _Placed) -> None:
    """Contributions to places that go on from 0 after the last one: to place k comes that of index k - shift."""
    b, shift = scope.b, p.entries[p.moving]
    assert isinstance(shift, Lit)

    def arriving(inner: Builder, k: Var) -> Sequence[Atom]:
        index = inner.apply("mod", inner.apply("sub", k, shift), size)
        return [inner.apply("index", value, index)]

    (rotated,) = b.map_(size, arriving)
    entries = (*p.entries[: p.moving], Span(i64(0), size, i64(1)), *p.entries[p.moving + 1 :])
    add_of_all(scope, size, p.deposit.var, rotated, entries)


def _moved(b: Builder, value: Atom, p: _Placed) -> Atom:
    """The new leading dimension, at its place among the spans."""
    before = sum(isinstance(entry, Span) for entry in p.entries[: p.moving])
    if before == 0:
        return value
    order = (*range(1, before + 1), 0, *range(before + 1, value.type.rank))
    return b.apply("transpose", value, attrs=order)


def _histogram(scope: Scope, size: Atom, p: _Placed, body: Lambda) -> None:
    """Contributions at computed places; those out of range come from arms not taken."""
    var, b = p.deposit.var, scope.b
    records = scope.records(var)
    start = None if records else scope.begin(var)
    dest = zeros(b, var.type) if start is None else start
    scalar = Type(var.type.dtype)
    expr = Hist(size, b.operator("add", (scalar,)), (zero(var.type.dtype),), (dest,), len(p.entries), body)
    (total,) = b.bind((var.type,), expr, "adj")
    if records:
        scope.add(var, total)
    else:
        scope.set(var, total)
