"""Reinforcement learning for elimination orders: a game, a network, and Gumbel AlphaZero on both.

Needs JAX, mctx and optax: `pip install "tapeless[search]"`.
"""
