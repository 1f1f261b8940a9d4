"""ADBench's problems in eager PyTorch: the mixture model, bundle adjustment and the LSTM."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import torch
from bench.grad.eight.with_torch import _gradient, bundle
from bench.grad.harness import Calls

ba = bundle


def gmm(alphas, means, packed, points, gamma, wishart) -> Calls:
    (n, d), clusters, x = points.shape, len(alphas), torch.as_tensor(points)
    column, row = (torch.as_tensor(i) for i in np.triu_indices(d, 1))
    cluster, constant = torch.arange(clusters)[:, None], 0.5 * n * d * math.log(2 * math.pi)

    def posterior(alphas, means, packed):
        diagonal, below = torch.exp(packed[:, :d]), packed[:, d:]
        lower = torch.zeros(clusters, d, d).index_put((cluster, row[None], column[None]), below)
        centred = x[:, None, :] - means[None]
        entries = diagonal[None] * centred + torch.einsum("krc,nkc->nkr", lower, centred)
        sums = packed[:, :d].sum(1)
        terms = alphas + sums - 0.5 * (entries * entries).sum(-1)
        prior = 0.5 * gamma**2 * ((diagonal**2).sum() + (below**2).sum()) - wishart * sums.sum()
        return torch.logsumexp(terms, 1).sum() - n * torch.logsumexp(alphas, 0) + prior - constant

    return _gradient(posterior, (alphas, means, packed))


def lstm(main, extra, state, sequence) -> Calls:
    start, inputs = torch.as_tensor(state), torch.as_tensor(sequence)

    def loss(main, extra):
        hidden, cells, total = list(start[:, 0]), list(start[:, 1]), 0.0
        for now, following in pairwise(inputs):
            x = extra[0] * now
            for layer, (weight, bias) in enumerate(main):
                forget = torch.sigmoid(x * weight[0] + bias[0])
                ingate = torch.sigmoid(hidden[layer] * weight[1] + bias[1])
                outgate = torch.sigmoid(x * weight[2] + bias[2])
                change = torch.tanh(hidden[layer] * weight[3] + bias[3])
                cells[layer] = cells[layer] * forget + ingate * change
                x = hidden[layer] = outgate * torch.tanh(cells[layer])
            y = x * extra[1] + extra[2]
            total = total + following @ (y - torch.log(2 + torch.exp(y).sum()))
        return -total / (inputs.shape[1] * (len(inputs) - 1))

    return _gradient(loss, (main, extra))
