"""The three array tasks that are functions: Roe's flux in three dimensions, a perceptron and a transformer encoder.

As the examples of Graphax define them, oddities included (the heat ratio of 0.5, a mean without its axis): the
published counts are of these graphs.
"""

import numpy as np

GAMMA = 0.5


def _pressure(density, momentum, energy):
    return (GAMMA - 1.0) * (energy - 0.5 * np.sum(momentum**2) / density)


def _flux(momentum, velocity, energy, pressure):
    first = velocity[0:1]
    along = np.concatenate([pressure, np.zeros(2, np.float32)])
    return momentum[0:1], along + momentum * velocity, first * (pressure + energy)


def roe_flux_3d(rho_l, m_l, e_l, rho_r, m_r, e_r):
    """Of densities (1,), momenta (3,) and energies (1,); a batch of one is mapped over it for counting."""
    drho = rho_r - rho_l
    dm = m_r - m_l
    dm1 = dm[0:1]
    dm2 = dm[1:2]
    dm3 = dm[2:]
    de = e_r - e_l
    v_l = m_l / rho_l
    v_r = m_r / rho_r
    weight = np.sqrt(rho_l) + np.sqrt(rho_r)
    uvw = (np.sqrt(rho_l) * v_l + np.sqrt(rho_r) * v_r) / weight
    u = uvw[0:1]
    v = uvw[1:2]
    w = uvw[2:]
    p_l = _pressure(rho_l, m_l, e_l)
    h_l = (e_l + p_l) / rho_l
    p_r = _pressure(rho_r, m_r, e_r)
    h_r = (e_r + p_r) / rho_r
    h = (np.sqrt(rho_l) * h_l + np.sqrt(rho_r) * h_r) / weight
    q2 = np.sum(uvw**2)
    a2 = (GAMMA - 1.0) * (h - 0.5 * q2)
    a = np.sqrt(a2)
    fast = u + a
    slow = u
    back = u - a
    c3 = ((GAMMA - 1.0) / a2 * ((h - q2) * drho + np.dot(uvw, dm) - de)) * slow
    c2 = (dm3 / w - dm1) * slow
    c1 = (dm2 / v - drho) * slow
    k1 = drho - c3
    k2 = (dm1 - u * drho) / a
    c0 = 0.5 * (k1 - k2) * back
    c4 = 0.5 * (k1 + k2) * fast
    l0, lm, l4 = _flux(m_l, v_l, e_l, p_l)
    r0, rm, r4 = _flux(m_r, v_r, e_r, p_r)
    f0 = l0 + r0
    fm = lm + rm
    f4 = l4 + r4
    d0 = c0 + c3 + c4 * fast
    d1 = c0 * back + c3 * u + c4 * fast
    d2 = c0 * v + c1 * v + c3 * v + c4 * v
    d3 = c0 * w + c2 * w + c3 * w + c4 * w
    d4 = c0 * (h - u * a) + c1 * v**2 + c2 * w**2 + c3 * 0.5 * q2 + c4 * (h + u * a)
    d = np.concatenate([d1, d2, d3])
    return 0.5 * (f0 - d0), 0.5 * (fm - d), 0.5 * (f4 - d4)


def _layer_norm(x, gamma, beta):
    mean = np.mean(x, axis=-1)
    variance = np.sum((x - mean) ** 2, axis=-1) / x.shape[-1]
    return (x - mean) / np.sqrt(variance + 1e-6) * gamma + beta


def _softmax(x, axis):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def _cross_entropy(logits, labels):
    return -np.sum(labels * np.log(_softmax(logits, -1)), axis=-1)


def perceptron(x, y, w1, b1, w2, b2, gamma, beta):
    a = np.tanh(w1 @ x + b1)
    a = _layer_norm(a, gamma, beta)
    return _cross_entropy(np.tanh(w2 @ a + b2), y)


def _silu(x):
    return x * (1.0 / (1.0 + np.exp(-x)))


def _encoder_block(x, wq, wk, wv, w, b, gamma, beta):
    q = wq @ x
    k = wk @ x
    v = wv @ x
    a = x + _softmax(q.T @ k, 1) @ v
    return _silu(w @ _layer_norm(a, gamma, beta) + b)


def encoder(x, y, wq1, wq2, wk1, wk2, wv1, wv2, w1, w2, b1, b2, gamma1, beta1, gamma2, beta2):
    z = _encoder_block(x, wq1, wk1, wv1, w1, b1, gamma1, beta1)
    z = _encoder_block(z, wq2, wk2, wv2, w2, b2, gamma2, beta2)
    return _cross_entropy(z, y)
