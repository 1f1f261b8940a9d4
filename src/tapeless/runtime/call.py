"""Calling compiled code: the builtin that checks and calls natively, and the way round for what it refuses.

`bind` makes a builtin of a kernel. It takes the flat arguments, compares each with its plan, calls the kernel
without the GIL and returns the outputs: some 100 ns. Arguments that do not fit exactly make it return `MISS`.
`call_prepared` then brings them into the planned form (contiguous, aligned, native byte order, exact types), calls, and
copies written arrays back. Where copies could not have the effect of plain Python it returns `PLAIN`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import prepare
from .builtin import Definition, new_builtin
from .host import entry_address
from .plan import encode
from .prepare import PLAIN
from .signature import Signature
from .symbols import MISS

__all__ = ["MISS", "PLAIN", "OnFault", "bind", "call_prepared"]

OnFault = Callable[[int, int, int], object]

_METH_FASTCALL = 0x80
_definition = Definition(
    b"compiled",
    b"Calls compiled code; returns MISS for arguments it was not compiled for.",
    _METH_FASTCALL,
    entry_address,
)


def bind(signature: Signature, kernel: int, on_fault: OnFault, keep: object = None) -> Callable[..., Any]:
    """The builtin that calls the kernel at address `kernel`.

    `on_fault(code, a, b)` must raise; it is called when the kernel returns a nonzero code. `keep` is whatever owns
    the kernel's code: it lives as long as the builtin.
    """
    plan = encode(signature, kernel, on_fault)
    return new_builtin(_definition, plan, (on_fault, keep))


def call_prepared(signature: Signature, builtin: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call with arguments that `builtin` refused, after preparing them; `PLAIN` when only plain Python is right."""
    if len(arguments) != len(signature.params):
        raise TypeError(f"{len(signature.params)} arguments expected, {len(arguments)} given")
    taken = [prepare.taken(param, value) for param, value in zip(signature.params, arguments, strict=True)]
    if any(value is PLAIN for value in taken):
        return PLAIN
    if not (prepare.separable(signature.params, taken) and prepare.sizes_agree(signature.params, taken)):
        return PLAIN
    exact = [prepare.exact(param, value) for param, value in zip(signature.params, taken, strict=True)]
    try:
        answer = builtin(*exact)
    finally:
        # Also after a fault: plain Python would have written up to there.
        for param, array, copy in zip(signature.params, taken, exact, strict=True):
            if param.written:
                prepare.copy_back(copy, array)
    if answer is MISS:
        raise TypeError("the arguments are not those this code was compiled for")
    return _with_arguments(signature.outputs, answer, arguments)


def _with_arguments(outputs: tuple[int, ...], answer: Any, arguments: Sequence[Any]) -> Any:
    """The answer with the caller's own objects in place of their prepared copies."""
    if all(k >= 0 for k in outputs):
        return answer
    if len(outputs) == 1:
        return arguments[~outputs[0]]
    return tuple(arguments[~k] if k < 0 else value for k, value in zip(outputs, answer, strict=True))
