"""What a derivative computes from leaves: one function per verb, of a program of ours and what stays with JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...backend.jaxlib import from_ir
from ...backend.jaxlib.library import jax, jnp
from ...eliminate.methods import how
from ...errors import DerivativeError
from ...front.jaxpr import Conversion
from ...front.jaxpr.convert import Mode, Target
from ...ir.core import Function
from . import derive
from .native import native_call
from .program import Program, announce
from .signature import Shape, Signature

if TYPE_CHECKING:
    from .derived import Request


def gradient(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
    """From all leaves to the value, with what is auxiliary, and the gradient."""
    if shape.count != 1 or shape.leaves[0].shape or not jnp.issubdtype(shape.leaves[0].dtype, jnp.floating):
        found = [f"{leaf.dtype}{list(leaf.shape)}" for leaf in shape.leaves[: shape.count]]
        raise DerivativeError(
            f"grad needs a function that returns one float, not {', '.join(found) or 'nothing'}",
            why="a gradient belongs to a single number",
            fix="reduce the result to one number, or use jacobian",
        )
    inputs = signature.inputs
    (place,) = _places(program, 1)
    function = _converted(program, request, "reverse")[0]
    small = derive.is_small(function, len(inputs), [] if place is None else [place])
    body = _runner(
        functools.partial(_gradient_function, request, program, function, len(inputs), place), request, small
    )

    def run(*leaves: Any) -> Any:
        args, known = _split(signature, program, leaves)
        made = body(*args)
        results = program.results(made, known)
        if place is None:
            slopes: Sequence[Any] = [jnp.zeros(aval.shape, aval.dtype) for aval in inputs]
        else:
            slopes = made[len(made) - len(inputs) :]
        value = jax.tree.unflatten(shape.out, results[:1])
        pair = (value, jax.tree.unflatten(shape.aux, results[1:])) if request.has_aux else value
        return pair, _like_arguments(request, signature, slopes)

    return run


def _gradient_function(
    request: Request, program: Program, function: Function, count: int, place: int | None, form: derive.Form
) -> Function:
    """The results, then their derivative at a place, which may not vary."""
    if place is None or not count:
        return form.tidied(function)
    if _needs_columns(request, function):
        function = _converted(program, request, "forward")[0]
        rest = range(len(function.body.results))
        return derive.jacobian_of(function, count, [place], rest, how("forward", None), form)
    return derive.gradient_of(function, count, place, form)


def jacobian(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
    """From all leaves to the Jacobian, and what is auxiliary."""
    outs = shape.leaves[: shape.count]
    for leaf in outs:
        if not jnp.issubdtype(leaf.dtype, jnp.floating):
            raise DerivativeError(
                f"jacobian needs a function that returns floats, not {leaf.dtype}",
                fix="return the other values with has_aux=True",
            )
    inputs = signature.inputs
    method = "auto" if request.method == "measured" else request.method
    columns, lines = sum(prod(a.shape) for a in inputs), sum(prod(a.shape) for a in outs)
    mode: Mode = "reverse" if method == "reverse" or (method != "forward" and columns > lines) else "forward"
    places = _places(program, shape.count)
    rows = sorted({place for place in places if place is not None})
    rest = sorted({k for kind, k in program.outputs[shape.count :] if kind == "varied"})
    function, only = _converted(program, request, mode)
    method = method if only is None else only
    if only is None and method == "auto" and _needs_columns(request, function):
        method = "forward"
    order = how(method, request.budget)
    small = derive.is_small(function, len(inputs), rows)
    body = _runner(functools.partial(derive.jacobian_of, function, len(inputs), rows, rest, order), request, small)

    def run(*leaves: Any) -> Any:
        args, known = _split(signature, program, leaves)
        made = body(*args)
        width = len(inputs)
        table: list[Any] = []
        for leaf, place in zip(outs, places, strict=True):
            if place is None:
                entries: Sequence[Any] = [jnp.zeros((*leaf.shape, *a.shape), leaf.dtype) for a in inputs]
            else:
                start = len(rest) + rows.index(place) * width
                entries = made[start : start + width]
            table.append(_like_arguments(request, signature, entries))
        jacobian = jax.tree.unflatten(shape.out, table)
        if not request.has_aux:
            return jacobian
        varied = {k: made[n] for n, k in enumerate(rest)}
        return jacobian, jax.tree.unflatten(shape.aux, program.results(varied, known, shape.count))

    return run


def push(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
    """From all leaves and tangents of the active ones to results, their tangents (None without one), and the rest."""
    function = _converted(program, request, "forward")[0]
    body = from_ir(derive.pushed(function, len(signature.active), derive.ARRAYS))
    floats = [k for k, type in enumerate(function.result_types) if type.dtype.is_float]

    def run(leaves: Sequence[Any], dots: Sequence[Any]) -> Any:
        args, known = _split(signature, program, leaves)
        made = body(*args, *dots)
        values, found = made[: len(made) - len(floats)], dict(zip(floats, made[len(made) - len(floats) :], strict=True))
        results = program.results(values, known)
        tangents: list[Any] = []
        for leaf, place in zip(shape.leaves[: shape.count], _places(program, shape.count), strict=True):
            smooth = jnp.issubdtype(leaf.dtype, jnp.floating)
            zero = jnp.zeros(leaf.shape, leaf.dtype) if smooth else None
            tangents.append(zero if place is None else found.get(place))
        return results[: shape.count], tangents, results[shape.count :]

    return run


def pull(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
    """From all leaves and cotangents of the results that are floats to adjoints of the active leaves."""
    function = _converted(program, request, "reverse")[0]
    body = from_ir(derive.pulled(function, len(signature.active), derive.ARRAYS))
    places = _places(program, shape.count)
    smooth = [k for k, leaf in enumerate(shape.leaves[: shape.count]) if jnp.issubdtype(leaf.dtype, jnp.floating)]

    def run(leaves: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        args, _ = _split(signature, program, leaves)
        seeds: dict[int, Any] = {}
        for k, seed in zip(smooth, cotangents, strict=True):
            place = places[k]
            if place is not None:
                # An output that is returned twice is pulled back once, with both cotangents.
                seeds[place] = seed + seeds[place] if place in seeds else seed
        full = [
            seeds[k] if k in seeds else jnp.zeros(aval.shape, aval.dtype)
            for k, aval in enumerate(program.varied.out_avals)
            if jnp.issubdtype(aval.dtype, jnp.floating)
        ]
        made = body(*args, *full)
        return made[len(made) - len(signature.active) :]

    return run


def _like_arguments(request: Request, signature: Signature, values: Sequence[Any]) -> Any:
    """Values in the structure of the arguments to differentiate by."""
    rest = list(values)
    made: list[Any] = []
    for tree in signature.wrt:
        made.append(jax.tree.unflatten(tree, rest[: tree.num_leaves]))
        rest = rest[tree.num_leaves :]
    return made[0] if isinstance(request.argnums, int) else tuple(made)


# -- programs ---------------------------------------------------------------------------------------


def _converted(program: Program, request: Request, mode: Mode) -> tuple[Function, Mode | None]:
    """The varying part as IR, and the only direction in which it may be differentiated, where it has rules of its own.

    That is `mode`, but reverse for rules that only pull back, unless forward mode was asked for.
    """
    target = target_of(request)
    record = Conversion()
    function = program.function(target, None, record)
    announce(record)
    if not record.ruled:
        return function, None
    if request.verb == "jacobian" and request.method != "forward" and "custom_vjp_call" in record.ruled:
        mode = "reverse"
    return program.function(target, mode, Conversion()), mode


def _needs_columns(request: Request, function: Function) -> bool:
    """Is there a loop of unknown length? What a return sweep keeps of it has no fixed size; columns keep nothing."""
    return request.backend != "native" and derive.has_while(function.body)


def target_of(request: Request) -> Target:
    """Where the program will run."""
    return "native" if request.backend == "native" else "jax"


def _runner(derived: Callable[[derive.Form], Function], request: Request, small: bool) -> Callable[..., Sequence[Any]]:
    """A derivative, which can be had in every form, as a function of JAX arrays."""
    match request.backend, small:
        case "native", _:
            form = derive.LOOPS if small else derive.LANES
        case "auto", True:
            form = derive.PORTABLE
        case _:
            form = derive.ARRAYS
    function = derived(form)
    straight, portable = derive.is_straight(function), request.backend != "native"
    # XLA takes longer to compile many operations on few numbers, and makes slower code of them.
    if request.backend == "jax" or not (straight or small or not portable):
        return from_ir(function)
    lanes = functools.partial(derived, derive.LANES) if small and not straight else None
    return native_call(function, portable=portable, lanes=lanes)


def _places(program: Program, count: int) -> list[int | None]:
    """Where each of the first outputs is found among those that vary; None for one that does not."""
    return [k if kind == "varied" else None for kind, k in program.outputs[:count]]


def _split(signature: Signature, program: Program, leaves: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """The arguments of the varying part, and everything that does not vary."""
    known = program.known(*leaves)
    moving = [jnp.asarray(leaves[k], signature.avals[k].dtype) for k in signature.active]
    return [*moving, *known[: program.taken]], known
