"""One short program for each error, by its code. `np`, `tp` and `math` are imported; running it raises the error."""

EXAMPLES: dict[str, str] = {
    "TP001": """
from tapeless.ir.check import check
from tapeless.ir.text import parse_function

check(parse_function("def f(x: f64, n: i64) {\\n  y: f64 = add x n\\n  return y\\n}\\n"))
""",
    "TP101": """
@tp.jit
def safe_inverse(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0

safe_inverse(2.0)
""",
    "TP102": """
@tp.jit
def area(radius):
    return math.pi * raduis**2

area(2.0)
""",
    "TP103": """
@tp.jit
def spectrum(x):
    return np.fft.fft(x)

spectrum(np.ones(8))
""",
    "TP104": """
@tp.jit
def rotate(x):
    return x * 1j

rotate(2.0)
""",
    "TP105": """
@tp.jit
def extend(x):
    return x + (1, 2)

extend(2.0)
""",
    "TP106": """
@tp.jit
def add(x):
    return np.zeros(3) + np.ones(4) * x

add(2.0)
""",
    "TP107": """
@tp.jit
def clear_first(x, keep):
    y = x.copy() if keep else x
    y[0] = 0.0
    return x.sum()

clear_first(np.ones(3), True)
""",
    "TP108": """
@tp.jit
def total(x, axis):
    return np.sum(x, axis=axis)

total(np.ones((2, 3)), 0)
""",
    "TP109": """
@tp.jit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

factorial(5)
""",
    "TP110": """
names = {}
exec("def double(x): return 2 * x", names)

tp.jit(names["double"])(1.0)
""",
    "TP111": """
@tp.jit
def norm(x: tp.f64[:, 3]):
    return np.sqrt((x**2).sum(axis=1))

norm(np.ones((5, 2)))
""",
    "TP112": """
@tp.jit
def first_or_all(x, first):
    if first:
        y = x[0]
    else:
        y = x
    return y

first_or_all(np.ones(3), True)
""",
    "TP113": """
@tp.jit
def largest(x):
    return x.maximum()

largest(np.ones(3))
""",
    "TP114": """
@tp.jit
def total(x):
    return np.sum(x, axes=0)

total(np.ones(3))
""",
    "TP115": """
@tp.jit
def corner(m):
    return m[0, 0, 0]

corner(np.ones((2, 2)))
""",
    "TP116": """
@tp.jit
def step(x):
    y = x + velocity
    velocity = 1.0
    return y

step(2.0)
""",
    "TP117": """
@tp.jit
def double(x):
    return 2 * x

double(np.ones(3, dtype=np.int16))
""",
    "TP118": """
@tp.jit
def distance(point):
    x, y = point
    return math.hypot(x, y)

distance((1.0, 2.0, 3.0))
""",
    "TP119": """
@tp.jit
def predict(x, model):
    return model["slope"] * x + model["offset"]

predict(2.0, {"slope": 1.0, "ofset": 0.5})
""",
    "TP200": """
@tp.jit
def double(x):
    return 2 * x

double.show("ir")
""",
    "TP201": """
import sys
from unittest.mock import patch

with patch.dict(sys.modules, {"scipy.sparse": None}):  # as where SciPy is not installed
    tp.jacobian(np.sin, sparse=True)(np.ones(3))
""",
    "TP300": """
def losses(x):
    return (x - 1.0) ** 2

tp.grad(losses)(np.ones(3))
""",
    "TP302": """
import tapeless.testing

@tp.custom_jvp
def cube(x):
    return x**3

@cube.defjvp
def cube_rule(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return cube(x), 2.0 * x**2 * x_dot

tapeless.testing.check_grads(lambda x: 1.0 + cube(x), 2.0)
""",
    "TP400": """
@tp.reversible
def forget(x):
    for i in range(len(x)):
        x[i] = np.sin(x[i])

(~forget)(np.ones(3))
""",
    "TP501": """
@tp.jit
def differences(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = x[i + 1] - x[i]
    return out

differences(np.arange(4.0))
""",
    "TP502": """
@tp.jit
def mean(total, count):
    return total / count

mean(1.0, 0)
""",
    "TP503": """
@tp.jit
def add(x, y):
    return x + y

add(np.ones(3), np.ones(4))
""",
    "TP504": """
@tp.jit
def window(n):
    return np.zeros(n - 5)

window(3)
""",
    "TP505": """
@tp.jit
def largest(x):
    return x.max()

largest(np.ones(0))
""",
    "TP506": """
@tp.jit
def side(area):
    return math.sqrt(area)

side(-1.0)
""",
    "TP507": """
@tp.jit
def solution(a, b):
    return np.linalg.solve(a, b)

solution(np.ones((2, 2)), np.ones(2))
""",
    "TP510": """
@tp.jit
def last_positive(x):
    for v in x:
        if v > 0.0:
            found = v
    return found

last_positive(np.array([-1.0, -2.0]))
""",
    "TP511": """
@tp.jit
def growth(rate, time):
    return math.exp(rate * time)

growth(10.0, 100.0)
""",
    "TP512": """
@tp.jit(check="bounds,nan")
def log_ratio(a, b):
    return np.log(a / b)

log_ratio(np.array([1.0, -1.0]), np.array([2.0, 2.0]))
""",
    "TP513": """
@tp.jit
def grid(n):
    return np.zeros((n, n, n))

grid(100_000)
""",
}
