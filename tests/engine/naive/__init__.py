"""A second scorer for every game: slow, plain, and written from the rule book alone.

It shares nothing with `pbmserv.engine`, so that the two can be held against each other.
"""
