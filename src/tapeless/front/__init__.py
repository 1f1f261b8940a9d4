"""From Python to IR: the syntax, the values, the NumPy names, and what is refused."""
