"""Jacobians by elimination: the linearised graph of straight-line code, what an order costs, and how to find one."""
