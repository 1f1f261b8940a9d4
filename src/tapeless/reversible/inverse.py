"""What a reversible function comes with: its inverse, and both with what is kept in between.

They are compiled from the same text, by solving it for what its arguments were (`front.inverse`, `front.keeping`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..config import config
from ..errors import ArgumentError
from ..jitted import Jitted

# As in `jitted`: the compiler is imported by who compiles.
if TYPE_CHECKING:
    from ..front.capture import Call, Lowered
    from ..front.inverse import Inversion
    from ..front.keeping import Keeping, Undoing
    from .function import Reversible


class _Solved(Jitted):
    """A function that is found by solving another one."""

    suffix = ""

    def __init__(self, function: Reversible) -> None:
        super().__init__(function.python, function.options)
        self._of = function
        self.__name__ = f"{function.__name__}_{self.suffix}"
        self.__qualname__ = f"{function.__qualname__}_{self.suffix}"

    @property
    def __derivation__(self) -> Any:
        raise NotImplementedError

    def __reduce__(self) -> Any:
        return getattr, (self._of, self.suffix)

    def __repr__(self) -> str:
        return f"<{self.suffix} of {self._of!r}>"

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if config.current.mode != "python":
            return super()._call(args, kwargs)
        # Plain Python cannot run backwards; the reference interpreter is what comes nearest.
        with config(mode="interpret"):
            return super()._call(args, kwargs)

    def _lowered(self, call: Call) -> Lowered:
        return self.lowered(call)

    def lowered(self, call: Call) -> Lowered:
        """The function for the types of a call; refused where there is none."""
        from ..front.capture import lower

        return lower(self.parameters, call.specs, self.__derivation__, asks=call.known is not None)

    def _run_plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:  # noqa: ARG002
        raise ArgumentError(
            f"{self.__name__} was given something that it cannot write",
            why="an array that it writes overlaps another, is read-only, has no dimension or is of a subclass, or an "
            "object whose fields it assigns is given twice",
            fix="pass separate objects and ordinary arrays: x.copy()",
        )


class Inverse(_Solved):
    """A reversible function run backwards: it takes what the function leaves behind, and brings back what it took."""

    suffix = "inv"

    @property
    def inv(self) -> Reversible:
        return self._of

    __inverse__ = inv

    def __invert__(self) -> Reversible:
        return self._of

    @property
    def __derivation__(self) -> Inversion:
        from ..front.inverse import Inversion

        return Inversion(self._of)

    def __repr__(self) -> str:
        return f"<inverse of {self._of!r}>"


class Keep(_Solved):
    """`result, kept = f.keep(...)`: as `f(...)`, and what the inverse cannot tell otherwise, a tuple of arrays.

    A bit is kept each time that a branch is passed of which nothing tells afterwards which way was taken, and a count
    each time that a loop with a condition ends of which nothing tells how often it went round.
    """

    suffix = "keep"

    @property
    def __derivation__(self) -> Keeping:
        from ..front.keeping import Keeping

        return Keeping(self._of)

    def lowered(self, call: Call) -> Lowered:
        if self._of.strict:
            self._of.inv.lowered(call)
        return super().lowered(call)


class Undo(_Solved):
    """`f.undo(kept, ...)`: the inverse of a function, given what `f.keep(...)` kept."""

    suffix = "undo"

    def __init__(self, function: Reversible) -> None:
        super().__init__(function)
        self.parameters = _parameters

    @property
    def __derivation__(self) -> Undoing:
        from ..front.keeping import Undoing

        return Undoing(self._of)


def _parameters(kept: Any, *args: Any) -> Any:
    """The signature of `f.undo`."""
