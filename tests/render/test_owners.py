"""Pictures that show who owns what, in text, in colour and in words."""

import xml.etree.ElementTree as ET

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import plain_lines
from pbmserv.render.picture import Picture, draw
from pbmserv.render.svg import Mark, description, legend_items, svg_picture, wrap_legend
from pbmserv.render.terminal import O_COLOUR, X_COLOUR, terminal_picture
from pbmserv.render.text import text_picture
from tests.engine.sample_games import random_game

SVG = "{http://www.w3.org/2000/svg}"
SMALL = {"star": "star(size=3)", "starstar": "starstar(size=4)", "hex": "hex(size=4)"}
SMALL |= {"starweb": "starweb(size=4)", "polyy": "polyy(size=3)", "y": "y(size=4)"}


def enclosed() -> tuple[Game, Position]:
    """Return a star of X around an empty peri and a dead stone of O, which was placed last."""
    game = parse_game("starstar(size=4)")
    x = "A40 A30 A31 A32 R30 R40"
    position = game.position_of({Side.X: x.split(), Side.O: ["A42", "S40", "S41"]})
    return game, Position(position.stones, last=(game.board.index["A42"],))


def polygon() -> tuple[Game, Position]:
    game = parse_game("polyy(size=3)")
    return game, game.replay(["A21", "B20", "B10", "D20", "B21", "E10", "C20"])


def with_owners(found: tuple[Game, Position]) -> Picture:
    return draw(*found, owners=True)


def test_without_owners_the_last_turn_is_bracketed_and_nothing_is_owned() -> None:
    text = text_picture(draw(*enclosed()))

    assert "\n      2  .  .  2  X [O] 3\n" in text
    assert "owned" not in text


def test_empty_cells_and_dead_stones_show_their_owner_and_brackets_make_room() -> None:
    text = text_picture(with_owners(enclosed()))

    assert "\n      2  .  .  2  X  Ox 3\n   1  .  .  .  1  .  X  x\n" in text
    assert "[" not in text
    assert text.endswith("x, o: cells owned by X and O\nOx, Xo: a dead stone and its owner")


def test_the_owner_of_a_corner_stands_at_its_letter_away_from_the_board() -> None:
    game = parse_game("polyy(size=3)")
    stones = {
        Side.X: ["E20", "E21", "A20", "E10"],
        Side.O: ["B20", "B21", "C20", "B10", "C10", "A21"],
    }
    lines = text_picture(draw(game, game.position_of(stones), owners=True)).split("\n")

    assert lines[0].endswith("A=x")
    assert lines[3].startswith("E=x  X")
    assert lines[3].endswith("O  B=o")
    assert lines[-1].endswith("=x, =o: a corner owned by X, by O")


def test_colours_say_the_same() -> None:
    text = terminal_picture(with_owners(enclosed()))
    coloured = [
        (text.plain[span.start : span.end], span.style)
        for span in text.spans
        if span.style in {X_COLOUR, O_COLOUR}
    ]

    assert coloured == [("x", X_COLOUR)] * 3


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
def test_a_legend_explains_the_marks_that_are_drawn_and_no_others(name: str) -> None:
    game = parse_game(SMALL.get(name, name))
    seen = set()
    for seed in range(12):
        for _, after in [*random_game(game, seed)][::3]:
            for owners in (False, True):
                picture = draw(game, after, owners=owners)
                owned, stones = picture.owned, after.stones
                whole = game.ownership(after)
                of = {
                    side: {cell for cell, who in owned.cells.items() if who is side}
                    | {cell for cell, who in owned.corners.items() if who is side}
                    for side in Side
                }
                dead = [
                    cell for cell, who in owned.cells.items() if stones[cell] not in (0, who.stone)
                ]
                expected = {
                    Mark.LAST: bool(after.last),
                    Mark.OWNED_X: bool(of[Side.X]),
                    Mark.OWNED_O: bool(of[Side.O]),
                    Mark.DEAD: bool(dead),
                    Mark.WON: bool(owned.path),
                    Mark.BOTH: bool(whole.externals),
                    Mark.NUMBER: bool(whole.corner_counts),
                }
                lines = wrap_legend(picture, 1000)
                found = {line.mark for line in lines}
                seen |= found

                assert {mark for mark, is_there in expected.items() if is_there} == found - {
                    *(Mark.NONE, Mark.X, Mark.O)
                }
                for mark, cells in (
                    (Mark.LAST, after.last),
                    (Mark.DEAD, dead),
                    (Mark.WON, owned.path),
                    (Mark.NUMBER, whole.corner_counts),
                ):
                    sides = {line.side.stone for line in lines if line.mark is mark}
                    assert sides <= {stones[cell] for cell in cells}, mark
                for side, mark in ((Side.X, Mark.OWNED_X), (Side.O, Mark.OWNED_O)):
                    assert [f"owned by {side}"] * (mark in found) == [
                        line.words for line in lines if line.mark is mark
                    ]

    both = {Mark.OWNED_X, Mark.OWNED_O}
    some = {"star": {Mark.BOTH}, "starstar": {Mark.DEAD, *both}, "polyy": both}
    some |= {"starweb": {Mark.NUMBER}, "hex": {Mark.WON}, "y": {Mark.WON}}

    assert {Mark.LAST, *some.get(name, ())} <= seen


def test_owners_are_told_in_the_svg_and_in_its_description() -> None:
    picture = with_owners(enclosed())
    document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document
    titles = [title.text for title in document.iterfind(f".//{SVG}circle/{SVG}title")]

    assert "A42 O, dead, owned by X" in titles
    assert "A41, owned by X" in titles
    assert "Owned by X: A41 A42 A43." in description(picture)


def test_externals_are_drawn_in_the_colours_of_who_touches_them() -> None:
    game = parse_game("star(size=3)")
    picture = with_owners((game, game.position_of({Side.X: ["C1"], Side.O: ["D1"]})))
    text = svg_picture(picture)

    assert text_picture(picture).split("\n")[0] == "        x & o"
    assert text.count('class="bd gx"') == 2  # half of the one that both touch, and in the legend
    assert len(picture.owned.externals) == 15


def test_owners_are_told_in_plain_words() -> None:
    web = parse_game("starweb(size=4)")
    groups = web.position_of({Side.X: ["E1", "F1"], Side.O: ["A5"]})
    star = parse_game("star(size=3)")
    rim = star.position_of({Side.X: ["C1"], Side.O: ["D1"]})

    assert plain_lines(*polygon(), owners=True)[-2:] == [
        "Corners of X: B20 C20.",
        "Last turn: C20.",
    ]
    assert "Owned by X: A41 A42 A43." in plain_lines(*enclosed(), owners=True)
    assert plain_lines(web, groups, owners=True)[-1] == (
        "Corners of each group: E1 2 corners, A5 1 corner."
    )
    assert plain_lines(star, rim, owners=True)[-1] == (
        "Externals: 2 of X, 2 of O, 1 of both, 10 of nobody."
    )
    assert "Corners of X: B20 C20." not in plain_lines(*polygon())


@pytest.mark.parametrize(
    ("spec", "moves", "chain"),
    [
        ("hex(size=3)", "A1 B1 A2 B2 A3", 3),
        ("y(size=3)", "C1 B2 C2 A3 C3", 3),
    ],
)
def test_the_chain_that_has_won_is_marked_in_drawings(spec: str, moves: str, chain: int) -> None:
    game = parse_game(spec)
    position = game.replay(moves.split())
    picture = draw(game, position, owners=True)
    marked = [spot.name for spot in picture.spots if spot.is_winning]

    assert len(marked) == chain
    assert svg_picture(picture).count('class="w wx"') == 2, "and in the legend"
    assert "chain that has won" in svg_picture(picture)


def test_the_sample_of_the_last_turn_has_its_colour() -> None:
    game = parse_game("star(size=4)")
    position = game.start()
    for cell, kind in ((0, "x"), (1, "o")):
        position = game.play(position, game.parse_move(game.board.names[cell]))
        *_, (mark, _) = [item for item in legend_items(draw(game, position)) if "last" in item[1]]

        assert f'class="bd {kind}"' in mark
        assert f'class="l{kind}"' in mark
