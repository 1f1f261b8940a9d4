"""The programs of the coarsening paper, as a user of Python writes them: nothing here knows of closed forms.

Definitions are those of Shen and others (OOPSLA 2021), with its slips corrected: the descent descends. What the paper
does not give (data, rates, widths, meshes) is in `problems`. `ragdoll` stands in for QWOP, whose equations were never
published: a stick figure of the same shape (loops in loops, many branches, a schedule of muscles, distance as
objective), not the same program.
"""

from __future__ import annotations

import numpy as np

import tapeless as tp

GRAVITY = 9.8


def bgd(rate, x, y, steps) -> float:
    """BGDHyperOpt: the error of a line through the data after gradient descent, as a function of the learning rate."""
    m = len(x)
    w = 0.0
    for _ in range(steps):
        d = 0.0
        for i in range(m):
            d += 2.0 * x[i] * (y[i] - x[i] * w)
        d = d / m
        if d < 0.001:
            break
        w = w + rate * d
    error = 0.0
    for j in range(m):
        error += (y[j] - x[j] * w) ** 2
    return np.sqrt(error) / m


def brachistochrone(heights, dx) -> float:
    """The time to slide from (0, 1) to (4, 0) along points at equal distances; `heights` are those between."""
    n = len(heights)
    total, y, v = 0.0, 1.0, 0.0
    for i in range(n + 1):
        below = heights[i] if i < n else 0.0
        speed = np.sqrt(2.0 * GRAVITY * (1.0 - below))
        total += np.sqrt(dx * dx + (below - y) ** 2) / ((v + speed) / 2.0)
        y, v = below, speed
    return total


def spring(points, edges, lengths, stiffness) -> float:
    """HookeanSpring: the energy of springs between points of the plane."""
    energy = 0.0
    for e in range(len(edges)):
        dx = points[edges[e, 0], 0] - points[edges[e, 1], 0]
        dy = points[edges[e, 0], 1] - points[edges[e, 1], 1]
        energy += (np.sqrt(dx * dx + dy * dy + 1e-6) - lengths[e]) ** 2
    return 0.5 * stiffness * energy


def hmc(beta, x, y) -> float:
    """The logarithm of the posterior of a logistic regression; HMC calls its gradient again and again."""
    total = 0.0
    for i in range(len(y)):
        z = 0.0
        for j in range(len(beta)):
            z += x[i, j] * beta[j]
        total += z * (y[i] - 1.0)
        if -z > 80.0:
            total -= -z
        else:
            total -= np.log(1.0 + np.exp(-z))
    for j in range(len(beta)):
        total -= beta[j] * beta[j] / 2000.0
    return total


def cart_environment(state, actions) -> float:
    """CartPole without its policy: the loss along given actions."""
    x, v, angle, turn = state[0], state[1], state[2], state[3]
    loss = 0.0
    for t in range(len(actions)):
        x, v, angle, turn = _cart_step(x, v, angle, turn, actions[t])
        loss += _cart_loss(x, angle)
    return loss


def _cart_step(x, v, angle, turn, action):
    r = 9.09 * action + 0.045 * turn * turn * np.sin(angle)
    q = (9.8 * np.sin(angle) - r * np.cos(angle)) / (0.667 - 0.045 * np.cos(angle) ** 2)
    p = r - 0.045 * q * np.cos(angle)
    return x + 0.02 * v, v + 0.02 * p, angle + 0.02 * turn, turn + 0.02 * q


def _cart_loss(x, angle):
    inside = max(0.0, (2.4 - abs(x)) * (0.21 - abs(angle)))
    return (0.5 - inside) ** 2


def cart_policy(w1, w2, w3, state, steps) -> float:
    """CartPole with its policy of three layers; the sign is passed straight through by derivatives."""
    x, v, angle, turn = state[0], state[1], state[2], state[3]
    loss = 0.0
    for _ in range(steps):
        first = np.maximum(np.array([x, v, angle, turn]) @ w1, 0.0)
        second = np.maximum(first @ w2, 0.0)
        out = np.tanh(second @ w3)
        action = out + tp.stop_gradient(np.sign(out) - out)
        x, v, angle, turn = _cart_step(x, v, angle, turn, action)
        loss += _cart_loss(x, angle)
    return loss


def ragdoll(amplitudes, points, bones, lengths, muscles, rests, steps) -> float:
    """How far a stick figure has come: heavy joints, bones and muscles as springs, a schedule, a floor with friction.

    Bones that are stretched or pressed beyond a tenth are stiffer; a muscle alternates between its two lengths.
    """
    n = len(points)
    px, py = np.zeros(n), np.zeros(n)
    for i in range(n):
        px[i], py[i] = points[i, 0], points[i, 1]
    vx, vy = np.zeros(n), np.zeros(n)
    for step in range(steps):
        fx, fy = np.zeros(n), np.zeros(n)
        for i in range(n):
            fy[i] = -9.8
            if py[i] < 0.0:
                fy[i] = fy[i] - 400.0 * py[i] - 4.0 * vy[i]
                if abs(vx[i]) > 0.05:
                    fx[i] = -3.0 * vx[i]
                else:
                    fx[i] = -30.0 * vx[i]
        for e in range(len(bones)):
            a, b = bones[e, 0], bones[e, 1]
            dx, dy = px[b] - px[a], py[b] - py[a]
            length = np.sqrt(dx * dx + dy * dy + 1e-9)
            stretch = length / lengths[e] - 1.0
            pull = 300.0 * stretch
            if stretch > 0.1:
                pull = pull + 900.0 * (stretch - 0.1)
            elif stretch < -0.1:
                pull = pull + 900.0 * (stretch + 0.1)
            fx[a] += pull * dx / length
            fy[a] += pull * dy / length
            fx[b] -= pull * dx / length
            fy[b] -= pull * dy / length
        for m in range(len(muscles)):
            a, b = muscles[m, 0], muscles[m, 1]
            dx, dy = px[b] - px[a], py[b] - py[a]
            length = np.sqrt(dx * dx + dy * dy + 1e-9)
            if (step // 8 + m) % 2 == 0:
                rest = rests[m] * (1.0 + amplitudes[m])
            else:
                rest = rests[m] * (1.0 - amplitudes[m])
            pull = 60.0 * (length - rest)
            fx[a] += pull * dx / length
            fy[a] += pull * dy / length
            fx[b] -= pull * dx / length
            fy[b] -= pull * dy / length
        for i in range(n):
            vx[i] = 0.999 * vx[i] + 0.01 * fx[i]
            vy[i] = 0.999 * vy[i] + 0.01 * fy[i]
            px[i] = px[i] + 0.01 * vx[i]
            py[i] = py[i] + 0.01 * vy[i]
    distance = 0.0
    for i in range(n):
        distance += px[i] - points[i, 0]
    return distance / n
