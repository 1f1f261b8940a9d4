"""Numbers in fields of dataclass arguments: changed in the caller's object, by the function and by its inverse."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tp


@dataclass
class Body:
    x: float
    v: float
    count: int
    trail: np.ndarray


@dataclass
class Pair:
    first: Body
    second: Body


@dataclass(frozen=True)
class Rigid:
    x: float


@dataclass
class Guarded:
    x: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, abs(value))


def pair():
    return Pair(Body(1.0, 0.5, 2, np.arange(3.0)), Body(0.25, 0.125, 7, np.ones(2)))


def leaves(value):
    return [
        np.asarray(part).tolist()
        for body in (value.first, value.second)
        for part in (body.x, body.v, body.count, body.trail)
    ]


def dance(both, dt, steps):
    for i in range(steps):
        if both.first.count % 2 == 0:
            both.second.v -= both.first.x * dt
        both.first.x += both.second.v * dt
        both.first.trail[1:] += both.second.x
        both.first.count += i
        both.first.count ^= 5
        both.second.x, both.second.v = both.second.v, both.second.x


def swing(both, dt, steps):
    for _ in range(steps):
        both.second.v -= both.first.x * dt
        both.first.x += both.second.v * dt


@pytest.mark.parametrize("decorator", [tp.jit, tp.reversible])
@pytest.mark.parametrize("mode", ["compile", "interpret"])
def test_fields_become_what_plain_python_makes_of_them(decorator, mode):
    ours, plain = pair(), pair()
    first = ours.first
    with tp.config(mode=mode):
        decorator(dance)(ours, 0.125, 10)
    dance(plain, 0.125, 10)
    assert leaves(ours) == leaves(plain)
    assert ours.first is first
    assert type(first.x) is float
    assert type(first.count) is int


def test_the_inverse_brings_fields_back():
    f = tp.reversible(dance)
    both = pair()
    f(both, 0.125, 10)
    assert leaves(both) != leaves(pair())
    (~f)(both, 0.125, 10)
    for back, first in zip(leaves(both), leaves(pair()), strict=True):
        np.testing.assert_allclose(back, first, rtol=1e-14, atol=1e-15)
    assert both.first.count == 2
    f.check_inverse(pair(), 0.1, 10)


def test_what_is_kept_brings_fields_back():
    @tp.reversible
    def bounce(body, steps):
        for _ in range(steps):
            body.x += body.v
            if body.x > 2.0:
                body.x -= 2.0
                body.count += 1

    body = pair().first
    _, kept = bounce.keep(body, 9)
    assert kept
    bounce.undo(kept, body, 9)
    assert (body.x, body.v, body.count) == (1.0, 0.5, 2)


def test_inside_of_compiled_code():
    f = tp.reversible(swing)

    @tp.jit
    def there_and_back(x, steps):
        both = Pair(Body(x, 0.0, 1, np.zeros(2)), Body(x, 0.0, 1, np.zeros(2)))
        f(both, 0.125, steps)
        middle = both.first.x
        (~f)(both, 0.125, steps)
        return middle, both.first.x, both.second.v

    plain = pair()
    plain.first.x, plain.second.v = 1.0, 0.0
    swing(plain, 0.125, 20)
    middle, x, v = there_and_back(1.0, 20)
    assert middle == plain.first.x
    np.testing.assert_allclose([x, v], [1.0, 0.0], atol=1e-14)


def test_a_list_that_a_function_changes_is_brought_back_in_compiled_code():
    @tp.reversible
    def mix(numbers, steps):
        for _ in range(steps):
            numbers[0] += numbers[1]
            numbers[1] -= 0.5 * numbers[0]

    @tp.jit
    def there_and_back(x, steps):
        numbers = [x, 2.0]
        mix(numbers, steps)
        middle = numbers[0]
        (~mix)(numbers, steps)
        return middle, numbers

    middle, numbers = there_and_back(1.0, 7)
    assert middle != 1.0
    assert numbers == [1.0, 2.0]


def test_a_block_that_is_run_backwards():
    @tp.jit
    def back(both, steps):
        with tp.inverse():
            for _ in range(steps):
                both.second.v -= both.first.x * 0.125
                both.first.x += both.second.v * 0.125

    both = pair()
    swing(both, 0.125, 20)
    back(both, 20)
    np.testing.assert_allclose([both.first.x, both.second.v], [1.0, 0.125], atol=1e-14)


def test_irreversible_fields_stay_and_the_others_come_back():
    @tp.reversible
    def mark(body, count):
        with tp.irreversible():
            body.count = count
        body.x += body.count

    body = pair().first
    mark(body, 3)
    assert (body.x, body.count) == (4.0, 3)
    (~mark)(body, 3)
    assert (body.x, body.count) == (1.0, 3)


def test_pairs_that_change_fields():
    def grow(body):
        body.x *= body.x

    def shrink(body):
        body.x = np.sqrt(body.x)

    def shrink_nothing(body):
        pass

    def use(squared):
        @tp.reversible
        def f(body):
            squared(body)
            body.x += 1.0

        return f

    f, body = use(tp.dual(grow, shrink)), pair().first
    body.x = 3.0
    f(body)
    assert body.x == 10.0
    (~f)(body)
    assert body.x == 3.0
    with pytest.raises(tp.TapelessError, match="leaves argument 0 as it is"):
        (~use(tp.dual(grow, shrink_nothing)))(body)


def test_an_object_that_is_passed_twice_is_plain_pythons():
    def meet(a, b):
        a.x += b.x
        b.x += a.x

    f, one, plain = tp.reversible(meet), pair().first, pair().first
    meet(plain, plain)
    with pytest.warns(tp.PlainPythonWarning, match="given twice"):
        f(one, one)
    assert one.x == plain.x == 4.0
    with pytest.raises(tp.TapelessError, match="cannot write"):
        (~f)(one, one)
    assert one.x == 4.0


WORLD = pair().first


def test_an_object_that_is_also_captured_is_plain_pythons():
    def pull(body):
        body.x += WORLD.v
        body.v += 1.0
        body.x += WORLD.v

    plain = deepcopy(WORLD)
    plain.x += 0.5 + 1.5
    f = tp.jit(pull)
    with pytest.warns(tp.PlainPythonWarning):
        f(WORLD)
    assert WORLD.x == plain.x


def test_gradients_by_fields():
    f = tp.reversible(swing)

    def loss(both, steps):
        f(both, 0.1, steps)
        return both.first.x**2

    def plain(x, v):
        both = pair()
        both.first.x, both.second.v = x, v
        swing(both, 0.1, 50)
        return both.first.x**2

    both = pair()
    both.first.count = both.second.count = 0.0
    slope = tp.grad(loss)(both, 50)
    h = 1e-6
    by_x = (plain(1.0 + h, 0.125) - plain(1.0 - h, 0.125)) / (2 * h)
    by_v = (plain(1.0, 0.125 + h) - plain(1.0, 0.125 - h)) / (2 * h)
    np.testing.assert_allclose([slope.first.x, slope.second.v], [by_x, by_v], rtol=1e-7)
    assert both.first.x == 1.0


def rebind(both):
    both.first.trail = both.first.trail + 1.0


def replace(both):
    both.first = both.second


def into_list(numbers):
    numbers[0] += 1.0


def into_frozen(body):
    body.x += 1.0


@pytest.mark.parametrize(
    ("function", "argument", "match"),
    [
        (rebind, pair(), "passed in cannot be changed"),
        (replace, pair(), "passed in cannot be changed"),
        (into_list, [1.0], "passed in cannot be changed"),
        (into_frozen, Rigid(1.0), "frozen"),
        (into_frozen, Guarded(1.0), "passed in cannot be changed"),
    ],
)
def test_what_cannot_be_written_back_is_refused(function, argument, match):
    with pytest.raises(tp.TapelessError, match=match):
        tp.reversible(function)(argument)
    if function is not into_frozen:
        with pytest.raises(tp.TapelessError):
            (~tp.reversible(function))(argument)


def test_after_an_exception_fields_are_what_they_were():
    @tp.jit
    def fails(body, k):
        body.x += 1.0
        body.trail[k] += 1.0

    body = pair().first
    with pytest.raises(IndexError):
        fails(body, 7)
    assert body.x == 1.0
