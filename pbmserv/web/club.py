"""The club behind a request: its desk, one transaction, and what fills the templates."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import local
from typing import NamedTuple, cast

from flask import Response, abort, current_app, g, request

from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Entry, Table
from pbmserv.desk.door import Desk
from pbmserv.engine.moments import MINUTE, utc
from pbmserv.mail.tokens import Keys
from pbmserv.site.pages import Names, Pages, SiteOptions, Visitor, build_of, club_id
from pbmserv.store.store import Records
from pbmserv.web.limits import Previews, RateLimit

SIGNING: Table = {name: Entry(f"desk.signin:{name}", "") for name in ("login", "logout", "whoami")}
"""The commands of a browser that neither a mail nor a gate has."""


MAX_REPLIES = 120
"""Moves that the computer makes in a minute for the guests of one network."""


Body = str | bytes


class WebSettings(NamedTuple):
    """The club in a browser: its address with a slash at its end, "" for this machine alone."""

    url: str = ""
    takes_guests: bool = True
    takes_signups: bool = False


KEPT_AS_FILES = WebSettings(takes_guests=False)
"""What holds where nobody can do anything: the pages are written into a folder."""


@dataclass
class Club:
    """The club whose pages are shown, alive or ``KEPT_AS_FILES``.

    ``visitor`` returns who is signed in, ``failed`` notes a defect, and ``done`` a command: its
    trail, whose it was, and a code. ``signing_keys`` are those of addresses in letters, none where
    no letters are written. ``replies`` counts the computer's moves for guests.
    """

    options: SiteOptions
    new_desk: Callable[[], Desk]
    web: WebSettings = KEPT_AS_FILES
    visitor: Callable[[], Visitor | None] = lambda: None
    failed: Callable[[Exception], object] = lambda _: None
    done: Callable[[dict[str, object], str, str], object] = lambda *_: None
    signing_keys: Callable[[], Keys] = tuple
    replies: RateLimit = field(default_factory=lambda: RateLimit(MAX_REPLIES, MINUTE))
    previews: Previews = field(default_factory=Previews)
    _threads: local = field(default_factory=local, repr=False)

    @property
    def is_alive(self) -> bool:
        """Whether visitors can do something on the pages."""
        return self.web is not KEPT_AS_FILES

    @property
    def desk(self) -> Desk:
        """The desk of this thread."""
        if not hasattr(self._threads, "desk"):
            self._threads.desk = self.new_desk()
            if self.is_alive:
                self._threads.desk.tree = root(SIGNING)
        return cast("Desk", self._threads.desk)


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
        published = records().published
        club, names = club_id(published.founded()), Names(published.names)
        g.pages = Pages(names, club, current().options, current().visitor())
    return cast("Pages", g.pages)


def respond(make: Callable[[], Body], mime: str, tag: str, changed_at: int = 0) -> Response:
    """Return a page as a response, or that it is the one that the visitor has.

    The text ``tag`` changes whenever the page does for this visitor: one that they have is not
    made then.
    """
    visitor = current().visitor() if mime == "text/html" else None
    made_of = f"{build_of(current().options)} {request.full_path} {visitor} {tag}"
    etag = blake2b(made_of.encode(), digest_size=16).hexdigest()
    response = Response(content_type=mime if mime == "image/png" else f"{mime}; charset=utf-8")
    response.set_etag(etag)
    if changed_at:
        response.last_modified = utc(changed_at)
    if request.if_none_match.contains(etag):
        response.status_code = 304
        return response
    response.data = make()
    if not response.data:
        abort(404)
    return response
