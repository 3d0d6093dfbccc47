"""The application: its pages, who may send what, and what is said where something is wrong."""

from typing import Any

from flask import Flask, Response, make_response, redirect, request, url_for
from werkzeug.exceptions import HTTPException, NotFound as NoSuchPage

from pbmserv.errors import Denied, Fault, Misunderstood, NotFound, PbmservError, Refused
from pbmserv.site.pages import Pages
from pbmserv.web.club import Club, current, leave_transaction, pages
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

STATUS = ((Misunderstood, 400), (Denied, 403), (NotFound, 404), (Refused, 409), (Fault, 503))
"""What a browser is told for an error."""

NO_SUCH_PAGE = NotFound("There is no such page.", code="no-such-page")


def make_app(club: Club) -> Flask:
    """Return the application of a club: what everybody sees, and if it is alive all forms."""
    from pbmserv.web.public import public  # it asks for the club of the request, too

    app = Flask("pbmserv", static_folder=None)
    app.extensions["club"] = club
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.register_blueprint(public)
    app.teardown_request(lambda _: leave_transaction())
    if club.web is None:
        return app
    club.visitor = visitor
    if club.web.url:
        app.config["TRUSTED_HOSTS"] = [urlsplit(club.web.url).netloc]
    for each in (forms, boards, account, guests):
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
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def _told(error: Exception) -> Response:
    """Return the page about what went wrong, with a way on."""
    leave_transaction()
    if isinstance(error, HTTPException):
        found, status = _of_protocol(error), error.code or 400
    elif isinstance(error, PbmservError):
        found, status = error, status_of(error)
    else:
        current().failed(error)
        found, status = DEFECT, 500
    if found.code == "not-signed-in":
        return redirect(url_for("account.signin", next=request.path.removeprefix("/")), 303)
    response = make_response(_page_about(found), status)
    if seconds := getattr(found, "seconds", None):
        response.headers["Retry-After"] = str(seconds)
    return response
