"""Every password in these tests is a canary: whatever a server leaves behind is searched for it."""

import re
from pathlib import Path

CANARY = re.compile(rb"(?:secret|canary)-[A-Za-z0-9]")
"""How passwords begin in the tests, and nothing else does."""

INCOMING = "in"
"""The folder of a test with what its players sent: their mails, and files with their commands."""

MANUAL = "manual"
"""The folder of a site with the help pages, whose examples have passwords of that kind too."""


def has_canary(*texts: str | bytes) -> bool:
    """Tell whether a password stands in one of the texts."""
    return any(CANARY.search(text.encode() if isinstance(text, str) else text) for text in texts)


def canaries_in(folder: Path) -> list[str]:
    """Return where below the folder a password stands, but for what players sent themselves."""
    return [
        f"{path.relative_to(folder)}: {found[0].decode()}"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {INCOMING, MANUAL} & {*path.relative_to(folder).parts}
        for found in CANARY.finditer(_suspect(path.read_bytes()))
    ]


def _suspect(data: bytes) -> bytes:
    """Return what is in a file, nothing where no password can begin: the pattern is slow."""
    return data if b"secret-" in data or b"canary-" in data else b""
