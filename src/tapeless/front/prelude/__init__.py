"""NumPy functions written in the language itself: plain Python that the front end inlines and compiles.

Each function takes the place of the NumPy function of the same name (`front.numpy` registers them) and must give the
same results as plain Python: the tests run every one both ways.
"""
