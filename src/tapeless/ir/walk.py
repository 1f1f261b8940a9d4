"""Going through programs: sub-blocks, free variables, substitution, fresh and canonical names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

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
from .types import Atom, Type, Var

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
    found: dict[Var, None] = {}
    for part in parts:
        _collect(part, set(), found)
    return found


def _collect(part: Expr | Block | Lambda | Atom, bound: set[Var], found: dict[Var, None]) -> None:
    def use(atom: Atom) -> None:
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None
            use_type(atom.type)

    def use_type(type: Type) -> None:
        for size in type.shape:
            use(size)

    match part:
        case Block(stms, results):
            inner = set(bound)
            for stm in stms:
                _collect(stm.expr, inner, found)
                inner.update(stm.vars)
                for var in stm.vars:
                    for size in var.type.shape:
                        if isinstance(size, Var) and size not in inner:
                            found[size] = None
            for result in results:
                if isinstance(result, Var) and result not in inner:
                    found[result] = None
                    use_type(result.type)
        case Lambda(params, body):
            inner = bound | set(params)
            for param in params:
                for size in param.type.shape:
                    if isinstance(size, Var) and size not in inner:
                        found[size] = None
            _collect(body, inner, found)
        case _ if isinstance(part, Var):
            use(part)
        case _ if hasattr(part, "dtype"):
            pass
        case _:
            for atom in operands(part):  # type: ignore[arg-type]
                use(atom)
            for lam in lambdas(part):  # type: ignore[arg-type]
                _collect(lam, bound, found)


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
    shape = tuple(subst_atom(size, subst) for size in type.shape)
    return type if shape == type.shape else Type(type.dtype, shape)


def substitute(block: Block, subst: Subst) -> Block:
    """Replace free variables; sound because bound names are unique."""
    return _Rename(dict(subst), keep_names=True).block(block) if subst else block


def substitute_lambda(lam: Lambda, subst: Subst) -> Lambda:
    return _Rename(dict(subst), keep_names=True).lam(lam) if subst else lam


def refresh(lam: Lambda, subst: Subst | None = None) -> Lambda:
    """A copy in which everything bound inside has a fresh name: needed to use a body twice."""
    return _Rename(dict(subst or {}), keep_names=False).lam(lam)


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
    """One walk that substitutes free variables and renames bound ones."""

    def __init__(
        self, subst: dict[Var, Atom], *, keep_names: bool, namer: Callable[[Var, Type], Var] | None = None
    ) -> None:
        self.subst = subst
        self.keep = keep_names
        self.namer = namer or _fresh_like

    def bind(self, var: Var) -> Var:
        type = subst_type(var.type, self.subst)
        if self.keep:
            new = var if type is var.type else Var(var.name, type)
        else:
            new = self.namer(var, type)
        if new is not var:
            self.subst[var] = new
        return new

    def atom(self, atom: Atom) -> Atom:
        return subst_atom(atom, self.subst)

    def lam(self, lam: Lambda) -> Lambda:
        params = tuple(self.bind(param) for param in lam.params)
        return Lambda(params, self.block(lam.body))

    def block(self, block: Block) -> Block:
        stms = tuple(self.stm(stm) for stm in block.stms)
        return Block(stms, tuple(self.atom(result) for result in block.results))

    def stm(self, stm: Stm) -> Stm:
        expr = rebuild(stm.expr, self.atom, self.lam)
        return Stm(tuple(self.bind(var) for var in stm.vars), expr, stm.pos)
