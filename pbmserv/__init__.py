"""A play-by-mail server for the Star family of connection games."""

__version__ = "0.1.0"
