"""Who uses what: use counts, and which of some variables a value depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..ir.core import Apply, Block, Check, For, If, Lambda, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import lambdas, map_lambdas, operands, statements
from .cost import has_check


def name_of(atom: Atom) -> str:
    """The name of a variable; nothing for a literal."""
    return atom.name if isinstance(atom, Var) else ""


def use_counts(block: Block) -> Counter[str]:
    """How often each variable is mentioned in a block, sub-blocks and results included; sizes in types do not count."""
    counts: Counter[str] = Counter()
    _count(block, counts)
    return counts


def _count(block: Block, counts: Counter[str]) -> None:
    for stm in block.stms:
        expr = stm.expr
        for atom in expr.args if type(expr) is Apply else operands(expr):
            if type(atom) is Var:
                counts[atom.name] += 1
        if type(expr) is not Apply:
            for lam in lambdas(expr):
                _count(lam.body, counts)
    for atom in block.results:
        if type(atom) is Var:
            counts[atom.name] += 1


def mentioned(part: Stm | Block | Lambda) -> set[str]:
    """All variables mentioned in a piece of program, bound ones included, sizes in types too."""
    found: set[str] = set()
    match part:
        case Stm():
            _mention_stm(part, found)
        case Block():
            _mention_block(part, found)
        case Lambda():
            _mention_block(part.body, found)
    return found


class Mentions:
    """`mentioned` for the statements of a block, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Stm, set[str]]] = {}

    def __call__(self, stm: Stm) -> set[str]:
        found = self._known.get(id(stm))
        if found is None:
            # The statement is kept with it, so that no other one can have its identity.
            found = self._known[id(stm)] = (stm, mentioned(stm))
        return found[1]


def _mention_block(block: Block, found: set[str]) -> None:
    for stm in block.stms:
        _mention_stm(stm, found)
    _mention_atoms(block.results, found)


def _mention_stm(stm: Stm, found: set[str]) -> None:
    expr = stm.expr
    if type(expr) is Apply:
        _mention_atoms(expr.args, found)
    else:
        _mention_atoms(operands(expr), found)
        for lam in lambdas(expr):
            _mention_block(lam.body, found)
    for var in stm.vars:
        _mention_atoms(var.type.shape, found)


def _mention_atoms(atoms: Iterable[Atom], found: set[str]) -> None:
    for atom in atoms:
        if type(atom) is Var:
            found.add(atom.name)
            if atom.type.shape:
                found.update([size.name for size in atom.type.shape if type(size) is Var])


def bound_names(block: Block) -> set[str]:
    """Everything bound in a block and inside it."""
    names: set[str] = set()
    for stm in block.stms:
        names.update([var.name for var in stm.vars])
        if type(stm.expr) is not Apply:
            for lam in lambdas(stm.expr):
                names.update([param.name for param in lam.params])
                names |= bound_names(lam.body)
    return names


def slice_for(block: Block, wanted: Iterable[Atom], *, checks: bool) -> Block:
    """The block with other results and only the statements these need; with all checks, or without any."""
    needed: set[str] = set()
    results = tuple(wanted)
    _mention_atoms(results, needed)
    kept: list[Stm] = []
    for stm in reversed(block.stms):
        if any(var.name in needed for var in stm.vars) or (checks and has_check((stm,))):
            kept.append(stm)
            _mention_stm(stm, needed)
    sliced = Block(tuple(reversed(kept)), results)
    return sliced if checks else _unchecked(sliced)


def _unchecked(block: Block) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if type(stm.expr) is Apply:
            stms.append(stm)
        elif not isinstance(stm.expr, Check):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _unchecked(lam.body)))
            stms.append(Stm(stm.vars, inner, stm.pos))
    return Block(tuple(stms), block.results)


def reached(block: Block, start: Iterable[str]) -> set[str]:
    """All variables, also inside inner blocks, whose values depend on those of `start`."""
    found = set(start)
    _reach(block, found)
    return found


def _reach(block: Block, found: set[str]) -> None:
    for stm in block.stms:
        expr = stm.expr
        match expr:
            case Apply(args=args):
                if _any(found, args):
                    found.update([var.name for var in stm.vars])
            case For(_, init, body) | While(init, _, body):
                _reach_loop(stm, expr, init, body, found)
            case If(cond, then, orelse):
                _reach(then, found)
                _reach(orelse, found)
                either = isinstance(cond, Var) and cond.name in found
                for var, x, y in zip(stm.vars, then.results, orelse.results, strict=True):
                    if either or _any(found, (x, y)):
                        found.add(var.name)
            case _:
                inside = _any(found, operands(expr))
                for lam in lambdas(expr):
                    _reach(lam.body, found)
                    inside = inside or _any(found, lam.body.results)
                if inside:
                    found.update([var.name for var in stm.vars])


def _reach_loop(stm: Stm, expr: For | While, init: tuple[Atom, ...], body: Lambda, found: set[str]) -> None:
    params = body.params[len(body.params) - len(init) :]
    conds = expr.cond.params if isinstance(expr, While) else params
    carried = {k for k, atom in enumerate(init) if _any(found, (atom,))}
    if isinstance(expr, For) and _any(found, (expr.count,)):
        carried = set(range(len(init)))
    before = -1
    while before != len(carried):
        before = len(carried)
        for k in carried:
            found.update((params[k].name, conds[k].name, stm.vars[k].name))
        if isinstance(expr, While):
            _reach(expr.cond.body, found)
            if _any(found, expr.cond.body.results):
                carried = set(range(len(init)))
        _reach(body.body, found)
        carried |= {k for k, atom in enumerate(body.body.results) if _any(found, (atom,))}


def _any(found: set[str], atoms: Iterable[Atom]) -> bool:
    return any(type(atom) is Var and atom.name in found for atom in atoms)


def sites(block: Block) -> dict[str, tuple[Stm, int]]:
    """Which statement binds each variable, as which of its results; inner blocks included."""
    found: dict[str, tuple[Stm, int]] = {}
    for stm in statements(block):
        for k, var in enumerate(stm.vars):
            found[var.name] = (stm, k)
    return found
