"""Changes of a board by players and the operator: each is one pure function here.

Each function takes a :class:`Match` and returns the changed one with the events that happened,
or raises a :class:`Refused` and so changes nothing.
"""

from dataclasses import replace
from typing import Any

from pbmserv.club.agreement import (
    format_result,
    offer_sentence,
    parse_result,
    require_possible,
    turns_to_undo,
    undo_words,
)
from pbmserv.club.events import Event, EventKind
from pbmserv.club.match import Match, MatchEnd, Offer, OfferKind, Turn
from pbmserv.club.player import Seat
from pbmserv.engine.position import Move, MoveKind
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.settle import settled
from pbmserv.errors import Denied, IllegalMove, Refused

Change = tuple[Match, tuple[Event, ...]]

WITHDRAWAL = "To withdraw it, use reject."

TURNS = {
    MoveKind.STONES: EventKind.MOVED,
    MoveKind.PASS: EventKind.PASSED,
    MoveKind.SWAP: EventKind.SWAPPED,
}


def require_running(match: Match) -> None:
    """Raise :class:`Refused` unless moves can still be made."""
    if match.is_running:
        return
    if match.is_removed:
        raise Refused(match.result, code="game-over")
    raise Refused(
        f"{match.title} has ended.",
        code="game-over",
        hint=f"See it with: {match.game.name} show {match.number}",
    )


def require_player(match: Match, player_id: int) -> Seat:
    """Return the player's seat; raises :class:`Denied` for a stranger."""
    seat = match.seat_of(player_id)
    if seat is None:
        raise Denied(
            f"You are not a player of {match.title}.",
            code="not-a-player",
            hint=f"Its players are {match.first.name} and {match.second.name}.",
        )
    return seat


def require_actor(match: Match, player_id: int) -> Seat:
    """Return the seat of a player who may act: the match runs and is theirs."""
    require_running(match)
    return require_player(match, player_id)


def require_ply(match: Match, number: int | None) -> None:
    """Raise :class:`Refused` unless ``number`` is that of the next move, or None."""
    if number is not None and number != match.ply + 1:
        raise Refused(
            f"This would be move {match.ply + 1}, not move {number}.",
            code="wrong-move-number",
            hint="Look at the board again: it may have changed since you wrote.",
        )


def require_turn(match: Match, seat: Seat) -> None:
    """Raise :class:`IllegalMove` unless it is this player's turn."""
    on_move = match.next_seat
    if on_move is not None and on_move.player_id != seat.player_id:
        raise IllegalMove(
            "It is not your turn.", code="not-your-turn", hint=f"{on_move.name} is to move."
        )


def play(match: Match, player_id: int, move: Move, now: int) -> Change:
    """Play ``move`` for this player, if it is their turn."""
    seat = require_actor(match, player_id)
    require_turn(match, seat)
    return make_turn(match, seat, move, now)


def make_turn(match: Match, seat: Seat, move: Move, now: int) -> Change:
    """Play ``move`` for the player on move, unchecked; the end of the game follows at once."""
    record = match.record.play(move)
    turns = (*match.turns, Turn(move.text, record.position.digest(), seat.player_id, now))
    after = _cleared(match, now, turns=turns, known=record)
    events = (Event(TURNS[move.kind], seat, move.text),)
    if record.outcome is None:
        return after, events
    return _finish(after, record.outcome, events)


def resign(match: Match, player_id: int, now: int) -> Change:
    """Resign; before the second move that declines the game and removes the board."""
    seat = require_actor(match, player_id)
    if match.own_ply < 2:
        outcome = Outcome(None, Reason.DECLINED)
        return _cleared(match, now, outcome=outcome), (Event(EventKind.DECLINED, seat),)
    winner = match.side_of(player_id).other
    events = (Event(EventKind.RESIGNED, seat),)
    return _finish(_changed(match, now), Outcome(winner, Reason.RESIGNATION), events)


def run_out(match: Match, player_id: int, now: int) -> Change:
    """End the game because this player's time is over.

    Before the second move the game is declined. After it, a draw that the opponent has offered
    counts as accepted; else the game is forfeited.
    """
    seat = require_actor(match, player_id)
    events = (Event(EventKind.RAN_OUT, seat),)
    pending = match.offer
    if match.own_ply < 2:
        outcome = Outcome(None, Reason.DECLINED)
    elif pending and pending.kind is OfferKind.DRAW and pending.player_id != player_id:
        outcome = Outcome(None, Reason.AGREEMENT)
    else:
        outcome = Outcome(match.side_of(player_id).other, Reason.FORFEIT)
    return _finish(_changed(match, now), outcome, events)


def offer(
    match: Match, player_id: int, kind: OfferKind, now: int, *, turns: int | None = None
) -> Change:
    """Offer a draw, or an undo of the last ``turns`` of both players.

    Without a number the undo takes back the player's own last turn and what followed it.
    """
    require_actor(match, player_id)
    if kind is OfferKind.DRAW:
        return _offer(match, Offer(kind, player_id), now)
    record, most = match.record, match.own_ply
    count = turns_to_undo(record, player_id) if turns is None else turns
    if not 0 < count <= most:
        own = "You have made no move that could be undone."
        raise Refused(
            own if turns is None else f"The last {turns} moves cannot be undone.",
            code="nothing-to-undo",
            hint=f"undo N asks to undo the last N moves, N from 1 to {most}."
            if most
            else "There are no moves yet: propose offers a draw, resign declines the game.",
        )
    moves = record.texts[match.ply - count :]
    return _offer(match, Offer(kind, player_id, moves=moves), now)


def propose(match: Match, player_id: int, text: str, now: int) -> Change:
    """Offer a result, as players write it: ``26-25``, or ``X`` for a winner alone.

    Raises :class:`Refused` for a result that the game can no longer have.
    """
    require_actor(match, player_id)
    result = parse_result(text, match.game)
    require_possible(result, match.game, match.position)
    return _offer(match, Offer(OfferKind.RESULT, player_id, format_result(result)), now)


def _offer(match: Match, made: Offer, now: int) -> Change:
    """Make an offer in place of a pending one; raises :class:`Refused` for the same one."""
    seat = require_actor(match, made.player_id)
    pending = match.offer
    if pending is not None and (pending.kind, pending.result) == (made.kind, made.result):
        is_own = pending.player_id == seat.player_id
        raise Refused(
            f"{'You have' if is_own else 'Your opponent has'} already made this offer.",
            code="offer-pending",
            hint=f"Answer with {pending.answers}." if match.offer_recipient == seat else WITHDRAWAL,
        )
    event = Event(EventKind.OFFERED, seat, offer_sentence(made, match.record))
    return _changed(match, now, offer=made), (event,)


def accept(
    match: Match, player_id: int, now: int, *, named: str = "", answers_now: bool = False
) -> Change:
    """Accept the pending offer: end the game with its result, or undo moves.

    A result must be ``named``, unless the player ``answers_now`` the letter of this moment, and so
    can mean no other.
    """
    seat = require_actor(match, player_id)
    pending = _pending(match)
    if pending.player_id == player_id and not match.is_self_play:
        raise Refused(
            "Only your opponent can accept your offer.",
            code="own-offer",
            hint=WITHDRAWAL,
        )
    if named or (pending.kind is OfferKind.RESULT and not answers_now):
        _require_named(match, seat, pending, named)
    if pending.kind is OfferKind.DRAW:
        return _finish(_changed(match, now), Outcome(None, Reason.AGREEMENT), ())
    if pending.kind is OfferKind.RESULT:
        return _finish(_changed(match, now), parse_result(pending.result, match.game), ())
    count = len(pending.moves)
    words = undo_words(count, match.record, pending.player_id)
    return _without_last(match, count, now), (Event(EventKind.UNDONE, seat, words),)


def reject(match: Match, player_id: int, now: int) -> Change:
    """Reject the pending offer, or withdraw it if it is the player's own."""
    seat = require_actor(match, player_id)
    pending = _pending(match)
    event = Event(EventKind.REJECTED, seat, pending.name)
    if pending.player_id == player_id:
        name = f"the offer of {pending.name}" if pending.result else f"{pending.name} offer"
        event = Event(EventKind.WITHDRAWN, seat, name)
    return _changed(match, now, offer=None), (event,)


def submit(match: Match, player_id: int, move: Move, now: int) -> Change:
    """Store ``move`` until the player confirms it; raises what playing it would raise."""
    play(match, player_id, move, now)
    kept = {**match.submissions, player_id: move.text}
    return _changed(match, now, submissions=kept), ()


def confirm(match: Match, player_id: int, now: int) -> Change:
    """Play the move that this player has submitted."""
    require_actor(match, player_id)
    text = match.submissions.get(player_id)
    if text is None:
        raise Refused(
            "You have no submitted move on this board.",
            code="nothing-submitted",
            hint="Submit a move first; any turn or undo clears a submitted move.",
        )
    return play(match, player_id, match.game.parse_move(text), now)


def certainty_event(before: Match, after: Match) -> tuple[Event, ...]:
    """Return an event if the turns from ``before`` to ``after`` made the result certain."""
    now = settled(after.game, after.position)
    if now is None or not now.is_certain:
        return ()
    then = settled(before.game, before.position)
    if then is None or not then.is_certain:
        return (Event(EventKind.SETTLED, None, now.words),)
    return ()


def take_back(match: Match, now: int) -> Change:
    """Undo, as the operator, an end that the rules did not make, or else the last move.

    A removed board is restored. A move that ended the game goes with the end.
    """
    ended = match.outcome
    if match.is_removed:
        return _bring_back(match, now)
    _require_own(match)
    if ended is not None and not ended.reason.is_by_rules:
        return _cleared(match, now, outcome=None), (Event(EventKind.REOPENED),)
    if match.own_ply < 1:
        raise Refused("There is no move to undo.", code="nothing-to-undo")
    event = Event(EventKind.TAKEN_BACK, None, match.turns[-1].text)
    return _without_last(match, 1, now), (event,)


def remove(match: Match, now: int) -> Change:
    """Remove a board, as the operator, as if it had never been played.

    How and when it had ended is stored, so that it can be restored.
    """
    if match.is_removed:
        raise Refused(f"{match.title} has already been removed.", code="game-over")
    former = None if match.outcome is None else MatchEnd(match.outcome, match.changed_at)
    gone = Outcome(None, Reason.REMOVED)
    removed = _cleared(match, now, outcome=gone, former=former)
    return removed, (Event(EventKind.REMOVED),)


def _pending(match: Match) -> Offer:
    if match.offer is None:
        raise Refused(
            "There is no offer on this board.",
            code="no-offer",
            hint="To make one: propose (draw or result) or undo. To decline a new game: resign.",
        )
    return match.offer


def _require_named(match: Match, seat: Seat, pending: Offer, named: str) -> None:
    if named.upper() != pending.result:
        raise Refused(
            f"{offer_sentence(pending, match.record, seat.player_id)}.",
            code="other-result" if named else "result-unnamed",
            hint=f"Answer with {pending.answers}.",
        )


def _bring_back(match: Match, now: int) -> Change:
    ending = match.former
    by_rules = match.game.outcome(match.position)
    if ending is None and by_rules is not None:
        ending = MatchEnd(by_rules, match.turns[-1].played_at)
    outcome, at = ending or (None, now)
    restored = _cleared(match, at, outcome=outcome, former=None)
    if restored.is_running:
        _require_own(match)
    return restored, (Event(EventKind.RESTORED, None, restored.result),)


def _require_own(match: Match) -> None:
    """Raise :class:`Refused` for an imported game, which nobody here could continue."""
    if match.is_imported:
        raise Refused(
            f"{match.title} is an imported game: its end cannot be undone.",
            code="imported-game",
            hint=f"To remove it: pbmserv admin remove {match.game.name} {match.number}",
        )


def _without_last(match: Match, count: int, now: int) -> Match:
    """Return the match without its last ``count`` turns and its end, with nothing pending."""
    return _cleared(match, now, turns=match.turns[: match.ply - count], outcome=None)


def _cleared(match: Match, now: int, **changes: object) -> Match:
    """Return the match after a change that leaves nothing pending."""
    return _changed(match, now, offer=None, submissions={}, **changes)


def _changed(match: Match, now: int, **changes: object) -> Match:
    new: dict[str, Any] = {"revision": match.revision + 1, "changed_at": now, **changes}
    return replace(match, **new)


def _finish(match: Match, outcome: Outcome, events: tuple[Event, ...]) -> Change:
    """End the match with a result, which is done nowhere else."""
    finished = replace(match, outcome=outcome, offer=None, submissions={})
    return finished, (*events, Event(EventKind.FINISHED, None, finished.result))
