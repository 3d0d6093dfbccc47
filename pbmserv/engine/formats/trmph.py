"""Records of trmph: a game of Hex as ``http://www.trmph.com/hex/board#13,a1b2c3``.

It has size and cells, and no words: after a swap of pieces the first stone is named twice, at the
mirrored cell where it is then. In files for training a letter or number follows, after a blank:
the winner, ``b`` or 1 for the player who moved first, ``r`` or 2 for the other.
"""

import re

from pbmserv.engine import game_format
from pbmserv.engine.game_format import ForeignGame, GameFormat, ReadGame, cannot_write, mirrored
from pbmserv.engine.position import SWAP
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import parse_lines, require_whole
from pbmserv.engine.swap_pieces import with_swapped_pieces

TITLE = "a record of trmph"
PAGE = "http://www.trmph.com/hex/board#"
LINE = re.compile(r"(?:[^\s#]*#)?([0-9]{1,4})(?:,(\S*))?(?:\s+([br12]))?", re.IGNORECASE)
TOKEN = re.compile("[a-z]{1,2}[0-9]{1,2}", re.IGNORECASE)
BEGINNING = re.compile(
    r"\s*(?:(?:https?://)?(?:www\.)?trmph\.com/"
    r"|#?[0-9]{1,4},(?:([a-z]+[0-9]+)\1|[a-z0-9]*[ \t]+[br12][ \t]*$))",
    re.IGNORECASE | re.MULTILINE,
)


def _read_line(line: str) -> ReadGame:
    found = LINE.fullmatch(line.strip())
    if found is None:
        raise game_format.unreadable(TITLE, "it has no size and cells, such as #13,a1b2c3")
    game = game_format.game_of_size(TITLE, "hex", found[1])
    moves = game_format.split_moves(TOKEN, found[2] or "", TITLE)
    if len(moves) > 1 and moves[0].lower() == moves[1].lower():
        moves[:2] = [mirrored(game, moves[0]), SWAP.text]
    winner = None if found[3] is None else int(found[3].lower() in "r2")
    return ForeignGame(game, moves, winner=winner, swaps_pieces=True).replayed()


def _write(record: Record[str]) -> str:
    game, won = record.game, record.with_players(0, 1).winner
    if game.name != "hex" or any(move.is_pass for move in record.moves):
        why = "have no passes" if game.name == "hex" else f"are for Hex, not for {game.title}"
        raise cannot_write("Records of trmph", why)
    if game.noswap:
        raise cannot_write("Records of trmph", "are for games with swap")
    require_whole(record)
    cells = [move.text for move in with_swapped_pieces(game, record.moves)]
    if record.has_swap:
        cells[:2] = [mirrored(game, cells[0])] * 2
    winner = "" if won is None else f" {'br'[won]}"
    return f"{PAGE}{game_format.size_of(game)},{''.join(cells).lower()}{winner}\n"


FORMAT = GameFormat("trmph", BEGINNING.match, lambda text: parse_lines(text, _read_line), _write)
