"""The board as large as the terminal allows: what it promises at which size, cords and sides."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from pbmserv.board.drawn_board import BoardStyle, DrawnBoard, draw_board, extent
from pbmserv.board.frame import Size, Tone
from pbmserv.board.panel import SIGNS
from pbmserv.board.screen import PANEL, cell_at, layout, screen
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.text import GLYPHS, Style

from .playing import SMALL, session, text_of, typed

USUAL = Size(100, 30)
STROKES = {"ascii": "-|/\\", "unicode": "─│╱╲"}  # noqa: RUF001 - lines, which are no letters
STYLES: tuple[Style, ...] = ("ascii", "unicode")


def sizes_of(name: str) -> Iterator[Game]:
    """Yield a game with each number of sides, and each size."""
    sides = [f",sides={number}" for number in (3, 5, 7, 9)] if name == "polyy" else [""]
    for size in range(2, 27):
        for more in sides:
            try:
                yield parse_game(f"{name}(size={size}{more})")
            except Refused:
                continue


def begun(game: Game, share: float = 0.6) -> Position:
    """Return a position of a game in which stones have been placed at random."""
    chance, position = Random(3), game.start()
    while not game.is_over(position) and position.empty_count > (1 - share) * len(game.board):
        cells = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
        position = game.play(
            position, game.placing(chance.sample(cells, game.stones_due(position)))
        )
    return position


def character(table: DrawnBoard, column: int, line: int) -> str:
    return table.rows[line][column].text


@pytest.mark.parametrize("name", game_names())
def test_at_100_by_30_the_usual_board_is_whole_beside_its_panel(name: str) -> None:
    begun_game = session(name)
    plan, frame = layout(begun_game.game, USUAL), screen(begun_game, USUAL)
    _, lines = extent(begun_game.game, plan.scale)
    text = text_of(frame)

    assert plan.panel >= PANEL
    assert lines <= USUAL.height - 3
    assert "to move" in text
    assert f"{begun_game.game.board.names[begun_game.cursor]}: if X plays here" in text


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
def test_at_100_by_30_every_board_has_its_panel(name: str) -> None:
    for game in sizes_of(name):
        has_room = extent(game, 1)[0] + PANEL + 3 <= USUAL.width
        assert has_room == (layout(game, USUAL).panel >= PANEL), game
        assert has_room or name == "hex", game  # more than 22 rows


@pytest.mark.parametrize(
    ("spec", "scale"),
    [("star(size=6)", 2), ("hex(size=11)", 2), ("y(size=12)", 2), ("starweb(size=6)", 2)],
)
def test_where_there_is_room_a_cell_has_four_columns_and_two_lines(spec: str, scale: int) -> None:
    game = parse_game(spec)
    table = draw_board(game, game.start(), BoardStyle(scale=layout(game, USUAL).scale))
    columns, lines = zip(*table.places, strict=True)
    one, other, *_ = sorted(column for column, line in table.places if line == max(lines))

    assert scale == layout(game, USUAL).scale
    assert 4 == other - one
    assert 2 == sorted(set(lines))[1] - min(lines)
    assert max(columns) < table.width


def test_in_a_narrow_and_high_terminal_the_panel_stands_under_a_large_board() -> None:
    seated = session("star(size=6)", "E5 F5")
    size = Size(60, 40)
    plan, lines = layout(seated.game, size), text_of(screen(seated, size)).splitlines()
    [at] = [number for number, line in enumerate(lines) if line.endswith(" to move")]

    assert (2, 0) == (plan.scale, plan.panel)
    assert at > extent(seated.game, 2)[1]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "spec", ["starstar(size=10)", "hex(size=26)", "star(size=14)", "polyy(shape=open)"]
)
def test_at_80_by_24_the_largest_boards_have_their_panel_behind_a_key(spec: str) -> None:
    game = parse_game(spec)
    seated = session(spec, " ".join(game.board.names[:3]))
    plan = layout(game, SMALL)
    page = text_of(screen(typed(seated, "m"), SMALL))

    assert plan.panel == 0
    assert "m more" in text_of(screen(seated, SMALL))
    assert "m more" not in text_of(screen(typed(session(), "escape"), SMALL))
    for number, name in enumerate(game.board.names[:3], start=1):
        assert f"{number} {'XOX'[number - 1]} {name}" in page
    assert "to move" in page
    assert "" == typed(seated, "m", "m").page
    seen = set()
    for cell in range(len(game.board)):
        moved = typed(seated, f"cell {cell}")
        column, line = screen(moved, SMALL).cursor
        seen.add(cell_at(moved, SMALL, column, line))
    assert seen == {*range(len(game.board))}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", game_names())
def test_neighbours_of_a_colour_are_joined_by_a_cord_and_no_others(name: str, style: Style) -> None:
    for game in (find_game(name)(), next(sizes_of(name))):
        position, board = begun(game), game.board
        table = draw_board(game, position, BoardStyle(style, 2))
        stones = position.stones
        for one, other in board.links:
            (a, b), (c, d) = table.places[one], table.places[other]
            between = character(table, (a + c) // 2, (b + d) // 2)
            if {one, other} <= {*board.bridge}:
                continue  # what lies across the middle is told, not drawn
            if stones[one] and stones[one] == stones[other]:
                assert between in STROKES[style], (board.names[one], board.names[other])
            elif not board.sectors:
                assert between == " ", (board.names[one], board.names[other])


@pytest.mark.costly
@pytest.mark.parametrize("name", game_names())
def test_large_boards_have_all_cells_and_all_labels(name: str) -> None:
    for game in sizes_of(name):
        bare = draw_board(game, game.start(), BoardStyle())
        for scale in (2, 3):
            for shows in (frozenset[str](), frozenset({"externals"})):
                table = draw_board(game, game.start(), BoardStyle("ascii", scale, shows))
                text = "\n".join("".join(span.text for span in row) for row in table.rows)
                labels = {label.text for label in game.board.labels} - {"\\"}

                assert [character(bare, *place) for place in bare.places] == [
                    character(table, *place) for place in table.places
                ]
                assert set() == {label for label in labels if label not in text}


@pytest.mark.parametrize("scale", [1, 2, 3])
@pytest.mark.parametrize("style", STYLES)
def test_the_sides_of_hex_are_their_players_and_those_of_y_are_neutral(
    style: Style, scale: int
) -> None:
    for spec, sides in (("hex(size=5)", 4), ("y(size=5)", 3)):
        game = parse_game(spec)
        table = draw_board(game, game.start(), BoardStyle(style, scale))
        for edge in game.edges():
            tone = {Side.X: Tone.EDGE_X, Side.O: Tone.EDGE_O, None: Tone.DIM}[edge.side]
            for cell in edge.cells:
                column, line = table.places[cell]
                near = {
                    (column + across, line + down)
                    for across, down in ((0, -1), (0, 1), (-2, 0), (2, 0), (-3, 0))
                }
                found = {table.rows[y][x].tone for x, y in near if 0 <= y < table.height}
                assert tone in found, (game.board.names[cell], edge)
        assert sides == len(game.edges())


@pytest.mark.parametrize("style", STYLES)
def test_without_colours_the_players_are_told_apart(style: Style) -> None:
    seated = typed(session("star(size=6)", "E5 F5"))
    x, o = SIGNS[style].frames[Side.X], SIGNS[style].frames[Side.O]
    text = text_of(screen(replace(seated, style=style), USUAL))
    glyphs = GLYPHS[style]

    assert set(x).isdisjoint(o)
    for side, glyph, frame in (("X", glyphs.x, x), ("O", glyphs.o, o)):
        assert glyph in text
        [head] = [line for line in text.splitlines() if f"{frame[0]}{frame[4]} {side}" in line]
        assert head.endswith(frame[4] + frame[1])


def test_the_last_move_stands_in_brackets_and_nothing_else_does() -> None:
    for style in STYLES:
        game = parse_game("hex(size=6)")
        position = game.replay(["C3", "D4", "B2"])
        table = draw_board(game, position, BoardStyle(style, 2))
        text = "".join(span.text for row in table.rows for span in row)

        assert 1 == text.count("[") == text.count("]")
        assert f"[{GLYPHS[style].x}]" in text


def test_of_a_game_that_was_won_the_winning_chain_alone_keeps_its_ground() -> None:
    game = parse_game("hex(size=3)")
    position = game.replay(["B1", "A1", "B2", "A2", "B3"])
    table = draw_board(game, position, BoardStyle("ascii", 2, frozenset({"owned"})))
    looks = {
        name: table.rows[line][column]
        for name, (column, line) in zip(game.board.names, table.places, strict=True)
    }

    assert {"B1", "B2", "B3"} == {name for name, span in looks.items() if span.marked}
    assert {Tone.EDGE_O} == {looks[name].tone for name in ("A1", "A2")}


def test_a_stone_is_told_to_be_at_the_sides_that_its_player_joins_alone() -> None:
    for moves, cell, told in (("", "A1", "at the top"), ("C3", "A1", "at the left")):
        begun = session("hex(size=5)", moves)
        begun = replace(begun, cursor=begun.game.board.index[cell])

        assert re.findall(r", (at the .*)", text_of(screen(begun, SMALL))) == [told]
