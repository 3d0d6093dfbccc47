"""What was said at a board, for operators."""

from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.messages import said_blocks, said_documents
from pbmserv.commands.slots import NUMBER, slot
from pbmserv.commands.types import MatchNumber, parse_whole_number
from pbmserv.errors import NotFound
from pbmserv.operators.admin_views import NamedGame
from pbmserv.services.lookup import find_match
from pbmserv.services.session import ReadSession, WriteSession


@command()
def chat(session: ReadSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Read what was said at a board; each remark has a number, for admin remark remove."""
    match = find_match(session, game, number)
    said = session.records.talk.said(match.id)
    documents, blocks = said_documents(said), said_blocks(said)
    remarks = [{"number": each.number, **told} for each, told in zip(said, documents, strict=True)]
    # Where nothing was said, one block says so.
    numbered = [f"Remark {each.number}, {block}" for each, block in zip(said, blocks, strict=False)]
    document = {"game": match.game.name, "board": match.number, "remarks": remarks}
    return Answer(tuple(numbered) or blocks, document)


@command()
def remove(
    session: WriteSession, number: Annotated[int, Word(slot(NUMBER), parse_whole_number)]
) -> Answer:
    """Remove a remark at a board and the news of it for good; mail already sent stays."""
    said = session.records.talk.unsay(number)
    if said is None:
        raise NotFound(
            f"There is no remark {number}.",
            code="no-such-remark",
            hint="admin chat GAME BOARD prints the remarks with their numbers.",
        )
    session.ledger.note("admin remark remove", f"{number} of {said.userid}")
    told = f"Remark {number} of {said.userid} is removed."
    return Answer((told,), {"removed": number, "userid": said.userid})
