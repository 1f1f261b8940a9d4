"""The programs in CasADi; the variant `c` is its generated C through gcc. Steps in time are one graph, repeated.

BGDHyperOpt masks the rounds after its end. CartPole with its policy is not here: CasADi has no derivative that passes a
sign straight through.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from bench.grad.eight.with_casadi import GENERATED, _runner
from bench.grad.eight.with_casadi import OPTIONS as USUAL
from bench.grad.harness import Calls

# Exponentials in lanes are in a library of their own.
LINKED = {"jit_options": {**USUAL["jit_options"], "linker_flags": ["-lmvec", "-lm"]}} if GENERATED else {}
OPTIONS = {**USUAL, **LINKED}


def _calls(symbols, value, inputs, by=None, shapes=None) -> Calls:
    """Gradients by the first symbols, in the shapes of NumPy, which CasADi's have transposed."""
    by = len(symbols) if by is None else by
    gradients = [ca.densify(ca.gradient(value, symbol)) for symbol in symbols[:by]]
    derivative = _runner(ca.Function("derivative", symbols, gradients, OPTIONS), inputs)
    primal = _runner(ca.Function("primal", symbols, [value], OPTIONS), inputs)

    def arrays(views):
        shape_of = shapes or [np.shape(x) for x in inputs[:by]]
        return [np.array(primal()[0][0, 0]), *(v.T.reshape(s) for v, s in zip(views, shape_of, strict=True))]

    return Calls(derivative, primal, arrays)


def bgd(rate, x, y, steps) -> Calls:
    m, xs, ys = len(x), ca.DM(x), ca.DM(y)
    state, at, r = ca.MX.sym("state", 2), ca.MX.sym("at"), ca.MX.sym("r")
    d = ca.sum1(2.0 * xs * (ys - xs * state[0])) / m
    going = ca.if_else(d < 0.001, 0.0, state[1])
    step = ca.Function("step", [state, at], [ca.vertcat(state[0] + going * at * d, going)])
    end = step.mapaccum(steps)(ca.DM([0.0, 1.0]), ca.repmat(r, 1, steps))[0, -1]
    return _calls([r], ca.sqrt(ca.sumsqr(ys - xs * end)) / m, [rate])


def brachistochrone(heights, dx) -> Calls:
    h = ca.SX.sym("h", len(heights))
    y = ca.vertcat(1.0, h, 0.0)
    v = ca.vertcat(0.0, ca.sqrt(2.0 * 9.8 * (1.0 - y[1:])))
    time = ca.sum1(ca.sqrt(dx * dx + (y[1:] - y[:-1]) ** 2) / ((v[1:] + v[:-1]) / 2.0))
    return _calls([h], time, [heights])


def spring(points, edges, lengths, stiffness) -> Calls:
    p = ca.SX.sym("p", 2, len(points))
    way = p[:, edges[:, 0].tolist()] - p[:, edges[:, 1].tolist()]
    length = ca.sqrt(ca.sum1(way * way) + 1e-6)
    return _calls([p], 0.5 * stiffness * ca.sumsqr(length.T - lengths), [points.T], shapes=[points.shape])


def hmc(beta, x, y) -> Calls:
    b, xs, ys = ca.MX.sym("b", len(beta)), ca.MX.sym("x", *x.shape), ca.MX.sym("y", len(y))
    z = xs @ b
    soft = ca.if_else(z < -80.0, -z, ca.log(1.0 + ca.exp(-z)))
    return _calls([b, xs, ys], ca.sum1(z * (ys - 1.0) - soft) - ca.sumsqr(b) / 2000.0, [beta, x, y], 1)


def cart_environment(state, actions) -> Calls:
    s, a = ca.SX.sym("s", 4), ca.SX.sym("a", len(actions))
    x, v, angle, turn = (s[k] for k in range(4))
    total = 0.0
    for t in range(len(actions)):
        r = 9.09 * a[t] + 0.045 * turn * turn * ca.sin(angle)
        q = (9.8 * ca.sin(angle) - r * ca.cos(angle)) / (0.667 - 0.045 * ca.cos(angle) ** 2)
        p = r - 0.045 * q * ca.cos(angle)
        x, v, angle, turn = x + 0.02 * v, v + 0.02 * p, angle + 0.02 * turn, turn + 0.02 * q
        total += (0.5 - ca.fmax(0.0, (2.4 - ca.fabs(x)) * (0.21 - ca.fabs(angle)))) ** 2
    return _calls([s, a], total, [state, actions])


def ragdoll(amplitudes, points, bones, lengths, muscles, rests, steps) -> Calls:
    n, m = len(points), len(muscles)
    state, amplitude, phase = ca.SX.sym("state", 2, 2 * n), ca.SX.sym("amplitude", m), ca.SX.sym("phase")
    p, v = state[:, :n], state[:, n:]
    force = [ca.vertcat(*_floor(p[:, i], v[:, i])) for i in range(n)]
    for (a, b), rest in zip(bones, lengths, strict=True):
        way = p[:, int(b)] - p[:, int(a)]
        length = ca.sqrt(ca.sumsqr(way) + 1e-9)
        stretch = length / rest - 1.0
        more = ca.if_else(stretch > 0.1, stretch - 0.1, ca.if_else(stretch < -0.1, stretch + 0.1, 0.0))
        _pull(force, a, b, (300.0 * stretch + 900.0 * more) / length * way)
    for k, ((a, b), rest) in enumerate(zip(muscles, rests, strict=True)):
        way = p[:, int(b)] - p[:, int(a)]
        length = ca.sqrt(ca.sumsqr(way) + 1e-9)
        sign = phase if k % 2 == 0 else -phase
        _pull(force, a, b, 60.0 * (length - rest * (1.0 + sign * amplitude[k])) / length * way)
    v = 0.999 * v + 0.01 * ca.horzcat(*force)
    step = ca.Function("step", [state, amplitude, phase], [ca.horzcat(p + 0.01 * v, v)])
    signs = ca.DM([1.0 if k // 8 % 2 == 0 else -1.0 for k in range(steps)]).T
    start, at = np.concatenate([points, np.zeros_like(points)]).T, ca.MX.sym("amplitudes", m)
    end = step.mapaccum(steps)(start, ca.repmat(at, 1, steps), signs)[0, -2 * n : -n]
    return _calls([at], (ca.sum2(end) - np.sum(points[:, 0])) / n, [amplitudes])


def _floor(p, v):
    low = p[1] < 0.0
    along = ca.if_else(low, ca.if_else(ca.fabs(v[0]) > 0.05, -3.0, -30.0) * v[0], 0.0)
    return along, -9.8 - ca.if_else(low, 400.0 * p[1] + 4.0 * v[1], 0.0)


def _pull(force, a, b, pull) -> None:
    force[a] = force[a] + pull
    force[b] = force[b] - pull
