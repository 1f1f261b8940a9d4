"""Small programs, one per piece of control flow."""

# ruff: noqa: B007, F821, F841, PLR0133

import numpy as np

from .corpus import law

X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@law((2.0,), (0.5,), (-1.0,))
def if_elif_else(x):
    if x > 1.0:
        y = 1
    elif x > 0.0:
        y = 2
    else:
        y = 3
    return y


@law((-3.0,), (30.0,), (3.0,))
def early_return(x):
    if x < 0:
        return -x
    if x > 10:
        return 10.0
    return x * 2


@law((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0))
def nested_return(x, y):
    if x > 0:
        if y > 0:
            return 1.0
        z = 2.0
    else:
        z = 3.0
    return z + y


@law((X, 2.5), (X, 50.0), (np.zeros(0), 1.0))
def return_in_loop(x, t):
    for i in range(len(x)):
        if x[i] > t:
            return i
    return -1


@law((M, 6.0), (M, -6.0))
def return_in_nested_loop(a, t):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == t:
                return i, j
    return -1, -1


@law((X, 5), (X, 1))
def return_array_in_loop(x, n):
    for i in range(n):
        x = x * 2.0
        if x[0] > 10.0:
            return x
    return x - 1.0


@law((20.0,))
def while_true(x):
    n = 0
    while True:
        x = x / 2.0
        n += 1
        if x < 1.0:
            break
    return n


@law((20.0,))
def while_return(x):
    while True:
        x *= 0.5
        if x < 1.0:
            return x


@law((X,), (abs(X),))
def break_keeps_values(x):
    s = 0.0
    for v in x:
        if v < 0:
            break
        s += v
        last = v
    else:
        s = -s
    return s


@law((np.array([1.0, 1.5, 3.0, 1.0]),))
def break_before_update(x):
    n = 0
    y = 0.0
    for v in x:
        n += 1
        if v > 2.0:
            break
        y = y + v
    return n, y


@law((X,), mixed=[(np.zeros(0),)])
def continue_loop(x):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s += v
    return s


@law((np.array([1.0, -1.0, 200.0, 5.0]),))
def continue_and_break(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        if x[i] > 100:
            break
        s += x[i] * i
    return s


@law((X, 2.0), (X, 22.0))
def for_else(x, t):
    for v in x:
        if v == t:
            found = True
            break
    else:
        found = False
    return found


@law((X,), (np.zeros(0),))
def loop_variable_after(x):
    for i in range(len(x)):
        pass
    return i


@law((X,), (np.zeros(0),))
def last_value(x):
    for v in x:
        y = v * 2
    return y


@law((X,))
def previous_value(x):
    total = 0.0
    for i in range(len(x)):
        if i > 0:
            total += x[i] - prev
        prev = x[i]
    return total


@law((X,), (np.array([1, 2]),), mixed=[(np.zeros(0),)])
def int_then_float(x):
    s = 0
    for v in x:
        s += v
    return s


@law((0.5,), (7,))
def chained(x):
    return 0.0 < x < 1.0, 1 < 2 < 3, 0 <= x <= 5 > x


@law((True, False), (0.0, 2.0), (3, 2))
def boolean_values(x, y):
    return x and y, x or y, not x


@law((X, 0), (X, 99))
def short_circuit(x, i):
    if i < len(x) and x[i] > 0:
        return 1
    return 0


@law((X, 1), mixed=[(X, 99)])
def short_circuit_or(x, i):
    return i >= len(x) or x[i] > 0


@law((-2.0,))
def conditional(x):
    return x if x > 0 else -x


@law((1.0, 0.0), (1.0, 4.0))
def conditional_guard(a, b):
    return a / b if b != 0 else 0.0


@law((1.0, 5.0))
def swap(a, b):
    a, b = b, a
    return a - b


@law(((1.0, 2.0, 3.0, 4.0),), ((1.0, 2),))
def star(t):
    first, *middle, last = t
    return first + last, middle


@law((np.arange(3.0),), (np.arange(4.0),))
def unpack_array(v):
    x, y, z = v
    return x * y + z


@law((np.arange(6.0).reshape(2, 3),))
def unpack_rows(m):
    a, b = m
    return a - b


@law((((1.0, 2.0), 3.0),))
def nested_unpack(p):
    (a, b), c = p
    return a * b + c


@law((X,), (np.zeros(1),))
def walrus(x):
    if (n := len(x)) > 2:
        return n * 10
    return n


@law((X,), (abs(X),))
def walrus_loop(x):
    i = 0
    while (v := x[i]) > 0:
        i += 1
    return i, v
