"""Coarsening: loops and segments as closed forms, found by algebra on a hash-consed expression graph."""
