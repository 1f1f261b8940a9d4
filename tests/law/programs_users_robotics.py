"""Robotics and control: rotations, kinematics, dynamics, filters, planning."""

# Written as users write, not as the linter would.
# ruff: noqa: B007, C408

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .corpus import law

R = np.random.default_rng(5)


def rot_z(a):
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@law(
    (np.array([1.0, 0, 0, 0]), np.array([0.0, 1.0, 0, 0]), 0.3),
    (np.array([1.0, 0, 0, 0]), np.array([-1.0, 0, 0, 0]), 0.3),
)
def slerp(a, b, t):
    d = np.dot(a, b)
    if d < 0:
        b, d = -b, -d
    if d > 0.9995:
        r = a + t * (b - a)
        return r / np.linalg.norm(r)
    theta = np.arccos(np.clip(d, -1, 1))
    return (np.sin((1 - t) * theta) * a + np.sin(t * theta) * b) / np.sin(theta)


@law((np.array([0.1, 0.2, 0.3]),), (np.zeros(3),), (np.array([math.pi, 0, 0]),))
def rodrigues(w):
    theta = np.sqrt(np.sum(w * w))
    if theta < 1e-10:
        return np.eye(3) + skew(w)
    k = skew(w / theta)
    return np.eye(3) + math.sin(theta) * k + (1 - math.cos(theta)) * (k @ k)


DH = np.array([[0.0, 0.3, 0.1, np.pi / 2], [0.0, 0.0, 0.5, 0.0], [0.0, 0.1, 0.4, -np.pi / 2]])


def dh_matrix(theta, d, a, alpha):
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]])


@law((R.random(3),), (np.zeros(3),))
def forward_kinematics(q):
    T = np.eye(4)
    for i, (offset, d, a, alpha) in enumerate(DH):
        T = T @ dh_matrix(q[i] + offset, d, a, alpha)
    return T[:3, 3], T[:3, :3]


@law((R.random(3), DH), (np.zeros(1), DH[:1]))
def geometric_jacobian(q, dh):
    n = len(q)
    origins = np.zeros((n + 1, 3))
    axes = np.zeros((n + 1, 3))
    axes[0] = np.array([0.0, 0.0, 1.0])
    T = np.eye(4)
    for i in range(n):
        T = T @ dh_matrix(q[i] + dh[i, 0], dh[i, 1], dh[i, 2], dh[i, 3])
        origins[i + 1] = T[:3, 3]
        axes[i + 1] = T[:3, 2]
    J = np.zeros((6, n))
    for i in range(n):
        J[:3, i] = np.cross(axes[i], origins[n] - origins[i])
        J[3:, i] = axes[i]
    return J


@law((np.array([0.3, 0.4]), np.array([1.2, 0.5]), 20), (np.array([0.3, 0.4]), np.array([1.0, 1.0]), 4))
def inverse_kinematics_dls(q, target, iterations):
    l1, l2 = 1.0, 0.8
    for it in range(iterations):
        x = l1 * np.cos(q[0]) + l2 * np.cos(q[0] + q[1])
        y = l1 * np.sin(q[0]) + l2 * np.sin(q[0] + q[1])
        e = target - np.array([x, y])
        if np.linalg.norm(e) < 1e-10:
            break
        J = np.array(
            [
                [-l1 * np.sin(q[0]) - l2 * np.sin(q[0] + q[1]), -l2 * np.sin(q[0] + q[1])],
                [l1 * np.cos(q[0]) + l2 * np.cos(q[0] + q[1]), l2 * np.cos(q[0] + q[1])],
            ]
        )
        q = q + J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(2), e)
    return q, it


@dataclass
class Link:
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    length: float


LINKS = [
    Link(1.0, np.array([0.5, 0.0, 0.0]), np.eye(3) * 0.1, 1.0),
    Link(0.7, np.array([0.3, 0.1, 0.0]), np.eye(3) * 0.05, 0.6),
]


@law(
    (LINKS, np.array([0.3, 0.5]), np.array([1.0, -1.0]), np.array([0.1, 0.2])),
)
def rnea(links, q, qd, qdd):
    n = len(links)
    z = np.array([0.0, 0.0, 1.0])
    w = np.zeros(3)
    dw = np.zeros(3)
    acc = np.array([0.0, 9.81, 0.0])
    forces, moments, rotations = [], [], []
    for i, link in enumerate(links):
        Rt = rot_z(q[i]).T
        w_new = Rt @ w + z * qd[i]
        dw = Rt @ dw + np.cross(Rt @ w, z * qd[i]) + z * qdd[i]
        w = w_new
        p = np.array([links[i - 1].length, 0.0, 0.0]) if i > 0 else np.zeros(3)
        acc = Rt @ acc if i == 0 else Rt @ (acc + np.cross(dw, p))
        ac = acc + np.cross(dw, link.com) + np.cross(w, np.cross(w, link.com))
        forces.append(link.mass * ac)
        moments.append(link.inertia @ dw + np.cross(w, link.inertia @ w))
        rotations.append(rot_z(q[i]))
    f = np.zeros(3)
    m = np.zeros(3)
    tau = np.zeros(n)
    for i in range(n - 1, -1, -1):
        f_child, m_child = f, m
        if i < n - 1:
            f_child = rotations[i + 1] @ f
            m_child = rotations[i + 1] @ m
        f = f_child + forces[i]
        m = (
            moments[i]
            + m_child
            + np.cross(links[i].com, forces[i])
            + np.cross(np.array([links[i].length, 0, 0]), f_child)
        )
        tau[i] = m @ z
    return tau


Gains = namedtuple("Gains", ["kp", "ki", "kd", "limit"], defaults=(10.0,))


@law(
    (Gains(2.0, 0.5, 0.1), 1.0, 30, 0.05),
    (Gains(2.0, 0.5, 0.1, 0.1), 1.0, 5, 0.05),
    (Gains(1.0, 0.0, 0.0), 1.0, 0, 0.05),
)
def pid_rollout(gains, setpoint, steps, dt):
    x = v = integral = 0.0
    previous = setpoint - x
    log = np.zeros((steps, 2))
    for k in range(steps):
        error = setpoint - x
        integral += error * dt
        u = gains.kp * error + gains.ki * integral + gains.kd * (error - previous) / dt
        u = max(-gains.limit, min(gains.limit, u))
        previous = error
        v += dt * (u - 0.3 * v)
        x += dt * v
        log[k] = x, u
    return log


KF = dict(F=np.array([[1.0, 0.1], [0.0, 1.0]]), H=np.array([[1.0, 0.0]]), Q=np.eye(2) * 0.01, R=np.array([[0.1]]))


@law((KF, R.random((6, 1))), (KF, R.random((1, 1))))
def kalman_filter(model, zs):
    F, H, Q, Rn = model["F"], model["H"], model["Q"], model["R"]
    x = np.zeros(2)
    P = np.eye(2)
    xs = np.zeros((len(zs), 2))
    loglik = 0.0
    for k, z in enumerate(zs):
        x = F @ x
        P = F @ P @ F.T + Q
        y = z - H @ x
        S = H @ P @ H.T + Rn
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(2) - K @ H) @ P
        loglik -= 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))
        xs[k] = x
    return xs, P, loglik


@law((KF, R.random((5, 1))), (KF, R.random((1, 1))))
def rts_smoother(model, zs):
    F, H, Q, Rn = (model[k] for k in ("F", "H", "Q", "R"))
    n = len(zs)
    xp, Pp = np.zeros((n, 2)), np.zeros((n, 2, 2))
    xf, Pf = np.zeros((n, 2)), np.zeros((n, 2, 2))
    x, P = np.zeros(2), np.eye(2)
    for k in range(n):
        x, P = F @ x, F @ P @ F.T + Q
        xp[k], Pp[k] = x, P
        K = P @ H.T / (H @ P @ H.T + Rn)[0, 0]
        x = x + K[:, 0] * (zs[k, 0] - x[0])
        P = P - K @ H @ P
        xf[k], Pf[k] = x, P
    for k in range(n - 2, -1, -1):
        C = Pf[k] @ F.T @ np.linalg.inv(Pp[k + 1])
        xf[k] += C @ (xf[k + 1] - xp[k + 1])
        Pf[k] += C @ (Pf[k + 1] - Pp[k + 1]) @ C.T
    return xf, Pf


@law(
    (
        np.array([0.0, 0, 0, 2, 1, -1, 3]),
        np.eye(7) * 0.1,
        np.array([0.5, 0.1]),
        np.array([[2.2, 0.4, 0], [3.1, 1.8, 1]]),
        0.1,
    ),
)
def ekf_slam_step(mu, sigma, control, observations, dt):
    v, w = control
    mu = mu.copy()
    theta = mu[2]
    mu[:3] += np.array([v * dt * np.cos(theta), v * dt * np.sin(theta), w * dt])
    G = np.eye(len(mu))
    G[0, 2] = -v * dt * np.sin(theta)
    G[1, 2] = v * dt * np.cos(theta)
    sigma = G @ sigma @ G.T
    sigma[:3, :3] += np.eye(3) * 1e-3
    for rng, bearing, landmark in observations:
        j = 3 + 2 * int(landmark)
        delta = mu[j : j + 2] - mu[:2]
        q = delta @ delta
        sq = np.sqrt(q)
        expected = np.array([sq, np.arctan2(delta[1], delta[0]) - mu[2]])
        H = np.zeros((2, len(mu)))
        H[:, :3] = np.array([[-sq * delta[0], -sq * delta[1], 0], [delta[1], -delta[0], -q]]) / q
        H[:, j : j + 2] = np.array([[sq * delta[0], sq * delta[1]], [-delta[1], delta[0]]]) / q
        S = H @ sigma @ H.T + np.diag([0.1, 0.05])
        K = sigma @ H.T @ np.linalg.inv(S)
        innovation = np.array([rng, bearing]) - expected
        innovation[1] = (innovation[1] + np.pi) % (2 * np.pi) - np.pi
        mu += K @ innovation
        sigma = (np.eye(len(mu)) - K @ H) @ sigma
    return mu, sigma


@law((R.random((6, 2)), R.random((5, 2))), (R.random((1, 2)), R.random((1, 2))))
def icp_step(source, target):
    matched = np.zeros_like(source)
    for i in range(len(source)):
        best = np.inf
        for j in range(len(target)):
            d = np.sum((source[i] - target[j]) ** 2)
            if d < best:
                best = d
                matched[i] = target[j]
    ms, mt = source.mean(axis=0), matched.mean(axis=0)
    H = (source - ms).T @ (matched - mt)
    theta = np.arctan2(H[0, 1] - H[1, 0], H[0, 0] + H[1, 1])
    c, s = np.cos(theta), np.sin(theta)
    rotation = np.array([[c, -s], [s, c]])
    t = mt - rotation @ ms
    moved = source @ rotation.T + t
    return moved, rotation, t, np.sqrt(((moved - matched) ** 2).sum(axis=1).mean())


@law((np.array([1.0, 0.0]), 6), (np.array([1.0, 0.0]), 1))
def lqr_riccati(x0, horizon):
    A = np.array([[1.0, 0.1], [0.0, 1.0]])
    B = np.array([[0.0], [0.1]])
    Q, Rc = np.eye(2), 0.1 * np.eye(1)
    P = Q
    gains = np.zeros((horizon, 1, 2))
    for t in range(horizon - 1, -1, -1):
        K = np.linalg.solve(Rc + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        gains[t] = K
    x = x0
    cost = 0.0
    for t in range(horizon):
        u = -gains[t] @ x
        cost += x @ Q @ x + u @ Rc @ u
        x = A @ x + B @ u
    return cost, x, gains


@law(
    (np.array([0.0, 0.0, 0.0]), R.random((8, 5, 2)) - 0.5, np.array([1.0, 1.0]), 1.0),
)
def mppi(state, noise, goal, temperature):
    samples, horizon, _ = noise.shape
    costs = np.zeros(samples)
    for s in range(samples):
        x, y, th = state
        for t in range(horizon):
            v, w = noise[s, t] + np.array([0.5, 0.0])
            x += 0.1 * v * math.cos(th)
            y += 0.1 * v * math.sin(th)
            th += 0.1 * w
            costs[s] += (x - goal[0]) ** 2 + (y - goal[1]) ** 2
            if x < -1 or y < -1:
                costs[s] += 1e3
                break
    weights = np.exp(-(costs - costs.min()) / temperature)
    weights /= weights.sum()
    return np.einsum("s,std->td", weights, noise), costs


@law((np.array([0.0, 0.1, 0.0, 0.0]), 0.02, 20), (np.array([0.0, 0.1, 0.0, 0.0]), 0.02, 0))
def cart_pole(state, dt, steps):
    x, th, xd, thd = state
    mc, mp, l, g = 1.0, 0.1, 0.5, 9.81
    k = 0
    while k < steps and abs(th) < 0.4:
        force = 10.0 if th + 0.5 * thd > 0 else -10.0
        tmp = (force + mp * l * thd**2 * math.sin(th)) / (mc + mp)
        tha = (g * math.sin(th) - math.cos(th) * tmp) / (l * (4 / 3 - mp * math.cos(th) ** 2 / (mc + mp)))
        xa = tmp - mp * l * tha * math.cos(th) / (mc + mp)
        x, xd = x + dt * xd, xd + dt * xa
        th, thd = th + dt * thd, thd + dt * tha
        k += 1
    return np.array([x, th, xd, thd]), k


@law(
    (np.array([0.3, 0.2]), np.array([0.0, 0.0]), 0.01, 10),
)
def double_pendulum(q, qd, dt, steps):
    def mass_matrix(q):
        c = np.cos(q[1])
        return np.array([[3 + 2 * c, 1 + c], [1 + c, 1.0]])

    def bias(q, qd):
        s = np.sin(q[1])
        return np.array([-s * (2 * qd[0] * qd[1] + qd[1] ** 2), s * qd[0] ** 2]) + 9.81 * np.array(
            [2 * np.sin(q[0]) + np.sin(q[0] + q[1]), np.sin(q[0] + q[1])]
        )

    for _ in range(steps):
        qdd = np.linalg.solve(mass_matrix(q), -bias(q, qd))
        qd = qd + dt * qdd
        q = q + dt * qd
    return q, qd


@law(
    (np.array([[0.0, 0], [1, 0.2], [2, -0.1], [3, 0]]), 0.5, 0.1, 1e-6),
    (np.array([[0.0, 0], [3.0, 0.0]]), 0.5, 0.1, 1e-6),
)
def smooth_path(path, weight_data, weight_smooth, tolerance):
    new = path.copy()
    change = tolerance
    rounds = 0
    while change >= tolerance and rounds < 500:
        change = 0.0
        for i in range(1, len(path) - 1):
            for j in range(path.shape[1]):
                aux = new[i, j]
                new[i, j] += weight_data * (path[i, j] - new[i, j]) + weight_smooth * (
                    new[i - 1, j] + new[i + 1, j] - 2.0 * new[i, j]
                )
                change += abs(aux - new[i, j])
        rounds += 1
    return new, rounds


@law((R.random((8, 3)), R.random(8), R.random(8), 0.3), (R.random((1, 3)), R.random(1), R.random(1), 0.3))
def particle_filter_step(particles, weights, noise, u0):
    n = len(particles)
    moved = particles + noise[:, None] * 0.1
    w = weights * np.exp(-0.5 * ((moved - 0.5) ** 2).sum(axis=1) / 0.1)
    w = w / w.sum()
    ess = 1.0 / np.sum(w**2)
    cumulative = np.cumsum(w)
    resampled = np.empty_like(moved)
    j = 0
    for i in range(n):
        u = (u0 + i) / n
        while j < n - 1 and u > cumulative[j]:
            j += 1
        resampled[i] = moved[j]
    return resampled, ess


@law(
    (
        np.array([0.1, 0.2, 0.3, 1.0, 2.0, 5.0]),
        np.array([500.0, 320.0, 240.0]),
        R.random((4, 3)) + np.array([0, 0, 3.0]),
    ),
)
def project_points(camera, intrinsics, points):
    w, t = camera[:3], camera[3:]
    f, cx, cy = intrinsics
    out = np.empty((points.shape[0], 2))
    for i in range(points.shape[0]):
        p = points[i]
        theta2 = w @ w
        if theta2 > 1e-12:
            theta = math.sqrt(theta2)
            axis = w / theta
            p = p * math.cos(theta) + np.cross(axis, p) * math.sin(theta) + axis * (axis @ p) * (1 - math.cos(theta))
        p = p + t
        x, y = p[0] / p[2], p[1] / p[2]
        r2 = x * x + y * y
        d = 1 + r2 * (0.1 - 0.01 * r2)
        out[i, :] = f * d * x + cx, f * d * y + cy
    return out
