"""Game records: boards as text to take away, and finished games to keep here."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

from pbmserv.club.match import Match
from pbmserv.club.player import Player
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.slots import BOARD, slot
from pbmserv.commands.types import OptionalLogin, parse_match_number
from pbmserv.engine.moments import format_moment
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import format_record, parse_records
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.errors import Denied, invalid_value
from pbmserv.render.document import Document, around_document, options_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.game_import import require_own, store_records
from pbmserv.services.lookup import context_of, find_match
from pbmserv.services.session import ReadSession, Source, WriteSession


class Format(NamedTuple):
    """A form of records: its name, how its files end and its texts begin, and who writes a board.

    ``between`` stands between two of them; ``read`` returns the records of a text.
    """

    name: str
    ending: str
    begin: str
    write: Callable[[Match], str]
    between: str = ""
    read: Callable[[str], list[Record[str]]] | None = None


def _text(match: Match) -> str:
    first, second = (
        seat._replace(userid=seat.userid.replace(" ", "-")) for seat in (match.first, match.second)
    )
    return format_record(record_of(replace(match, first=first, second=second)))


def _json(match: Match) -> str:
    outcome, players = match.outcome, (match.first, match.second)
    document = {
        "game": match.game.name,
        "options": options_document(match.game),
        "board": match.number,
        "first": match.first.userid,
        "second": match.second.userid,
        "players": {side.value: match.seats[side].userid for side in Side},
        "robots": [seat.userid for seat in players if seat.is_robot],
        "moves": match.record.texts,
        "status": match.status.value,
        "winner": outcome.winner.value if outcome and outcome.winner else None,
        "reason": outcome.reason.value if outcome else None,
        "started": match.started_at,
        "changed": match.changed_at,
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


FORMATS = (
    Format("text", "txt", "pbmserv record", _text, "\n", parse_records),
    Format("JSON", "json", "{", _json),
    Format("SGF", "sgf", "(;", lambda match: format_sgf(record_of(match))),
)
"""All forms; the first is that of a text that looks like none."""


def _parse_format(text: str) -> Format:
    for form in FORMATS:
        if form.name.lower().startswith(text.lower()):
            return form
    raise invalid_value("format", text, " or ".join(form.name.lower() for form in FORMATS))


def read_records(text: str) -> list[Record[str]]:
    """Return the records of a text in any form that can be read; raises :class:`Refused`."""
    readers = {form.begin: form.read for form in FORMATS if form.read}
    begin = next(filter(text.lstrip().startswith, readers), FORMATS[0].begin)
    return readers[begin](text)


@command()
def export(
    session: ReadSession,
    game: GameType,
    numbers: Annotated[tuple[int, ...], Word(slot(BOARD, many=True), parse_match_number)],
    *,
    form: Annotated[
        Format | None,
        Option([f.name.lower() for f in FORMATS], "form (default text)", _parse_format, "format"),
    ] = None,
) -> Answer:
    """Print the records of boards: players, result and every move.

    import can read them, also several one after another. See help records.
    """
    form = form or FORMATS[0]
    if form is not FORMATS[0] and session.source is Source.MAIL:
        raise Denied("By mail, records are text only: long lines would break.", code="shell-only")
    matches = [find_match(session, game, number) for number in dict.fromkeys(numbers)]
    text = form.between.join(map(form.write, matches))
    return Answer((text.rstrip("\n"),), {"record": text})


@command()
def import_(
    session: WriteSession,
    game: GameType,
    player: Annotated[Player | None, OptionalLogin()] = None,
) -> Answer:
    """Store finished games from their records, read from standard input; they are unrated.

    You can give several records, one after another; all of them are stored, or none. If a player of
    a game has an account here, one of its players must sign it. Players without an account are
    stored by name and can sign up later.
    """
    matches = store_records(
        session,
        game,
        read_records(session.read_body()),
        require_free_word,
        lambda match: require_own(session, match, player),
    )
    return imported(session, matches)


def imported(session: WriteSession, matches: Sequence[Match]) -> Answer:
    """Return the answer to the person who stored finished games."""
    facts = [_facts(session, match) for match in matches]
    if len(matches) == 1:
        blocks = view_blocks(view_match(matches[0]))
        return Answer((f"Imported as {matches[0].title}.", *blocks), facts[0])
    lines = [f"Imported {len(matches)} games.", *(match.result for match in matches)]
    return Answer(
        ("\n".join(lines),), lambda: {"matches": [make() for make in facts], "more": False}
    )


def _facts(session: WriteSession, match: Match) -> Callable[[], Document]:
    """Return the function that makes the document of a match if a program asks for it."""
    view, beside = view_match(match), context_of(session, match, timing=None)
    return lambda: {**view_document(view), **around_document(beside)}


def record_of(match: Match) -> Record[str]:
    """Return the record of a match from its original seats; raises Fault for a damaged one."""
    players = (match.first, match.second)
    return replace(
        match.record.with_players(*(seat.userid for seat in players)),
        board=str(match.number),
        started=format_moment(match.started_at),
        finished="" if match.is_running else format_moment(match.changed_at),
        computer=" ".join(seat.userid for seat in players if seat.is_robot),
    )
