"""Snapshot: keep the part of an array that is read after it is overwritten, so that the array can be written in place.

    row = a[i];  b = a with zeros at i;  ... row ...

Values never change, so this is right as it stands, but a write in place would destroy `row`: the back end would copy
all of `a`. When everything that is read of `a` after the write lies in one part of it, a copy of that part is enough.
Reads inside inner blocks count; so do views that were made before the write. Otherwise, reads of the same block move in
front of the write, and views of parts are copied one by one. This is the last pass: others would look through the copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, Hist, Lambda, Map, Scatter, Stm, While
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import fresh, lambdas, map_lambdas, operands, statements, substitute
from ..records import dataclass
from .cost import has_check
from .notes import Notes


def run(function: Function, _notes: Notes) -> Function:
    """The same function; arrays that die in a write may be overwritten there."""
    return Function(function.name, function.params, _block(function.body), function.donated)


def _block(block: Block) -> Block:
    stms = [Stm(stm.vars, map_lambdas(stm.expr, _lambda), stm.pos) for stm in block.stms]
    results = block.results
    lives = _Lives(stms, results)
    at = 0
    while at < len(stms):
        for array in _overwritten(stms[at]):
            if not lives.after(array, at):
                continue
            rest = Block(tuple(stms[at + 1 :]), results)
            reads = _Reads(array, stms[:at])
            found = reads.of(rest, stms[at])
            kept = _kept(array, found, rest, stms[at]) if found else _brought_forward(reads, rest, stms[at])
            if kept:
                before, rest = kept
                stms[at + 1 :], results = rest.stms, rest.results
                stms[at:at] = before
                at += len(before)
                lives = _Lives(stms, results)
        at += 1
    return Block(tuple(stms), results)


def _lambda(lam: Lambda) -> Lambda:
    return Lambda(lam.params, _block(lam.body))


def _overwritten(stm: Stm) -> list[Var]:
    """The arrays that a statement would like to overwrite."""
    match stm.expr:
        case Apply("update" | "update_slice" | "accumulate", (array, *_)):
            found: Sequence[Atom] = (array,)
        case For(_, init, _) | While(init, _, _):
            found = init
        case Hist(dest=dest):
            found = dest
        case Scatter(_, dest, _, _):
            found = (dest,)
        case _:
            found = ()
    return [atom for atom in dict.fromkeys(found) if isinstance(atom, Var) and atom.type.shape]


class _Lives:
    """Up to which statement of a block an array, or a view of it, is mentioned."""

    def __init__(self, stms: Sequence[Stm], results: Sequence[Atom]) -> None:
        self.last: dict[str, int] = {}
        self.views: dict[str, list[str]] = {}
        for at, stm in enumerate(stms):
            self.mention(_mentioned(Block((stm,), ())), at)
            match stm.expr:
                case Apply("index" | "slice" | "transpose" | "reshape", (Var(name), *_)):
                    self.views.setdefault(name, []).append(stm.vars[0].name)
                case _:
                    pass
        self.mention(results, len(stms))

    def mention(self, atoms: Iterable[Atom], at: int) -> None:
        for atom in atoms:
            if isinstance(atom, Var):
                self.last[atom.name] = at

    def after(self, array: Var, at: int) -> bool:
        """Does anything behind a statement look at the array?"""
        names = [array.name]
        for name in names:  # which grows
            if self.last.get(name, -1) > at:
                return True
            names += self.views.get(name, ())
        return False


@dataclass(slots=True)
class _Found:
    """A read: the variable bound to it, and the indices of the part of the array that it looks at."""

    var: Var
    path: tuple[Atom, ...]
    is_view: bool


@dataclass(slots=True)
class _Reads:
    """Reads of an array after a write, given the statements before it."""

    array: Var
    before: Sequence[Stm]

    def of(self, rest: Block, write: Stm) -> list[_Found]:
        """What is read of the array in the rest of the block; nothing unless all of it is in one part.

        Whether that part is in range must be known: it was looked at before, or it is where the write goes.
        """
        views = self.views()
        bound = {var.name for stm in statements(rest) for var in stm.vars}
        found: list[_Found] = []
        mentioned = _mentions(rest)
        for name, path in views.items():
            if name in mentioned:
                found.append(_Found(mentioned[name], path, True))
        for stm in statements(rest):
            if self.array in operands(stm.expr):
                expr = stm.expr
                if not isinstance(expr, Apply) or expr.op != "index" or expr.args[0] != self.array:
                    return []
                found.append(_Found(stm.vars[0], expr.args[1:], False))
        if not found or self.array in rest.results:
            return []
        prefix = _common([read.path for read in found], bound)
        known = any(path == prefix for path in views.values()) or _place(write)[: len(prefix)] == prefix
        if not prefix or not known or any(read.is_view and read.path != prefix for read in found):
            return []
        return [_Found(read.var, prefix, read.is_view) for read in found]

    def views(self) -> dict[str, tuple[Atom, ...]]:
        """Views by index that were made before the write. Any other view may be of any part."""
        views: dict[str, tuple[Atom, ...]] = {}
        for stm in self.before:
            match stm.expr:
                case Apply("index", (source, *indices)) if source == self.array and stm.vars[0].type.shape:
                    views[stm.vars[0].name] = tuple(indices)
                case Apply("slice" | "transpose" | "reshape", (source, *_)) if source == self.array:
                    views[stm.vars[0].name] = ()
                case Apply("index" | "slice" | "transpose" | "reshape", (Var(name), *_)) if name in views:
                    if stm.vars[0].type.shape:
                        views[stm.vars[0].name] = ()
                case _:
                    pass
        return views

    def parts(self) -> set[str]:
        """The views made before the write that are of less than the whole array."""
        found: set[str] = set()
        for stm in self.before:
            match stm.expr:
                case Apply("index" | "slice", (source, *_)) if source == self.array and stm.vars[0].type.shape:
                    found.add(stm.vars[0].name)
                case Apply("index" | "slice" | "transpose" | "reshape", (Var(name), *_)) if name in found:
                    if stm.vars[0].type.shape:
                        found.add(stm.vars[0].name)
                case _:
                    pass
        return found


def _place(stm: Stm) -> tuple[Atom, ...]:
    """The indices that a statement writes at, where there are."""
    match stm.expr:
        case Apply("update" | "accumulate", args):
            return args[2:]
        case _:
            return ()


def _mentions(block: Block) -> dict[str, Var]:
    return {atom.name: atom for atom in _mentioned(block) if isinstance(atom, Var)}


def _mentioned(block: Block) -> Iterator[Atom]:
    """The atoms that the statements of a block mention at any depth, and its results."""
    for stm in statements(block):
        yield from operands(stm.expr)
        for lam in lambdas(stm.expr):
            yield from lam.body.results
    yield from block.results


def _common(paths: Sequence[tuple[Atom, ...]], bound: set[str]) -> tuple[Atom, ...]:
    """The leading indices that all paths share and that are known before the write."""
    prefix: list[Atom] = []
    for atoms in zip(*paths, strict=False):
        if any(atom != atoms[0] for atom in atoms) or (isinstance(atoms[0], Var) and atoms[0].name in bound):
            break
        prefix.append(atoms[0])
    return tuple(prefix)


def _brought_forward(reads: _Reads, rest: Block, write: Stm) -> tuple[list[Stm], Block] | None:
    """The statements that read, in front of the write, all that the rest wants of the array; and the rest without them.

    A read may move when its place is known and no check stands before it, which might have stopped the program.
    """
    bound = {var.name for stm in (write, *rest.stms) for var in stm.vars}
    moved: list[Stm] = []
    stays: list[Stm] = []
    for stm in rest.stms:
        match stm.expr:
            case Apply("index", (source, *place)) if source == reads.array:
                if has_check((write, *stays)) or any(isinstance(x, Var) and x.name in bound for x in place):
                    return None
                moved.append(stm)
            case _:
                stays.append(stm)
    after = Block(tuple(stays), rest.results)
    mentioned, parts = _mentions(after), reads.parts()
    views = [mentioned[name] for name in reads.views() if name in mentioned]
    views += [stm.vars[0] for stm in moved if stm.vars[0].type.shape]
    if not (moved or views) or reads.array.name in mentioned:
        return None
    if any(view.name not in parts and view not in {stm.vars[0] for stm in moved} for view in views):
        return None
    b = Builder(write.pos)
    copies: dict[Var, Atom] = {view: _copied(b, view) for view in views}
    return [*moved, *b.stms], substitute(after, copies)


def _kept(array: Var, found: Sequence[_Found], rest: Block, write: Stm) -> tuple[list[Stm], Block]:
    """The statements that copy the part, and the rest of the block reading the copy."""
    prefix = found[0].path
    b = Builder(write.pos)
    part = b.apply("index", array, *prefix)
    if part.type.shape:
        part = _copied(b, part)
    return b.stms, _redirected(rest, array, part, len(prefix), {read.var: part for read in found if read.is_view})


def _copied(b: Builder, part: Var) -> Var:
    i = fresh("i", Type(I64))
    inner = b.child()
    row = inner.apply("index", part, i)
    return b.bind((part.type,), Map(part.type.shape[0], Lambda((i,), inner.block((row,)))), "kept")[0]


def _redirected(block: Block, array: Var, part: Atom, depth: int, views: dict[Var, Atom]) -> Block:
    """The block with its reads of the array going to the copy."""
    same: dict[Var, Atom] = dict(views)

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, walk(lam.body))

    def walk(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            match stm.expr:
                case Apply("index", (source, *indices)) if source == array:
                    if indices[depth:]:
                        stms.append(Stm(stm.vars, Apply("index", (part, *indices[depth:])), stm.pos))
                    else:
                        same[stm.vars[0]] = part
                case expr:
                    stms.append(Stm(stm.vars, map_lambdas(expr, inner), stm.pos))
        return Block(tuple(stms), block.results)

    return substitute(walk(block), same)
