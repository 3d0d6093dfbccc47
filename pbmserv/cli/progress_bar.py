"""A progress bar on the terminal, with the time left."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

PATIENCE = 0.5
"""Seconds before a bar appears."""

PAUSE = 0.1
"""Seconds between two updates."""


@contextmanager
def progress_bar(name: str) -> Iterator[None]:
    """Show the progress of the work in the block if standard error is a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    from pbmserv.store.progress import WATCH

    bar = _Bar(name)
    token = WATCH.set(bar)
    try:
        yield
    finally:
        WATCH.reset(token)
        bar.close()


class _Bar:
    """The bar, which imports rich only when it appears."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._next_at = time.monotonic() + PATIENCE
        self._shown: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Update the bar; one that is full is removed."""
        is_shown = self._shown is not None
        if time.monotonic() < self._next_at and not (is_shown and done >= total):
            return
        self._next_at = time.monotonic() + PAUSE
        progress, task = self._shown = self._shown or self._begin()
        progress.update(task, completed=done, total=total)
        if done >= total:
            self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._shown is not None:
            self._shown[0].stop()
            self._shown = None

    def _begin(self) -> tuple[Progress, TaskID]:
        from rich import progress
        from rich.console import Console

        shown = progress.Progress(
            "{task.description}",
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        shown.start()
        return shown, shown.add_task(self._name)
