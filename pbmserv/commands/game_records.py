"""Game records: boards as text to take away, and finished games to keep here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import click

from pbmserv.club.match import Match
from pbmserv.club.player import ME, Player, parse_userid
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.record_words import RecordSource, RecordWord, find_reader, may_be_record
from pbmserv.commands.slots import BOARD, FILE, LINK, USERID, maybe, slot
from pbmserv.commands.types import OptionalLogin, SignedPlayer, parse_match_number
from pbmserv.engine.formats import find_format, read_games, written_formats
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.game import Game
from pbmserv.engine.game_format import GameFormat, ReadGame
from pbmserv.engine.moments import format_moment
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import format_record
from pbmserv.errors import Denied, Misunderstood, Refused, invalid_value
from pbmserv.render.document import Document, around_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.game_import import (
    PlayersNamed,
    named_record,
    require_own,
    require_storable,
    store_records,
)
from pbmserv.services.lookup import context_of, find_match
from pbmserv.services.session import ReadSession, Source, WriteSession

OWN = "record"
OURS = frozenset({"own_record", "own_json"})
"""The files of the formats whose names are userids."""
BEFORE = ("text", "json", "sgf")
"""The names of forms of which once every beginning was valid, and still is."""
SWAPS = ("pieces", "sides")
"""The thing that a swap moves in SGF of Hex: the first stone, unless otherwise said."""


def _parse_format(text: str) -> GameFormat:
    """Return the format so called, or so begun; raises :class:`Misunderstood`."""
    name, written = text.lower(), written_formats()
    if name not in written:
        name = next((each for each in (*BEFORE, *written) if each.startswith(name)), name)
    return find_format(OWN if name == BEFORE[0] else name)


def _parse_swap(text: str) -> bool:
    """Return whether a swap exchanges the sides; raises :class:`Misunderstood`."""
    if text.lower() not in SWAPS:
        raise invalid_value("swap", text, " or ".join(SWAPS))
    return text.lower() == SWAPS[1]


@dataclass(eq=False, repr=False)
class WrittenForm:
    """The options of a text of games: its format, and how SGF of Hex tells a swap."""

    form: Annotated[
        GameFormat | None,
        Option([*written_formats()], f"format (default {OWN})", _parse_format, "format"),
    ] = None
    swap: Annotated[
        bool | None, Option(SWAPS, "what a swap moves in SGF of Hex (default pieces)", _parse_swap)
    ] = None

    def answer(
        self, session: ReadSession, matches: Iterable[Match], *, skips: bool = False
    ) -> Answer:
        """Return these games as one text; ``skips`` those that the format does not have.

        Raises :class:`Refused` if it has none of them.
        """
        form = self.form or find_format(OWN)
        if form.name != OWN and session.source is Source.MAIL:
            message = "By mail, records are text only: long lines would break."
            raise Denied(message, code="shell-only")
        if self.swap is not None and form.name != "sgf":
            message = "The option -swap works only with -format=sgf."
            raise Misunderstood(message, code="options-clash")
        write = partial(format_sgf, swaps_sides=True) if self.swap else form.write
        texts, refusals = [], []
        for match in matches:
            try:
                texts += [write(record_of(match))] if write else []
            except Refused as error:
                refusals.append(error)
        if refusals and not (skips and texts):
            raise refusals[0]
        text = form.between.join(texts)
        return Answer((text.rstrip("\n"),), {"record": text})


@command()
def export(
    session: ReadSession,
    game: GameType,
    numbers: Annotated[tuple[int, ...], Word(slot(BOARD, many=True), parse_match_number)],
    *,
    written: WrittenForm,
) -> Answer:
    """Print the records of boards: players, result and every move.

    import can read them, also several one after another. See help records.
    """
    matches = [find_match(session, game, number) for number in dict.fromkeys(numbers)]
    return written.answer(session, matches)


@command()
def export_all(session: ReadSession, player: SignedPlayer, *, written: WrittenForm) -> Answer:
    """Print the records of all your games, finished and running, one after another.

    Games that the format does not have are left out, such as Star in links. See help records.
    """
    found = session.records.matches
    lines = found.summaries(player_ids=[player.id])
    matches = [match for line in lines if (match := found.get(line.id)) is not None]
    if not matches:
        return Answer(("You have no games yet.",), {"record": ""})
    return written.answer(session, matches, skips=True)


class LoginBeforeRecords(OptionalLogin):
    """Userid and password, which may be left out, before the name of a file or a link."""

    def expand_me(self, ctx: click.Context, words: list[str], place: int) -> list[str]:
        """Return the words as ever, but take a single one that looks so for a record."""
        if len(words) == 1 and may_be_record(words[0]):
            ctx.params.update(userid=None, password=None)
            return words
        return super().expand_me(ctx, words, place)


def _who(moved: str) -> Option:
    return Option(USERID, f"the player who moved {moved}", parse_userid)


@dataclass(eq=False, repr=False)
class ImportedRecords:
    """The records to be stored, and whom their names stand for."""

    source: Annotated[RecordSource, RecordWord(maybe(FILE, LINK), RecordSource, may_be_empty=True)]
    first: Annotated[str | None, _who("first")] = None
    second: Annotated[str | None, _who("second")] = None
    dry_run: Annotated[bool, Flag("print the records, store nothing")] = False

    def store(
        self,
        session: WriteSession | None,
        game: type[Game],
        require_right: Callable[[WriteSession, Match], None] = lambda *_: None,
    ) -> Answer:
        """Store the games, or print them in a dry run; raises :class:`Refused`.

        What another program calls a player is nobody's userid, even if it has the form of one.
        """
        if session is None and self.source.is_missing:
            raise Misunderstood("Missing argument: FILE or LINK.", code="missing-word")
        text = self.source.text(session)
        games, is_ours = read_games(text), find_reader(text) in OURS
        players = PlayersNamed(self.first, self.second, is_ours, require_free_word)
        if session is None or self.dry_run:
            return _rehearsed(games, game, players)
        first, second = (
            session.me.userid if name and name.lower() == ME else name
            for name in (self.first, self.second)
        )
        players = players._replace(first=first, second=second)
        records = [found.record for found in games]
        matches = store_records(session, game, records, players, require_right)
        return _imported(session, matches, _numbered(games))


def needs_database(values: Mapping[str, Any]) -> Access:
    """Tell that a dry run needs none."""
    return Access.NOTHING if values["records"].dry_run else Access.CHANGE


@command(access=needs_database)
def import_(
    session: WriteSession | None,
    game: GameType,
    player: Annotated[Player | None, LoginBeforeRecords()] = None,
    *,
    records: ImportedRecords,
) -> Answer:
    """Store finished games from their records, in any format (help records); they are unrated.

    Without FILE or LINK they are read from standard input. You can give several; all of them are
    stored, or none. If a player of a game has an account here, one of its players must sign it.
    Players without an account are stored by name and can sign up later.

    The names in a record of another program are not userids: say who played with -first and
    -second. The record's own names are shown with the board.
    """
    return records.store(session, game, partial(require_own, player=player))


def _numbered(games: Sequence[ReadGame]) -> Iterator[str]:
    """Yield each note about the games behind the number of its record, if there are several."""
    for number, found in enumerate(games, start=1):
        for note in found.notes:
            yield f"Record {number} of {len(games)}: {note}" if games[1:] else note


def _rehearsed(games: Sequence[ReadGame], game: type[Game], players: PlayersNamed) -> Answer:
    """Return the records in our own form, with notes, and why they would not be stored."""
    found = []
    for read in games:
        record, notes = read.record, read.notes
        try:
            require_storable(record, game)
            record = named_record(record, games[0].record, players)
            for name in {record.first.lower(), record.second.lower()} - {ME}:
                players.require_free(name)
        except Refused as error:
            notes = (*notes, f"It would not be stored. {error.words}")
        found.append(ReadGame(record, notes))
    text = "\n".join(format_record(each.record) for each in found)
    said = [*_numbered(found)]
    return Answer((text.rstrip("\n"), *said), {"record": text, "notes": said, "dry_run": True})


def _imported(session: WriteSession, matches: Sequence[Match], notes: Iterable[str]) -> Answer:
    """Return the answer to the person who stored finished games, with notes about the records."""
    shown = [(view_match(match), context_of(session, match, timing=None)) for match in matches]

    def document() -> Document:
        facts = [{**view_document(view), **around_document(beside)} for view, beside in shown]
        return {"matches": facts, "more": False} if facts[1:] else facts[0]

    if matches[1:]:
        lines = [f"Imported {len(matches)} games.", *(match.result for match in matches), *notes]
        return Answer(("\n".join(lines),), document)
    head = "\n".join([f"Imported as {matches[0].title}.", *notes])
    return Answer((head, *view_blocks(shown[0][0])), document)


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
