"""Who asks: the sign-in key in a cookie, and the token that a form of theirs must bring along.

The cookie holds the key itself, which the database keeps as a digest; it is made at each sign-in
and never taken from the visitor. A token is an HMAC by the key, so that no other site can make one.
Who has no key gets a cookie of chance with the form for signing in, and a token by that.
"""

import hmac
import secrets
from contextlib import suppress
from typing import cast
from urllib.parse import urlsplit

from flask import Response, g, request

from pbmserv.club.match import MatchSummary
from pbmserv.club.player import Player
from pbmserv.engine.moments import DAY, HOUR
from pbmserv.errors import Denied, Fault
from pbmserv.site.pages import Visitor
from pbmserv.store.people.signin_keys import KEY, LIFE, SigninKey
from pbmserv.web.club import current, leave_transaction, now, records

SHARED_LIFE = 12 * HOUR
"""Seconds after which a key on a shared computer ends."""

FORM_LIFE = 12 * HOUR
"""Seconds for which a form that signs in can be sent."""

COOKIE, FORM_COOKIE = "pbmserv", "pbmserv-form"
OURS = {"same-origin", "none"}
"""What a browser says of a request that no other site has caused."""

MAX_WAITING = 99
"""Boards that are counted for a head."""


class CookieKeys:
    """The sign-in key of a visitor, in their cookie; one with a ``life`` ends after so long."""

    def __init__(self, text: str, life: int | None = None) -> None:
        self.text = text if KEY.fullmatch(text) else ""
        self.life = life
        self.has_changed = False

    def read(self) -> str | None:
        """Return the key, or None without one."""
        return self.text or None

    def keep(self, key: str) -> None:
        """Keep this key in place of any other."""
        self.text, self.has_changed = key, True

    def drop(self) -> None:
        """Keep no key any more."""
        self.text, self.has_changed = "", True


def keys() -> CookieKeys:
    """Return the sign-in key that came with this request."""
    if "keys" not in g:
        g.keys = CookieKeys(request.cookies.get(_named(COOKIE), ""))
    return cast("CookieKeys", g.keys)


def signed_in() -> Player | None:
    """Return the player whose key came with this request, None without one that is good."""
    key = signin_key()
    return None if key is None else key.player


def signin_key() -> SigninKey | None:
    """Return the key of whoever is signed in."""
    if "signin" not in g:
        text = keys().read()
        found = records().signin_keys.find(text, now()) if text else None
        g.signin = None if found is None or found.player.suspended_at is not None else found
    return cast("SigninKey | None", g.signin)


def require_signed_in() -> Player:
    """Return the player who is signed in; raises :class:`Denied`."""
    found = signed_in()
    if found is None:
        raise Denied("You are not signed in.", code="not-signed-in", hint="Sign in first.")
    return found


def waiting() -> list[MatchSummary]:
    """Return the boards that wait for whoever is signed in."""
    if "waiting" not in g:
        ids, found = [require_signed_in().id], records().matches
        g.waiting = found.summaries(player_ids=ids, selector="next", limit=MAX_WAITING)
    return cast("list[MatchSummary]", g.waiting)


def visitor() -> Visitor | None:
    """Return the head of a page for whoever is signed in, None for others."""
    player = signed_in()
    if player is None:
        return None
    return Visitor(player.userid, player.id, len(waiting()), token())


def token() -> str:
    """Return the token of the visitor's forms; who has no cookie to make it by gets one."""
    secret = keys().read() if signed_in() else _form_cookie()
    return hmac.digest((secret or "").encode(), b"form", "sha256").hex()


def _form_cookie() -> str:
    """Return the cookie of chance by which a form is known that no key is behind."""
    if "form_cookie" not in g:
        g.form_cookie = request.cookies.get(_named(FORM_COOKIE), "")
        if len(g.form_cookie) != len(secrets.token_hex()):
            g.form_cookie = g.new_form_cookie = secrets.token_hex()
    return str(g.form_cookie)


def require_own_form() -> None:
    """Raise :class:`Denied` unless this request was made by a form of this club's pages."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    own = urlsplit(current().web.url or request.host_url)
    is_ours = site in OURS if site else origin in {None, f"{own.scheme}://{own.netloc}"}
    if not is_ours or not hmac.compare_digest(
        request.form.get("token", "").encode(), token().encode()
    ):
        raise Denied(
            "This form is too old, or comes from another site.",
            code="foreign-form",
            hint="Nothing was changed. Open the page again and repeat it.",
        )


def with_cookies(response: Response) -> Response:
    """Return the response with the cookies that changed; a key that is used lives on."""
    mine: CookieKeys | None = g.get("keys")
    found: SigninKey | None = g.get("signin")
    if mine is not None and mine.has_changed:
        life = None if mine.life else LIFE
        _set(response, COOKIE, mine.text, life if mine.text else 0)
    elif mine is not None and found is not None and found.used_at <= now() - DAY:
        leave_transaction()
        with suppress(Fault), current().desk.store.writing() as writing:
            writing.signin_keys.used(found.key_id, now())
        if found.ends_at is None:
            _set(response, COOKIE, mine.text, LIFE)
    if "new_form_cookie" in g:
        _set(response, FORM_COOKIE, g.new_form_cookie, FORM_LIFE)
    return response


def _set(response: Response, name: str, text: str, life: int | None) -> None:
    is_secure, path = _place()
    response.set_cookie(
        _named(name), text, max_age=life, path=path, secure=is_secure, httponly=True, samesite="Lax"
    )


def _named(name: str) -> str:
    """Return what a cookie is called, by which a browser lets nobody else set it."""
    is_secure, path = _place()
    if not is_secure:
        return name
    return f"__Host-{name}" if path == "/" else f"__Secure-{name}"


def _place() -> tuple[bool, str]:
    """Return whether the club is at an https address, and the path of its pages."""
    parts = urlsplit(current().web.url)
    return parts.scheme == "https", parts.path or "/"
