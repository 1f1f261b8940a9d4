"""The type checker: a program that passes means something for every input.

`check(function)` raises `IRError` naming the first statement that is wrong. The rules:

* names are unique in the function; an atom mentions what is in scope, with the type it was bound with;
* the sizes in a type are literals or i64 variables in scope, or bound before it in the same statement;
* an operation's operands fit its type rule; results have the types which the expression gives.

Where a form hands values over (initial -> parameter -> result -> bound variable), sizes travel
along: with p the parameters and r the values handed over, `r_k : type(p_k)[p := r]` must hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import IRError, Place
from .core import (
    CHECKS,
    Apply,
    Block,
    Check,
    Custom,
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
from .op import is_known, lookup
from .text_print import print_statement
from .types import BOOL, I32, I64, Atom, DType, Lit, Type, Var
from .walk import subst_type

_NAME = re.compile(r"[^\W\d][\w.]*")
_INDEX, _TRUTH = Type(I64), Type(BOOL)

# The operands of each kind of check: a type each, or None for any scalar but a bool.
_CHECKED: dict[str, tuple[Type | None, ...]] = {
    "bounds": (_INDEX, _INDEX),
    "equal": (_INDEX, _INDEX),
    "nonneg": (_INDEX,),
    "nonempty": (_INDEX,),
    "nonzero": (None,),
    "not_nan": (None,),
}


def check(function: Function) -> None:
    """Raise `IRError` unless the function is well-formed."""
    checker = _Checker(function.name)
    try:
        for size in function.sizes:
            checker.bind(size)
        for param in function.params:
            checker.bind(param)
        checker.block(function.body)
        _check_donated(function)
    except _Wrong as wrong:
        raise IRError(f"{function.name}: {wrong}") from None


class _Wrong(Exception):
    """What is wrong, before it is known in which statement."""


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise _Wrong(message)


def _check_donated(function: Function) -> None:
    params = [param for param, _ in function.donated]
    results = [result for _, result in function.donated]
    _require(len(set(params)) == len(params), "a parameter is donated twice")
    _require(len(set(results)) == len(results), "a result takes over two parameters")
    for param, result in function.donated:
        inside = 0 <= param < len(function.params) and 0 <= result < len(function.body.results)
        _require(inside, f"the donated pair {param}->{result} does not exist")
        given, taken = function.params[param].type, function.result_types[result]
        _require(given.is_array and given == taken, f"donated {param}->{result}: {given!r} cannot hold {taken!r}")


class _Checker:
    """The variables in scope, and every name bound so far."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.scope: dict[str, Var] = {}
        self.order: list[str] = []
        self.names: set[str] = set()

    # -- names ------------------------------------------------------------------------------------

    def bind(self, var: Var) -> None:
        _require(_NAME.fullmatch(var.name) is not None, f"{var.name!r} is not a name")
        _require(var.name not in self.names, f"{var.name} is bound twice")
        self.type(var.type)
        self.names.add(var.name)
        self.order.append(var.name)
        self.scope[var.name] = var

    def leave(self, mark: int) -> None:
        """Forget the variables bound since `order` had this length."""
        for name in self.order[mark:]:
            del self.scope[name]
        del self.order[mark:]

    def type(self, type: Type) -> None:
        for size in type.shape:
            self.use(size)
            _require(size.type == _INDEX, f"the size {size!r} in {type!r} is not an i64")
            negative = isinstance(size, Lit) and size.value < 0
            _require(not negative, f"the size {size!r} in {type!r} is negative")

    def use(self, atom: Atom) -> None:
        if isinstance(atom, Lit):
            if not _is_sound(atom):
                raise _Wrong(f"{atom.value!r} is not a literal of type {atom.dtype!r}")
            return
        bound = self.scope.get(atom.name)
        if bound is None:
            raise _Wrong(f"{atom.name} is not in scope")
        if bound is not atom and bound != atom:
            raise _Wrong(f"{atom.name} is bound as {bound.type!r}, used as {atom.type!r}")

    def uses(self, atoms: Sequence[Atom]) -> None:
        for atom in atoms:
            self.use(atom)

    def index(self, atom: Atom, what: str) -> None:
        self.use(atom)
        _require(atom.type == _INDEX, f"{what} is an i64, not {atom.type!r}")

    # -- blocks -----------------------------------------------------------------------------------

    def block(self, block: Block) -> tuple[Atom, ...]:
        """Check a block in the present scope and leave that as it was."""
        mark = len(self.order)
        for stm in block.stms:
            self.statement(stm)
        self.uses(block.results)
        self.leave(mark)
        return block.results

    def lam(self, lam: Lambda, params: Sequence[Type] | None = None) -> tuple[Atom, ...]:
        """Check a lambda, whose parameters have the given types, and return its results."""
        mark = len(self.order)
        for param in lam.params:
            self.bind(param)
        if params is not None:
            _match([param.type for param in lam.params], params, "parameters")
        results = self.block(lam.body)
        self.leave(mark)
        return results

    def statement(self, stm: Stm) -> None:
        try:
            if isinstance(stm.expr, Apply):
                found = self.apply(stm.expr)
                _match([var.type for var in stm.vars], [found], "bound variables")
                self.bind(stm.vars[0])
            else:
                self.form(stm)
        except _Wrong as wrong:
            text = print_statement(stm).splitlines()[0]
            pos = stm.pos and Place(stm.pos.file, stm.pos.line, stm.pos.col, stm.pos.end_col)
            raise IRError(f"{self.function}: {wrong}, in: {text}", place=pos) from None

    # -- expressions ------------------------------------------------------------------------------

    def apply(self, expr: Apply) -> Type:
        _require(is_known(expr.op), f"there is no operation {expr.op!r}")
        op = lookup(expr.op)
        self.uses(expr.args)
        _require(bool(expr.args) and op.arity in (None, len(expr.args)), f"{op.name} takes {op.arity} operands")
        try:
            return op.type_rule(expr.args, expr.attrs)
        except IRError as error:
            raise _Wrong(error.what) from None

    def form(self, stm: Stm) -> None:
        """Check a structured form and bind its variables."""
        vars = stm.vars
        match stm.expr:
            case Check(kind, args):
                self.condition(kind, args)
                _require(not vars, "a check binds nothing")
            case If(cond, then, orelse):
                self.use(cond)
                _require(cond.type == _TRUTH, f"the condition is a bool, not {cond.type!r}")
                for arm in (then, orelse):
                    _hand_over(vars, self.block(arm), "an arm")
            case For(count, init, body):
                self.index(count, "the trip count")
                self.uses(init)
                self.loop(init, body, vars, counter=True)
            case While(init, cond, body):
                self.uses(init)
                tests = self.lam(cond)
                _hand_over(cond.params, init, "the initial values")
                _match([test.type for test in tests], [_TRUTH], "results of the condition")
                self.loop(init, body, vars, counter=False)
            case Map(size, body):
                self.index(size, "the size")
                results = self.lam(body, [_INDEX])
                _match([var.type for var in vars], [r.type.stacked(size) for r in results], "bound variables")
            case Reduce(size, op, neutral, body):
                types = self.combined(size, op, neutral, body)
                _match([var.type for var in vars], types, "bound variables")
            case Scan(size, op, neutral, body):
                types = self.combined(size, op, neutral, body)
                _match([var.type for var in vars], [type.stacked(size) for type in types], "bound variables")
            case Hist(size, op, neutral, dest, keys, body):
                self.hist(size, op, neutral, dest, keys, body)
                _match([var.type for var in vars], [x.type for x in dest], "bound variables")
            case Scatter(size, dest, keys, body):
                self.written(size, (dest,), keys, body)
                _match([var.type for var in vars], [dest.type], "bound variables")
            case Custom():
                self.custom(stm.expr, vars)
            case _:
                raise _Wrong("not an expression of the language")
        for var in vars:
            self.bind(var)

    def custom(self, expr: Custom, vars: Sequence[Var]) -> None:
        self.uses(expr.args)
        given, made = [arg.type for arg in expr.args], [var.type for var in vars]
        smooth = [[type for type in types if type.dtype.is_float] for types in (given, made)]
        _match([r.type for r in self.lam(expr.body, given)], made, "bound variables")
        if expr.forward is None:
            _require(not given and expr.backward is None, "a scope without a rule has no arguments")
            return
        if expr.backward is None:
            dual = self.lam(expr.forward, [*given, *smooth[0]])
            _match([r.type for r in dual], [*made, *smooth[1]], "results of the rule")
            return
        first = [r.type for r in self.lam(expr.forward, given)]
        _match(first[: len(made)], made, "results of the forward rule")
        adjoints = self.lam(expr.backward, [*first[len(made) :], *smooth[1]])
        _match([r.type for r in adjoints], smooth[0], "results of the backward rule")

    def condition(self, kind: str, args: Sequence[Atom]) -> None:
        _require(kind in CHECKS, f"there is no check {kind!r}")
        self.uses(args)
        wanted = _CHECKED.get(kind, (_TRUTH,))
        found = [arg.type for arg in args]
        if kind == "told":
            _require(len(found) == 2 and found[0] == found[1], f"check {kind} of {_types(found)}")
            return
        fits = len(found) == len(wanted) and all(
            type == want or (want is None and not type.shape and type != _TRUTH)
            for type, want in zip(found, wanted, strict=True)
        )
        _require(fits, f"check {kind} of {_types(found)}")

    def loop(self, init: Sequence[Atom], body: Lambda, vars: Sequence[Var], *, counter: bool) -> None:
        results = self.lam(body)
        carried = body.params[1:] if counter else body.params
        if counter:
            _match([param.type for param in body.params[:1]], [_INDEX], "counters")
        _hand_over(carried, init, "the initial values")
        _hand_over(carried, results, "the results of the body")
        _hand_over(carried, vars, "the bound variables")

    def combined(self, size: Atom, op: Lambda, neutral: Sequence[Atom], body: Lambda) -> list[Type]:
        """The types that a reduction or scan combines."""
        self.index(size, "the size")
        self.uses(neutral)
        types = [x.type for x in neutral]
        _require(bool(types), "nothing is combined")
        _match([r.type for r in self.lam(op, [*types, *types])], types, "results of the operator")
        _match([r.type for r in self.lam(body, [_INDEX])], types, "results of the body")
        return types

    def hist(
        self, size: Atom, op: Lambda, neutral: Sequence[Atom], dest: Sequence[Atom], keys: int, body: Lambda
    ) -> None:
        self.uses(neutral)
        elements = [Type(x.type.dtype) for x in dest]
        _match([x.type for x in neutral], elements, "neutral elements")
        _match([r.type for r in self.lam(op, [*elements, *elements])], elements, "results of the operator")
        _require(all(x.type.shape == dest[0].type.shape for x in dest), "the destinations differ in shape")
        self.written(size, dest, keys, body)

    def written(self, size: Atom, dest: Sequence[Atom], keys: int, body: Lambda) -> None:
        self.index(size, "the size")
        self.uses(dest)
        _require(bool(dest) and all(1 <= keys <= x.type.rank for x in dest), f"{keys} keys do not fit the destination")
        wanted = [_INDEX] * keys + [x.type.drop(keys) for x in dest]
        _match([r.type for r in self.lam(body, [_INDEX])], wanted, "results of the body")


def _match(found: Sequence[Type], wanted: Sequence[Type], what: str) -> None:
    if list(found) != list(wanted):
        raise _Wrong(f"the {what} are {_types(found)}, not {_types(wanted)}")


def _hand_over(params: Sequence[Var], values: Sequence[Atom], what: str) -> None:
    """`values` may be given for `params`, whose sizes are the values given for them."""
    subst: dict[Var, Atom] = dict(zip(params, values, strict=False))
    _match([value.type for value in values], [subst_type(param.type, subst) for param in params], f"types of {what}")


def _types(types: Sequence[Type]) -> str:
    return "(" + ", ".join(map(repr, types)) + ")"


def _is_sound(lit: Lit) -> bool:
    """Is the value a plain Python number in the range of its type?"""
    if lit.dtype.is_float:
        return type(lit.value) is float
    if lit.dtype is DType.BOOL:
        return type(lit.value) is bool
    bits = 31 if lit.dtype is I32 else 63
    return type(lit.value) is int and -(1 << bits) <= lit.value < 1 << bits
