"""Tournaments: set up, entered, started and looked at. Their boards are started by themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

from pbmserv.club import tournament as club
from pbmserv.club.pairing import Entrant
from pbmserv.club.time_limits import TimeLimits, parse_limits
from pbmserv.club.tournament import KINDS, Terms, Tournament, TournamentKind, parse_kind
from pbmserv.club.vacation import parse_day
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import without_tokens
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.commands.slots import FILE, GAME, NAME, PLAYER, TOURNAMENT, maybe, slot
from pbmserv.commands.time_options import TimeOptions
from pbmserv.commands.types import NUMBER, Force, SignedPlayer, parse_whole_number
from pbmserv.engine.game import Game
from pbmserv.engine.moments import lines_of, utc_date
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Denied, Misunderstood, NotFound, Refused
from pbmserv.render.blocks import Block, Table
from pbmserv.render.crosstable import (
    cross_blocks,
    standings_block,
    terms_lines,
    tournament_document,
    tournament_page,
)
from pbmserv.services.lookup import find_player
from pbmserv.services.session import ReadSession, Source, WriteSession
from pbmserv.services.tournament_matches import save, tell_entrants

TOURNAMENT_NAME = re.compile(r"[!-~]+(?: [!-~]+)*", re.ASCII)
MAX_NAME_LENGTH = 60
MAX_LISTED = 100


def _parse_name(text: str) -> str:
    text = without_tokens(text)
    if len(text) > MAX_NAME_LENGTH or not TOURNAMENT_NAME.fullmatch(text):
        raise Misunderstood(
            "Not a valid name for a tournament.",
            code="bad-tournament",
            hint=f"A name has at most {MAX_NAME_LENGTH} printable ASCII characters.",
        )
    return text


def _parse_reference(text: str) -> int | str:
    """Return the number of a tournament, or its name."""
    return int(text) if NUMBER.fullmatch(text) else _parse_name(text)


Reference = Annotated[int | str, Word(slot(TOURNAMENT), _parse_reference)]


@dataclass(frozen=True)
class TournamentOptions:
    """How a tournament is to be played, and the forms of game and time that are no longer told."""

    kind: Annotated[
        TournamentKind | None,
        Option(
            [kind.value for kind in KINDS],
            f"kind of tournament (default {KINDS[0].value})",
            parse_kind,
        ),
    ] = None
    rounds: Annotated[
        int | None, Option("N", "rounds of a Swiss tournament", parse_whole_number)
    ] = None
    pool: Annotated[
        int | None,
        Option("N", "pools of about N players of similar rating", parse_whole_number),
    ] = None
    start: Annotated[
        int | None,
        Option("YYYY-MM-DD", "start automatically when that day begins, UTC", parse_day),
    ] = None
    both: Annotated[bool, Flag("everybody plays each opponent as X and as O")] = False
    novacation: Annotated[bool, Flag("no automatic vacation days")] = False
    options: Annotated[
        str | None, Option("OPTIONS", "the old form of the game's options", is_hidden=True)
    ] = None
    limits: Annotated[
        TimeLimits | None,
        Option("DAYS/DAYS", "the old form of time limits", parse_limits, is_hidden=True),
    ] = None


def _check_create(options: TournamentOptions, time: TimeOptions, chosen: GameChoice) -> None:
    """Raise :class:`Misunderstood` if game or time are told in the old form and the new one."""
    for old, is_told in (
        ("options", options.options is not None and chosen.given),
        ("limits", options.limits is not None and time != TimeOptions()),
    ):
        if is_told:
            raise Misunderstood(
                f"The option -{old} repeats other options that you gave.",
                code="mixed-words",
                hint=f"Leave -{old} out.",
            )


@command(check=_check_create)
def create(
    session: WriteSession,
    player: SignedPlayer,
    game: Annotated[type[Game], Word(slot(GAME), parse_game_type)],
    name: Annotated[str, Word(slot(NAME), _parse_name)],
    *,
    options: TournamentOptions,
    time: TimeOptions,
    chosen: Annotated[GameChoice, OptionsOfNamedGame()],
) -> Answer:
    """Set up a tournament; players join it until you start it, or until its date.

    Quote a name of several words, as in "Spring Cup". The options of the game are those of
    challenge. See help tournaments.
    """
    terms = Terms(
        parse_game(f"{game.name}({options.options})") if options.options else chosen.game,
        options.kind or KINDS[0],
        replace(options.limits or time.limits, has_vacation=not options.novacation),
        options.both,
        options.rounds,
        options.pool,
        options.start,
    )
    if options.start is not None and options.start <= session.now:
        raise Refused("That day has already begun.", code="start-in-the-past")
    made = session.records.tournaments.add(name, player.id, terms, session.now)
    session.ledger.note("tournament create", str(made.id))
    hint = f"Players join with: pbmserv tournament join {made.id} USERID PASSWORD"
    return _answer(session, made, f"Tournament {made.id} is open. {hint}")


@command()
def join(session: WriteSession, tournament: Reference, player: SignedPlayer) -> Answer:
    """Enter a tournament that has not started."""
    before = _find(session, tournament, lock=True)
    (line,) = session.records.ratings.lines(before.terms.game.name, [player.id], limit=1)
    rating = float(round(line.standing.rating.value))
    after = club.join(before, Entrant(player.id, player.userid, rating))
    save(session, before, after)
    session.ledger.note("tournament join", str(before.id))
    return _answer(session, after, f"{player.userid} takes part in {after.name}.")


@command()
def leave(
    session: WriteSession,
    tournament: Reference,
    player: SignedPlayer,
    userids: Annotated[tuple[str, ...], Word(maybe(PLAYER, many=True))] = (),
) -> Answer:
    """Leave a tournament; your running boards go on, but you get no new ones.

    The organiser can name players to remove instead.
    """
    before = _find(session, tournament, lock=True)
    if userids and player.id != before.organiser_id:
        raise Denied("Only the organiser can remove others.", code="not-organiser")
    leaving = [find_player(session, userid) for userid in userids] or [player]
    after = before
    for each in leaving:
        after = club.leave(after, each.id, each.userid if userids else None)
    save(session, before, after)
    names = [each.userid for each in leaving]
    session.ledger.note("tournament leave", " ".join([str(before.id), *names]))
    return _answer(session, after, f"Removed from {after.name}: {', '.join(names)}.")


@command()
def cancel(session: WriteSession, tournament: Reference, player: SignedPlayer) -> Answer:
    """Cancel your tournament; boards that have begun go on as ordinary boards."""
    before = _find(session, tournament, lock=True)
    after = club.cancel(before, player.id)
    save(session, before, after)
    session.ledger.note("tournament cancel", str(after.id))
    tell_entrants(session, after, f"{player.userid} has cancelled the tournament {after.name}.")
    return _answer(session, after, f"{after.name} has been cancelled.")


@command()
def start(session: WriteSession, tournament: Reference, player: SignedPlayer) -> Answer:
    """Start your tournament: its pools are drawn, and its first boards begin at once."""
    before = _find(session, tournament, lock=True)
    after = club.start(before, player.id)
    save(session, before, after)
    session.ledger.note("tournament start", str(before.id))
    boards = sum(board.o is not None for board in after.encounters)
    return _answer(session, after, f"{after.name} has started with {with_count(boards, 'board')}.")


HtmlFile = Option(FILE, "also write the cross-table to FILE (in a shell only)")


@command()
def show(
    session: ReadSession,
    tournament: Reference,
    *,
    html: Annotated[str | None, HtmlFile] = None,
    force: Force = False,
) -> Answer:
    """Show a tournament: its options, players, cross-tables and boards."""
    found = _find(session, tournament)
    if html is not None:
        if session.source is not Source.SHELL:
            raise Denied("This cannot be done by mail.", code="shell-only")
        from pathlib import Path

        from pbmserv.store.files.new_file import write_file

        page = tournament_page(found, _organiser(session, found)).encode()
        write_file(Path(html), page, suffix=".html", overwrite=force)
    return _answer(session, found)


@command()
def standings(session: ReadSession, tournament: Reference) -> Answer:
    """Show the standings of a tournament.

    Ties on points are broken by Sonneborn-Berger (the points of the players beaten, plus half the
    points of those drawn with), then by the games between the tied players.
    """
    found = _find(session, tournament)
    blocks = [standings_block(found, pool) for pool in range(len(found.pools))]
    head = f"{found.name} ({found.status.value})"
    return Answer((head, *blocks), _document(session, found))


@command()
def list_(session: ReadSession) -> Answer:
    """List tournaments, the newest first."""
    lines = session.records.tournaments.lines(MAX_LISTED)
    rows = [
        {
            "tournament": line.id,
            "name": line.name,
            "game": line.game,
            "kind": line.kind,
            "organiser": line.organiser,
            "entrants": line.entrants,
            "status": line.status,
            "created": line.created_at,
        }
        for line in lines
    ]
    texts = tuple(
        (*(str(value) for value in list(row.values())[:-1]), utc_date(line.created_at))
        for row, line in zip(rows, lines, strict=True)
    )
    heads = ("number", "name", "game", "kind", "organiser", "players", "status", "created")
    table = Table(heads, texts, right=(0, 5), empty="No tournaments yet.")
    return Answer((table,), {"tournaments": rows})


def _find(session: ReadSession, named: int | str, *, lock: bool = False) -> Tournament:
    """Return the tournament with this number or name; raises :class:`Refused`."""
    tournaments = session.records.tournaments
    numbers = [named] if isinstance(named, int) else tournaments.named(named)
    if len(numbers) > 1:
        raise Refused(
            "Several tournaments have that name.",
            code="ambiguous-name",
            hint=f"Give its number: {', '.join(map(str, numbers))}.",
        )
    found = tournaments.find(numbers[0], lock=lock) if numbers else None
    if found is None:
        raise NotFound(
            "No such tournament.",
            about=str(named),
            code="no-such-tournament",
            hint="All tournaments: pbmserv tournament list",
        )
    return found


def _organiser(session: ReadSession, found: Tournament) -> str:
    return session.records.players.get(found.organiser_id).userid


def _document(session: ReadSession, found: Tournament) -> dict[str, object]:
    numbers = session.records.tournaments.numbers(found.id)
    return tournament_document(found, _organiser(session, found), numbers)


def _answer(session: ReadSession, found: Tournament, sentence: str = "") -> Answer:
    numbers = session.records.tournaments.numbers(found.id)
    head = lines_of(terms_lines(found, _organiser(session, found)))
    blocks: list[Block] = [sentence] if sentence else []
    return Answer((*blocks, head, *cross_blocks(found, numbers)), _document(session, found))
