"""Whose turn it is, where mails are taken in side by side: those of one board in their order."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from pbmserv.mail.inbound import Envelope
from pbmserv.mail.tokens import match_named, token_in

HEAD = 8 * 1024
"""Bytes of a mail in which its Subject is looked for."""

BODY = re.compile(rb"\r?\n\r?\n")
BOARD = re.compile(rb"^subject:[^\n]*?\s([0-9]{3,9})\b", re.IGNORECASE | re.MULTILINE)


def concerns(content: bytes, envelope: Envelope, address: str) -> set[str]:
    """Return what a mail for ``address`` is about, as far as a glance at it tells.

    That is its sender, the number of a board in its Subject, and the match of its reply token.
    """
    found = {f"from {envelope.sender}"} if envelope.sender else set()
    board = BOARD.search(BODY.split(content[:HEAD], maxsplit=1)[0])
    if board:
        found.add(f"board {int(board[1])}")
    token = token_in((envelope.recipient or "").strip(" <>"), address)
    match = None if token is None else match_named(token)
    if match:
        found.add(f"match {match}")
    return found


class Turns:
    """Lets those go on side by side that have nothing in common, others in the order they came."""

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def of(self, concerned: Iterable[str]) -> AsyncIterator[None]:
        """Wait for all who came before about any of this; let those behind go on at the end."""
        names = list(concerned)
        mine = asyncio.get_running_loop().create_future()
        before = {self._last[name] for name in names if name in self._last}
        self._last |= dict.fromkeys(names, mine)
        try:
            if before:
                await asyncio.wait(before)
            yield
        finally:
            mine.set_result(None)
            for name in names:
                if self._last[name] is mine:
                    del self._last[name]
