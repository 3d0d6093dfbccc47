"""What is shown on a board where somebody asks for it: who owns what, links, and a chain."""

from pbmserv.board.drawn_board import BoardStyle, chain_of, draw_board, links, owned_by
from pbmserv.computer.proof import kept_links
from pbmserv.engine.games import find_game
from pbmserv.engine.games.hex import Hex
from pbmserv.engine.games.star import Star
from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score import NOTHING_OWNED, Ownership
from tests.engine.test_ownership import filled

EACH = ("owned", "dead", "corners", "externals", "links", "chain")


def test_each_thing_is_shown_where_it_is_asked_for_and_nowhere_else() -> None:
    seen = set()
    for name in ("polyy", "star", "starstar", "starweb"):
        game = find_game(name)()
        for seed in range(3):
            position = filled(game, seed)
            whole, stones = game.ownership(position), position.stones
            empty, dead = (
                {at: side for at, side in whole.cells.items() if (stones[at] != EMPTY) is is_stone}
                for is_stone in (False, True)
            )
            joined = links(game, position)
            expected = (
                Ownership(empty),
                Ownership(dead),
                Ownership({}, whole.corners, whole.corner_counts),
                Ownership(externals=whole.externals),
                Ownership(joined),
                NOTHING_OWNED,
            )
            for word, what in zip(EACH, expected, strict=True):
                found = owned_by(game, position, frozenset({word}))
                assert vars_of(found) == vars_of(what)
                seen |= {word} if vars_of(what) != vars_of(NOTHING_OWNED) else set()
            together = owned_by(game, position, frozenset(EACH))
            assert together.cells == {**joined, **whole.cells}
    assert seen == {*EACH} - {"chain"}


def vars_of(owned: Ownership) -> list[object]:
    return [owned.cells, owned.corners, owned.corner_counts, [*owned.externals]]


def test_links_are_those_that_hold_all_at_once() -> None:
    game = Star(size=4)
    position = game.start()
    for move in ("C3", "pass", "B5"):
        position = position.after(game.parse_move(move))
    names = game.board.names
    found = links(game, position)

    assert {names[cell] for cell in found} == {"B4", "C4"}
    assert {*found.values()} == {Side.X}
    assert links(game, position.after(game.parse_move("C4"))) == {}
    rhombus = Hex(size=4)
    sharing = rhombus.position_of({Side.X: ["D1", "B3"], Side.O: ["C1", "A2"]})
    assert [bool(link.shared) for link in kept_links(rhombus, sharing)] == [False, True, False]
    assert {rhombus.board.names[cell] for cell in links(rhombus, sharing)} == {
        "A4",
        "B4",
        "B1",
        "B2",
    }


def test_a_chain_is_all_that_hangs_together_with_a_stone() -> None:
    game = Star(size=4)
    position = filled(game, 2)
    board = game.board
    for cell, stone in enumerate(position.stones):
        chain, edge = {cell} if stone != EMPTY else set(), {cell}
        while edge and stone != EMPTY:
            beside = {near for each in edge for near in board.neighbours[each]}
            edge = {near for near in beside - chain if position.stones[near] == stone}
            chain |= edge
        assert chain_of(game, position, cell) == chain


def test_a_chain_is_marked_where_its_stones_stand() -> None:
    game = Star(size=4)
    position = filled(game, 2)
    table = draw_board(game, position, BoardStyle())
    cell = next(cell for cell, stone in enumerate(position.stones) if stone != EMPTY)
    chain = chain_of(game, position, cell)
    found = set()
    for number in range(table.height):
        column = 0
        for span in table.line(number, {}, chain):
            found |= {(at, number) for at in range(column, column + len(span.text)) if span.marked}
            column += len(span.text)

    assert found == {table.places[each] for each in chain}
