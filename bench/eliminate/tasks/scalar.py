"""Four of the scalar tasks, and the price whose gradient is the fifth, as the examples of Graphax define them.

The literal expressions matter: the published counts are of graphs without common sub-expressions. The heat ratio of
0.5, the abs(u) that is there twice and the signs of the heart dipole are those of the original.

References: P. Roe, Approximate Riemann solvers (1981); MINPACK-2 (Averick and others, 1991); the kinematics of a 6-axis
arm, https://dergipark.org.tr/en/download/article-file/2289226.
"""

from math import erf

import numpy as np

GAMMA = 0.5


def _pressure(density, momentum, energy):
    return (GAMMA - 1.0) * (energy - 0.5 * momentum**2 / density)


def _flux(density, momentum, energy, pressure):
    velocity = momentum / density
    return momentum, pressure + momentum * velocity, velocity * (pressure + energy)


def roe_flux_1d(rho_l, m_l, e_l, rho_r, m_r, e_r):
    drho = rho_r - rho_l
    rho = np.sqrt(rho_l * rho_r)
    weight = np.sqrt(rho_l) + np.sqrt(rho_r)
    v_l = m_l / rho_l
    p_l = _pressure(rho_l, m_l, e_l)
    h_l = (e_l + p_l) / rho_l
    v_r = m_r / rho_r
    p_r = _pressure(rho_r, m_r, e_r)
    h_r = (e_r + p_r) / rho_r
    dp = p_r - p_l
    dv = v_r - v_l
    u = (np.sqrt(rho_l) * v_l + np.sqrt(rho_r) * v_r) / weight
    h = (np.sqrt(rho_l) * h_l + np.sqrt(rho_r) * h_r) / weight
    q2 = u**2
    a2 = (GAMMA - 1.0) * (h - 0.5 * q2)
    a = np.sqrt(a2)
    fast = np.abs(u + a)
    slow = np.abs(u)
    back = np.abs(u)
    n = a * rho
    c0 = (drho - dp / a2) * slow
    c1 = (dv + dp / n) * fast
    c2 = (dv - dp / n) * back
    l0, l1, l2 = _flux(rho_l, m_l, e_l, p_l)
    r0, r1, r2 = _flux(rho_r, m_r, e_r, p_r)
    f0 = l0 + r0
    f1 = l1 + r1
    f2 = l2 + r2
    c = 0.5 * rho / a
    d0 = c0 + c * c1 - c * c2
    d1 = c0 * u + c * c1 * (u + a) - c * c2 * (u - a)
    d2 = c0 * 0.5 * q2 + c * c1 * (h + u * a) - c * c2 * (h - u * a)
    return 0.5 * (f0 - d0), 0.5 * (f1 - d1), 0.5 * (f2 - d2)


def robot_arm_6dof(t1, t2, t3, t4, t5, t6):
    a1, a2, a3 = 175.0, 890.0, 50.0
    d1, d4, d6 = 575.0, 1035.0, 185.0
    c1 = np.cos(t1)
    c2 = np.cos(t2)
    c4 = np.cos(t4)
    c5 = np.cos(t5)
    c6 = np.cos(t6)
    c23 = np.cos(t2) * np.cos(t3) - np.sin(t2) * np.sin(t3)
    s1 = np.sin(t1)
    s2 = np.sin(t2)
    s4 = np.sin(t4)
    s5 = np.sin(t5)
    s6 = np.sin(t6)
    s23 = np.cos(t2) * np.sin(t3) + np.sin(t2) * np.cos(t3)
    ax = s5 * (c1 * c23 * c4 + s1 * s4) + c1 * s23 * c5
    ay = s5 * (s1 * c23 * c4 - c1 * s4) + s1 * s23 * c5
    az = s23 * c4 * s5 - c23 * c5
    nz = c6 * (c23 * s5 + s23 * c4 * c5) - s23 * s4 * s6
    oz = -s6 * (c23 * s5 + s23 * c4 * c5) - s23 * s4 * c6
    first = np.arctan2(ay, ax)
    second = np.arctan2(np.sqrt(1.0 - az**2), az)
    third = np.arctan2(oz, -nz)
    x1 = d6 * (s5 * (c1 * c23 * c4 + s1 * s4) + c1 * s23 * c5)
    x2 = c1 * (a1 + a2 * c2 + a3 * c23 + d4 * s23)
    px = x1 + x2
    y1 = d6 * (s5 * (s1 * c23 * c4 + c1 * s4) + s1 * s23 * c5)
    y2 = s1 * (a1 + a2 * c2 + a3 * c23 + d4 * s23)
    py = y1 + y2
    pz = a2 * s2 + d1 + a3 * s23 - d4 * c23 + d6 * (s23 * c4 * s5 - c23 * c5)
    return px, py, pz, first, second, third


def human_heart_dipole(x1, x2, x3, x4, x5, x6, x7, x8):
    f1 = x1 + x2 - 1.0
    f2 = x3 + x4 - 1.0
    f3 = x5 * x1 + x6 * x2 - x7 * x3 - x8 * x4 - 1.0
    f4 = x7 * x1 + x8 * x2 + x5 * x3 + x6 * x4 - 1.0
    x57 = x5**2 - x7**2
    x68 = x6**2 - x8**2
    f5 = x1 * x57 - 2 * x3 * x5 * x7 + x2 * x68 - 2 * x4 * x6 * x8 - 1.0
    f6 = x3 * x57 - 2 * x1 * x5 * x7 + x4 * x68 - 2 * x2 * x6 * x8 - 1.0
    x557 = x5 * (x5**2 - 3 * x7**2)
    x775 = x7 * (x7**2 - 3 * x5**2)
    x668 = x6 * (x6**2 - 3 * x8**2)
    x886 = x8 * (x8**2 - 3 * x6**2)
    f7 = x1 * x557 + x3 * x775 + x2 * x668 + x4 * x886 - 1.0
    f8 = x3 * x557 - x1 * x775 + x4 * x668 - x2 * x886 - 1.0
    return f1, f2, f3, f4, f5, f6, f7, f8


def propane_combustion(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11):
    p, total = 40.0, 10.0
    root = np.sqrt(p / x11)
    f1 = x1 + x4 - 3.0
    f2 = 2 * x1 + x2 + x4 + x7 + x8 + x9 + 2 * x10 - total
    f3 = 2 * x2 + 2 * x5 + x6 + x7 - 8.0
    f4 = 2 * x3 + x9 - 4 * total
    f5 = x2 * x4 - x1 * x5
    f6 = np.sqrt(x2 * x4) - np.sqrt(x1) * root * x6
    f7 = np.sqrt(x1 * x2) - np.sqrt(x4) * x7 * root
    f8 = x1 - x4 * x8 * p / x11
    f9 = x1 * np.sqrt(x3) - x4 * x9 * root
    f10 = x1**2 - x4**2 * x10 * p / x11
    f11 = x11 - x1 - x2 - x3 - x4 - x5 - x6 - x7 - x8 - x9 - x10
    return f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11


def black_scholes(s, k, r, sigma, t):
    """The price of a call option; the task is its gradient, so that the Jacobian is its Hessian."""
    f = np.exp(r * t) * s
    d1 = (np.log(f / k) + sigma**2 / 2.0 * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)
    return np.exp(-r * t) * (f * _normal(d1) - k * _normal(d2))


def _normal(z):
    return (1.0 + erf(z / np.sqrt(2.0))) / 2
