"""Mutants: faults of one line, put in on purpose to see that the tests notice them."""
