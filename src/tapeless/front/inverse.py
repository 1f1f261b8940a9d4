"""Calls of inverse functions: `(~f)(y, x)` anywhere in compiled code, and as the outermost function.

The function is executed abstractly in a block of its own, on variables that stand for its arguments as they were. What
it writes into arrays, and what it returns of its parameters, are the results of the block. The block is solved for what
these were before (`inversion`), given the arguments as what they have become; arrays are then written in place, and
numbers returned as the function itself returns them.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import NotReversibleError
from ..ir.build import Builder
from ..ir.core import Block, Check, Lambda
from ..ir.types import Atom, Var
from ..ir.walk import fresh, inline, statements, substitute
from ..records import dataclass
from .context import Context
from .isolated import isolated
from .leaves import Container, Fixed, Leaf, Tree, from_atoms, leaves, make, opened_value, take
from .source import source_of
from .values import ArrayRef, Closure, ListRef, Scalar, Value, is_tuple

if TYPE_CHECKING:
    from ..inversion.sites import Site
    from ..inversion.solving import CannotInvert


@dataclass(frozen=True, slots=True)
class Inversion:
    """The inverse of a function, itself a function."""

    function: Any

    @property
    def name(self) -> str:
        return f"{name_of(self.function)}_inv"


def call_inverse(c: Context, inversion: Inversion, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """Undo a call with these arguments."""
    from ..inversion.solving import CannotInvert

    if kwargs:
        refuse(c, "an inverse takes its arguments by position")
    call = executed(c, inversion.function, args)
    problems: list[CannotInvert] = []
    for may_assume in (False, True):
        for block in (call.block, call.plain):
            try:
                return undone(c, call, block, {}, may_assume=may_assume)
            except CannotInvert as problem:
                problems.append(problem)
        if getattr(inversion.function, "strict", False):
            _refuse_assumption(c, call)
    refuse_inverse(c, call, problems[0])


def _refuse_assumption(c: Context, call: Call) -> None:
    """Refuse the inverse of a strictly reversible function if it would have to check that two places differ."""
    from ..inversion.inverse import inverse_block
    from ..inversion.solving import ONE_PLACE, CannotInvert

    undone = {number: k for number, k in enumerate(call.changed) if k not in call.loose}
    lasts, wanted = {number: call.now[k] for number, k in undone.items()}, [call.olds[k] for k in undone.values()]
    for block in (call.block, call.plain):
        b = Builder(c.b.pos)
        with suppress(CannotInvert):
            inverse_block(b, block, wanted, lasts, [call.olds[k] for k in call.loose])
            checks = [stm for stm in statements(b.block(())) if isinstance(stm.expr, Check)]
            c.b.pos = next((stm.pos for stm in checks if ONE_PLACE in str(stm.expr)), None) or c.b.pos
            refuse(
                c,
                f"{call.name} can be run backwards only if two places differ that are changed together here",
                why="nothing says so, and where they are one it would fail: it is strictly reversible",
                fix="assert it before they are changed: assert 0 <= i and 0 <= j and i != j",
            )


def undone(c: Context, call: Call, block: Block, ends: Mapping[int, Atom], *, may_assume: bool = True) -> Value:
    """Undo an executed call: `block` is its own, with further results that are known to be `ends`."""
    from ..inversion.inverse import inverse_block

    b, now = Builder(c.b.pos), call.now
    undone = {number: k for number, k in enumerate(call.changed) if k not in call.loose}
    lasts = {number: now[k] for number, k in undone.items()} | dict(ends)
    wanted, lost = [call.olds[k] for k in undone.values()], [call.olds[k] for k in call.loose]
    tells = c.orders > 0 or c.inverting
    before = inverse_block(b, block, wanted, lasts, lost, c.parameters.notes, tells=tells, may_assume=may_assume)
    fixed = {old: atom for k, (old, atom) in enumerate(zip(call.olds, now, strict=True)) if k not in undone.values()}
    atoms = dict(zip(undone.values(), c.b.splice(substitute(b.block(before), fixed)), strict=True))
    if call.loose:
        atoms |= _run_again(c, call, [atoms.get(k, atom) for k, atom in enumerate(now)])
    return written(c, call, atoms)


def written(c: Context, call: Call, atoms: Mapping[int, Atom]) -> Value:
    """Write new contents of some leaves of the arguments: into arrays, and into what the function returns."""
    given = list(call.given)
    for k, atom in atoms.items():
        target = given[k]
        if isinstance(target, ArrayRef):
            c.write(target, atom)
            continue
        given[k] = c.fresh(atom, c.is_weak(target))
        if k in call.assigned:
            owner, key = call.owners[k]
            put_part(c, owner, key, given[k])
    if call.returned is None:
        return None
    results = tuple(make(c, x.tree, iter(given[x.first : x.first + len(x.values)])) for x in call.returned)
    return results if call.is_tuple else results[0]


def _run_again(c: Context, call: Call, starts: Sequence[Atom]) -> dict[int, Atom]:
    """What `with tp.irreversible():` changes is changed once more, by the statements as they are."""
    numbers = {number: k for number, k in enumerate(call.changed) if k in call.loose}
    block = Block(call.block.stms, tuple(call.block.results[number] for number in numbers))
    made = c.b.splice(inline(Lambda(tuple(call.olds), block), tuple(starts)))
    return dict(zip(numbers.values(), made, strict=True))


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a block of its own: `olds` stand for the leaves of its arguments, which are `given` and `now` so.

    `plain` is the same block before it was prepared. The results of the block are what the `changed` leaves become;
    `loose` are those that are not to be brought back; `returned` are the parameters that the function returns, if any.
    `owners` has for each leaf the container that it stands in, and where; `assigned` are numbers replaced in there.
    """

    name: str
    given: Sequence[Value]
    now: Sequence[Atom]
    block: Block
    plain: Block
    olds: Sequence[Var]
    changed: tuple[int, ...]
    loose: frozenset[int]
    returned: Sequence[_Returned] | None
    is_tuple: bool
    owners: Sequence[tuple[Any, Any]]
    assigned: frozenset[int]


def executed(c: Context, function: Any, args: Sequence[Value]) -> Call:
    """Execute a call that is to be run backwards."""
    from ..inversion.prepare import prepared

    owners, given = parts_of(c, args)
    now = [atom_of(c, leaf) for leaf in given]
    olds = [fresh(_hint(atom), atom.type) for atom in now]
    before, atoms, b = dict(c.store), iter(olds), Builder(c.b.pos)
    trees = [take(c, arg)[0] for arg in args]
    own = [from_atoms(c, tree, [next(atoms) for _ in leaves(tree)]) for tree in trees]
    places, mine = parts_of(c, own)
    with isolated(
        c, b, before, c.orders, "the function that is run backwards", why="only its arguments are brought back"
    ):
        with backwards(c, True):
            result = c.call(called, (function, tuple(own)))[0]
        after = still_there(c, function, own, mine, trees)
        news = changed_leaves(c, function, mine, after, result, trees)
        returned = _returned(c, function, result, trees)
    changed = tuple(k for k, new in news.items() if new != olds[k])
    block, plain = prepared(b.block([news[k] for k in changed]), olds, c.parameters.notes)
    loose = frozenset(
        k for k, leaf in enumerate(mine) if (leaf.cell if isinstance(leaf, ArrayRef) else places[k]) in c.loose
    )
    assigned = frozenset(k for k, leaf in enumerate(mine) if after[k] is not leaf)
    return Call(
        name_of(function), given, now, block, plain, olds, changed, loose, returned, is_tuple(result), owners, assigned
    )


def still_there(
    c: Context, function: Any, own: Sequence[Value], mine: Sequence[Value], trees: Sequence[Tree]
) -> list[Value]:
    """The leaves of the arguments after a call: numbers in containers may have been replaced, and nothing else."""
    found = [take(c, arg)[0] for arg in own]
    after = parts_of(c, own)[1]
    same = [_strong(tree) for tree in found] == [_strong(tree) for tree in trees]
    if not same or any(old is not new for old, new in zip(mine, after, strict=True) if _is_array(old, new)):
        refuse(
            c,
            f"{name_of(function)} puts something else into a container that it was given",
            why="numbers in it can be changed, and arrays in place: its other parts would be lost",
            fix="write into arrays: body.velocity[:] += ...",
        )
    return after


def _strong(tree: Tree) -> Tree:
    """The structure with all numbers NumPy's: a Python number to which one is added becomes one."""
    match tree:
        case Leaf(type):
            return Leaf(type)
        case Container(kind, keys, parts):
            return Container(kind, keys, tuple(map(_strong, parts)))
        case Fixed():
            return tree


def _is_array(*values: Value) -> bool:
    return any(isinstance(value, ArrayRef) for value in values)


@contextmanager
def backwards(c: Context, inverting: bool) -> Generator[None]:
    """Will what is executed inside be run backwards?"""
    saved, c.inverting = c.inverting, inverting
    try:
        yield
    finally:
        c.inverting = saved


@contextmanager
def asked_to_keep(c: Context, memory: Any) -> Generator[None]:
    """A derivative is made whose user says what its return sweep may keep."""
    is_reversible = isinstance(memory, str) and memory.endswith("reversible")
    saved, c.memory = c.memory, memory if is_reversible else ""
    try:
        with backwards(c, is_reversible):
            yield
    finally:
        c.memory = saved


@contextmanager
def kept_by(c: Context, function: Any) -> Generator[None]:
    """Where it is differentiated, a function that says what its loops keep (`__memory__`) says so for all it calls."""
    memory = getattr(function, "__memory__", None) if c.orders else None
    if memory is None:
        yield
        return
    # Strictness may be asked for besides.
    saved, c.memory = c.memory, c.memory if c.memory.startswith("strictly") else memory
    try:
        with backwards(c, True):
            yield
    finally:
        c.memory = saved


def called(function: Any, args: tuple[Any, ...]) -> Any:
    """A caller that still has the arrays afterwards: what is written into arrays that nobody has may be lost."""
    return function(*args), args


def changed_leaves(
    c: Context, function: Any, mine: Sequence[Value], after: Sequence[Value], result: Value, trees: Sequence[Any]
) -> dict[int, Atom]:
    """What the leaves of the arguments (`mine`, and `after` the call) have become that the function may have changed:
    arrays, numbers that it replaced in containers, and what it returns."""
    pairs = enumerate(zip(mine, after, strict=True))
    news = {k: atom_of(c, new) for k, (old, new) in pairs if isinstance(old, ArrayRef) or new is not old}
    for parameter in _returned(c, function, result, trees) or ():
        news |= {parameter.first + k: atom_of(c, value) for k, value in enumerate(parameter.values)}
    return news


@dataclass(frozen=True, slots=True)
class _Returned:
    """A parameter that the function returns: the number of its first leaf, its structure, its new leaves."""

    first: int
    tree: Tree
    values: Sequence[Value]


def _returned(c: Context, function: Any, result: Value, trees: Sequence[Tree]) -> list[_Returned] | None:
    """The parameters that the function returns."""
    if result is None:
        return None
    values = list(result) if is_tuple(result) else [result]
    order = [arg.arg for arg in _syntax(function).args.args]
    names = returned_names(function)
    found: list[_Returned] = []
    for name, value in zip(names, values, strict=False):
        if name in order and order.index(name) < len(trees):
            before, tree = trees[: order.index(name)], trees[order.index(name)]
            found.append(_Returned(sum(len(list(leaves(x))) for x in before), tree, list(leaves_of(c, value))))
    if not len(found) == len(names) == len(values) or any(len(x.values) != len(list(leaves(x.tree))) for x in found):
        refuse(
            c,
            f"{name_of(function)} returns something that is none of its parameters",
            why="its inverse would not know what to start from",
            fix="return the parameters that it changes, by their names, or add to an argument",
        )
    return found


def returned_names(function: Any) -> list[str]:
    """The names in the last `return` of a function."""
    node = _syntax(function)
    last = node.body[-1] if isinstance(node, ast.FunctionDef) else ast.Return(node.body)
    if not isinstance(last, ast.Return) or last.value is None:
        return []
    parts = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return [part.id for part in parts if isinstance(part, ast.Name)]


def name_of(function: Any) -> str:
    """What a function is called in messages."""
    return function.name if isinstance(function, Closure) else function.__name__


def _syntax(function: Any) -> ast.FunctionDef | ast.Lambda:
    return function.node if isinstance(function, Closure) else source_of(_plain(function)).node


def _plain(function: Any) -> FunctionType:
    return function if isinstance(function, FunctionType) else _plain(function.__wrapped__)


def leaves_of(c: Context, value: Value) -> Iterator[Value]:
    """The numbers and arrays in a value, in the order of `take`."""
    return (leaf for _, leaf in _parts_of(c, value, (None, None)))


def parts_of(c: Context, values: Sequence[Value]) -> tuple[list[tuple[Any, Any]], list[Value]]:
    """The leaves of several values, and for each the container that it stands in and its key there."""
    found = [part for value in values for part in _parts_of(c, value, (None, None))]
    return [owner for owner, _ in found], [leaf for _, leaf in found]


def _parts_of(c: Context, value: Value, owner: tuple[Any, Any]) -> Iterator[tuple[tuple[Any, Any], Value]]:
    opened = opened_value(c, value)
    if opened is not None:
        for key, part in zip(opened[1] or range(len(opened[2])), opened[2], strict=True):
            yield from _parts_of(c, part, (value, key))
    elif isinstance(value, ArrayRef | Scalar | bool | int | float):
        yield owner, value


def put_part(c: Context, owner: Value, key: Any, new: Value) -> None:
    """Replace a part of a list, dict or dataclass."""
    if isinstance(owner, ListRef):
        c.put(owner, tuple(new if k == key else part for k, part in enumerate(c.held(owner))))
    else:
        c.put(owner, {**c.held(owner), key: new})


def atom_of(c: Context, value: Value) -> Atom:
    """A leaf as it is now."""
    return c.read(value) if isinstance(value, ArrayRef) else c.atom(value)


def _hint(atom: Atom) -> str:
    return atom.name if isinstance(atom, Var) else "x"


def sites_of(c: Context, call: Call) -> tuple[Block, Sequence[Site]] | None:
    """The block that can be undone, and where it must keep something for that; None where that does not help."""
    from ..inversion.keeping import sites_to_keep

    wanted = [call.olds[k] for k in call.changed if k not in call.loose]
    lost = [call.olds[k] for k in call.loose]
    lasts = {number: call.now[k] for number, k in enumerate(call.changed) if k not in call.loose}
    for block in (call.block, call.plain):
        if (found := sites_to_keep(block, wanted, lasts, lost, c.parameters.notes)) is not None:
            return block, found
    return None


def refuse_inverse(c: Context, call: Call, problem: CannotInvert) -> NoReturn:
    """Refuse the inverse of a call: at the place where something would have to be kept, if that is all."""
    from ..inversion.triangular import forgotten_sign

    name, found = call.name, sites_of(c, call)
    sites = found[1] if found else ()
    if not sites:
        c.b.pos, why, fix = problem.pos or c.b.pos, "", ""
        if signed := forgotten_sign(call.plain):
            places, bits = signed
            why = f"x ^ (x >> {places}) is the same for x and for ~x, as the shift keeps the sign"
            fix = f"clear where the sign comes in: x ^ ((x >> {places}) & (2**{bits - places} - 1))"
        refuse(c, f"{name} cannot be run backwards: {problem.what}", why=why, fix=fix)
    c.b.pos, what = sites[0].pos or c.b.pos, sites[0].what
    why, fix = {
        "count": ("how often the loop goes round does not follow from what it leaves behind",
                  "end each round with an assert, and assert the opposite before the loop"),
        "bit": ("which way is taken does not follow from what is left behind",
                "end both arms with asserts that exclude each other"),
        "value": ("the function asks for it: tp.saved", "leave that out if the value follows otherwise"),
    }[sites[0].kind]  # fmt: skip
    refuse(
        c,
        f"{name} cannot be run backwards without {what} that is kept here each time",
        why=why,
        fix=f"{fix}; or keep it: {name}.keep(...), {name}.undo(kept, ...)",
    )


def refuse(c: Context, what: str, *, why: str = "", fix: str = "") -> NoReturn:
    """Something cannot be run backwards."""
    c.refuse(
        what,
        error=NotReversibleError,
        why=why or "each statement must leave enough to tell what was before it",
        fix=fix or "change variables by +=, -=, ^=, swaps and negation, by values that are still there afterwards",
    )
