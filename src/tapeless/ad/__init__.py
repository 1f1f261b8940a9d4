"""Derivatives: program to program, forward (`jvp`) and reverse (`vjp`), without a tape."""
