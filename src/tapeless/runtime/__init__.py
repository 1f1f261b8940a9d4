"""What compiled code needs around it in a process: calls, faults, memory, threads, the cache on disk.

Knows nothing of the intermediate language and imports no llvmlite: it deals with addresses, bytes and NumPy arrays.
"""
