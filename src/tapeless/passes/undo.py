"""Undo: a write that is only made to be taken back need not be made.

The return sweep of a derivative runs a block again and then takes its writes back, so that arrays stay in place:

    u = a with v at i;  ...;  r = u with a[i] at i

When nobody looks at `u` in between, `r` is `a`. When somebody does, both writes stay: they happen in place, whereas
keeping `a` beside `u` would copy the array. The same holds where all of this happens on one condition:

    o = a[i] if c;  u = a with v at i if c else a;  ...;  r = u with o at i if c else u

Zeros that are only written to be added to are not written either: the adjoint of an element that was overwritten starts
anew, and often gets its only contribution at once.

    u = a with 0 at i;  r = u with v added at i        becomes        r = a with v at i
"""

from __future__ import annotations

from collections import Counter

from ..ir.build import is_literal
from ..ir.core import Apply, Block, Check, Expr, Function, If, Lambda, Stm
from ..ir.types import Atom, Var
from ..ir.walk import map_lambdas, statements, substitute
from ..records import dataclass
from . import dce
from .notes import Notes
from .rewrite import name_of
from .uses import use_counts

ROUNDS = 8
_READS = {"update": "index", "update_slice": "slice"}


def run(function: Function, notes: Notes) -> Function:
    """The function without pairs of writes that cancel; taking one pair out may uncover the next."""
    for _ in range(ROUNDS):
        function = _without_zeros(function, notes)
        defs = {s.vars[0].name: s.expr for s in statements(function.body) if isinstance(s.expr, Apply)}
        if not any(expr.op in _READS for expr in defs.values()):
            return function
        uses = use_counts(function.body)
        found: dict[Var, Atom] = {}
        for stm in statements(function.body):
            if isinstance(stm.expr, Apply) and (source := _undone(stm.expr, defs)) is not None:
                written = stm.expr.args[0]
                if isinstance(written, Var) and uses[written.name] == 1:
                    found[stm.vars[0]] = _first(found, source)
        found |= _undone_in_arms(function.body, defs, uses)
        if not found:
            return function
        function = Function(function.name, function.params, substitute(function.body, found), function.donated)
        function = dce.run(function, notes)
    return function


def _without_zeros(function: Function, notes: Notes) -> Function:
    """The function with sums that start anew as plain writes."""
    defs = {s.vars[0].name: s.expr for s in statements(function.body) if isinstance(s.expr, Apply)}
    if not any(expr.op == "accumulate" and _anew(expr, defs) for expr in defs.values()):
        return function
    uses = use_counts(function.body)

    def changed(block: Block) -> Block:
        return Block(tuple(Stm(stm.vars, written(stm.expr), stm.pos) for stm in block.stms), block.results)

    def written(expr: Expr) -> Expr:
        if not isinstance(expr, Apply | Check):
            return map_lambdas(expr, lambda lam: Lambda(lam.params, changed(lam.body)))
        if not isinstance(expr, Apply) or expr.op != "accumulate" or uses[name_of(expr.args[0])] != 1:
            return expr
        base = _anew(expr, defs)
        return expr if base is None else Apply("update", (base, *expr.args[1:]))

    return dce.run(Function(function.name, function.params, changed(function.body), function.donated), notes)


def _anew(expr: Apply, defs: dict[str, Apply]) -> Atom | None:
    """The array in which zeros are written where a sum then adds."""
    start = _definition(expr.args[0], defs)
    if start is None or start.op != "update" or start.args[2:] != expr.args[2:]:
        return None
    zero = start.args[1]
    made = _definition(zero, defs)
    empty = is_literal(made.args[0] if made is not None and made.op == "replicate" else zero, 0.0)
    return start.args[0] if empty else None


def _undone(expr: Apply, defs: dict[str, Apply]) -> Atom | None:
    """The array that a write brings back: what it writes stood there before the write that it takes back."""
    if expr.op not in _READS:
        return None
    write = _definition(expr.args[0], defs)
    if write is None or write.args[2:] != expr.args[2:]:
        return None
    if write.op != expr.op and (write.op, expr.op) != ("accumulate", "update"):
        return None
    return write.args[0] if _stood_there(expr, write.args[0], defs) else None


def _undone_in_arms(body: Block, defs: dict[str, Apply], uses: Counter[str]) -> dict[Var, Atom]:
    """The results of branches that bring an array back, each with that array."""
    branches = _branches(body)
    found: dict[Var, Atom] = {}
    for var, back in branches.items():
        expr = _definition(back.taken, defs)
        if expr is None or expr.op not in _READS or expr.args[0] != back.otherwise:
            continue
        written, old = back.otherwise, expr.args[1]
        if not isinstance(written, Var) or not isinstance(old, Var) or uses[written.name] != 2:
            continue
        write, read = branches.get(written), branches.get(old)
        if write is None or read is None or not write.cond == read.cond == back.cond:
            continue
        again = Apply(expr.op, (write.taken, read.taken, *expr.args[2:]))
        if _undone(again, defs) == write.otherwise:
            found[var] = _first(found, write.otherwise)
    return found


@dataclass(frozen=True, slots=True)
class _Branch:
    """A value that is `taken` on a condition, and `otherwise` another."""

    cond: Atom
    taken: Atom
    otherwise: Atom


def _branches(body: Block) -> dict[Var, _Branch]:
    found: dict[Var, _Branch] = {}
    for stm in statements(body):
        if isinstance(stm.expr, If):
            cond, then, orelse = stm.expr.cond, stm.expr.then.results, stm.expr.orelse.results
            found |= {var: _Branch(cond, x, y) for var, x, y in zip(stm.vars, then, orelse, strict=True)}
    return found


def _first(found: dict[Var, Atom], source: Atom) -> Atom:
    """What stands for an array, which may itself have been brought back."""
    return found.get(source, source) if isinstance(source, Var) else source


def _stood_there(expr: Apply, array: Atom, defs: dict[str, Apply]) -> bool:
    """Is the value that `expr` writes what `array` holds at that place?"""
    value, place = expr.args[1], expr.args[2:]
    read, made = _definition(value, defs), _definition(array, defs)
    if read is not None and read.op == _READS[expr.op] and read.args[0] == array:
        indices = read.args[1:]
        if expr.op == "update_slice":
            indices = tuple(x for k in range(0, len(indices), 3) for x in (indices[k], indices[k + 2]))
        return indices == place
    if made is None:
        return False
    if made.op == "replicate":
        return made.args[0] == value
    return made.op == expr.op and made.args[1:] == expr.args[1:]


def _definition(atom: Atom, defs: dict[str, Apply]) -> Apply | None:
    return defs.get(atom.name) if isinstance(atom, Var) else None
