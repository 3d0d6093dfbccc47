import math
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.colours import DARK, LIGHT, Colours
from pbmserv.render.geometry import geometry_of
from pbmserv.render.html_page import html_page, paragraphs
from pbmserv.render.picture import LegendText, Picture, draw
from pbmserv.render.svg import (
    DrawingOptions,
    description,
    ground_parts,
    style,
    svg_board,
    svg_ground,
    svg_picture,
)
from tests.render.pictured_boards import EACH_GAME, random_position

pytestmark = pytest.mark.costly(stay=1)

SVG = "{http://www.w3.org/2000/svg}"


def a_picture() -> Picture:
    star = parse_game("star(size=4)")
    return draw(star, star.replay(["D4", "E4", "C4"]))


def titles(document: ET.Element) -> list[str | None]:
    return [title.text for title in document.iterfind(f".//{SVG}circle/{SVG}title")]


@EACH_GAME
def test_the_svg_names_what_stands_on_every_cell(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, random_position(game, 5))
        document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document
        expected = [f"{s.name} {s.stone.value}" if s.stone else s.name for s in picture.spots]
        cells = titles(document)

        assert expected == cells, game


@EACH_GAME
def test_stones_do_not_overlap_and_lie_in_the_drawing(boards: list[Game]) -> None:
    for game in boards:
        ground, box = geometry_of(game), geometry_of(game).box(has_labels=False)
        points = [complex(*middle) for middle in ground.middles]
        inside = [
            box.left < point.real - ground.radius
            and point.real + ground.radius < box.left + box.width
            and box.top < point.imag - ground.radius
            and point.imag + ground.radius < box.top + box.height
            for point in points
        ]

        assert all(inside), game
        assert min(abs(one - other) for one, other in combinations(points, 2)) > 2 * ground.radius


@EACH_GAME
def test_every_cell_lies_in_its_own_tile_and_in_no_other(boards: list[Game]) -> None:
    for game in boards:
        ground = geometry_of(game)
        for middle, tile in zip(ground.middles, ground.tiles, strict=True):
            reach = max(math.dist(middle, corner) for corner in tile)
            others = [(math.dist(middle, other), other) for other in ground.middles]
            others.remove((0, middle))
            within = [other for distance, other in others if distance <= reach]

            assert len(tile) >= 3, game
            assert reach < 2 * min(others)[0], game
            assert not any(_is_inside(other, tile) for other in within)


@EACH_GAME
def test_an_empty_board_shows_each_tile_once_its_rim_its_bridge_and_its_labels(
    boards: list[Game],
) -> None:
    for game in boards:
        ground, board = geometry_of(game), game.board
        bare, labelled = (ground_parts(game, has_labels=has_labels) for has_labels in (False, True))
        paths = dict(re.findall(r'<path class="(t\d?|br)" d="([^"]*)"', bare))
        bridge = [
            complex(*map(float, dot.split()))
            for dot in re.findall("[\\d.-]+ [\\d.-]+", paths.pop("br", ""))
        ]
        rim = paths.pop("t4", "")

        assert len(board) == sum(path.count("M") for path in paths.values())
        assert len(game.ownership(game.start()).externals) == rim.count("M")
        assert len(board.bridge) == len(bridge)
        for cell in board.bridge:
            assert min(abs(complex(*ground.middles[cell]) - dot) for dot in bridge) < 0.1
        assert '<g class="lb">' not in bare
        labels = labelled.partition('<g class="lb">')[2]
        texts = [words.text for words in (*ground.labels, *ground.letters)]
        assert texts == re.findall(">([^<]+)</text>", labels)


@EACH_GAME
def test_the_tiles_of_a_round_board_cover_it(boards: list[Game]) -> None:
    for game in boards:
        ground = geometry_of(game)
        if game.board.sectors:
            (outline,) = ground.outline
            covered = sum(map(_area, ground.tiles))

            # The corners of the outline belong to no tile.
            assert covered == pytest.approx(_area(outline), rel=0.02)


def _area(polygon: list[tuple[float, float]]) -> float:
    pairs = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    return abs(sum(x * b - a * y for (x, y), (a, b) in pairs)) / 2


def _is_inside(dot: tuple[float, float], tile: list[tuple[float, float]]) -> bool:
    """Tell whether a dot lies on the same hand of all borders of a convex tile."""
    x, y = dot
    hands = [
        (c - a) * (y - b) - (d - b) * (x - a) > 0
        for (a, b), (c, d) in zip(tile, tile[1:] + tile[:1], strict=True)
    ]
    return all(hands) or not any(hands)


@EACH_GAME
def test_the_frame_is_one_closed_line_around_the_board(boards: list[Game]) -> None:
    for game in boards:
        assert len(geometry_of(game).outline) == 1, game


def test_the_sides_of_hex_have_their_players_colours_and_letters() -> None:
    text = svg_picture(draw(game := parse_game("hex(size=5)"), game.start()))
    ground = geometry_of(game)
    top, bottom, left, right = [edge.line for edge in ground.edges]

    assert [edge.side for edge in ground.edges] == [Side.X, Side.X, Side.O, Side.O]
    assert text.count('class="sd sdx"') == text.count('class="sd sdo"') == 2
    assert max(y for _, y in top) < min(y for _, y in ground.middles)
    assert min(y for _, y in bottom) > max(y for _, y in ground.middles)
    for side in (left, right):  # from the first row to the last
        assert min(y for _, y in side) < min(y for _, y in ground.middles)
        assert max(y for _, y in side) > max(y for _, y in ground.middles)
    assert [words.text for words in ground.labels][-2:] == ["X", "O"]


@EACH_GAME
def test_a_page_has_the_labels_of_a_ground_that_has_none_and_rules_their_size(
    boards: list[Game],
) -> None:
    for game in boards:
        ground = geometry_of(game)
        *_, width, height = ground.box()
        text = svg_board(draw(game, game.start()), DrawingOptions(ground="ground.svg"))
        found = re.findall(
            r'translate\((\S+) (\S+)\)" x="(\S+)em" y="(\S+)em">([^<]+)</text>', text
        )

        assert "<text" not in svg_ground(game, has_labels=False)
        assert (
            f'<g class="lh" font-size="{height:g}" aria-hidden="true"><g font-size="{width:g}">'
            in text
        )
        told = (*ground.labels, *ground.letters)
        for (x, y, right, down, words), label in zip(found, told, strict=True):
            # Of 8 pixels, as a file has them, a label is where it has its place; else away from it.
            at = float(x) + 8 * float(right), float(y) + 8 * (float(down) - 0.36)
            assert words == label.text
            assert at == pytest.approx((label.x, label.y), abs=0.2)


def test_other_sides_are_nobodys() -> None:
    for spec, sides in (("y(size=5)", 3), ("polyy(size=4,sides=7)", 7)):
        edges = geometry_of(parse_game(spec)).edges

        assert [edge.side for edge in edges] == [None] * sides
    assert geometry_of(parse_game("star(size=4)")).edges == []


@EACH_GAME
def test_no_label_runs_into_another_or_into_the_board(boards: list[Game]) -> None:
    for game in boards:
        ground = geometry_of(game)
        for one, other in combinations(ground.labels, 2):
            assert abs(one.x - other.x) > 8 or abs(one.y - other.y) > 7, (game, one, other)
        for words in ground.labels:
            near = min(math.dist((words.x, words.y), middle) for middle in ground.middles)
            assert near > ground.radius + 4, (game, words)


@pytest.mark.parametrize("name", ["star", "starweb", "hex", "y"])
def test_the_number_of_a_row_stands_beside_it_and_a_letter_below_its_cell(name: str) -> None:
    for size in (4, 5, 6, 13):
        game = parse_game(f"{name}(size={size})")
        ground = geometry_of(game)
        dots = dict(zip(game.board.names, ground.middles, strict=True))
        rows: dict[str, list[tuple[float, float]]] = {}
        for dot in dots.values():
            rows.setdefault(f"{dot[1]:.1f}", []).append(dot)
        numbers = [words for words in ground.labels if words.text.isdigit()]
        away = {round(min(rows[f"{words.y:.1f}"])[0] - words.x, 1) for words in numbers}

        assert len(numbers) == len(rows)
        assert 1 == len(away), (name, size)
        for words in ground.labels:
            own = [dot for cell, dot in dots.items() if cell[0] == words.text]
            near = min([math.dist(words[1:3], dot) for dot in own], default=0)
            assert near < 1.6 * max(away), (name, size, words)


def test_there_is_room_for_a_corner_on_its_owners_stone() -> None:
    for spec in ("polyy(size=5)", "polyy(sides=9,size=8)", "polyy(sides=7,size=4)"):
        game = parse_game(spec)
        box = geometry_of(game).box()
        for words in geometry_of(game).labels:
            assert box.left + 8 <= words.x <= box.left + box.width - 8
            assert box.top + 8.5 <= words.y <= box.top + box.height - 8.5


def paths(text: str, kind: str) -> str:
    """Return the lines of this class."""
    found = re.search(rf'<path class="{kind}"[^>]* d="([^"]*)"', text)
    return found[1] if found else ""


def test_what_touches_is_joined_and_nothing_else() -> None:
    star = parse_game("star(size=4)")
    text = svg_picture(draw(star, star.replay(["D4", "B4", "D5", "F2", "E1"])))

    assert paths(text, "cx").count("M") == 1
    assert paths(text, "rx") == paths(text, "cx")
    assert paths(text, "co") == ""
    assert paths(text, "dx").count("M") == 3
    assert paths(text, "do").count("M") == 2


def test_a_dead_stone_has_no_cord() -> None:
    game = parse_game("starstar(size=4)")
    stones = {Side.X: ["*41"], Side.O: [name for name in game.board.names if name != "*41"]}
    picture = draw(game, game.position_of(stones), owners=True)

    assert [spot.name for spot in picture.spots if spot.is_dead] == ["*41"]
    assert paths(svg_picture(picture), "dx") == ""
    assert "x dead" in svg_picture(picture)


def test_the_winning_line_is_a_least_part_that_still_wins() -> None:
    game = parse_game("hex(size=4)")
    stones = {Side.X: ["B1", "B2", "B3", "B4", "C1", "A3", "C3"], Side.O: ["A1", "D1"]}
    position = game.position_of(stones)
    owned = game.ownership(position)
    names = {game.board.names[cell] for cell in owned.path}

    assert len(owned.winning) == 7
    assert game.ownership(game.position_of({Side.X: names, Side.O: []})).winning
    for name in names:
        assert not game.ownership(game.position_of({Side.X: names - {name}, Side.O: []})).winning
    assert "w wx" in svg_picture(draw(game, position, owners=True))
    assert "w wx" not in svg_board(draw(game, position))


def test_the_winning_line_forks_without_a_triangle() -> None:
    game = parse_game("y(size=6)")
    position = game.position_of({Side.X: ["C4", "D4", "E4", "D5", "F3", "C6"], Side.O: []})
    path = game.ownership(position).path
    text = svg_board(draw(game, position, owners=True))

    assert len(path) == 6
    assert paths(text, "w wx").count("M") == len(path) - 1


def test_the_rim_of_star_tells_who_touches_it() -> None:
    star = parse_game("star(size=4)")
    text = svg_board(draw(star, star.replay(["D1", "E1"])))
    empty = svg_board(draw(star, star.start()))

    assert (text.count('"bd x"'), text.count('"bd gx"')) == (2, 1)
    assert text.count('"bd o"') == 2, "one of them is half X's"
    assert empty.count('"e0"') == len(star.ownership(star.start()).externals)


def test_the_last_turn_has_one_mark_and_a_number_gives_way_to_it() -> None:
    web = parse_game("starweb(size=4)")
    corner = web.board.names[web.board.corners[0]]
    text = svg_board(draw(web, web.replay([corner])))

    assert text.count('class="lx"') == 1
    assert 'class="n nx"' not in text


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_a_style_of_one_look_names_no_other(colours: Colours) -> None:
    text = style(colours)

    assert "@" not in text
    assert "var(" not in text
    assert all(colour in text for colour in colours)


def test_without_a_look_the_style_follows_the_screen() -> None:
    text = style()

    assert text.count("prefers-color-scheme:dark") == 1
    assert set(re.findall(r"var\(--b-(\w+)\)", text)) == set(Colours._fields)


def test_the_largest_boards_are_small_files() -> None:
    game = parse_game("starstar(size=10)")

    assert len(svg_picture(draw(game, random_position(game, 5), owners=True))) <= 60_000


def test_a_thumbnail_is_a_square_without_words() -> None:
    frame = DrawingOptions(has_labels=False, is_square=True, has_names=False)
    document = ET.fromstring(svg_board(a_picture(), frame))  # noqa: S314 - our own document

    assert document.get("width") == document.get("height")
    assert list(document.iterfind(f".//{SVG}text")) == []
    assert titles(document) == ["D4 X", "C4 X", "E4 O"] or len(titles(document)) == 3


def test_the_svg_has_a_size_a_name_and_a_description_and_needs_nothing_else() -> None:
    text = svg_picture(a_picture())
    document = ET.fromstring(text)  # noqa: S314 - our own document
    wide, high = map(float, (document.get("viewBox") or "").split()[2:])

    assert (document.get("width"), document.get("height")) == (f"{2 * wide:g}", f"{2 * high:g}")
    assert (document.get("role"), document.get("aria-label")) == ("img", "Star")
    assert document.findtext(f"{SVG}desc") == "X: C4 D4. O: E4. Last turn: C4."
    assert text.count("http") == 1
    assert "href" not in text


def test_an_empty_board_is_described() -> None:
    star = parse_game("star(size=4)")

    assert description(draw(star, star.start())) == "X: none. O: none."


def test_a_page_holds_the_picture_and_escapes_its_words() -> None:
    page = html_page("Board <101> & more", [svg_picture(a_picture()), *paragraphs(["X < O"])])

    assert "<h1>Board &lt;101&gt; &amp; more</h1>" in page
    assert "<p>X &lt; O</p>" in page
    assert svg_picture(a_picture()) in page
    assert "<script" not in page


def test_the_legend_says_who_plays_which_colour_the_last_turn_and_the_result() -> None:
    star = parse_game("star(size=4)")
    caption = LegendText(
        "Star Board 101", "alice", "bob & co", "Score: X: 1   O: 0\nalice has won."
    )
    picture = draw(star, star.replay(["D4", "E4", "C4"]), caption=caption)
    document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document
    words = [text.text for text in document.iterfind(f"{SVG}text")]

    assert document.get("aria-label") == "Star Board 101"
    assert words == [
        "X: alice",
        "O: bob & co",
        "last turn: C4",
        "externals: who touches each",
        "Score: X: 1   O: 0",
        "alice has won.",
    ]
    assert description(picture) == (
        "X, alice: C4 D4. O, bob & co: E4. Last turn: C4. Score: X: 1   O: 0 alice has won."
    )


@EACH_GAME
def test_the_legend_lies_below_the_board(boards: list[Game]) -> None:
    for game in boards:
        document = ET.fromstring(svg_picture(draw(game, random_position(game, 5), owners=True)))  # noqa: S314
        box = geometry_of(game).box()
        view = [float(number) for number in (document.get("viewBox") or "").split()]
        lines = [float(text.get("y", 0)) for text in document.iterfind(f"{SVG}text")]

        assert min(lines) > box.top + box.height, game
        assert max(lines) < view[1] + view[3], game
