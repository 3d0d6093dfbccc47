"""The second step to a cell of a large board: an answer such as ``cells D`` asks for its links.

A letter with a link in every cell of the largest boards would be too large. It has those of some
rows or sectors alone, and for each of the others a mail to be sent that asks for them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pbmserv.club.letter import CELLS
from pbmserv.desk.mail_rights import (
    not_their_token,
    other_board,
    require_same_board,
    stale_token,
)
from pbmserv.errors import Denied, Misunderstood
from pbmserv.render.board_letters import cells_letter
from pbmserv.render.letter_board import LetterBoard
from pbmserv.render.picture import draw

if TYPE_CHECKING:
    from pbmserv.club.letter import Letter
    from pbmserv.desk.mail_answers import MailAnswers
    from pbmserv.desk.request import MailRequest

ASKED = re.compile(rf"{CELLS} ([\w*]{{1,3}})", re.IGNORECASE | re.ASCII)


def asked_part(mail: MailRequest) -> str | None:
    """Return the row or sector whose cells the mail asks for, None for any other mail."""
    if not mail.is_short or mail.proof is None or not mail.proof.match_id:
        return None
    asked = ASKED.fullmatch(mail.lines[0].strip()) if mail.lines else None
    return asked[1].upper() if asked else None


def letter_with_cells(answers: MailAnswers, part: str) -> Letter:
    """Return the board with links in this row or sector, for the holder of the reply token."""
    mail, asker = answers.mail, answers.asker
    if answers.signed is None or asker is None or mail.proof is None:
        raise not_their_token()
    match = answers.records.matches.get(mail.proof.match_id)
    if match is None:
        raise other_board()
    require_same_board(mail, match)
    if match.revision != mail.proof.revision:
        raise stale_token(match)
    on_move = match.next_seat
    if on_move is None or on_move.player_id != asker.player_id:
        raise Denied("It is not your turn.", code="not-your-turn")
    board = LetterBoard(draw(match.game, match.position))
    if part not in board.names:
        raise Misunderstood(
            f"This board has no such {board.kind}.",
            code="no-such-part",
            hint=f"Its {board.kind}s are {', '.join(board.names)}.",
        )
    return cells_letter(match, asker, board.kind, part)
