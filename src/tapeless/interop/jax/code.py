"""Programs with literal sizes that XLA can call, and the programs made of them: mapped over a batch, pushed, pulled.

A `Code` is compiled when XLA first asks for it. XLA knows its handler by a name that says what it computes, so that all
processes of a distributed computation, and executables that JAX keeps on disk, mean the same by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite

from ...ad.functions import jvp_function, vjp_function
from ...ad.prepare import prepare
from ...ad.values import zeros
from ...backend import cpu
from ...backend.jaxlib.library import jax
from ...backend.jaxlib.values import jax_dtype
from ...backend.target import Options, host
from ...ir.build import Builder
from ...ir.core import Block, Function, Lambda
from ...ir.text import print_function
from ...ir.types import Atom, Lit, Type, Var, i64
from ...ir.walk import canonical, free_vars, fresh, inline, substitute
from ...passes import simplify
from ...passes.notes import Notes
from ...passes.pipeline import PIPELINE, optimise
from ...runtime import cache
from ...runtime.collection import no_collection
from .handler import link, with_rooms


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A program with literal sizes; it is linear in its last `linear` parameters.

    One that is portable may as well be compiled by XLA, where there is no processor of ours. A program of short loops
    has another form for batches, which `lanes` makes; a single run of it is compiled as it is, without vectors.
    """

    function: Function
    linear: int = 0
    portable: bool = False
    lanes: Callable[[], Function] | None = None
    made: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` answers, made at the first request."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    @property
    def target(self) -> str:
        """The name under which XLA knows the handler."""
        return self.once("target", lambda: _registered(self.function, plain=self.lanes is not None))

    @property
    def results(self) -> list[Any]:
        return [jax.ShapeDtypeStruct(_shape(type), jax_dtype(type.dtype)) for type in self.function.result_types]

    def pushed(self) -> Code:
        """From the arguments and tangents of the floats among them to tangents of the float results."""
        return self.once("pushed", lambda: _pushed(self))

    def back(self) -> Code:
        """From the arguments but the linear ones, and cotangents of the results, to adjoints of the linear ones."""
        return self.once("back", lambda: _pulled(self))

    def batched(self, size: int, mapped: tuple[bool, ...]) -> Code:
        """The program for each of `size` values of the parameters that are mapped."""
        return self.once((size, mapped), lambda: _batched(self, size, mapped))


# -- programs ---------------------------------------------------------------------------------------


def _shape(type: Type) -> tuple[int, ...]:
    return tuple(int(size.value) for size in type.shape if isinstance(size, Lit))


def _registered(function: Function, *, plain: bool) -> str:
    """Compile a function and make it known to XLA."""
    with no_collection():
        roomy = with_rooms(function)
        made = canonical(_as_it_is(roomy) if plain else optimise(roomy))
        text = print_function(made)
        name = f"tapeless_{cache.lasting_key(text, str(plain)).hex()[:32]}"
        if name not in _kept:
            # XLA may call it as long as the process lives.
            _kept[name] = _linked(name, made, text, _PLAIN if plain else None)
        return name


def _as_it_is(function: Function) -> Function:
    """The function after all passes but those that write loops out, and fuse again what that lays open."""
    fused = False
    for step in PIPELINE:
        if step.name in ("unroll", "scalarise") or (fused and step.name == "fuse"):
            continue
        function = step.run(function, Notes())
        fused = fused or step.name == "fuse"
    return function


_PLAIN = Options(lanes="never")
_kept: dict[str, Any] = {}


def _linked(name: str, made: Function, text: str, options: Options | None) -> Any:
    machine = host()
    key = cache.key("jax", text, str(options), machine.triple, machine.cpu, machine.features, llvmlite.__version__)
    stored = cache.get(key)
    artefact = cpu.compile(made, options=options) if stored is None else cpu.Artefact(stored.payload, stored.meta)
    if stored is None:
        cache.put(key, artefact.code, artefact.meta)
    kernel = cpu.load(artefact)
    address, tracker = link(made, kernel)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
    return kernel, tracker


def floats_of(function: Function) -> list[int]:
    return [k for k, param in enumerate(function.params) if param.type.dtype.is_float]


def _pushed(code: Code) -> Code:
    function = code.function
    active, ready, values = floats_of(function), prepare(function, Notes()), len(function.body.results)
    push = jvp_function(ready, active)
    made = Code(Function(push.name, push.params, _last(push, values)), len(active), code.portable)
    # The adjoint of the derivative is the reverse mode of the function itself.
    pull = vjp_function(ready, active)
    back = _with_sizes(Function(pull.name, pull.params, _last(pull, values)), function)
    made.once("back", lambda: Code(back, portable=code.portable))
    return made


def _pulled(code: Code) -> Code:
    """The adjoint of the linear part of a function, wherever it is taken: at zero."""
    function, linear = code.function, code.linear
    count = len(function.params) - linear
    pull = vjp_function(prepare(function, Notes()), range(count, len(function.params)))
    made = _with_sizes(Function(pull.name, pull.params, _last(pull, len(function.body.results))), function)
    b = Builder()
    points: dict[Var, Atom] = {param: zeros(b, param.type) for param in made.params[count : count + linear]}
    results = b.splice(substitute(made.body, points))
    back = Function(made.name, (*made.params[:count], *made.params[count + linear :]), b.block(results))
    return Code(back, portable=code.portable)


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
    function = simplify.run(code.function if code.lanes is None else code.lanes(), Notes())
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
    batched = Function(f"{function.name}_batched", params, b.block(made[k] for k in range(len(results))))
    return Code(batched, code.linear, code.portable)


def _depends(block: Block, varies: set[Var]) -> set[Atom]:
    """The variables of a block that depend on some of its free variables."""
    found: set[Atom] = {*varies}
    for stm in block.stms:
        if not found.isdisjoint(free_vars(stm.expr)):
            found.update(stm.vars)
    return found
