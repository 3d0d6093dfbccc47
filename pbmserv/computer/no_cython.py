"""What the kernel uses of Cython, for where it runs as plain Python and Cython is not installed."""

from contextlib import nullcontext

nogil = nullcontext()
"""Compiled, such a block lets other threads of Python run."""
