"""Scalarise: an array of few elements, all accessed at literal indices, becomes one variable per element.

While code is unrolled, such an array is kept as `stack(e0, e1, ...)` (rows of a matrix are stacks themselves), and

    update(stack(e0, e1), v, 1) = stack(e0, v)        index(stack(e0, e1), 1) = e1

so nothing reads the stack in the end and it is dead. Loops, branches and reductions that hand such an array on hand
on its elements instead, and stack them up again where they come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ..ir.core import Apply, Block, Expr, For, If, Lambda, Reduce, Stm, While
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, lambdas, operands
from .rewrite import Rewriter, Rule, literal
from .views import element_count, read

Result = Atom | Apply | None
RULES: dict[str, Rule] = {}
LIMIT = 36


def is_scalarisable(type: Type) -> bool:
    """Few enough elements for one variable each?"""
    count = element_count(type)
    return bool(type.shape) and count is not None and 0 < count <= LIMIT


# -- operations -----------------------------------------------------------------------------------


def _rule(op: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        def small_only(r: Rewriter, e: Apply, type: Type) -> Result:
            return rule(r, e, type) if is_scalarisable(type) else None

        RULES[op] = small_only
        return rule

    return register


def parts(r: Rewriter, array: Atom) -> list[Atom]:
    """The elements along the first dimension."""
    stack = r.operation(array, "stack")
    if stack is not None:
        return list(stack.args)
    return [r.apply("index", array, i64(k)) for k in range(int(literal(array.type.shape[0]) or 0))]


@_rule("update")
def _update(r: Rewriter, e: Apply, _type: Type) -> Result:
    array, value, *where = e.args
    position = literal(where[0])
    elements = parts(r, array) if position is not None else []
    if position is None or not 0 <= position < len(elements):
        return None
    at = int(position)
    elements[at] = r.apply("update", elements[at], value, *where[1:]) if where[1:] else value
    return Apply("stack", tuple(elements))


@_rule("accumulate")
def _accumulate(r: Rewriter, e: Apply, _type: Type) -> Result:
    array, value, *where = e.args
    if value.type.shape or any(literal(i) is None for i in where):
        return None
    return Apply("update", (array, r.apply("add", read(r, array, where), value), *where))


@_rule("slice")
def _slice(r: Rewriter, e: Apply, _type: Type) -> Result:
    array, (start, size, step), rest = e.args[0], e.args[1:4], e.args[4:]
    s, n, t = literal(start), literal(size), literal(step)
    if s is None or n is None or t is None or not is_scalarisable(array.type):
        return None
    elements = parts(r, array)
    places = [int(s) + k * int(t) for k in range(int(n))]
    if any(not 0 <= place < len(elements) for place in places):
        return None
    chosen = [elements[place] for place in places]
    return Apply("stack", tuple(r.apply("slice", x, *rest) for x in chosen) if rest else tuple(chosen))


@_rule("update_slice")
def _update_slice(r: Rewriter, e: Apply, _type: Type) -> Result:
    array, value, start, step, *rest = e.args
    s, t = literal(start), literal(step)
    if s is None or t is None or not is_scalarisable(value.type):
        return None
    elements, news = parts(r, array), parts(r, value)
    for k, new in enumerate(news):
        place = int(s) + k * int(t)
        if not 0 <= place < len(elements):
            return None
        elements[place] = r.apply("update_slice", elements[place], new, *rest) if rest else new
    return Apply("stack", tuple(elements))


@_rule("transpose")
def _transpose(r: Rewriter, e: Apply, type: Type) -> Result:
    if e.attrs != (1, 0):
        return None
    rows, columns = (int(literal(size) or 0) for size in type.shape)
    turned = [[read(r, e.args[0], (i64(j), i64(i))) for j in range(columns)] for i in range(rows)]
    return Apply("stack", tuple(_stacked(r, row) for row in turned))


@_rule("reshape")
def _reshape(r: Rewriter, e: Apply, type: Type) -> Result:
    if not is_scalarisable(e.args[0].type):
        return None
    nested = nest(lambda xs: _stacked(r, xs), elements_of(r, e.args[0]), type)
    return r.operation(nested, "stack")


@_rule("concat")
def _concat(r: Rewriter, e: Apply, _type: Type) -> Result:
    if e.attrs != (0,) or not all(is_scalarisable(part.type) for part in e.args[:-1]):
        return None
    return Apply("stack", tuple(x for part in e.args[:-1] for x in parts(r, part)))


def _stacked(r: Rewriter, xs: Sequence[Atom]) -> Atom:
    return r.apply("stack", *xs)


# -- whole arrays ---------------------------------------------------------------------------------


def places(type: Type) -> Iterator[tuple[Lit, ...]]:
    """All index tuples of a small array, in row-major order."""
    sizes = [range(int(literal(size) or 0)) for size in type.shape]
    for place in product(*sizes):
        yield tuple(i64(k) for k in place)


def elements_of(r: Rewriter, array: Atom) -> list[Atom]:
    """All elements in row-major order."""
    return [r.apply("index", array, *place) for place in places(array.type)]


def nest(stack: Callable[[Sequence[Atom]], Atom], elements: Sequence[Atom], type: Type) -> Atom:
    """The array of the given elements, as stacks of stacks."""
    if not type.shape:
        return elements[0]
    count = int(literal(type.shape[0]) or 0)
    each = len(elements) // count
    return stack([nest(stack, elements[k * each : (k + 1) * each], type.drop(1)) for k in range(count)])


# -- forms ----------------------------------------------------------------------------------------


def form(r: Rewriter, stm: Stm, unrolled: Callable[[Rewriter, Expr], bool]) -> bool:
    """Hand on elements instead of small arrays; True when the form was dealt with."""
    expr = stm.expr
    if unrolled(r, expr) and not isinstance(expr, If):
        return False
    match expr:
        case If(_, then, orelse):
            small = [k for k, x in enumerate(then.results) if _agree(r, (x, orelse.results[k]))]
        case For(_, init, body) | While(init, _, body):
            params = body.params[len(body.params) - len(init) :]
            small = [k for k, x in enumerate(init) if _agree(r, (x, params[k]))]
            small = [k for k in small if _Literally(r, unrolled).all_uses(params[k], body.body)]
        case Reduce(_, op, neutral, _):
            small = [k for k, x in enumerate(neutral) if _agree(r, (x, op.params[k]))]
            small = small if len(small) == len(neutral) else []
        case _:
            small = []
    if not small:
        return False
    _hand_on(r, stm, set(small))
    return True


def _agree(r: Rewriter, atoms: Sequence[Atom]) -> bool:
    types = [r.type(atom.type) for atom in atoms]
    return is_scalarisable(types[0]) and all(type == types[0] for type in types)


def _hand_on(r: Rewriter, stm: Stm, small: set[int]) -> None:
    """The form over elements, then the arrays stacked up from its results."""
    types = [r.type(var.type) for var in stm.vars]
    vars: list[Var] = []
    for k, var in enumerate(stm.vars):
        count = element_count(types[k]) if k in small else None
        vars += [fresh(var.name, Type(var.type.dtype)) for _ in range(count)] if count else [var]
    new = _expanded(r, stm.expr, small)
    results = list(r.emit(vars, r.rebuild(new)))
    for k, var in enumerate(stm.vars):
        if k not in small:
            results.pop(0)
            continue
        count = element_count(types[k]) or 0
        r.replace((var,), (nest(lambda xs: _stacked(r, xs), results[:count], types[k]),))
        del results[:count]


def _expanded(r: Rewriter, expr: Expr, small: set[int]) -> Expr:
    def atoms(xs: Sequence[Atom]) -> tuple[Atom, ...]:
        out: list[Atom] = []
        for k, x in enumerate(xs):
            out += elements_of(r, r.atom(x)) if k in small else [x]
        return tuple(out)

    match expr:
        case If(cond, then, orelse):
            return If(cond, _reads(then, small), _reads(orelse, small))
        case For(count, init, body):
            return For(count, atoms(init), _takes(body, {k + 1 for k in small}, small))
        case While(init, cond, body):
            return While(atoms(init), _takes(cond, small, set()), _takes(body, small, small))
        case Reduce(size, op, neutral, body):
            taken = small | {k + len(neutral) for k in small}
            return Reduce(size, _takes(op, taken, small), atoms(neutral), Lambda(body.params, _reads(body.body, small)))
        case _:
            return expr


def _reads(block: Block, small: set[int]) -> Block:
    """The block that returns the elements of its small results."""
    stms, results = list(block.stms), list[Atom]()
    for k, result in enumerate(block.results):
        if k not in small:
            results.append(result)
            continue
        for place in places(result.type):
            element = fresh("e", Type(result.type.dtype))
            stms.append(Stm((element,), Apply("index", (result, *place))))
            results.append(element)
    return Block(tuple(stms), tuple(results))


def _takes(lam: Lambda, taken: set[int], small: set[int]) -> Lambda:
    """The lambda that takes the elements of small parameters and returns those of small results."""
    params: list[Var] = []
    stms: list[Stm] = []

    def stack(xs: Sequence[Atom]) -> Var:
        var = fresh("a", xs[0].type.stacked(i64(len(xs))))
        stms.append(Stm((var,), Apply("stack", tuple(xs))))
        return var

    for k, param in enumerate(lam.params):
        if k not in taken:
            params.append(param)
            continue
        elements = [fresh(param.name, Type(param.type.dtype)) for _ in range(element_count(param.type) or 0)]
        params += elements
        rows = nest(stack, elements, param.type)
        last = stms.pop()
        assert last.vars == (rows,)
        stms.append(Stm((param,), last.expr))
    body = _reads(lam.body, small)
    return Lambda(tuple(params), Block((*stms, *body.stms), body.results))


# -- uses -----------------------------------------------------------------------------------------


class _Literally:
    """Will every access to an array be at literal indices, once what can be unrolled is?"""

    def __init__(self, r: Rewriter, unrolled: Callable[[Rewriter, Expr], bool]) -> None:
        self.r, self.unrolled = r, unrolled
        self.literals: set[str] = set()
        self.versions: set[str] = set()

    def all_uses(self, param: Var, block: Block) -> bool:
        self.versions.add(param.name)
        return self._block(block)

    def _block(self, block: Block) -> bool:
        return all(self._statement(stm) for stm in block.stms)

    def _statement(self, stm: Stm) -> bool:
        expr = stm.expr
        if isinstance(expr, Apply):
            return self._operation(stm, expr)
        if self.unrolled(self.r, expr):
            for lam in lambdas(expr):
                self.literals.update(p.name for p in lam.params if not p.type.shape)
        if any(self._is_version(atom) for atom in operands(expr)):
            self.versions.update(var.name for var in stm.vars if var.type.shape)
            for lam in lambdas(expr):
                self.versions.update(p.name for p in lam.params if p.type.shape)
        inside = all(self._block(lam.body) for lam in lambdas(expr))
        if any(self._is_version(x) for lam in lambdas(expr) for x in lam.body.results):
            self.versions.update(var.name for var in stm.vars if var.type.shape)
        return inside

    def _operation(self, stm: Stm, expr: Apply) -> bool:
        if all(not atom.type.shape and self._is_literal(atom) for atom in expr.args) and not stm.vars[0].type.shape:
            self.literals.add(stm.vars[0].name)
        if not any(self._is_version(atom) for atom in expr.args):
            return True
        if stm.vars[0].type.shape:
            self.versions.add(stm.vars[0].name)
        first = {"index": 1, "slice": 1, "update": 2, "accumulate": 2, "update_slice": 2}.get(expr.op)
        return first is None or all(self._is_literal(atom) for atom in expr.args[first:])

    def _is_version(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.versions

    def _is_literal(self, atom: Atom) -> bool:
        return isinstance(self.r.atom(atom), Lit) or (isinstance(atom, Var) and atom.name in self.literals)
