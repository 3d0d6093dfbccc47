"""The help pages that lie under help/ as plain files."""

import os

SUFFIX = ".txt"


def help_folder() -> str:
    """Return the folder of the help files: inside the package when installed, else beside it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "help")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "help")


def topic_names() -> list[str]:
    """Return the names of all help files, without their ending."""
    names = os.listdir(help_folder())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def read_page(name: str) -> str:
    """Return the text of a help file."""
    with open(os.path.join(help_folder(), f"{name}{SUFFIX}"), encoding="utf-8") as page:
        return page.read().rstrip("\n")
