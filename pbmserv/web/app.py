"""The application: its pages, who may send what, and what is said where something is wrong."""

from urllib.parse import quote, urlsplit
from uuid import UUID

from flask import Flask, Response, make_response, request
from werkzeug.exceptions import HTTPException

from pbmserv.errors import Denied, Fault, Misunderstood, NotFound, PbmservError, Refused
from pbmserv.site.pages import Names, Pages, build_of
from pbmserv.store.faults import public_fault
from pbmserv.web.account import account
from pbmserv.web.boards import boards
from pbmserv.web.club import Club, current, leave_transaction, pages
from pbmserv.web.forms import forms, known_path, see_other, status_of
from pbmserv.web.guests import guests
from pbmserv.web.my import my
from pbmserv.web.public import CONVERTERS, public
from pbmserv.web.visitor import require_own_form, visitor, with_cookies

MAX_BODY = 16 * 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "",
}
"""What every response says of itself."""

LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
FOR_ALL = {"text/css", "text/javascript"}
A_YEAR = "max-age=31536000, immutable"

OF_PROTOCOL = {
    404: NotFound("There is no such page.", code="no-such-page"),
    405: Denied("A browser cannot do that here.", code="no-such-method"),
    413: Refused("This is too long to be sent.", code="too-long"),
}
ILL_FORMED = Misunderstood("This request cannot be understood.", code="bad-request")
DEFECT = Fault("Something went wrong here.", code="defect", hint="It was noted. Try it again.")
NOBODY = UUID(int=0)


def make_app(club: Club) -> Flask:
    """Return the application of a club: what everybody sees, and if it is alive all forms."""
    app = Flask("pbmserv", static_folder=None)
    app.extensions["club"] = club
    app.url_map.converters |= CONVERTERS
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.register_blueprint(public)
    app.teardown_appcontext(lambda _: leave_transaction())
    if not club.is_alive:
        return app
    club.visitor = visitor
    # Where no address is known, only this machine's names are: another could lead here, too.
    app.config["TRUSTED_HOSTS"] = [urlsplit(club.web.url).hostname] if club.web.url else LOOPBACK
    for each in (forms, boards, account, my, guests):
        app.register_blueprint(each)
    app.before_request(_require_own_form)
    app.after_request(with_cookies)
    app.after_request(_with_headers)
    app.register_error_handler(Exception, _told)
    return app


def _require_own_form() -> None:
    """Let nothing be changed but by a form of ours; a guest's game changes nothing."""
    if request.method == "POST" and request.blueprint != guests.name:
        require_own_form()


def _with_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    response.headers["Vary"] = "Cookie"
    is_of_build = request.query_string.decode("latin-1") == build_of(current().options)
    if is_of_build and response.mimetype in FOR_ALL:
        response.headers["Cache-Control"] = A_YEAR  # another build has another address
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def _told(error: Exception) -> Response:
    """Return the page about what went wrong, with a way on."""
    leave_transaction()
    found: PbmservError = DEFECT
    if isinstance(error, HTTPException):
        found, status = OF_PROTOCOL.get(error.code or 0, ILL_FORMED), error.code or 400
    elif isinstance(error, PbmservError):
        status = status_of(error)
        found = public_fault(error) if isinstance(error, Fault) else error
    else:
        current().failed(error)
        status = 500
    if found.code == "not-signed-in":
        return see_other(known_path("signin") + f"?next={quote(request.path.removeprefix('/'))}")
    response = make_response(_page_about(found), status)
    if seconds := getattr(found, "seconds", None):
        response.headers["Retry-After"] = str(seconds)
    return response


def _page_about(error: PbmservError) -> str:
    """Return a whole page, also where the database does not answer."""
    try:
        shown = pages()
    except Exception:  # noqa: BLE001 - what is wrong with the database is told by this page
        shown = Pages(Names(lambda _: {}), NOBODY, current().options)
    root = "../" * (request.path.count("/") - 1)
    return shown.page(
        "error.html", "Not done", root, message=error.message, advice=error.advice.splitlines()
    )
