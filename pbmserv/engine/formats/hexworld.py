"""Links of HexWorld and hex-study: a whole game of Hex or Y after the ``#`` of an address.

In ``#9r9c1,b3:sc6:rw`` a board of size 9 (without a number 11; for Y 15) is followed by how the
page draws it, and by the moves. After ``:s`` the pieces are swapped, after ``:S`` the sides; ``:p``
is a pass; ``:rb`` and ``:rw`` resign for black, who moved first, and white, ``:fb`` and ``:fw``
forfeit. A second comma is the place at which the page shows the game.
"""

import re
from urllib.parse import unquote

from pbmserv.engine import game_format
from pbmserv.engine.game_format import ForeignGame, GameFormat, ReadGame, turned, unreadable
from pbmserv.engine.position import PASS, SWAP
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import parse_lines, require_whole
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import is_plain, option_words
from pbmserv.engine.swap_pieces import with_swapped_pieces

TITLE = "a link of HexWorld or hex-study"
PAGES = {
    "hex": "https://hexworld.org/board/#",
    "y": "https://hexanna1.github.io/hex-study/y.html#",
}
DEFAULT_SIZES = {"hex": "11", "y": "15"}
LINK = (
    r"(?:https?://)?(?:www\.)?(?:hexworld\.org/board|hexanna1\.github\.io/hex-study)(?![^/#?])[^#]*"
)
# A line of trmph may look the same, but names the first stone twice or the winner at the end.
BARE = (
    r"(?:#[0-9]{1,4}[a-z0-9]*[ \t]*$|(?:#[a-z0-9]*|[0-9]{1,4}[a-z0-9]*),(?=[:,a-z\s]|$)"
    r"(?!([a-z]+[0-9]+)\1|[a-z0-9]*[ \t]+[br12][ \t]*$))"
)
BEGINNING = re.compile(rf"\s*(?:{LINK}|{BARE})", re.IGNORECASE | re.MULTILINE)
LINE = re.compile(
    rf"({LINK})?#?([0-9]{{1,4}}(?:x[0-9]{{1,4}})?)?[^#,]*(?:,([^#,]*))?(?:,([^#,]*))?",
    re.IGNORECASE,
)
TOKEN = re.compile(r":[sSp]|:[rf][bw]|[A-Za-z]{1,2}[0-9]{1,2}")
WORDS = {":s": SWAP.text, ":S": SWAP.text, ":p": PASS.text}
TOKENS = {SWAP.text: ":s", PASS.text: ":p"}
REASONS = {"r": Reason.RESIGNATION, "f": Reason.FORFEIT}
LETTERS = {reason: letter for letter, reason in REASONS.items()}


def _read_link(line: str) -> ReadGame:
    found = LINE.fullmatch("".join(unquote(line).split()))
    if found is None or not BEGINNING.match(line):
        raise unreadable(TITLE, "a line of it is not a size and at most two lists of moves")
    page, size, past, future = (part or "" for part in found.groups())
    name = "y" if "y.html" in page.lower() else "hex"
    game = game_format.game_of_size(TITLE, name, size.lower() or DEFAULT_SIZES[name])
    words = game_format.split_moves(TOKEN, past + future, TITLE)
    end = words.pop() if words and words[-1][1:] in {"rb", "rw", "fb", "fw"} else ""
    if any(word[:2] in {":r", ":f"} for word in words):
        raise unreadable(TITLE, "it goes on after a resignation or forfeit")
    foreign = ForeignGame(game, [WORDS.get(word) or turned(game, word) for word in words])
    foreign.swaps_pieces = ":S" not in words
    if end:
        foreign.reason = REASONS[end[1]]
        # The letter is a colour: after a swap of sides each has the other player.
        foreign.winner = int((end[2] == "b") is foreign.swaps_pieces)
    return foreign.replayed()


def _write(record: Record[str]) -> str:
    game, outcome = record.game, record.outcome
    if game.name not in PAGES or not is_plain(game):
        other = f"{game.title}{'' if is_plain(game) else option_words(game)}"
        raise game_format.cannot_write("Links", f"are for Hex and Y, not for {other}")
    require_whole(record)
    moves = "".join(
        TOKENS.get(move.text) or turned(game, move.text).lower()
        for move in with_swapped_pieces(game, record.moves)
    )
    won = record.with_players(0, 1).winner
    letter = LETTERS.get(outcome.reason) if outcome else None
    end = "" if letter is None or won is None else f":{letter}{'wb'[won]}"
    return f"{PAGES[game.name]}{game_format.size_of(game)}c1,{moves}{end}\n"


FORMAT = GameFormat("hexworld", BEGINNING.match, lambda text: parse_lines(text, _read_link), _write)
