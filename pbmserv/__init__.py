"""A play-by-mail server for the Star family of connection games."""

import sys

# A checkout is met by any Python, and what installs it says nothing of use to one that is too old.
if sys.version_info < (3, 11):  # noqa: UP036
    here = ".".join(map(str, sys.version_info[:2]))
    sys.exit(f"pbmserv needs Python 3.11 or newer; this is Python {here}.")

__version__ = "1.0.0"
"""The one place of the version: what builds the package and what names the version read it here."""
