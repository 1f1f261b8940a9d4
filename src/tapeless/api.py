"""The verbs of the user.

Those of differentiation have JAX's names, arguments and results. Functions may be plain or jitted, or derivatives
themselves; arguments and results may be tuples, lists, dicts, named tuples and dataclasses of numbers and arrays.
All of them can be called inside compiled functions, where they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from .config import Coarsening
from .derivatives import Derived, compilable, derived, differentiable
from .eliminate import engine, kernel
from .errors import ArgumentError
from .front import registry
from .jitted import Jitted, Options, jitted
from .rules import Checkpointed

if TYPE_CHECKING:
    from .ad.planner import States
    from .ad.recovery import Method as SparseMethod
    from .eliminate.jacobian import Eliminated
    from .eliminate.methods import How, Method, Model
    from .sparse import SparseJacobian

T = TypeVar("T")
Function = Callable[..., Any]
Argnums = int | Sequence[int]
Memory: TypeAlias = "str | int | States | None"
Segments: TypeAlias = Literal["counted", "paper", "plain"]


@overload
def jit(function: Callable[..., Any], /) -> Jitted: ...
@overload
def jit(
    *,
    static_shapes: bool = False,
    check: str | None = None,
    fastmath: bool | None = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Callable[[Callable[..., Any]], Jitted]: ...
def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_shapes: bool = False,
    check: str | None = None,
    fastmath: bool | None = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Jitted | Callable[[Callable[..., Any]], Jitted]:
    """Compile a function to native code, at its first call for each combination of argument types.

    Deleting the decorator changes no result. `static_shapes=True` specialises by all sizes of the arguments;
    `check="bounds,nan"` chooses run-time checks for this function; `fastmath=True` lets divisions by one value share
    its reciprocal, which may change a last bit. `coarsen=False` leaves loops as they are where a closed form is known,
    and derives one statement after another; `segments="paper"` cuts derivatives as the paper on coarsening does,
    and with `segments="plain"` only closed forms and shorter derivatives are left of it.

    >>> import numpy as np, tapeless as tp
    >>> @tp.jit
    ... def total(x):
    ...     s = 0.0
    ...     for i in range(len(x)):
    ...         s += x[i] ** 2
    ...     return s
    >>> float(total(np.array([1.0, 2.0, 3.0])))
    14.0
    """
    options = Options(static_shapes, check, fastmath, Coarsening(coarsen, segments))
    if function is None:
        return partial(_jitted, options)
    return _jitted(options, function)


def _jitted(options: Options, function: Callable[..., Any]) -> Jitted:
    return jitted(compilable(function), options)


# -- derivatives of functions ---------------------------------------------------------------------


def grad(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    memory: Memory = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived:
    """The gradient of a function that returns one number.

    The result has the structure of the argument at position `argnums`, or is a tuple of such for several positions.
    With `has_aux` the function returns `(value, aux)`, and the result is `(gradient, aux)`. `memory` limits what the
    return sweep may keep: a number of bytes, a string such as "64MB", or
    `tp.States(20)`, a number of states per loop. `coarsen` and `segments` are as for `jit`, for this derivative alone;
    all verbs of differentiation have them.

    >>> import numpy as np, tapeless as tp
    >>> def energy(x, k):
    ...     return 0.5 * k * np.sum(x**2)
    >>> tp.grad(energy)(np.array([1.0, 2.0]), 3.0)
    array([3., 6.])
    >>> tp.grad(tp.grad(lambda x: x**3))(2.0)
    12.0
    """
    return _derived("grad", fun, Coarsening(coarsen, segments), argnums, has_aux, memory)


def value_and_grad(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    memory: Memory = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived:
    """The value of a function and its gradient, as a pair.

    As for `grad`; with `has_aux` the result is `((value, aux), gradient)`.

    >>> import tapeless as tp
    >>> tp.value_and_grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 5.0)
    (15.0, (5.0, 3.0))
    """
    return _derived("value_and_grad", fun, Coarsening(coarsen, segments), argnums, has_aux, memory)


def jacfwd(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    sparse: bool = False,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived | SparseJacobian:
    """The Jacobian of a function by forward mode: one tangent per element of the argument, all in one sweep.

    For each leaf of the result it holds, in the structure of the argument, arrays of the shape of that leaf followed
    by the shape of the argument's. `sparse` is as for `jacobian`.

    >>> import numpy as np, tapeless as tp
    >>> tp.jacfwd(lambda x: x**2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    own = Coarsening(coarsen, segments)
    return _sparse("forward", fun, own, argnums, has_aux) if sparse else _derived("jacfwd", fun, own, argnums, has_aux)


def jacrev(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    memory: Memory = None,
    sparse: bool = False,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived | SparseJacobian:
    """The Jacobian of a function by reverse mode: one forward sweep, one cotangent per element of the result.

    The result is that of `jacfwd`. `memory` is as for `grad`, `sparse` as for `jacobian`.

    >>> import numpy as np, tapeless as tp
    >>> tp.jacrev(lambda x: np.array([x.sum(), x.prod()]))(np.array([2.0, 3.0]))
    array([[1., 1.],
           [3., 2.]])
    """
    own = Coarsening(coarsen, segments)
    if sparse:
        return _sparse("reverse", fun, own, argnums, has_aux, memory)
    return _derived("jacrev", fun, own, argnums, has_aux, memory)


def jacobian(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    method: Method = "auto",
    budget: float | str | None = None,
    sparse: bool = False,
    memory: Memory = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived | SparseJacobian:
    """The Jacobian of a function; its entries are those of `jacfwd`.

    Straight-line code of few numbers is differentiated by eliminating its intermediate values in an order that takes
    few multiplications. `method="auto"` looks for one for about 50 ms, once for each function; `"search"` for the time
    that `budget` allows (seconds, or a string such as "10s"); `"forward"`, `"reverse"` and `"markowitz"` are fixed
    rules, and a sequence of vertices is an order itself (`tp.show_elimination` draws them). Other code is swept, by
    columns where there are at most as many inputs as results, else by rows.

    With `sparse=True` the entries that can differ from zero are found from the program, columns (or rows) that never
    meet share a sweep, and the result is a `scipy.sparse.csr_array` with a row per element of the result and a column
    per element of the argument. `memory` is as for `grad`.

    >>> import numpy as np, tapeless as tp
    >>> def residual(x):
    ...     return x[1:] ** 2 + x[:-1]
    >>> tp.jacobian(residual)(np.array([1.0, 2.0, 3.0]))
    array([[1., 4., 0.],
           [0., 1., 6.]])
    >>> tp.jacobian(residual, sparse=True)(np.arange(1000.0)).shape
    (999, 1000)
    """
    from .eliminate.methods import how

    own = Coarsening(coarsen, segments)
    if not sparse:
        return _derived("jacobian", fun, own, argnums, has_aux, memory, how(method, budget))
    match method:
        case "auto" | "forward" | "reverse":
            return _sparse(method, fun, own, argnums, has_aux, memory)
        case _:
            raise ArgumentError(f"sparse Jacobians have no method {method!r}", fix='"auto", "forward" or "reverse"')


def hessian(
    fun: Function,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    memory: Memory = None,
    sparse: bool = False,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Derived | SparseJacobian:
    """The matrix of second derivatives: the Jacobian of the gradient, of which one triangle is computed.

    With `sparse=True` its pattern is found from the program, and symmetry is used to need few sweeps; the result is as
    that of `jacobian`.

    >>> import numpy as np, tapeless as tp
    >>> tp.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    own = Coarsening(coarsen, segments)
    if sparse:
        return _sparse("symmetric", _derived("grad", fun, own, argnums, False, memory), own, argnums, has_aux)
    from .eliminate.methods import How

    slope = _derived("jacrev", fun, own, argnums, has_aux, memory)
    return _derived("jacobian", slope, own, argnums, has_aux, memory, How(symmetric=True))


def count_multiplications(
    fun: Function,
    *args: Any,
    argnums: Argnums = 0,
    method: Method = "auto",
    model: Model = "work",
    budget: float | str | None = None,
) -> int:
    """How many multiplications `tp.jacobian` takes for these arguments to accumulate the partial derivatives.

    `method` and `budget` are those of `jacobian`. `model="work"` counts what is executed once sub-expressions are
    shared: products with 1, -1 and constants are free. `model="published"` counts as papers on elimination do: the
    program as it is written, and every product. Only straight-line code of few numbers is counted.

    >>> import numpy as np, tapeless as tp
    >>> def f(x, y):
    ...     z = np.sin(x) * y
    ...     return z * x, z * y
    >>> [tp.count_multiplications(f, 1.0, 2.0, argnums=(0, 1), method=m) for m in ("forward", "reverse", "auto")]
    [5, 6, 5]
    """
    return elimination(fun, *args, argnums=argnums, method=method, model=model, budget=budget).multiplications


def elimination(
    fun: Function, *args: Any, argnums: Argnums, method: Method, model: Model, budget: float | str | None
) -> Eliminated:
    """How the Jacobian of a function is accumulated for these arguments: its graph, with an order."""
    from .eliminate.jacobian import SUBJECT, Eliminated
    from .eliminate.methods import how

    notes = _derived("jacobian", fun, Coarsening(), argnums, False, None, how(method, budget, model)).notes(*args)
    found = [note for note in notes.about(SUBJECT) if isinstance(note, Eliminated)]
    if not found:
        raise ArgumentError(
            f"the Jacobian of {getattr(fun, '__name__', 'this function')} is not accumulated by elimination",
            why="it has loops or array operations over what is differentiated by, or is too large to be written out",
        )
    return found[0]


# -- products with derivatives ----------------------------------------------------------------------


def jvp(
    fun: Function,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
    *,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Any:
    """The value at `primals` and its tangent in the direction `tangents`, both sequences of the function's arguments.

    Where the value holds something else than floats, the tangent is None. With `has_aux` a third result is what the
    function returned beside its value.

    >>> import tapeless as tp
    >>> tp.jvp(lambda x, y: x * y, (3.0, 5.0), (1.0, 0.0))
    (15.0, 5.0)
    """
    return _derived("jvp", fun, Coarsening(coarsen, segments), 0, has_aux)(tuple(primals), tuple(tangents))


def hvp(
    fun: Function,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    memory: Memory = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Any:
    """The Hessian at `primals` times `tangents`, at a small multiple of the cost of the gradient.

    In the structure of the argument, or a tuple of such for several.

    >>> import numpy as np, tapeless as tp
    >>> tp.hvp(lambda x: x[0] ** 2 * x[1], (np.array([2.0, 3.0]),), (np.array([1.0, 0.0]),))
    array([6., 4.])
    """
    return _derived("hvp", fun, Coarsening(coarsen, segments), memory=memory)(tuple(primals), tuple(tangents))


def vjp(
    fun: Function,
    *primals: Any,
    has_aux: bool = False,
    memory: Memory = None,
    coarsen: bool | None = None,
    segments: Segments | None = None,
) -> Any:
    """The value at `primals`, and the function from a cotangent of the value to the adjoints of all primals, a tuple.

    Nothing is kept but the primals: the function runs the forward sweep again.

    >>> import tapeless as tp
    >>> value, pull = tp.vjp(lambda x, y: x * y, 3.0, 5.0)
    >>> value, pull(1.0)
    (15.0, (5.0, 3.0))
    """
    kept, own = deepcopy(primals), Coarsening(coarsen, segments)
    out = _value(fun, own, primals)
    value, *aux = out if has_aux else (out,)
    return value, partial(_derived("pull", fun, own, 0, has_aux, memory), kept), *aux


def linearize(fun: Function, *primals: Any, coarsen: bool | None = None, segments: Segments | None = None) -> Any:
    """The value at `primals`, and the function from tangents of the primals to the tangent of the value.

    >>> import tapeless as tp
    >>> value, push = tp.linearize(lambda x, y: x * y, 3.0, 5.0)
    >>> value, push(1.0, 0.0)
    (15.0, 5.0)
    """
    kept = deepcopy(primals)

    def push(*tangents: Any) -> Any:
        return jvp(fun, kept, tangents, coarsen=coarsen, segments=segments)[1]

    return _value(fun, Coarsening(coarsen, segments), primals), push


def _value(fun: Function, own: Coarsening, primals: Sequence[Any]) -> Any:
    """The function at copies of its arguments, compiled as its derivative asks for."""
    with own.in_force():
        return jitted(compilable(differentiable(fun)))(*deepcopy(primals))


# -- marks in functions -----------------------------------------------------------------------------


def stop_gradient(x: T) -> T:
    """The same value, a constant for every derivative.

    >>> import tapeless as tp
    >>> tp.grad(lambda x: x * tp.stop_gradient(x))(3.0)
    3.0
    """
    return x


def checkpoint(fun: Function) -> Function:
    """The same function, of which reverse mode keeps nothing: the return sweep runs it again from its arguments.

    Values and derivatives do not change. The function may not write into its arguments where it is differentiated.

    >>> import numpy as np, tapeless as tp
    >>> def decay(x):
    ...     for _ in range(100):
    ...         x = x - 0.01 * np.sin(x)
    ...     return x
    >>> half = tp.checkpoint(decay)
    >>> bool(tp.grad(lambda x: half(half(x)))(1.0) == tp.grad(lambda x: decay(decay(x)))(1.0))
    True
    """
    return Checkpointed(fun)


def _derived(
    verb: Any,
    fun: Function,
    own: Coarsening,
    argnums: Argnums = 0,
    has_aux: bool = False,
    memory: Any = None,
    how: How | None = None,
) -> Derived:
    which = argnums if isinstance(argnums, int) else tuple(argnums)
    return derived(verb, differentiable(fun), which, has_aux, memory, how, own)


def _sparse(
    method: SparseMethod, fun: Function, own: Coarsening, argnums: Argnums, has_aux: bool, memory: Any = None
) -> SparseJacobian:
    from .sparse import sparse_jacobian

    if has_aux:
        raise ArgumentError("sparse derivatives have no has_aux", fix="return the value alone, without sparse=True")
    which = argnums if isinstance(argnums, int) else tuple(argnums)
    return sparse_jacobian(differentiable(fun), which, method, memory, own)


@registry.at_first_lookup
def _name_verbs() -> None:
    """Tell the front end what these functions mean in compiled code."""
    from .front import verbs
    from .front.numpy import library

    assert library.__all__  # its import registers the names of NumPy
    meanings = {
        grad: verbs.grad,
        value_and_grad: verbs.value_and_grad,
        jacfwd: verbs.jacfwd,
        jacrev: verbs.jacrev,
        jacobian: verbs.jacobian,
        hessian: verbs.hessian,
        jvp: verbs.jvp,
        hvp: verbs.hvp,
        vjp: verbs.vjp_,
        linearize: verbs.linearize_,
        stop_gradient: verbs.stop_gradient,
        checkpoint: verbs.checkpoint,
        jit: verbs.same,
    }
    for outside, inside in meanings.items():
        registry.implements(outside)(inside)


# Searches for elimination orders run on code that is compiled here.
engine.install(lambda: _jitted(Options(check="none"), kernel.sweep))
