"""The lines of a mail, each understood, signed and judged by itself."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.commands.words import split_line
from pbmserv.errors import Denied, Refused

if TYPE_CHECKING:
    from pbmserv.club.player import Player
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import MailRequest, Request
    from pbmserv.store.store import Records

ON_ITS_OWN = frozenset({"chat", "unsubscribe", "resign", "swap", "confirm", "queue"})
"""Short commands that are verbs; any other short command is a move."""

WITHOUT_BOARD = frozenset({"digest off", "broadcast off"})
"""What an answer to a letter that is about no board can ask for without a password."""


class Step(NamedTuple):
    """One line of a mail, as far as it is known what it says and who says it."""

    line: str = ""
    call: Call | None = None
    player: Player | None = None
    refusal: Refused | None = None


def understood(desk: Desk, step: Step, request: Request) -> Step:
    """Return the step with its call; raises :class:`Misunderstood`."""
    from dataclasses import replace

    words = tuple(split_line(step.line))
    return step._replace(call=desk.understand(replace(request, words=words)))


def holder_of(records: Records, mail: MailRequest) -> Player | None:
    """Return the player whom the reply token proves, if the mail comes from his address."""
    if mail.proof is None:
        return None
    number = mail.proof.player_id
    holders = records.addresses.holders(mail.sender)
    if not any(address.player_id == number for address in holders):
        return None
    player = records.players.get(number)
    return player if player.login_hash is not None else None


def expanded(records: Records, mail: MailRequest, holder: Player | None) -> list[Step]:
    """Return the whole commands that the short ones of the token's holder stand for."""
    if holder is None or mail.proof is None:
        return [Step(refusal=not_his_token())]
    (line,) = mail.lines
    if not mail.proof.match_id:
        wish = " ".join(line.lower().split())
        verb, _, rest = wish.partition(" ")
        return [Step(f"{verb} {holder.userid} - {rest}")] if wish in WITHOUT_BOARD else []
    match = records.matches.get(mail.proof.match_id)
    if match is None or not _is_named(mail, match.game.name, match.number):
        return [Step(refusal=other_board())]
    verb, _, rest = line.strip().partition(" ")
    is_verb = verb.lower() in ON_ITS_OWN
    head = [shlex.quote(match.game.name), verb.lower() if is_verb else "move", str(match.number)]
    return [Step(" ".join([*head, holder.userid, "-", rest if is_verb else line]))]


def require_patience(records: Records, call: Call, sender: str, now: int) -> None:
    """Raise :class:`Denied` while somebody who sent wrong passwords has to wait."""
    if records.throttle.wait_until(str(call.params.get("userid", "")), sender) > now:
        raise Denied(
            "There were too many wrong passwords from this address.",
            code="wait-for-password",
            hint="Wait an hour, or answer a mail of the board, which needs no password.",
        )


def count_wrong_password(records: Records, step: Step, sender: str, now: int) -> None:
    """Count it against the sender if the step was refused for its password."""
    if step.call is not None and step.refusal is not None and step.refusal.code == "wrong-login":
        records.throttle.failed(str(step.call.params["userid"]), sender, now)


def not_his_token() -> Denied:
    """Return the error for a token that somebody else sends."""
    return Denied(
        "This answer does not come from an address of the player whose turn it speaks of.",
        code="not-your-token",
        hint="Answer from the address that the mail was sent to.",
    )


def other_board() -> Denied:
    """Return the error for a token of one board in a mail about another."""
    return Denied(
        "This answer belongs to another board than its Subject says.",
        code="other-board",
        hint="Answer the newest mail of the board, and leave its Subject as it is.",
    )


def _is_named(mail: MailRequest, game: str, number: int) -> bool:
    """Tell whether the Subject names this board, or none."""
    if mail.board is None:
        return True
    from pbmserv.engine.games import find_game
    from pbmserv.errors import NotFound

    try:
        return (find_game(mail.board[0]).name, mail.board[1]) == (game, number)
    except NotFound:
        return False
