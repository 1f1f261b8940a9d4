"""Our own machine code: the Jacobian of one point, mapped over the points."""

from __future__ import annotations

from typing import Any

import numpy as np
from setting import Call, is_hessian
from tasks import Task

import tapeless as tp


def many(task: Task, points: Any, variant: str, threads: int) -> Call:  # noqa: ARG001 (threads are set from outside)
    jacobian = _jacobian(task, points.dtype)

    def jacobians(points: Any) -> Any:
        return tp.map(jacobian, points)

    jacobians.__annotations__ = {"points": _scalar(points.dtype)[:, len(task.shapes)]}
    compiled = tp.jit(jacobians)
    return Call(lambda: compiled(points))


def one(task: Task, point: Any, variant: str) -> Any:  # noqa: ARG001
    return _jacobian(task, point.dtype)(point)


def _jacobian(task: Task, dtype: Any) -> Any:
    function = task.function

    def value(x: Any) -> Any:
        return function(*x)

    def vector(x: Any) -> Any:
        return np.array(function(*x))

    chosen = value if is_hessian(task) else vector
    chosen.__annotations__ = {"x": _scalar(dtype)[len(task.shapes)]}
    return (tp.hessian if is_hessian(task) else tp.jacobian)(chosen)


def _scalar(dtype: Any) -> Any:
    return tp.f64 if dtype == np.float64 else tp.f32
