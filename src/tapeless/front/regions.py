"""Blocks that say how something is run backwards (`with tp.compute():`, `with tp.inverse():`), and `tp.release`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from .. import regions
from ..errors import NotReversibleError
from ..ir.build import Builder
from ..regions import RELEASED
from .context import Context, statement
from .expressions import closure
from .fence import refuse_node
from .inverse import Inversion, atom_of, call_inverse, leaves_of
from .leaves import conformed, copied, leaves, take
from .liveness import bound_names, read_names
from .pairs import tell
from .prelude.released import require_released
from .registry import implements
from .statements import run_block
from .values import ArrayRef, DictRef, ListRef, ObjectRef, Ref, Scalar, Value, is_tuple


@implements(regions.ancilla)
def ancilla(c: Context, value: Value) -> Value:
    """A copy, after seeing that its variable is handed back where it was made."""
    found = _assignment(c, c.frame.function.node.body)
    if found is not None:
        name, after = found
        if not any(_releases(c, stmt, name) for stmt in after):
            c.refuse(
                f"the variable {name} is not handed back in the block where it is made",
                error=NotReversibleError,
                why="an ancilla must be what is known of it when it goes, so that inverses can begin with it",
                fix=f"end the block with tp.release({name}, value), or use an ordinary variable",
            )
    tree, _ = take(c, value)
    bytes_ = sum(leaf.type.dtype.itemsize for leaf in leaves(tree))
    c.parameters.notes.add(c.b.pos, "ancilla", f"{bytes_} bytes" + (" an element" if c.is_array(value) else ""))
    return copied(c, value)


def _assignment(c: Context, body: object) -> tuple[str, Sequence[ast.stmt]] | None:
    """The name that the value at the current position is assigned to, and the statements after that in its block."""
    pos = c.b.pos
    if not isinstance(body, list) or pos is None:
        return None
    stmts = [stmt for stmt in body if isinstance(stmt, ast.stmt)]  # pyright: ignore[reportUnknownVariableType]
    for k, stmt in enumerate(stmts):
        match stmt:
            case ast.Assign([ast.Name(name)], ast.Call(lineno=line, col_offset=col)) if (line, col) == (
                pos.line,
                pos.col,
            ):
                return name, stmts[k + 1 :]
            case _:
                for part in ("body", "orelse"):
                    if (found := _assignment(c, getattr(stmt, part, None))) is not None:
                        return found
    return None


def _releases(c: Context, stmt: ast.stmt, name: str) -> bool:
    match stmt:
        case ast.Expr(ast.Call(ast.Attribute() | ast.Name() as function, [ast.Name(released), *_])) if released == name:
            return c.eval(function) is regions.release
        case _:
            return False


@implements(regions.saved)
def saved(c: Context, value: Value) -> Value:
    """Ask for a value to be kept, by telling that it is itself (`inversion.sites`)."""
    if c.inverting and isinstance(value, ArrayRef | Scalar):
        atom = atom_of(c, value)
        tell(c, [atom], [atom], Builder(c.b.pos))
    return value


@implements(regions.release)
def release(c: Context, variable: Value, value: Value) -> Value:
    """Check the variable, and tell inverses what it is."""
    c.call(require_released, (variable, value, RELEASED))
    if c.inverting:
        b = Builder(c.b.pos)
        tree, _ = take(c, variable)
        tell(c, [atom_of(c, leaf) for leaf in leaves_of(c, variable)], conformed(c, tree, value, "tp.release"), b)
    return None


@statement(ast.With)
def with_(c: Context, node: ast.With) -> None:
    item = node.items[0]
    call = item.context_expr
    if len(node.items) > 1 or item.optional_vars is not None or not isinstance(call, ast.Call):
        refuse_node(c, node)
    region = c.eval(call.func)
    if region is regions.compute:
        _compute(c, node)
    elif region is regions.irreversible:
        before = dict(c.store)
        run_block(c, node.body)
        c.loose |= {place for ref, contents in before.items() for place in _written(c, ref, contents)}
    elif region is regions.inverse:
        _inverse(c, node.body)
    else:
        refuse_node(c, node)


def _written(c: Context, ref: Ref, before: Any) -> Iterator[Any]:
    """An array that was written since it was so, or the parts of a container that were replaced, by owner and key."""
    now: Any = c.store.get(ref)
    match ref:
        case DictRef() | ObjectRef():
            yield from ((ref, key) for key, value in now.items() if value is not before.get(key))
        case ListRef() if is_tuple(before) and is_tuple(now):
            pairs = enumerate(zip(before, now, strict=False))
            yield from ((ref, key) for key, (old, new) in pairs if new is not old)
        case _ if now is not before:
            yield ref
        case _:
            pass


def _compute(c: Context, node: ast.With) -> None:
    before = dict(c.store)
    run_block(c, node.body)
    if any(c.store.get(ref) is not contents for ref, contents in before.items()):
        c.b.pos = c.position(node)
        c.refuse(
            "a block of temporaries changes an array or container that was there before it",
            error=NotReversibleError,
            why="what is computed under tp.compute() is thrown away afterwards",
            fix="make the array inside the block, or change it after the block",
        )


def _inverse(c: Context, body: Sequence[ast.stmt]) -> None:
    """The block as a function of the variables that it mentions, run backwards."""
    if (leaving := _leaves(body)) is not None:
        c.b.pos = c.position(leaving)
        c.refuse(
            "a block that is run backwards cannot be left in the middle",
            error=NotReversibleError,
            why="backwards it would begin there",
            fix="leave after the block",
        )
    names, bound = c.frame.names, bound_names(body)
    mentioned = [name for name in names if name in read_names(body) | bound]
    given = [name for name in mentioned if isinstance(names[name], ArrayRef | ObjectRef | Scalar | int | float)]
    changed = [name for name in given if name in bound]
    function = ast.FunctionDef(
        "block", ast.arguments([], [ast.arg(name) for name in given], None, [], [], None, []), [*body], []
    )
    if changed:
        function.body.append(ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in changed], ast.Load())))
    ast.copy_location(function, body[0])
    ast.fix_missing_locations(function)
    result = call_inverse(c, Inversion(closure(c, function, "the block")), [names[name] for name in given], {})
    if is_tuple(result):
        names.update(zip(changed, result, strict=True))


def _leaves(body: Sequence[ast.stmt], *, in_loop: bool = False) -> ast.stmt | None:
    """The first statement that leaves the block."""
    for stmt in body:
        if isinstance(stmt, ast.Return) or (isinstance(stmt, ast.Break | ast.Continue) and not in_loop):
            return stmt
        if isinstance(stmt, ast.If | ast.For | ast.While | ast.With):
            inside = in_loop or isinstance(stmt, ast.For | ast.While)
            found = _leaves(stmt.body, in_loop=inside)
            if found is None and isinstance(stmt, ast.If | ast.For | ast.While):
                found = _leaves(stmt.orelse, in_loop=in_loop)
            if found is not None:
                return found
    return None
