"""``python -m pbmserv``."""

from pbmserv.cli.start import pbmserv

pbmserv()
