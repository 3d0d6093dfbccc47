"""Plans: moves queued for later turns, for nobody's eyes but their owner's."""

from typing import Annotated

from pbmserv.club.plan_check import checked_plan
from pbmserv.club.plans import CLEAR, format_plan, parse_plan
from pbmserv.club.play import require_actor
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.match_answers import changed_answer
from pbmserv.commands.types import MatchNumber, SignedPlayer
from pbmserv.services.lookup import find_match
from pbmserv.services.match_changes import keep
from pbmserv.services.session import WriteSession

PlanWords = Annotated[tuple[str, ...], Word("MOVE...|THEIRS:MINE[/THEIRS:MINE]...|none")]


@command()
def queue(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    words: PlanWords,
) -> Answer:
    """Plan moves for your next turns; nobody but you can see them before they are played.

    F6 G7 plays F6 on your next turn and G7 on the one after it, whatever your opponent does. If it
    is your turn, the first is played at once. F6:G7 E5:H8 answers F6 with G7 and E5 with H8, and
    ends if your opponent plays anything else; F6:G7/H8:A6 goes on after F6 and G7 and answers H8
    with A6. F6 E5:H8 plays F6 and then answers E5. Two stones of one turn are joined: A50+T31.

    Pass, swap and resign can be planned. Each move is checked now and again when its turn comes: if
    it cannot be played then, the plan is dropped and only you are told. A new plan replaces the old
    one, none clears it, and undoing a move clears the plans of both players.
    """
    match = find_match(session, game, number, lock=True)
    seat = require_actor(match, player.id)
    plan = parse_plan(words, match.game)
    session.ledger.note("queue", match_id=match.id)
    if plan.is_empty:
        session.records.plans.remove(match.id, [seat.player_id])
        return Answer((f"You now have no plan for {match.title}.",), {"plan": None, "played": []})
    on_move = match.next_seat
    is_own_turn = on_move is not None and on_move.player_id == seat.player_id
    due = checked_plan(plan, match.game, match.position, own_turn=is_own_turn)
    if not (is_own_turn and plan.line):
        from pbmserv.store.stored_plans import StoredPlan

        text = format_plan(due)
        stored = StoredPlan(seat.player_id, text, due.due)
        session.records.plans.save(match.id, stored)
        words_for_owner = f"Your plan for {match.title} is {text}, from move {due.due + 1} on."
        return Answer((words_for_owner,), {"plan": text, "played": []})
    kept = keep(session, match, (match, ()), queued={seat.player_id: due})
    answer = changed_answer(session, kept)
    left = {stored.player_id: stored for stored in session.records.plans.of(match.id)}
    mine = left.get(seat.player_id)
    text = mine.text if mine is not None and mine.dropped is None else CLEAR
    block = f"The rest of your plan: {text}."
    played = [turn.text for turn in kept.match.turns[match.ply :]]
    return Answer(
        (*answer.blocks, block),
        {"plan": None if text == CLEAR else text, "played": played},
    )
