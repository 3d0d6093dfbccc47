"""A player's account: signing up, in and out, addresses and passwords, and leaving for good.

Whatever asks for a password has a form and a handler of its own here: the words that it says are
made here, and nothing of what was typed comes back but a name or an address.
"""

from flask import Blueprint, Response, abort, request

from pbmserv.club.player import Player
from pbmserv.commands.people import address_state
from pbmserv.commands.reset_password import SENT
from pbmserv.commands.types import NUMBER
from pbmserv.desk.unproven_addresses import LetterCause, prove_address
from pbmserv.errors import Denied, Misunderstood, NotFound, Refused
from pbmserv.mail.tokens import is_for_address, read_token
from pbmserv.services.session import Source
from pbmserv.store.people.addresses import Address
from pbmserv.web.club import current, leave_transaction, now, pages, records
from pbmserv.web.forms import known_path, perform, private_page, see_other, status_of
from pbmserv.web.limits import network_of
from pbmserv.web.visitor import SHARED_LIFE, keys, require_signed_in, signed_in, signin_key

account = Blueprint("account", __name__)

GONE = {"Clear-Site-Data": '"cache", "cookies", "storage"'}
"""What a browser forgets when somebody signs out."""

SHOWN = ("userid", "address", "next", "p", "t")
"""What comes back with a form: nothing that is a password."""

TOLD = {
    "password": "Your password was changed. You are signed out everywhere else.",
    "addresses": "Your addresses were changed.",
    "ended": "That sign-in has ended.",
    "sent": SENT,
    "reset": "Your password was changed. Sign in with it.",
    "verified": "This address is verified: mail about your games goes to it.",
    "closed": "Your account is closed.",
}
"""What a page says after a form has led there, by a word in its address."""


TITLES = {
    "signin": "Sign in",
    "signup": "Join",
    "reset": "A new password",
    "verify": "Verify your address",
    "account": "Your account",
    "close": "Close your account",
}
"""The pages with a form, by the names of their templates."""


def _page(name: str, error: Refused | None = None, **values: object) -> Response:
    """Return the page of a form, with what was wrong if the form has come back."""
    alert, status = "", 200
    if error is not None:
        advice = (line for line in error.hint.splitlines() if "pbmserv" not in line)  # for a shell
        alert, status = " ".join([error.message, *advice]), status_of(error)
    response = private_page(
        f"{name}.html",
        TITLES[name],
        status,
        told=TOLD.get(request.args.get("told", ""), ""),
        alert=alert,
        typed={field: request.values.get(field, "") for field in SHOWN},
        has_mail=current().desk.writes_letters(),
        signups=current().web.takes_signups,
        operator=current().desk.operator,
        **values,
    )
    if seconds := getattr(error, "seconds", None):
        response.headers["Retry-After"] = str(seconds)
    return response


def _sign(*words: str, is_once: bool = True) -> None:
    """Do a command of this module's own, with a password among its words."""
    answer = perform(words, is_once=is_once)
    if answer is not None and answer.is_page:  # something typed asks for help
        raise Misunderstood("This cannot be read as it is typed.", code="no-such-form")


def _typed(name: str) -> str:
    return request.form.get(name, "")


def _number(text: str) -> int:
    """Return the number of a player or a key, 0 for what is none."""
    return int(text) if NUMBER.fullmatch(text) else 0


def _led_to(path: str, told: str, **headers: str) -> Response:
    return see_other(f"{known_path(path)}?told={told}", **headers)


# Signing in and out


@account.get("/signin")
def signin() -> Response:
    """Return the form for signing in, or lead on who is signed in already."""
    if signed_in() is not None:
        return see_other(known_path(request.args.get("next", "")))
    return _page("signin")


@account.post("/signin")
def sign_in() -> Response:
    """Sign in by userid and password, with a key that is made for it."""
    try:
        _sign_in(_typed("userid").strip(), _typed("password"), is_shared="shared" in request.form)
    except Refused as error:
        return _page("signin", error)
    return see_other(known_path(_typed("next")))


def _sign_in(userid: str, password: str, *, is_shared: bool) -> None:
    """Sign in anew: a form that is sent twice gives its browser a key twice."""
    keys().life = SHARED_LIFE if is_shared else None
    _sign("login", userid, password, is_once=False)


@account.post("/signout")
def sign_out() -> Response:
    """End the visitor's key, or all of theirs."""
    require_signed_in()
    _sign("logout", *(["-everywhere"] if "everywhere" in request.form else []))
    return see_other(known_path("index.html"), **GONE)


# Joining


@account.get("/signup")
def signup() -> Response:
    """Return the form for opening an account, or lead on who has one."""
    if not current().web.takes_signups:
        abort(404)
    return _page("signup") if signed_in() is None else see_other(known_path("my"))


@account.post("/signup")
def sign_up() -> Response:
    """Open an account and sign in; where mail is set up, a letter asks to prove the address."""
    if not current().web.takes_signups:
        abort(404)
    userid, password = _typed("userid").strip(), _typed("password")
    address = _typed("address").strip()
    try:
        if current().desk.writes_letters() and not address:
            raise Misunderstood("Write your mail address, too.", code="missing-word")
        _sign("signup", userid, password, *([address] if address else []))
        _sign_in(userid, password, is_shared="shared" in request.form)
    except Refused as error:
        return _page("signup", error)
    return see_other(known_path("my"))


# A forgotten password, and the proof of an address


@account.get("/reset")
def reset() -> Response:
    """Return the form that asks for a token by mail, or for another password with a good token."""
    try:
        return _page("reset", userid=_owner().userid if request.args.get("t") else "")
    except Denied as error:
        return _page("reset", error, userid="")


@account.post("/reset")
def reset_password() -> Response:
    """Ask for a token by mail, whoever is meant, or set another password with it.

    Nobody is signed in by it.
    """
    userid = ""  # whose password is set, once a good token shows whose
    try:
        if not _typed("t"):
            _sign("reset", _typed("userid").strip())
            return _led_to("reset", "sent")
        userid = _owner().userid
        _sign("reset", userid, _typed("t"), _typed("password"))
    except Refused as error:
        return _page("reset", error, userid=userid)
    return _led_to("signin", "reset")


def _owner() -> Player:
    """Return the player whom the link of a letter is for; raises :class:`Denied`."""
    number, secret = _number(request.values.get("p", "")), request.values.get("t", "")
    if records().resets.is_good(number, secret, now()):
        return records().players.get(number)
    raise Denied("The token is wrong, already used, or too old.", code="wrong-token")


@account.get("/verify")
def verify() -> Response:
    """Return the button that proves an address: who only follows links changes nothing."""
    found = None if request.args.get("told") else _claimed(request.args.get("t", ""))
    return _page("verify", address=found and found.address)


@account.post("/verify")
def prove() -> Response:
    """Prove the address that a letter was sent to; nobody is signed in by it."""
    found = _claimed(_typed("t"))
    leave_transaction()
    with current().desk.store.writing() as writing:
        cause = LetterCause(now(), network_of(request.remote_addr))
        prove_address(writing, found.address, found.player_id, cause, Source.WEB)
    return _led_to("verify", "verified")


def _claimed(text: str) -> Address:
    """Return the address that a token from a letter proves; raises :class:`NotFound`."""
    signing = current().signing_keys()
    claim = read_token(signing, text)
    if claim is not None and not claim.match_id:
        for row in records().addresses.of([claim.player_id]):
            if is_for_address(signing, claim, row.address):
                return row
    raise NotFound(
        "This link is no longer good, or was not copied whole.",
        code="wrong-token",
        hint="Save your addresses again on the page of your account, and a new letter is sent.",
    )


# The account


@account.get("/account")
def own_account(error: Refused | None = None) -> Response:
    """Return what the visitor can change of their account."""
    player = require_signed_in()
    found, at = records(), now()
    vacations = found.absences.of([player.id], current().desk.vacation_days())[player.id]
    addresses = found.addresses.of([player.id])
    return _page(
        "account",
        error,
        player=player,
        addresses=[(each.address, address_state(each)) for each in addresses],
        signins=found.signin_keys.of_player(player.id, at),
        this=signin_key(),
        has_digest=found.talk.preferences(player.id).has_digest,
        away=vacations.current(at),
        days_left=vacations.days_left(at),
        is_private=pages().names[player.id].is_private,
        blocked=found.talk.blocked(player.id),
    )


@account.post("/account")
def change_account() -> Response:
    """Change the password or the addresses, or end a sign-in."""
    player = require_signed_in()
    changes = {"password": _change_password, "addresses": _change_addresses, "ended": _end_key}
    change = changes.get(_typed("what"))
    if change is None:
        raise Misunderstood("This form says nothing that can be done.", code="no-such-form")
    try:
        change(player)
    except Refused as error:
        return own_account(error)
    return _led_to("account", _typed("what"))


def _change_password(player: Player) -> None:
    """Set another password, which ends all sign-ins, and sign this browser in again."""
    key = signin_key()
    _sign("change", "password", player.userid, _typed("password"), _typed("new"))
    _sign_in(player.userid, _typed("new"), is_shared=key is not None and key.ends_at is not None)


def _change_addresses(player: Player) -> None:
    kept = [each.strip() for each in request.form.getlist("address") if each.strip()]
    _sign("change", "address", player.userid, _typed("password"), *kept)


def _end_key(player: Player) -> None:
    """End one of the player's keys."""
    leave_transaction()
    with current().desk.store.writing() as writing:
        if not writing.signin_keys.remove_own(player.id, _number(_typed("number"))):
            raise NotFound("That sign-in has ended already.", code="no-such-key")
        writing.audit.add(
            at=now(),
            source=Source.WEB.value,
            player_id=player.id,
            verb="logout",
            detail=f"{player.userid} elsewhere",
            outcome="done",
        )


@account.get("/close")
def close() -> Response:
    """Return the question whether the visitor wants to leave for good."""
    require_signed_in()
    return _page("close")


@account.post("/close")
def close_account() -> Response:
    """Close the visitor's account for good."""
    player = require_signed_in()
    erase = ["-erase"] if "erase" in request.form else []
    try:
        _sign("signoff", player.userid, _typed("password"), *erase)
    except Refused as error:
        return _page("close", error)
    keys().drop()
    return _led_to("signin", "closed", **GONE)
