"""Checking the derivatives of a user's function at a point: `tp.testing.check_grads(f, x, y)`.

Nothing is compared with differences in double precision, whose errors hide wrong gradients of large arrays. The
function's program is evaluated with 60 digits, both modes are held to its exact directional derivative (`oracle`), the
reverse one by the dot test, and the machine's gradients are held to the long ones. The tolerance does not depend on the
size of the arguments. Where they disagree, the error names the first statement whose derivative is wrong: since the
rules of Tapeless are proved by the same laws, that is usually one with a rule of the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import jit
from ..derivatives import Derived
from ..errors import ArgumentError, Place, WrongDerivativeError
from ..front.capture import lower, specialise
from ..ir.core import Function
from ..jitted import Jitted
from .culprit import culprit
from .derivative_law import judge_derivatives
from .verify import Verdict, native_code

BOTH = ("forward", "reverse")


def check_grads(
    fun: Callable[..., Any], *args: Any, order: int = 1, modes: Sequence[str] = BOTH, seed: int = 0, **kwargs: Any
) -> Verdict:
    """Check the derivatives of `fun` by all float arguments, at these arguments, in random directions.

    Raises `WrongDerivativeError` when they are wrong. The answer's `kind` is `ok`, or `unstable` where nothing can be
    said: at a kink, or where rounding decides; `detail` tells which.

    >>> import numpy as np, tapeless.testing
    >>> tapeless.testing.check_grads(lambda x: np.sum(np.sin(x) * x), np.array([0.5, 2.0])).kind
    'ok'
    """
    function, leaves = _program(jit(fun), order, args, kwargs)
    verdict = judge_derivatives(function, leaves, order=order, seed=seed, modes=modes, compiler=native_code)
    if verdict.kind == "wrong":
        raise _error(fun, function, leaves, modes, verdict)
    return verdict


def random_like(values: Sequence[Any], seed: int) -> list[Any]:
    """The same values with every float random in [0.5, 1.5): far from ties, poles and zeros."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for value in values:
        dtype, drawn = np.asarray(value).dtype, rng.uniform(0.5, 1.5, np.shape(value))
        same: Any = float if isinstance(value, float) else dtype.type if np.ndim(value) == 0 else np.asarray
        found.append(same(drawn.astype(dtype)) if dtype.kind == "f" else value)
    return found


def _program(function: Jitted, order: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Function, list[Any]]:
    """The function as it is before it is differentiated, with rules of the user's, and the values of its parameters."""
    call = specialise(function.parameters, args, kwargs, static_shapes=function.options.static_shapes)
    target = function.__derivation__ if isinstance(function, Derived) else None
    lowered = lower(function.parameters, call.specs, target, order)
    if not any(param.type.dtype.is_float for param in lowered.function.params):
        raise ArgumentError(
            f"{function.__name__} has no float argument here, so there is nothing to differentiate",
            fix="pass floats: 1.0 instead of 1, np.ones(3) instead of np.ones(3, int)",
        )
    return lowered.function, [*call.leaves, *lowered.hidden_leaves()]


def _error(
    fun: Callable[..., Any], function: Function, leaves: list[Any], modes: Sequence[str], verdict: Verdict
) -> WrongDerivativeError:
    found = culprit(function, leaves, modes)
    name = getattr(fun, "__name__", "the function")
    what = f"the derivative of {name} is wrong ({verdict.stage}): {verdict.detail}"
    if found is None:
        return WrongDerivativeError(
            what, why="each statement by itself has a right derivative", fix="please report this"
        )
    pos = found.stm.pos
    place = Place(pos.file, pos.line, pos.col, pos.end_col) if pos else None
    return WrongDerivativeError(
        what,
        place=place,
        why=f"the first statement whose derivative is wrong ({found.verdict.stage}): {found.verdict.detail}",
        fix="correct the rule of this statement; when it has none of your own, please report this",
    )
