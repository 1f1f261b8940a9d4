"""Compiled kernels as a primitive of JAX: `native_call`.

A `Code` is a program of ours with literal sizes. The primitive runs its machine code through an FFI handler; under
`vmap` the program is mapped over the batch and compiled again, so that the batch runs in the lanes of vectors; `jvp`
and `grad` go through our own derivatives of the program.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...ad.functions import jvp_function, vjp_function
from ...ad.prepare import prepare
from ...ad.values import zeros
from ...backend import cpu
from ...backend.jaxlib.library import jax, jnp
from ...backend.jaxlib.values import jax_dtype
from ...backend.target import host
from ...front.jaxpr.library import jax_core
from ...ir.build import Builder
from ...ir.core import Block, Function, Lambda
from ...ir.text import print_function
from ...ir.types import Atom, Lit, Type, Var, i64
from ...ir.walk import canonical, free_vars, fresh, inline, substitute
from ...passes import simplify
from ...passes.notes import Notes
from ...passes.pipeline import optimise
from ...runtime import cache
from .handler import link, with_rooms

_ad: Any = import_module("jax.interpreters.ad")
_batching: Any = import_module("jax.interpreters.batching")
_mlir: Any = import_module("jax.interpreters.mlir")

_numbers = itertools.count()


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A program with literal sizes; it is linear in its last `linear` parameters."""

    function: Function
    linear: int = 0
    made: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` answers, made at the first request."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    @property
    def target(self) -> str:
        """The name under which XLA knows the handler."""
        return self.once("target", lambda: _registered(self.function))

    @property
    def results(self) -> list[Any]:
        return [jax.ShapeDtypeStruct(_shape(type), jax_dtype(type.dtype)) for type in self.function.result_types]

    def pushed(self) -> Code:
        """From the arguments and tangents of the floats among them to tangents of the float results."""
        return self.once("pushed", lambda: _pushed(self.function))

    def back(self) -> Code:
        """From the arguments but the linear ones, and cotangents of the results, to adjoints of the linear ones."""
        return self.once("back", lambda: _pulled(self.function, self.linear))

    def batched(self, size: int, mapped: tuple[bool, ...]) -> Code:
        """The program for each of `size` values of the parameters that are mapped."""
        return self.once((size, mapped), lambda: _batched(self, size, mapped))


def native_call(function: Function) -> Callable[..., tuple[Any, ...]]:
    """A program as a function of JAX arrays that runs its machine code."""
    code = Code(function)

    def call(*args: Any) -> tuple[Any, ...]:
        arrays = [jnp.asarray(x, jax_dtype(p.type.dtype)) for x, p in zip(args, function.params, strict=True)]
        return tuple(primitive.bind(*arrays, code=code))

    return call


def compiled(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A JAX function compiled by Tapeless: the same results, differentiable, under `jit` and `vmap`."""
    from .made import traced_whole

    known: dict[Any, Callable[..., Any]] = {}

    @functools.wraps(fun)
    def call(*args: Any) -> Any:
        leaves, tree = jax.tree.flatten(args)
        avals = tuple((jnp.shape(leaf), str(jnp.result_type(leaf))) for leaf in leaves)
        if (tree, avals) not in known:
            known[tree, avals] = traced_whole(fun, tree, leaves)
        return known[tree, avals](leaves)

    return call


# -- programs ---------------------------------------------------------------------------------------


def _shape(type: Type) -> tuple[int, ...]:
    return tuple(int(size.value) for size in type.shape if isinstance(size, Lit))


def _registered(function: Function) -> str:
    """Compile a function and make it known to XLA."""
    import llvmlite

    made = canonical(optimise(with_rooms(function)))
    machine = host()
    text = print_function(made)
    key = cache.key("jax", text, machine.triple, machine.cpu, machine.features, llvmlite.__version__)
    stored = cache.get(key)
    artefact = cpu.compile(made) if stored is None else cpu.Artefact(stored.payload, stored.meta)
    if stored is None:
        cache.put(key, artefact.code, artefact.meta)
    kernel = cpu.load(artefact)
    address, tracker = link(made, kernel)
    name = f"tapeless_{next(_numbers)}"
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
    # XLA may call it as long as the process lives.
    _kept.append((kernel, tracker))
    return name


_kept: list[Any] = []


def _floats(function: Function) -> list[int]:
    return [k for k, param in enumerate(function.params) if param.type.dtype.is_float]


def _pushed(function: Function) -> Code:
    active, ready, values = _floats(function), prepare(function, Notes()), len(function.body.results)
    push = jvp_function(ready, active)
    code = Code(Function(push.name, push.params, _last(push, values)), len(active))
    # The adjoint of the derivative is the reverse mode of the function itself.
    pull = vjp_function(ready, active)
    code.once("back", lambda: Code(_with_sizes(Function(pull.name, pull.params, _last(pull, values)), function)))
    return code


def _pulled(function: Function, linear: int) -> Code:
    """The adjoint of the linear part of a function, wherever it is taken: at zero."""
    count = len(function.params) - linear
    pull = vjp_function(prepare(function, Notes()), range(count, len(function.params)))
    made = _with_sizes(Function(pull.name, pull.params, _last(pull, len(function.body.results))), function)
    b = Builder()
    points: dict[Var, Atom] = {param: zeros(b, param.type) for param in made.params[count : count + linear]}
    results = b.splice(substitute(made.body, points))
    return Code(Function(made.name, (*made.params[:count], *made.params[count + linear :]), b.block(results)))


def _last(function: Function, skipped: int) -> Block:
    return Block(function.body.stms, function.body.results[skipped:])


def _with_sizes(pull: Function, function: Function) -> Function:
    """The reverse mode of a function with literal sizes for its cotangents, which are those of the results."""
    own = pull.params[: len(function.params)]
    seeds = tuple(fresh("y_adj", type) for type in function.result_types if type.dtype.is_float)
    renamed: dict[Var, Atom] = {}
    for old, new in zip(pull.params[len(own) :], seeds, strict=True):
        renamed[old] = new
        renamed.update({n: m for n, m in zip(old.type.shape, new.type.shape, strict=True) if isinstance(n, Var)})
    return Function(pull.name, (*own, *seeds), substitute(pull.body, renamed))


def _batched(code: Code, size: int, mapped: tuple[bool, ...]) -> Code:
    """Results that are the same for all of the batch are computed once; the others are results of a map."""
    function = simplify.run(code.function, Notes())
    params = tuple(
        fresh("x", param.type.stacked(i64(size)) if each else param.type)
        for param, each in zip(function.params, mapped, strict=True)
    )
    varies = _depends(function.body, {param for param, each in zip(function.params, mapped, strict=True) if each})
    results = function.body.results
    moving = [k for k, result in enumerate(results) if result in varies]
    b = Builder()

    def lane(b: Builder, i: Var) -> Sequence[Atom]:
        args = [b.apply("index", x, i) if each else x for x, each in zip(params, mapped, strict=True)]
        block = Block(function.body.stms, tuple(results[k] for k in moving))
        return b.splice(inline(Lambda(function.params, block), tuple(args)))

    made: dict[int, Atom] = dict(zip(moving, b.map_(i64(size), lane) if moving else (), strict=True))
    rest = [k for k in range(len(results)) if k not in made]
    # What is left does not depend on these parameters; anything of their type will do.
    args = [zeros(b, p.type) if each else x for p, x, each in zip(function.params, params, mapped, strict=True)]
    still = Block(function.body.stms, tuple(results[k] for k in rest))
    for k, value in zip(rest, b.splice(inline(Lambda(function.params, still), tuple(args))), strict=True):
        made[k] = b.apply("replicate", value, i64(size))
    return Code(
        Function(f"{function.name}_batched", params, b.block(made[k] for k in range(len(results)))), code.linear
    )


def _depends(block: Block, varies: set[Var]) -> set[Atom]:
    """The variables of a block that depend on some of its free variables."""
    found: set[Atom] = {*varies}
    for stm in block.stms:
        if not found.isdisjoint(free_vars(stm.expr)):
            found.update(stm.vars)
    return found


# -- the primitive ----------------------------------------------------------------------------------

primitive: Any = jax_core.Primitive("tapeless_native_call")
primitive.multiple_results = True


@functools.lru_cache(maxsize=1024)
def _jitted(code: Code) -> Callable[..., Any]:
    return jax.jit(functools.partial(primitive.bind, code=code))


def _run(*args: Any, code: Code) -> Any:
    return _jitted(code)(*args)


def _abstract(*_: Any, code: Code) -> Any:
    return [jax.core.ShapedArray(result.shape, result.dtype) for result in code.results]


def _lowered(context: Any, *args: Any, code: Code) -> Any:
    return jax.ffi.ffi_lowering(code.target)(context, *args)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, code: Code) -> Any:
    values = primitive.bind(*primals, code=code)
    floats = _floats(code.function)
    smooth = [k for k, type in enumerate(code.function.result_types) if type.dtype.is_float]
    if all(isinstance(tangents[k], _ad.Zero) for k in floats):
        return values, [_ad.Zero.from_primal_value(value) for value in values]
    dots = [_ad.instantiate_zeros(tangents[k]) for k in floats]
    made = iter(primitive.bind(*primals, *dots, code=code.pushed()))
    return values, [next(made) if k in smooth else _ad.Zero.from_primal_value(x) for k, x in enumerate(values)]


def _transposed(cotangents: Sequence[Any], *args: Any, code: Code) -> Any:
    count = len(args) - code.linear
    if any(_ad.is_undefined_primal(arg) for arg in args[:count]):
        raise NotImplementedError("compiled code is linear in its tangents only")
    seeds = [_ad.instantiate_zeros(x) for x in cotangents]
    adjoints = primitive.bind(*args[:count], *seeds, code=code.back())
    return [None] * count + [
        x if _ad.is_undefined_primal(arg) else None for arg, x in zip(args[count:], adjoints, strict=True)
    ]


def _batch(args: Sequence[Any], dims: Sequence[Any], *, code: Code) -> Any:
    mapped = tuple(dim is not None for dim in dims)
    (size,) = {x.shape[dim] for x, dim in zip(args, dims, strict=True) if dim is not None}
    moved = [x if dim is None else jnp.moveaxis(x, dim, 0) for x, dim in zip(args, dims, strict=True)]
    made = primitive.bind(*moved, code=code.batched(size, mapped))
    return made, [0] * len(made)


primitive.def_impl(_run)
primitive.def_abstract_eval(_abstract)
_mlir.register_lowering(primitive, _lowered, platform="cpu")
_ad.primitive_jvps[primitive] = _jvp
_ad.primitive_transposes[primitive] = _transposed
_batching.primitive_batchers[primitive] = _batch
