import pytest

from pbmserv.engine.board import Label, Point
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import Picture, draw
from pbmserv.render.png import png_picture
from pbmserv.render.svg import Canvas
from tests.render.pictured_boards import all_boards


def a_picture() -> Picture:
    star = parse_game("star(size=4)")
    return draw(star, star.replay(["D4", "E4", "C4"]))


def test_a_png_has_the_size_of_the_svg_times_zoom() -> None:
    canvas = Canvas(a_picture())
    png = png_picture(a_picture(), zoom=2)

    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20]) == 2 * canvas.width
    assert int.from_bytes(png[20:24]) == 2 * canvas.height


@pytest.mark.slow
def test_every_character_of_every_label_can_be_seen_in_a_png() -> None:
    characters = {
        character
        for game in all_boards()
        for label in game.board.labels
        for character in label.text.strip("-\\")
    }
    picture = a_picture()
    place = picture.spots[0].place

    def drawn(character: str) -> bytes:
        return png_picture(picture._replace(labels=(Label(character, place, Point(0, 0)),)))

    pictures = {character: drawn(character) for character in sorted(characters)}

    assert characters >= set("0123456789*STAR")
    assert len(set(pictures.values())) == len(characters)
    assert drawn(" ") not in pictures.values()
