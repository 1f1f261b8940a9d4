"""Numbers of JAX and PyTorch for our interpreter: a program runs eagerly on them, and they differentiate it.

A `Peer` is a number tower (`ir/numbers`): every float is a `Num` around a scalar of the library, operations are the
library's own, and control flow sees plain truth values. Reductions, scans, histograms and scatters by a single
operation go to the library's array operations (`PeerLinker`), so that its rules for those are compared too. What a
library lacks raises `Outside`: the program is not in the common subset.

`Peer.events` collects what happens at a point where mathematics leaves a choice; differences are explained by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeless.ir import eval as interpreter
from tapeless.ir.core import Apply, Function, Lambda
from tapeless.ir.numbers import NUMPY_TYPES, convert, int_power, logical_shift_right, to_int
from tapeless.ir.op import Op
from tapeless.ir.types import BOOL, F32, F64, Atom, DType, Type

KINKS = {
    "min",
    "max",
    "fmin",
    "fmax",
    "floordiv",
    "mod",
    "abs",
    "sqrt",
    "cbrt",
    "pow",
    "copysign",
    "sign",
    "hypot",
    "atan2",
}


# Functions that the libraries have under our names.
SAME = (
    "add", "sub", "mul", "neg", "abs", "sign", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "digamma",
    "floor", "ceil", "sqrt", "pow",
)  # fmt: skip
_TORCH = ("log2", "log10", "hypot", "trunc", "fmin", "fmax", "copysign")
_JAX = ("cbrt",)


class Outside(Exception):
    """The program uses something that the peer does not have."""


class Num:
    """A float of a library."""

    __slots__ = ("peer", "v")

    def __init__(self, peer: Peer, v: Any) -> None:
        self.peer, self.v = peer, v

    def __add__(self, other: Num) -> Num:
        return Num(self.peer, self.peer.call("add", self.v, other.v))

    def __sub__(self, other: Num) -> Num:
        return Num(self.peer, self.peer.call("sub", self.v, other.v))

    def __mul__(self, other: Num) -> Num:
        return Num(self.peer, self.peer.call("mul", self.v, other.v))

    def __neg__(self) -> Num:
        return Num(self.peer, self.peer.call("neg", self.v))

    def __float__(self) -> float:
        return self.peer.plain(self.v)

    def __lt__(self, other: Num) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Num) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Num) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Num) -> bool:
        return float(self) >= float(other)

    def __eq__(self, other: object) -> bool:
        return float(self) == float(other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        return float(self) != float(other)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]


class Peer:
    """The tower of a library. `functions` are its scalar functions by our names."""

    boolean = staticmethod(np.bool_)
    shl, shr, lshr = staticmethod(np.left_shift), staticmethod(np.right_shift), staticmethod(logical_shift_right)
    ipow = staticmethod(int_power)
    name = ""

    def __init__(self) -> None:
        self.functions: dict[str, Callable[..., Any]] = {}
        self.events: set[str] = set()

    # -- what a library provides --------------------------------------------------------------------

    def make(self, value: Any, dtype: DType) -> Any:
        """A scalar of the library."""
        raise NotImplementedError

    def plain(self, value: Any) -> float:
        """What a scalar of the library is worth."""
        return float(value)

    def cast(self, value: Any, dtype: DType) -> Any:
        raise NotImplementedError

    def fold(self, op: str, values: Any, *, running: bool) -> Any:
        """A reduction, or its prefixes, of a vector."""
        raise NotImplementedError

    def write(self, op: str, dest: Any, keys: Any, values: Any) -> Any:
        """dest[keys] op= values, `update` for plain assignment."""
        raise NotImplementedError

    def stack(self, values: Sequence[Any]) -> Any:
        raise NotImplementedError

    def gradients(self, run: Callable[[list[Any]], list[Num]], at: list[Any], weights: list[float]) -> list[float]:
        """The adjoints of the leaves `at` for these weights of the results."""
        raise NotImplementedError

    # -- the tower ------------------------------------------------------------------------------------

    def call(self, name: str, *args: Any) -> Any:
        """A scalar function of the library."""
        if name not in self.functions:
            raise Outside(name)
        return self.functions[name](*args)

    def storage(self, dtype: DType) -> Any:
        return object if dtype.is_float else NUMPY_TYPES[dtype]

    def scalar(self, value: Any, dtype: DType) -> Any:
        if not dtype.is_float:
            return NUMPY_TYPES[dtype](value)
        return value if isinstance(value, Num) else Num(self, self.make(float(value), dtype))

    def operation(self, op: Op) -> Callable[..., Any]:
        own = getattr(self, f"op_{op.name}", None)
        if own is not None:
            return own
        return partial(op.meaning, self)

    def written(self, arrays: Sequence[Any]) -> None:
        """Nothing is counted here."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function of floats; of integers NumPy's own."""
        if name.startswith(("_", "op_")):
            raise AttributeError(name)

        def function(*args: Any) -> Any:
            if isinstance(args[0], Num):
                if name in KINKS:
                    self._note(name, [float(x) for x in args])
                return Num(self, self.call(name, *(x.v for x in args)))
            integer = {"min": np.minimum, "max": np.maximum, "floordiv": np.floor_divide, "mod": np.mod}
            return integer.get(name, getattr(np, name, None))(*args)  # type: ignore[misc]

        return function

    def _note(self, name: str, at: Sequence[float]) -> None:
        """Is this a point where a derivative is a convention?"""
        if name in ("hypot", "atan2"):
            where = "the origin" if at[0] == at[1] == 0.0 else ""
        elif name in ("min", "max", "fmin", "fmax"):
            where = "a tie" if at[0] == at[1] else ""
        elif name in ("floordiv", "mod"):
            where = "a multiple" if at[1] and at[0] % at[1] == 0.0 else ""
        else:
            where = "0" if at[0] == 0.0 else ""
        if where:
            self.events.add(f"{name} at {where}")

    def op_select(self, cond: Any, yes: Any, no: Any) -> Any:
        if not isinstance(yes, Num):
            return yes if cond else no
        if not np.isfinite(float(no if cond else yes)):
            self.events.add("an arm that is not taken and not finite")
        return Num(self, self.call("where", bool(cond), yes.v, no.v))

    def op_stop_gradient(self, x: Any) -> Any:
        return Num(self, self.call("stop_gradient", x.v)) if isinstance(x, Num) else x

    def isnan(self, x: Num) -> Any:
        return np.bool_(np.isnan(float(x)))

    def isinf(self, x: Num) -> Any:
        return np.bool_(np.isinf(float(x)))

    def isfinite(self, x: Num) -> Any:
        return np.bool_(np.isfinite(float(x)))

    def fma(self, x: Num, y: Num, z: Num) -> Num:
        return x * y + z

    def convert(self, x: Any, dtype: DType) -> Any:
        if not isinstance(x, Num):
            return Num(self, self.make(float(x), dtype)) if dtype.is_float else convert(x, dtype)
        if dtype is BOOL:
            return np.bool_(float(x) != 0)
        return Num(self, self.cast(x.v, dtype)) if dtype.is_float else to_int(np.trunc(float(x)), dtype)

    def op_bitcast(self, *_: Any) -> Any:
        raise Outside("bitcast")

    def argsort(self, a: Any) -> Any:
        plain = np.array([float(x) for x in a.flat]).reshape(a.shape) if a.dtype == object else a
        return np.argsort(plain, axis=-1, kind="stable")


class PeerLinker(interpreter._Linker):
    """The interpreter, with the library's own array operations where a form is one of those."""

    tower: Peer

    def reduce(self, size: Atom, op: Lambda, neutral: Sequence[Atom], body: Lambda) -> Any:
        name = _single(op, neutral)
        if name is None:
            return super().reduce(size, op, neutral, body)
        start, rows = self.slot(neutral[0]), self.indexed(size, body)

        def run(frame: list[Any]) -> list[Any]:
            values = [row[0] for row in rows(frame)]
            return [self._folded(name, values, running=False)[0]] if values else [frame[start]]

        return run

    def scan(self, size: Atom, op: Lambda, neutral: Sequence[Atom], body: Lambda, types: Sequence[Type]) -> Any:
        name = _single(op, neutral)
        if name is None:
            return super().scan(size, op, neutral, body, types)
        rows = self.indexed(size, body)

        def run(frame: list[Any]) -> list[Any]:
            values = [row[0] for row in rows(frame)]
            result = np.empty(len(values), object)
            if values:
                result[:] = self._folded(name, values, running=True)
            return [result]

        return run

    def hist(self, size: Atom, op: Lambda, dest: Sequence[Atom], keys: int, body: Lambda) -> Any:
        name = _single(op, dest) if keys == 1 and dest[0].type.rank == 1 else None
        if name is None:
            return super().hist(size, op, dest, keys, body)
        start, rows = self.slot(dest[0]), self.indexed(size, body)
        return lambda frame: [self._written(name, frame[start], list(rows(frame)))]

    def scatter(self, size: Atom, dest: Atom, body: Lambda) -> Any:
        simple = dest.type.dtype.is_float and dest.type.rank == 1 and len(body.body.results) == 2
        if not simple:
            return super().scatter(size, dest, body)
        start, rows = self.slot(dest), self.indexed(size, body)
        return lambda frame: [self._written("update", frame[start], list(rows(frame)))]

    def _folded(self, name: str, values: list[Num], *, running: bool) -> list[Num]:
        plain = [float(x) for x in values]
        if name in ("min", "max") and len(set(plain)) < len(plain):
            self.tower.events.add(f"reduction by {name} with a tie")
        if name == "mul" and 0.0 in plain:
            self.tower.events.add("product with a zero")
        found = self.tower.fold(name, self.tower.stack([x.v for x in values]), running=running)
        return [Num(self.tower, found[k]) for k in range(len(values))] if running else [Num(self.tower, found)]

    def _written(self, name: str, dest: Any, rows: list[Any]) -> Any:
        inside = [(int(key), value) for key, value in rows if 0 <= key < len(dest)]
        if not inside or not len(dest):
            return dest
        if len({key for key, _ in inside}) < len(inside):
            self.tower.events.add(f"{name} of one place twice")
        values = self.tower.stack([value.v for _, value in inside])
        found = self.tower.write(name, self.tower.stack([x.v for x in dest]), [key for key, _ in inside], values)
        result = np.empty(len(dest), object)
        result[:] = [Num(self.tower, found[k]) for k in range(len(dest))]
        return result


def runner(function: Function, peer: Peer) -> Callable[[Sequence[Any]], list[Any]]:
    """The function from arguments (arrays of `Num` for floats) to results."""
    linker = PeerLinker(peer)
    sizes = {size: linker.slot(size) for size in function.sizes}
    slots = [linker.slot(param) for param in function.params]
    run = linker.block(function.body)

    def call(args: Sequence[Any]) -> list[Any]:
        frame = linker.frame.copy()
        for param, slot, arg in zip(function.params, slots, args, strict=True):
            frame[slot] = arg
            interpreter._bind_sizes(param, arg, frame, sizes)
        with np.errstate(all="ignore"):
            return run(frame)

    return call


def _single(op: Lambda, start: Sequence[Atom]) -> str | None:
    """The operation that an operator on one float scalar consists of."""
    if len(start) != 1 or len(op.body.stms) != 1 or not start[0].type.dtype.is_float or op.params[0].type.is_array:
        return None
    stm = op.body.stms[0]
    whole = isinstance(stm.expr, Apply) and stm.expr.args == op.params and op.body.results == stm.vars
    return stm.expr.op if whole and stm.expr.op in ("add", "mul", "min", "max") else None


class Torch(Peer):
    """PyTorch, eager autograd."""

    name = "PyTorch"

    def __init__(self) -> None:
        super().__init__()
        import torch

        self.t = torch
        torch.set_num_threads(1)
        self.functions = {name: getattr(torch, name) for name in (*SAME, *_TORCH)} | {
            "div": torch.true_divide, "floordiv": partial(torch.div, rounding_mode="floor"), "mod": torch.remainder,
            "rint": torch.round,
            "min": torch.minimum, "max": torch.maximum, "stop_gradient": lambda x: x.detach(),
            "where": lambda c, x, y: torch.where(torch.tensor(c), x, y),
        }  # fmt: skip
        self.dtypes = {F64: torch.float64, F32: torch.float32}

    def make(self, value: Any, dtype: DType) -> Any:
        return self.t.tensor(value, dtype=self.dtypes[dtype])

    def plain(self, value: Any) -> float:
        return float(value.detach())

    def cast(self, value: Any, dtype: DType) -> Any:
        return value.to(self.dtypes[dtype])

    def stack(self, values: Sequence[Any]) -> Any:
        return self.t.stack(list(values))

    def fold(self, op: str, values: Any, *, running: bool) -> Any:
        t = self.t
        if running:
            found = {"add": t.cumsum, "mul": t.cumprod, "min": t.cummin, "max": t.cummax}[op](values, 0)
            return found if op in ("add", "mul") else found.values
        return {"add": t.sum, "mul": t.prod, "min": t.amin, "max": t.amax}[op](values)

    def write(self, op: str, dest: Any, keys: Any, values: Any) -> Any:
        index = self.t.tensor(keys)
        match op:
            case "update":
                return dest.index_put((index,), values)
            case "add":
                return dest.index_add(0, index, values)
            case _:
                kind = {"mul": "prod", "min": "amin", "max": "amax"}[op]
                return dest.index_reduce(0, index, values, kind)

    def gradients(self, run: Callable[[list[Any]], list[Num]], at: list[Any], weights: list[float]) -> list[float]:
        leaves = [x.requires_grad_() for x in at]
        results = run(leaves)
        total = sum((x.v.double() * w for x, w in zip(results, weights, strict=True)), self.t.tensor(0.0))
        if not leaves or not getattr(total, "requires_grad", False):
            return [0.0] * len(leaves)
        found = self.t.autograd.grad(total, leaves, allow_unused=True)
        return [0.0 if x is None else float(x) for x in found]


class Jax(Peer):
    """JAX, operation by operation."""

    name = "JAX"

    def __init__(self) -> None:
        super().__init__()
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp = jax, jnp
        lax, special = jax.lax, jax.scipy.special
        self.functions = {name: getattr(lax, name) for name in (*SAME, *_JAX)} | {
            "div": lax.div, "min": lax.min, "max": lax.max, "log2": jnp.log2, "log10": jnp.log10, "hypot": jnp.hypot,
            "trunc": jnp.trunc, "rint": jnp.round, "fmin": jnp.fmin, "fmax": jnp.fmax, "copysign": jnp.copysign,
            "floordiv": jnp.floor_divide, "mod": jnp.mod, "gamma": special.gamma, "stop_gradient": lax.stop_gradient,
            "where": jnp.where,
        }  # fmt: skip
        self.dtypes = {F64: jnp.float64, F32: jnp.float32}

    def make(self, value: Any, dtype: DType) -> Any:
        return NUMPY_TYPES[dtype](value)

    def plain(self, value: Any) -> float:
        return float(self.jax.lax.stop_gradient(value))

    def cast(self, value: Any, dtype: DType) -> Any:
        return self.jax.lax.convert_element_type(value, self.dtypes[dtype])

    def stack(self, values: Sequence[Any]) -> Any:
        return self.jnp.stack(list(values))

    def fold(self, op: str, values: Any, *, running: bool) -> Any:
        lax, jnp = self.jax.lax, self.jnp
        if running:
            return {"add": lax.cumsum, "mul": lax.cumprod, "min": lax.cummin, "max": lax.cummax}[op](values)
        return {"add": jnp.sum, "mul": jnp.prod, "min": jnp.min, "max": jnp.max}[op](values)

    def write(self, op: str, dest: Any, keys: Any, values: Any) -> Any:
        place = dest.at[np.array(keys)]
        return {"update": place.set, "add": place.add, "mul": place.multiply, "min": place.min, "max": place.max}[op](
            values
        )

    def gradients(self, run: Callable[[list[Any]], list[Num]], at: list[Any], weights: list[float]) -> list[float]:
        if not at:
            return []

        def weighted(leaves: list[Any]) -> Any:
            total: Any = np.float64(0.0)
            for x, w in zip(run(leaves), weights, strict=True):
                total = total + self.jax.lax.convert_element_type(x.v, self.dtypes[F64]) * w
            return total

        _, pull = self.jax.vjp(weighted, at)
        (found,) = pull(np.float64(1.0))
        return [float(x) for x in found]
