"""The object that `@tp.jit` returns: a function that compiles itself for the types it is called with.

A call goes straight to the builtin of the latest specialisation when that fits the arguments; else the arguments are
flattened, the specialisation with their key is found or made, and its entry is called. What was captured is read
anew at each call. Where compiled code could not have the effect of plain Python (arguments that overlap and are
written, subclasses of arrays, arrays without dimensions), the plain function runs, and a warning says so once.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
import warnings
from collections import ChainMap
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import CellType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from .config import Coarsening, Settings, config
from .errors import CallError, NotCompiledError, RefusedError
from .records import dataclass, replace
from .runtime.collection import no_collection
from .runtime.dispatch import dispatch
from .runtime.prepare import PLAIN

# The compiler takes a while to import: only who compiles pays for it, in the functions below.
if TYPE_CHECKING:
    from .driver import Compiled
    from .front.capture import Call, Lowered, Specs
    from .lowering import Lowering


class PlainPythonWarning(UserWarning):
    """A call ran as plain Python because compiled code could not have had the same effect on its arguments."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a function is compiled: `static_shapes` fixes all sizes of arguments; the others override options."""

    static_shapes: bool = False
    check: str | None = None
    fastmath: bool | None = None
    coarsening: Coarsening = Coarsening()


# So many patterns of equal sizes get code of their own; then there is one for all others.
MOST_PATTERNS = 4
_DEFAULT = Options()


class Jitted:
    """A function under `@tp.jit`. Calling it compiles at the first call for each combination of types.

    `f.python` is the plain function, `f.lower(*args)` compiles without calling, `f.show(stage, *args)` prints a stage,
    `f.explain(*args)` says what became of each loop, `f.specialisations` lists what was compiled.
    """

    # The call itself is a place: a builtin stands there once there is code, and Python is not asked on the way.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]
    __name__: str
    __qualname__: str

    def __init__(self, function: FunctionType, options: Options = _DEFAULT) -> None:
        functools.update_wrapper(self, function)
        self.python: FunctionType = function
        # The function whose signature a call is bound by; derivatives may have another than the function itself.
        self.parameters: FunctionType = function
        self.options = options
        self._table: dict[tuple[Any, ...], list[Compiled]] = {}
        # Has a pattern of equal sizes code of its own? And the patterns that do, for arguments of given types.
        self._patterns: dict[Specs, bool] = {}
        self._patterns_of: dict[Specs, set[Specs]] = {}
        # The types of arguments for which small sizes are better known, and patterns refused when they are.
        self._wanting: set[Specs] = set()
        self._refused: set[Specs] = set()
        self._latest: Compiled | None = None
        self._lock = threading.RLock()
        self.__call__ = self._call_any
        # The settings of the latest call, and ways into code under them: by types, then by pattern of equal sizes.
        self._ways_under: Settings | None = None
        self._ways: dict[Specs, dict[Specs, Callable[..., Any]]] = {}

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        # By name, as plain functions: never machine code.
        return self.__qualname__

    def __repr__(self) -> str:
        count = sum(map(len, self._table.values()))
        return f"<tp.jit {self.__qualname__}: {count} specialisation{'' if count == 1 else 's'}>"

    def lower(self, *args: Any, **kwargs: Any) -> Lowering:
        """Compile for these arguments without calling."""
        from .lowering import Lowering

        call = self._bound(args, kwargs)
        return Lowering(self.python, self._specialisation(call, config.current))

    def show(self, stage: str = "ir", *args: Any, **kwargs: Any) -> str:
        """A stage as text, for these arguments or, without any, for the latest specialisation."""
        if args or kwargs or self._latest is None:
            if stage == "python":
                return inspect.getsource(self.python)
            self._require(args, kwargs)
            return self.lower(*args, **kwargs).text(stage)
        from .lowering import Lowering

        return Lowering(self.python, self._latest).text(stage)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the compiler decided for each loop and check, and why, at the lines of the source."""
        return self.show("explain", *args, **kwargs)

    @property
    def specialisations(self) -> list[str]:
        """One line for each: types of the arguments and of what was captured, calls, how long it took to compile."""
        if not self._table:
            return []
        from .lowering import describe

        return [describe(key[0], compiled) for key, group in self._table.items() for compiled in group]

    # -- calling --------------------------------------------------------------------------------

    def _call_any(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        settings = config.current
        if settings.mode == "python":
            return self.python(*args, **kwargs)
        call = self._bound(args, kwargs)
        compiled = self._specialisation(call, settings)
        compiled.calls += 1
        lowered = compiled.lowered
        if lowered.fields:
            return self._call_assigning(compiled, call, args, kwargs)
        answer = compiled.call(*call.leaves, *lowered.hidden_leaves())
        if answer is PLAIN:
            return self._run_plain(args, kwargs)
        return answer

    def _call_assigning(self, compiled: Compiled, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of code that assigns fields of its arguments."""
        from .front.fields import Owners

        lowered = compiled.lowered
        owners = Owners(call.values, [entry.get() for entry in lowered.captured])
        separate = owners.are_separate(lowered.fields)
        answer: Any = compiled.call(*call.leaves, *lowered.hidden_leaves()) if separate else PLAIN
        if answer is PLAIN:
            return self._run_plain(args, kwargs)
        owners.assign(lowered.fields, answer[1:])
        return answer[0]

    def _run_plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._warn_plain()
        return self.python(*args, **kwargs)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The arguments of a call, bound to the parameters and flattened."""
        from .front.capture import specialise

        call = specialise(self.parameters, args, kwargs, static_shapes=self.options.static_shapes)
        if call.known is not None and call.apart in self._wanting and call.known not in self._refused:
            call = _with_known(call, call.known)
        own = self._patterns.get(call.specs)
        if own is None:
            patterns = self._patterns_of.setdefault(call.apart, set())
            own = self._patterns[call.specs] = len(patterns) < MOST_PATTERNS
            if own:
                patterns.add(call.specs)
        return call if own else replace(call, specs=call.apart, known=None, open=None)

    def _lowered(self, call: Call) -> Lowered:
        from .front.capture import lower

        return lower(self.python, call.specs, asks=call.known is not None)

    def _settled(self, call: Call) -> tuple[Call, Lowered]:
        """The program for a call, and the call as it is to be made for it: small sizes may be better known.

        What is refused for known sizes alone, as they disagree in a branch that may never run, has them open.
        """
        from .front.shared_sizes import KnownSizesWanted

        try:
            return call, self._lowered(call)
        except KnownSizesWanted:
            assert call.known is not None
            self._wanting.add(call.apart)
            return self._settled(_with_known(call, call.known))
        except RefusedError:
            if call.open is None:
                raise
            self._refused.add(call.specs)
            call = replace(call, specs=call.open, open=None)
            return call, self._lowered(call)

    def _specialisation(self, call: Call, settings: Settings) -> Compiled:
        from .driver import compile_function

        wanted = self._wanted(settings)
        own = (
            wanted.check, wanted.mode, wanted.debug, wanted.fastmath, wanted.coarsen, wanted.segments, wanted.egglog,
        )  # fmt: skip
        with self._lock:
            made = self._table.get((call.specs, *own), ())
            compiled = next((c for c in made if c.lowered.still_holds()), None)
            if compiled is None:
                start = time.thread_time()
                with no_collection():
                    # Derivatives are made by the front end: what loops become is decided there already.
                    with _coarsening(wanted, settings):
                        call, lowered = self._settled(call)
                    seconds = {"front end": time.thread_time() - start}
                    specs = [spec for _, spec in call.specs]
                    compiled = compile_function(lowered, specs, wanted, _scope(self.python), seconds)
                self._table.setdefault((call.specs, *own), []).append(compiled)
            self._remember(call, compiled, settings)
        return compiled

    def _wanted(self, settings: Settings) -> Settings:
        own = {"check": self.options.check, "fastmath": self.options.fastmath}
        changes = {name: value for name, value in own.items() if value is not None} | self.options.coarsening.asked
        return settings.changed(**changes) if changes else settings

    def _remember(self, call: Call, compiled: Compiled, settings: Settings) -> None:
        """Let the next call try this specialisation first, when it takes the arguments as they come."""
        from .front.shared_sizes import told_count
        from .front.tree import Leaf

        if compiled is self._latest and self._ways_under is settings:
            return
        self._latest = compiled
        plain = all(isinstance(spec, Leaf) for _, spec in call.specs) and not self.parameters.__code__.co_kwonlyargcount
        if not plain or compiled.direct is None:
            return
        if self._ways_under is not settings:
            self._ways_under, self._ways = settings, {}
        ways = self._ways[call.apart] = self._ways.get(call.apart, {}) | {call.specs: compiled.direct}
        # Code for more sizes that are equal goes first: it is the better one, and takes no other arguments.
        ordered = [ways[specs] for specs in sorted(ways, key=told_count, reverse=True)]
        self.__call__ = dispatch(settings, ordered, self._call_any)

    def _warn_plain(self) -> None:
        warnings.warn(
            f"{self.__qualname__} ran as plain Python: an argument that it writes overlaps another or is read-only, "
            "an object whose fields it assigns is given twice, or an array is of a subclass or has no dimension; pass "
            "separate objects and ordinary arrays to have compiled code",
            PlainPythonWarning,
            stacklevel=5,
        )

    def _require(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._latest is None and not (args or kwargs) and inspect.signature(self.python).parameters:
            raise NotCompiledError(
                f"{self.__qualname__} has not been called yet, so there is nothing to show",
                why="a function is compiled for the types of its arguments",
                fix=f"pass example arguments: {self.__name__}.show('ir', x, ...)",
            )


def jitted(function: Any, options: Options = _DEFAULT) -> Jitted:
    """The compiled form of a plain function; a jitted one is returned as it is."""
    if isinstance(function, Jitted):
        return function
    if not isinstance(function, FunctionType):
        raise CallError(
            f"tp.jit takes a Python function, not {type(function).__name__}",
            fix="decorate a function written with def or lambda",
        )
    return Jitted(function, options)


def _with_known(call: Call, known: Specs) -> Call:
    return replace(call, specs=known, known=None, open=call.specs)


def _scope(function: FunctionType) -> Mapping[str, Any]:
    """Where the exception classes that a function raises are found by name."""
    enclosing = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    classes = {name: cell.cell_contents for name, cell in enclosing.items() if _holds_class(cell)}
    return ChainMap(classes, function.__globals__, {"LinAlgError": np.linalg.LinAlgError})


def _holds_class(cell: CellType) -> bool:
    try:
        return isinstance(cell.cell_contents, type)
    except ValueError:  # the name is not bound yet
        return False


def _coarsening(wanted: Settings, settings: Settings) -> AbstractContextManager[object]:
    asked = {"coarsen": wanted.coarsen, "segments": wanted.segments}
    same = all(getattr(settings, name) == value for name, value in asked.items())
    return nullcontext() if same else config(**asked)
