"""The server of the room in the browser."""

from importlib import import_module
from pkgutil import walk_packages

import pbmserv
from pbmserv.desk.loading import load_commands

ROOMS = "engine computer club store render services commands desk site web".split()  # noqa: SIM905
"""The rooms of which requests may use anything."""

OF_A_TERMINAL = "pbmserv.render.terminal"


def load_all() -> None:
    """Import what requests import when they need it: several threads may need it at once."""
    load_commands()
    for room in ROOMS:
        package = import_module(f"{pbmserv.__name__}.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != OF_A_TERMINAL:
                import_module(module.name)
