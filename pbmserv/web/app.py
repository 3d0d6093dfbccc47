"""The application: one for a process, a desk for each thread, a transaction for each request."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import local
from typing import NamedTuple, cast

from flask import Flask, Response, abort, current_app, g, request

from pbmserv.desk.door import Desk
from pbmserv.engine.moments import utc
from pbmserv.site.pages import Names, Pages, SiteOptions, build_of, club_id
from pbmserv.store.store import Records
from pbmserv.web.previews import Previews

Body = str | bytes


class WebSettings(NamedTuple):
    """The settings of the club in a browser; ``url`` has a slash at its end."""

    url: str


@dataclass
class Club:
    """The club whose pages are shown; ``web`` is None where they are kept as files."""

    options: SiteOptions
    new_desk: Callable[[], Desk]
    web: WebSettings | None = None
    previews: Previews = field(default_factory=Previews)
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
    from pbmserv.web.public import CONVERTERS, public

    app = Flask("pbmserv", static_folder=None)
    app.extensions["club"] = club
    app.url_map.converters |= CONVERTERS
    app.register_blueprint(public)
    app.teardown_appcontext(lambda _: end_reading())
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


def end_reading() -> None:
    """Close the transaction of this request, as before what takes long."""
    if "records" in g:
        g.pop("records")
        g.pop("stack").close()


def pages() -> Pages:
    """Return what fills the templates in this request."""
    if "pages" not in g:
        published = records().published
        names = Names(published.names)
        g.pages = Pages(names, club_id(published.founded()), current().options)
    return cast("Pages", g.pages)


def respond(
    body: Body | Callable[[], Body], mime: str, changed_at: int = 0, tag: str | None = None
) -> Response:
    """Return a page as a response, or that it is the one that the visitor has.

    The text ``tag`` changes whenever the page does: one that the visitor has is not made then.
    """
    if tag is None:
        body = body() if callable(body) else body
        tag = repr(body)
    made_of = f"{build_of(current().options)} {request.path} {tag}"
    etag = blake2b(made_of.encode(), digest_size=16).hexdigest()
    response = Response(content_type=mime if mime == "image/png" else f"{mime}; charset=utf-8")
    response.set_etag(etag)
    if changed_at:
        response.last_modified = utc(changed_at)
    if request.if_none_match.contains(etag):
        response.status_code = 304
        return response
    body = body() if callable(body) else body
    if not body:
        abort(404)
    response.data = body
    return response
