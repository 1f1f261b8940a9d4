"""The programs of the law: each is registered with the argument tuples it is called with."""

CASES = []
MIXED = []


def law(*calls, mixed=()):
    """Register a program. In `mixed` calls plain Python gives a Python number where other paths give a NumPy scalar."""

    def add(function):
        CASES.extend((function, args) for args in calls)
        MIXED.extend((function, args) for args in mixed)
        return function

    return add
