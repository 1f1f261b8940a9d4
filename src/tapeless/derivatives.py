"""The objects behind `tp.grad` and its kin: functions that compile themselves, as `@tp.jit` functions do.

A `Derived` holds a `Derivation` (`front.derived`), which the front end knows how to call. Whoever asks for the same
derivative of the same function gets the same object, so that `tp.grad(f)(x)` in a loop compiles once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from .config import Coarsening, config
from .errors import ArgumentError, CallError
from .front import registry
from .jitted import Jitted, Options
from .records import replace

# As in `jitted`: the compiler is imported by who compiles.
if TYPE_CHECKING:
    from .eliminate.methods import How
    from .front.capture import Call, Lowered
    from .front.derived import Derivation, Verb
    from .passes.notes import Notes


class Derived(Jitted):
    """A derivative of a function. Calling it compiles at the first call for each combination of types.

    Arguments are never written: a differentiated function works on copies. Names from outside are read at each call and
    are constants of the derivative.
    """

    def __init__(self, derivation: Derivation, plain: FunctionType, parameters: FunctionType, made_by: Recipe) -> None:
        function = derivation.function
        own = function.options if isinstance(function, Jitted) else Options()
        super().__init__(plain, replace(own, coarsening=derivation.coarsening.or_else(own.coarsening)))
        self.__wrapped__ = function
        self.__derivation__ = derivation
        self.parameters = parameters
        self._made_by = made_by

    def __reduce__(self) -> Any:
        return self._made_by

    def __repr__(self) -> str:
        count = len(self.specialisations)
        verb = self.__derivation__.verb
        return f"<tp.{verb} of {self.__qualname__}: {count} specialisation{'' if count == 1 else 's'}>"

    def notes(self, *args: Any) -> Notes:
        """What is decided about the derivative for these arguments, without compiling it."""
        return self._settled(self._bound(args, {}))[1].notes

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if config.current.mode != "python":
            return super()._call(args, kwargs)
        # Plain Python has no derivatives; the reference interpreter is what comes nearest.
        with config(mode="interpret"):
            return super()._call(args, kwargs)

    def _lowered(self, call: Call) -> Lowered:
        from .front.capture import lower

        return lower(self.parameters, call.specs, self.__derivation__, asks=call.known is not None)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        call = super()._bound(args, kwargs)
        # An array without dimensions is a number, and nobody writes into it here.
        return replace(call, leaves=tuple(map(_without_cells, call.leaves)))

    def _run_plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kinds = sorted({arg.__class__.__name__ for arg in (*args, *kwargs.values()) if hasattr(arg, "ndim")})
        raise ArgumentError(
            f"an argument is of a subclass of np.ndarray; there are {', '.join(kinds) or 'some in containers'}",
            why="such arrays have rules of their own, which derivatives would not follow",
            fix="pass ordinary arrays: np.asarray(x)",
        )


# How to make the object again: a function and its arguments.
Recipe: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
D = TypeVar("D", bound=Derived)
_AS_IS = Coarsening()


@functools.lru_cache(maxsize=512)
def derived(
    verb: Verb,
    function: Any,
    argnums: Any = 0,
    has_aux: bool = False,
    memory: Any = None,
    how: How | None = None,
    coarsening: Coarsening = _AS_IS,
) -> Derived:
    """The derivative of a function, the same object for the same request."""
    return new_derived(Derived, verb, function, argnums, has_aux, memory, how, coarsening)


def new_derived(
    kind: type[D],
    verb: Verb,
    function: Any,
    argnums: Any = 0,
    has_aux: bool = False,
    memory: Any = None,
    how: How | None = None,
    coarsening: Coarsening = _AS_IS,
) -> D:
    """A derivative of a function as an object of its own."""
    from .front.derived import Derivation

    # A function may say itself what its loops are to keep.
    kept = getattr(function, "__memory__", None) if memory is None else memory
    derivation = Derivation(verb, function, argnums, has_aux, kept, how, coarsening)
    plain = _plain(function)
    if verb in ("jvp", "hvp", "pull", "pattern", "columns", "rows"):
        parameters: FunctionType = _with_tangents
    else:
        parameters = function.parameters if isinstance(function, Jitted) else plain
    return kind(derivation, plain, parameters, (derived, (verb, function, argnums, has_aux, memory, how, coarsening)))


def _plain(function: Any) -> FunctionType:
    """The function of the user's that is differentiated in the end."""
    if isinstance(function, Jitted):
        return function.python
    if isinstance(function, FunctionType):
        return function
    if hasattr(function, "__wrapped__"):
        return _plain(function.__wrapped__)
    raise CallError(
        f"only Python functions can be differentiated, not {type(function).__name__}",
        fix="pass a function written with def or lambda; tp.jit functions and derivatives are fine too",
    )


def _without_cells(leaf: Any) -> Any:
    return leaf[()] if getattr(leaf, "ndim", None) == 0 else leaf


def differentiable(function: Any) -> Any:
    """A function in the form in which it is differentiated; library functions are wrapped in one of ours."""
    if registry.is_known(function) or isinstance(function, functools.partial):
        return _called(cast(Any, function))
    return function


def compilable(function: Any) -> Any:
    """A function in the form in which it is compiled: one with rules is wrapped in one of ours, to keep them."""
    ruled = hasattr(function, "__derivation__") and not isinstance(function, Jitted)
    return _called(function) if ruled else function


@functools.lru_cache(maxsize=512)
def _called(function: Any) -> FunctionType:
    def call(*args: Any) -> Any:
        return function(*args)

    call.__name__ = call.__qualname__ = getattr(function, "__name__", "call")
    return call


def _with_tangents(primals: Any, tangents: Any) -> None:
    """The parameters of `jvp`, `hvp`, the pull of `vjp`, and the sweeps of sparse Jacobians."""
