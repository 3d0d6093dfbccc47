"""The same links and proofs are found on every machine, at both speeds."""

from collections.abc import Iterator
from hashlib import blake2b
from random import Random

import pytest

from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.links import ALL, SCRATCH, Links, fastest
from pbmserv.computer.proof import prove
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game

from .test_proof import late_position

POSITIONS, EFFORT = 40, 20_000
KEPT = (
    ("hex(size=5)", 23, "3f5a26"),
    ("hex(size=7)", 27, "d47ffa"),
    ("y(size=6)", 24, "2de424"),
    ("star(size=4)", 12, "547ad2"),
    ("star(size=5,maxi)", 7, "cb208a"),
    ("starstar(size=4)", 3, "67ca55"),
    ("starstar(size=4,komi=3)", 7, "cc6b3b"),
    ("starweb(size=5)", 5, "fd56ae"),
    ("polyy(size=4)", 19, "a5658f"),
    ("polyy(sides=3,size=5)", 26, "12228a"),
)
"""How many of the positions have a proof, and what tells this text of them from any other."""

QUICK = {"hex(size=5)", "y(size=6)", "star(size=4)", "polyy(size=4)"}
"""Of these it takes about a second at most without anything compiled."""


def positions(game: Game) -> Iterator[Position]:
    """Yield positions from nearly full to half empty."""
    chance, size = Random(game.board.title), len(game.board)
    for _ in range(POSITIONS):
        yield late_position(game, chance.randint(size // 5, size * 3 // 5), chance)


def told(game: Game, number: int, position: Position) -> str:
    """Return who is proven to win, by which move and links, and what meets the threats."""
    proof = prove(game, position, number % 3, EFFORT)
    if proof is None:
        return ""

    def names(cells: tuple[Cell, ...]) -> str:
        return " ".join(game.board.names[cell] for cell in cells)

    move = "" if proof.move is None else f" {game.board.names[proof.move]}"
    links = ", ".join(map(names, proof.links))
    carrier = f"{len(proof.carrier)} {digest(names(proof.carrier))}"
    meeting = f"; {names(proof.must_play)}" if proof.must_play else ""
    return f"  {number} {proof.winner} {proof.depth}{move}: {links}; {carrier}{meeting}\n"


def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=3).hexdigest()


def linked(game: Game, position: Position) -> str:
    """Return what both sides can link and hold, in short."""
    arrays = require_arrays(game)
    found, parts = fastest(Links)(arrays), []
    for side in Side:
        best = found.look(found.read(position.stones), side.stone, ALL)
        links = [
            (found.one[link], found.two[link], found.is_full[link], found.is_dead[link], cells)
            for link in range(SCRATCH, found.used)
            if (cells := [cell for cell in range(arrays.size) if found.holds(link, cell)])
        ]
        parts.append(f"{best} {len(links)} {digest(str(links))}")
    return f"  {', '.join(parts)}\n"


def proofs(spec: str) -> str:
    game = parse_game(spec)
    found = [told(game, number, place) for number, place in enumerate(positions(game))]
    return "".join([*found, *(linked(game, place) for place in list(positions(game))[:10])])


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("spec", "proven", "kept"), KEPT)
def test_the_same_proofs_are_found_on_every_machine(spec: str, proven: int, kept: str) -> None:
    text = proofs(spec)

    assert (proven, kept) == (text.count(" X ") + text.count(" O "), digest(text)), text


@pytest.mark.costly
@pytest.mark.parametrize(("spec", "proven", "kept"), [row for row in KEPT if row[0] in QUICK])
def test_so_they_are_where_nothing_is_compiled(
    spec: str, proven: int, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pbmserv.computer.proof", __name__):
        monkeypatch.setattr(f"{module}.fastest", lambda plain: plain)

    test_the_same_proofs_are_found_on_every_machine(spec, proven, kept)
