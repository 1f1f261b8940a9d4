"""Calls of derived functions: `tp.grad(f)(x)` anywhere in compiled code, and as the outermost function.

The function is executed abstractly in a block of its own, where fresh variables stand for the leaves of the arguments
to differentiate by. The block is differentiated (`ad`), and what comes out is emitted in the place of the call, with
the arguments in the place of those variables. Everything else that the block mentions is a constant of this
derivative, and an ordinary variable of the derivative around it: derivatives nest without meeting each other.

The function works on copies of its arguments, and may not write into what it takes from its surroundings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from ..config import Coarsening, config
from ..errors import DerivativeError
from ..ir.build import Atoms, Builder
from ..ir.core import Block, Custom, Pos
from ..ir.types import Atom, Var
from ..ir.walk import fresh, statements, substitute
from ..passes.notes import Notes
from ..records import dataclass, replace
from .context import Context, describe
from .control import PathEndsError
from .inverse import asked_to_keep
from .isolated import isolated
from .leaves import Container, Leaf, Tree, copied, from_atoms, leaves, make, matched, take
from .source import source_of
from .values import Closure, Value, is_tuple

if TYPE_CHECKING:
    from ..ad.compared import Build
    from ..ad.elements import Input
    from ..ad.planner import Plan
    from ..eliminate.methods import How

Verb: TypeAlias = Literal[
    "grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "jvp", "pull", "hvp", "pattern", "columns", "rows"
]

# The subject of notes on derivatives that are not ours.
RULE = "derivative rule"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derivative of a function, itself a function.

    `grad`, `value_and_grad` and the Jacobians take the function's own arguments; `jvp` and `hvp` take the primals
    and the tangents, `pull` the primals and the cotangents, those of sparse Jacobians (`sparse`) the primals and
    seeds. `memory` limits what the return sweep may keep, `how` says how `jacobian` finds an order of elimination,
    `coarsening` what is asked for this derivative alone.
    """

    verb: Verb
    function: Value
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    memory: Any = None
    how: How | None = None
    coarsening: Coarsening = Coarsening()

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", None) or getattr(self.function, "name", self.verb)


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """The second result of `tp.vjp` and `tp.linearize`: emits a derivative at the arguments that these were given."""

    apply: Callable[[Context, Sequence[Value]], Value]


def call_derived(
    c: Context, function: Derivation | LinearMap, args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """The value of a call of a derived function."""
    if isinstance(function, LinearMap):
        if kwargs:
            refuse(c, "a linear map takes no keyword arguments")
        return function.apply(c, args)
    with asked_to_keep(c, function.memory), function.coarsening.in_force():
        return _derived(c, function, args, kwargs)


def _derived(c: Context, function: Derivation, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    match function.verb:
        case "grad" | "value_and_grad":
            return _gradient(c, function, args, kwargs)
        case "jacfwd" | "jacrev" | "jacobian":
            return _jacobian(c, function, args, kwargs)
        case "jvp":
            return _jvp(c, function, *_two(c, args, kwargs))
        case "hvp":
            return _hvp(c, function, *_two(c, args, kwargs))
        case "pull":
            from .linear_maps import vjp

            primals, cotangents = _two(c, args, kwargs)
            return vjp(c, function.function, primals, function.has_aux, function.memory)[1].apply(c, (cotangents,))
        case "pattern" | "columns" | "rows":
            from .sparse import call_sparse

            return call_sparse(c, function, *_two(c, args, kwargs))


# -- a function in a block of its own ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trace:
    """A call of a function: `block` computes its leaves from the variables `inputs`, which stand for the atoms `given`.

    `columns` holds the inputs by the leaves of the arguments, arrays in one piece or in their elements. `wrt` has the
    structure of the arguments to differentiate by, `out` and `aux` those of the result; the leaves of `aux` come last
    among the results of the block.
    """

    block: Block
    inputs: tuple[Var, ...]
    given: Atoms
    columns: tuple[Input, ...]
    wrt: tuple[Tree, ...]
    out: Tree
    aux: Tree | None

    @property
    def count(self) -> int:
        """How many results of the block belong to `out`."""
        return sum(1 for _ in leaves(self.out))

    def emit(self, c: Context, build: Callable[[Builder], Sequence[Atom]]) -> Atoms:
        """Emit what `build` makes into the current block, with the given atoms for the inputs."""
        b = Builder(c.b.pos)
        return self._put(c, b.block(build(b)))

    def derive(self, c: Context, build: Build, memory: Any = None) -> Atoms:
        """Likewise the derivative that `build` makes by a plan: the cheapest that there is."""
        from ..ad.compared import cheapest

        return self._put(c, cheapest(build, plan_of(c, memory), c.b.pos)[0])

    def _put(self, c: Context, block: Block) -> Atoms:
        block = _shortened(block, c.parameters.notes)
        return c.b.splice(substitute(block, dict(zip(self.inputs, self.given, strict=True))))

    def value(self, c: Context, results: Sequence[Atom]) -> Value:
        return from_atoms(c, self.out, results[: self.count])

    def auxiliary(self, c: Context, results: Sequence[Atom]) -> Value:
        assert self.aux is not None
        return from_atoms(c, self.aux, results[self.count : len(self.block.results)])


def trace(
    c: Context,
    function: Value,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    active: Sequence[int],
    has_aux: bool,
    apart: bool = False,
    literal: bool = False,
) -> Trace:
    """Execute a call of the function in a block of its own, the arguments at the positions `active` replaced.

    With `apart`, an array of few elements is replaced by a variable for each of them. With `literal` the block is left
    as it was written.
    """
    if not c.frames:
        c.b.pos = _definition(function)
    before = dict(c.store)
    own = [copied(c, arg) for arg in args]
    named = {name: copied(c, value) for name, value in kwargs.items()}
    wrt: list[Tree] = []
    atoms: list[Atom] = []
    for position in active:
        tree, found = take(c, own[position])
        _need_floats(c, tree, args[position], position)
        atoms += found
        wrt.append(tree)
    b = Builder(c.b.pos)
    columns = _stand_ins(atoms, apart)
    values = iter([column.value(b) for column in columns])
    for position, tree in zip(active, wrt, strict=True):
        own[position] = from_atoms(c, tree, [next(values) for _ in leaves(tree)])
    inputs = [var for column in columns for var in column.vars]
    given = [part for column, atom in zip(columns, atoms, strict=True) for part in column.parts(c.b, atom)]
    try:
        with isolated(c, b, before, c.orders + 1, "the function that is differentiated"):
            out, results = take(c, c.call(function, own, named))
    except PathEndsError:
        # Nothing is left to differentiate; what raises the exception must stay.
        c.b.splice(substitute(b.block(()), dict(zip(inputs, given, strict=True))))
        raise
    shown, aux = _split(c, out) if has_aux else (out, None)
    # Derivatives have the sizes of the results, and stand outside the block.
    written = b.block(results)
    block = c.b.hoist_sizes(inputs, written if literal else _prepared(written, inputs, c.parameters.notes))
    for stm in statements(block):
        if isinstance(stm.expr, Custom) and stm.expr.forward is not None:
            c.parameters.notes.add(stm.pos, RULE, "that of the user's")
    return Trace(block, tuple(inputs), tuple(given), columns, tuple(wrt), shown, aux)


# The passes and derivatives take a while to import: only who differentiates pays for them.


def _stand_ins(atoms: Sequence[Atom], apart: bool) -> tuple[Input, ...]:
    from ..ad.elements import Input, inputs_of

    if apart:
        return inputs_of([atom.type for atom in atoms])
    hints = [atom.name if isinstance(atom, Var) else "x" for atom in atoms]
    return tuple(Input(atom.type, (fresh(hint, atom.type),)) for hint, atom in zip(hints, atoms, strict=True))


def _prepared(block: Block, inputs: Sequence[Var], notes: Notes) -> Block:
    from ..ad.functions import prepared

    return _shortened(prepared(block, inputs, notes), notes, is_primal=True)


def _shortened(block: Block, notes: Notes, *, is_primal: bool = False) -> Block:
    """A derivative, or what one is made of, by fewer operations: nobody asks that it round as the source is written."""
    from ..symbolic.resynthesis import shortened

    return shortened(block, notes, is_primal=is_primal) if config.current.coarsen else block


def _definition(function: Value) -> Pos | None:
    """Where the function that is differentiated in the end is defined."""
    while not isinstance(function, FunctionType | Closure):
        derivation = getattr(function, "__derivation__", function)
        inner = derivation.function if isinstance(derivation, Derivation) else getattr(function, "__wrapped__", None)
        if inner is None:
            return None
        function = inner
    if isinstance(function, FunctionType) and (function.__module__ or "").startswith("tapeless."):
        return None
    source = source_of(function) if isinstance(function, FunctionType) else function
    node = source.node
    return Pos(source.file, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


def _split(c: Context, out: Tree) -> tuple[Tree, Tree]:
    if not isinstance(out, Container) or out.kind is not tuple or len(out.parts) != 2:
        refuse(c, "with has_aux=True the function must return a pair", fix="return value, aux")
    return out.parts[0], out.parts[1]


def _need_floats(c: Context, tree: Tree, value: Value, position: int) -> None:
    found = list(leaves(tree))
    if found and all(leaf.is_float for leaf in found):
        return
    what = describe(value) if not isinstance(value, bool | int) else f"the integer {value}"
    fix = "convert it with float(...) or .astype(np.float64)" if found else ""
    refuse(
        c,
        f"argument {position} cannot be differentiated by: it is {what}"
        if isinstance(tree, Leaf) or not found
        else f"argument {position} cannot be differentiated by: it holds integers",
        why="only floats vary smoothly",
        fix=fix or "choose other arguments with argnums=...",
    )


# -- the verbs --------------------------------------------------------------------------------------


def _gradient(c: Context, d: Derivation, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    from ..ad.jacobians import gradient

    traced = trace(c, d.function, args, kwargs, positions(c, d.argnums, len(args)), d.has_aux)
    if not isinstance(traced.out, Leaf) or traced.out.type.is_array or not traced.out.is_float:
        refuse(
            c,
            f"{d.verb} needs a function that returns one float, not {_described(traced.out)}",
            why="a gradient belongs to a single number",
            fix="reduce the result to one number, return extra values with has_aux=True, or use tp.jacrev or tp.jacfwd",
        )

    def build(b: Builder, plan: Plan) -> Sequence[Atom]:
        values, adjoints = gradient(b, traced.block, traced.inputs, plan)
        return (*values, *adjoints)

    results = traced.derive(c, build, d.memory)
    slopes = _like_arguments(c, d, traced, results[len(traced.block.results) :])
    if d.verb == "value_and_grad":
        value = traced.value(c, results)
        return ((value, traced.auxiliary(c, results)) if d.has_aux else value), slopes
    return (slopes, traced.auxiliary(c, results)) if d.has_aux else slopes


def _jacobian(c: Context, d: Derivation, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    from ..ad.jacobians import jacobian_forward, jacobian_reverse
    from ..eliminate.jacobian import jacobian as jacobian_by_elimination

    active, literal = positions(c, d.argnums, len(args)), d.how is not None and d.how.model == "published"
    traced = trace(c, d.function, args, kwargs, active, d.has_aux, apart=True, literal=literal)
    rows = list(leaves(traced.out))
    if not all(leaf.is_float for leaf in rows):
        refuse(
            c,
            f"{d.verb} needs a function that returns floats, not {_described(traced.out)}",
            fix="return the other values with has_aux=True",
        )

    def build(b: Builder, plan: Plan) -> Sequence[Atom]:
        shown = Block(traced.block.stms, traced.block.results[: len(rows)])
        if d.verb == "jacrev":
            values, entries = jacobian_reverse(b, shown if traced.aux is None else traced.block, traced.columns, plan)
        else:
            values = ()
            if d.verb == "jacfwd":
                entries = jacobian_forward(b, shown, traced.columns, plan.collapse)
            else:
                entries = jacobian_by_elimination(b, shown, traced.columns, _how(c, d), plan)
            if traced.aux is not None:
                values = b.splice(traced.block)
        return (*values, *(entry for row in entries[: len(rows)] for entry in row))

    if d.how is None:
        results = traced.derive(c, build, d.memory)
    else:  # what is not eliminated as a whole is compared by itself
        results = traced.emit(c, lambda b: build(b, plan_of(c, d.memory)))
    entries = iter(results[len(results) - len(rows) * len(traced.columns) :])
    columns = [leaf for tree in traced.wrt for leaf in leaves(tree)]
    per_row = [
        _nested(c, d, traced, [c.fresh(next(entries), row.weak and column.weak) for column in columns]) for row in rows
    ]
    jacobian = make(c, traced.out, iter(per_row))
    return (jacobian, traced.auxiliary(c, results)) if d.has_aux else jacobian


def plan_of(c: Context, memory: Any) -> Plan:
    """What reverse mode may keep, and how both modes get through straight-line code."""
    from ..ad.planner import plan_for
    from ..eliminate.collapse import Collapser
    from ..eliminate.paper import Paper

    settings, plan = config.current, plan_for(memory, c.parameters.notes)
    if not settings.coarsen or settings.segments == "plain":
        return plan
    way = Paper if settings.segments == "paper" else Collapser
    return replace(plan, collapse=way(c.parameters.notes))


def _how(c: Context, d: Derivation) -> How:
    """How a Jacobian is accumulated; nothing promises that derivatives by the user's own rules are symmetric."""
    assert d.how is not None
    return replace(d.how, symmetric=d.how.symmetric and not c.parameters.notes.about(RULE))


def _jvp(c: Context, d: Derivation, primals: Sequence[Value], tangents: Value) -> Value:
    traced = trace(c, d.function, primals, {}, range(len(primals)), d.has_aux)
    out, out_dot, results = push(c, traced, tangents_of(c, traced, tangents))
    return (out, out_dot, traced.auxiliary(c, results)) if d.has_aux else (out, out_dot)


def push(c: Context, traced: Trace, dots: Sequence[Atom]) -> tuple[Value, Value, Atoms]:
    """The value of a traced call, its tangent, and all the leaves."""
    from ..ad.jacobians import filled
    from ..ad.jvp import pushforward

    floats = [k for k, leaf in enumerate(leaves(traced.out)) if leaf.is_float]

    def build(b: Builder, plan: Plan) -> Sequence[Atom]:
        given = dict(zip(traced.inputs, dots, strict=True))
        values, found = pushforward(b, traced.block, given, plan.collapse)
        return (*values, *filled(b, [found[k] for k in floats], [values[k].type for k in floats]))

    results = traced.derive(c, build)
    made = iter(results[len(traced.block.results) :])
    out_dots = [next(made) if leaf.is_float else None for leaf in leaves(traced.out)]
    return traced.value(c, results), from_atoms(c, traced.out, out_dots), results


def _hvp(c: Context, d: Derivation, primals: Sequence[Value], tangents: Value) -> Value:
    """Forward over reverse: the tangent of the gradient by all primals, in the direction of the tangents."""
    argnums = 0 if len(primals) == 1 else tuple(range(len(primals)))
    slope = Derivation("grad", d.function, argnums, memory=d.memory)
    return _jvp(c, Derivation("jvp", slope), primals, tangents)[1]


# -- arguments and results --------------------------------------------------------------------------


def tangents_of(c: Context, traced: Trace, tangents: Value) -> list[Atom]:
    """The leaves of the tangents that a user passes."""
    items = c.items(tangents)
    if items is None or len(items) != len(traced.wrt):
        refuse(c, f"{len(traced.wrt)} tangents are needed, one per primal", fix="pass a tuple of them")
    found = [matched(c, tree, item, "tangent") for tree, item in zip(traced.wrt, items, strict=True)]
    return [atom for atoms in found for atom in atoms if atom is not None]


def _like_arguments(c: Context, d: Derivation, traced: Trace, atoms: Sequence[Atom]) -> Value:
    """Values in the structure of the arguments: of the one, or a tuple for a tuple of argnums."""
    flags = [leaf.weak for tree in traced.wrt for leaf in leaves(tree)]
    return _nested(c, d, traced, [c.fresh(atom, weak) for atom, weak in zip(atoms, flags, strict=True)])


def _nested(c: Context, d: Derivation, traced: Trace, values: Sequence[Value]) -> Value:
    rest = iter(values)
    made = tuple(make(c, tree, rest) for tree in traced.wrt)
    return made[0] if isinstance(d.argnums, int) else made


def positions(c: Context, argnums: Any, count: int) -> tuple[int, ...]:
    """The positions of the arguments to differentiate by; negative ones count from the end."""
    wanted = argnums if is_tuple(argnums) else (argnums,)
    if not wanted or not all(type(k) is int for k in wanted):
        refuse(c, f"argnums must be an int or a tuple of ints, not {argnums!r}")
    for k in wanted:
        if not -count <= k < count:
            refuse(
                c,
                f"argnums={argnums} asks for argument {k}, but there are {count} positional arguments",
                fix="pass it by position, or choose others",
            )
    found = tuple(k % count for k in wanted)
    if len(set(found)) < len(found):
        refuse(c, f"argnums={argnums} names an argument twice")
    return found


def _two(c: Context, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple[Sequence[Value], Value]:
    """The primals, and what goes with them."""
    primals = c.items(args[0]) if len(args) == 2 and not kwargs else None
    if primals is None:
        refuse(c, "the primals and tangents must be tuples", fix="write tp.jvp(f, (x,), (x_dot,))")
    return primals, args[1]


def _described(tree: Tree) -> str:
    match tree:
        case Leaf(type):
            return f"a {type.rank}-dimensional array" if type.is_array else f"a number of type {type.dtype!r}"
        case Container(kind, _, parts):
            return f"a {kind.__name__} of {len(parts)}"
        case _:
            return describe(tree.value)


def refuse(c: Context, what: str, *, why: str = "", fix: str = "") -> NoReturn:
    """Refuse to differentiate."""
    c.refuse(what, why=why, fix=fix, error=DerivativeError)
