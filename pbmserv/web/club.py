"""The club behind a request: its desk, one transaction, and what fills the templates."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import local
from typing import NamedTuple, cast

from flask import Response, current_app, g, make_response, request

from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Entry, Table
from pbmserv.desk.door import Desk
from pbmserv.engine.moments import MINUTE, utc
from pbmserv.mail.tokens import Keys
from pbmserv.site.pages import Pages, SiteOptions, Visitor, club_id
from pbmserv.store.store import Records
from pbmserv.web.limits import RateLimit

SIGNING: Table = {name: Entry(f"desk.signin:{name}", "") for name in ("login", "logout", "whoami")}
"""The commands of a browser that neither a mail nor a gate has."""


MAX_REPLIES = 120
"""Moves that the computer makes in a minute for the guests of one network."""


class WebSettings(NamedTuple):
    """The club in a browser: its address with a slash at its end, "" for this machine alone."""

    url: str = ""
    takes_guests: bool = True
    takes_signups: bool = False


@dataclass
class Club:
    """The club whose pages are shown; ``web`` is None where they are kept as files.

    ``visitor`` returns who is signed in, ``failed`` notes a defect, and ``signing_keys`` are those
    of addresses in letters, none where no letters are written. ``replies`` counts the computer's
    moves for guests.
    """

    options: SiteOptions
    new_desk: Callable[[], Desk]
    web: WebSettings | None = None
    visitor: Callable[[], Visitor | None] = lambda: None
    failed: Callable[[Exception], object] = lambda _: None
    signing_keys: Callable[[], Keys] = tuple
    replies: RateLimit = field(default_factory=lambda: RateLimit(MAX_REPLIES, MINUTE))
    _threads: local = field(default_factory=local, repr=False)

    @property
    def url(self) -> str:
        """The address of the club, "" where only this machine reaches it."""
        return self.web.url if self.web else ""

    @property
    def takes_signups(self) -> bool:
        """Whether anybody may open an account in a browser."""
        return self.web is not None and self.web.takes_signups

    @property
    def desk(self) -> Desk:
        """The desk of this thread."""
        found = self._threads.__dict__.get("desk")
        if found is None:
            found = self._threads.__dict__["desk"] = self.new_desk()
            found.tree = root(SIGNING)
        return cast("Desk", found)


def current() -> Club:
    """Return the club of the running request."""
    return cast("Club", current_app.extensions["club"])


def records() -> Records:
    """Return the one transaction of this request, which is opened when it is first asked for."""
    if "records" not in g:
        g.stack = ExitStack()
        g.records = g.stack.enter_context(current().desk.store.reading())
    return cast("Records", g.records)


def leave_transaction() -> None:
    """End the request's transaction, lest a change waits for it; another may follow."""
    g.pop("records", None)
    g.pop("pages", None)
    if stack := g.pop("stack", None):
        stack.close()


def now() -> int:
    """Return what time it is, in seconds."""
    return current().desk.world.now()


def pages() -> Pages:
    """Return what fills the templates in this request."""
    if "pages" not in g:
        published, options = records().published, current().options
        names = published.names()
        members = frozenset(
            number for number, one in names.items() if one.is_member and not one.is_private
        )
        club = club_id(published.founded())
        more = options.url, options.mail, members, options.club, options.sentence
        g.pages = Pages(names, club, *more, visitor=current().visitor())
    return cast("Pages", g.pages)


def respond(body: str | bytes, mime: str, changed_at: int) -> Response:
    """Return a page as a response, or that it is the one that the visitor has."""
    data = body.encode() if isinstance(body, str) else body
    response = make_response(data)
    response.content_type = f"{mime}; charset=utf-8" if isinstance(body, str) else mime
    response.last_modified = utc(changed_at)
    response.set_etag(blake2b(data, digest_size=16).hexdigest())
    response.make_conditional(request)
    return response
