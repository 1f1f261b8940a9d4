"""Passes: from IR to IR of the same meaning. `pipeline` says in which order; one file per pass."""
