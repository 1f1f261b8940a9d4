"""The programs under `tp.grad`: as it is, and in variants with parts of coarsening switched off.

`uncoarsened` is the whole of it off: loops stay, and derivatives are made one statement after another, as in the
paper's baseline. `statements` leaves closed forms and shorter derivatives: against it the choice of segments alone is
measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from bench.coarsen import programs
from bench.grad.harness import Calls, as_arrays

import tapeless as tp

# By what each program is differentiated.
BY: dict[str, int | tuple[int, ...]] = {
    "bgd": 0, "brachistochrone": 0, "spring": 0, "hmc": 0, "cart_environment": (0, 1), "cart_policy": (0, 1, 2),
    "ragdoll": 0,
}  # fmt: skip

VARIANTS: dict[str, dict[str, object]] = {"uncoarsened": {"coarsen": False}, "statements": {"segments": "plain"}}
tp.config.set(**VARIANTS.get(os.environ.get("TAPELESS_BENCH_VARIANT", ""), {}))


def _family(name: str) -> Callable[..., Calls]:
    program, by = getattr(programs, name), BY[name]

    def calls(*arguments) -> Calls:
        derivative, primal = tp.grad(program, by), tp.jit(program)
        return Calls(
            lambda: derivative(*arguments),
            lambda: primal(*arguments),
            lambda gradient: as_arrays(
                [primal(*arguments), *(gradient if isinstance(gradient, tuple) else [gradient])]
            ),
        )

    return calls


bgd, brachistochrone, spring, hmc, cart_environment, cart_policy, ragdoll = map(_family, BY)
