"""Jacobians by elimination: the linearised graph of straight-line code, the cost of an order, the search for a good one."""
