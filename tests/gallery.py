"""Everything that people see, as pictures to look through before a release.

Run it as `python -m tests.gallery DIR`: every board, the pages of a club in which real games were
played, letters and screens, light and dark, at 380, 860 and 1280 pixels. DIR/index.html shows all
of it, and DIR/club/ is the club itself.
"""

import asyncio
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from pbmserv.board.app import BoardApp, Equipment
from pbmserv.board.frame import Size
from pbmserv.board.hosts import LocalHost
from pbmserv.computer.level_list import FIRST_SEARCH, HINT_LEVEL
from pbmserv.computer.levels import choose
from pbmserv.desk.local_game import new_game
from pbmserv.engine.game import Game
from pbmserv.engine.spec import format_game, option_words, parse_game
from pbmserv.render.board_letters import board_letters
from pbmserv.render.picture import draw
from pbmserv.render.svg import svg_picture
from pbmserv.site.pages import SiteOptions
from pbmserv.web.app import make_app
from pbmserv.web.club import Club
from pbmserv.web.freeze import freeze
from tests import browser
from tests.databases import create
from tests.local_server import DAY, LocalServer
from tests.mail.test_clicks import html_of
from tests.render.pictured_boards import all_boards, random_position
from tests.render.sample_letters import TO_ALICE, TO_BOB
from tests.render.sample_letters import played as played_match

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = (380, 860, 1280)
LOOKS = ("light", "dark")
GAMES = (
    "star(size=6)",
    "starstar(size=6)",
    "starweb",
    "polyy(size=5)",
    "y(size=12)",
    "hex(size=9)",
)
"""What is played in the club, each to its end and another time for some moves."""

DOUBLE = "starstar(double)"
"""Runs on the largest board, in turns of two stones."""

SCREENS = ((100, 30), (80, 24))
KNOWN = re.compile(
    r"boards/(\w+/10[12]|starstar/104)|players/[12]|games/\w+|openings/star|standings/star|\w+/index"
)
"""Pages of which there are many alike: these are looked at, and each that is alone in its kind."""

LEVEL, RESTING = FIRST_SEARCH, 10_000
PATIENCE = 120_000
"""Milliseconds that a picture may take, on a machine that does other things too."""

PLAYERS = ("alice", "W" * 24, "christopher.featherstone", "bob")
"""Two have names as long as a name may be: the widest there is, and one that people have."""


def moves_of(game: Game, seed: int, most: int) -> list[str]:
    """Return a game of the computer against itself, as far as so many moves."""
    position, texts = game.start(), list[str]()
    while game.outcome(position) is None and len(texts) < most:
        move = choose(game, position, LEVEL, seed + len(texts)).move
        if move is None:
            break
        texts.append(move.text)
        position = game.play(position, move)
    return texts


def make_club(folder: Path) -> LocalServer:
    """Return a club with games of four people, ended and running, and a tournament."""
    url = f"sqlite:///{folder / 'club.sqlite'}"
    create(url)
    local = LocalServer(url)
    local.sign_up(*PLAYERS)
    chance = Random(7)
    for number, spec in enumerate(GAMES):
        game = parse_game(spec)
        for most in (RESTING, 12, 5):
            local.game = game.name
            board = local.start(option_words(game), *chance.sample(PLAYERS, 2))
            local.play(board, moves_of(game, 10 * number + most, most))
            shown = local.show(board)
            if most == RESTING and shown["to_move"]:
                local.move(board, shown["players"][shown["to_move"]], "resign")
            local.clock.seconds += DAY // 4
    game = parse_game(DOUBLE)
    local.game = game.name
    board = local.start(option_words(game), *PLAYERS[1:3])
    local.play(board, moves_of(game, 5, 9))
    local.do("tournament create alice secret-alice star Spring -size=4")
    for userid in PLAYERS:
        local.do(f"tournament join 1 {userid} secret-{userid}")
    local.do("tournament start 1 alice secret-alice")
    return local


def club_pages(local: LocalServer, root: Path) -> Iterator[Path]:
    """Make the pages of the club and yield those to look at."""
    wishes = SiteOptions("1.0", chat=True, mail="games@example.org")
    freeze(make_app(Club(wishes, lambda: local.desk)), root)
    kinds = set[Path]()
    for page in sorted(root.rglob("*.html")):
        name = page.relative_to(root).as_posix()
        if KNOWN.match(name) or page.parent not in kinds:
            kinds.add(page.parent)
            yield page


def boards() -> dict[str, str]:
    """Return every board with stones on it as SVG, by the words of its game."""
    return {
        re.sub("[^a-z0-9]+", "-", format_game(game)).strip("-"): svg_picture(
            draw(game, random_position(game, number), owners=True)
        )
        for number, game in enumerate(all_boards())
    }


def letters(folder: Path) -> Iterator[Path]:
    """Write a letter of each game in its middle, as a browser shows it, and yield the files."""
    folder.mkdir()
    for spec in GAMES:
        game = parse_game(spec)
        match, events = played_match(spec, moves_of(game, 3, 14))
        reader = next(
            one
            for one in (TO_ALICE, TO_BOB)
            if match.next_seat is not None and match.next_seat.player_id == one.player_id
        )
        (letter,) = board_letters(match, events, [reader])
        file = folder / f"{game.name}.html"
        file.write_text(html_of(letter), encoding="utf-8")
        yield file


async def screens() -> dict[str, str]:
    """Return the board in the terminal as SVG by name, for each game at each size."""
    found = {}
    for spec in GAMES:
        game = parse_game(spec)
        local = new_game(game, HINT_LEVEL, computer_begins=False)
        for text in moves_of(game, 5, 12):
            local = local.play(game.parse_move(text))
        for wide, high in SCREENS:
            app = BoardApp(LocalHost(local, None), Equipment())
            async with app.run_test(size=Size(wide, high)) as pilot:
                await pilot.pause()
                found[f"{game.name}-{wide}"] = app.export_screenshot(title=game.title)
    return found


def written(folder: Path, pictures: dict[str, str]) -> list[Path]:
    """Write SVG pictures by their names, and return the files."""
    folder.mkdir()
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())


def shoot(page: "Page", files: list[Path], shots: Path, widths: tuple[int, ...]) -> Iterator[str]:
    """Take a picture of each file in both looks at these widths; yield the names of pictures."""
    for look in LOOKS:
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            for file in files:
                page.goto(file.as_uri())
                name = f"{file.parent.name}-{file.stem}-{width}-{look}.png"
                page.screenshot(path=shots / name, full_page=file.suffix == ".html")
                yield name


def made(folder: Path) -> dict[str, tuple[list[Path], tuple[int, ...]]]:
    """Write what there is to look at into a folder; return it by its kind, with its widths."""
    folder.mkdir(parents=True, exist_ok=True)
    local = make_club(folder)
    pages = list(club_pages(local, folder / "club"))
    local.close()
    return {
        "Boards": (written(folder / "boards", boards()), (860,)),
        "Pages": (pages, WIDTHS),
        "Letters": (list(letters(folder / "letters")), WIDTHS[:2]),
        "Screens": (written(folder / "screens", asyncio.run(screens())), (860,)),
    }


def main() -> None:
    """Fill the folder that is named."""
    folder = Path(sys.argv[1])
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty.")
    parts = made(folder)
    shots, shown, count = folder / "shots", list[str](), 0
    shots.mkdir()
    with browser.started() as chromium:
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE)
        for heading, (files, widths) in parts.items():
            names = list(shoot(page, files, shots, widths))
            count += len(names)
            links = (f"shots/{escape(name)}" for name in names)
            pictures = (
                f'<a href="{link}"><img src="{link}" loading="lazy" width="280" alt="{link}"></a>'
                for link in links
            )
            shown += [f"<h2>{heading}</h2>", *pictures]
    start = '<!DOCTYPE html><meta charset="utf-8"><title>Gallery</title>'
    (folder / "index.html").write_text("\n".join([start, *shown]), encoding="utf-8")
    sys.stdout.write(f"{count} pictures: {folder / 'index.html'}\n")


if __name__ == "__main__":
    main()
