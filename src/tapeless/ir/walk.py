"""Going through programs: sub-blocks, free variables, substitution, fresh and canonical names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from .core import (
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
)
from .types import Atom, Lit, Type, Var

# Far above the numbers of `canonical` programs and of parsed texts, which fresh names must not meet.
_counter = itertools.count(1_000_000)


def fresh(hint: str, type: Type) -> Var:
    """A variable with a name never used before in this process."""
    return Var(f"{hint.split('.', maxsplit=1)[0]}.{next(_counter)}", type)


def operands(expr: Expr) -> tuple[Atom, ...]:
    """The atoms an expression mentions outside its sub-blocks."""
    match expr:
        case Apply(_, args) | Check(_, args) | Custom(args):
            return args
        case If(cond):
            return (cond,)
        case For(count, init):
            return (count, *init)
        case While(init):
            return init
        case Map(size):
            return (size,)
        case Reduce(size, _, neutral) | Scan(size, _, neutral):
            return (size, *neutral)
        case Hist(size, _, neutral, dest):
            return (size, *neutral, *dest)
        case Scatter(size, dest):
            return (size, dest)


def lambdas(expr: Expr) -> tuple[Lambda, ...]:
    """The sub-blocks of an expression with what they bind; arms of an `If` bind nothing."""
    match expr:
        case Apply() | Check():
            return ()
        case If(_, then, orelse):
            return (Lambda((), then), Lambda((), orelse))
        case For(body=body) | Map(body=body) | Scatter(body=body):
            return (body,)
        case While(_, cond, body):
            return (cond, body)
        case Reduce(op=op, body=body) | Scan(op=op, body=body) | Hist(op=op, body=body):
            return (op, body)
        case Custom(_, body, forward, backward):
            return tuple(lam for lam in (body, forward, backward) if lam is not None)


def rebuild(expr: Expr, on_atom: Callable[[Atom], Atom], on_lambda: Callable[[Lambda], Lambda]) -> Expr:
    """The same expression over other operands and sub-blocks."""

    def atoms(xs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple([on_atom(x) for x in xs])

    match expr:
        case Apply(op, args, attrs):
            return Apply(op, atoms(args), attrs)
        case Check(kind, args, info):
            return Check(kind, atoms(args), info)
        case If(cond, then, orelse):
            arms = [on_lambda(Lambda((), arm)).body for arm in (then, orelse)]
            return If(on_atom(cond), arms[0], arms[1])
        case For(count, init, body):
            return For(on_atom(count), atoms(init), on_lambda(body))
        case While(init, cond, body):
            return While(atoms(init), on_lambda(cond), on_lambda(body))
        case Map(size, body):
            return Map(on_atom(size), on_lambda(body))
        case Reduce(size, op, neutral, body):
            return Reduce(on_atom(size), on_lambda(op), atoms(neutral), on_lambda(body))
        case Scan(size, op, neutral, body):
            return Scan(on_atom(size), on_lambda(op), atoms(neutral), on_lambda(body))
        case Hist(size, op, neutral, dest, keys, body):
            return Hist(on_atom(size), on_lambda(op), atoms(neutral), atoms(dest), keys, on_lambda(body))
        case Scatter(size, dest, keys, body):
            return Scatter(on_atom(size), on_atom(dest), keys, on_lambda(body))
        case Custom(args, body, forward, backward):
            value = on_lambda(body)
            rules = [None if rule is None else on_lambda(rule) for rule in (forward, backward)]
            return Custom(atoms(args), value, rules[0], rules[1])


def map_lambdas(expr: Expr, change: Callable[[Lambda], Lambda]) -> Expr:
    """The same expression with every sub-block changed."""
    return rebuild(expr, lambda atom: atom, change)


def statements(block: Block) -> Iterator[Stm]:
    """All statements, outer before inner, in order."""
    for stm in block.stms:
        yield stm
        if type(stm.expr) is not Apply:
            for lam in lambdas(stm.expr):
                yield from statements(lam.body)


def free_vars(*parts: Expr | Block | Lambda | Atom) -> dict[Var, None]:
    """The variables used but not bound inside, in order of first use; sizes in types count."""
    found: dict[str, Var] = {}
    for part in parts:
        match part:
            case Block():
                _collect_block(part, set(), found)
            case Lambda():
                _collect_lambda(part, set(), found)
            case Var() | Lit():
                _collect_atoms((part,), set(), found)
            case _:
                _collect(part, set(), found)
    return dict.fromkeys(found.values())


def _collect_atoms(atoms: Iterable[Atom], bound: set[str], found: dict[str, Var]) -> None:
    for atom in atoms:
        if type(atom) is Var and atom.name not in bound and atom.name not in found:
            found[atom.name] = atom
            if atom.type.shape:
                _collect_atoms(atom.type.shape, bound, found)


def _collect(expr: Expr, bound: set[str], found: dict[str, Var]) -> None:
    _collect_atoms(operands(expr), bound, found)
    for lam in lambdas(expr):
        _collect_lambda(lam, bound, found)


def _collect_lambda(lam: Lambda, bound: set[str], found: dict[str, Var]) -> None:
    names = [param.name for param in lam.params]
    bound.update(names)
    for param in lam.params:
        if param.type.shape:
            _collect_atoms(param.type.shape, bound, found)
    _collect_block(lam.body, bound, found)
    bound.difference_update(names)


def _collect_block(block: Block, bound: set[str], found: dict[str, Var]) -> None:
    names: list[str] = []
    for stm in block.stms:
        expr = stm.expr
        if type(expr) is Apply:
            _collect_atoms(expr.args, bound, found)
        else:
            _collect(expr, bound, found)
        for var in stm.vars:
            bound.add(var.name)
            names.append(var.name)
            if var.type.shape:
                _collect_atoms(var.type.shape, bound, found)
    _collect_atoms(block.results, bound, found)
    bound.difference_update(names)


Subst = Mapping[Var, Atom]


def subst_atom(atom: Atom, subst: Subst) -> Atom:
    """Replace a variable, or the sizes in its type."""
    if isinstance(atom, Var):
        if atom in subst:
            return subst[atom]
        if atom.type.shape:
            type = subst_type(atom.type, subst)
            return atom if type is atom.type else Var(atom.name, type)
    return atom


def subst_type(type: Type, subst: Subst) -> Type:
    if not type.shape:
        return type
    shape = tuple([subst_atom(size, subst) for size in type.shape])
    return type if shape == type.shape else Type(type.dtype, shape)


def substitute(block: Block, subst: Subst) -> Block:
    """Replace free variables; sound because bound names are unique."""
    return _Rename(subst, keep_names=True).block(block) if subst else block


def substitute_lambda(lam: Lambda, subst: Subst) -> Lambda:
    return _Rename(subst, keep_names=True).lam(lam) if subst else lam


def refresh(lam: Lambda, subst: Subst | None = None) -> Lambda:
    """A copy in which everything bound inside has a fresh name: needed to use a body twice."""
    return _Rename(subst or {}, keep_names=False).lam(lam)


def inline(lam: Lambda, args: tuple[Atom, ...]) -> Block:
    """The body applied to `args`, all its names fresh."""
    return _Rename(dict(zip(lam.params, args, strict=True)), keep_names=False).block(lam.body)


def canonical(function: Function, hint: str | None = None) -> Function:
    """The same program with names numbered in order of binding: equal programs print equally.

    With a hint for all names, programs are equal that differ in their names alone.
    """
    counter = itertools.count()

    def name(var: Var, type: Type) -> Var:
        return Var(f"{hint or var.name.split('.')[0]}.{next(counter)}", type)

    renamer = _Rename({}, keep_names=False, namer=name)
    for size in function.sizes:
        renamer.bind(size)
    params = tuple(renamer.bind(param) for param in function.params)
    return Function(function.name, params, renamer.block(function.body), function.donated)


def _fresh_like(var: Var, type: Type) -> Var:
    return fresh(var.name, type)


class _Rename:
    """One walk that substitutes free variables and renames bound ones. Names are looked up: they are unique, and found
    in half of the time that variables are."""

    def __init__(self, subst: Subst, *, keep_names: bool, namer: Callable[[Var, Type], Var] | None = None) -> None:
        self.subst = {var.name: atom for var, atom in subst.items()}
        self.keep = keep_names
        self.namer = namer or _fresh_like

    def bind(self, var: Var) -> Var:
        type = self.type(var.type)
        if self.keep:
            new = var if type is var.type else Var(var.name, type)
        else:
            new = self.namer(var, type)
        if new is not var:
            self.subst[var.name] = new
        return new

    def atom(self, atom: Atom) -> Atom:
        if type(atom) is not Var:
            return atom
        new = self.subst.get(atom.name)
        if new is not None:
            return new
        if not atom.type.shape:
            return atom
        retyped = self.type(atom.type)
        return atom if retyped is atom.type else Var(atom.name, retyped)

    def atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple([self.atom(atom) for atom in atoms])

    def type(self, type: Type) -> Type:
        shape = self.atoms(type.shape) if type.shape else ()
        return type if shape == type.shape else Type(type.dtype, shape)

    def lam(self, lam: Lambda) -> Lambda:
        params = tuple([self.bind(param) for param in lam.params])
        return Lambda(params, self.block(lam.body))

    def block(self, block: Block) -> Block:
        stms = tuple([self.stm(stm) for stm in block.stms])
        return Block(stms, self.atoms(block.results))

    def stm(self, stm: Stm) -> Stm:
        expr = stm.expr
        if type(expr) is Apply:
            new: Expr = Apply(expr.op, self.atoms(expr.args), expr.attrs)
        else:
            new = rebuild(expr, self.atom, self.lam)
        return Stm(tuple([self.bind(var) for var in stm.vars]), new, stm.pos)
