"""Tournaments: set up, entered, started and looked at. Their boards are started by themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pbmserv.club import tournament as club
from pbmserv.club.pairing import Entrant
from pbmserv.club.play import utc_date
from pbmserv.club.time_limits import TimeLimits, parse_limits
from pbmserv.club.tournament import Terms, Tournament, TournamentKind
from pbmserv.commands.grammar import command
from pbmserv.commands.types import (
    FORCE,
    PASSWORD,
    USERID,
    Param,
    Word,
    argument,
    arguments,
    flag,
    option,
    parse_whole_number,
)
from pbmserv.engine.games import find_game
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Denied, Misunderstood, NotFound
from pbmserv.render.blocks import Block, Table
from pbmserv.render.crosstable import (
    cross_blocks,
    standings_block,
    terms_words,
    tournament_document,
    tournament_page,
)
from pbmserv.render.wording import counted
from pbmserv.services.lookup import find_player
from pbmserv.services.session import Access, Answer, Session, Source
from pbmserv.services.tournament_matches import save

if TYPE_CHECKING:
    from pbmserv.engine.game import Game

NAME = re.compile(r"[!-~]+(?: [!-~]+)*", re.ASCII)
LONGEST_NAME = 60
MOST_LISTED = 100


def _parse_name(text: str) -> str:
    if len(text) > LONGEST_NAME or not NAME.fullmatch(text):
        raise Misunderstood(
            "That cannot be the name of a tournament.",
            code="bad-tournament",
            hint=f"A name has at most {LONGEST_NAME} printable ASCII characters; quote its blanks.",
        )
    return text


def _parse_kind(text: str) -> TournamentKind:
    for kind in TournamentKind:
        if kind.value.startswith(text.lower()):
            return kind
    raise Misunderstood(
        "There is no such kind of tournament.",
        code="bad-tournament",
        hint="A tournament is of the kind round-robin or swiss.",
    )


NUMBER: Param = argument("tournament", "TOURNAMENT", Word(parse_whole_number))


@command(
    USERID,
    PASSWORD,
    argument("game", "GAME", Word(find_game)),
    argument("name", "NAME", Word(_parse_name)),
    option("options", "OPTIONS", 'options of the game, as in "size=7,maxi"'),
    option("kind", "KIND", "round-robin (as without it) or swiss", _parse_kind),
    option("rounds", "N", "rounds of a Swiss tournament", parse_whole_number),
    option("pool", "N", "pools of about so many players of like rating", parse_whole_number),
    flag("both", "everybody plays each opponent with both colours"),
    option("limits", "DAYS/DAYS[/DAYS]", "time: to a reminder, a forfeit, in all", parse_limits),
    access=Access.CHANGE,
)
def create(  # noqa: PLR0913 - these are the terms of a tournament
    session: Session,
    game: type[Game],
    name: str,
    *,
    options: str | None,
    kind: TournamentKind | None,
    rounds: int | None,
    pool: int | None,
    both: bool,
    limits: TimeLimits | None,
) -> Answer:
    """Set up a tournament, which players join until you start it.

    The words of the name are quoted, as in "Spring Cup". help tournaments tells more.
    """
    terms = Terms(
        parse_game(f"{game.name}({options})" if options else game.name),
        kind or TournamentKind.ROUND_ROBIN,
        limits or TimeLimits(),
        both,
        rounds,
        pool,
    )
    made = session.records.tournaments.add(name, session.player.id, terms, session.now)
    session.note("tournament create", str(made.id))
    hint = f"Players enter with: tournament join {made.id} USERID PASSWORD"
    return _answer(session, made, f"Tournament {made.id} is open. {hint}")


@command(NUMBER, USERID, PASSWORD, access=Access.CHANGE)
def join(session: Session, tournament: int) -> Answer:
    """Enter a tournament that has not started."""
    before = _find(session, tournament, lock=True)
    player = session.player
    (line,) = session.records.ratings.lines(before.terms.game.name, [player.id], limit=1)
    rating = float(round(line.standing.rating.value))
    after = club.join(before, Entrant(player.id, player.userid, rating))
    save(session, before, after)
    session.note("tournament join", str(tournament))
    return _answer(session, after, f"{player.userid} takes part in {after.name}.")


@command(
    NUMBER,
    USERID,
    PASSWORD,
    arguments("players", "[PLAYER]...", Word(str)),
    access=Access.CHANGE,
)
def leave(session: Session, tournament: int, players: tuple[str, ...]) -> Answer:
    """Leave a tournament; your running boards go on, but you get no more.

    Its organiser may name players to be taken out instead.
    """
    before = _find(session, tournament, lock=True)
    if players and session.player.id != before.organiser_id:
        raise Denied("Only the organiser can take others out.", code="not-organiser")
    leaving = [find_player(session, userid) for userid in players] or [session.player]
    after = before
    for player in leaving:
        after = club.leave(after, player.id, player.userid if players else None)
    save(session, before, after)
    session.note("tournament leave", " ".join([str(tournament), *(p.userid for p in leaving)]))
    names = ", ".join(player.userid for player in leaving)
    return _answer(session, after, f"No longer in {after.name}: {names}.")


@command(NUMBER, USERID, PASSWORD, access=Access.CHANGE)
def start(session: Session, tournament: int) -> Answer:
    """Start your tournament: its pools are drawn and its first boards begin at once."""
    before = _find(session, tournament, lock=True)
    after = club.start(before, session.player.id)
    save(session, before, after)
    session.note("tournament start", str(tournament))
    boards = sum(board.o is not None for board in after.encounters)
    return _answer(session, after, f"{after.name} has started with {counted(boards, 'board')}.")


@command(
    NUMBER,
    option("html", "FILE", "write the cross-table to a new file too (in the shell only)"),
    FORCE,
    access=Access.LOOK,
)
def show(session: Session, tournament: int, html: str | None, *, force: bool) -> Answer:
    """Show a tournament: its terms, who takes part, cross-tables and boards."""
    found = _find(session, tournament)
    if html is not None:
        if session.source is not Source.SHELL:
            raise Denied("This cannot be done by mail.", code="shell-only")
        from pathlib import Path

        from pbmserv.store.new_file import write_file

        page = tournament_page(found, _organiser(session, found)).encode()
        write_file(Path(html), page, suffix=".html", overwrite=force)
    return _answer(session, found)


@command(NUMBER, access=Access.LOOK)
def standings(session: Session, tournament: int) -> Answer:
    """Show who stands where in a tournament.

    By points; among equals by Sonneborn-Berger (the points of those beaten and half of those
    drawn with), then by the boards among themselves.
    """
    found = _find(session, tournament)
    blocks = [standings_block(found, pool) for pool in range(len(found.pools))]
    head = f"{found.name} ({found.status.value})"
    return Answer((head, *blocks), _document(session, found))


@command(access=Access.LOOK)
def list_(session: Session) -> Answer:
    """List tournaments, the newest first."""
    lines = session.records.tournaments.lines(MOST_LISTED)
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
    heads = ("", "name", "game", "kind", "organiser", "players", "status", "since")
    table = Table(heads, texts, right=(0, 5), empty="No tournaments yet.")
    return Answer((table,), {"tournaments": rows})


def _find(session: Session, number: int, *, lock: bool = False) -> Tournament:
    found = session.records.tournaments.find(number, lock=lock)
    if found is None:
        raise NotFound(
            "There is no such tournament.",
            code="no-such-tournament",
            hint="tournament list shows all.",
        )
    return found


def _organiser(session: Session, found: Tournament) -> str:
    return session.records.players.get(found.organiser_id).userid


def _document(session: Session, found: Tournament) -> dict[str, object]:
    numbers = session.records.tournaments.numbers(found.id)
    return tournament_document(found, _organiser(session, found), numbers)


def _answer(session: Session, found: Tournament, sentence: str = "") -> Answer:
    numbers = session.records.tournaments.numbers(found.id)
    head = terms_words(found, _organiser(session, found))
    blocks: list[Block] = [sentence] if sentence else []
    return Answer((*blocks, head, *cross_blocks(found, numbers)), _document(session, found))
