"""Who may read and write our files: their owner alone, or the group that shares a folder."""

import stat
from pathlib import Path

PRIVATE = 0o600
"""The permissions of what holds hashes and keys."""

SHARED = 0o660
"""The same in a folder that a group shares."""

SHARED_FOLDER = 0o2770
"""The permissions of such a folder: what is made in it belongs to its group."""


def is_shared(folder: Path) -> bool:
    """Tell whether the folder was given to a group on purpose, and to nobody else."""
    return stat.S_IMODE(folder.stat().st_mode) == SHARED_FOLDER


def private_mode(folder: Path) -> int:
    """Return the permissions of a file in this folder that is not for everybody."""
    return SHARED if is_shared(folder) else PRIVATE


def mode_problem(path: Path) -> str:
    """Return what is wrong with the permissions of such a file; nothing if they are right."""
    found, folder = path.stat(), path.parent
    mode = stat.S_IMODE(found.st_mode)
    if not is_shared(folder):
        return "other users can read it" if mode & 0o077 else ""
    if found.st_gid != folder.stat().st_gid:
        return "it does not belong to the group of its folder"
    if mode != SHARED:
        return f"its group shares the folder: it should be {SHARED:04o}"
    return ""
