import xml.etree.ElementTree as ET
from itertools import combinations

from pbmserv.engine.game import Game
from pbmserv.engine.spec import parse_game
from pbmserv.render.html_page import html_page
from pbmserv.render.legend import LINE_HEIGHT, legend_width
from pbmserv.render.picture import Caption, Picture, draw
from pbmserv.render.svg import Canvas, description, svg_picture
from tests.render.pictured_boards import EACH_GAME, random_position

SVG = "{http://www.w3.org/2000/svg}"


def a_picture() -> Picture:
    star = parse_game("star(size=4)")
    return draw(star, star.replay(["D4", "E4", "C4"]))


def titles(document: ET.Element) -> list[str | None]:
    return [title.text for title in document.iterfind(f"{SVG}circle/{SVG}title")]


@EACH_GAME
def test_the_svg_names_what_stands_on_every_cell(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, random_position(game, 5))
        document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document
        expected = [f"{s.name} {s.stone.value}" if s.stone else s.name for s in picture.spots]
        cells = titles(document)

        assert expected == cells, game


@EACH_GAME
def test_neighbouring_stones_do_not_overlap_and_lie_on_the_canvas(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, game.start())
        canvas = Canvas(picture)
        points = [complex(*canvas.at(spot.place)) for spot in picture.spots]
        inside = [
            canvas.radius < point.real < canvas.width - canvas.radius
            and canvas.radius < point.imag < canvas.height - canvas.radius
            for point in points
        ]
        near = min(abs(points[cell] - points[other]) for cell, other in picture.board.links)

        assert all(inside), game
        assert near > 2 * canvas.radius, game


def test_no_two_cells_of_the_largest_polygon_overlap_whether_linked_or_not() -> None:
    game = parse_game("polyy(size=10,sides=9)")
    picture = draw(game, game.start())
    canvas = Canvas(picture)
    points = [complex(*canvas.at(spot.place)) for spot in picture.spots]

    assert min(abs(one - other) for one, other in combinations(points, 2)) > 2 * canvas.radius


def test_the_svg_has_a_size_a_title_and_a_description_and_needs_nothing_else() -> None:
    text = svg_picture(a_picture())
    document = ET.fromstring(text)  # noqa: S314 - our own document
    canvas = Canvas(a_picture())

    assert (str(canvas.width), str(canvas.height)) == (
        document.get("width"),
        document.get("height"),
    )
    assert document.findtext(f"{SVG}title") == "Star"
    assert document.findtext(f"{SVG}desc") == "X: C4 D4. O: E4. Last turn: C4."
    assert text.count("http") == 1
    assert "href" not in text


def test_the_owners_of_corners_are_named_in_the_svg() -> None:
    game = parse_game("polyy(size=3)")
    position = game.replay(["A21", "B20", "B10", "D20", "B21", "E10", "C20"])
    picture = draw(game, position, owners=True)
    document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document

    assert [title for title in titles(document) if title and "owned" in title] == [
        "B20 is owned by X",
        "C20 is owned by X",
    ]


def test_an_empty_board_is_described() -> None:
    star = parse_game("star(size=4)")

    assert description(draw(star, star.start())) == "X: none. O: none."


def test_a_page_holds_the_picture_and_escapes_its_words() -> None:
    page = html_page(a_picture(), "Board <101> & more", ["X < O"])

    assert "<h1>Board &lt;101&gt; &amp; more</h1>" in page
    assert "<p>X &lt; O</p>" in page
    assert svg_picture(a_picture()) in page
    assert "<script" not in page


def test_the_legend_says_who_plays_which_colour_the_last_turn_and_the_result() -> None:
    star = parse_game("star(size=4)")
    caption = Caption("Star Board 101", "alice", "bob & co", "Score: X: 1   O: 0\nalice has won.")
    picture = draw(star, star.replay(["D4", "E4", "C4"]), caption=caption)
    document = ET.fromstring(svg_picture(picture))  # noqa: S314 - our own document
    words = [text.text for text in document.iterfind(f"{SVG}text")]

    assert document.findtext(f"{SVG}title") == "Star Board 101"
    assert words == [
        "X: alice",
        "O: bob & co",
        "last turn: C4",
        "Score: X: 1   O: 0",
        "alice has won.",
    ]
    assert description(picture) == (
        "X, alice: C4 D4. O, bob & co: E4. Last turn: C4. Score: X: 1   O: 0 alice has won."
    )


def test_the_title_and_the_description_are_named_for_screen_readers() -> None:
    document = ET.fromstring(svg_picture(a_picture()))  # noqa: S314 - our own document
    named = [document.find(f"{SVG}{tag}") for tag in ("title", "desc")]

    assert document.get("role") == "img"
    assert document.get("aria-labelledby") == " ".join(
        tag.get("id", "") for tag in named if tag is not None
    )


@EACH_GAME
def test_the_legend_lies_below_the_board_and_on_the_canvas(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, random_position(game, 5), owners=True)
        canvas = Canvas(picture)
        lowest = max(canvas.at(spot.place)[1] for spot in picture.spots)

        assert lowest + canvas.radius < canvas.board_height, game
        assert canvas.board_height + LINE_HEIGHT * len(canvas.legend) < canvas.height, game
        assert legend_width(canvas.legend) <= canvas.width, game
