"""The object behind `@tp.reversible`: a compiled function with an inverse.

The function itself is what `@tp.jit` makes of it: it runs forward as it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..errors import NotReversibleError
from ..jitted import Jitted, Options
from .inverse import Inverse, Keep, Undo

# As in `jitted`: the compiler is imported by who compiles.
if TYPE_CHECKING:
    from ..front.capture import Call, Lowered


class Reversible(Jitted):
    """A function that runs backwards as well: `~f` and `f.inv` are its inverse.

    Its gradients keep nothing of loops that can be run backwards (`tp.grad`, as with `memory="reversible"`).
    """

    def __init__(self, function: Any, options: Options = Options(), *, strict: bool = False) -> None:  # noqa: B008
        super().__init__(function, options)
        self.strict = strict
        self.inv = Inverse(self)
        self.keep = Keep(self)
        self.undo = Undo(self)

    @property
    def __memory__(self) -> str:
        return "strictly reversible" if self.strict else "reversible"

    @property
    def __inverse__(self) -> Inverse:
        return self.inv

    def __invert__(self) -> Inverse:
        return self.inv

    def __repr__(self) -> str:
        return super().__repr__().replace("tp.jit", "tp.reversible", 1)

    def _lowered(self, call: Call) -> Lowered:
        if self.strict:
            self.inv.lowered(call)
        return super()._lowered(call)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the compiler decided, and what running backwards takes: what is kept, and what is computed again."""
        forward = super().explain(*args, **kwargs)
        specs = next(key[0] for key, group in self._table.items() if self._latest in group)
        return "\n".join([*forward.splitlines(), *self._backwards(specs)])

    def _backwards(self, specs: Any) -> list[str]:
        from ..front.capture import lower
        from ..front.keeping import Keeping

        try:
            notes = lower(self.parameters, specs, Keeping(self)).notes
        except NotReversibleError as refusal:
            return [f"does not run backwards: {refusal}"]
        found = [str(note) for note in notes.about("backwards")]
        return found or ["backwards: keeps nothing, and computes nothing again"]

    def check_inverse(self, *args: Any, tolerance: float = 1e-9) -> None:
        """Run the function and its inverse on copies of the arguments; raise unless these are what they were.

        Integers must be equal; floats may differ by rounding, up to `tolerance` relative to the largest.
        """
        changed = deepcopy(args)
        result, kept = self.keep(*changed)
        back = _with_returned(self, changed, result)
        answer = self.undo(kept, *back) if kept else self.inv(*back)
        for k, (before, after) in enumerate(zip(args, _with_returned(self, back, answer), strict=True)):
            _compare(self.__name__, k, before, after, tolerance)

    def check_grad(self, *args: Any, seed: int = 0) -> None:
        """Check the derivatives at these arguments by all floats: see `tapeless.testing.check_grads`."""
        from importlib import import_module

        # The checks stand above everything that they check.
        import_module("tapeless.testing").check_grads(self, *args, seed=seed)


@overload
def reversible(function: Callable[..., Any], /) -> Reversible: ...
@overload
def reversible(
    *, strict: bool = False, check: str | None = None, fastmath: bool | None = None
) -> Callable[[Callable[..., Any]], Reversible]: ...
def reversible(
    function: Callable[..., Any] | None = None,
    /,
    *,
    strict: bool = False,
    check: str | None = None,
    fastmath: bool | None = None,
) -> Reversible | Callable[[Callable[..., Any]], Reversible]:
    """Compile a function together with its inverse, `~f`, found by solving its statements from the last to the first.

    The function changes arrays in place, and returns those of its parameters that it changes otherwise. Deleting the
    decorator changes no result. Whatever it changes must follow from what it leaves behind; temporaries need not be
    undone. With `strict`, a function that has no inverse is refused when it is called, and gradients refuse loops of
    which they would have to keep something. The other options are those of `tp.jit`.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def leapfrog(x, v, dt, steps):
    ...     for _ in range(steps):
    ...         v -= x * dt
    ...         x += v * dt
    >>> x, v = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> leapfrog(x, v, 0.125, 100)
    >>> (~leapfrog)(x, v, 0.125, 100)
    >>> np.round(x, 9), np.round(v, 9)
    (array([1., 0.]), array([0., 1.]))
    """
    options = Options(False, check, fastmath)
    if function is None:
        return partial(Reversible, options=options, strict=strict)
    return Reversible(function, options, strict=strict)


def _with_returned(function: Reversible, args: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    """The arguments, with what the function returned of its parameters in their places."""
    from ..front.inverse import returned_names

    if result is None:
        return args
    names = list(function.python.__code__.co_varnames[: function.python.__code__.co_argcount])
    values = list(args)
    results: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)  # pyright: ignore[reportUnknownVariableType]
    for name, value in zip(returned_names(function), results, strict=True):
        values[names.index(name)] = value
    return tuple(values)


def _compare(name: str, k: int, before: Any, after: Any, tolerance: float) -> None:
    for first, second in zip(_parts(before), _parts(after), strict=True):
        if first.dtype.kind not in "fc":
            same = bool(np.array_equal(first, second))
        else:
            scale = max(1.0, float(np.max(np.abs(first), initial=0.0)))
            same = bool(np.max(np.abs(first - second), initial=0.0) <= tolerance * scale)
        if not same:
            raise AssertionError(f"argument {k} of {name} is not what it was after running forward and back")


def _parts(value: Any) -> list[Any]:
    """The numbers and arrays in an argument."""
    if is_dataclass(value):
        value = [getattr(value, part.name) for part in fields(value)]
    elif isinstance(value, dict):
        value = list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [part for item in value for part in _parts(item)]  # pyright: ignore[reportUnknownVariableType]
    return [np.asarray(value)]
