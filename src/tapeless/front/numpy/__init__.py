"""The names of NumPy, `math` and the builtins that compiled functions may use.

`library` registers them all; the other modules hold them by theme.
"""
