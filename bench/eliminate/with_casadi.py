"""CasADi: the Jacobian as an expression of scalars, in its virtual machine, mapped over the points.

Calls go through buffers without copies, in CasADi's column-major order. It computes in f64 only.
"""

from __future__ import annotations

from sys import modules
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
from setting import Call, is_hessian
from tasks import Task
from tasks.rebound import rebound

_LIBRARY = SimpleNamespace(
    sin=ca.sin, cos=ca.cos, tanh=ca.tanh, arctan=ca.atan, arctan2=ca.atan2, exp=ca.exp, log=ca.log, abs=ca.fabs,
    sqrt=ca.sqrt,
)  # fmt: skip


def many(task: Task, points: Any, variant: str, threads: int) -> Call:  # noqa: ARG001
    batch, single = len(points), _jacobian(task)
    rows, columns = single.size_out(0)
    mapped = single.map(batch) if threads == 1 or batch == 1 else single.map(batch, "thread", threads)
    buffer, run = mapped.buffer()
    arguments, results = points.ravel().copy(), np.zeros(batch * rows * columns)
    buffer.set_arg(0, memoryview(arguments))
    buffer.set_res(0, memoryview(results))

    def call() -> Any:
        run()
        return results, arguments, buffer

    return Call(call, lambda kept: kept[0].reshape(batch, columns, rows).transpose(0, 2, 1))


def one(task: Task, point: Any, variant: str) -> Any:  # noqa: ARG001
    return _jacobian(task)(point)


def _jacobian(task: Task) -> ca.Function:
    assert task.function is not None
    scalars = rebound(modules[task.function.__module__], np=_LIBRARY, erf=ca.erf)[task.function.__name__]
    x = ca.SX.sym("x", len(task.shapes))
    results = scalars(*(x[k] for k in range(len(task.shapes))))
    matrix = ca.hessian(results, x)[0] if is_hessian(task) else ca.jacobian(ca.vertcat(*results), x)
    return ca.Function("jacobian", [x], [ca.densify(matrix)])
