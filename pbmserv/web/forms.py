"""Forms: each says one command, which goes through the door as ``me``, once however often sent."""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response, current_app, make_response, request
from werkzeug.exceptions import HTTPException

from pbmserv.commands.answer import Answer
from pbmserv.desk.request import Request
from pbmserv.desk.rights import require_no_password, require_right, words_of_line
from pbmserv.errors import CarriedOut, Denied, Fault, Misunderstood, NotFound, PbmservError, Refused
from pbmserv.render.blocks import Block, BoardPicture, MoveList, Table
from pbmserv.render.svg import svg_board
from pbmserv.services.session import ReadSession, Source
from pbmserv.web.club import current, leave_transaction, now, pages, records
from pbmserv.web.limits import network_of
from pbmserv.web.visitor import keys, require_signed_in, signed_in, token

forms = Blueprint("forms", __name__)

MAX_KEY = 40
"""Characters of the key by which a form that is sent twice is known."""

BOARD = "board"
"""Where a form leads that begins a board: to its page."""

PATH = re.compile(r"[A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)*", re.ASCII)


def perform(words: Iterable[str], *, is_line: bool = False, is_once: bool = True) -> Answer | None:
    """Do a command as whoever is signed in; None if this form has done it before.

    One that was typed as a line holds no password. One that is not ``is_once`` is done again.

    Raises what the door does, and :class:`Denied` for what is not a browser's to do.
    """
    player = signed_in()
    leave_transaction()
    desk = current().desk
    key = request.form.get("key", "")[:MAX_KEY] if is_once else ""
    whose = f"web {player.id if player else 0} {key}" if key else None
    asked = Request(
        tuple(words), Source.WEB, keys=keys(), key=whose, net=network_of(request.remote_addr)
    )
    call = desk.understand(asked)
    userid, code = player.userid if player else "", "defect"
    require_right(call, userid or None, Source.WEB)
    if is_line:
        require_no_password(call)
    try:
        answer = desk.perform(asked, call)
        code = "done"
    except CarriedOut as error:
        code = error.code
        return None
    except PbmservError as error:
        code = error.code
        raise
    finally:
        current().done(desk.take_trail(call), userid, code)
    return answer


def reading_session() -> ReadSession:
    """Return the session of whoever looks, in the transaction of this request."""
    return ReadSession(
        Source.WEB, now(), records(), current().desk.vacation_days, signer=signed_in()
    )


STATUS = ((Misunderstood, 400), (Denied, 403), (NotFound, 404), (Refused, 409), (Fault, 503))
"""What a browser is told of each kind of error, the narrow ones first."""


def status_of(error: PbmservError) -> int:
    """Return the status of a page about an error; 429 where it says how long to wait."""
    if isinstance(error, Refused) and getattr(error, "seconds", None):
        return 429
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def known_path(text: str) -> str:
    """Return the address of a page of ours that a form leads to, else of the visitor's own.

    Nothing that a browser could take for another site is one: the path is looked up.
    """
    path, _, _ = text.partition("?")
    if path and PATH.fullmatch(path):
        with suppress(HTTPException):
            current_app.url_map.bind("").match(f"/{path}")
            return f"{request.script_root}/{path}"
    return f"{request.script_root}/my"


@forms.post("/say")
def say() -> Response:
    """Do the command of a form, or of one line, and show what it says or where it leads."""
    require_signed_in()
    if (line := request.form.get("line")) is None:
        answer = perform(form_words())
    else:
        words = words_of_line(line, current().desk.tree, Source.WEB)
        answer = perform(words, is_line=True)
    after = request.form.get("after")
    if after == BOARD and answer is not None:
        after = "boards/{game}/{board}.html".format(**answer.document)
    if answer is None or after is not None:
        return see_other(known_path(after or ""))
    return private_page("answer.html", "Done", parts=[shown(block) for block in answer.blocks])


def form_words() -> list[str]:
    """Return the words of a form: those of its fields ``w`` in order, and the options given."""
    words = [word.strip() for word in request.form.getlist("w") if word.strip()]
    options = ((n, v.strip()) for n, v in request.form.items() if n.startswith("-") and v.strip())
    return [*words, *(f"{name}={value}" for name, value in options)]


def see_other(path: str, **headers: str) -> Response:
    """Return what leads a browser on after a form, so that nothing is sent twice."""
    return Response(status=303, headers={"Location": path, **headers})


def private_page(template: str, title: str, status: int = 200, **values: object) -> Response:
    """Return a page that no browser keeps."""
    page = pages().page(template, title, "", token=token(), **values)
    return make_response(page, status, {"Cache-Control": "no-store"})


def shown(block: Block) -> tuple[str, Any]:
    """Return a block and what the template makes of it."""
    if isinstance(block, BoardPicture):
        return "board", svg_board(block.draw())
    if isinstance(block, Table):
        return "table", block
    return "pre" if isinstance(block, MoveList) else "p", block
