"""Programs run backwards: inverses of blocks, found by solving their equations from the results."""
