"""Playing: moves, votes, and moves that are shown before they are played."""

from collections.abc import Callable
from typing import Annotated

from pbmserv.club import play as club
from pbmserv.club.events import EventKind
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import Change
from pbmserv.club.player import Seat
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, command
from pbmserv.commands.game_options import VOTE_WORDS, GameType, MoveText, MoveWord, read_move
from pbmserv.commands.match_answers import changed_answer
from pbmserv.commands.types import MatchNumber, SignedPlayer
from pbmserv.render.blocks import Block
from pbmserv.render.document import view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.lookup import find_match
from pbmserv.services.match_changes import save_change
from pbmserv.services.remarks import say
from pbmserv.services.session import Source, WriteSession

Comment = Annotated[str | None, Option('"TEXT"', "a comment; - reads it from standard input")]

VOTES: dict[str, Callable[[Match, int, int], Change]] = dict(
    zip(
        VOTE_WORDS,
        (
            club.resign,
            lambda match, player_id, now: club.offer(match, player_id, OfferKind.DRAW, now),
            lambda match, player_id, now: club.offer(match, player_id, OfferKind.UNDO, now),
            club.reject,
        ),
        strict=True,
    )
)


@command()
def move(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    move: MoveText,
    *,
    comment: Comment = None,
) -> Answer:
    """Make a move on a board: a cell, pass (also -- or -), swap, or one of the words below.

    resign gives up the game, propose offers a draw. undo asks to undo your last move and what
    followed, undo 2 the last two moves. propose 26-25 offers a result, X's points first, propose X
    a win if only the winner counts. accept and reject answer an offer; accept 26-25 accepts this
    result. A number guards against crossed mails: F6#7 is refused unless it is move 7.
    """
    match = find_match(session, game, number, lock=True)
    seat = club.require_actor(match, player.id)
    club.require_ply(match, move.number)
    word = move.text.lower()
    if word in VOTES or word == "accept":
        voted = _vote(session, match, seat, word, move.about)
        return _save(session, match, voted, word, comment)
    # Whose turn it is comes before what the move says.
    club.require_turn(match, seat)
    played = club.make_turn(match, seat, read_move(match.game, move.text), session.now)
    return _save(session, match, played, "move", comment)


def _said_alone(word: str, sentence: str) -> Callable[..., Answer]:
    """Return the command for a word that may also be sent as a move; ``sentence`` is its help."""

    def turn(
        session: WriteSession,
        game: GameType,
        number: MatchNumber,
        player: SignedPlayer,
        *,
        comment: Comment = None,
    ) -> Answer:
        return move(session, game, number, player, MoveWord(word), comment=comment)

    turn.__doc__ = sentence
    return command()(turn)


swap = _said_alone("swap", "Take over the first stone instead of placing one, as the second move.")
resign = _said_alone("resign", "Resign the game; before the second move, decline it.")


@command()
def submit(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    move: MoveText,
) -> Answer:
    """Show the board as it would be after MOVE, and store the move until you confirm it."""
    match = find_match(session, game, number, lock=True)
    seat = club.require_actor(match, player.id)
    club.require_ply(match, move.number)
    club.require_turn(match, seat)
    parsed = read_move(match.game, move.text)
    after, _ = club.submit(match, seat.player_id, parsed, session.now)
    session.records.matches.save(match, after)
    session.ledger.note("submit", match_id=match.id)
    preview = view_match(match).with_moves([parsed])
    blocks: list[Block] = list(view_blocks(preview))
    blocks.append(f"{parsed.text} is not played yet. To play it, use confirm.")
    return Answer(tuple(blocks), lambda: {**view_document(preview), "submitted": parsed.text})


@command()
def confirm(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    *,
    comment: Comment = None,
) -> Answer:
    """Play the move that you submitted."""
    match = find_match(session, game, number, lock=True)
    club.require_actor(match, player.id)
    return _save(session, match, club.confirm(match, player.id, session.now), "confirm", comment)


def _vote(session: WriteSession, match: Match, seat: Seat, word: str, about: str) -> Change:
    """Return the change that a vote word makes; some take a word on what it is ``about``."""
    player_id, now = seat.player_id, session.now
    if word == "accept":
        answers_now = session.answers_now
        return club.accept(match, player_id, now, named=about, answers_now=answers_now)
    if about and word == "undo":
        return club.offer(match, player_id, OfferKind.UNDO, now, turns=int(about))
    if about:
        return club.propose(match, player_id, about, now)
    return VOTES[word](match, player_id, now)


def _save(
    session: WriteSession, before: Match, change: Change, verb: str, comment: str | None
) -> Answer:
    detail = " ".join(event.text for event in change[1] if event.kind is not EventKind.FINISHED)
    session.ledger.note(verb, detail, match_id=before.id)
    kept = save_change(session, before, change)
    if session.signer is not None and (comment or session.source is Source.MAIL):
        from pbmserv.commands.messages import said_beside

        if words := said_beside(session, comment):
            say(session, kept.match, session.signer, words)
            session.ledger.comment = words
    return changed_answer(session, kept)
