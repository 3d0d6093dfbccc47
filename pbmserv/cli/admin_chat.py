"""What was said at a board, for operators."""

from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import parse_game_type
from pbmserv.commands.messages import said_blocks, said_documents
from pbmserv.commands.types import MatchNumber
from pbmserv.engine.game import Game
from pbmserv.services.lookup import find_match
from pbmserv.services.session import ReadSession


@command()
def chat(
    session: ReadSession,
    game: Annotated[type[Game], Word("GAME", parse_game_type)],
    number: MatchNumber,
) -> Answer:
    """Read what was said at a board."""
    match = find_match(session, game, number)
    said = session.records.talk.said(match.id)
    document = {"game": match.game.name, "board": match.number, "remarks": said_documents(said)}
    return Answer(said_blocks(said), document)
