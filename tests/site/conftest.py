"""A small club with a board of every game, and a site made of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from flask import Flask

from pbmserv.club.match import Match
from pbmserv.engine.games import game_names
from pbmserv.site.pages import Names, Pages, SiteOptions, club_id
from pbmserv.web.app import make_app
from pbmserv.web.club import Club as WebClub
from pbmserv.web.freeze import FreezeReport, freeze
from tests.databases import copy_template, made_once
from tests.engine.sample_games import random_move
from tests.local_server import LocalServer
from tests.site import made_before

made_before.share()

SMALL = {
    **dict.fromkeys(game_names(), ""),
    "star": "-size=3",
    "starstar": "-size=4",
    "starweb": "-size=4",
    "polyy": "-size=4",
    "y": "-size=6",
    "hex": "-size=5",
}
MOVES = 8
HOSTILE_NAME = "<img src=x onerror=hurt=1>"
WISHES = SiteOptions("1.0")


@dataclass
class Club:
    """A server and the folder of its pages."""

    local: LocalServer
    root: Path
    wishes: SiteOptions = WISHES

    def app(self) -> Flask:
        """Return what shows the pages alive."""
        return make_app(WebClub(self.wishes, lambda: self.local.desk))

    def build(self) -> FreezeReport:
        return freeze(self.app(), self.root)

    def pages(self) -> Pages:
        """Return what makes single pages of this club."""
        with self.local.desk.store.reading() as records:
            names = records.published.names(None)
            club = club_id(records.published.founded())
        return Pages(Names(lambda _: names), club, self.wishes)

    def page(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        return files_in(self.root)

    def play_on(self, game: str, board: int, turns: int, seed: int = 0) -> None:
        """Play random moves at a board, the second of a game a swap where that may be."""
        self.local.game = game
        chance = Random(seed)
        for _ in range(turns):
            match = self.match(game, board)
            if match.next_seat is None:
                return
            text = random_move(match.game, match.position, chance).text
            if match.ply == 1 and match.game.may_swap(match.position):
                text = "swap"
            self.local.move(board, match.next_seat.name, text)

    def match(self, game: str, board: int) -> Match:
        with self.local.desk.store.reading() as records:
            found = records.matches.find(game, board)

        assert found is not None
        return found

    def review(self) -> None:
        """Look back on board 101 of Star as it is now, and keep what was thought."""
        with self.local.desk.store.writing() as records:
            found = records.matches.find("star", 101)
            assert found is not None
            looks = [[0.5, "C3", 0.9, ["C3"]] for _ in range(found.ply + 1)]
            records.reviews.keep(found.id, found.revision, {"settled_at": None, "looks": looks})


def files_in(root: Path) -> dict[str, bytes]:
    """Return the pages of a site, without what it remembers for itself."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }


@made_once
def settle_in(local: LocalServer) -> LocalServer:
    """Play a board of every game to its end, begin a second, and start a tournament."""
    club = Club(local, Path())
    for number, game in enumerate(sorted(SMALL)):
        local.game = game
        board = local.start(SMALL[game])
        club.play_on(game, board, MOVES, seed=number)
        if local.show(board)["status"] == "running":
            local.do(f"{game} move {board} bob secret-bob resign")
        club.play_on(game, local.start(SMALL[game]), 3, seed=number + 100)
    local.do(f'tournament create alice secret-alice star "{HOSTILE_NAME}" -size=3')
    for userid in ("alice", "bob"):
        local.do(f"tournament join 1 {userid} secret-{userid}")
    local.do("tournament start 1 alice secret-alice")
    return local


@pytest.fixture
def club(local: LocalServer, tmp_path: Path) -> Club:
    """Every game has a board that has ended, 101, and one that goes on, 102."""
    return Club(settle_in(local), tmp_path / "pages")


@pytest.fixture(scope="package")
def made(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A club whose pages were made, to be looked at only."""
    folder = tmp_path_factory.mktemp("site")
    local = LocalServer(copy_template(sqlite_template, folder))
    found = Club(settle_in(local), folder / "pages")
    found.build()
    yield found
    local.desk.close()
