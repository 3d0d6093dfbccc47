"""Plans: moves queued for later turns, for nobody's eyes but their owner's."""

from typing import Annotated

from pbmserv.club.plans import CLEAR, parse_plan
from pbmserv.club.play import require_actor
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.match_answers import changed_answer
from pbmserv.commands.slots import MOVE, Kind, Term, slot
from pbmserv.commands.types import MatchNumber, SignedPlayer
from pbmserv.services.lookup import find_match
from pbmserv.services.match_changes import queue_moves
from pbmserv.services.session import WriteSession

ANSWERS = Term("THEIRS:MINE[/THEIRS:MINE]", Kind.PLAN)
PlanWords = Annotated[tuple[str, ...], Word(slot(MOVE, ANSWERS, "none", many=True))]


@command()
def queue(
    session: WriteSession,
    game: GameType,
    number: MatchNumber,
    player: SignedPlayer,
    words: PlanWords,
) -> Answer:
    """Plan moves for your next turns; only you can see them before they are played.

    F6 G7 plays F6 on your next turn and G7 on the one after it, whatever your opponent does. If it
    is your turn, the first move is played at once. F6:G7 E5:H8 answers F6 with G7 and E5 with H8,
    and ends if your opponent plays anything else. F6:G7/H8:A6 goes on after F6 and G7 and answers
    H8 with A6. F6 E5:H8 plays F6 and then answers E5. Two stones of one turn are joined: A50+T31.

    You can plan pass, swap and resign, too. Each move is checked now and again when its turn comes.
    If it cannot be played then, the plan is cancelled and only you are informed. A new plan
    replaces the old one, none deletes it, and undoing a move deletes the plans of both players.
    """
    match = find_match(session, game, number, lock=True)
    seat = require_actor(match, player.id)
    planned = queue_moves(session, match, seat, parse_plan(words, match.game))
    text = None if planned.text == CLEAR else planned.text
    if planned.kept is not None:
        answer = changed_answer(session, planned.kept)
        played = [turn.text for turn in planned.kept.match.turns[match.ply :]]
        block = f"The rest of your plan: {planned.text}."
        return Answer((*answer.blocks, block), {"plan": text, "played": played})
    said = f"Your plan for {match.title} is {text}, from move {planned.due + 1} on."
    if text is None:
        said = f"You now have no plan for {match.title}."
    return Answer((said,), {"plan": text, "played": []})
