"""Finance and time series."""

import math
from dataclasses import dataclass

import numpy as np

from .corpus import law

R = np.random.default_rng(4)


def ncdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@law((100.0, 95.0, 0.5, 0.02, 0.3, True), (100.0, 95.0, 0.5, 0.02, 0.3, False), (100.0, 120.0, 0.0, 0.02, 0.3, True))
def black_scholes(S, K, T, r, sigma, call):
    if T <= 0:
        return max(S - K, 0.0) if call else max(K - S, 0.0)
    d1 = (math.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * math.sqrt(T))
    d2 = d1 - sigma * math.sqrt(T)
    if call:
        return S * ncdf(d1) - K * math.exp(-r * T) * ncdf(d2)
    return K * math.exp(-r * T) * ncdf(-d2) - S * ncdf(-d1)


@law(
    (np.linspace(80, 120, 5), 100.0, 0.5, 0.02, 0.3),
)
def implied_vol(prices, K, T, r, guess):
    vols = np.empty_like(prices)
    for i, S in enumerate(prices):
        target = black_scholes(S, K, T, r, 0.25, True)
        vol = guess
        for _ in range(50):
            price = black_scholes(S, K, T, r, vol, True)
            d1 = (np.log(S / K) + (r + 0.5 * vol**2) * T) / (vol * np.sqrt(T))
            vega = S * np.exp(-0.5 * d1**2) / np.sqrt(2 * np.pi) * np.sqrt(T)
            step = (price - target) / vega
            vol -= step
            if abs(step) < 1e-13:
                break
        vols[i] = vol
    return vols


@law(
    (100.0, 95.0, 1.0, 0.05, 0.2, 6, True),
    (100.0, 105.0, 1.0, 0.05, 0.2, 1, False),
    (100.0, 105.0, 1.0, 0.05, 0.2, 5, True),
)
def binomial_tree(S, K, T, r, sigma, n, american):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    j = np.arange(n + 1)
    prices = S * u ** (n - j) * d**j
    values = np.maximum(K - prices, 0)
    for i in range(n - 1, -1, -1):
        values[: i + 1] = disc * (p * values[: i + 1] + (1 - p) * values[1 : i + 2])
        if american:
            prices[: i + 1] = prices[: i + 1] * d
            exercise = K - S * u ** (i - np.arange(i + 1)) * d ** np.arange(i + 1)
            values[: i + 1] = np.maximum(values[: i + 1], exercise)
    return values[0]


@law(
    (100.0, 0.04, 0.05, 2.0, 0.04, 0.3, -0.7, 1.0, R.standard_normal((6, 8)), R.standard_normal((6, 8))),
)
def heston_euler(s0, v0, r, kappa, theta, xi, rho, T, z1, z2):
    steps, paths = z1.shape
    dt = T / steps
    payoff = 0.0
    for p in range(paths):
        s, v = s0, v0
        for t in range(steps):
            dw1 = math.sqrt(dt) * z1[t, p]
            dw2 = math.sqrt(dt) * (rho * z1[t, p] + math.sqrt(1 - rho * rho) * z2[t, p])
            vp = max(v, 0.0)
            s *= math.exp((r - 0.5 * vp) * dt + math.sqrt(vp) * dw1)
            v += kappa * (theta - vp) * dt + xi * math.sqrt(vp) * dw2
        payoff += max(s - 100.0, 0.0)
    return math.exp(-r * T) * payoff / paths


@law((100.0, 0.2, 0.05, 1.0, R.standard_normal((4, 6))), (100.0, 0.2, 0.05, 1.0, R.standard_normal((2, 1))))
def asian_barrier(s0, sigma, r, T, z):
    n, m = z.shape
    dt = T / m
    total = 0.0
    knocked = 0
    for i in range(n):
        s = s0
        running = 0.0
        for j in range(m):
            s = s * np.exp((r - sigma**2 / 2) * dt + sigma * np.sqrt(dt) * z[i, j])
            if s > 130.0:
                knocked += 1
                break
            running += s
        else:
            total += max(running / m - 100.0, 0)
    return float(total / n), knocked


@law((np.array([1.0, 2.0, 3.0]), np.array([0.02, 0.025, 0.03])), (np.array([1.0]), np.array([0.02])))
def bootstrap_curve(maturities, swap_rates):
    n = len(maturities)
    df = np.zeros(n)
    annuity = 0.0
    prev = 0.0
    for i in range(n):
        dt = maturities[i] - prev
        df[i] = (1 - swap_rates[i] * annuity) / (1 + swap_rates[i] * dt)
        annuity += dt * df[i]
        prev = maturities[i]
    zero = -np.log(df) / maturities
    return df, zero


@law((np.array([-100.0, 30.0, 40.0, 50.0]), 0.1), (np.array([-100.0, 110.0]), 0.0))
def internal_rate_of_return(cash, rate):
    for _ in range(100):
        npv = 0.0
        dnpv = 0.0
        for t, c in enumerate(cash):
            npv += c / (1 + rate) ** t
            dnpv -= t * c / (1 + rate) ** (t + 1)
        new = rate - npv / dnpv
        if abs(new - rate) < 1e-12:
            return new
        rate = new
    raise ArithmeticError("did not converge")


@dataclass(frozen=True)
class Garch:
    omega: float
    alpha: float
    beta: float

    @property
    def persistence(self):
        return self.alpha + self.beta

    def next_variance(self, h, r):
        return self.omega + self.alpha * r * r + self.beta * h


@law((Garch(0.1, 0.1, 0.8), R.standard_normal(10)), (Garch(0.1, 0.1, 0.8), R.standard_normal(1)))
def garch_likelihood(model, returns):
    h = model.omega / (1 - model.persistence)
    total = 0.0
    for r in returns:
        total += -0.5 * (math.log(2 * math.pi) + math.log(h) + r * r / h)
        h = model.next_variance(h, r)
    return total, h


@law((R.standard_normal((20, 3)) * 0.01, 0.95), (R.standard_normal((5, 1)), 0.5))
def portfolio_risk(returns, level):
    w = np.ones(returns.shape[1]) / returns.shape[1]
    pnl = returns @ w
    losses = np.sort(-pnl)
    k = int(level * len(losses))
    var = losses[k]
    cov = np.cov(returns, rowvar=False) if returns.shape[1] > 1 else np.zeros((1, 1))
    equity = np.cumprod(1 + pnl)
    drawdown = 1 - equity / np.maximum.accumulate(equity)
    return var, losses[k:].mean(), np.sqrt(w @ cov @ w), drawdown.max()


@law((R.random(12) + 10, 3, 5), (R.random(5), 2, 5))
def moving_averages(price, fast, slow):
    n = len(price)
    signal = np.zeros(n, dtype=int)
    ema = price[0]
    for t in range(n):
        ema += (price[t] - ema) * 2 / (fast + 1)
        if t + 1 >= slow:
            sma = price[t + 1 - slow : t + 1].mean()
            signal[t] = 1 if ema > sma else -1
    trades = 0
    for t in range(1, n):
        trades += signal[t] != signal[t - 1]
    return signal, trades, ema


@law((np.array([5, 1, 9, 3, 3]), np.array([10, 3, 1]), 8), (np.array([1]), np.array([1]), 0))
def order_matching(asks, quantities, want):
    order = np.argsort(asks, kind="stable")
    filled, cost, k = 0, 0, 0
    while filled < want and k < len(quantities):
        take = min(quantities[k], want - filled)
        cost += take * asks[order[k]]
        filled += take
        k += 1
    return int(filled), int(cost)


@law((R.random(10), 0.3, 0.1), (R.random(2), 0.3, 0.1))
def holt_winters(y, alpha, beta):
    level, trend = y[0], y[1] - y[0]
    fitted = np.zeros_like(y)
    for t in range(len(y)):
        fitted[t] = level + trend
        last = level
        level = alpha * y[t] + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
    forecast = [level + h * trend for h in range(1, 4)]
    return fitted, np.array(forecast), np.sqrt(np.mean((y - fitted) ** 2))
