"""Rebuilding a program while simplifying it: the engine below `simplify` and `unroll`.

One forward walk. Every operand is replaced by what is known of it (copies, constants), every operation goes through
the rules (`fold`, `algebra`, `views`) and the table of available expressions (common sub-expressions of the enclosing
scopes), and structured forms through `control`. Rules may emit further operations with `apply`; those are simplified
in the same way. A replacement always has exactly the type of what it replaces, so types stay consistent
without inference. Names are unique, hence dictionaries are keyed by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

from ..ir.core import Apply, Block, Check, Expr, Function, If, Lambda, Pos, Stm
from ..ir.op import lookup
from ..ir.types import BOOL, Atom, Lit, Type, Var
from ..ir.walk import fresh, rebuild
from ..records import dataclass, field

Key = tuple[object, ...]
# Given the rewriter, the operation and the type of its result: an atom or operation to use instead, or None.
Rule = Callable[["Rewriter", Apply, Type], "Atom | Apply | None"]
# Given the rewriter and a statement with a structured form: True when it was dealt with.
Form = Callable[["Rewriter", Stm], bool]

COMMUTATIVE = frozenset({"add", "mul", "min", "max", "and", "or", "xor", "eq", "ne"})


_SEEN = Lit(True, BOOL)


def name_of(atom: Atom) -> str:
    """The name of a variable; the empty string for a literal."""
    return atom.name if isinstance(atom, Var) else ""


@dataclass(slots=True)
class Rewriter:
    """The state of the walk. `rules` by operation, `form` for structured expressions."""

    rules: dict[str, Rule]
    form: Form
    subst: dict[str, Atom] = field(default_factory=dict[str, Atom])
    defs: dict[str, Expr] = field(default_factory=dict[str, Expr])
    depths: dict[str, int] = field(default_factory=dict[str, int])
    births: dict[str, int] = field(default_factory=dict[str, int])
    depth: int = 0
    # The variables that are sizes of arrays.
    sizes: set[str] = field(default_factory=set[str])
    # Called with each array that is bound; and around the walk of sub-block k of a form with rewritten operands.
    observe: Callable[[Var], None] | None = None
    entering: Callable[[Expr, int, Lambda], AbstractContextManager[None]] | None = None
    out: list[Stm] = field(default_factory=list[Stm])
    pos: Pos | None = None
    # The conditions of the branches around, and whether they hold.
    held: dict[str, bool] = field(default_factory=dict[str, bool])
    # A structured form changed: code before it may have become simpler, so another walk is worth while.
    changed: bool = False
    _chosen: dict[tuple[str, bool], dict[str, Atom]] = field(default_factory=dict[tuple[str, bool], dict[str, Atom]])
    _known: dict[Key, Atom] = field(default_factory=dict[Key, Atom])
    _trail: list[Key] = field(default_factory=list[Key])
    _key: Key = ()

    # -- walking ------------------------------------------------------------------------------

    def function(self, function: Function) -> Function:
        """The simplified function."""
        self.sizes.update([size.name for size in function.sizes])
        body = self.block(function.body)
        return Function(function.name, function.params, body, function.donated)

    def block(self, block: Block) -> Block:
        """A block in its own scope."""
        return self.scoped(lambda: self.splice(block))

    def scoped(self, make: Callable[[], tuple[Atom, ...]]) -> Block:
        """The block of the statements that `make` emits and the results that it returns, in a scope of their own."""
        outer, self.out = self.out, []
        mark, pos = len(self._trail), self.pos
        results = make()
        new, self.out, self.pos = Block(tuple(self.out), results), outer, pos
        for key in self._trail[mark:]:
            del self._known[key]
        del self._trail[mark:]
        return new

    def splice(self, block: Block) -> tuple[Atom, ...]:
        """The statements of a block into the present scope; its results."""
        for stm in block.stms:
            self.statement(stm)
        return self.atoms(block.results)

    def statement(self, stm: Stm) -> None:
        """Simplify one statement and emit what is left of it."""
        self.pos = stm.pos
        expr = stm.expr
        if type(expr) is Apply:
            self._operation(stm.vars[0], Apply(expr.op, self.atoms(expr.args), expr.attrs))
        elif not self.form(self, stm):
            self.emit(stm.vars, self.rebuild(expr))

    def rebuild(self, expr: Expr) -> Expr:
        """An expression with its operands replaced and its sub-blocks rewritten."""
        operands = rebuild(expr, self.atom, lambda lam: lam)
        numbers = count()
        return rebuild(operands, lambda atom: atom, lambda lam: self.sub(operands, next(numbers), lam))

    def sub(self, expr: Expr, k: int, lam: Lambda) -> Lambda:
        """Sub-block k of a form whose operands are rewritten already."""
        if type(expr) is If and type(expr.cond) is Var:
            return self._arm(expr, expr.cond.name, k == 0, lam)
        return self._sub(expr, k, lam)

    def _sub(self, expr: Expr, k: int, lam: Lambda) -> Lambda:
        if self.entering is None:
            return self.lam(lam)
        with self.entering(expr, k, lam):
            return self.lam(lam)

    def _arm(self, expr: If, cond: str, holds: bool, lam: Lambda) -> Lambda:
        """An arm of a branch: in it the condition is known, and so are numbers that earlier branches on it chose.

        Not those that are sizes of what it returns: they are in the types outside.
        """
        sizes = {name_of(size) for result in lam.body.results for size in result.type.shape}
        chosen = self._chosen.get((cond, holds), {})
        inside: dict[str, Atom] = {name: atom for name, atom in chosen.items() if name not in sizes}
        inside[cond] = Lit(holds, BOOL)
        outside = {name: self.subst.get(name) for name in inside}
        self.subst |= inside
        around, self.held = self.held, self.held | {cond: holds}
        new = self._sub(expr, 0 if holds else 1, lam)
        self.held = around
        for name, atom in outside.items():
            if atom is None:
                del self.subst[name]
            else:
                self.subst[name] = atom
        return new

    def lam(self, lam: Lambda) -> Lambda:
        """A lambda. `depth` counts loops, so that the arms of an `If` (no parameters) do not add to it."""
        inside = 1 if lam.params else 0
        self.depth += inside
        params = tuple([self.bind(param) for param in lam.params])
        body = self.block(lam.body)
        self.depth -= inside
        return Lambda(params, body)

    # -- atoms --------------------------------------------------------------------------------

    def atom(self, atom: Atom) -> Atom:
        """What an atom of the old program is in the new one."""
        return self.subst.get(atom.name, atom) if type(atom) is Var else atom

    def atoms(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        get = self.subst.get
        return tuple([get(a.name, a) if type(a) is Var else a for a in atoms])

    def type(self, type: Type) -> Type:
        """A type with its sizes replaced."""
        if not type.shape:
            return type
        shape = self.atoms(type.shape)
        return type if shape == type.shape else Type(type.dtype, shape)

    def bind(self, var: Var) -> Var:
        """The variable in the new program: its type may mention replaced sizes."""
        type = self.type(var.type)
        if type is not var.type:
            new = Var(var.name, type)
            self.subst[var.name] = new
            var = new
        self.depths[var.name] = self.depth
        self.births[var.name] = len(self.births)
        if type.shape:
            self.sizes.update([size.name for size in type.shape if isinstance(size, Var)])
            if self.observe is not None:
                self.observe(var)
        return var

    def replace(self, vars: Sequence[Var], atoms: Sequence[Atom]) -> None:
        """From here on, use the atoms in place of the variables."""
        self.changed = True
        for var, atom in zip(vars, atoms, strict=True):
            self.subst[var.name] = atom

    # -- emission -----------------------------------------------------------------------------

    def emit(self, vars: Sequence[Var], expr: Expr) -> tuple[Var, ...]:
        """Bind variables of the old program to a finished expression."""
        bound = tuple([self.bind(var) for var in vars])
        self.out.append(Stm(bound, expr, self.pos))
        for var in bound:
            self.defs[var.name] = expr
        if type(expr) is Check and expr.kind == "equal":
            self._unify(expr.args)
        if type(expr) is If and type(expr.cond) is Var:
            self._learn(bound, expr, expr.cond.name)
        return bound

    def _learn(self, vars: Sequence[Var], expr: If, cond: str) -> None:
        """Where the condition holds, and where it does not, a number is what that arm yields, if others can name it."""
        for holds, arm in ((True, expr.then), (False, expr.orelse)):
            inside = {var.name for stm in arm.stms for var in stm.vars}
            found = {
                var.name: atom
                for var, atom in zip(vars, arm.results, strict=True)
                if not var.type.shape and name_of(atom) not in inside
            }
            if found:
                self._chosen.setdefault((cond, holds), {}).update(found)

    def _unify(self, sizes: Sequence[Atom]) -> None:
        """Two sizes are equal from here on: use the literal or the older one.

        Only one that was computed in this block, lest the name be used where the check did not run, and that no
        type mentions yet: an array keeps its type.
        """
        for var, other in (sizes, sizes[::-1]):
            if type(var) is not Var or var.name in self.sizes:
                continue
            older = type(other) is Lit or self.births.get(name_of(other), -1) < self.births.get(var.name, -1)
            if older and any(var.name == bound.name for stm in self.out for bound in stm.vars):
                self.subst[var.name] = other
                return

    def apply(self, op: str, *args: Atom, attrs: tuple[Any, ...] = ()) -> Atom:
        """An operation, simplified; for use by rules and forms."""
        type = lookup(op).type_rule(args, attrs)
        expr = self._reduce(Apply(op, args, attrs), type)
        if not isinstance(expr, Apply):
            return expr
        var = fresh("t", type)
        return self._bind_new(var, expr)

    def definition(self, atom: Atom) -> Expr | None:
        """The expression that defines a variable of the new program, if it is visible."""
        return self.defs.get(atom.name) if type(atom) is Var else None

    def operation(self, atom: Atom, op: str) -> Apply | None:
        """The definition of an atom, when it is this operation."""
        expr = self.defs.get(atom.name) if type(atom) is Var else None
        return expr if type(expr) is Apply and expr.op == op else None

    def first_time(self, key: Key) -> bool:
        """Is this the first time that the key is seen in the present and the enclosing scopes?"""
        if key in self._known:
            return False
        self._known[key] = _SEEN
        self._trail.append(key)
        return True

    def _operation(self, var: Var, expr: Apply) -> None:
        type_ = self.type(var.type)
        result = self._reduce(expr, type_)
        if isinstance(result, Apply):
            self._bind_new(var, result)
        else:
            self.subst[var.name] = result

    def _bind_new(self, var: Var, expr: Apply) -> Var:
        """Bind an expression that was reduced just now, and make it available."""
        (bound,) = self.emit((var,), expr)
        if expr.op != "replicate" or not expr.attrs:  # scratch is to be written: one for each who asks
            self._known[self._key] = bound
            self._trail.append(self._key)
        return bound

    def _reduce(self, expr: Apply, type: Type) -> Atom | Apply:
        """Apply rules until none applies, then look the expression up."""
        while (rule := self.rules.get(expr.op)) is not None:
            new = rule(self, expr, type)
            if new is None:
                break
            if not isinstance(new, Apply):
                return new
            expr = new
        self._key = _key_of(expr)
        return self._known.get(self._key, expr)


def _key_of(expr: Apply) -> Key:
    args = [a.name if type(a) is Var else a for a in expr.args]
    if expr.op in COMMUTATIVE and type(args[0]) is str and type(args[1]) is str and args[0] > args[1]:
        args.reverse()
    return (expr.op, expr.attrs, *args)


def literal(atom: Atom) -> bool | int | float | None:
    """The value of a literal, None for a variable."""
    return atom.value if isinstance(atom, Lit) else None
