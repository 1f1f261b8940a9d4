"""The verbs of differentiation inside compiled code: `tp.grad(f)`, `tp.jvp(f, (x,), (v,))`, `tp.stop_gradient(x)`.

Their meaning outside is in `tapeless.api`, which names its functions to the registry together with these.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..config import Coarsening
from ..errors import DerivativeError
from ..ir.types import Atom
from ..records import replace
from .again import Again
from .context import Context
from .derived import Derivation, LinearMap, Verb, call_derived
from .leaves import from_atoms, take
from .linear_maps import linearize, vjp
from .numpy.nest import array_of, pull_atom
from .values import Value


def _derivation(
    c: Context, verb: Verb, fun: Value, own: Coarsening, argnums: Value, has_aux: Value, memory: Value = None
) -> Derivation:
    if not isinstance(has_aux, bool):
        c.refuse("has_aux must be True or False", error=DerivativeError)
    return Derivation(verb, fun, argnums, has_aux, memory, coarsening=own)


def _asked(c: Context, coarsen: Value, segments: Value) -> Coarsening:
    """What a call asks for itself."""
    try:
        return Coarsening(coarsen, segments)
    except ValueError as reason:
        c.refuse(str(reason), error=DerivativeError)


def grad(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    memory: Value = None,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    return _derivation(c, "grad", fun, _asked(c, coarsen, segments), argnums, has_aux, memory)


def value_and_grad(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    memory: Value = None,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    return _derivation(c, "value_and_grad", fun, _asked(c, coarsen, segments), argnums, has_aux, memory)


def jacfwd(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    sparse: Value = False,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    _need_dense(c, sparse)
    return _derivation(c, "jacfwd", fun, _asked(c, coarsen, segments), argnums, has_aux)


def jacrev(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    memory: Value = None,
    sparse: Value = False,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    _need_dense(c, sparse)
    return _derivation(c, "jacrev", fun, _asked(c, coarsen, segments), argnums, has_aux, memory)


def jacobian(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    method: Value = "auto",
    budget: Value = None,
    sparse: Value = False,
    memory: Value = None,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    from ..eliminate.methods import how

    _need_dense(c, sparse)
    order = method if isinstance(method, str) else c.items(method) or method
    return replace(
        _derivation(c, "jacobian", fun, _asked(c, coarsen, segments), argnums, has_aux, memory), how=how(order, budget)
    )


def hessian(
    c: Context,
    fun: Value,
    argnums: Value = 0,
    has_aux: Value = False,
    *,
    memory: Value = None,
    sparse: Value = False,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    _need_dense(c, sparse)
    from ..eliminate.methods import How

    own = _asked(c, coarsen, segments)
    slope = _derivation(c, "jacrev", fun, own, argnums, has_aux, memory)
    return replace(_derivation(c, "jacobian", slope, own, argnums, has_aux, memory), how=How(symmetric=True))


def jvp(
    c: Context,
    fun: Value,
    primals: Value,
    tangents: Value,
    has_aux: Value = False,
    *,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    return call_derived(
        c, _derivation(c, "jvp", fun, _asked(c, coarsen, segments), 0, has_aux), (primals, tangents), {}
    )


def hvp(
    c: Context,
    fun: Value,
    primals: Value,
    tangents: Value,
    *,
    memory: Value = None,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    return call_derived(
        c, Derivation("hvp", fun, memory=memory, coarsening=_asked(c, coarsen, segments)), (primals, tangents), {}
    )


def vjp_(
    c: Context,
    fun: Value,
    *primals: Value,
    has_aux: Value = False,
    memory: Value = None,
    coarsen: Value = None,
    segments: Value = None,
) -> Value:
    own = _asked(c, coarsen, segments)
    with own.in_force():
        value, pull, *aux = vjp(c, fun, primals, bool(has_aux), memory)
    return value, _within(own, pull), *aux


def linearize_(c: Context, fun: Value, *primals: Value, coarsen: Value = None, segments: Value = None) -> Value:
    own = _asked(c, coarsen, segments)
    with own.in_force():
        value, push = linearize(c, fun, primals)
    return value, _within(own, push)


def _within(own: Coarsening, linear: LinearMap) -> LinearMap:
    """A linear map that is emitted as it was asked for, wherever it is applied."""

    def apply(c: Context, args: Sequence[Value]) -> Value:
        with own.in_force():
            return linear.apply(c, args)

    return LinearMap(apply)


def _need_dense(c: Context, sparse: Value) -> None:
    if sparse is not False:
        c.refuse(
            "sparse matrices cannot be made inside compiled functions",
            why="their size is the number of nonzeros, which is found between two runs",
            fix="call the sparse derivative outside",
            error=DerivativeError,
        )


def same(_c: Context, fun: Value, /) -> Value:
    """`tp.jit(f)`: all calls are inlined anyway."""
    return fun


def checkpoint(_c: Context, fun: Value, /) -> Value:
    """The same function, whose values reverse mode computes again."""
    return Again(fun)


def stop_gradient(c: Context, x: Value) -> Value:
    """The same value, a constant for every derivative."""
    tree, atoms = take(c, x)
    return from_atoms(c, tree, [_stopped(c, atom) for atom in atoms])


def _stopped(c: Context, atom: Atom) -> Atom:
    if not atom.type.dtype.is_float:
        return atom
    element = pull_atom(atom)
    return array_of(c.b, element.shape, lambda b, index: b.apply("stop_gradient", element.at(b, index)))
