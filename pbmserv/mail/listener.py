"""The listener: mails by LMTP or SMTP, each answered for only when it is committed.

The answer to the mail server waits until the mail is taken in, by one thread or by several. A mail
for several recipients has a reply for each by LMTP, one for all by SMTP.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Session
from aiosmtpd.smtp import Envelope as Wire

from pbmserv.listen_address import ListenAddress
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.mail.tokens import match_named, token_in

DONE = "250 2.0.0 taken care of"
LATER = "451 4.3.0 try again later"
NOT_OURS = "550 5.1.1 no such address here"
LMTP_DOOR, SMTP_DOOR = "lmtp", "smtp"
"""The names of the places at which one talks and the other."""

GOODBYE = b"421 4.3.2 try again later\r\n"

MAX_LINE = 32 * 1024 * 1024
"""Bytes; the reader has limits of its own, and a mail refused here would bounce to somebody."""

PATIENCE = 5.0
"""Seconds in which whoever listens at a socket takes a call, and may finish one at the end."""


HEAD = 8 * 1024
"""Bytes of a mail in which its Subject is looked for."""

BODY = re.compile(rb"\r?\n\r?\n")
BOARD = re.compile(rb"^subject:[^\n]*?\s([0-9]{3,9})\b", re.IGNORECASE | re.MULTILINE)


class Conversation:
    """Adds to either of the library's servers what is ours: until when somebody talks to it."""

    line_length_limit = MAX_LINE

    def __init__(self, *args: Any, end: asyncio.Future[None], **options: Any) -> None:
        super().__init__(*args, **options)
        self._end = end
        self.line: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the line, to say goodbye on it."""
        self.line = transport
        super().connection_made(transport)  # type: ignore[misc]

    def connection_lost(self, error: Exception | None) -> None:
        """Note that it is over."""
        super().connection_lost(error)  # type: ignore[misc]
        if not self._end.done():
            self._end.set_result(None)


class SmtpServer(Conversation, SMTP):
    """The library's server, with our name and without its limits on lines."""


class LmtpServer(Conversation, LMTP):
    """The same for LMTP."""


@dataclass(frozen=True)
class SmtpHandler:
    """The answers to each step of a conversation, for aiosmtpd."""

    own: ServerAddress
    take: Callable[[bytes, Envelope], Awaitable[str]]
    is_lmtp: bool

    async def handle_RCPT(
        self, server: SMTP, session: Session, wire: Wire, address: str, options: list[str]
    ) -> str:
        """Accept mail for us, with or without a token, and for nobody else."""
        del server, session, options
        if not self.own.is_ours(address):
            return NOT_OURS
        wire.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, wire: Wire) -> str:
        """Take the mail in, once for each recipient, and say for each how that ended."""
        del server, session
        content = wire.original_content or b""
        replies = []
        for recipient in wire.rcpt_tos:
            envelope = Envelope(recipient=recipient, sender=wire.mail_from or "")
            replies.append(await self.take(content, envelope))
        if self.is_lmtp:
            return "\r\n".join(replies)
        return DONE if set(replies) <= {DONE} else LATER


def conflict_keys(content: bytes, envelope: Envelope, address: str) -> set[str]:
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


# A mail waits for the last one before it with each of its keys, so that
#     1: from alice, board 101    2: from bob, board 101    3: from carol, board 102
# begin in the order 1 and 3 together, then 2. Nothing is locked: each key leads to the future of
# its last mail, and a mail waits for all that its keys lead to. So no two wait for each other.
class ConflictQueue:
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


class Listener:
    """Listens at one or more places until it is told to stop.

    Mails are taken in by ``receive``, in so many threads; those that concern each other one after
    the other, in the order they came. What it raises keeps a mail with the mail server. ``end`` is
    what is done there at last.
    """

    def __init__(
        self,
        own: ServerAddress,
        receive: Callable[[bytes, Envelope], object],
        report: Callable[[Exception], None],
        *,
        end: Callable[[], object] = bool,
        threads: int = 1,
    ) -> None:
        self._own = own
        self._receive = receive
        self._report = report
        self._end = end
        self.beat: Callable[[], object] = bool
        """What is called every few seconds while mails can be taken in."""
        self._hands = ThreadPoolExecutor(threads, thread_name_prefix="gateway")
        self._turns = ConflictQueue()
        self._talks: dict[asyncio.Future[None], Conversation] = {}
        self._taking: set[asyncio.Task[str]] = set()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.ports: list[int] = []

    def run(self, places: list[ListenAddress], ready: Callable[[], None] = lambda: None) -> None:
        """Listen until :meth:`stop`; what is being taken in is finished."""
        asyncio.run(self._run(places, ready))

    def stop(self) -> None:
        """Stop, from any thread and any signal."""
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)

    async def _run(self, places: list[ListenAddress], ready: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        doors: list[int] = []
        with ExitStack() as closing:
            for place in places:
                for server in await self._listen(place):
                    closing.callback(server.close)
                    doors += [door.fileno() for door in server.sockets]
            ready()
            beating = asyncio.create_task(self._go_on_beating())
            await self._stop.wait()
            beating.cancel()
            for door in doors:
                self._loop.remove_reader(door)
            # Who has just been let in begins to talk first: a server that is closed drops a call
            # that it has taken and not yet answered (python/cpython#109564).
            await asyncio.sleep(0)
        if self._talks:
            await asyncio.wait(self._talks, timeout=PATIENCE)
        while self._taking:
            await asyncio.wait(self._taking)
        for talk in self._talks.values():
            if isinstance(talk.line, asyncio.WriteTransport):
                talk.line.write(GOODBYE)
                talk.line.close()
        self._hands.submit(self._end)
        self._hands.shutdown()

    async def _go_on_beating(self) -> None:
        while True:
            await asyncio.get_running_loop().run_in_executor(self._hands, self.beat)
            await asyncio.sleep(PATIENCE)

    async def _listen(self, place: ListenAddress) -> list[asyncio.Server]:
        loop = asyncio.get_running_loop()
        factory = partial(self._conversation, is_lmtp=place.door == LMTP_DOOR)
        sockets = place.opened().sockets
        if place.path is None:
            self.ports += [listening.getsockname()[1] for listening in sockets]
        return [await loop.create_server(factory, sock=listening) for listening in sockets]

    def _conversation(self, *, is_lmtp: bool) -> SmtpServer | LmtpServer:
        hooks = SmtpHandler(self._own, self._take, is_lmtp)
        kind = LmtpServer if is_lmtp else SmtpServer
        end = asyncio.get_running_loop().create_future()
        talk = self._talks[end] = kind(hooks, ident="pbmserv", loop=self._loop, end=end)
        end.add_done_callback(self._talks.pop)
        return talk

    async def _take(self, content: bytes, envelope: Envelope) -> str:
        """Take one mail in, whether or not somebody still waits for the answer."""
        task = asyncio.create_task(self._taken(content, envelope))
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)
        return await asyncio.shield(task)

    async def _taken(self, content: bytes, envelope: Envelope) -> str:
        """Return the answer for one mail; whatever goes wrong, the mail server keeps it."""
        try:
            async with self._turns.of(conflict_keys(content, envelope, self._own.address)):
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._hands, self._receive, content, envelope)
        except Exception as error:  # noqa: BLE001 - a defect, too, must not lose the mail
            self._report(error)
            return LATER
        return DONE
