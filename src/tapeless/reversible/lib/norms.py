"""Inner products and norms, added to a number that is handed in and returned."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def dot(total: Any, x: Any, y: Any) -> Any:
    """Add the inner product of two vectors.

    >>> import numpy as np
    >>> dot(1.0, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.float64(12.0)
    >>> (~dot)(12.0, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    1.0
    """
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@reversible
def squared_norm(total: Any, x: Any) -> Any:
    """Add the sum of the squares of an array.

    >>> import numpy as np
    >>> squared_norm(0.0, np.array([3.0, 4.0]))
    np.float64(25.0)
    """
    total += np.sum(x * x)
    return total


@reversible
def norm(total: Any, x: Any) -> Any:
    """Add the Euclidean (Frobenius) norm of an array; squares beyond the range of floats do no harm.

    The gradient at zero is zero.

    >>> import numpy as np
    >>> norm(0.0, np.array([3.0, 4.0]))
    np.float64(5.0)
    """
    scale = np.max(np.abs(x), initial=0.0)
    if scale > 0.0:
        parts = x / scale
        total += scale * np.sqrt(np.sum(parts * parts))
    return total


@reversible
def norm1(total: Any, x: Any) -> Any:
    """Add the sum of the magnitudes of an array.

    >>> import numpy as np
    >>> norm1(0.0, np.array([3.0, -4.0]))
    np.float64(7.0)
    """
    total += np.sum(np.abs(x))
    return total


@reversible
def norm_max(total: Any, x: Any) -> Any:
    """Add the largest magnitude of an array.

    >>> import numpy as np
    >>> norm_max(0.0, np.array([3.0, -4.0]))
    np.float64(4.0)
    """
    total += np.max(np.abs(x), initial=0.0)
    return total
