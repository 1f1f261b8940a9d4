"""Networks by hand: recurrent cells, attention, convolutions, normalisation, training steps."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, B905, RUF059

import math
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .corpus import law

R = np.random.default_rng(2)


def normal(*shape):
    return R.standard_normal(shape)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x, axis=-1):
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


LSTM = {"W": normal(12, 2) * 0.4, "U": normal(12, 3) * 0.4, "b": normal(12) * 0.1}


@law((LSTM, normal(4, 2), normal(3), normal(3)), (LSTM, normal(0, 2), normal(3), normal(3)))
def lstm(params, xs, h, c):
    hidden = h.shape[0]
    for x in xs:
        z = params["W"] @ x + params["U"] @ h + params["b"]
        i = sigmoid(z[:hidden])
        f = sigmoid(z[hidden : 2 * hidden])
        o = sigmoid(z[2 * hidden : 3 * hidden])
        g = np.tanh(z[3 * hidden :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return h, c


@law((normal(5, 2), normal(3, 2), normal(3, 3), normal(3, 2), normal(3, 3), normal(3, 2), normal(3, 3)))
def gru(xs, wz, uz, wr, ur, wh, uh):
    h = np.zeros(uz.shape[0])
    states = np.empty((len(xs), h.size))
    for t, x in enumerate(xs):
        z = sigmoid(wz @ x + uz @ h)
        r = sigmoid(wr @ x + ur @ h)
        candidate = np.tanh(wh @ x + uh @ (r * h))
        h = (1 - z) * h + z * candidate
        states[t] = h
    return states


@law((normal(4, 6), normal(5, 6), normal(5, 3)), (normal(1, 2), normal(1, 2), normal(1, 1)))
def attention(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[-1])
    return softmax(scores) @ v


@law(
    (normal(4, 4), normal(4, 4), normal(4, 4), normal(4, 4), 2),
    (normal(3, 6), normal(6, 6), normal(6, 6), normal(6, 6), 3),
)
def causal_multi_head(x, wq, wk, wv, heads):
    T, C = x.shape
    d = C // heads
    q = (x @ wq).reshape(T, heads, d).transpose(1, 0, 2)
    k = (x @ wk).reshape(T, heads, d).transpose(1, 0, 2)
    v = (x @ wv).reshape(T, heads, d).transpose(1, 0, 2)
    att = q @ k.transpose(0, 2, 1) / math.sqrt(d)
    mask = np.tril(np.ones((T, T)))
    att = np.where(mask == 0, -1e30, att)
    att = np.exp(att - att.max(axis=-1, keepdims=True))
    att /= att.sum(axis=-1, keepdims=True)
    y = att @ v
    return y.transpose(1, 0, 2).reshape(T, C)


@law((normal(5, 6), normal(3, 3)), (normal(3, 3), normal(3, 3)), (normal(4, 2), normal(1, 2)))
def conv2d_valid(image, kernel):
    H, W = image.shape
    kh, kw = kernel.shape
    out = np.zeros((H - kh + 1, W - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    return out


@law(
    (normal(2, 3, 5, 5), normal(4, 3, 3, 3), normal(4), 1, 1), (normal(1, 1, 4, 4), normal(2, 1, 2, 2), normal(2), 2, 0)
)
def conv_layer(x, w, b, stride, pad):
    n, c, h, wd = x.shape
    f, _, hh, ww = w.shape
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    ho = 1 + (h + 2 * pad - hh) // stride
    wo = 1 + (wd + 2 * pad - ww) // stride
    out = np.zeros((n, f, ho, wo))
    for i in range(n):
        for j in range(f):
            for y in range(ho):
                for z in range(wo):
                    window = xp[i, :, y * stride : y * stride + hh, z * stride : z * stride + ww]
                    out[i, j, y, z] = (window * w[j]).sum() + b[j]
    return np.maximum(out, 0)


@law((normal(2, 3, 4, 4),), (normal(1, 1, 2, 2),))
def max_pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


class BatchNorm(NamedTuple):
    gamma: np.ndarray
    beta: np.ndarray
    mean: np.ndarray
    var: np.ndarray
    momentum: float = 0.9


BN = BatchNorm(normal(3), normal(3), np.zeros(3), np.ones(3))


@law((BN, normal(6, 3), True), (BN, normal(6, 3), False), (BN, normal(1, 3), True))
def batch_norm(state, x, training):
    if training:
        mu, var = x.mean(axis=0), x.var(axis=0)
        m = state.momentum
        state = state._replace(mean=m * state.mean + (1 - m) * mu, var=m * state.var + (1 - m) * var)
    else:
        mu, var = state.mean, state.var
    y = state.gamma * (x - mu) / np.sqrt(var + 1e-5) + state.beta
    return y, state


@law(
    (normal(4, 5), normal(5), normal(5)),
)
def layer_norm_gelu(x, g, b):
    mu = x.mean(-1, keepdims=True)
    sd = x.std(-1, keepdims=True)
    y = g * (x - mu) / (sd + 1e-6) + b
    return 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))


@dataclass
class Adam:
    lr: float = 1e-2
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8


@law((normal(6, 3), normal(6), Adam(), 5), (normal(6, 3), normal(6), Adam(lr=0.1, beta1=0.5), 1))
def adam_regression(X, y, opt, steps):
    w = np.zeros(X.shape[1])
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, steps + 1):
        g = 2 * X.T @ (X @ w - y) / len(y)
        m = opt.beta1 * m + (1 - opt.beta1) * g
        v = opt.beta2 * v + (1 - opt.beta2) * g**2
        mhat = m / (1 - opt.beta1**t)
        vhat = v / (1 - opt.beta2**t)
        w -= opt.lr * mhat / (np.sqrt(vhat) + opt.eps)
    return w


@law(([normal(4, 3), normal(2, 4)], [normal(4), normal(2)], normal(3)), ([normal(2, 3)], [normal(2)], normal(3)))
def mlp_forward(weights, biases, x):
    for k, (w, b) in enumerate(zip(weights, biases)):
        x = w @ x + b
        if k < len(weights) - 1:
            x = np.maximum(x, 0.0)
    return x


@law(
    (normal(8, 3), np.array([0, 1, 1, 0, 1, 0, 0, 1]), 0.1, 20),
)
def logistic_sgd(X, y, lr, epochs):
    w = np.zeros(X.shape[1])
    b = 0.0
    losses = np.zeros(epochs)
    for e in range(epochs):
        loss = 0.0
        for xi, yi in zip(X, y):
            p = 1 / (1 + math.exp(-(np.dot(w, xi) + b)))
            loss -= math.log(p) if yi == 1 else math.log(1 - p)
            err = p - yi
            w -= lr * err * xi
            b -= lr * err
        losses[e] = loss / len(X)
    return w, b, losses


@law((normal(8, 3), np.array([1, -1, 1, -1, 1, 1, -1, -1]), 10), (normal(1, 2), np.array([1]), 3))
def perceptron(X, y, epochs):
    w = np.zeros(X.shape[1] + 1)
    for _ in range(epochs):
        mistakes = 0
        for i in range(len(X)):
            if y[i] * (w[0] + w[1:] @ X[i]) <= 0:
                w[0] += y[i]
                w[1:] += y[i] * X[i]
                mistakes += 1
        if mistakes == 0:
            break
    return w, mistakes


Tree = namedtuple("Tree", "feature threshold left right value")
TREE = Tree(
    np.array([0, 1, -1, -1, -1]),
    np.array([0.0, 0.5, 0, 0, 0]),
    np.array([1, 3, -1, -1, -1]),
    np.array([2, 4, -1, -1, -1]),
    np.array([0, 0, 3.0, 1.0, 2.0]),
)


@law((TREE, normal(6, 2)), (TREE, normal(0, 2)))
def tree_predict(tree, X):
    out = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while tree.left[node] != -1:
            if X[i, tree.feature[node]] <= tree.threshold[node]:
                node = tree.left[node]
            else:
                node = tree.right[node]
        out[i] = tree.value[node]
    return out


@law((normal(7), R.integers(0, 2, 7)), (normal(2), np.array([0, 1])))
def best_split(x, y):
    order = np.argsort(x)
    xs, ys = x[order], y[order]
    n = len(x)
    total = ys.sum()
    left = 0
    best_gini, best_threshold = np.inf, 0.0
    for i in range(1, n):
        left += ys[i - 1]
        if xs[i] == xs[i - 1]:
            continue
        p, q = left / i, (total - left) / (n - i)
        gini = i * p * (1 - p) + (n - i) * q * (1 - q)
        if gini < best_gini:
            best_gini = gini
            best_threshold = 0.5 * (xs[i] + xs[i - 1])
    return best_gini, best_threshold


@law(
    (
        R.integers(0, 5, (6,)),
        R.standard_normal((5, 3)),
        R.standard_normal((5, 3)),
        np.array([[0, 1], [2, 3], [4, 0], [1, 1], [2, 2], [3, 3]]),
        0.1,
    )
)
def word2vec_negative(centre_ids, win, wout, negatives, lr):
    win = win.copy()
    wout = wout.copy()
    loss = 0.0
    for t in range(len(centre_ids) - 1):
        c, o = centre_ids[t], centre_ids[t + 1]
        v = win[c].copy()
        grad = np.zeros_like(v)
        for idx, label in [(o, 1.0), (negatives[t, 0], 0.0), (negatives[t, 1], 0.0)]:
            p = sigmoid(v @ wout[idx])
            loss -= np.log(p) if label else np.log(1 - p)
            g = p - label
            grad += g * wout[idx]
            wout[idx] -= lr * g * v
        win[c] -= lr * grad
    return loss, win, wout


@law((np.array([0, 1, 2, 1]), normal(5, 4), -1), (np.array([], int), normal(3, 2), 0))
def ctc_forward(labels, logits, blank):
    T, V = logits.shape
    logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    S = 2 * len(labels) + 1
    ext = np.full(S, V - 1)
    ext[1::2] = labels
    alpha = np.full((T, S), -1e30)
    alpha[0, 0] = logp[0, ext[0]]
    if S > 1:
        alpha[0, 1] = logp[0, ext[1]]
    for t in range(1, T):
        for s in range(S):
            a = alpha[t - 1, s]
            if s >= 1:
                a = np.logaddexp(a, alpha[t - 1, s - 1])
            if s >= 2 and ext[s] != V - 1 and ext[s] != ext[s - 2]:
                a = np.logaddexp(a, alpha[t - 1, s - 2])
            alpha[t, s] = a + logp[t, ext[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2] if S > 1 else -1e30)
