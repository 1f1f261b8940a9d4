"""Logarithms of sums of exponentials, and the loss of a classifier, without overflow."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def logsumexp(total: Any, x: Any) -> Any:
    """Add `log(sum(exp(x)))` of a vector that is not empty.

    >>> import numpy as np
    >>> logsumexp(0.0, np.array([1000.0, 1000.0]))
    np.float64(1000.6931471805599)
    """
    total += _log_sum_exp(x)
    return total


@reversible
def cross_entropy(total: Any, x: Any, p: Any) -> Any:
    """Add `-sum(p * log(softmax(x)))`, the softmax cross-entropy of scores x and weights p.

    >>> import numpy as np
    >>> cross_entropy(0.0, np.array([0.0, 0.0]), np.array([1.0, 0.0]))
    np.float64(0.6931471805599453)
    """
    total += np.sum(p) * _log_sum_exp(x) - np.sum(p * x)
    return total


def _log_sum_exp(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))
