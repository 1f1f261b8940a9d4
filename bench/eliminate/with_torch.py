"""PyTorch: torch.func, eager. (torch.compile cannot compile the forward Jacobian.)"""

from __future__ import annotations

import math
from collections.abc import Callable
from sys import modules
from types import SimpleNamespace
from typing import Any

import torch
from setting import Call, is_hessian
from tasks import Task
from tasks.rebound import rebound
from torch.func import grad, jacfwd, jacrev, vmap

_NAMES = ("sin", "cos", "tanh", "arctan", "arctan2", "exp", "log", "abs")


def _sqrt(x: Any) -> Any:
    return math.sqrt(x) if isinstance(x, float) else torch.sqrt(x)


_LIBRARY = SimpleNamespace(sqrt=_sqrt, **{name: getattr(torch, name) for name in _NAMES})


def many(task: Task, points: Any, variant: str, threads: int) -> Call:
    torch.set_num_threads(threads)
    jacobians = vmap(_jacobian(task, variant))
    arguments = torch.as_tensor(points)
    return Call(lambda: jacobians(arguments), lambda result: result.detach().numpy())


def one(task: Task, point: Any, variant: str) -> Any:
    return _jacobian(task, variant)(torch.as_tensor(point))


def _jacobian(task: Task, variant: str) -> Callable[..., Any]:
    assert task.function is not None
    scalars = rebound(modules[task.function.__module__], np=_LIBRARY, erf=torch.erf)[task.function.__name__]
    mode = jacfwd if variant == "forward" else jacrev
    return mode(grad(lambda x: scalars(*x))) if is_hessian(task) else mode(lambda x: torch.stack(scalars(*x)))
