"""Bodies of sums of arrays taken apart: what is made of scalars, and the statements that make the arrays.

    reduce i { k = ...; if c { zeros with e(k, j) written at row k } else { ... } }

Where iterations add at places of their own, the two parts run differently (`lanewise`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, If, Map, Reduce, Stm
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, fresh, substitute
from ..passes.cost import has_check
from ..passes.uses import mentioned
from ..records import dataclass

_VIEWS = ("index", "slice", "transpose")
_MAKERS = ("update", "accumulate", "stack")


@dataclass(frozen=True, slots=True)
class Parts:
    """A body taken apart: the results of `early` are what is no array, then `shared`, which `late` reads.

    Where `cond` holds, `usual` does what `late` does.
    """

    early: Block
    late: Block
    shared: tuple[Var, ...]
    usual: Block | None = None
    cond: Var | None = None


def split(expr: Reduce) -> Parts | None:
    """The two parts of a body; None where all iterations add to the same places, or checks are among the arrays."""
    block = expr.body.body
    late = _late(block)
    inside: set[Atom] = {var for stm in block.stms for var in stm.vars}
    if not any(_is_placed(stm, inside) for stm in late) or has_check(late):
        return None
    views = _views(block, late)
    after = Block(
        tuple(stm for stm in block.stms if stm in late or stm in views),
        tuple(atom for atom in block.results if atom.type.shape),
    )
    # A row of which the early part reads elements has another name there, and is not copied to be read in loops.
    names: dict[Var, Atom] = {stm.vars[0]: fresh(stm.vars[0].name, stm.vars[0].type) for stm in views}
    before = [stm for stm in block.stms if stm not in late]
    bound = {var for stm in before if stm not in views for var in stm.vars} | set(expr.body.params)
    shared = tuple(var for var in free_vars(after) if var in bound)
    results = (*(atom for atom in block.results if not atom.type.shape), *shared)
    renamed = substitute(Block(tuple(_renamed(stm, names) for stm in before), results), names)
    return _with_usual(Parts(renamed, after, shared))


def _with_usual(parts: Parts) -> Parts:
    """Where the arrays are made by a branch, its first arm alone for when the condition holds."""
    late = parts.late
    match late.stms[-1]:
        case Stm(vars, If(Var() as cond, then)) if vars == late.results:
            usual = _needed((*late.stms[:-1], *then.stms), then.results)
            return Parts(parts.early, late, parts.shared, usual, cond)
        case _:
            return parts


def _needed(stms: Sequence[Stm], results: tuple[Atom, ...]) -> Block:
    """The statements without those that nobody reads."""
    kept: list[Stm] = []
    wanted = mentioned(Block((), results))
    for stm in reversed(stms):
        if any(var.name in wanted for var in stm.vars):
            kept.insert(0, stm)
            wanted |= mentioned(stm)
    return Block(tuple(kept), results)


def _renamed(stm: Stm, names: dict[Var, Atom]) -> Stm:
    var = names.get(stm.vars[0]) if stm.vars else None
    return Stm((var,), stm.expr, stm.pos) if isinstance(var, Var) else stm


def _late(block: Block) -> list[Stm]:
    """The statements that make the arrays among the results, and whatever else makes arrays for these alone."""
    results = [atom for atom in block.results if isinstance(atom, Var)]
    wanted = {atom.name for atom in results if atom.type.shape}
    elsewhere = {atom.name for atom in results if not atom.type.shape}
    found: list[Stm] = []
    for stm in reversed(block.stms):
        names = {var.name for var in stm.vars}
        made = isinstance(stm.expr, If | Map) or (isinstance(stm.expr, Apply) and stm.expr.op in _MAKERS)
        if made and names <= wanted and not names & elsewhere:
            found.insert(0, stm)
            wanted |= mentioned(stm)
        else:
            elsewhere |= mentioned(stm)
    return found


def _is_placed(stm: Stm, bound: set[Atom]) -> bool:
    """Does this statement write at places that differ from iteration to iteration, which are computed in the body?"""
    match stm.expr:
        case If(_, then, orelse):
            return any(_is_placed(inner, bound) for arm in (then, orelse) for inner in arm.stms)
        case Apply("update" | "accumulate", (_, _, *at)):
            return any(i in bound for i in at)
        case _:
            return False


def _views(block: Block, late: Sequence[Stm]) -> list[Stm]:
    """The views of arrays from outside that the late statements read."""
    bound = {var for stm in block.stms for var in stm.vars}
    wanted = {name for stm in late for name in mentioned(stm)}
    found: list[Stm] = []
    views: set[Var] = set()
    for stm in block.stms:
        match stm.expr:
            case Apply(op, (base, *_)) if op in _VIEWS and stm.vars[0].type.shape and stm.vars[0].name in wanted:
                if isinstance(base, Var) and (base not in bound or base in views):
                    found.append(stm)
                    views.add(stm.vars[0])
            case _:
                pass
    return found
