"""Making a derivative for given argument types, and running it on leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.jaxlib import from_ir
from ...backend.jaxlib.library import jax, jnp
from ...eliminate.methods import how
from ...errors import DerivativeError
from ...front.jaxpr import Conversion
from ...front.jaxpr.convert import Mode, Target
from ...ir.core import Function
from . import derive
from .native import native_call
from .program import Program, announce, trace

if TYPE_CHECKING:
    from .derived import Request


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call: the structure of all arguments, their leaves, which vary, and the structures of those."""

    tree: Any
    avals: tuple[Any, ...]
    active: tuple[int, ...]
    wrt: tuple[Any, ...]
    x64: bool

    @property
    def key(self) -> Any:
        leaves = tuple((aval.shape, aval.dtype, aval.weak_type) for aval in self.avals)
        return self.tree, leaves, self.active, self.x64

    @property
    def inputs(self) -> list[Any]:
        return [self.avals[k] for k in self.active]


@dataclass(slots=True)
class Shape:
    """The structure of a result, learnt while tracing: `out` and its leaves come first, then those of `aux`."""

    out: Any = None
    aux: Any = None
    leaves: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        return self.out.num_leaves


@dataclass(frozen=True, slots=True)
class Made:
    """A derivative for a signature: `body` computes from leaves what `Built.answer` puts together."""

    signature: Signature
    request: Request
    shape: Shape
    program: Program
    body: Callable[..., Sequence[Any]]
    is_closed: bool

    def run(self, leaves: Sequence[Any]) -> Any:
        """The gradient or Jacobian."""
        return self.body(*leaves)

    def push(self, leaves: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        dots = [jnp.asarray(tangents[k], self.signature.avals[k].dtype) for k in self.signature.active]
        outs, out_dots, aux = self.body(leaves, dots)
        filled = [
            _no_tangent(leaf) if dot is None else dot for leaf, dot in zip(self.shape.leaves, out_dots, strict=False)
        ]
        pair = jax.tree.unflatten(self.shape.out, outs), jax.tree.unflatten(self.shape.out, filled)
        return (*pair, jax.tree.unflatten(self.shape.aux, aux)) if self.request.has_aux else pair

    def pull(self, fun: Callable[..., Any], primals: tuple[Any, ...], leaves: Sequence[Any]) -> tuple[Any, ...]:
        result = fun(*primals)
        value, aux = _pair(result) if self.request.has_aux else (result, None)

        def back(cotangent: Any) -> tuple[Any, ...]:
            given, tree = jax.tree.flatten(cotangent)
            if tree != self.shape.out:
                raise DerivativeError(f"the cotangent has the structure {tree}, the result {self.shape.out}")
            adjoints = iter(self.body(leaves, [jnp.asarray(x) for x in _smooth(given)]))
            active = set(self.signature.active)
            made = [next(adjoints) if k in active else _no_tangent(aval) for k, aval in enumerate(self.signature.avals)]
            return jax.tree.unflatten(self.signature.tree, made)[0]

        return (value, back, aux) if self.request.has_aux else (value, back)


def make(fun: Callable[..., Any], request: Request, signature: Signature) -> Made:
    """The derivative of a function for argument types."""
    shape = Shape()

    def flat(*leaves: Any) -> list[Any]:
        args, kwargs = jax.tree.unflatten(signature.tree, leaves)
        result = fun(*args, **kwargs)
        out, aux = _pair(result) if request.has_aux else (result, None)
        found, shape.out = jax.tree.flatten(out)
        more, shape.aux = jax.tree.flatten(aux)
        shape.leaves = tuple(jax.ShapeDtypeStruct(np.shape(x), jnp.result_type(x)) for x in (*found, *more))
        return [*found, *more]

    program = trace(flat, signature.avals, signature.active, _target(request))
    match request.verb:
        case "gradient":
            body = _gradient(request, signature, shape, program)
        case "jacobian":
            body = _jacobian(request, signature, shape, program)
        case "jvp":
            body = _push(request, signature, shape, program)
        case "vjp":
            body = _pull(request, signature, shape, program)
    return Made(signature, request, shape, program, jax.jit(body), program.is_closed)


def _pair(result: Any) -> tuple[Any, Any]:
    match result:
        case (out, aux):
            return out, aux
        case _:
            raise DerivativeError("with has_aux=True the function must return a pair", fix="return value, aux")


def _converted(program: Program, request: Request, mode: Mode) -> tuple[Function, Mode | None]:
    """The varying part as IR, and the only direction in which it may be differentiated, where it has rules of its own.

    That is `mode`, but reverse for rules that only pull back, unless forward mode was asked for.
    """
    target = _target(request)
    record = Conversion()
    function = program.function(target, None, record)
    announce(record)
    if not record.ruled:
        return function, None
    if request.verb == "jacobian" and request.method != "forward" and "custom_vjp_call" in record.ruled:
        mode = "reverse"
    return program.function(target, mode, Conversion()), mode


def _target(request: Request) -> Target:
    return "native" if request.backend == "native" else "jax"


def _form(request: Request) -> derive.Form:
    return derive.COMPILED if request.backend == "native" else derive.ARRAYS


def _runner(function: Function, request: Request) -> Callable[..., Sequence[Any]]:
    """A program as a function of JAX arrays."""
    return native_call(function) if request.backend == "native" else from_ir(function)


def traced_whole(fun: Callable[..., Any], tree: Any, leaves: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
    """A JAX function as machine code, for arguments of these types."""
    out: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        found, structure = jax.tree.flatten(fun(*jax.tree.unflatten(tree, leaves)))
        out[:] = [structure]
        return found

    avals = [jax.ShapeDtypeStruct(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]
    program = trace(flat, avals, range(len(avals)), "native")
    body = native_call(program.function("native", None, Conversion()))

    def run(leaves: Sequence[Any]) -> Any:
        known = program.known(*leaves)
        made = body(*leaves, *known[: program.taken])
        return jax.tree.unflatten(out[0], program.results(made, known))

    return run


def _places(program: Program, count: int) -> list[int | None]:
    """Where each of the first outputs is found among those that vary; None for one that does not."""
    return [k if kind == "varied" else None for kind, k in program.outputs[:count]]


def _split(signature: Signature, program: Program, leaves: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """The arguments of the varying part, and everything that does not vary."""
    known = program.known(*leaves)
    moving = [jnp.asarray(leaves[k], signature.avals[k].dtype) for k in signature.active]
    return [*moving, *known[: program.taken]], known


def _gradient(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
    if shape.count != 1 or shape.leaves[0].shape or not jnp.issubdtype(shape.leaves[0].dtype, jnp.floating):
        found = [f"{leaf.dtype}{list(leaf.shape)}" for leaf in shape.leaves[: shape.count]]
        raise DerivativeError(
            f"grad needs a function that returns one float, not {', '.join(found) or 'nothing'}",
            why="a gradient belongs to a single number",
            fix="reduce the result to one number, or use jacobian",
        )
    inputs = signature.inputs
    (place,) = _places(program, 1)
    body = _runner(_gradient_function(request, program, len(inputs), place), request)

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


def _gradient_function(request: Request, program: Program, count: int, place: int | None) -> Function:
    """The results, then their derivative at a place, which may not vary."""
    function, form = _converted(program, request, "reverse")[0], _form(request)
    if place is None or not count:
        return form.tidied(function)
    if request.backend != "native" and derive.has_while(function):
        # How often such a loop runs is not known, so what a return sweep keeps has no size. Columns keep nothing.
        function = _converted(program, request, "forward")[0]
        rest = range(len(function.body.results))
        return derive.jacobian_of(function, count, [place], rest, how("forward", None), form)
    return derive.gradient_of(function, count, place, form)


def _jacobian(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
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
    made_of = derive.jacobian_of(function, len(inputs), rows, rest, how(method, request.budget), _form(request))
    body = _runner(made_of, request)

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


def _push(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
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


def _pull(request: Request, signature: Signature, shape: Shape, program: Program) -> Callable[..., Any]:
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


def _no_tangent(leaf: Any) -> Any:
    return np.zeros(leaf.shape, jax.dtypes.float0)


def _smooth(leaves: Sequence[Any]) -> list[Any]:
    return [leaf for leaf in leaves if jnp.issubdtype(jnp.result_type(leaf), jnp.floating)]
