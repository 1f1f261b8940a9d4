"""Statistics: clustering, hidden Markov models, Gaussian processes, samplers, regression."""

# Written as users write, not as the linter would.
# ruff: noqa: B905, RUF059

import numpy as np

from .corpus import law

R = np.random.default_rng(2)


def normal(*shape):
    return R.standard_normal(shape)


@law((normal(12, 2), normal(3, 2), 5), (normal(2, 2), normal(2, 2), 1), (normal(12, 2), normal(3, 2) + 100, 2))
def lloyd(points, centres, iterations):
    centres = centres.copy()
    labels = np.zeros(len(points), dtype=int)
    for _ in range(iterations):
        for i in range(len(points)):
            labels[i] = np.argmin(((centres - points[i]) ** 2).sum(axis=1))
        sums = np.zeros_like(centres)
        counts = np.zeros(len(centres), dtype=int)
        for i, label in enumerate(labels):
            sums[label] += points[i]
            counts[label] += 1
        for k in range(len(centres)):
            if counts[k] > 0:
                centres[k] = sums[k] / counts[k]
    inertia = 0.0
    for i in range(len(points)):
        inertia += np.sum((points[i] - centres[labels[i]]) ** 2)
    return centres, labels, inertia


@law(
    (normal(12, 2), normal(3, 2)),
)
def kmeans_broadcast(X, C):
    d = ((X[:, None, :] - C[None, :, :]) ** 2).sum(-1)
    labels = d.argmin(1)
    onehot = (labels[:, None] == np.arange(len(C))[None, :]).astype(float)
    counts = onehot.sum(0)
    means = onehot.T @ X / np.maximum(counts, 1)[:, None]
    return labels, means, d.min(axis=1).sum()


def stochastic(n, m):
    p = R.random((n, m))
    return p / p.sum(1, keepdims=True)


HMM = (stochastic(1, 3)[0], stochastic(3, 3), stochastic(3, 4))
OBS = np.array([0, 3, 1, 2, 2])


@law((*HMM, OBS), (*HMM, OBS[:1]))
def hmm_forward(pi, A, B, obs):
    alpha = pi * B[:, obs[0]]
    scale = alpha.sum()
    alpha = alpha / scale
    loglik = np.log(scale)
    for o in obs[1:]:
        alpha = (alpha @ A) * B[:, o]
        scale = alpha.sum()
        alpha /= scale
        loglik += np.log(scale)
    return loglik, alpha


@law((*HMM, OBS), (*HMM, OBS[:1]), (*HMM, np.array([0, 9])))
def viterbi(pi, A, B, obs):
    T, S = len(obs), len(pi)
    delta = np.zeros((T, S))
    psi = np.zeros((T, S), dtype=np.int64)
    logA, logB = np.log(A), np.log(B)
    delta[0] = np.log(pi) + logB[:, obs[0]]
    for t in range(1, T):
        for j in range(S):
            best, arg = -np.inf, 0
            for i in range(S):
                v = delta[t - 1, i] + logA[i, j]
                if v > best:
                    best, arg = v, i
            delta[t, j] = best + logB[j, obs[t]]
            psi[t, j] = arg
    path = np.empty(T, dtype=np.int64)
    path[-1] = np.argmax(delta[-1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return path, delta[-1].max()


@law(
    (*HMM, OBS, 2),
)
def baum_welch(pi, A, B, obs, iterations):
    pi, A, B = pi.copy(), A.copy(), B.copy()
    T, S = len(obs), len(pi)
    for _ in range(iterations):
        alpha = np.zeros((T, S))
        beta = np.ones((T, S))
        alpha[0] = pi * B[:, obs[0]]
        for t in range(1, T):
            alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        for t in reversed(range(T - 1)):
            beta[t] = A @ (B[:, obs[t + 1]] * beta[t + 1])
        gamma = alpha * beta
        gamma /= gamma.sum(axis=1, keepdims=True)
        xi = np.zeros((S, S))
        for t in range(T - 1):
            joint = alpha[t][:, None] * A * (B[:, obs[t + 1]] * beta[t + 1])[None, :]
            xi += joint / joint.sum()
        pi = gamma[0]
        A = xi / gamma[:-1].sum(axis=0)[:, np.newaxis]
        for k in range(B.shape[1]):
            B[:, k] = gamma[obs == k].sum(axis=0) / gamma.sum(axis=0)
    return pi, A, B


@law((normal(7, 2), R.integers(0, 3, 7), normal(2), 3), (normal(3, 2), np.array([1, 1, 1]), normal(2), 1))
def knn_vote(X, labels, query, k):
    d = np.sqrt(((X - query) ** 2).sum(axis=1))
    nearest = np.argsort(d)[:k]
    votes = np.zeros(3, dtype=int)
    for i in nearest:
        votes[labels[i]] += 1
    return np.argmax(votes), d[nearest].mean()


@law(
    (normal(9, 2), np.array([0.3, 0.7]), normal(2, 2), np.array([1.0, 0.5])),
)
def em_step_spherical(X, weights, means, variances):
    n, d = X.shape
    k = len(weights)
    logp = np.empty((n, k))
    for j in range(k):
        diff = X - means[j]
        logp[:, j] = (
            np.log(weights[j]) - 0.5 * d * np.log(2 * np.pi * variances[j]) - 0.5 * (diff**2).sum(1) / variances[j]
        )
    top = logp.max(axis=1)
    loglik = top + np.log(np.exp(logp - top[:, None]).sum(axis=1))
    resp = np.exp(logp - loglik[:, None])
    nk = resp.sum(axis=0)
    new_means = resp.T @ X / nk[:, None]
    new_vars = np.array([(resp[:, j] * ((X - new_means[j]) ** 2).sum(1)).sum() / (d * nk[j]) for j in range(2)])
    return nk / n, new_means, new_vars, loglik.sum()


@law((normal(5, 2), normal(5), normal(3, 2), 0.7, 0.1), (normal(1, 1), normal(1), normal(1, 1), 1.0, 0.1))
def gaussian_process(X, y, Xs, length, noise):
    def kernel(a, b):
        out = np.zeros((len(a), len(b)))
        for i in range(len(a)):
            for j in range(len(b)):
                out[i, j] = np.exp(-0.5 * np.sum((a[i] - b[j]) ** 2) / length**2)
        return out

    K = kernel(X, X) + noise**2 * np.eye(len(X))
    Ks = kernel(X, Xs)
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    mean = Ks.T @ alpha
    v = np.linalg.solve(L, Ks)
    var = 1.0 - (v**2).sum(axis=0)
    return mean, var, 0.5 * y @ alpha + np.log(np.diag(L)).sum()


@law((normal(20), 0.5, R.random(30), normal(30)), (normal(1), 0.1, R.random(2), normal(2)))
def metropolis(data, step, uniforms, normals):
    def logpost(mu):
        return -0.5 * np.sum((data - mu) ** 2) - 0.5 * mu**2 / 100

    mu = 0.0
    current = logpost(mu)
    chain = np.empty(len(uniforms))
    accepted = 0
    for k in range(len(uniforms)):
        proposal = mu + step * normals[k]
        new = logpost(proposal)
        if np.log(uniforms[k]) < new - current:
            mu, current = proposal, new
            accepted += 1
        chain[k] = mu
    return chain, accepted / len(uniforms)


@law((normal(10), 50, 12345), (normal(1), 5, 1), (np.array([]), 2, 1))
def bootstrap_mean(x, draws, seed):
    n = len(x)
    means = np.zeros(draws)
    state = seed
    for d in range(draws):
        s = 0.0
        for _ in range(n):
            state = (1103515245 * state + 12345) % 2147483648
            s += x[state % n]
        means[d] = s / n if n > 0 else 0.0
    means.sort()
    return means[int(0.05 * draws)], means[int(0.95 * draws)]


@law((normal(12), normal(12)), (normal(2), normal(2)))
def welford_covariance(xs, ys):
    n = 0
    mx = my = c = m2 = 0.0
    for x, y in zip(xs, ys):
        n += 1
        dx = x - mx
        mx += dx / n
        my += (y - my) / n
        c += dx * (y - my)
        m2 += dx * (x - mx)
    return (c / (n - 1), m2 / (n - 1)) if n > 1 else (0.0, 0.0)


@law((R.random(9), R.random(9)), (np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 2.0])))
def kendall_and_spearman(x, y):
    n = len(x)
    concordant = discordant = 0
    for i in range(n):
        for j in range(i):
            s = np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
            if s > 0:
                concordant += 1
            elif s < 0:
                discordant += 1
    rx, ry = np.argsort(np.argsort(x)), np.argsort(np.argsort(y))
    d = rx - ry
    return 2 * (concordant - discordant) / (n * (n - 1)), 1 - 6 * np.sum(d**2) / (n * (n**2 - 1))


@law((normal(9, 4), 1.0, 20), (normal(3, 2), 0.1, 20))
def lasso_coordinate_descent(X, lam, sweeps):
    y = X[:, 0] * 2 - X[:, 1]
    n, p = X.shape
    beta = np.zeros(p)
    residual = y.copy()
    norms = (X**2).sum(axis=0)
    for _ in range(sweeps):
        for j in range(p):
            rho = X[:, j] @ residual + norms[j] * beta[j]
            new = np.sign(rho) * max(abs(rho) - lam, 0.0) / norms[j]
            if new != beta[j]:
                residual += X[:, j] * (beta[j] - new)
                beta[j] = new
    return beta, np.count_nonzero(beta)


@law((R.random((4, 4)), 0.85, 1e-10), (np.zeros((2, 2)), 0.85, 1e-10))
def pagerank(links, damping, tol):
    n = len(links)
    out = links.sum(axis=0)
    M = np.where(out > 0, links / np.where(out > 0, out, 1.0), 1.0 / n)
    r = np.full(n, 1 / n)
    delta = 1.0
    steps = 0
    while delta > tol:
        new = (1 - damping) / n + damping * M @ r
        delta = np.abs(new - r).sum()
        r = new
        steps += 1
    return r, steps


@law(
    (normal(6, 3), 2.0, 30),
)
def tsne_affinities(X, perplexity, iterations):
    n = X.shape[0]
    sq = np.sum(X**2, axis=1)
    D = sq[:, None] + sq[None, :] - 2 * X @ X.T
    P = np.zeros((n, n))
    target = np.log(perplexity)
    for i in range(n):
        lo, hi, beta = -np.inf, np.inf, 1.0
        for _ in range(iterations):
            p = np.exp(-D[i] * beta)
            p[i] = 0.0
            total = p.sum()
            H = np.log(total) + beta * np.sum(D[i] * p) / total
            diff = H - target
            if abs(diff) < 1e-7:
                break
            if diff > 0:
                lo = beta
                beta = beta * 2 if np.isinf(hi) else (beta + hi) / 2
            else:
                hi = beta
                beta = beta / 2 if np.isinf(lo) else (beta + lo) / 2
        P[i] = p / total
    return (P + P.T) / (2 * n)
