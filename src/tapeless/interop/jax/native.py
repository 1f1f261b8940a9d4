"""Compiled kernels as a primitive of JAX: `native_call`.

The primitive runs the machine code of a program through an FFI handler. Under `vmap` the program is mapped over the
batch and compiled again, so that the batch runs in the lanes of vectors; `jvp` and `grad` go through our own
derivatives of the program. Portable programs are compiled by XLA where it does not compile for the processor here,
where it splits a program over devices, and where the program is exported.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ...backend.jaxlib import from_ir
from ...backend.jaxlib.library import jax, jnp
from ...backend.jaxlib.values import jax_dtype
from ...front.jaxpr.library import jax_core
from ...ir.core import Function
from .code import Code, floats_of

_ad: Any = import_module("jax.interpreters.ad")
_batching: Any = import_module("jax.interpreters.batching")
_mlir: Any = import_module("jax.interpreters.mlir")


def native_call(
    function: Function, *, portable: bool = False, lanes: Callable[[], Function] | None = None
) -> Callable[..., tuple[Any, ...]]:
    """A program as a function of JAX arrays that runs its machine code; a portable one, where there is any.

    `lanes` makes the same program in the form that is fastest for a batch.
    """
    code = Code(function, portable=portable, lanes=lanes)

    def call(*args: Any) -> tuple[Any, ...]:
        arrays = [jnp.asarray(x, jax_dtype(p.type.dtype)) for x, p in zip(args, function.params, strict=True)]
        if portable and any(map(_is_placed, arrays)):
            return from_ir(function)(*arrays)
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


def _is_placed(x: Any) -> bool:
    """Does JAX keep track of where the parts of this value are? It does not know that of our results."""
    aval = jax.typeof(x)
    varying = getattr(getattr(aval, "mat", None), "varying", getattr(aval, "vma", ()))
    return bool(varying) or any(axis is not None for axis in aval.sharding.spec)


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
    if code.portable and _is_elsewhere(context.module_context):
        return _lowered_by_xla(context, *args, code=code)
    return jax.ffi.ffi_lowering(code.target)(context, *args)


def _lowered_by_xla(context: Any, *args: Any, code: Code) -> Any:
    if not code.portable:
        raise NotImplementedError('backend="native" is machine code for CPUs; leave it out for other devices')
    return _mlir.lower_fun(from_ir(code.function), multiple_results=True)(context, *args)


def _is_elsewhere(module: Any) -> bool:
    """Will XLA split this program over devices, or will it be loaded by another process?"""
    if getattr(module.lowering_parameters, "for_export", False):
        return True
    axes = module.axis_context
    if hasattr(axes, "manual_axes"):
        return axes.mesh.size > 1 and set(axes.manual_axes) != set(axes.mesh.axis_names)
    return getattr(axes, "num_devices", 1) > 1


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, code: Code) -> Any:
    values = primitive.bind(*primals, code=code)
    floats = floats_of(code.function)
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
    if code.portable and any(map(_is_placed, args)):
        made = jax.vmap(from_ir(code.function), in_axes=tuple(dims))(*args)
        return made, [0] * len(made)
    mapped = tuple(dim is not None for dim in dims)
    (size,) = {x.shape[dim] for x, dim in zip(args, dims, strict=True) if dim is not None}
    moved = [x if dim is None else jnp.moveaxis(x, dim, 0) for x, dim in zip(args, dims, strict=True)]
    made = primitive.bind(*moved, code=code.batched(size, mapped))
    return made, [0] * len(made)


primitive.def_impl(_run)
primitive.def_abstract_eval(_abstract)
_mlir.register_lowering(primitive, _lowered_by_xla)
_mlir.register_lowering(primitive, _lowered, platform="cpu")
_ad.primitive_jvps[primitive] = _jvp
_ad.primitive_transposes[primitive] = _transposed
_batching.primitive_batchers[primitive] = _batch
