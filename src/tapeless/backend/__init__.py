"""From optimised IR to machine code: LLVM text, vectors, threads, elementary functions, the native runtime."""
