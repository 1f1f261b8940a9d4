"""A nonlinear boundary value problem, u'' + c exp(u) = 0: Newton's method with the sparse Jacobian of a loop."""

from __future__ import annotations

import numpy as np
from picture import curves
from scipy.sparse.linalg import spsolve

import tapeless as tp


def residual(u: np.ndarray, c: float) -> np.ndarray:
    n = len(u)
    h = 1.0 / (n + 1)
    out = np.empty(n)
    for i in range(n):
        left = u[i - 1] if i > 0 else 0.0
        right = u[i + 1] if i < n - 1 else 0.0
        out[i] = (left - 2.0 * u[i] + right) / h**2 + c * np.exp(u[i])
    return out


def main() -> None:
    jacobian = tp.jacobian(residual, sparse=True)
    compiled = tp.jit(residual)
    u = np.zeros(2000)
    for iteration in range(20):
        error = compiled(u, 3.0)
        print(f"iteration {iteration}: residual {np.abs(error).max():.1e}")
        if np.abs(error).max() < 1e-6:
            break
        u = u - spsolve(jacobian(u, 3.0), error)
    print(jacobian.explain().splitlines()[0])
    curves("bratu", np.linspace(0, 1, len(u)), u=u)
    assert np.abs(error).max() < 1e-6
    assert "3 colours" in jacobian.explain()


if __name__ == "__main__":
    main()
