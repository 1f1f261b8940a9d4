"""A choice between derivatives by measuring them, made where the shapes are known: when XLA compiles the program.

`choice` is a primitive of JAX over alternatives that compute the same. Under `vmap` the alternatives are mapped, so
that what is measured in the end are the arrays that will really be computed with. Under `jvp` the first alternative
stands for all of them. What was the fastest is kept on disk, under the programs and the machine.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...backend.jaxlib.library import jax, jnp
from ...backend.target import host
from ...config import config
from ...front.jaxpr.library import jax_core
from ...runtime import cache

_ad: Any = import_module("jax.interpreters.ad")
_batching: Any = import_module("jax.interpreters.batching")
_mlir: Any = import_module("jax.interpreters.mlir")

_ROUNDS = 7
_KIND = "fastest derivative in JAX"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Functions from flat arguments to flat results that compute the same."""

    alternatives: tuple[Callable[..., Sequence[Any]], ...]
    made: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def mapped(self, dims: tuple[int | None, ...]) -> Choice:
        """The choice for a batch."""
        if dims not in self.made:
            alternatives = tuple(jax.vmap(each, in_axes=dims) for each in self.alternatives)
            self.made[dims] = Choice(alternatives)
        return self.made[dims]

    def best(self, avals: Sequence[Any]) -> Callable[..., Sequence[Any]]:
        """The fastest alternative on arguments of these shapes."""
        key = tuple((aval.shape, str(aval.dtype)) for aval in avals)
        if key not in self.made:
            self.made[key] = self.alternatives[fastest(self.alternatives, [_example(aval) for aval in avals])]
        return self.made[key]


def measured(alternatives: Sequence[Callable[..., Sequence[Any]]]) -> Callable[..., Sequence[Any]]:
    """The function that is the fastest of the alternatives wherever it is compiled."""
    choice = Choice(tuple(alternatives))
    return lambda *args: primitive.bind(*(jnp.asarray(x) for x in args), choice=choice)


def fastest(alternatives: Sequence[Callable[..., Any]], args: Sequence[Any]) -> int:
    """Which of the alternatives takes the least time."""
    with jax.core.eval_context():
        programs = [jax.jit(each).lower(*args) for each in alternatives]
        key = cache.lasting_key(_KIND, *_machine(), *(program.as_text() for program in programs))
        stored = cache.get(key)
        match None if stored is None else stored.meta.get("fastest"):
            case int(known) if 0 <= known < len(programs):
                return known
            case _:
                times = _times([program.compile() for program in programs], args)
    found = times.index(min(times))
    cache.put(key, b"", {"kind": _KIND, "fastest": found, "seconds": times})
    return found


def _times(programs: Sequence[Callable[..., Any]], args: Sequence[Any]) -> list[float]:
    """The best time of each; they are run in turn."""
    for each in programs:
        jax.block_until_ready(each(*args))
    best = [float("inf")] * len(programs)
    for _ in range(_ROUNDS):
        for k, each in enumerate(programs):
            start = time.perf_counter()
            jax.block_until_ready(each(*args))
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def _machine() -> tuple[str, ...]:
    """What the time depends on besides the programs."""
    device = jax.devices()[0]
    return jax.__version__, device.platform, device.device_kind, host().cpu, str(config.threads)


def _example(aval: Any) -> Any:
    with jax.core.eval_context():
        if jnp.issubdtype(aval.dtype, jnp.floating):
            return jnp.linspace(0.3, 0.9, max(1, aval.size)).astype(aval.dtype)[: aval.size].reshape(aval.shape)
        return jnp.zeros(aval.shape, aval.dtype)


# -- the primitive ----------------------------------------------------------------------------------

primitive: Any = jax_core.Primitive("tapeless_choice")
primitive.multiple_results = True


def _abstract(*avals: Any, choice: Choice) -> Any:
    given = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    return [jax.core.ShapedArray(x.shape, x.dtype) for x in jax.eval_shape(choice.alternatives[0], *given)]


@functools.lru_cache(maxsize=512)
def _jitted(choice: Choice) -> Callable[..., Any]:
    return jax.jit(functools.partial(primitive.bind, choice=choice))


def _run(*args: Any, choice: Choice) -> Any:
    return _jitted(choice)(*args)


def _lowered(context: Any, *args: Any, choice: Choice) -> Any:
    return _mlir.lower_fun(choice.best(context.avals_in), multiple_results=True)(context, *args)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, choice: Choice) -> Any:
    moving = [k for k, x_dot in enumerate(tangents) if not isinstance(x_dot, _ad.Zero)]

    def varied(*values: Any) -> Any:
        full = list(primals)
        for k, value in zip(moving, values, strict=True):
            full[k] = value
        return tuple(choice.alternatives[0](*full))

    values, dots = jax.jvp(varied, tuple(primals[k] for k in moving), tuple(tangents[k] for k in moving))
    return list(values), list(dots)


def _batch(args: Sequence[Any], dims: Sequence[Any], *, choice: Choice) -> Any:
    made = primitive.bind(*args, choice=choice.mapped(tuple(dims)))
    return made, [0] * len(made)


primitive.def_impl(_run)
primitive.def_abstract_eval(_abstract)
_mlir.register_lowering(primitive, _lowered)
_ad.primitive_jvps[primitive] = _jvp
_batching.primitive_batchers[primitive] = _batch
