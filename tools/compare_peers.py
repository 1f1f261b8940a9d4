"""Gradients of random programs beside those of JAX and PyTorch.

    make compare-peers N=1000            with the interpreter of bench/.venv, which has both
    python tools/compare_peers.py -n 1000 --seed 0 [--peers jax,torch]

Each program runs eagerly on the numbers of each library (`peer_numbers`), which then differentiates it; our gradient is
the reverse derivative program. Where they differ, the exact directional derivative decides who is right, and the points
at which mathematics leaves a choice say why: `docs/conventions.md` explains each kind. Exit status 1 when a difference
has no explanation, or when we are wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from peer_numbers import Jax, Num, Outside, Peer, Torch, runner

from tapeless.ad.functions import vjp_function
from tapeless.ad.prepare import prepare
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.passes.notes import Notes
from tapeless.testing.compare import outcome, tolerance
from tapeless.testing.dice import Dice
from tapeless.testing.generate import random_program
from tapeless.testing.jitter import jitter
from tapeless.testing.limit import time_limit
from tapeless.testing.oracle import Oracle, flat
from tapeless.testing.profile import SMOOTH

PEERS: dict[str, type[Peer]] = {"jax": Jax, "torch": Torch}
SECONDS = 20.0  # for one program in one library


@dataclass(frozen=True, slots=True)
class Problem:
    """A program, arguments, a weight for each number among its float results, and our gradient."""

    function: Function
    args: list[Any]
    weights: list[float]
    primal: list[float]
    gradient: list[float]

    @property
    def tolerance(self) -> float:
        return 100 * tolerance(self.function)


def problem(seed: int) -> Problem | None:
    """The program of a seed; None when it has no derivative."""
    program, args = random_program(seed, profile=SMOOTH)
    function = Function(program.name, program.params, program.body)
    found = outcome(lambda: evaluate(function, args))
    if found.fault or not any(param.type.dtype.is_float for param in function.params):
        return None
    smooth = [x for x, type in zip(found.results, function.result_types, strict=True) if type.dtype.is_float]
    dice = Dice(seed)
    seeds = [np.array([_weight(dice) for _ in flat(x)], np.asarray(x).dtype).reshape(np.shape(x))[()] for x in smooth]
    weights = [float(w) for group in seeds for w in flat(group)]
    return Problem(function, list(args), weights, _numbers(smooth), _gradient(function, args, seeds))


def _weight(dice: Dice) -> float:
    return dice.between(1, 64) / 64 * dice.pick((-1, 1))


def _gradient(function: Function, args: Sequence[Any], seeds: Sequence[Any]) -> list[float]:
    source = prepare(function, Notes())
    active = [k for k, param in enumerate(source.params) if param.type.dtype.is_float]
    results = evaluate(vjp_function(source, active), [*args, *seeds])
    return _numbers(results[len(function.body.results) :])


def _numbers(values: Sequence[Any]) -> list[float]:
    return [float(x) for value in values for x in flat(value)]


# -- the verdict on one program ---------------------------------------------------------------------


def verdict(p: Problem, peer: Peer) -> str:
    """`agree`, or a kind of difference; what begins with `!` is unexplained."""
    try:
        with time_limit(SECONDS):
            values, gradient = _theirs(p, peer)
    except Outside as missing:
        return f"outside the common subset: {missing}"
    except TimeoutError:
        return "too long for eager execution"
    except (NotImplementedError, RuntimeError) as error:
        if "implemented" not in str(error):
            raise
        return f"refused: {str(error).splitlines()[0][:70]}"
    if _close(p.gradient, gradient, p.tolerance):
        return "agree"
    return _explained(p, peer, values, gradient)


def _theirs(p: Problem, peer: Peer) -> tuple[list[float], list[float]]:
    """The values of the float results and the adjoints of the float arguments."""
    peer.events.clear()
    run, values = runner(p.function, peer), list[float]()

    def results(leaves: list[Any]) -> list[Num]:
        pending = iter(leaves)
        given = [_wrapped(peer, arg, pending) if np.asarray(arg).dtype.kind == "f" else arg for arg in p.args]
        types = p.function.result_types
        found = [x for value, type in zip(run(given), types, strict=True) if type.dtype.is_float for x in flat(value)]
        values[:] = [float(x) for x in found]
        return found

    at = [
        peer.make(float(x), param.type.dtype)
        for param, arg in zip(p.function.params, p.args, strict=True)
        if param.type.dtype.is_float
        for x in flat(arg)
    ]
    gradient = peer.gradients(results, at, p.weights)
    return values, gradient


def _wrapped(peer: Peer, arg: Any, leaves: Any) -> Any:
    if np.ndim(arg) == 0:
        return Num(peer, next(leaves))
    array = np.empty(np.shape(arg), object)
    array.reshape(-1)[:] = [Num(peer, next(leaves)) for _ in range(array.size)]
    return array


def _explained(p: Problem, peer: Peer, values: list[float], gradient: list[float]) -> str:
    events = ", ".join(sorted(peer.events))
    if not _close(p.primal, values, p.tolerance):
        return "values differ by rounding" if _shaky(p) else f"! values differ ({events})"
    exact = _exact(p)
    if exact is None:
        return f"at a kink: {events or 'a branch'}"
    ours, theirs = (_along(p, adjoints) for adjoints in (p.gradient, gradient))
    scale = max(1.0, abs(exact), *(abs(x) for x in p.gradient))
    right, wrong = abs(ours - exact) <= p.tolerance * scale, not abs(theirs - exact) <= p.tolerance * scale
    if right and wrong:
        kind = "gives NaN" if any(np.isnan(gradient)) else "answers otherwise"
        return f"{peer.name} {kind}: {events}" if events else f"! only we are right, by {abs(theirs - exact):.3g}"
    if _shaky(p):
        return "gradients differ by rounding"
    return f"! {'both directions agree' if right else 'we are wrong'} ({events})"


DIRECTION = 7  # the seed of the direction in which the exact derivative is taken


def _directions(p: Problem) -> list[Any]:
    dice = Dice(DIRECTION)
    return [
        np.array([_weight(dice) for _ in flat(arg)]).reshape(np.shape(arg))[()] if param.type.dtype.is_float else None
        for param, arg in zip(p.function.params, p.args, strict=True)
    ]


def _exact(p: Problem) -> float | None:
    """The weighted directional derivative by differences in long numbers; None at a kink."""
    slope = Oracle(p.function).slope(p.args, _directions(p))
    if slope.kink:
        return None
    along = [x for value in slope.along if value is not None for x in flat(value)]
    return float(sum(w * x for w, x in zip(p.weights, along, strict=True)))


def _along(p: Problem, adjoints: Sequence[float]) -> float:
    directions = [x for value in _directions(p) if value is not None for x in flat(value)]
    return float(sum(float(x) * y for x, y in zip(directions, adjoints, strict=True)))


def _shaky(p: Problem) -> bool:
    """Does disturbed rounding move our gradient by as much?"""
    moved = [problem_gradient for seed in range(4) if (problem_gradient := _disturbed(p, seed)) is not None]
    return any(not _close(p.gradient, other, p.tolerance / 100) for other in moved)


def _disturbed(p: Problem, seed: int) -> list[float] | None:
    smooth = [type.dtype for type in p.function.result_types if type.dtype.is_float]
    results = [
        x for x, t in zip(evaluate(p.function, p.args), p.function.result_types, strict=True) if t.dtype.is_float
    ]
    pending = iter(p.weights)
    seeds = [np.array([next(pending) for _ in flat(x)], np.asarray(x).dtype).reshape(np.shape(x))[()] for x in results]
    assert len(seeds) == len(smooth)
    found = outcome(lambda: _gradient(jitter(p.function, seed), p.args, seeds))
    return None if found.fault else list(found.results)


def _close(left: Sequence[float], right: Sequence[float], relative: float) -> bool:
    if len(left) != len(right):
        return False
    scale = max([1.0, *(abs(x) for x in left if np.isfinite(x))])
    return all(
        x == y or abs(x - y) <= relative * scale or (np.isnan(x) and np.isnan(y))
        for x, y in zip(left, right, strict=True)
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", default="jax,torch")
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    options = parser.parse_args()
    peers = [PEERS[name]() for name in options.peers.split(",")]
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    seeds: dict[str, list[int]] = defaultdict(list)
    start, programs = time.monotonic(), 0
    for seed in range(options.seed, options.seed + options.n):
        if options.seconds is not None and time.monotonic() - start > options.seconds:
            break
        p = problem(seed)
        if p is None:
            continue
        programs += 1
        for peer in peers:
            kind = verdict(p, peer)
            kinds[peer.name][kind] += 1
            seeds[f"{peer.name} {kind}"].append(seed)
            if kind.startswith("!"):
                print(f"seed {seed}: {peer.name} {kind}", file=sys.stderr, flush=True)
    print(f"{programs} programs with a derivative, in {time.monotonic() - start:.0f} s")
    for name, counts in kinds.items():
        print(f"\n{name}")
        for kind, count in counts.most_common():
            print(f"  {count:5d}  {kind}   {'' if kind == 'agree' else seeds[f'{name} {kind}'][:5]}")
    return int(any(kind.startswith("!") for counts in kinds.values() for kind in counts))


if __name__ == "__main__":
    sys.exit(main())
