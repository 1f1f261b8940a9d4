"""Calls, branches and loops: the jaxprs inside an equation.

A call is inlined. A function with a derivative of its own keeps it (`ruled`), except where its own code has the same
derivative: then more can be seen through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DerivativeError
from ...ir.build import Atoms, Builder
from ...ir.core import Lambda
from ...ir.types import BOOL, Atom, Var, boolean, i64
from ...ir.walk import inline
from ..numpy.atoms import convert, literal
from ..numpy.nest import array_of, pull_atom
from .convert import Walk, rule
from .elementwise import elementwise
from .foreign import ruled
from .reductions import reduced
from .types import type_of

# Functions of `jax.numpy` whose own code, differentiated, is right everywhere.
_SEEN_THROUGH = frozenset({"logaddexp", "logaddexp2"})


@rule("jit", "pjit", "closed_call", "core_closed_call", "call", "core_call", "remat2", "checkpoint", "remat",
      "composite", "custom_vmap_call")  # fmt: skip
def _call(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr", equation.params.get("call")))
    return walk.closed(inner, args) if hasattr(inner, "consts") else walk.run(inner, (), args)


@rule("tapeless_native_call")
def _native_call(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """A program of ours that was to be machine code (`interop.jax.native`)."""
    function = equation.params["code"].function
    return walk.b.splice(inline(Lambda(function.params, function.body), args))


@rule("tapeless_choice")
def _choice(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """Functions of which the fastest was to be run (`interop.jax.timed`): the first stands for all of them."""
    from .flat import tidied
    from .library import jax

    avals = [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in equation.invars]
    return walk.closed(tidied(jax.make_jaxpr(equation.params["choice"].alternatives[0])(*avals)), args)


@rule("custom_jvp_call")
def _custom_jvp_call(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    inner = equation.params["call_jaxpr"]
    name = str(getattr(inner.jaxpr.debug_info, "func_name", ""))
    if name == "relu" and len(args) == 1:
        return (elementwise(walk.b, args[0].type.shape, args, _relu),)
    if name in _SEEN_THROUGH:
        return walk.closed(inner, args)
    return ruled(walk, equation, args, lambda b, given: walk.at(b).closed(inner, given))


def _relu(b: Builder, xs: Atoms) -> Atom:
    (x,) = xs
    zero = literal(0, x.type.dtype)
    # The derivative at 0 is 0. NaN stays.
    return b.apply("select", b.apply("le", x, zero), zero, x)


@rule("custom_vjp_call", "custom_vjp_call_jaxpr")
def _custom_vjp_call(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    inner = equation.params.get("call_jaxpr", equation.params.get("fun_jaxpr"))
    return ruled(walk, equation, args, lambda b, given: walk.at(b).closed(inner, given))


@rule("custom_lin")
def _custom_lin(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    raise DerivativeError(
        "a function with jax.custom_vjp cannot be differentiated in forward mode",
        why="its rule says how adjoints are pulled back, not how tangents are pushed forward",
        fix='use method="reverse", or give the rule with jax.custom_jvp',
    )


@rule("custom_linear_solve")
def _custom_linear_solve(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    lengths, solve = equation.params["const_lengths"], equation.params["jaxprs"].solve
    first, last = lengths.matvec + lengths.vecmat, sum(lengths)

    def value(b: Builder, given: Atoms) -> Sequence[Atom]:
        return walk.at(b).closed(solve, (*given[first : first + lengths.solve], *given[last:]))

    return ruled(walk, equation, args, value)


@rule("cond")
def _cond(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    which, *operands = args
    branches = equation.params["branches"]
    if which.type.dtype is BOOL:
        which = convert(walk.b, which, type_of(equation.invars[0].aval).dtype)

    def choose(walk: Walk, first: int) -> Sequence[Atom]:
        if first == len(branches) - 1:
            return walk.closed(branches[first], operands)
        taken = _is_at_most(walk.b, which, first)
        return walk.b.if_(
            taken,
            lambda b: walk.at(b).closed(branches[first], operands),
            lambda b: choose(walk.at(b), first + 1),
        )

    return choose(walk, 0)


@rule("platform_index")
def _platform_index(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """Which of the alternatives is meant for the machine at hand; one without a name is for all others."""
    from jax import default_backend

    own = "cpu" if walk.options.target == "native" else default_backend()
    fitting = [k for k, names in enumerate(equation.params["platforms"]) if names is None or own in names]
    return (literal(fitting[0], type_of(equation.outvars[0].aval).dtype),)


def _is_at_most(b: Builder, which: Atom, k: int) -> Atom:
    if which.type.dtype is BOOL:
        return b.apply("not", which) if k == 0 else boolean(True)
    return b.apply("le", which, literal(k, which.type.dtype))


@rule("while")
def _while(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """A loop; under `vmap` the condition may be one for each lane, and lanes that have left keep their values."""
    p = equation.params
    first, second = int(p["cond_nconsts"]), int(p["body_nconsts"])
    cond_args, body_args, init = args[:first], args[first : first + second], args[first + second :]
    lanes = len(p["cond_jaxpr"].out_avals[0].shape)

    def going(b: Builder, state: Sequence[Var]) -> Atom:
        return walk.at(b).closed(p["cond_jaxpr"], (*cond_args, *state))[0]

    def cond(b: Builder, *state: Var) -> Sequence[Atom]:
        return (reduced(b, going(b, state), range(lanes), "or"),)

    def body(b: Builder, *state: Var) -> Sequence[Atom]:
        made = walk.at(b).closed(p["body_jaxpr"], (*body_args, *state))
        if not lanes:
            return made
        holds = going(b, state)
        return [_where(b, holds, new, old) for new, old in zip(made, state, strict=True)]

    return walk.b.while_(init, cond, body)


def _where(b: Builder, holds: Atom, new: Atom, old: Atom) -> Atom:
    """An array whose leading dimensions are those of a condition, chosen by it."""
    lanes, pulls = holds.type.rank, [pull_atom(x) for x in (new, old)]

    def element(b: Builder, index: Atoms) -> Atom:
        return b.apply("select", b.apply("index", holds, *index[:lanes]), *(pull.at(b, index) for pull in pulls))

    return array_of(b, new.type.shape, element)


@rule("scan")
def _scan(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    p, b = equation.params, walk.b
    fixed, carried = int(p["num_consts"]), int(p["num_carry"])
    consts, init, xs = args[:fixed], args[fixed : fixed + carried], args[fixed + carried :]
    length = int(p["length"])
    outs = [type_of(var.aval) for var in equation.outvars[carried:]]
    empty = [b.apply("replicate", literal(0, out.dtype), *out.shape) for out in outs]

    def step(b: Builder, k: Var, *state: Var) -> Sequence[Atom]:
        place = b.apply("sub", i64(length - 1), k) if p["reverse"] else k
        items = [b.apply("index", x, place) for x in xs]
        results = walk.at(b).closed(p["jaxpr"], (*consts, *state[:carried], *items))
        filled = [
            b.apply("update", y, value, place) for y, value in zip(state[carried:], results[carried:], strict=True)
        ]
        return (*results[:carried], *filled)

    return b.for_(i64(length), (*init, *empty), step)
