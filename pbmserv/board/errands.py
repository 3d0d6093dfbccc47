"""What may have to wait for others, done one after the other beside the loop of the screen."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class Errands:
    """A thread of its own, which ends with the program: whoever leaves need not wait for it.

    A pool of the standard library would be waited for, and a database may take half a minute.
    """

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread: Thread | None = None

    async def do(self, work: Callable[[], T]) -> T:
        """Return what comes of the work, or raise what it raises."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def settle(told: Callable[[], None]) -> None:
            if not done.done():
                told()

        def run() -> None:
            try:
                told = partial(done.set_result, work())
            except Exception as error:  # noqa: BLE001 - it is raised again where it is awaited
                told = partial(done.set_exception, error)
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, told)

        self._waiting.put(run)
        if self._thread is None:
            self._thread = Thread(target=self._work, daemon=True)
            self._thread.start()
        return await done

    def _work(self) -> None:
        while True:
            self._waiting.get()()
