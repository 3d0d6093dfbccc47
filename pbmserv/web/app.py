"""The application: one for a process, a desk for each thread, a transaction for each request."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import local
from typing import NamedTuple, cast

from flask import Flask, Response, current_app, g, make_response, request

from pbmserv.desk.door import Desk
from pbmserv.engine.moments import utc
from pbmserv.site.pages import Pages, SiteOptions, club_id
from pbmserv.store.store import Records


class WebSettings(NamedTuple):
    """The settings of the club in a browser; ``url`` has a slash at its end."""

    url: str


@dataclass
class Club:
    """The club whose pages are shown; ``web`` is None where they are kept as files."""

    options: SiteOptions
    new_desk: Callable[[], Desk]
    web: WebSettings | None = None
    _threads: local = field(default_factory=local, repr=False)

    @property
    def desk(self) -> Desk:
        """The desk of this thread."""
        found = self._threads.__dict__.get("desk")
        if found is None:
            found = self._threads.__dict__["desk"] = self.new_desk()
        return cast("Desk", found)


def make_app(club: Club) -> Flask:
    """Return the application of a club."""
    app = Flask("pbmserv", static_folder=None)
    app.extensions["club"] = club
    return app


def current() -> Club:
    """Return the club of the running request."""
    return cast("Club", current_app.extensions["club"])


def records() -> Records:
    """Return the one transaction of this request, which is opened when it is first asked for."""
    if "records" not in g:
        g.stack = ExitStack()
        g.records = g.stack.enter_context(current().desk.store.reading())
    return cast("Records", g.records)


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
        g.pages = Pages(names, club, *more)
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
