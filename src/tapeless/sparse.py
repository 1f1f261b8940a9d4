"""Sparse Jacobians and Hessians: patterns found, columns or rows coloured, one compiled sweep per call.

    pattern     which entries can differ from zero, for all values of what is differentiated by (`ad.sparsity`)
    colouring   which columns or rows share a sweep (`ad.colouring`, `ad.recovery`)
    call        all colours as lanes of one sweep (`ad.compressed`), and one gather into a `scipy.sparse.csr_array`

The first two make a plan. It holds for the sizes of all arguments and for the values of those that the pattern
depends on, such as the indices of a mesh: these are compared at each call, and another plan is made when they differ.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ad.colouring import Pattern, pattern_of
from .ad.recovery import Matrix, Method, Plan, plan_for
from .config import Coarsening, config
from .derivatives import Derived, derived, new_derived
from .errors import CallError, MissingExtraError
from .front.tree import Leaf, Node, Spec, assemble, flatten
from .ir.walk import free_vars
from .jitted import Jitted

# The words of a pattern are found in portions of about so many bytes.
_PORTION = 1 << 26
# Which words to find, where that does not matter: the first one, and how many.
_FIRST_WORD = (0, 1)
# So many plans are kept.
_KEPT = 16
_AS_IS = Coarsening()


@functools.lru_cache(maxsize=512)
def sparse_jacobian(
    function: Any,
    argnums: int | tuple[int, ...],
    method: Method,
    memory: Any = None,
    coarsening: Coarsening = _AS_IS,
) -> SparseJacobian:
    """The sparse Jacobian of a function, the same object for the same request."""
    return SparseJacobian(function, argnums, method, memory, coarsening)


class SparseJacobian:
    """A Jacobian that returns sparse matrices.

    For one array argument and one array result it is a `scipy.sparse.csr_array` with a row per element of the result
    and a column per element of the argument, both in row-major order. For containers it has their structure, as that
    of `jacfwd` has. Entries outside the pattern are zero for all values of the argument; entries inside may be.
    """

    __name__: str
    __qualname__: str

    def __init__(
        self,
        function: Any,
        argnums: int | tuple[int, ...],
        method: Method,
        memory: Any = None,
        coarsening: Coarsening = _AS_IS,
    ) -> None:
        functools.update_wrapper(self, function)
        self._argnums = argnums
        self._method: Method = method
        self._columns = derived("columns", function, argnums, coarsening=coarsening)
        self._rows = derived("rows", function, argnums, False, memory, coarsening=coarsening)
        self._patterns = new_derived(_PatternOf, "pattern", function, argnums)
        self._parameters = function.parameters if isinstance(function, Jitted) else self._patterns.python
        self._plans: list[_Known] = []
        self._latest: Plan | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        make = _csr_array()
        primals = self._bound(args, kwargs)
        known = self._known(primals)
        plan = known.plan
        sweeps = self._columns if plan.forward else self._rows
        answer = sweeps(primals, (plan.colouring.colours, plan.colouring.count))
        numbers = _side_by_side(flatten(answer)[1]).reshape(-1)
        rows = [[make(numbers, block) for block in line] for line in plan.blocks]
        wrt = [flatten(primal)[0] for primal in self._wrt(primals)]
        return _rebuilt(known.out, iter([self._nested(wrt, iter(row)) for row in rows]))

    def __repr__(self) -> str:
        return f"<sparse Jacobian of {self.__qualname__}: {len(self._plans)} plans>"

    def pattern(self, *args: Any, **kwargs: Any) -> Any:
        """Where entries can stand, over all leaves of the result and of the argument: a `csr_array` of booleans."""
        from scipy.sparse import csr_array

        found = self._known(self._bound(args, kwargs)).plan.pattern
        ones = np.ones(found.count, np.bool_)
        return csr_array((ones, found.columns.copy(), found.starts.copy()), shape=found.shape)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """The pattern, the colours, and what the compiler decided for the sweeps; by default those of the last call."""
        if args or kwargs:
            self(*args, **kwargs)
        if self._latest is None:
            raise CallError(f"{self.__qualname__} has not been called yet", fix="pass example arguments to explain")
        sweeps = self._columns if self._latest.forward else self._rows
        return f"sparse Jacobian: {self._latest}\n{sweeps.explain()}"

    # -- arguments and results --------------------------------------------------------------------

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if not kwargs:
            return args
        try:
            bound = inspect.signature(self._parameters).bind(*args, **kwargs)
        except TypeError as error:
            raise CallError(f"{self.__name__}: {error}") from None
        if bound.kwargs:
            raise CallError(
                f"{self.__name__} takes {', '.join(bound.kwargs)} by keyword only, which sparse derivatives do not",
                fix="wrap it in a function of positional parameters",
            )
        return bound.args

    def _wrt(self, primals: Sequence[Any]) -> list[Any]:
        which = (self._argnums,) if isinstance(self._argnums, int) else self._argnums
        return [primals[k] for k in which]

    def _nested(self, specs: Sequence[Spec], matrices: Iterator[Any]) -> Any:
        made = tuple(_rebuilt(spec, matrices) for spec in specs)
        return made[0] if isinstance(self._argnums, int) else made

    def _known(self, primals: tuple[Any, ...]) -> _Known:
        """The plan for these arguments, made at the first call with such."""
        key = self._patterns.key(primals)
        known = next((known for known in self._plans if known.fits(key)), None)
        if known is None:
            known = self._planned(primals, key)
            self._plans = [*self._plans, known][-_KEPT:]
        self._latest = known.plan
        return known

    def _planned(self, primals: tuple[Any, ...], key: _Key) -> _Known:
        columns = [np.size(leaf) for primal in self._wrt(primals) for leaf in flatten(primal)[1]]
        pattern, rows, out = self._patterns.found(primals, sum(columns))
        return _Known(key, plan_for(pattern, rows, columns, self._method), out)


@dataclass(frozen=True, slots=True, eq=False)
class _Key:
    """What a pattern depends on: the program that finds it, the shapes of all leaves, the values of some."""

    program: object
    shapes: tuple[tuple[int, ...], ...]
    values: tuple[NDArray[Any], ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """A plan, what it was made for, and the structure of the result."""

    key: _Key
    plan: Plan
    out: Spec

    def fits(self, key: _Key) -> bool:
        mine = self.key
        return (
            mine.program is key.program
            and mine.shapes == key.shapes
            and all(np.array_equal(x, y, equal_nan=True) for x, y in zip(mine.values, key.values, strict=True))
        )


class _PatternOf(Derived):
    """The program that finds patterns (`ad.compressed.pattern_words`)."""

    def __init__(self, *made_of: Any) -> None:
        super().__init__(*made_of)
        self._used: dict[int, tuple[int, ...]] = {}

    def key(self, primals: tuple[Any, ...]) -> _Key:
        """What the pattern for these arguments depends on; arguments that the program never reads do not matter."""
        call = self._bound((primals, _FIRST_WORD), {})
        compiled = self._specialisation(call, config.current)
        leaves = (*call.leaves, *compiled.lowered.hidden_leaves())
        if id(compiled) not in self._used:
            read = {var.name for var in free_vars(compiled.function.body)}
            words = range(len(call.leaves) - len(_FIRST_WORD), len(call.leaves))
            params = enumerate(compiled.function.params)
            self._used[id(compiled)] = tuple(k for k, var in params if var.name in read and k not in words)
        shapes = tuple(np.shape(leaf) for leaf in leaves)
        return _Key(compiled, shapes, tuple(np.array(leaves[k]) for k in self._used[id(compiled)]))

    def found(self, primals: tuple[Any, ...], inputs: int) -> tuple[Pattern, list[int], Spec]:
        """The pattern, the sizes of the leaves of the result, and its structure."""
        words = -(-inputs // 64)
        rows: list[NDArray[Any]] = []
        columns: list[NDArray[Any]] = []
        first, portion = 0, 8
        while True:
            answer = self(primals, (first, min(portion, words - first)))
            spec, leaves = flatten(answer)
            sizes = [prod(leaf.shape[1:]) for leaf in leaves]
            sets = _side_by_side(leaves)
            word, row = np.nonzero(sets)
            bits = np.unpackbits(sets[word, row].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
            entry, bit = np.nonzero(bits)
            rows.append(row[entry])
            columns.append((first + word[entry]) * 64 + bit)
            first += len(sets)
            if first >= words:
                shape = (sum(sizes), inputs)
                return pattern_of(np.concatenate(rows), np.concatenate(columns), shape), sizes, spec
            portion = max(8, _PORTION // (8 * max(1, sum(sizes))))


def _rebuilt(spec: Spec, values: Iterator[Any]) -> Any:
    """A value of this structure with other leaves."""
    match spec:
        case Leaf():
            return next(values)
        case Node(kind, keys, parts):
            return assemble(kind, keys, [_rebuilt(part, values) for part in parts])
        case _:
            return spec.value


def _side_by_side(leaves: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The answers of all leaves, a row for each sweep."""
    parts = [leaf.reshape(len(leaf), prod(leaf.shape[1:])) for leaf in leaves]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _csr_array() -> Any:
    """From the numbers of a sweep and a block to its matrix."""
    try:
        from scipy.sparse import csr_array
    except ImportError:
        raise MissingExtraError(
            "sparse=True returns SciPy's sparse arrays, and SciPy is not installed", fix="pip install 'tapeless[scipy]'"
        ) from None

    def make(numbers: NDArray[Any], block: Matrix) -> Any:
        parts = (numbers[block.places], block.columns.copy(), block.starts.copy())
        return csr_array(parts, shape=block.shape)

    return make
